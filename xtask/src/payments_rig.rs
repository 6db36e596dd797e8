//! Payments beside programs of others: a local chain, a facilitator and clients, all of npm.

use std::path::Path;

use anyhow::Result;

use crate::packages::install;
use crate::{has, run, run_with};

/// Where the packages are pinned, beside the scripts that use them.
const PINS: &str = "crates/server/tests/rig";

/// Installs the programs and runs the tests that need them, one case a line.
pub(crate) fn payments_rig(root: &Path) -> Result<()> {
    if !has("npm", &["--version"]) {
        install(root, "npm", "the payments rig")?;
    }
    run(root, "npm", &["ci", "--prefix", PINS, "--prefer-offline", "--no-audit", "--no-fund"])?;
    let only = ["test", "--locked", "--package", "site-audit", "--test", "it", "payments::rig::"];
    run_with(root, "cargo", &only, &[("SITE_AUDIT_TEST_RIG", "1".to_owned())])
}
