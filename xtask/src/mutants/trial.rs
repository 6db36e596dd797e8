//! Tries a mutation: runs the tests that reach it until one fails.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitStatus;
use std::sync::Mutex;

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};

use super::list::Mutant;
use super::quick::{FIXTURES, MEMORY, PROMISES, Programs, Reach, SAID, Test};
use super::work::each;

/// CPU seconds that a run may take beyond [`SLOWER`] times what it takes without a mutation. A loop without end takes
/// longer, and is noticed.
const PATIENCE: u64 = 5;
/// Times slower that a mutation may make a run.
const SLOWER: u64 = 4;
/// Fixtures in the first runs of a program; the last number holds for all further ones. A failing fixture ends the trial, so
/// the first runs are short.
const FIXTURES_AT_ONCE: [usize; 4] = [3, 9, 27, 60];
/// Recorded milliseconds of the tests, besides its own fixtures, that a mutation is tried with: those that reach the fewest
/// mutations come first, since they say most about the place.
const QUICK_MS: u64 = 3_000;
/// The same where more tests are wanted.
const MORE_MS: u64 = 10_000;
/// Tests of the whole service in the first runs with a mutation. Not their time: they wait for others, and take longer on a
/// machine that does other work too.
const FIRST_LATE: [usize; 2] = [2, 4];
/// Recorded milliseconds of those after them, in one run: what nearly every call passes through needs more than a few.
const MORE_LATE_MS: u64 = 6_000;

/// Exit code of `timeout` where it sent the signal KILL: 128 and the signal's number.
const KILLED: i32 = 137;

/// What became of a mutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// It does not compile.
    Unviable,
    /// It can't be switched on and off, as in a constant: to be tried alone.
    Apart,
    /// A test fails with it.
    Caught,
    /// No test fails with it.
    Missed,
    /// No test comes to it.
    Unreached,
}

impl Outcome {
    /// Its name in results.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Unviable => "unviable",
            Self::Apart => "apart",
            Self::Caught => "caught",
            Self::Missed => "missed",
            Self::Unreached => "unreached",
        }
    }

    fn of(word: &str) -> Option<Self> {
        let all = [Self::Unviable, Self::Apart, Self::Caught, Self::Missed, Self::Unreached];
        all.into_iter().find(|outcome| outcome.word() == word)
    }
}

/// The outcomes in a file of results, by the name of the mutation; a later line replaces an earlier one.
pub(crate) fn results(path: &Path) -> BTreeMap<String, Outcome> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let of_line = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        Some((value.get("name")?.as_str()?.to_owned(), Outcome::of(value.get("outcome")?.as_str()?)?))
    };
    text.lines().filter_map(of_line).collect()
}

/// Appends a line to results.
pub(crate) fn note(file: &Mutex<File>, mutant: &Mutant, outcome: Outcome, by: &str) -> Result<()> {
    let line = json!({"name": mutant.name, "outcome": outcome.word(), "by": by});
    let mut file = file.lock().map_err(|_| anyhow!("a worker has panicked"))?;
    writeln!(file, "{line}").context("results can't be written")
}

/// Which tests a mutation is tried with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tests {
    /// Its own fixtures, and the most telling others.
    Telling,
    /// The fixtures of its own family alone, where it is of a check.
    Own,
    /// More of the others, tests of whole reports, and the promises of patches.
    More,
}

/// One run of a test program.
struct Run<'t> {
    names: Vec<&'t str>,
    program: usize,
    fixtures: Vec<&'t str>,
    ms: u64,
}

/// Tries mutations, on all cores, and appends the outcome of each to a file of results. More tests, and the
/// promises of patches, are run only where [`Tests::More`] are wanted.
pub(crate) fn tried(
    mutants: &[Mutant],
    reaches: &[Reach],
    tests: Tests,
    programs: &Programs<'_>,
    results: &Mutex<File>,
) -> Result<()> {
    let mut of_files: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for mutant in mutants {
        of_files.entry(&mutant.file).or_default().insert(mutant.number);
    }
    each(mutants, |_, mutant| {
        let of_file = of_files.get(mutant.file.as_str());
        let runs = runs(mutant, reaches, tests, programs, |number| of_file.is_some_and(|of| of.contains(number)));
        if runs.is_empty() && tests == Tests::Own {
            // No fixture of its own comes to it: what was known of it holds.
            return Ok(());
        }
        if runs.is_empty() {
            return note(results, mutant, Outcome::Unreached, "");
        }
        for run in &runs {
            // A test that waits for others may fail of itself on a machine that does other work too.
            let fails_anyway = || Ok::<_, anyhow::Error>(programs.is_late(run.program) && fails(run, None, programs)?);
            if fails(run, Some(mutant), programs)? && !fails_anyway()? {
                let by = run.names.iter().chain(&run.fixtures).copied().collect::<Vec<_>>();
                return note(results, mutant, Outcome::Caught, &by.join(" "));
            }
        }
        note(results, mutant, Outcome::Missed, "")
    })?;
    Ok(())
}

