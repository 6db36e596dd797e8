//! Payments beside programs of others: a local chain, a facilitator and clients, all of npm.

use std::path::Path;

use anyhow::{Result, bail};

use crate::command::{has, run, run_with};
use crate::packages::install;

/// Where the packages are pinned, beside the scripts that use them.
const PINS: &str = "crates/site-audit/tests/rig";
/// The same of the client that knows version 1 alone: three times as much as all the others.
const OLDER_PINS: &str = "crates/site-audit/tests/rig/older";

/// Installs the programs and runs the tests that need them, one case a line.
pub(crate) fn payments_rig(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let with_older_client = match arguments.next().as_deref() {
        None => false,
        Some("--older-client") => true,
        Some(other) => bail!("payments-rig takes --older-client, and no {other}"),
    };
    if !has("npm", &["--version"]) {
        install(root, "npm", "the payments rig")?;
    }
    let mut asked_for = vec![("SITE_AUDIT_TEST_RIG", "1".to_owned())];
    install_packages(root, PINS)?;
    if with_older_client {
        install_packages(root, OLDER_PINS)?;
        asked_for.push(("SITE_AUDIT_TEST_RIG_OLDER", "1".to_owned()));
    }
    let only = ["test", "--locked", "--package", "site-audit", "--test", "it", "payments::rig::"];
    run_with(root, "cargo", &only, &asked_for)
}

fn install_packages(root: &Path, pins: &str) -> Result<()> {
    // None of them needs a script of its own to be installed.
    run(root, "npm", &["ci", "--prefix", pins, "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"])
}
