//! What tests need of a real browser: Chromium, axe-core's rules of accessibility for it, and Lighthouse.

use std::path::Path;

use anyhow::Result;

use crate::command::{has, run};
use crate::packages::install;

/// Where the npm package that the page tests need is pinned.
const PINS: &str = "crates/site-audit/tests";
/// Where Lighthouse and Node for it are pinned, for `site-audit lab setup` and for tests.
const LIGHTHOUSE: &str = "crates/lab/npm";

/// Installs Chromium where it is missing and may be installed. `what` is what the command needs it for.
pub(crate) fn install_chromium(root: &Path, what: &str) -> Result<()> {
    match testkit::browser::program() {
        Some(_) => Ok(()),
        None => install(root, "chromium", what),
    }
}

/// Installs what page tests and lab tests need. Where that can't be, they pass over with a line, but not in a build server.
pub(crate) fn install_for_tests(root: &Path) -> Result<()> {
    let done = install_chromium(root, "a page test").and_then(|()| install_axe(root));
    match done.and_then(|()| install_lighthouse(root)) {
        Err(reason) if std::env::var_os("CI").is_none() => {
            println!("passed over, the tests in a browser: {reason:#}");
            Ok(())
        }
        done => done,
    }
}

/// Installs axe-core as pinned, with npm, which is installed where it is missing.
fn install_axe(root: &Path) -> Result<()> {
    if !has("npm", &["--version"]) {
        install(root, "npm", "a page test")?;
    }
    run(root, "npm", &["ci", "--prefix", PINS, "--prefer-offline", "--no-audit", "--no-fund"])
}

/// Installs Lighthouse as pinned, with a Node that is new enough for it.
pub(crate) fn install_lighthouse(root: &Path) -> Result<()> {
    let options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    run(root, "npm", &[&["ci", "--prefix", LIGHTHOUSE], &options[..]].concat())
}
