//! What goes on while the database takes no writes.

use serde_json::Value;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::people;
use crate::app::{Call, TestApp};

testkit::on_both_databases! { f07_reads_go_on_while_another_process_holds_the_database }

/// Tables that the calls of this test write to.
const WRITTEN: &[&str] = &["audits", "guests", "daily_counters", "hourly_counters", "api_keys", "shares"];

/// One failed write made every read fail for two seconds.
async fn f07_reads_go_on_while_another_process_holds_the_database(database: TestDatabase) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><title>Bread</title><h1>Bread</h1>"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let key = format!("Bearer {}", people::key(&app, &format!("account:{account}")).await);
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let id = audit["id"].as_str().unwrap().to_owned();
    let shared = app.call(Call::new("POST", &format!("/api/audits/{id}/share")).token(&token)).await.json();
    let slug = shared["slug"].as_str().unwrap().to_owned();

    let held = app.database.hold_writes(WRITTEN).await;
    let reads = [
        Call::get(&format!("/api/audits/{id}")).token(&token),
        Call::get("/api/tabs").header("authorization", &key),
        Call::get(&format!("/api/shared/{slug}")),
        Call::get(&format!("/r/{slug}")),
        Call::get(&format!("/api/badge/{slug}")),
        Call::get(&format!("/badge/{slug}.svg")),
        Call::get("/api/gate"),
    ];
    // Before each read a write fails, or is refused because one failed a moment ago.
    for read in reads {
        let refused = app.call(Call::new("POST", "/api/guest")).await;
        assert_eq!(refused.refusal(), (503, "database_unavailable".to_owned()));
        let path = read.path.clone();
        let answer = app.call(read).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await;
    assert_eq!((audit.status, &audit.json()["id"]), (200, &Value::Null), "{}", audit.body);
    held.release().await;
    // Writes go on by themselves.
    while app.call(Call::new("POST", "/api/guest")).await.status != 200 {}
    let count = app.database.row("SELECT COUNT(*) FROM audits").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&count, 0), 1, "no write that was reported as failed was made");
}
