//! The quick tests, and which mutations each of them reaches: a mutation is tried with those alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::group::{Group, TestProgram};
use super::work::each;

/// What a fixture must hold: first what is said of it, then the promises of its patch.
pub(crate) const SAID: &str = "fixtures::fixtures_say_what_is_stored_and_good_ones_have_no_finding";
/// The promises.
pub(crate) const PROMISES: [&str; 3] = [
    "fixtures::patches_of_fixtures_hold_their_promise",
    "fixtures::a_template_has_something_to_fill_in_or_to_confirm_and_nothing_else_has",
    "fixtures::each_fix_of_a_fixture_holds_its_promise_alone",
];
/// The variable that says which fixtures are looked at.
pub(crate) const FIXTURES: &str = "SITE_AUDIT_TEST_FIXTURES";
/// Seconds that a test may take without any mutation.
const REACH_SECONDS: u64 = 60;
/// Late tests that run at once.
const LATE_AT_ONCE: &str = "4";
/// Address space of a run, in KiB: a mutation that fills the memory fails.
pub(crate) const MEMORY: u64 = 3 * 1024 * 1024;
/// Where fixtures are.
const CHECKS: &str = "crates/audit/src/checks";

/// A test that is run by itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Test {
    /// A test of the program at this place in the group, by its path.
    Named(usize, String),
    /// A fixture, by its path below the checks.
    Fixture(String),
}

/// A test with what it does to mutations.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// Which test.
    pub(crate) test: Test,
    /// Numbers of the mutations whose place it comes to.
    pub(crate) numbers: BTreeSet<u32>,
    /// Milliseconds that it took.
    pub(crate) ms: u64,
}

/// The test programs of a copy.
#[derive(Debug)]
pub(crate) struct Programs<'g> {
    /// What they are of.
    pub(crate) group: &'g Group,
    /// Where each is, by its place in the group; late ones only where they are wanted.
    pub(crate) paths: BTreeMap<usize, PathBuf>,
    /// Root of the copy.
    pub(crate) folder: PathBuf,
}

impl Programs<'_> {
    /// Each with its number and where it is.
    fn each(&self) -> impl Iterator<Item = (usize, &'static TestProgram, &Path)> {
        let programs = self.group.programs(true);
        programs.filter_map(|(at, program)| Some((at, program, self.paths.get(&at)?.as_path())))
    }

    /// The one at a place.
    fn at(&self, at: usize) -> Result<(&'static TestProgram, &Path)> {
        let found = self.each().find(|(number, ..)| *number == at).map(|(_, of, path)| (of, path));
        found.with_context(|| format!("there is no test program {at}"))
    }

    /// The one that fixtures are tests of.
    pub(crate) fn of_fixtures(&self) -> usize {
        self.group.programs.len().saturating_sub(1)
    }

    /// A command that runs tests of one, with what they print thrown away: one after another, but late ones, which wait for
    /// others most of their time, a few at once.
    pub(crate) fn command(&self, at: usize, names: &[&str]) -> Result<Command> {
        let (program, path) = self.at(at)?;
        let mut command = Command::new(path);
        settle(&mut command, &self.folder, program);
        command.args(names).args(["--exact", "--test-threads", if program.is_late { LATE_AT_ONCE } else { "1" }]);
        Ok(command)
    }

    /// The same within limits: seconds of the processor, and twice as many on the clock; address space. A process can't set them
    /// without unsafe code; a shell can. Where one is unknown it does not hold.
    pub(crate) fn limited(&self, at: usize, names: &[&str], seconds: u64, kib: u64) -> Result<Command> {
        let (program, _) = self.at(at)?;
        let tests = self.command(at, names)?;
        let clock = 2 * seconds;
        let limits =
            format!("ulimit -t {seconds}; ulimit -v {kib}; ulimit -c 0; exec timeout -s KILL {clock} \"$0\" \"$@\"");
        let mut limited = Command::new("sh");
        limited.args(["-c", &limits]).arg(tests.get_program()).args(tests.get_args());
        settle(&mut limited, &self.folder, program);
        Ok(limited)
    }

    /// Whether tests of it are run after all others.
    pub(crate) fn is_late(&self, at: usize) -> bool {
        self.group.programs.get(at).is_some_and(|program| program.is_late)
    }

    /// Whether it holds unit tests.
    pub(crate) fn is_unit(&self, at: usize) -> bool {
        self.group.programs.get(at).is_some_and(|program| program.is_unit)
    }

    /// Whether a test takes long.
    pub(crate) fn is_slow(&self, at: usize, name: &str) -> bool {
        self.group.programs.get(at).is_some_and(|program| begins(name, program.slow))
    }
}

fn begins(name: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| name.starts_with(part))
}

/// Sets what every test program runs with: no real pages, no browser, no other database than SQLite.
fn settle(command: &mut Command, folder: &Path, program: &TestProgram) {
    command
        .current_dir(folder.join("crates").join(program.package))
        .env("SITE_AUDIT_SHARED", folder.join("no-real-pages"))
        .env("SITE_AUDIT_TEST_CHROMIUM", "")
        .env("RUST_BACKTRACE", "0")
        .env_remove("SITE_AUDIT_TEST_POSTGRES")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
}