/// The runs that decide on a mutation, in order: what is said of its own family's fixtures, bad ones first; then the most
/// telling of all other tests, until their time is used up; the unit tests of its module; and last the promises of patches and the
/// slow tests.
fn runs<'t>(
    mutant: &Mutant,
    reaches: &'t [Reach],
    tests: Tests,
    programs: &Programs<'_>,
    is_of_file: impl Fn(&u32) -> bool,
) -> Vec<Run<'t>> {
    let family = family(&mutant.file);
    let is_own = |name: &str| family.as_ref().is_some_and(|family| name.starts_with(family));
    let mut own: Vec<(&str, u64)> = Vec::new();
    let mut others: Vec<&Reach> = Vec::new();
    let mut slow: Vec<&Reach> = Vec::new();
    let mut late: Vec<&Reach> = Vec::new();
    for reach in reaches.iter().filter(|reach| reach.numbers.contains(&mutant.number)) {
        match &reach.test {
            Test::Fixture(name) if is_own(name) => own.push((name, reach.ms)),
            Test::Named(at, name) if programs.is_slow(*at, name) => slow.push(reach),
            Test::Named(at, _) if programs.is_late(*at) => late.push(reach),
            _ => others.push(reach),
        }
    }
    own.sort_by_key(|(name, ms)| (!name.contains("/bad"), *ms));
    // What is no check is in every report: tests of whole reports tell most of it.
    let whole: Vec<&Reach> = match tests == Tests::More && family.is_none() {
        true => others
            .iter()
            .copied()
            .filter(|reach| matches!(&reach.test, Test::Named(at, _) if !programs.is_unit(*at)))
            .collect(),
        false => Vec::new(),
    };
    let of_module: Vec<&Reach> = match module(&mutant.file).filter(|_| family.is_none()) {
        Some(module) => others.iter().copied().filter(|reach| is_of_module(&reach.test, programs, &module)).collect(),
        None => Vec::new(),
    };
    let most_ms = if tests == Tests::More { MORE_MS } else { QUICK_MS };
    let others = most_telling(others, most_ms);
    // A call passes through most files: what comes to the most of this one is about it.
    late.sort_by_key(|reach| {
        let of_file = reach.numbers.iter().filter(|number| is_of_file(number)).count();
        (Reverse(of_file * 1_000 / reach.numbers.len().max(1)), reach.ms)
    });
    let mut lates: Vec<Vec<&Reach>> =
        FIRST_LATE.into_iter().map(|most| late.drain(..most.min(late.len())).collect()).collect();
    lates.push(within(late, MORE_LATE_MS));
    let fixtures: Vec<(&str, u64)> = others
        .iter()
        .filter_map(|reach| if let Test::Fixture(name) = &reach.test { Some((&**name, reach.ms)) } else { None })
        .collect();
    let at = programs.of_fixtures();
    let mut runs = of_fixtures(at, &[SAID], &own);
    if tests == Tests::Own && family.is_some() {
        return runs;
    }
    let (units, outsides): (Vec<usize>, Vec<usize>) =
        programs.paths.keys().copied().partition(|program| programs.is_unit(*program));
    runs.extend(units.iter().filter_map(|program| of_names(&others, *program)));
    runs.extend(of_fixtures(at, &[SAID], &fixtures));
    runs.extend(outsides.iter().filter_map(|program| of_names(&others, *program)));
    runs.extend(units.iter().filter_map(|program| of_names(&of_module, *program)));
    if tests == Tests::More {
        runs.extend(outsides.iter().filter_map(|program| of_names(&whole, *program)));
        runs.extend(of_fixtures(at, &PROMISES, &own));
        runs.extend(of_fixtures(at, &PROMISES, &fixtures));
        runs.extend(outsides.iter().filter_map(|program| of_names(&slow, *program)));
    }
    for late in &lates {
        runs.extend(programs.paths.keys().filter_map(|program| of_names(late, *program)));
    }
    runs
}

/// The folder of a check's fixtures, which has the further files of its family too: `head/title/`.
fn family(file: &str) -> Option<String> {
    let mut path = file.strip_prefix("crates/audit/src/checks/")?.split('/');
    let (category, name) = (path.next()?, path.next()?);
    Some(format!("{category}/{}/", name.strip_suffix(".rs").unwrap_or(name)))
}

/// The path of the module of a file of the core: `proof::trial`.
fn module(file: &str) -> Option<String> {
    Some(file.strip_prefix("crates/audit/src/")?.strip_suffix(".rs")?.replace('/', "::"))
}

