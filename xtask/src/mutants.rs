//! `cargo xtask mutants`: which changes of the code no quick test notices.
//!
//! `html` is cargo-mutants itself, with a build for each change. The groups `checks` and `limits` take the changes from
//! cargo-mutants' list, and compile all of them at once: a test program makes the one whose number it is told.

mod build;
mod constants;
mod group;
mod list;
mod places;
mod quick;
mod scratch;
mod switch;
mod totals;
mod trial;
mod work;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Mutex;

use anyhow::{Context as _, Result, bail};

use crate::command::{has, run, run_with};
use build::Refused;
use group::Group;
use list::Mutant;
use quick::Programs;
use trial::{Outcome, Tests};

/// Which files are changed is in `.cargo/mutants-*.toml`. Further arguments are those of cargo-mutants for `html`, and
/// those of [`Wanted`] for a group.
pub(crate) fn mutants(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let subject = arguments.next().unwrap_or_default();
    let group = group::group(&subject);
    if group.is_none() && subject != "html" {
        bail!(
            "say what to change: html (the tree builder), checks (with patch, proof and score) or limits (with states and \
             the audit loop)"
        );
    }
    if !has("cargo", &["mutants", "--version"]) {
        println!("cargo-mutants knows which changes can be made; it is installed once.");
        run(root, "cargo", &["install", "--locked", "cargo-mutants"])?;
    }
    if let Some(group) = group {
        return changed(root, group, &Wanted::read(arguments)?);
    }
    // The tests run in a copy of the workspace elsewhere, and would look for the shared data beside that.
    let shared = std::env::var("SITE_AUDIT_SHARED").unwrap_or_else(|_| "../shared".to_owned());
    let shared = root.join(shared).display().to_string();
    let arguments: Vec<String> = arguments.collect();
    let arguments: Vec<&str> = ["mutants", "--config", ".cargo/mutants-html.toml", "--package", "html"]
        .into_iter()
        .chain(arguments.iter().map(String::as_str))
        .collect();
    run_with(root, "cargo", &arguments, &[("SITE_AUDIT_SHARED", shared)])
}

/// Which mutations are tried; without arguments those that have no result yet.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    /// `--again`: as if there were no results.
    is_again: bool,
    /// `--survivors`: also those that no test noticed, with more tests.
    with_survivors: bool,
    /// `--own`: with the fixtures of the check's own family alone, as after new ones were written.
    is_own: bool,
    /// `--slow`: with the slow tests too.
    with_slow: bool,
    /// `--build`: nothing is tried, only compiled, as where a build may take the machine and trials may not.
    is_build: bool,
    /// `--only TEXT`, once or more: of these, those whose file or description has one of the texts. No others are compiled.
    only: Vec<String>,
}

impl Wanted {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut wanted = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--again" => wanted.is_again = true,
                "--survivors" => wanted.with_survivors = true,
                "--own" => wanted.is_own = true,
                "--slow" => wanted.with_slow = true,
                "--build" => wanted.is_build = true,
                "--only" => wanted.only.push(arguments.next().context("--only takes a part of a name")?),
                other => {
                    bail!(
                        "there is no option {other}; there are --again, --survivors, --own, --slow, --build and --only TEXT"
                    )
                }
            }
        }
        Ok(wanted)
    }

    fn is(&self, mutant: &Mutant, outcome: Option<Outcome>) -> bool {
        let is_open = match outcome {
            None => true,
            Some(Outcome::Missed | Outcome::Unreached) => self.with_survivors,
            Some(Outcome::Unviable | Outcome::Apart | Outcome::Caught) => false,
        };
        is_open && self.is_named(mutant)
    }

    fn is_named(&self, mutant: &Mutant) -> bool {
        self.only.is_empty() || self.only.iter().any(|part| mutant.name.contains(part))
    }
}

