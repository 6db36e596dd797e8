//! Programs of others that judge the surfaces of a running service: MCP, OpenAPI and the documents.

use std::path::Path;

use anyhow::Result;

use crate::command::{has, run};
use crate::packages::install;

/// Where the packages are pinned: of npm, and of Python.
const PINS: &str = "crates/site-audit/tests/judges";
/// Where those of Python are installed.
const FOLDER: &str = "target/judges";

/// Installs the judges. Where that can't be, their tests pass over with a line, but not in a build server.
pub(crate) fn install_for_tests(root: &Path) -> Result<()> {
    match install_npm(root).and_then(|()| install_python(root)) {
        Err(reason) if std::env::var_os("CI").is_none() => {
            println!("passed over, judges of the surfaces: {reason:#}");
            Ok(())
        }
        done => done,
    }
}

fn install_npm(root: &Path) -> Result<()> {
    if !has("npm", &["--version"]) {
        install(root, "npm", "a judge of the surfaces")?;
    }
    run(root, "npm", &["ci", "--prefix", PINS, "--prefer-offline", "--no-audit", "--no-fund"])
}

fn install_python(root: &Path) -> Result<()> {
    if !has("python3", &["-c", "import ensurepip, venv"]) {
        install(root, "python3-venv", "a judge of the surfaces")?;
    }
    let pip = root.join(FOLDER).join("bin/pip").display().to_string();
    // Programs of an environment name its place: in a folder that was moved, as caches are, none of them starts.
    if !has(&pip, &["--version"]) {
        run(root, "python3", &["-m", "venv", "--clear", FOLDER])?;
    }
    let list = format!("{PINS}/requirements.txt");
    run(root, &pip, &["install", "--quiet", "--disable-pip-version-check", "--requirement", &list])
}
