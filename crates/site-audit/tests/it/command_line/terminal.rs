//! What a terminal gets and a file does not; pipes that close; interrupts; help.

use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc;

use testkit::{SiteAnswer, TestSite};

use super::{code, program, site, site_audit, stderr, stdout};

const COMMANDS: [&str; 8] = ["serve", "audit", "checks", "migrate", "openapi", "healthcheck", "doctor", "completions"];

#[test]
fn every_command_has_help_that_teaches() {
    let all = stdout(&site_audit(&["--help"], ""));
    for command in COMMANDS {
        assert!(all.contains(&format!("\n  {command} ")), "{command}");
        let output = site_audit(&[command, "--help"], "");
        assert_eq!(code(&output), 0);
        let help = stdout(&output);
        assert!(help.contains(&format!("  site-audit {command}")), "{command} has an example");
        assert!(command == "completions" || help.contains("Exit codes:"), "{command} tells its exit codes");
    }
}

#[test]
fn every_shell_gets_completions_of_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = stdout(&site_audit(&["completions", shell], ""));
        assert!(COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    for arguments in [&["checks"][..], &["checks", "--format", "json"], &["completions", "bash"], &["audit", "--help"]]
    {
        let mut child = program().args(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((code(&output), output.stderr.is_empty()), (0, true), "{arguments:?}");
    }
}

/// Runs the program on a terminal made by `script`; `None`, with a line printed, where there is no such command.
#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "says what is passed over")]
pub(super) fn on_a_terminal(command: &str, variables: &[(&str, &str)]) -> Option<String> {
    let mut script = Command::new("script");
    script.args(["-qefc", &format!("{} {command}", env!("CARGO_BIN_EXE_site-audit")), "/dev/null"]);
    script.env_remove("NO_COLOR").env("TERM", "xterm").envs(variables.iter().copied()).stdin(Stdio::null());
    match script.output() {
        Ok(output) => Some(String::from_utf8(output.stdout).unwrap()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            println!("not run on a terminal: there is no command script");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn a_terminal_gets_progress_and_colours_unless_they_are_not_wanted() {
    let site = site().await;
    let one = format!("audit {} --allow-private", site.url("/page"));
    let Some(shown) = on_a_terminal(&one, &[]) else { return };
    for step in ["page fetched", "robots.txt and sitemaps read", "discovery files read", "checks run"] {
        assert!(shown.contains(step), "{step}: {shown}");
    }
    assert!(shown.contains("\u{1b}[31m"), "{shown}");
    for variables in [&[("NO_COLOR", "1")], &[("TERM", "dumb")]] {
        let plain = on_a_terminal(&one, variables).unwrap();
        assert!(plain.contains("page fetched") && !plain.contains('\u{1b}'), "{variables:?}: {plain}");
    }
    let quiet = on_a_terminal(&format!("{one} --quiet"), &[]).unwrap();
    assert_eq!(quiet, "");
    let several = on_a_terminal(&format!("{one} {} --jobs 1", site.url("/gone")), &[]).unwrap();
    assert!(several.contains("1 of 2  ") && several.contains("2 of 2  ") && !several.contains("page fetched"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_short_lines_of_the_log_in_colour() {
    // It warns of the setting, and can't start then.
    let command = "serve --config /dev/null --listen 127.0.0.1:0 --database-url sqlite:///dev/null/x.db";
    let setting = ("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "192.0.2.0/24");
    let Some(shown) = on_a_terminal(command, &[setting]) else { return };
    let line = shown.lines().find(|line| line.contains("fetch.allow_private")).unwrap_or_else(|| panic!("{shown}"));
    assert!(line.contains("\u{1b}[33m") && line.contains("192.0.2.0/24"), "{line:?}");
    assert!(
        !line.contains("site_audit::") && !line.contains("2026") && !line.contains("2027"),
        "no module, no date: {line:?}"
    );
    let plain = on_a_terminal(command, &[setting, ("NO_COLOR", "1")]).unwrap();
    assert!(plain.contains("WARN") && !plain.contains('\u{1b}'), "{plain:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pipe_gets_neither_progress_nor_colours() {
    let site = site().await;
    let output = site_audit(&["audit", &site.url("/page"), "--allow-private"], "");
    assert!(output.stderr.is_empty());
    assert!(!stdout(&output).contains('\u{1b}'));
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupt_ends_an_audit_at_once() {
    use std::os::unix::process::ExitStatusExt as _;

    let (asked, was_asked) = mpsc::channel();
    let asked = Mutex::new(asked);
    let site = TestSite::start(move |_| {
        asked.lock().unwrap().send(()).unwrap();
        SiteAnswer::Silence
    })
    .await;
    // Under a shell that ignores interrupts for what it runs in the background, they would be ignored here too.
    let mut child = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_site-audit")])
        .args(["audit", &site.url("/page"), "--allow-private"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    was_asked.recv().unwrap();
    super::server::interrupt(&child);
    let status = child.wait().unwrap();
    assert_eq!(status.signal(), Some(2), "not by its own end, which would have come with the time limit");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = program().arg("checks").stdout(full).output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).starts_with("site-audit: could not write to standard output: "));
}
