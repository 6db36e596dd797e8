//! Loss of power, on SQLite: what the system was told to write and never to flush may be lost, whole or in part.
//!
//! strace records every write, truncation and flush of a store at work, with its bytes. From that record the files are made
//! as a disk may have them after a loss of power at any moment: what was flushed by then is there, and of what came later
//! each sector of 512 bytes is there or not, as the dice fall. The store opens such files, finds them whole, and has every
//! audit that was acknowledged before that moment.
#![expect(clippy::print_stdout, reason = "a fault says how often it was made, and what it found")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::{Connection as _, Executor as _, Row as _};
use store::Store;
use testkit::TestDatabase;
use testkit::faults::{Dice, runs, tell};

use crate::durability::VICTIM;

/// Losses of power where the environment says nothing.
const USUAL: usize = 25;
/// Acknowledged audits in the record: enough for the log to be checkpointed into the file some times.
const ACKNOWLEDGED: usize = 1_500;
/// Bytes that a disk writes whole or not at all.
const SECTOR: usize = 512;

/// A recorded call, with its begin and end in seconds since 1970.
#[derive(Debug)]
struct Recorded {
    file: String,
    begin: f64,
    end: f64,
    call: FileCall,
}

#[derive(Debug)]
enum FileCall {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate(usize),
    Flush,
}

#[tokio::test(flavor = "multi_thread")]
async fn f03_whenever_power_is_lost_what_was_acknowledged_is_there() {
    let (runs, mut dice) = (runs(USUAL), Dice::new());
    let database = TestDatabase::sqlite();
    let path = PathBuf::from(database.url().strip_prefix("sqlite://").unwrap());
    let trace = tempfile::tempdir().unwrap();
    let Some(acknowledged) = record(&database, &path, trace.path()) else { return };
    let calls = read_trace(trace.path());
    assert!(calls.iter().any(|call| !call.file.ends_with("-wal") && matches!(call.call, FileCall::Write { .. })));
    let mut checked = 0;
    for run in 0..runs {
        let moment = calls[1 + dice.place(calls.len() - 1)].begin;
        let folder = tempfile::tempdir().unwrap();
        for (name, bytes) in after_loss(&calls, moment, &mut dice) {
            let name = Path::new(&name).file_name().unwrap();
            std::fs::write(folder.path().join(name), bytes).unwrap();
        }
        let url = format!("sqlite://{}", folder.path().join(path.file_name().unwrap()).display());
        let store = Store::open(&url).await.unwrap_or_else(|error| panic!("run {run} at {moment}: {error:?}"));
        let mut connection = sqlx::AnyConnection::connect(&url).await.unwrap();
        let verdict: String = connection.fetch_one("PRAGMA integrity_check").await.unwrap().get(0);
        assert_eq!(verdict, "ok", "run {run} at {moment}");
        let rows = connection.fetch_all("SELECT id FROM audits").await.unwrap();
        let there: BTreeSet<String> = rows.iter().map(|row| row.get(0)).collect();
        for (time, id) in acknowledged.iter().filter(|(time, _)| *time < moment) {
            assert!(there.contains(id), "run {run}: {id}, acknowledged at {time}, is gone at {moment}");
            checked += 1;
        }
        connection.close().await.unwrap();
        store.close().await;
    }
    let more = format!("{} recorded calls, {checked} acknowledged audits found", calls.len());
    tell("F03", database.system(), runs, &dice, &more);
}

