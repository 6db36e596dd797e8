//! What programs of others say of the surfaces: official suites, clients and validators, against a running service.
//! `cargo xtask test` installs them; where one is missing its test passes over with a line, but not in a build server.
#![expect(clippy::print_stdout, reason = "tests say what they pass over")]

mod documents;
mod mcp;
mod openapi;
mod receipts;
mod webhooks;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file beside the pins of the judges.
pub(crate) fn beside(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/judges").join(name)
}

/// The interpreter of the npm packages.
pub(crate) fn node() -> Option<Command> {
    let pinned = ["x64", "arm64"].map(|kind| beside(&format!("node_modules/node-linux-{kind}/bin/node")));
    let node = pinned.iter().find(|path| path.exists());
    installed(node.is_some(), &beside("node_modules")).then_some(node).flatten().map(Command::new)
}

/// A program of an npm package, by the path of its script.
fn npm(script: &str) -> Option<Command> {
    let script = beside("node_modules").join(script);
    let mut command = node().filter(|_| installed(script.exists(), &script))?;
    command.arg(script);
    Some(command)
}

/// The official client of MCP, on the command line.
pub(crate) fn inspector(arguments: &[&str]) -> Option<Command> {
    let mut inspector = npm("@modelcontextprotocol/inspector/clients/launcher/build/index.js")?;
    inspector.arg("--cli").args(arguments);
    Some(inspector)
}

/// A program of a Python package.
pub(crate) fn pip(name: &str) -> Option<Command> {
    let program = root().join("target/judges/bin").join(name);
    installed(program.exists(), &program).then(|| Command::new(program))
}

/// Whether a judge is there. A build server must have it.
fn installed(is_there: bool, program: &Path) -> bool {
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "{} is not installed", program.display());
        println!("passed over: {} is not installed; cargo xtask test installs it", program.display());
    }
    is_there
}

/// Runs a judge off the async workers.
async fn run(mut command: Command) -> Output {
    command.env("NO_COLOR", "1");
    let name = format!("{command:?}");
    let done = tokio::task::spawn_blocking(move || command.output()).await.unwrap();
    done.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Runs a judge, which must be content.
pub(crate) async fn content(command: Command) -> String {
    let name = format!("{command:?}");
    let output = run(command).await;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{name}: {}\n{said}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    said
}

/// A folder with files in it.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}
