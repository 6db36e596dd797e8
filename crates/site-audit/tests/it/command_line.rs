//! The program run as a person or a build runs it.

pub(crate) mod audit;
mod backup;
mod checks;
mod doctor;
mod documents;
mod formats;
#[cfg(target_os = "linux")]
mod lab;
mod mcp;
#[cfg(target_os = "linux")]
mod memory;
mod migrate;
mod packaging;
mod receipt;
mod server;
#[cfg(target_os = "linux")]
mod storage;
mod terminal;
mod verify;

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use testkit::{SiteAnswer, TestSite};

/// A page with errors, warnings and notes.
const PAGE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Bread</title></head><body><h1>Bread</h1></body></html>";

/// A site with a page, a page behind a firewall, and a robots.txt that keeps one crawler out.
async fn site() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        path if path.starts_with("/page") => SiteAnswer::html(PAGE),
        "/robots.txt" => SiteAnswer::page(200, "text/plain", "User-agent: GPTBot\nDisallow: /\n"),
        "/blocked" => SiteAnswer::page(403, "text/html", "<title>Just a moment...</title>"),
        _ => SiteAnswer::missing(),
    })
    .await
}

pub(crate) fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_site-audit"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env_remove("NO_COLOR").env_remove("TERM");
    command
}

/// Runs the program to its end, with something on its standard input.
fn site_audit(arguments: &[&str], input: &str) -> Output {
    let mut child = program().args(arguments).spawn().unwrap();
    // One that refuses its arguments does not wait for input.
    drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
    child.wait_with_output().unwrap()
}

pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}", stderr(output)))
}
