//! `site-audit site` and siteone-crawler on one made site, in one run: pages for each second of CPU time, wall time, memory.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use testkit::made_site::{MadeOptions, MadeServer, MadeSite};

use crate::command::run;

/// The other crawler, of the crates registry.
const OTHER: &str = "siteone-crawler";
/// Names another place of its program.
const OTHER_PROGRAM: &str = "SITEONE_CRAWLER";
/// Names a program of ours that is built already.
const OUR_PROGRAM: &str = "SITE_AUDIT_PROGRAM";
/// Pages of the runs whose memory is compared, and bytes of each.
const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const SMALL: usize = 6_000;
/// Clock ticks of a second in `/proc` (`USER_HZ`, 100 on every Linux).
const TICKS: f64 = 100.0;

/// What a program took.
struct Measured {
    name: &'static str,
    /// Pages that were asked once or more.
    pages: usize,
    wall: Duration,
    /// CPU seconds of its process.
    cpu: f64,
    /// The most memory at one time, in KB.
    memory: u64,
}

/// Measures both: our program, which is built where [`OUR_PROGRAM`] names none, and the other, which is installed where it
/// is missing.
pub(super) fn bench(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let mut number = |usual: usize| arguments.next().map_or(Ok(usual), |text| text.parse().context("a number"));
    let (pages, bytes) = (number(10_000)?, number(50_000)?);
    let ours = our_program(root)?;
    let other = std::env::var(OTHER_PROGRAM).unwrap_or_else(|_| OTHER.to_owned());
    // It exits with an error for its version too, so it is there where it starts at all.
    if Command::new(&other).arg("--version").output().is_err() {
        run(root, "cargo", &["install", "--locked", OTHER])?;
    }
    let folder = tempfile::tempdir()?;
    let mut rows = vec![measured_run(&ours, folder.path(), pages, bytes)?];
    let siteone = |url: &str| {
        let mut command = Command::new(&other);
        // The made site has traps without end: both ask for as many addresses at most.
        let (url, most) = (format!("--url={url}"), format!("--max-visited-urls={}", most(pages)));
        let reports = ["--output-html-report=", "--output-json-file=", "--output-text-file="];
        command.args([&*url, "--workers=8", "--max-reqs-per-sec=100000", "--no-cache", "--disable-images"]);
        command.args(["--max-queue-length=200000", &*most, "--timeout=30"]).args(reports);
        command.current_dir(folder.path());
        command
    };
    rows.push(measured("siteone-crawler", pages, bytes, siteone)?);
    println!("\n{pages} pages of {bytes} bytes, 12 templates, planted defects, loopback\n");
    println!("| program | pages | wall s | CPU s | pages per CPU second | memory MB |\n|---|--:|--:|--:|--:|--:|");
    let rate = |row: &Measured| row.pages as f64 / row.cpu.max(1.0 / TICKS);
    for row in &rows {
        let (wall, memory) = (row.wall.as_secs_f64(), row.memory / 1024);
        println!("| {} | {} | {wall:.1} | {:.1} | {:.0} | {memory} |", row.name, row.pages, row.cpu, rate(row));
    }
    if let [ours, other] = rows.as_slice() {
        println!("\n{:.1} times the pages per CPU second of {OTHER}", rate(ours) / rate(other));
    }
    Ok(())
}

/// Measures how much memory runs of more and more small pages take.
pub(super) fn memory(root: &Path, arguments: impl Iterator<Item = String>) -> Result<()> {
    let given = arguments.map(|text| text.parse().context("a number")).collect::<Result<Vec<usize>>>()?;
    let sizes = if given.is_empty() { SIZES.to_vec() } else { given };
    let ours = our_program(root)?;
    let mut table = "| pages | memory MB | wall s | CPU s |\n|--:|--:|--:|--:|\n".to_owned();
    for pages in sizes {
        let folder = tempfile::tempdir()?;
        let row = measured_run(&ours, folder.path(), pages, SMALL)?;
        let (wall, memory) = (row.wall.as_secs_f64(), row.memory / 1024);
        writeln!(table, "| {} | {memory} | {wall:.1} | {:.1} |", row.pages, row.cpu)?;
    }
    println!("\nA made site of pages of {SMALL} bytes, 12 templates, planted defects, loopback\n\n{table}");
    Ok(())
}

/// The program that is measured.
fn our_program(root: &Path) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(OUR_PROGRAM) {
        return Ok(named.into());
    }
    run(root, "cargo", &["build", "--profile", "dist", "--locked", "--package", "site-audit"])?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), Into::into);
    Ok(target.join("dist/site-audit"))
}

/// Addresses that a run over so many pages may ask for.
fn most(pages: usize) -> usize {
    pages + 1_000
}

/// A run of our program over a made site, into a folder.
fn measured_run(program: &Path, folder: &Path, pages: usize, bytes: usize) -> Result<Measured> {
    let most = most(pages).to_string();
    measured("site-audit site", pages, bytes, |url| {
        let mut command = Command::new(program);
        command.args([
            "site",
            url,
            "--own-site",
            "--allow-private",
            "--concurrency",
            "8",
            "--max-pages",
            &most,
            "--quiet",
        ]);
        command.arg("--out").arg(folder.join("run"));
        command
    })
}

/// Runs a program on a server of its own.
fn measured(name: &'static str, pages: usize, bytes: usize, command: impl Fn(&str) -> Command) -> Result<Measured> {
    let site = MadeSite::new(MadeOptions { pages, bytes, planted: true, shuffled: false });
    let server = MadeServer::start(site)?;
    println!("$ {name} {}", server.url());
    let (before, begun) = (children_cpu()?, Instant::now());
    let mut child = command(&server.url()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    let mut memory = 0;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        memory = peak(child.id()).unwrap_or(memory);
        std::thread::sleep(Duration::from_millis(20));
    };
    let (wall, cpu) = (begun.elapsed(), children_cpu()? - before);
    let asked = server.requests();
    let pages = asked.keys().filter(|path| !path.contains('.')).count();
    if pages * 10 < asked.len() * 9 || pages == 0 {
        bail!("{name} asked for {pages} pages only ({status})");
    }
    Ok(Measured { name, pages, wall, cpu, memory })
}

/// CPU seconds of all children that have ended: `cutime` and `cstime` of proc(5).
fn children_cpu() -> Result<f64> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: f64 = fields.skip(13).take(2).filter_map(|field| field.parse::<f64>().ok()).sum();
    Ok(ticks / TICKS)
}

/// The most memory that a process has had, in KB.
fn peak(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
