//! Fuzzing with cargo-fuzz: installs what it needs, runs the targets one after another, and tells what broke.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::command::{has, run, run_with};

/// Longest input of each target, in bytes: what its parser reads of one thing, or less where more teaches nothing.
const TARGETS: [(&str, usize); 11] = [
    ("addr_policy", 18),
    ("charset_detect", 8 * 1024),
    ("content_decode", 64 * 1024),
    ("html_audit", 64 * 1024),
    ("html_parse", 4 * 1024),
    ("http_head", 128 * 1024),
    ("jsonld", 32 * 1024),
    ("patch", 16 * 1024),
    ("robots", 32 * 1024),
    ("sitemap", 32 * 1024),
    ("url_intake", 4 * 1024),
];
/// Seconds for one input: what a whole audit may take (hostile inputs §1).
const TIMEOUT: &str = "-timeout=25";
/// Resident memory of the fuzzer, in MiB.
const MEMORY: &str = "-rss_limit_mb=512";
/// The sanitizer keeps freed memory for a while to catch its use; by default so much that it alone comes near the limit.
const SANITIZER: (&str, &str) = ("ASAN_OPTIONS", "quarantine_size_mb=64");

/// Fuzzes the targets named, or all: `[--minutes N] [TARGET…]`, one minute each unless told otherwise.
pub(crate) fn fuzz(root: &Path, arguments: impl Iterator<Item = String>) -> Result<()> {
    let (minutes, wanted) = read(arguments)?;
    install(root)?;
    println!("Building with the nightly compiler: the first time takes minutes.");
    run(root, "cargo", &["+nightly", "fuzz", "build"])?;
    let mut broken = Vec::new();
    for (name, longest) in wanted {
        println!("\n{name}: {minutes} min of inputs made from fuzz/seeds/{name} and what earlier runs kept");
        if fuzz_one(root, name, longest, minutes).is_err() {
            broken.push(name);
        }
    }
    if broken.is_empty() {
        return Ok(());
    }
    for name in &broken {
        println!("\n{name} broke on {}", newest(&root.join("fuzz/artifacts").join(name))?);
        println!("  make it small: cargo +nightly fuzz tmin {name} FILE");
        println!("  once mended, keep it as a test: move it to fuzz/seeds/{name}/");
    }
    bail!("broken: {}", broken.join(", "))
}

fn read(mut arguments: impl Iterator<Item = String>) -> Result<(u64, Vec<(&'static str, usize)>)> {
    let mut minutes = 1;
    let mut wanted = Vec::new();
    while let Some(argument) = arguments.next() {
        if argument == "--minutes" {
            let value = arguments.next().context("--minutes takes a number")?;
            minutes = value.parse().with_context(|| format!("--minutes takes a whole number, not {value}"))?;
        } else if let Some(target) = TARGETS.iter().find(|(name, _)| *name == argument) {
            wanted.push(*target);
        } else {
            bail!("there is no fuzz target {argument}; there are {}", TARGETS.map(|(name, _)| name).join(", "));
        }
    }
    Ok((minutes, if wanted.is_empty() { TARGETS.to_vec() } else { wanted }))
}

fn install(root: &Path) -> Result<()> {
    if !has("rustup", &["run", "nightly", "rustc", "--version"]) {
        println!("Fuzzing needs a nightly compiler, for instrumented code; the rest of the work does not use it.");
        run(root, "rustup", &["toolchain", "install", "nightly", "--profile", "minimal"])?;
    }
    if !has("cargo-fuzz", &["--version"]) {
        println!("cargo-fuzz builds and runs the targets with libFuzzer; it is installed once.");
        run(root, "cargo", &["+nightly", "install", "--locked", "cargo-fuzz"])?;
    }
    Ok(())
}

/// libFuzzer starts from the files of both folders, and writes the inputs it keeps to the first.
fn fuzz_one(root: &Path, name: &str, longest: usize, minutes: u64) -> Result<()> {
    let [corpus, seeds] = ["corpus", "seeds"].map(|folder| format!("fuzz/{folder}/{name}"));
    std::fs::create_dir_all(root.join(&corpus)).with_context(|| format!("{corpus} could not be made"))?;
    let time = format!("-max_total_time={}", minutes.saturating_mul(60));
    let length = format!("-max_len={longest}");
    let flags = ["--", &time, &length, TIMEOUT, MEMORY, "-print_final_stats=1"];
    let (variable, value) = SANITIZER;
    let arguments = [&["+nightly", "fuzz", "run", name, &corpus, &seeds][..], &flags[..]].concat();
    run_with(root, "cargo", &arguments, &[(variable, value.to_owned())])
}

/// The file written last, as a person would name it.
fn newest(folder: &Path) -> Result<String> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("{} could not be listed", folder.display()))?;
    let newest: Option<PathBuf> = entries
        .flatten()
        .max_by_key(|entry| entry.metadata().and_then(|known| known.modified()).ok())
        .map(|entry| entry.path());
    Ok(newest.map_or_else(|| "no input: it did not start".to_owned(), |path| path.display().to_string()))
}
