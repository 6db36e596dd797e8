//! The commands of one who runs a server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Output};
use std::sync::{Mutex, mpsc};

use tempfile::TempDir;
use testkit::{SiteAnswer, TestSite};

use super::{code, json, program, stderr, stdout};

/// Runs a command in an empty folder, where no configuration is.
fn run(arguments: &[&str]) -> (Output, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let output = program().args(arguments).current_dir(folder.path()).output().unwrap();
    (output, folder)
}

/// A service on a free port, and its address.
fn serve(folder: &TempDir) -> (Child, String) {
    let mut child = program()
        .args(["--listen", "127.0.0.1:0"])
        .current_dir(folder.path())
        .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.0/8")
        .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (_, address) = line.split_once(" listens on ").unwrap_or_else(|| panic!("{line}"));
    (child, address.split(':').take(2).collect::<Vec<_>>().join(":"))
}

/// Does what Ctrl-C does.
pub(super) fn interrupt(child: &Child) {
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
}

#[test]
fn tables_are_made_and_the_description_is_printed() {
    let (migrated, folder) = run(&["migrate"]);
    assert_eq!(code(&migrated), 0, "{}", stderr(&migrated));
    assert!(folder.path().join("data/site-audit.db").exists());
    let (described, _) = run(&["openapi", "--base-url", "https://audit.example.com"]);
    assert_eq!(json(&described)["openapi"].as_str().unwrap().split('.').next(), Some("3"));
    assert!(stdout(&described).contains("https://audit.example.com"));
}

#[test]
fn what_can_not_be_done_is_told_with_the_key_it_hangs_on() {
    for (arguments, advice) in [
        (&["migrate", "--database-url", "mysql://db"][..], "database_url"),
        (&["serve", "--listen", "nowhere"], "listen"),
        (&["serve", "--config", "missing.toml"], "missing.toml"),
        (&["healthcheck", "--listen", "127.0.0.1:1"], "127.0.0.1:1"),
    ] {
        let (output, _folder) = run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        assert!(stderr(&output).contains(advice), "{arguments:?}: {}", stderr(&output));
    }
}

#[cfg(unix)]
#[test]
fn a_service_is_found_healthy_and_an_interrupt_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let (mut child, address) = serve(&folder);
    let (healthy, _) = run(&["healthcheck", "--listen", &address]);
    assert_eq!((code(&healthy), stdout(&healthy)), (0, "ok\n".to_owned()), "{}", stderr(&healthy));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_second_interrupt_does_not_wait_for_the_calls_in_the_making() {
    let (asked, was_asked) = mpsc::channel();
    let asked = Mutex::new(asked);
    let site = TestSite::start(move |_| {
        asked.lock().unwrap().send(()).unwrap();
        SiteAnswer::Silence
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let (mut child, address) = serve(&folder);
    let body = format!("{{\"url\":\"{}\"}}", site.url("/"));
    let mut call = TcpStream::connect(&address).unwrap();
    let length = body.len();
    write!(call, "POST /api/audit HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").unwrap();
    was_asked.recv().unwrap();
    interrupt(&child);
    // Nobody listens any more: the first one has been heard.
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("stopping") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0);
    }
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let mut answer = Vec::new();
    drop(call.read_to_end(&mut answer));
    assert!(answer.is_empty());
}
