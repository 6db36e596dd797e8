//! The quick tests, and which mutations each of them reaches: a mutation is tried with those alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::build::Programs;
use super::work::each;

/// Tests from outside that are not run: they read real pages, start a browser, look at all fixtures together, or feed
/// megabytes.
const PASSED_OVER: [&str; 5] = ["browser::", "corpus::", "hostile::", "fixtures::every_check_fails", "real_page"];
/// Tests from outside that go through all fixtures, or make up pages: for what no other test notices.
const SLOW: [&str; 11] = [
    "discovery::any_answers_are_judged",
    "invented::",
    "patch::patches_of_small_pages",
    "properties::",
    "report::a_page_cut_anywhere",
    "report::a_report_stays_within",
    "report::hostile_markup",
    "standing::a_part_leads_nothing",
    "standing::findings_stand_by_severity",
    "standing::the_fixes_towards",
    "standing::the_path_names",
];
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
/// Where fixtures are.
const CHECKS: &str = "crates/audit/src/checks";
/// Tests of the parser that are run: those of what is mutated of it.
const OF_PARSER: &str = "again::";

/// A test that is run by itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Test {
    /// A unit test, by its path.
    Unit(String),
    /// A test from outside, by its path.
    Outside(String),
    /// A fixture, by its path below the checks.
    Fixture(String),
    /// A test of the parser, by its path.
    Parser(String),
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

/// A command that runs tests of a program, one after another, with what they print thrown away.
pub(crate) fn command(program: &Path, folder: &Path, names: &[&str]) -> Command {
    let mut command = Command::new(program);
    settle(&mut command, folder);
    command.args(names).args(["--exact", "--test-threads", "1"]);
    command
}

/// Sets what every test program of the copy runs with: no real pages, no browser.
pub(crate) fn settle(command: &mut Command, folder: &Path) {
    command
        .current_dir(folder.join("crates/audit"))
        .env("SITE_AUDIT_SHARED", folder.join("no-real-pages"))
        .env("SITE_AUDIT_TEST_CHROMIUM", "")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
}

/// Whether a test from outside takes long.
pub(crate) fn is_slow(name: &str) -> bool {
    SLOW.iter().any(|part| name.starts_with(part))
}

/// What each test reaches, from a run of each by itself; slow ones only where `with_slow`. `stored` has the last such run,
/// and is written again; a test is run again if its program, its fixture or what the fixture says has changed.
pub(crate) fn reaches(programs: &Programs, folder: &Path, stored: &Path, with_slow: bool) -> Result<Vec<Reach>> {
    let known = read(stored);
    let tests = tests(programs, folder, with_slow)?;
    let mut stamps = Vec::new();
    for test in tests {
        stamps.push((stamp(&test, programs, folder)?, test));
    }
    let missing: Vec<&(String, Test)> = stamps.iter().filter(|(stamp, _)| !known.contains_key(stamp)).collect();
    println!("{} tests; {} are run to see what they reach", stamps.len(), missing.len());
    let made = each(&missing, |worker, (stamp, test)| {
        // What a test that failed has left.
        let _ = std::fs::remove_file(stored.with_extension(format!("{worker}")));
        let reach = reach(test, programs, folder, &stored.with_extension(format!("{worker}")))?;
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

fn tests(programs: &Programs, folder: &Path, with_slow: bool) -> Result<Vec<Test>> {
    let mut tests: Vec<Test> = names(&programs.unit, folder)?.into_iter().map(Test::Unit).collect();
    let is_quick = |name: &String| {
        PASSED_OVER.iter().all(|part| !name.contains(part))
            && (with_slow || !is_slow(name))
            && name != SAID
            && !PROMISES.contains(&name.as_str())
    };
    tests.extend(names(&programs.outside, folder)?.into_iter().filter(is_quick).map(Test::Outside));
    tests.extend(fixtures(folder)?.into_iter().map(Test::Fixture));
    let is_of_parser = |name: &String| name.starts_with(OF_PARSER) && is_quick(name);
    tests.extend(names(&programs.parser, folder)?.into_iter().filter(is_of_parser).map(Test::Parser));
    Ok(tests)
}

fn names(program: &Path, folder: &Path) -> Result<Vec<String>> {
    let mut command = Command::new(program);
    settle(&mut command, folder);
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
fn stamp(test: &Test, programs: &Programs, folder: &Path) -> Result<String> {
    let made = |program: &PathBuf| -> Result<String> { Ok(format!("{:?}", program.metadata()?.modified()?)) };
    Ok(match test {
        Test::Unit(name) => format!("unit {name} {}", made(&programs.unit)?),
        Test::Outside(name) => format!("outside {name} {}", made(&programs.outside)?),
        Test::Parser(name) => format!("parser {name} {}", made(&programs.parser)?),
        Test::Fixture(name) => {
            let path = folder.join(CHECKS).join(name);
            let said = std::fs::read(path.with_extension("snap")).unwrap_or_default();
            let content = [std::fs::read(&path).with_context(|| path.display().to_string())?, said].concat();
            let digest = super::work::digest(&content);
            format!("fixture {name} {digest} {}", made(&programs.outside)?)
        }
    })
}

/// The numbers that a test reaches, and its milliseconds; `None` where it fails.
fn reach(test: &Test, programs: &Programs, folder: &Path, file: &Path) -> Result<Option<(BTreeSet<u32>, u64)>> {
    let mut run = match test {
        Test::Unit(name) => command(&programs.unit, folder, &[name]),
        Test::Outside(name) => command(&programs.outside, folder, &[name]),
        Test::Parser(name) => command(&programs.parser, folder, &[name]),
        Test::Fixture(name) => {
            let mut run = command(&programs.outside, folder, &[SAID]);
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
