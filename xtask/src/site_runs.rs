//! Measurements and long proofs of site runs: beside another crawler, with kills in the middle, on a large made site.

mod bench;

use std::path::Path;

use anyhow::{Result, bail};

use crate::command::run_with;

/// `kills [N]`, `made [PAGES]`, `bench [PAGES] [BYTES]` or `memory [PAGES]…`.
pub(crate) fn site_runs(root: &Path, mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let what = arguments.next().unwrap_or_default();
    let (tests, variable, usual) = match what.as_str() {
        "kills" => ("a_run_that_is_killed", "SITE_AUDIT_TEST_SITE_KILLS", "200"),
        "made" => ("made::", "SITE_AUDIT_TEST_SITE_PAGES", "10000"),
        "bench" => return bench::bench(root, arguments),
        "memory" => return bench::memory(root, arguments),
        _ => bail!("usage: cargo xtask site-runs kills [N] | made [PAGES] | bench [PAGES] [BYTES] | memory [PAGES]…"),
    };
    let number = arguments.next().unwrap_or_else(|| usual.to_owned());
    let test = ["test", "--locked", "--package", "site-audit", "--test", "site_runs", tests, "--", "--nocapture"];
    run_with(root, "cargo", &test, &[(variable, number)])
}
