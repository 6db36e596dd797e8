//! Programs that commands of this repository start.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};

/// Runs a program in the workspace's root; its failure is ours.
pub(crate) fn run(root: &Path, program: &str, arguments: &[&str]) -> Result<()> {
    run_with(root, program, arguments, &[])
}

/// The same with variables of the environment.
pub(crate) fn run_with(root: &Path, program: &str, arguments: &[&str], environment: &[(&str, String)]) -> Result<()> {
    println!("$ {program} {}", arguments.join(" "));
    let status = Command::new(program)
        .args(arguments)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .current_dir(root)
        .status()
        .with_context(|| format!("{program} could not be started"))?;
    if status.success() { Ok(()) } else { bail!("{program} {} failed: {status}", arguments.join(" ")) }
}

/// Whether a program can be started with these arguments and succeeds.
pub(crate) fn has(program: &str, arguments: &[&str]) -> bool {
    Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
}
