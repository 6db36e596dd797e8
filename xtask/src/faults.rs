//! The faults of `docs/reliability.md`, made on purpose and counted.
//!
//! Each fault is a set of tests. Those that count their own runs print a line of them, and take the number and the seed from
//! the environment; any other test is one run, and is run again as often as was asked for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::command::has;
use crate::packages::install;
use crate::postgres;

/// Debian's packages, the program that each brings, and what the faults need it for.
const PACKAGES: &[(&str, &str, &str)] = &[
    ("strace", "strace", "the failing of system calls"),
    ("haproxy", "haproxy", "servers behind one address"),
    ("iproute2", "ip", "a server without a way out"),
];

/// A test program: package and target.
type Target = (&'static str, &'static [&'static str]);

const PROGRAM: Target = ("site-audit", &["--test", "it"]);
const STORE: Target = ("store", &["--test", "it"]);
const STORE_INSIDE: Target = ("store", &["--lib"]);
const FETCH: Target = ("fetch", &["--test", "it"]);
const LAB: Target = ("lab", &["--test", "it"]);

/// What some names of a fault's tests begin with or contain, in a test program.
type Tests = (Target, &'static [&'static str]);

/// Fault, what it is, its tests.
type Fault = (&'static str, &'static str, &'static [Tests]);

const FAULTS: &[Fault] = &[
    (
        "F01",
        "kill -9 under load",
        &[
            (
                PROGRAM,
                &[
                    "f01_",
                    "payments::kills::",
                    "webhook_kills::",
                    "a_message_survives_a_kill",
                    "servers_behind_one_address",
                ],
            ),
            (STORE, &["a_killed_process_loses_nothing"]),
        ],
    ),
    ("F02", "kill at a named point", &[(PROGRAM, &["f02_", "killed_at_any_arrow"])]),
    ("F03", "loss of power", &[(STORE, &["f03_", "opening::"])]),
    ("F04", "the n-th read, write or flush fails", &[(PROGRAM, &["f04_"])]),
    ("F05", "disk full, read-only", &[(PROGRAM, &["f05_", "a_log_that_can_not_be_written"])]),
    (
        "F06",
        "PostgreSQL stopped, crashed, frozen, cut, failed over",
        &[(
            PROGRAM,
            &["f06_", "a_silent_database", "a_settlement_is_kept_while", "what_is_counted_while_the_database_is_away"],
        )],
    ),
    ("F07", "locked by another process", &[(PROGRAM, &["f07_"]), (STORE, &["a_foreign_lock"])]),
    (
        "F08",
        "payment facilitator fails",
        &[(
            PROGRAM,
            &["payments::by_x402::", "payments::facilitators::", "payments::settling::", "payments::second_payment::"],
        )],
    ),
    ("F09", "mail server fails", &[(PROGRAM, &["mail_server", "mail_that_is_refused", "a_server_that_hangs_up"])]),
    (
        "F10",
        "lab provider fails",
        &[(PROGRAM, &["trouble_is_tried_twice", "a_quota_is_waited_for", "a_bad_key_refuses"]), (LAB, &["endings::"])],
    ),
    (
        "F11",
        "two servers run the same watches",
        &[(PROGRAM, &["watch_servers::", "two_servers_run_a_slot_once"]), (STORE, &["a_job_whose_holder_slept"])],
    ),
    ("F12", "restart during a lab test or a site run", &[(PROGRAM, &["lab_kills::", "site_kills::"])]),
    (
        "F13",
        "clock set wrong",
        &[
            (PROGRAM, &["f13_", "a_server_whose_clock_is_wrong", "a_clock_that_was_set"]),
            (STORE, &["a_clock_set_back"]),
        ],
    ),
    (
        "F14",
        "stop under load",
        &[(PROGRAM, &["stopping_lets_running_calls_end", "a_stop_waits_for_a_payment", "a_server_that_stops_writes"])],
    ),
    ("F15", "two versions at once, and a rollback", &[(PROGRAM, &["f15_"]), (STORE_INSIDE, &["migrations::"])]),
    ("F16", "memory limit", &[(PROGRAM, &["f16_", "the_memory_of_many_sign_ins"]), (FETCH, &["z01_z02_z06"])]),
    (
        "F17",
        "no file descriptors, no threads, no DNS",
        &[(PROGRAM, &["f17_", "without_file_descriptors"]), (FETCH, &["d06_a_silent_resolver"])],
    ),
    ("F18", "outbound network gone", &[(PROGRAM, &["f18_"]), (FETCH, &["t01_"])]),
    (
        "F19",
        "damaged database",
        &[(STORE, &["f19_", "a_damaged_sqlite_file", "a_damaged_body"]), (STORE_INSIDE, &["what_is_no_backup"])],
    ),
    (
        "F20",
        "backup under load, restore",
        &[(PROGRAM, &["f20_", "what_was_acknowledged_before_a_backup"]), (STORE_INSIDE, &["a_database_comes_back"])],
    ),
    (
        "F21",
        "many at once for the last one",
        &[
            (PROGRAM, &["of_twenty_calls_at_once", "of_two_accounts_that_claim_twenty_times", "f21_"]),
            (STORE, &["fifty_callers_share", "sixty_four_debits", "limits_hold_however_many", "in_any_order_"]),
        ],
    ),
    (
        "F22",
        "slow and half-open clients",
        &[(
            PROGRAM,
            &["f22_", "l02_slow_callers", "slow_bodies_keep_nobody", "a_network_has_so_many", "health_is_told"],
        )],
    ),
];

/// What was asked for.
struct Wanted {
    faults: Vec<&'static Fault>,
    /// `None`: as often as each test does by itself.
    runs: Option<u64>,
    seed: u64,
}

impl Wanted {
    fn of(arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut wanted = Self { faults: Vec::new(), runs: None, seed: 0x5eed };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut number = || arguments.next().context("a number is missing")?.parse().context("no number");
            match argument.as_str() {
                "--runs" => wanted.runs = Some(number()?),
                "--seed" => wanted.seed = number()?,
                id => wanted.faults.push(FAULTS.iter().find(|fault| fault.0.eq_ignore_ascii_case(id)).with_context(
                    || format!("usage: cargo xtask faults [F01 …] [--runs N] [--seed S]; no fault {id}"),
                )?),
            }
        }
        if wanted.faults.is_empty() {
            wanted.faults.extend(FAULTS);
        }
        Ok(wanted)
    }
}

/// What came of a fault on a database.
#[derive(Default)]
struct Tally {
    runs: u64,
    violations: u64,
}

/// Makes the faults that were named, or all of them.
pub(crate) fn faults(root: &Path, arguments: impl Iterator<Item = String>) -> Result<()> {
    let wanted = Wanted::of(arguments)?;
    install_for_tests(root)?;
    let database = postgres::start(root)?;
    let mut environment = vec![
        ("SITE_AUDIT_TEST_POSTGRES", database.url()),
        ("SITE_AUDIT_TEST_REQUIRE_POSTGRES", "1".to_owned()),
        ("SITE_AUDIT_TEST_SEED", wanted.seed.to_string()),
    ];
    environment.extend(wanted.runs.map(|runs| ("SITE_AUDIT_TEST_RUNS", runs.to_string())));

    let mut programs: BTreeMap<Target, PathBuf> = BTreeMap::new();
    let mut results: Vec<(&Fault, &str, Tally)> = Vec::new();
    let mut failed = false;
    for fault in wanted.faults {
        let begun = Instant::now();
        let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
        for (target, names) in fault.2 {
            let program = match programs.get(target) {
                Some(program) => program.clone(),
                None => {
                    let program = build(root, *target)?;
                    programs.insert(*target, program.clone());
                    program
                }
            };
            // A whole path beside each other test: what only contains the name is meant too.
            let mut listed: BTreeSet<String> = BTreeSet::new();
            for name in *names {
                let found = tests(&program, name)?;
                if found.is_empty() {
                    bail!("{}: no test has {name} in its name", fault.0);
                }
                listed.extend(found);
            }
            for test in listed {
                failed |= !run(root, target, &program, &test, wanted.runs, &environment, &mut tallies)?;
            }
        }
        println!("{} took {:.0?}", fault.0, begun.elapsed());
        results.extend(tallies.into_iter().map(|(database, tally)| (fault, database, tally)));
    }
    println!("\nseed {}\nfault  database      runs  violations  upper bound at 95%", wanted.seed);
    for (fault, database, tally) in results {
        println!(
            "{:<6} {database:<11} {:>6}  {:>10}  {:>18}  {}",
            fault.0,
            tally.runs,
            tally.violations,
            upper_bound(&tally),
            fault.1
        );
    }
    if failed { bail!("a promise was broken: see above") } else { Ok(()) }
}

/// Installs what tests of faults need beside the database; `cargo xtask test` does it too.
pub(crate) fn install_for_tests(root: &Path) -> Result<()> {
    for (package, program, what) in PACKAGES {
        // HAProxy knows no long options.
        if !has(program, &["-V"]) && !has(program, &["-v"]) {
            install(root, package, what)?;
        }
    }
    Ok(())
}

/// Builds a test program; where it is.
fn build(root: &Path, (package, target): Target) -> Result<PathBuf> {
    let arguments = [&["test", "--locked", "--no-run", "--message-format=json", "--package", package], target].concat();
    println!("$ cargo {}", arguments.join(" "));
    let output = Command::new("cargo").args(&arguments).current_dir(root).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        bail!("the tests of {package} could not be built");
    }
    let built = String::from_utf8(output.stdout)?;
    built
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message.pointer("/profile/test").is_some_and(|test| *test == true))
        .find_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?)))
        .with_context(|| format!("cargo names no test program of {package}"))
}

