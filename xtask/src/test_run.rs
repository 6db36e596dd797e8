//! Running every test: built together, then in two lanes at once. Tests of the store and of the program mostly wait (for a
//! server, a database, a browser), those of the core mostly compute; one after the other, they would leave a core idle.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// Packages whose tests mostly wait; all others compute.
const WAITING: [&str; 2] = ["site-audit", "store"];

/// One built test program.
#[derive(Debug)]
struct TestProgram {
    package: String,
    /// The folder of its package, in which it runs.
    folder: PathBuf,
    executable: PathBuf,
}

/// Builds every test of the workspace and runs them; fails when one fails. The computing lane is printed a program at a time,
/// when it has ended.
pub(crate) fn run(root: &Path, environment: &[(&str, String)]) -> Result<()> {
    let programs = build(root)?;
    let (waiting, computing): (Vec<_>, Vec<_>) =
        programs.iter().partition(|program| WAITING.contains(&program.package.as_str()));
    let (of_waiting, of_computing) = std::thread::scope(|scope| {
        let lane = scope.spawn(|| failed(&computing, environment, Output::AtItsEnd));
        let of_waiting = failed(&waiting, environment, Output::AsItComes);
        (of_waiting, lane.join())
    });
    let Ok(of_computing) = of_computing else { bail!("the lane of computing tests panicked") };
    let failed = [of_waiting?, of_computing?].concat();
    if failed.is_empty() { Ok(()) } else { bail!("tests failed: {}", failed.join(", ")) }
}

/// When the output of a test program is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Output {
    AsItComes,
    AtItsEnd,
}

/// Runs test programs one after the other; names of those that failed.
fn failed(programs: &[&TestProgram], environment: &[(&str, String)], output: Output) -> Result<Vec<String>> {
    let mut failed = Vec::new();
    for program in programs {
        let begun = Instant::now();
        let mut command = Command::new(&program.executable);
        command.current_dir(&program.folder).envs(environment.iter().map(|(name, value)| (name, value)));
        let name = program.executable.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let start = || format!("{} could not be started", program.executable.display());
        let is_good = match output {
            Output::AsItComes => {
                println!("     Running {} ({name})", program.package);
                command.status().with_context(start)?.success()
            }
            Output::AtItsEnd => {
                let output = command.output().with_context(start)?;
                println!(
                    "     Running {} ({name})\n{}{}",
                    program.package,
                    String::from_utf8_lossy(&output.stdout),
                    String::from_utf8_lossy(&output.stderr)
                );
                output.status.success()
            }
        };
        println!("     Ended {} ({name}) after {} s", program.package, begun.elapsed().as_secs());
        if !is_good {
            failed.push(format!("{} ({name})", program.package));
        }
    }
    Ok(failed)
}

/// Builds every test of the workspace.
fn build(root: &Path) -> Result<Vec<TestProgram>> {
    let arguments = ["test", "--workspace", "--locked", "--no-run", "--message-format", "json-render-diagnostics"];
    println!("$ cargo {}", arguments.join(" "));
    let mut cargo = Command::new("cargo")
        .args(arguments)
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .context("cargo could not be started")?;
    let messages = cargo.stdout.take().context("cargo has an output")?;
    let mut programs = Vec::new();
    for line in BufReader::new(messages).lines() {
        programs.extend(test_program(&serde_json::from_str(&line?).unwrap_or_default()));
    }
    let status = cargo.wait()?;
    if !status.success() {
        bail!("cargo {} failed: {status}", arguments.join(" "));
    }
    Ok(programs)
}

/// The test program that a message of cargo tells of, if it does.
fn test_program(message: &Value) -> Option<TestProgram> {
    let is_test = message.pointer("/profile/test").and_then(Value::as_bool)?;
    let executable = message.get("executable").and_then(Value::as_str).filter(|_| is_test)?;
    let manifest = Path::new(message.get("manifest_path").and_then(Value::as_str)?);
    let folder = manifest.parent()?;
    // `path+file:///…/crates/store#0.1.0`, or `…#name@0.1.0` where the folder has another name.
    let id = message.get("package_id").and_then(Value::as_str)?;
    let named = id.rsplit_once('#').and_then(|(_, name)| name.split_once('@')).map(|(name, _)| name);
    let package = named.or_else(|| folder.file_name()?.to_str())?.to_owned();
    Some(TestProgram { package, folder: folder.to_owned(), executable: executable.into() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_test_program_is_told_by_an_artifact_that_runs_tests() {
        let message = |test: bool, executable: Value, id: &str| {
            json!({
                "reason": "compiler-artifact", "package_id": id, "manifest_path": "/w/crates/store/Cargo.toml",
                "profile": {"test": test}, "executable": executable,
            })
        };
        let of = |test, executable: &str, id| test_program(&message(test, executable.into(), id));
        let found = of(true, "/t/it-1", "path+file:///w/crates/store#0.1.0").unwrap();
        assert_eq!((found.package.as_str(), found.folder.as_path()), ("store", Path::new("/w/crates/store")));
        assert_eq!(found.executable, Path::new("/t/it-1"));
        assert_eq!(
            of(true, "/t/it-1", "path+file:///w/fuzz/targets#fuzz-targets@0.1.0").unwrap().package,
            "fuzz-targets"
        );
        assert!(of(false, "/t/site-audit", "path+file:///w/crates/site-audit#0.1.0").is_none());
        assert!(test_program(&message(true, Value::Null, "path+file:///w/crates/store#0.1.0")).is_none());
        assert!(test_program(&json!({"reason": "build-finished", "success": true})).is_none());
    }
}
