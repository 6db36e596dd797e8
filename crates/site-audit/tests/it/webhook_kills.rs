//! A server that is killed in the middle of a delivery, on both databases: after its return the delivery is made, with the same id.

use serde_json::json;
use service::credential::{TokenKind, token_digest};
use sqlx::{AssertSqlSafe, Executor as _, Row as _};
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::sync::watch;

use crate::server_process::{ServerProcess, until};

testkit::on_both_databases! { a_killed_server_delivers_after_its_return }

/// Settings of a server that has webhooks.
const SETTINGS: &[(&str, &str)] = &[("AUTH__SECRET", "a secret of tests, of 32 bytes or more")];

async fn key(database: &TestDatabase) -> String {
    let token = TokenKind::Key.token([7; 32]);
    let mut connection = database.connection().await;
    let account = "INSERT INTO accounts (id, email, email_canonical, name, locale, time_zone, theme, revision, status, \
        created_at) VALUES ('00000000-0000-7000-8000-00000000000a', 'ana@example.com', 'ana@example.com', 'ana', 'en', \
        'UTC', 'system', 1, 'active', 0)";
    connection.execute(sqlx::query(account)).await.unwrap();
    let key = "INSERT INTO api_keys (id, owner, product, created_by, name, token_digest, last4, created_at) \
        VALUES ('k', 'account:00000000-0000-7000-8000-00000000000a', 'site-audit', 'x', 'x', $1, 'x', 0)";
    let key = sqlx::query(AssertSqlSafe(key.to_owned())).bind(token_digest(&token).to_vec());
    connection.execute(key).await.unwrap();
    token
}

async fn state(database: &TestDatabase) -> (String, i64) {
    let row = database.row("SELECT state, attempts FROM webhook_deliveries").await;
    (row.get("state"), row.get("attempts"))
}

async fn a_killed_server_delivers_after_its_return(database: TestDatabase) {
    let (release, held) = watch::channel(false);
    let taken = SiteAnswer::page(200, "text/plain", "");
    let receiver = TestSite::start(move |_| SiteAnswer::Held(Box::new(taken.clone()), held.clone())).await;
    let server = ServerProcess::start(&database, SETTINGS);
    let key = format!("x-api-key: {}", key(&database).await);
    let body = json!({"url": receiver.url("/hooks")}).to_string();
    let made = server.call("POST", "/api/webhooks", &key, &body).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let id = made.json()["webhook"]["id"].as_str().unwrap().to_owned();
    // A run of a page is tried again; a test is not.
    let queued = server.call("POST", &format!("/api/webhooks/{id}/test"), &key, "").await;
    assert_eq!(queued.status, 202, "{}", queued.body);
    let as_run =
        "UPDATE page_events SET kind = 'run.finished', body_en = REPLACE(body_en, 'webhook.test', 'run.finished')";
    until(async || !receiver.asked().is_empty()).await;
    server.kill();
    assert_eq!(state(&database).await, ("waiting".to_owned(), 1), "nobody has told of its end");
    database.execute(as_run).await;
    // The claim of the dead runs out, which takes minutes otherwise, and the next try is due.
    database.execute("UPDATE jobs SET locked_until = 0 WHERE lane = 'webhook'").await;
    database.execute("UPDATE webhook_deliveries SET next_at = 0").await;
    release.send(true).unwrap();
    let server = ServerProcess::start(&database, SETTINGS);
    until(async || state(&database).await.0 != "waiting").await;
    assert_eq!(state(&database).await, ("delivered".to_owned(), 2));
    let ids: Vec<String> = receiver
        .asked()
        .iter()
        .map(|told| told.head.lines().find_map(|line| line.strip_prefix("webhook-id: ")).unwrap().to_owned())
        .collect();
    assert_eq!((ids.len(), &ids[0]), (2, &ids[1]));
    // The job is done, and leaves no work behind.
    until(async || database.row("SELECT state FROM jobs WHERE lane = 'webhook'").await.get::<String, _>(0) == "done")
        .await;
    server.kill();
}
