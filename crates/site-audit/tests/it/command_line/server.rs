//! The commands of one who runs a server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Output, Stdio};
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
pub(super) fn serve(folder: &TempDir) -> (Child, String) {
    started(
        program()
            .current_dir(folder.path())
            .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.0/8")
            .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*"),
    )
}

fn started(command: &mut Command) -> (Child, String) {
    let mut child = command.args(["--listen", "127.0.0.1:0"]).spawn().unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new.db");
    std::fs::File::create(&file).unwrap();
    let (migrated, _) = run(&["migrate", "--database-url", &format!("sqlite://{}", file.display())]);
    assert_eq!(code(&migrated), 0, "{}", stderr(&migrated));
    assert_ne!(std::fs::metadata(&file).unwrap().len(), 0);
    let (described, _) = run(&["openapi", "--base-url", "https://audit.example.com"]);
    assert_eq!(json(&described)["openapi"].as_str().unwrap().split('.').next(), Some("3"));
    assert!(stdout(&described).contains("https://audit.example.com"));
}

#[test]
fn what_can_not_be_done_is_told_with_the_key_it_hangs_on() {
    for (arguments, advice) in [
        (&["migrate", "--database-url", "mysql://db"][..], "database_url"),
        (&["serve", "--listen", "nowhere"], "listen: must be an IP address and a port"),
        (&["serve", "--listen", "localhost:8080"], "such as 127.0.0.1:8080"),
        (
            &["serve", "--listen", "127.0.0.1:0", "--database-url", "sqlite:///dev/null/x.db"],
            "/dev/null/x.db can't be opened",
        ),
        (&["migrate", "--database-url", "sqlite:///dev/null/x.db"], "there is no database at /dev/null/x.db"),
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

#[test]
fn commands_of_an_operator_never_make_a_database() {
    for arguments in [
        &["operator", "jobs"][..],
        &["operator", "accounts"],
        &["operator", "events"],
        &["operator", "payments"],
        &["operator", "suspend", "ana@example.com"],
        &["pix", "list"],
        &["migrate"],
    ] {
        let (output, folder) = run(arguments);
        assert_eq!(code(&output), 2, "{arguments:?}");
        let place = folder.path().canonicalize().unwrap().join("data/site-audit.db");
        let told = format!("there is no database at {};", place.display());
        assert!(stderr(&output).contains(&told), "{arguments:?}: {}", stderr(&output));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{arguments:?}");
    }
}

#[test]
fn a_port_in_use_is_told_with_what_to_do() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let (output, _folder) = run(&["serve", "--listen", &address]);
    let told = format!("listen: {address} is in use by another program; choose another with --listen");
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains(&told), "{}", stderr(&output));
}

#[cfg(unix)]
#[test]
fn a_second_server_on_one_file_is_refused_and_names_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let (mut first, _) = serve(&folder);
    let second = program().args(["--listen", "127.0.0.1:0"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(code(&second), 2);
    let told = format!("site-audit.db is in use by another server (process {}); stop that server", first.id());
    assert!(stderr(&second).contains(&told), "{}", stderr(&second));
    // What an operator does beside it goes on.
    let jobs = program().args(["operator", "jobs"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(code(&jobs), 0, "{}", stderr(&jobs));
    interrupt(&first);
    first.wait().unwrap();
    let (mut next, _) = serve(&folder);
    interrupt(&next);
    assert_eq!(next.wait().unwrap().code(), Some(0));
}

/// Sends a call on a connection that stays open; its status and body.
#[cfg(target_os = "linux")]
fn call(connection: &mut TcpStream, request: &str) -> (u16, String) {
    connection.write_all(request.as_bytes()).unwrap();
    let mut answer = BufReader::new(connection);
    let (mut line, mut length) = (String::new(), 0);
    answer.read_line(&mut line).unwrap();
    let status = line.split(' ').nth(1).unwrap().parse().unwrap();
    while line != "\r\n" {
        line.clear();
        answer.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    answer.read_exact(&mut body).unwrap();
    (status, String::from_utf8(body).unwrap())
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn without_file_descriptors_an_audit_is_refused_and_the_site_is_not_blamed() {
    let site = TestSite::start(|_| SiteAnswer::html("<title>t</title>")).await;
    let folder = tempfile::tempdir().unwrap();
    let mut child = Command::new("sh")
        .args(["-c", "ulimit -n 64 && exec \"$0\" --listen 127.0.0.1:0", env!("CARGO_BIN_EXE_site-audit")])
        .current_dir(folder.path())
        .env("SITE_AUDIT_FETCH__ALLOW_PRIVATE", "127.0.0.0/8")
        .env("SITE_AUDIT_FETCH__ALLOW_PORTS", "*")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (_, address) = line.split_once(" listens on ").unwrap_or_else(|| panic!("{line}"));
    let address = address.split(": ").next().unwrap().to_owned();
    let health = format!("GET /api/health HTTP/1.1\r\nhost: {address}\r\n\r\n");
    let body = format!("{{\"url\":\"{}\"}}", site.url("/"));
    let audit = format!(
        "POST /api/audit HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut connection = TcpStream::connect(&address).unwrap();
    assert_eq!(call(&mut connection, &health).0, 200);
    let held: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    while !line.contains("could not be accepted") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0);
    }
    let (status, refused) = call(&mut connection, &audit);
    assert_eq!(status, 503, "{refused}");
    assert!(refused.contains("\"code\":\"overloaded\"") && refused.contains("retry_after"), "{refused}");
    assert_eq!(call(&mut connection, &health).0, 200);
    drop(held);
    while call(&mut connection, &audit).0 != 200 {}
    interrupt(&child);
    drop(connection);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// Each call after the first would find the process gone: a log that can't be written ended it.
#[cfg(unix)]
#[test]
fn a_log_that_can_not_be_written_ends_nothing() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let (reader, closed) = std::io::pipe().unwrap();
    drop(reader);
    for log in [std::process::Stdio::from(full()), closed.into()] {
        let folder = tempfile::tempdir().unwrap();
        // At this level each call writes lines.
        let (mut child, address) =
            started(program().env("SITE_AUDIT_LOG__FILTER", "trace").current_dir(folder.path()).stderr(log));
        for _ in 0..3 {
            let (healthy, _) = run(&["healthcheck", "--listen", &address]);
            assert_eq!(code(&healthy), 0, "{}", stderr(&healthy));
        }
        interrupt(&child);
        assert_eq!(child.wait().unwrap().code(), Some(0));
    }
}

#[cfg(unix)]
#[test]
fn a_greeting_that_can_not_be_printed_ends_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut child =
        program().args(["--listen", "127.0.0.1:0"]).current_dir(folder.path()).stdout(full).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("the greeting can't be printed") {
        line.clear();
        assert_ne!(log.read_line(&mut line).unwrap(), 0);
    }
    let line: serde_json::Value = serde_json::from_str(&line).unwrap();
    let (healthy, _) = run(&["healthcheck", "--listen", line["address"].as_str().unwrap()]);
    assert_eq!(code(&healthy), 0, "{}", stderr(&healthy));
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
