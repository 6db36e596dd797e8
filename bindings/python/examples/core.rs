//! The program's own core beside the package: audits each file of a folder on one thread and prints microseconds of CPU time for each page,
//! without and with proven fixes. `cargo xtask distributed` runs it.
#![expect(clippy::print_stdout, reason = "a measurement talks to who started it")]

use std::path::PathBuf;
use std::time::Duration;

use audit::supplied::{Supplied, page_url};
use model::capture::Capture;
use model::report::Report;
use model::time::Timestamp;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: core FOLDER ROUNDS")?);
    let rounds: usize = arguments.next().ok_or("usage: core FOLDER ROUNDS")?.parse()?;
    let mut pages = Vec::new();
    for file in std::fs::read_dir(folder)? {
        pages.push(std::fs::read(file?.path())?);
    }
    for round in 0..rounds {
        for (name, judge) in [("quick", audit::unproven_report as fn(&Capture) -> Report), ("proven", audit::report)] {
            let begin = cpu_time()?;
            for (number, page) in pages.iter().enumerate() {
                let url = page_url(&format!("https://example.com/{number}")).map_err(|_| "no address")?;
                let report = judge(&Supplied::page(url, page.clone()).capture(Timestamp(0)));
                std::hint::black_box(&report);
            }
            let taken = cpu_time()?.saturating_sub(begin).as_micros();
            println!("{round} {name} {}", taken / pages.len().max(1) as u128);
        }
    }
    Ok(())
}

/// CPU time of this process, as Linux counts it: in hundredths of a second.
fn cpu_time() -> Result<Duration, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    // Behind the name, which may hold spaces: fields 14 and 15 of proc(5).
    let fields: Vec<&str> = stat.rsplit(')').next().ok_or("no fields")?.split_whitespace().collect();
    let mut ticks = 0;
    for field in fields.iter().skip(11).take(2) {
        ticks += field.parse::<u64>()?;
    }
    Ok(Duration::from_millis(ticks * 10))
}