/// Has a store write until it has acknowledged enough, recorded by strace; when each was acknowledged. `None`, with a line
/// printed, where strace is not here.
fn record(database: &TestDatabase, path: &Path, trace: &Path) -> Option<Vec<(f64, String)>> {
    let log = format!("{}-wal", path.display());
    let victim = Command::new("strace")
        .args(["-ff", "-qq", "-ttt", "-T", "-y", "-xx", "-s", "1000000", "-e", "signal=none"])
        .args(["-e", "trace=pwrite64,write,ftruncate,fsync,fdatasync", "-P"])
        .arg(path)
        .args(["-P", &log, "-o"])
        .arg(trace.join("calls"))
        .arg(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "durability::write_until_killed"])
        .env(VICTIM, database.url())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut victim) = victim else {
        println!("not run: strace is not here");
        return None;
    };
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines().map(Result::unwrap);
    let acknowledged: Vec<(f64, String)> =
        lines.filter_map(|line| Some((now(), line.split_once("kept ")?.1.to_owned()))).take(ACKNOWLEDGED).collect();
    // Its pipe is closed, so that it ends by itself, and strace with it.
    victim.wait().unwrap();
    assert_eq!(acknowledged.len(), ACKNOWLEDGED);
    Some(acknowledged)
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

/// The calls of all threads, in order.
fn read_trace(folder: &Path) -> Vec<Recorded> {
    let mut calls = Vec::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let lines = BufReader::new(std::fs::File::open(file.unwrap().path()).unwrap()).lines();
        calls.extend(lines.filter_map(|line| recorded(&line.unwrap())));
    }
    calls.sort_by(|a, b| a.begin.total_cmp(&b.begin));
    calls
}

/// A line as `1700000000.000001 pwrite64(12<\x2f…>, "\x00…", 4096, 8192) = 4096 <0.000010>`.
fn recorded(line: &str) -> Option<Recorded> {
    let (time, call) = line.split_once(' ')?;
    let begin: f64 = time.parse().ok()?;
    let (name, arguments) = call.split_once('(')?;
    let (arguments, result) = arguments.rsplit_once(") = ")?;
    let (done, lasted) = result.split_once(" <")?;
    if done == "?" {
        // The process ended in this call: nothing came after it, and no one was told of it.
        return None;
    }
    let end = begin + lasted.trim_end_matches('>').parse::<f64>().ok()?;
    let (file, rest) = arguments.split_once('<')?.1.split_once('>')?;
    let file = String::from_utf8(from_hex(file)).unwrap();
    let call = match name {
        "pwrite64" => {
            let mut fields = rest.trim_start_matches(", ").split(", ");
            let bytes = from_hex(fields.next()?.trim_matches('"'));
            let (length, offset): (usize, usize) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
            assert_eq!((bytes.len(), done.parse()), (length, Ok(length)), "{name} was recorded in part");
            FileCall::Write { offset, bytes }
        }
        "ftruncate" => FileCall::Truncate(rest.trim_start_matches(", ").parse().ok()?),
        "fsync" | "fdatasync" => FileCall::Flush,
        _ => panic!("SQLite has called {name}"),
    };
    Some(Recorded { file, begin, end, call })
}

/// The bytes of `\x2f\x64…`.
fn from_hex(text: &str) -> Vec<u8> {
    text.split("\\x").skip(1).map(|digits| u8::from_str_radix(&digits[..2], 16).unwrap()).collect()
}

/// The files as a disk may have them when power is lost at a moment. The record is in order, since one thread writes.
fn after_loss(calls: &[Recorded], moment: f64, dice: &mut Dice) -> BTreeMap<String, Vec<u8>> {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (number, recorded) in calls.iter().enumerate().take_while(|(_, call)| call.begin < moment) {
        let flushed = |flush: &Recorded| {
            flush.file == recorded.file && matches!(flush.call, FileCall::Flush) && flush.end <= moment
        };
        let is_durable = calls[number..].iter().take_while(|call| call.begin < moment).any(flushed);
        let file = files.entry(recorded.file.clone()).or_default();
        match &recorded.call {
            FileCall::Write { offset, bytes } => {
                for (place, sector) in (*offset..).step_by(SECTOR).zip(bytes.chunks(SECTOR)) {
                    if is_durable || dice.below(2) == 0 {
                        let end = place + sector.len();
                        file.resize(file.len().max(end), 0);
                        file[place..end].copy_from_slice(sector);
                    }
                }
            }
            FileCall::Truncate(length) if is_durable || dice.below(2) == 0 => file.resize(*length, 0),
            FileCall::Truncate(_) | FileCall::Flush => {}
        }
    }
    files
}
