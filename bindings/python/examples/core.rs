//! The program's own core beside the package: audits the pages of a made folder without Python and Arrow. `cargo xtask distributed` runs it.
//!
//! `core rows INDEX AT ROWS` writes what it finds on each page, a line of JSON each. `core costs INDEX AT ROUNDS MOST` audits the
//! first pages again and again, without and with proven fixes. Both print microseconds of CPU time for each page.
#![expect(clippy::print_stdout, reason = "a measurement talks to who started it")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use audit::supplied::{Supplied, page_headers, page_status, page_url};
use model::capture::Capture;
use model::finding::{Finding, Severity};
use model::report::Report;
use model::time::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

/// Whatever went wrong: it ends the measurement.
type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// How it is called.
const USAGE: &str = "usage: core rows INDEX AT ROWS | core costs INDEX AT ROUNDS MOST";

/// A page of the folder, as its index has it.
#[derive(Debug, Deserialize)]
struct IndexedPage {
    url: String,
    /// Name of the file of its HTML, beside the index.
    file: PathBuf,
    status: i64,
    /// Response headers, where they are known.
    headers: Option<Vec<(String, String)>>,
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["rows", index, at, rows] => rows_of(Path::new(index), Timestamp(at.parse()?), Path::new(rows)),
        ["costs", index, at, rounds, most] => {
            costs(Path::new(index), Timestamp(at.parse()?), rounds.parse()?, most.parse()?)
        }
        _ => Err(USAGE.into()),
    }
}

/// Writes the row of each page.
fn rows_of(index: &Path, at: Timestamp, rows: &Path) -> Result<()> {
    let (pages, mut lines) = (read(index)?, String::new());
    let count = pages.len();
    let begin = cpu_time()?;
    for (page, html) in pages {
        let report = audit::unproven_report(&page.capture(html, at)?);
        writeln!(lines, "{}", row(&page, &report))?;
    }
    let taken = cpu_time()?.saturating_sub(begin).as_micros();
    std::fs::write(rows, lines)?;
    println!("{}", taken / count.max(1) as u128);
    Ok(())
}

/// What the columns of `audit_batch` tell of a page.
fn row(page: &IndexedPage, report: &Report) -> Value {
    let count = |severity: Severity| report.findings.iter().filter(|finding| finding.severity == severity).count();
    let finding = |finding: &Finding| {
        let place = finding.evidence.first();
        json!({
            "code": finding.code,
            "severity": finding.severity,
            "points": finding.points,
            "message": finding.message.en,
            "line": place.and_then(|place| place.line),
            "selector": place.and_then(|place| place.selector.as_deref()),
            "snippet": place.and_then(|place| place.snippet.as_deref()),
        })
    };
    json!({
        "url": page.url,
        "score": report.score,
        "errors": count(Severity::Error),
        "warnings": count(Severity::Warn),
        "notes": count(Severity::Info),
        "findings": report.findings.iter().map(finding).collect::<Vec<_>>(),
        "error": null,
    })
}

/// Prints what a page costs in each round.
fn costs(index: &Path, at: Timestamp, rounds: usize, most: usize) -> Result<()> {
    let mut pages = read(index)?;
    pages.truncate(most);
    for round in 0..rounds {
        for (name, judge) in [("quick", audit::unproven_report as fn(&Capture) -> Report), ("proven", audit::report)] {
            let begin = cpu_time()?;
            for (page, html) in &pages {
                let report = judge(&page.capture(html.clone(), at)?);
                std::hint::black_box(&report);
            }
            let taken = cpu_time()?.saturating_sub(begin).as_micros();
            println!("{round} {name} {}", taken / pages.len().max(1) as u128);
        }
    }
    Ok(())
}

impl IndexedPage {
    fn capture(&self, html: Vec<u8>, at: Timestamp) -> Result<Capture> {
        let refused = |fault: audit::supplied::SuppliedFault| fault.message().en;
        let url = page_url(&self.url).map_err(refused)?;
        let status = page_status(self.status).map_err(refused)?;
        let headers = self.headers.clone().map(page_headers).transpose().map_err(refused)?;
        Ok(Supplied { status, headers, ..Supplied::page(url, html) }.capture(at))
    }
}

/// The pages of an index with their HTML.
fn read(index: &Path) -> Result<Vec<(IndexedPage, Vec<u8>)>> {
    let pages: Vec<IndexedPage> = serde_json::from_slice(&std::fs::read(index)?)?;
    let folder = index.parent().unwrap_or(Path::new("."));
    pages.into_iter().map(|page| Ok((std::fs::read(folder.join(&page.file)).map(|html| (page, html)))?)).collect()
}

/// CPU time of this process, as Linux counts it: in hundredths of a second.
fn cpu_time() -> Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // Behind the name, which may hold spaces: fields 14 and 15 of proc(5).
    let fields: Vec<&str> = stat.rsplit(')').next().ok_or("no fields")?.split_whitespace().collect();
    let mut ticks = 0;
    for field in fields.iter().skip(11).take(2) {
        ticks += field.parse::<u64>()?;
    }
    Ok(Duration::from_millis(ticks * 10))
}
