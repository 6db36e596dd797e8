//! Tries a mutation: runs the tests that reach it until one fails.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use anyhow::{Context as _, Result, anyhow};
use serde_json::{Value, json};

use super::build::Programs;
use super::list::Mutant;
use super::quick::{self, FIXTURES, PROMISES, Reach, SAID, Test};
use super::work::each;

/// CPU seconds that a run may take beyond [`SLOWER`] times what it takes without a mutation. A loop without end takes
/// longer, and is noticed.
const PATIENCE: u64 = 5;
/// Times slower that a mutation may make a run.
const SLOWER: u64 = 4;
/// Address space of a run, in KiB: a mutation that fills the memory fails.
const MEMORY: u64 = 3 * 1024 * 1024;
/// Fixtures in one run of a program.
const FIXTURES_AT_ONCE: usize = 60;

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

/// One run of a test program.
struct Run<'t> {
    names: Vec<&'t str>,
    is_unit: bool,
    fixtures: Vec<&'t str>,
    ms: u64,
}

/// Tries mutations, on all cores, and appends the outcome of each to a file of results. Slow tests, and the
/// promises of patches, are run only where `with_slow`.
pub(crate) fn tried(
    mutants: &[Mutant],
    reaches: &[Reach],
    with_slow: bool,
    programs: &Programs,
    folder: &Path,
    results: &Mutex<File>,
) -> Result<()> {
    each(mutants, |_, mutant| {
        let runs = runs(mutant, reaches, with_slow);
        if runs.is_empty() {
            return note(results, mutant, Outcome::Unreached, "");
        }
        for run in &runs {
            if fails(run, mutant, programs, folder)? {
                let by = run.names.iter().chain(&run.fixtures).copied().collect::<Vec<_>>();
                return note(results, mutant, Outcome::Caught, &by.join(" "));
            }
        }
        note(results, mutant, Outcome::Missed, "")
    })?;
    Ok(())
}

/// The runs that decide on a mutation, in order: what is said of its own family's fixtures, unit tests, what is said of
/// other fixtures, tests from outside, and last what takes long.
fn runs<'t>(mutant: &Mutant, reaches: &'t [Reach], with_slow: bool) -> Vec<Run<'t>> {
    let family = mutant.file.strip_prefix("crates/audit/src/checks/").and_then(|path| path.strip_suffix(".rs"));
    let family = family.map(|path| format!("{path}/"));
    let reaching = || reaches.iter().filter(|reach| reach.numbers.contains(&mutant.number));
    let named = |wanted: fn(&Test) -> Option<&str>| -> Vec<(&'t str, u64)> {
        reaching().filter_map(|reach| Some((wanted(&reach.test)?, reach.ms))).collect()
    };
    let unit = named(|test| if let Test::Unit(name) = test { Some(name) } else { None });
    let outside = named(|test| if let Test::Outside(name) = test { Some(name) } else { None });
    let fixtures = named(|test| if let Test::Fixture(name) = test { Some(name) } else { None });
    let is_own = |name: &str| family.as_ref().is_some_and(|family| name.starts_with(family));
    let (own, others): (Vec<_>, Vec<_>) = fixtures.iter().copied().partition(|(name, _)| is_own(name));
    let of_names = |tests: &[(&'t str, u64)], is_unit| {
        let names: Vec<&str> = tests.iter().map(|(name, _)| *name).collect();
        let ms = tests.iter().map(|(_, ms)| ms).sum();
        (!names.is_empty()).then(|| Run { names, is_unit, fixtures: Vec::new(), ms })
    };
    let of_fixtures = |names: &[&'static str], tests: &[(&'t str, u64)]| -> Vec<Run<'t>> {
        let chunks = tests.chunks(FIXTURES_AT_ONCE).map(|some| Run {
            names: names.to_vec(),
            is_unit: false,
            fixtures: some.iter().map(|(name, _)| *name).collect(),
            ms: some.iter().map(|(_, ms)| ms).sum(),
        });
        chunks.collect()
    };
    let mut runs = of_fixtures(&[SAID], &own);
    runs.extend(of_names(&unit, true));
    runs.extend(of_fixtures(&[SAID], &others));
    let (slow, quick): (Vec<_>, Vec<_>) = outside.into_iter().partition(|(name, _)| quick::is_slow(name));
    runs.extend(of_names(&quick, false));
    if with_slow {
        runs.extend(of_fixtures(&PROMISES, &fixtures));
        runs.extend(of_names(&slow, false));
    }
    runs
}

/// Whether a run fails with a mutation: a test fails, or it takes too much time or memory.
fn fails(run: &Run<'_>, mutant: &Mutant, programs: &Programs, folder: &Path) -> Result<bool> {
    let program = if run.is_unit { &programs.unit } else { &programs.outside };
    let tests = quick::command(program, folder, &run.names);
    let seconds = PATIENCE + SLOWER * run.ms / 1000;
    // The limits of a process can't be set without unsafe code; a shell can. Where one is unknown it does not hold.
    let limits = format!("ulimit -t {seconds}; ulimit -v {MEMORY}; ulimit -c 0; exec \"$0\" \"$@\"");
    let mut limited = Command::new("sh");
    limited.args(["-c", &limits]).arg(tests.get_program()).args(tests.get_args());
    quick::settle(&mut limited, folder);
    limited.env("MUTATION", mutant.number.to_string());
    if !run.fixtures.is_empty() {
        limited.env(FIXTURES, run.fixtures.join(","));
    }
    let status = limited.status().context("sh could not be started")?;
    Ok(!status.success())
}
