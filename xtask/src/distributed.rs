//! The examples of the Python package on engines of other projects, over a made site whose findings are known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use serde_json::json;
use testkit::made_site::{MadeOptions, MadeSite};

use crate::command::{has, run, run_with};
use crate::packages::install;
use crate::python::{environment, install_wheel, tool};

const HELP: &str = "\
usage: cargo xtask distributed [--pages N] [--bytes N] [-k NAME]

Builds the Python package with the profile `dist`, installs it with Ray, Daft, Spark and DuckDB into target/python/venv,
makes a site of known pages with planted findings, and has each engine audit it:

  batch    audit_batch of the package, in one process
  machine  WARC files to Parquet on one machine
  ray      WARC files on a Ray cluster of two workers, one of which is killed in the middle
  daft     a table of pages with Daft, alone and on Ray
  spark    a table of pages on a Spark cluster of two workers, both on this machine
  duckdb   queries over the Parquet that came of it
  costs    what a page costs beside the program's own core, also on the corpus where it is there

Every result is compared, row by row, with what the program's own core says of the same pages, and with the planted
findings. Prints a table: pages, CPU seconds, pages a CPU second, and their ratio to the program's own core.

  --pages N  pages of the made site, at least 300 (default: 3000)
  --bytes N  bytes of a page, about (default: 40000)
  -k NAME    only those of this name: ray, 'daft or spark', costs

What can't be installed is passed over with a line. It downloads a gigabyte; Ray and Spark want 4 GB of memory.

exit code 0: every result is as it should be
          1: a result differs, a run failed, or the command was called wrongly
          2: nothing was compared, since the package or its environment could not be made
";
/// Exit code where nothing was compared.
const NOTHING_COMPARED: i32 = 2;
/// The package and what its tests need.
const BASE: &str = "bindings/python/requirements.txt";
/// What the engines need.
const ENGINES: &str = "bindings/python/examples/requirements.txt";
/// The made pages.
const MADE: &str = "target/python/made";
/// Host of the made site.
const HOST: &str = "example.com";
/// Fewest pages of a site with planted findings.
const FEWEST: usize = 300;

/// What is run.
struct Options {
    pages: usize,
    bytes: usize,
    /// Names of tests, as pytest selects them.
    only: Option<String>,
}

/// Runs the examples and compares what they find.
pub(crate) fn distributed(root: &Path, arguments: impl Iterator<Item = String>) -> Result<()> {
    let arguments: Vec<String> = arguments.collect();
    if arguments.iter().any(|argument| matches!(argument.as_str(), "--help" | "-h" | "help")) {
        println!("{HELP}");
        return Ok(());
    }
    let options = Options::read(&arguments)?;
    if let Err(reason) = prepare(root) {
        println!("nothing was compared: {reason:#}");
        std::process::exit(NOTHING_COMPARED);
    }
    let made = root.join(MADE);
    make(&made, &options)?;
    let mut pytest = vec!["-m", "pytest", "-s", "bindings/python/examples"];
    pytest.extend(options.only.iter().flat_map(|only| ["-k", only]));
    let target = root.join(crate::python::BUILD).display().to_string();
    let environment = [("SITE_AUDIT_MADE_PAGES", made.display().to_string()), ("CARGO_TARGET_DIR", target)];
    run_with(root, &tool(root, "python"), &pytest, &environment)?;
    println!("every result is what the program's own core says");
    Ok(())
}

impl Options {
    fn read(arguments: &[String]) -> Result<Self> {
        let mut options = Self { pages: 3_000, bytes: 40_000, only: None };
        let mut arguments = arguments.iter();
        while let Some(name) = arguments.next() {
            let value = arguments.next().with_context(|| format!("{name} needs a value\n\n{HELP}"))?;
            let number = || value.parse().with_context(|| format!("{name} {value} is not a number"));
            match name.as_str() {
                "--pages" => options.pages = number()?,
                "--bytes" => options.bytes = number()?,
                "-k" => options.only = Some(value.clone()),
                _ => bail!("there is no option {name}\n\n{HELP}"),
            }
        }
        if options.pages < FEWEST {
            bail!("--pages {}: a site with planted findings has at least {FEWEST}", options.pages);
        }
        Ok(options)
    }
}

/// Installs what can be installed, and builds the package.
fn prepare(root: &Path) -> Result<()> {
    environment(root, &[BASE])?;
    for package in std::fs::read_to_string(root.join(ENGINES))?.lines().filter(|line| !line.starts_with('#')) {
        // One after the other, so that one that fails keeps none of the others away.
        let pip = ["install", "--quiet", "--disable-pip-version-check", "--constraint", BASE, package];
        if run(root, &tool(root, "pip"), &pip).is_err() {
            println!("passed over: {package} could not be installed");
        }
    }
    if !has("java", &["-version"])
        && let Err(reason) = install(root, "default-jre-headless", "Spark")
    {
        println!("passed over, Spark: {reason:#}");
    }
    install_wheel(root, "dist")
}

/// Writes the pages of a made site, their index, and the findings that are planted on them.
fn make(folder: &Path, options: &Options) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder)?;
    let made = MadeOptions { pages: options.pages, bytes: options.bytes, planted: true, shuffled: false };
    let site = MadeSite::new(made);
    let url = |path: &str| format!("http://{HOST}{path}");
    let mut index = Vec::new();
    for (number, path) in site.paths().enumerate() {
        let file = format!("{number:06}.html");
        std::fs::write(folder.join(&file), site.answer(&path, HOST).body)?;
        index.push(json!({"url": url(&path), "file": file, "status": 200, "headers": null}));
    }
    let planted: BTreeSet<&String> = site.planted_on_pages().iter().map(|(_, path)| path).collect();
    // A table of pages comes without sitemaps. What is planted for checks across pages may have findings of pages too.
    let is_known = |path: &String| site.is_healthy(path) || planted.contains(path) && !path.starts_with("/author/");
    let known: Vec<String> = site.paths().filter(is_known).map(|path| url(&path)).collect();
    let mut findings: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    let known_on = |(code, path): &&(&str, String)| !code.starts_with("sitemap_") && is_known(path);
    for (code, path) in site.planted_on_pages().iter().filter(known_on) {
        findings.entry(code).or_default().insert(url(path));
    }
    std::fs::write(folder.join("index.json"), serde_json::to_vec(&index)?)?;
    std::fs::write(folder.join("known.json"), serde_json::to_vec(&json!({"pages": known, "findings": findings}))?)?;
    println!("{} pages of a made site, {} with planted findings", index.len(), planted.len());
    Ok(())
}