/// Whether a test is a unit test of a module, of one inside of it, or of one around it.
fn is_of_module(test: &Test, programs: &Programs<'_>, module: &str) -> bool {
    matches!(test, Test::Named(at, name) if programs.is_unit(*at) && is_near(name, module))
}

fn is_near(test: &str, module: &str) -> bool {
    let is_inside = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with("::"));
    let around = test.split_once("::tests::").map_or("", |(of, _)| of);
    is_inside(test, module) || is_inside(module, around)
}

/// Tests that reach the fewest mutations, quick ones first among equals, as many as fit into so many milliseconds; at least one.
fn most_telling(mut tests: Vec<&Reach>, most_ms: u64) -> Vec<&Reach> {
    tests.sort_by_key(|reach| (reach.numbers.len(), reach.ms));
    within(tests, most_ms)
}

/// The first tests, as many as fit into so many milliseconds; at least one.
fn within(tests: Vec<&Reach>, most_ms: u64) -> Vec<&Reach> {
    let mut used = 0;
    let fitting = tests.into_iter().enumerate().take_while(|(at, reach)| {
        used += reach.ms;
        *at == 0 || used <= most_ms
    });
    fitting.map(|(_, reach)| reach).collect()
}

/// One run of the tests of a program.
fn of_names<'t>(tests: &[&'t Reach], program: usize) -> Option<Run<'t>> {
    let wanted = |reach: &&'t Reach| match &reach.test {
        Test::Named(of, name) if *of == program => Some((&**name, reach.ms)),
        _ => None,
    };
    let tests: Vec<(&str, u64)> = tests.iter().filter_map(wanted).collect();
    let names: Vec<&str> = tests.iter().map(|(name, _)| *name).collect();
    let ms = tests.iter().map(|(_, ms)| ms).sum();
    (!names.is_empty()).then(|| Run { names, program, fixtures: Vec::new(), ms })
}

/// Runs of what is said of fixtures, or promised.
fn of_fixtures<'t>(program: usize, names: &[&'static str], mut tests: &[(&'t str, u64)]) -> Vec<Run<'t>> {
    let mut runs = Vec::new();
    let mut sizes = FIXTURES_AT_ONCE.into_iter().chain(std::iter::repeat(60));
    while !tests.is_empty() {
        let size = sizes.next().unwrap_or(60).min(tests.len());
        let (some, rest) = tests.split_at(size);
        runs.push(Run {
            names: names.to_vec(),
            program,
            fixtures: some.iter().map(|(name, _)| *name).collect(),
            ms: some.iter().map(|(_, ms)| ms).sum(),
        });
        tests = rest;
    }
    runs
}

/// Whether a run fails with a mutation, or without any: a test fails, or it takes too much time or memory. What the clock stopped
/// is run again, since everything may have been paused meanwhile.
fn fails(run: &Run<'_>, mutant: Option<&Mutant>, programs: &Programs<'_>) -> Result<bool> {
    let seconds = PATIENCE + SLOWER * run.ms / 1000;
    let mut limited = programs.limited(run.program, &run.names, seconds, MEMORY)?;
    if let Some(mutant) = mutant {
        limited.env("MUTATION", mutant.number.to_string());
    }
    if !run.fixtures.is_empty() {
        limited.env(FIXTURES, run.fixtures.join(","));
    }
    let mut status = limited.status().context("sh could not be started")?;
    if is_killed(status) {
        status = limited.status().context("sh could not be started")?;
    }
    Ok(!status.success())
}

/// Whether `timeout` killed it, or a limit of the system did.
fn is_killed(status: ExitStatus) -> bool {
    status.code().is_none_or(|code| code == KILLED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_tests_are_of_modules_around_and_inside() {
        let check = |name: &str, file: &str, wanted: bool| {
            let module = module(&format!("crates/audit/src/{file}")).unwrap();
            assert_eq!(is_near(name, &module), wanted, "{name} {file}");
        };
        check("proof::tests::a", "proof.rs", true);
        check("proof::tests::a", "proof/trial.rs", true);
        check("proof::trial::tests::a", "proof.rs", true);
        check("proof::trial::tests::a", "proof/tree.rs", false);
        check("patch::tests::a", "proof.rs", false);
        check("path::tests::a", "patch.rs", false);
        assert_eq!(module("crates/html/src/again.rs"), None);
    }

    #[test]
    fn fixtures_of_a_family_lie_beside_its_first_file() {
        let check = |file: &str, folder: Option<&str>| assert_eq!(family(file).as_deref(), folder, "{file}");
        check("crates/audit/src/checks/head/title.rs", Some("head/title/"));
        check("crates/audit/src/checks/indexing/robots_meta/shared_tag.rs", Some("indexing/robots_meta/"));
        check("crates/audit/src/patch/edits.rs", None);
    }
}
