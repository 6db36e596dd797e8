//! Debian packages that commands need beside the Rust toolchain.

use std::path::Path;

use anyhow::{Result, bail};
use testkit::postgres_server::is_root;

use crate::command::run;

/// Installs a package where that may be done; else says what to install. `what` is what the command needs it for.
pub(crate) fn install(root: &Path, package: &str, what: &str) -> Result<()> {
    if !is_root() {
        bail!("{what} needs the package {package}: install it (Debian: apt-get install {package}) and run this again");
    }
    run(root, "apt-get", &["update", "--quiet"])?;
    run(root, "apt-get", &["install", "--yes", "--quiet", "--no-install-recommends", package])
}
