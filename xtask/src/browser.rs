//! What tests need of a real browser: Chromium, and axe-core's rules of accessibility for it.

use std::path::Path;

use anyhow::Result;

use crate::command::{has, run};
use crate::packages::install;

/// Where the npm package that the page tests need is pinned.
const PINS: &str = "crates/site-audit/tests";

/// Installs Chromium where it is missing and may be installed. `what` is what the command needs it for.
pub(crate) fn install_chromium(root: &Path, what: &str) -> Result<()> {
    match testkit::browser::program() {
        Some(_) => Ok(()),
        None => install(root, "chromium", what),
    }
}

/// Installs what the page tests need. Where that can't be, they pass over with a line, but not in a build server.
pub(crate) fn install_for_tests(root: &Path) -> Result<()> {
    match install_chromium(root, "a page test").and_then(|()| install_axe(root)) {
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
