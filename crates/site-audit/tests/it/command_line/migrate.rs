//! An SQLite database that moves to PostgreSQL, with what people made in it.

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::{code, program, stderr, stdout};
use crate::api::tabs::{open, send};
use crate::app::{Call, TestApp};

/// Runs `site-audit migrate` off the async workers: its exit code, and all that it printed.
async fn migrate(from: &str, to: &str) -> (i32, String) {
    let mut command = program();
    command.args(["migrate", "--from", from, "--to", to]);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    (code(&output), stdout(&output) + &stderr(&output))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_moves_with_all_that_people_made() {
    let Some(new) = TestDatabase::postgres().await else { return };
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><html lang=en><title>Bread</title><h1>Bread</h1>"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let token = app.guest().await;
    let audited = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let tab = open(&app, &token, &site.url("/")).await;
    let note = json!({"note": "pão, água"});
    assert_eq!(send(&app, &token, "PATCH", &format!("/api/tabs/{tab}"), note).await.status, 200);

    let (exit, said) = migrate(app.database.url(), new.url()).await;
    assert_eq!(exit, 0, "{said}");
    assert!(said.contains("compared with") && said.contains(".secret"), "{said}");
    assert!(!said.contains("postgres:postgres@") && !said.contains("password"), "{said}");
    let (exit, said) = migrate(app.database.url(), new.url()).await;
    assert_eq!(exit, 2, "{said}");
    assert!(said.contains("use an empty one"), "{said}");

    let moved = TestApp::start(new, |_| {}).await;
    for path in [format!("/api/audits/{}", audited["id"].as_str().unwrap()), "/api/tabs".to_owned()] {
        let read = async |app: &TestApp| {
            let answer = app.call(Call::get(&path).token(&token)).await;
            assert_eq!(answer.status, 200, "{}", answer.body);
            let json: Value = serde_json::from_str(&answer.body.replace(&app.url(""), "http://service")).unwrap();
            json
        };
        assert_eq!(read(&moved).await, read(&app).await, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_moved_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let missing = format!("sqlite://{}", folder.path().join("no.db").display());
    for (from, to, words) in [
        ("postgres://a/b", "postgres://a/c", "--from: must be sqlite://"),
        (&*missing, "sqlite://x.db", "--to: must be a postgres:// URL"),
        (&*missing, "postgres://a/c", "--from: there is no database at"),
    ] {
        let (exit, said) = migrate(from, to).await;
        assert_eq!(exit, 2, "{said}");
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!folder.path().join("no.db").exists(), "nothing is made");
}
