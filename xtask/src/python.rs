//! The Python package: its wheel and its tests.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::command::{has, run, run_with};
use crate::packages::install;

/// The package.
const PACKAGE: &str = "bindings/python";
/// The virtual environment.
const VENV: &str = "target/python/venv";
/// Wheels, one folder for each profile.
const WHEELS: &str = "target/python/wheels";
/// Where cargo builds the module: apart, as its features differ from those of the workspace.
pub(crate) const BUILD: &str = "target/python/cargo";

/// `cargo xtask python`: builds the wheel, installs it in an environment of its own and runs its tests.
pub(crate) fn python(root: &Path) -> Result<()> {
    run(root, "cargo", &["build", "--locked", "--package", "site-audit"])?;
    test(root)
}

/// The same beside a program that was built already. Where the packages can't be installed, the tests are passed over with a
/// line, but not in a build server.
pub(crate) fn test(root: &Path) -> Result<()> {
    match environment(root, &["bindings/python/requirements.txt"]) {
        Err(reason) if std::env::var_os("CI").is_none() => {
            println!("passed over, the Python package: {reason:#}");
            return Ok(());
        }
        installed => installed?,
    }
    install_wheel(root, "dev")?;
    let program = root.join("target/debug/site-audit").display().to_string();
    run_with(
        root,
        &tool(root, "python"),
        &["-m", "pytest", &format!("{PACKAGE}/tests")],
        &[("SITE_AUDIT_TEST_PROGRAM", program)],
    )
}

/// A virtual environment with the packages of lists.
pub(crate) fn environment(root: &Path, lists: &[&str]) -> Result<()> {
    if !has("python3", &["-c", "import ensurepip, venv"]) {
        install(root, "python3-venv", "the Python package")?;
    }
    // Programs of an environment name its place: in a folder that was moved, none of them starts.
    if !has(&tool(root, "pip"), &["--version"]) {
        run(root, "python3", &["-m", "venv", "--clear", VENV])?;
    }
    let requirements = lists.iter().flat_map(|list| ["--requirement", list]);
    let pip: Vec<&str> =
        ["install", "--quiet", "--disable-pip-version-check"].into_iter().chain(requirements).collect();
    run(root, &tool(root, "pip"), &pip)
}

/// Builds the wheel with a profile of cargo and installs it in the environment.
pub(crate) fn install_wheel(root: &Path, profile: &str) -> Result<()> {
    let wheels = root.join(WHEELS).join(profile);
    if wheels.exists() {
        std::fs::remove_dir_all(&wheels)?;
    }
    let folder = wheels.display().to_string();
    let manifest = format!("{PACKAGE}/Cargo.toml");
    let python = tool(root, "python");
    let build = ["build", "--locked", "--profile", profile, "--manifest-path", &manifest, "--out", &folder];
    let build = [&build[..], &["--interpreter", &python]].concat();
    let target = root.join(BUILD).display().to_string();
    run_with(root, &tool(root, "maturin"), &build, &[("CARGO_TARGET_DIR", target)])?;
    let wheel: PathBuf = std::fs::read_dir(&wheels)?.next().context("maturin built no wheel")??.path();
    let wheel = wheel.display().to_string();
    run(
        root,
        &tool(root, "pip"),
        &["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--force-reinstall", &wheel],
    )
}

/// A program of the environment.
pub(crate) fn tool(root: &Path, name: &str) -> String {
    root.join(VENV).join("bin").join(name).display().to_string()
}
