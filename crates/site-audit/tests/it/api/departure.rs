//! What one takes along, and going.

use std::time::Duration;

use serde_json::{Value, json};
use service::jobs;
use sqlx::Row as _;
use testkit::{MailServer, TestDatabase};

use super::people;
use crate::app::{Call, NOW, TestApp};
use crate::jobs::mailing;

testkit::on_both_databases! {
    an_export_holds_everything_but_secrets,
    a_closed_account_is_gone_after_seven_days_and_its_payments_stay,
    who_alone_owns_an_organization_stays,
    an_organization_is_gone_after_seven_days_unless_it_was_kept,
}

const SHARED: &str = "00000000-0000-7000-8000-0000000000aa";

/// An audit, a tab, and a credit of an owner.
async fn belongings(app: &TestApp, owner: &str) {
    app.database
        .execute(&format!(
            "INSERT INTO audits (id, owner, requested_url, url, score, created_at, body) \
             VALUES ('{owner}', '{owner}', 'u', 'https://example.com/', 74, {at}, ''); \
             INSERT INTO tabs (id, owner, url, created_at, monitor, alert_agreed) \
             VALUES ('{owner}', '{owner}', 'https://example.com/', {at}, 0, 0); \
             INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
             VALUES ('{owner}', '{owner}', '{owner}', 0, 5000000, {at});",
            at = NOW.0
        ))
        .await;
}

async fn count(app: &TestApp, sql: &'static str) -> i64 {
    app.database.row(sql).await.get(0)
}

async fn an_export_holds_everything_but_secrets(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    belongings(&app, &format!("account:{ana}")).await;
    people::organization(&app, SHARED, &[(&ana, "member")]).await;
    let key = people::key(&app, &format!("account:{ana}")).await;
    let answer = app.call(session.cookie(Call::get("/api/auth/export"))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let export = answer.json();
    assert_eq!(export["account"], json!({ "id": ana, "email": "ana@example.com" }));
    assert_eq!(export["audits"][0]["url"], "https://example.com/");
    assert_eq!(export["audits"][0]["api"], app.url(&format!("/api/audits/account:{ana}")));
    for part in ["sessions", "keys", "organizations", "tabs", "audits"] {
        assert_eq!(export[part].as_array().unwrap().len(), 1, "{part}");
    }
    for secret in [&key, &session.token, &session.csrf] {
        assert!(!answer.body.contains(secret));
    }
}

async fn a_closed_account_is_gone_after_seven_days_and_its_payments_stay(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    let key = people::key(&app, &format!("account:{ana}")).await;
    belongings(&app, &format!("account:{ana}")).await;
    let bo = people::account(&app, "bo").await;
    belongings(&app, &format!("account:{bo}")).await;
    people::organization(&app, SHARED, &[(&ana, "owner"), (&bo, "owner")]).await;
    let close = || session.page(&app, Call::new("POST", "/api/auth/delete").body(r#"{"email":"Ana@example.com"}"#));
    app.pass(Duration::from_secs(301));
    assert_eq!(app.call(close()).await.refusal(), (401, "reauth_required".to_owned()));
    app.database.execute(&format!("UPDATE sessions SET proven_at = {}", app.app.ports().now().0)).await;
    for (body, code) in [("{}", "invalid_body"), (r#"{"email":"bo@example.com"}"#, "invalid_email")] {
        let call = session.page(&app, Call::new("POST", "/api/auth/delete").body(body));
        assert_eq!(app.call(call).await.refusal(), (400, code.to_owned()));
    }
    let closed = app.call(close()).await;
    assert_eq!((closed.status, closed.json()), (200, json!({ "ok": true })));
    assert!(closed.header("set-cookie").contains("mm-auth=;"), "{}", closed.header("set-cookie"));
    assert_eq!(app.call(close()).await.refusal(), (401, "session_ended".to_owned()));
    let by_key = app.call(Call::get("/api/tools").header("x-api-key", &key)).await;
    assert_eq!(by_key.refusal(), (401, "invalid_api_key".to_owned()));
    assert_eq!(count(&app, "SELECT COUNT(*) FROM members").await, 1);
    jobs::work_off(&app.app).await.unwrap();
    assert_eq!(server.letters().pop().unwrap().to, ["ana@example.com"]);
    // Not before its time.
    jobs::purge(&app.app).await.unwrap();
    assert_eq!(count(&app, "SELECT COUNT(*) FROM accounts").await, 2);
    app.pass(Duration::from_secs(7 * 86_400 + 1));
    jobs::purge(&app.app).await.unwrap();
    for sql in [
        "SELECT COUNT(*) FROM accounts",
        "SELECT COUNT(*) FROM audits",
        "SELECT COUNT(*) FROM tabs",
        "SELECT 1 + COUNT(*) FROM api_keys",
        "SELECT 1 + COUNT(*) FROM sessions",
    ] {
        assert_eq!(count(&app, sql).await, 1, "{sql}");
    }
    assert_eq!(count(&app, "SELECT CAST(SUM(balance_micros) AS BIGINT) FROM credits").await, 10_000_000);
}

async fn who_alone_owns_an_organization_stays(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let (ana, bo) = (people::account(&app, "ana").await, people::account(&app, "bo").await);
    let session = people::session(&app, &ana).await;
    people::organization(&app, SHARED, &[(&ana, "owner"), (&bo, "admin")]).await;
    let close = || session.page(&app, Call::new("POST", "/api/auth/delete").body(r#"{"email":"Ana@example.com"}"#));
    assert_eq!(app.call(close()).await.refusal(), (409, "last_owner".to_owned()));
    assert_eq!(app.call(session.cookie(Call::get("/api/me"))).await.status, 200);
}

async fn an_organization_is_gone_after_seven_days_unless_it_was_kept(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    people::with_second_factor(&app, &session).await;
    people::organization(&app, SHARED, &[(&ana, "owner")]).await;
    people::key(&app, &format!("organization:{SHARED}")).await;
    belongings(&app, &format!("organization:{SHARED}")).await;
    let path = format!("/api/auth/organizations/{SHARED}");
    let call = async |call: Call<'_>| app.call(session.page(&app, call)).await.json();
    let restore = format!("{path}/restore");
    assert_ne!(call(Call::new("DELETE", &path)).await["organization"]["delete_after"], Value::Null);
    call(Call::new("POST", &restore).body("{}")).await;
    app.pass(Duration::from_secs(8 * 86_400));
    jobs::purge(&app.app).await.unwrap();
    assert_eq!(count(&app, "SELECT COUNT(*) FROM organizations").await, 1);
    app.database.execute(&format!("UPDATE sessions SET proven_at = {}", app.app.ports().now().0)).await;
    call(Call::new("DELETE", &path)).await;
    app.pass(Duration::from_secs(7 * 86_400 + 1));
    jobs::purge(&app.app).await.unwrap();
    for sql in [
        "SELECT COUNT(*) FROM organizations",
        "SELECT COUNT(*) FROM members",
        "SELECT COUNT(*) FROM api_keys",
        "SELECT COUNT(*) FROM audits",
        "SELECT COUNT(*) FROM tabs",
    ] {
        assert_eq!(count(&app, sql).await, 0, "{sql}");
    }
    assert_eq!(count(&app, "SELECT COUNT(*) FROM credits").await, 1);
}