/// The names of tests that contain `name`.
fn tests(program: &Path, name: &str) -> Result<Vec<String>> {
    let output = Command::new(program).args(["--list", "--format=terse", name]).output()?;
    let listed = String::from_utf8(output.stdout)?;
    Ok(listed.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
}

/// Runs one test as often as is wanted and adds up what it says; whether it held.
fn run(
    root: &Path,
    (package, _): &Target,
    program: &Path,
    test: &str,
    runs: Option<u64>,
    environment: &[(&str, String)],
    tallies: &mut BTreeMap<&str, Tally>,
) -> Result<bool> {
    let folder =
        if *package == "site-audit" { root.join("crates/site-audit") } else { root.join("crates").join(package) };
    let usual = if test.contains("on_postgres") {
        "PostgreSQL"
    } else if test.contains("on_sqlite") {
        "SQLite"
    } else {
        "either"
    };
    for _ in 0..runs.unwrap_or(1) {
        let output = Command::new(program)
            .args(["--exact", "--nocapture", test])
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .current_dir(&folder)
            .output()?;
        let said = String::from_utf8_lossy(&output.stdout);
        let counted: Vec<(&str, u64)> = said.lines().filter_map(counted).collect();
        if !output.status.success() {
            println!("{said}{}\n{test} failed", String::from_utf8_lossy(&output.stderr));
            let tally =
                tallies.entry(counted.first().map_or(usual, |(database, _)| database_name(database))).or_default();
            tally.runs += 1;
            tally.violations += 1;
            return Ok(false);
        }
        for line in said
            .lines()
            .filter(|line| line.starts_with("not run") || line.contains(" violations") || line.starts_with('F'))
        {
            println!("{line}");
        }
        if said.contains("\nnot run") {
            return Ok(true);
        }
        for (database, runs) in &counted {
            tallies.entry(database_name(database)).or_default().runs += runs;
        }
        // It has made all runs by itself.
        if !counted.is_empty() {
            return Ok(true);
        }
        tallies.entry(usual).or_default().runs += 1;
    }
    Ok(true)
}

/// Database and runs of a line as `F01 on SQLite: 20 runs, 0 violations, seed 24301; …`.
fn counted(line: &str) -> Option<(&str, u64)> {
    let (head, runs) = line.split_once(" runs, 0 violations")?.0.split_once(": ")?;
    Some((head.rsplit_once(" on ")?.1, runs.parse().ok()?))
}

fn database_name(name: &str) -> &'static str {
    match name {
        "SQLite" => "SQLite",
        "PostgreSQL" => "PostgreSQL",
        _ => "either",
    }
}

/// 3/n where there was no violation; else there is no bound to speak of.
fn upper_bound(tally: &Tally) -> String {
    match tally {
        Tally { violations: 0, runs } if *runs > 0 => format!("{:.3}%", 300.0 / *runs as f64),
        _ => "-".to_owned(),
    }
}
