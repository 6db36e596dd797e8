//! Backups of both databases, made beside writers, and their return.

use std::path::Path;
use std::process::Output;

use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::server::{interrupt, serve};
use super::{code, program, stderr, stdout};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    what_was_acknowledged_before_a_backup_comes_back,
}

/// Runs a command in an empty folder, off the async workers.
async fn run(arguments: &[&str]) -> Output {
    let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
    let running = move || {
        let folder = tempfile::tempdir().unwrap();
        program().args(arguments).current_dir(folder.path()).output().unwrap()
    };
    tokio::task::spawn_blocking(running).await.unwrap()
}

async fn succeeds(arguments: &[&str]) -> String {
    let output = run(arguments).await;
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output)
}

async fn refused(arguments: &[&str], words: &str) {
    let output = run(arguments).await;
    assert_eq!(code(&output), 2, "{}", stdout(&output));
    assert!(stderr(&output).contains(words), "{words}: {}", stderr(&output));
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

async fn what_was_acknowledged_before_a_backup_comes_back(database: TestDatabase) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><html lang=en><title>Bread</title><h1>Bread</h1>"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let audited = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let path = format!("/api/audits/{}", audited["id"].as_str().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let backup = folder.path().join("a copy's file");
    let url = app.database.url().to_owned();
    let writing = async {
        for _ in 0..20 {
            app.guest().await;
        }
    };
    let arguments = ["backup", text(&backup), "--database-url", &url];
    let (said, ()) = tokio::join!(succeeds(&arguments), writing);
    assert!(said.contains("checked"), "{said}");
    #[cfg(unix)]
    {
        let mode = std::os::unix::fs::MetadataExt::mode(&std::fs::metadata(&backup).unwrap());
        assert_eq!(mode & 0o077, 0, "only its owner may read it");
    }
    let later = app.guest().await;
    refused(&arguments, "already exists").await;

    let other = match app.database.is_postgres() {
        true => TestDatabase::postgres().await.unwrap(),
        false => TestDatabase::sqlite(),
    };
    let said = succeeds(&["restore", text(&backup), "--database-url", other.url()]).await;
    assert!(said.contains("restored"), "{said}");
    let notes = folder.path().join("notes.txt");
    std::fs::write(&notes, "no backup at all").unwrap();
    refused(&["restore", text(&notes), "--database-url", other.url()], "").await;
    let restored = TestApp::start(other, |_| {}).await;
    let read = async |app: &TestApp, token: &str| app.call(Call::get(&path).token(token)).await;
    let (before, after) = (read(&app, &token).await, read(&restored, &token).await);
    assert_eq!((before.status, after.status), (200, 200), "{}", after.body);
    assert_eq!(
        before.body.replace(&app.url(""), "http://service"),
        after.body.replace(&restored.url(""), "http://service")
    );
    assert_eq!(read(&restored, &later).await.status, 401, "what came later is not in it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_is_replaced_on_request_only_and_never_under_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("data/site-audit.db");
    let url = format!("sqlite://{}", text(&database));
    refused(&["backup", "x.db", "--database-url", &url], "no database at").await;
    refused(&["restore", "x.db", "--database-url", &url], "no backup at x.db").await;
    let (mut child, _) = serve(&folder);
    let backup = folder.path().join("x.db");
    succeeds(&["backup", text(&backup), "--database-url", &url]).await;
    let restore = ["restore", text(&backup), "--database-url", &url];
    refused(&restore, "--replace").await;
    let replace = [&restore[..], &["--replace"]].concat();
    refused(&replace, "in use by another server").await;
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    succeeds(&replace).await;
    let kept = std::fs::read_dir(database.parent().unwrap()).unwrap();
    let kept = kept.filter(|file| file.as_ref().unwrap().file_name().to_string_lossy().contains(".before-"));
    assert!(kept.count() >= 1, "the database that was there is kept");
    let (mut child, _) = serve(&folder);
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