/// What each test reaches, from a run of each by itself; slow ones only where they are wanted. `stored` has the last such run,
/// and is written again; a test is run again if its program, its fixture or what the fixture says has changed.
pub(crate) fn reaches(programs: &Programs<'_>, stored: &Path, with_slow: bool) -> Result<Vec<Reach>> {
    let known = read(stored);
    let tests = tests(programs, with_slow)?;
    let mut stamps = Vec::new();
    for test in tests {
        stamps.push((stamp(&test, programs)?, test));
    }
    let missing: Vec<&(String, Test)> = stamps.iter().filter(|(stamp, _)| !known.contains_key(stamp)).collect();
    println!("{} tests; {} are run to see what they reach", stamps.len(), missing.len());
    let made = each(&missing, |worker, (stamp, test)| {
        // What a test that failed has left.
        let _ = std::fs::remove_file(stored.with_extension(format!("{worker}")));
        let reach = reach(test, programs, &stored.with_extension(format!("{worker}")))?;
        if reach.is_none() {
            println!("  {test:?} fails without any mutation, and is passed over");
        }
        Ok(reach.map(|reach| (stamp.clone(), reach)))
    })?;
    let mut known = known;
    known.extend(made.into_iter().flatten());
    let line = |(stamp, (numbers, ms)): (&String, &(BTreeSet<u32>, u64))| {
        format!("{}\n", json!({"stamp": stamp, "numbers": numbers, "ms": ms}))
    };
    let lines: String = known.iter().map(line).collect();
    let all = stamps.into_iter().filter_map(|(stamp, test)| {
        let (numbers, ms) = known.get(&stamp).cloned()?;
        Some(Reach { test, numbers, ms })
    });
    let all = all.collect();
    std::fs::write(stored, lines).with_context(|| stored.display().to_string())?;
    Ok(all)
}

fn tests(programs: &Programs<'_>, with_slow: bool) -> Result<Vec<Test>> {
    let mut tests = Vec::new();
    for (at, program, path) in programs.each() {
        let is_wanted = |name: &String| {
            (program.only.is_empty() || begins(name, program.only))
                && program.never.iter().all(|part| !name.contains(part))
                && (with_slow || !begins(name, program.slow))
                && name != SAID
                && !PROMISES.contains(&name.as_str())
        };
        let names = names(program, path, &programs.folder)?;
        tests.extend(names.into_iter().filter(is_wanted).map(|name| Test::Named(at, name)));
    }
    if programs.group.with_fixtures {
        tests.extend(fixtures(&programs.folder)?.into_iter().map(Test::Fixture));
    }
    Ok(tests)
}

fn names(program: &TestProgram, path: &Path, folder: &Path) -> Result<Vec<String>> {
    let mut command = Command::new(path);
    settle(&mut command, folder, program);
    let output = command.args(["--list", "--format", "terse"]).stdout(Stdio::piped()).output()?;
    let text = String::from_utf8(output.stdout).context("names of tests")?;
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// Paths of all fixtures below the checks.
fn fixtures(folder: &Path) -> Result<Vec<String>> {
    let checks = folder.join(CHECKS);
    let (mut found, mut folders) = (Vec::new(), vec![checks.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html" || extension == "http") {
                found.push(path.strip_prefix(&checks)?.display().to_string());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What a recorded reach depends on.
fn stamp(test: &Test, programs: &Programs<'_>) -> Result<String> {
    let made = |at: usize| -> Result<String> { Ok(format!("{:?}", programs.at(at)?.1.metadata()?.modified()?)) };
    Ok(match test {
        Test::Named(at, name) => format!("{at} {name} {}", made(*at)?),
        Test::Fixture(name) => {
            let path = programs.folder.join(CHECKS).join(name);
            let said = std::fs::read(path.with_extension("snap")).unwrap_or_default();
            let content = [std::fs::read(&path).with_context(|| path.display().to_string())?, said].concat();
            let digest = super::work::digest(&content);
            format!("fixture {name} {digest} {}", made(programs.of_fixtures())?)
        }
    })
}

/// The numbers that a test reaches, and its milliseconds; `None` where it fails.
fn reach(test: &Test, programs: &Programs<'_>, file: &Path) -> Result<Option<(BTreeSet<u32>, u64)>> {
    let mut run = match test {
        Test::Named(at, name) => programs.limited(*at, &[name], REACH_SECONDS, MEMORY)?,
        Test::Fixture(name) => {
            let mut run = programs.limited(programs.of_fixtures(), &[SAID], REACH_SECONDS, MEMORY)?;
            run.env(FIXTURES, name);
            run
        }
    };
    let started = Instant::now();
    let status = run.env("MUTATIONS_REACHED", file).status().context("a test program could not be started")?;
    if !status.success() {
        return Ok(None);
    }
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    // A test that reaches no mutation makes no file.
    let lines = std::fs::read_to_string(file).unwrap_or_default();
    let _ = std::fs::remove_file(file);
    Ok(Some((lines.lines().filter_map(|line| line.parse().ok()).collect(), ms)))
}

/// The reaches of an earlier run, by stamp.
fn read(stored: &Path) -> BTreeMap<String, (BTreeSet<u32>, u64)> {
    let text = std::fs::read_to_string(stored).unwrap_or_default();
    let of_line = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        let numbers = value.get("numbers")?.as_array()?;
        let numbers = numbers.iter().filter_map(|number| u32::try_from(number.as_u64()?).ok()).collect();
        Some((value.get("stamp")?.as_str()?.to_owned(), (numbers, value.get("ms")?.as_u64()?)))
    };
    text.lines().filter_map(of_line).collect()
}