fn changed(root: &Path, group: &Group, wanted: &Wanted) -> Result<()> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), |folder| root.join(folder));
    let folder = target.join(format!("mutants-{}", group.name));
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let results = folder.join("results.jsonl");
    if wanted.is_again && results.exists() {
        std::fs::remove_file(&results).context("results could not be removed")?;
    }
    let mut mutants = list::listed(root, group)?;
    if group.with_constants {
        mutants.extend(constants::listed(root, group, u32::try_from(mutants.len())? + 1)?);
    }
    let mutants = mutants;
    println!("{} mutations", mutants.len());

    let copy = folder.join("copy");
    let known = trial::results(&results);
    let refused_before = |outcome| {
        let is_it = |mutant: &&Mutant| known.get(&mutant.name) == Some(&outcome);
        mutants.iter().filter(is_it).map(|mutant| mutant.number).collect::<BTreeSet<u32>>()
    };
    let mut refused = Refused { unviable: refused_before(Outcome::Unviable), apart: refused_before(Outcome::Apart) };
    refused.apart.extend(mutants.iter().filter(|mutant| is_of_hidden_type(mutant)).map(|mutant| mutant.number));
    let copied = (group, wanted.with_survivors);
    // Not the workspace's own folder: Cargo takes two packages of one name at one place in their workspaces for the same.
    let paths = build::built(copied, &mut refused, &folder.join("build"), |refused| {
        let is_refused = |number: &u32| refused.unviable.contains(number) || refused.apart.contains(number);
        let is_in = |mutant: &&Mutant| wanted.is_named(mutant) && !is_refused(&mutant.number);
        scratch::scratch(root, copied, &copy, &mutants.iter().filter(is_in).cloned().collect::<Vec<_>>())
    })?;
    let appended = std::fs::File::options().create(true).append(true).open(&results).context("results")?;
    let appended = Mutex::new(appended);
    for mutant in mutants.iter().filter(|mutant| !known.contains_key(&mutant.name)) {
        if refused.unviable.contains(&mutant.number) {
            trial::note(&appended, mutant, Outcome::Unviable, "")?;
        } else if refused.apart.contains(&mutant.number) {
            trial::note(&appended, mutant, Outcome::Apart, "")?;
        }
    }

    if wanted.is_build {
        return Ok(());
    }
    let programs = Programs { group, paths, folder: copy };
    let stored = folder.join("reached.jsonl");
    let reaches = quick::reaches(&programs, &stored, wanted.with_slow)?;
    let known = trial::results(&results);
    let mut open: Vec<Mutant> =
        mutants.iter().filter(|mutant| wanted.is(mutant, known.get(&mutant.name).copied())).cloned().collect();
    // Checks first: their own fixtures decide soon.
    open.sort_by_key(|mutant| !mutant.file.starts_with(group.first));
    println!("{} mutations are tried", open.len());
    let tests = match (wanted.is_own, wanted.with_survivors) {
        (true, _) => Tests::Own,
        (false, true) => Tests::More,
        (false, false) => Tests::Telling,
    };
    trial::tried(&open, &reaches, tests, &programs, &appended)?;
    totals::tell(&mutants, &trial::results(&results), &folder.join("survivors.txt"))
}

/// Whether it replaces the value of a function whose result is some type of a trait other than an iterator: that type is
/// the one of the value, so two values of different types can't be switched between.
fn is_of_hidden_type(mutant: &Mutant) -> bool {
    mutant.genre == "FnValue" && mutant.result.contains("impl ") && !mutant.result.starts_with("-> impl Iterator")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_arguments_only_what_has_no_result_is_tried() {
        let mutant = Mutant {
            number: 1,
            name: "crates/audit/src/checks/head/title.rs:1:1: x".to_owned(),
            file: String::new(),
            genre: String::new(),
            span: 0..0,
            replacement: String::new(),
            result: String::new(),
        };
        let check = |arguments: &[&str], outcome: Option<Outcome>, wanted: bool| {
            let read = Wanted::read(arguments.iter().map(|argument| (*argument).to_owned())).unwrap();
            assert_eq!(read.is(&mutant, outcome), wanted, "{arguments:?} {outcome:?}");
        };
        check(&[], None, true);
        check(&[], Some(Outcome::Missed), false);
        check(&["--survivors"], Some(Outcome::Missed), true);
        check(&["--survivors"], Some(Outcome::Unreached), true);
        check(&["--survivors"], Some(Outcome::Caught), false);
        check(&["--only", "checks/head"], None, true);
        check(&["--only", "checks/links"], None, false);
        check(&["--only", "checks/links", "--only", "checks/head"], None, true);
        assert!(Wanted::read(["--other".to_owned()].into_iter()).is_err());
    }
}
