//! Compiles the copy with all mutations, and leaves out those that the compiler refuses.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::group::{Group, TestProgram};
use super::scratch::Scratch;

/// Times that the copy is compiled before this gives up: errors of types, of borrows and of lints come one kind after
/// another.
const MOST_ROUNDS: usize = 40;
/// Optimised a little: one build, and thousands of runs.
const OPTIMISED: [&str; 4] =
    ["--config", "profile.dev.package.audit.opt-level=1", "--config", "profile.dev.debug=false"];

/// What a compilation came to.
enum Built {
    /// It is done; these are its messages.
    Done(Vec<Value>),
    /// It failed because of these mutations.
    Refused(Refused),
}

/// Mutations at which a compilation failed.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    /// They do not compile.
    pub(crate) unviable: BTreeSet<u32>,
    /// Their switches do not compile, as in a constant: they may, alone.
    pub(crate) apart: BTreeSet<u32>,
}

/// Compiles until nothing is refused: `copied` makes the copy without what is in `refused`, to which more is added.
/// Answers with the test programs by their places in the group.
pub(crate) fn built(
    (group, with_late): (&Group, bool),
    refused: &mut Refused,
    target: &Path,
    copied: impl Fn(&Refused) -> Result<Scratch>,
) -> Result<BTreeMap<usize, PathBuf>> {
    // Most errors show in the library alone, without making a program.
    let mut command = group.check;
    for round in 1..=MOST_ROUNDS {
        let scratch = copied(refused)?;
        refused.unviable.extend(scratch.sources.values().flat_map(|switched| &switched.unviable));
        match compiled(&scratch, target, group.selection, command)? {
            Built::Done(messages) if command == group.build => {
                let path = |(at, program)| Ok((at, path(program, &messages)?));
                return group.programs(with_late).map(path).collect();
            }
            Built::Done(_) => command = group.build,
            Built::Refused(more) => {
                let (unviable, apart) = (more.unviable.len(), more.apart.len());
                println!("  round {round}: {unviable} do not compile, {apart} can't be switched");
                refused.unviable.extend(more.unviable);
                refused.apart.extend(more.apart);
            }
        }
    }
    bail!("the copy in which all mutations are does not compile after {MOST_ROUNDS} rounds")
}

fn compiled(scratch: &Scratch, target: &Path, selection: &[&str], command: &[&str]) -> Result<Built> {
    let output = Command::new("cargo")
        .args(command)
        .args(selection)
        .args(["--message-format", "json"])
        .args(OPTIMISED)
        .env("CARGO_TARGET_DIR", target)
        .current_dir(&scratch.folder)
        .output()
        .context("cargo could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if output.status.success() {
        return Ok(Built::Done(messages));
    }
    let mut refused = Refused::default();
    let errors = messages.iter().filter_map(|message| message.get("message"));
    for error in errors.filter(|error| error.get("level").is_some_and(|level| level == "error")) {
        let spans = error.get("spans").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        if !spans.is_empty() && !blame(scratch, spans, &mut refused) {
            let shown = error.get("rendered").and_then(Value::as_str).unwrap_or_default();
            bail!("the copy does not compile, at no mutation:\n{shown}");
        }
    }
    if refused.unviable.is_empty() && refused.apart.is_empty() {
        bail!("the copy does not compile:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(Built::Refused(refused))
}

/// Adds the mutation, or else all of the switch, in which an error is: its first place, or else where it says more.
fn blame(scratch: &Scratch, spans: &[Value], refused: &mut Refused) -> bool {
    let is_primary = |span: &&Value| span.get("is_primary") == Some(&Value::Bool(true));
    let (primary, others): (Vec<&Value>, Vec<&Value>) = spans.iter().partition(is_primary);
    for span in primary.into_iter().chain(others) {
        let mut span = span;
        // An error inside of a macro is where the macro is called.
        while let Some(outer) = span.pointer("/expansion/span") {
            span = outer;
        }
        let number = |name: &str| span.get(name).and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        let file = span.get("file_name").and_then(Value::as_str).unwrap_or_default();
        let (Some(start), Some(end), Some(switched)) =
            (number("byte_start"), number("byte_end"), scratch.sources.get(file))
        else {
            continue;
        };
        let around = |range: &std::ops::Range<usize>| range.start <= start && end <= range.end;
        let mutated = switched.mutated.iter().filter(|(range, _)| around(range));
        if let Some((_, number)) = mutated.min_by_key(|(range, _)| range.len()) {
            refused.unviable.insert(*number);
            return true;
        }
        let hosts = switched.hosts.iter().filter(|(range, _)| around(range));
        if let Some((_, numbers)) = hosts.min_by_key(|(range, _)| range.len()) {
            refused.apart.extend(numbers);
            return true;
        }
    }
    false
}

/// Where a test program is.
fn path(program: &TestProgram, messages: &[Value]) -> Result<PathBuf> {
    let (kind, name) = if program.is_unit { ("lib", program.package.replace('-', "_")) } else { ("test", "it".into()) };
    let folder = format!("crates/{}/Cargo.toml", program.package);
    let is_it = |message: &&Value| {
        let text = |pointer: &str| message.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        text("/target/kind/0") == kind && text("/target/name") == name && text("/manifest_path").ends_with(&folder)
    };
    let named = messages.iter().filter(is_it).filter_map(|message| message.get("executable")?.as_str());
    let path = named.map(Path::new).next_back().map(Path::to_owned);
    path.with_context(|| format!("no test program of {} ({kind})", program.package))
}
