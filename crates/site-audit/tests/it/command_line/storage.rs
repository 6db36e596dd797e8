//! A service whose disk takes no more writes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{SiteAnswer, TestSite};

use super::server::interrupt;

/// A service that lives when a file may not grow further, and the URL of its API.
fn serve(folder: &TempDir) -> (Child, String) {
    // The signal of a file that would grow beyond the limit is left out, so that the write fails instead, as on a full disk.
    let script = "trap '' XFSZ; exec \"$0\" --listen 127.0.0.1:0";
    let mut child = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_site-audit")])
        .current_dir(folder.path())
        .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.0/8")
        .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (_, url) = line.split_once(": ").unwrap_or_else(|| panic!("{line}"));
    (child, url.trim().trim_end_matches('/').to_owned())
}

/// Sets how large a file of the service may be.
fn limit_files(child: &Child, limit: &str) {
    let pid = child.id().to_string();
    let done = Command::new("prlimit").args(["--pid", &pid, &format!("--fsize={limit}:")]).status().unwrap();
    assert!(done.success());
}

/// Status and JSON of a call.
fn call(method: &str, url: &str, token: &str, body: &Value) -> (u16, Value) {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let request = ureq::http::Request::builder().method(method).uri(url);
    let request = if token.is_empty() { request } else { request.header("x-guest-token", token) };
    let mut answer = match body {
        Value::Null => agent.run(request.body(()).unwrap()).unwrap(),
        body => {
            let request = request.header("content-type", "application/json");
            agent.run(request.body(body.to_string()).unwrap()).unwrap()
        }
    };
    (answer.status().as_u16(), answer.body_mut().read_json().unwrap())
}

/// Calls until the answer is one that was waited for.
fn patiently<T>(call: impl Fn() -> (u16, Value), expected: impl Fn(&Value) -> Option<T>) -> T {
    loop {
        if let Some(found) = expected(&call().1) {
            return found;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn f05_a_full_disk_stops_writes_only_and_says_so() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><title>Bread</title><h1>Bread</h1>"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let (mut child, base) = serve(&folder);
    let guest = || call("POST", &format!("{base}/api/guest"), "", &Value::Null);
    // A busy machine may make a write wait longer than the service does: it is tried again.
    let token = patiently(guest, |made| made["token"].as_str().map(str::to_owned));
    let audit = || call("POST", &format!("{base}/api/audit"), &token, &json!({ "url": site.url("/") }));
    let id = patiently(audit, |audit| audit["id"].as_str().map(str::to_owned));

    // Smaller than the log of the database is already.
    limit_files(&child, "1");
    let refused = patiently(guest, |refused| (refused["code"] != "database_unavailable").then(|| refused.clone()));
    assert_eq!(refused["code"], "storage_full", "{refused}");
    let read = || call("GET", &format!("{base}/api/audits/{id}"), &token, &Value::Null);
    let read = patiently(read, |read| (read["code"] != "database_unavailable").then(|| read.clone()));
    assert_eq!(read["audit_id"], json!(id), "{read}");
    let (status, free) = audit();
    assert_eq!((status, &free["id"]), (200, &Value::Null), "{free}");

    limit_files(&child, "unlimited");
    patiently(guest, |made| made["token"].as_str().map(str::to_owned));
    patiently(audit, |audit| audit["id"].as_str().map(str::to_owned));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
