//! A guest's things become an account's: all of them, once.

use serde_json::{Value, json};
use sqlx::{Connection as _, Executor as _, Row as _};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::people::{self, SignedIn};
use crate::app::{Call, NOW, Response, TestApp};

testkit::on_both_databases! {
    everything_of_a_guest_becomes_the_accounts,
    of_two_accounts_that_claim_twenty_times_at_once_one_gets_everything,
    what_is_no_guest_is_refused,
    a_claim_that_the_database_holds_up_can_be_sent_again,
}

async fn claim(app: &TestApp, session: &SignedIn, token: &str) -> Response {
    let body = json!({ "guest_token": token }).to_string();
    app.call(session.page(app, Call::new("POST", "/api/auth/claim").body(&body))).await
}

/// The answer to a claim; a guest has as many shares as purchases.
fn claimed(audits: u64, tabs: u64, left: u64, purchases: u64) -> Value {
    let moved = json!({ "audits": audits, "tabs": tabs, "shares": purchases });
    let product = json!({ "movidos": moved, "apagados": left, "direitos": purchases });
    json!({ "ok": true, "claimed": { "site-audit": product } })
}

/// A guest with two audits, one of them shared, two tabs and a credit of 5 dollars; its token and its owner text.
async fn guest(app: &TestApp) -> (String, String) {
    let token = app.guest().await;
    let row = app.database.row("SELECT id FROM guests ORDER BY created_at DESC, id DESC LIMIT 1").await;
    let owner = format!("guest:{}", row.get::<String, _>(0));
    for n in 0..2 {
        app.database
            .execute(&format!(
                "INSERT INTO audits (id, owner, requested_url, url, score, created_at, body) \
                 VALUES ('{owner}-{n}', '{owner}', 'u', 'u', 1, {at}, ''); \
                 INSERT INTO tabs (id, owner, url, created_at, monitor, alert_agreed) \
                 VALUES ('{owner}-{n}', '{owner}', 'https://example.com/{n}', {at}, 0, 0);",
                at = NOW.0
            ))
            .await;
    }
    app.database
        .execute(&format!(
            "INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
             VALUES ('{owner}', '{owner}', '{owner}', 0, 5000000, {at}); \
             INSERT INTO shares (slug, audit_id, created_at) VALUES ('{owner}', '{owner}-0', {at});",
            at = NOW.0
        ))
        .await;
    (token, owner)
}

/// Audits, tabs and money of an owner.
async fn has(app: &TestApp, owner: &str) -> (i64, i64, i64) {
    let mut connection = app.database.connection().await;
    let sql = format!(
        "SELECT (SELECT COUNT(*) FROM audits WHERE owner = '{owner}'), \
         (SELECT COUNT(*) FROM tabs WHERE owner = '{owner}'), \
         (SELECT CAST(COALESCE(SUM(balance_micros), 0) AS BIGINT) FROM credits WHERE owner = '{owner}')"
    );
    let row = connection.fetch_one(sqlx::query(sqlx::AssertSqlSafe(sql))).await.unwrap();
    connection.close().await.unwrap();
    (row.get(0), row.get(1), row.get(2))
}

async fn everything_of_a_guest_becomes_the_accounts(database: TestDatabase) {
    let site =
        TestSite::start(
            |asked| if asked.path == "/" { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() },
        );
    let site = site.await;
    let app = TestApp::start(database, |_| {}).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    let (token, owner) = guest(&app).await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json()["id"].clone();
    app.database
        .execute(&format!(
            "INSERT INTO tabs (id, owner, url, created_at, monitor, alert_agreed) \
             VALUES ('own', 'account:{ana}', 'https://example.com/1', 1, 0, 0)"
        ))
        .await;
    let answer = claim(&app, &session, &token).await;
    assert_eq!((answer.status, answer.json()), (200, claimed(3, 1, 1, 1)));
    assert_eq!(has(&app, &format!("account:{ana}")).await, (3, 2, 5_000_000));
    assert_eq!(has(&app, &owner).await, (0, 1, 0));
    // The account reads what the guest made; the guest's token is nobody's.
    let path = format!("/api/audits/{}", audit.as_str().unwrap());
    assert_eq!(app.call(session.cookie(Call::get(&path))).await.status, 200);
    assert_eq!(app.call(Call::get(&path).token(&token)).await.refusal(), (401, "guest_token_invalid".to_owned()));
    // Again moves nothing; another account gets nothing.
    assert_eq!(claim(&app, &session, &token).await.json(), claimed(0, 0, 0, 0));
    let bo = people::account(&app, "bo").await;
    let refused = claim(&app, &people::session(&app, &bo).await, &token).await;
    assert_eq!(refused.refusal(), (409, "unknown_guest".to_owned()));
    assert_eq!(refused.json()["claimed"], json!({ "reason": "unknown_guest" }));
    assert_eq!(has(&app, &format!("account:{bo}")).await, (0, 0, 0));
}

async fn of_two_accounts_that_claim_twenty_times_at_once_one_gets_everything(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let accounts = [people::account(&app, "ana").await, people::account(&app, "bo").await];
    let [ana, bo] = &accounts;
    let sessions = [people::session(&app, ana).await, people::session(&app, bo).await];
    let (token, owner) = guest(&app).await;
    let calls = sessions.iter().cycle().take(20).map(|session| claim(&app, session, &token));
    let answers = futures_util::future::join_all(calls).await;
    let told = |wanted: &Value| answers.iter().filter(|answer| answer.json() == *wanted).count();
    let refused = answers.iter().filter(|answer| answer.status == 409).count();
    assert_eq!((told(&claimed(2, 2, 0, 1)), told(&claimed(0, 0, 0, 0)), refused), (1, 9, 10), "{answers:?}");
    let (of_ana, of_bo) = (has(&app, &format!("account:{ana}")).await, has(&app, &format!("account:{bo}")).await);
    let mut both = [of_ana, of_bo];
    both.sort_unstable();
    assert_eq!((both, has(&app, &owner).await), ([(0, 0, 0), (2, 2, 5_000_000)], (0, 0, 0)));
}

async fn what_is_no_guest_is_refused(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    for token in ["", "pa_", "x", &format!("mmk_{}", "A".repeat(43)), &format!("pa_{}", "\u{0}".repeat(43))] {
        let refused = claim(&app, &session, token).await.refusal();
        assert_eq!(refused, (400, "invalid_product_claim".to_owned()), "{token:?}");
    }
    for body in ["{}", r#"{"guest_token":7}"#, r#"{"guest_token":null}"#, "x"] {
        let call = session.page(&app, Call::new("POST", "/api/auth/claim").body(body));
        assert_eq!(app.call(call).await.refusal(), (400, "invalid_body".to_owned()), "{body}");
    }
    let unknown = claim(&app, &session, &format!("pa_{}", "A".repeat(43))).await;
    assert_eq!(unknown.refusal(), (409, "unknown_guest".to_owned()));
}

async fn a_claim_that_the_database_holds_up_can_be_sent_again(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    let (token, _) = guest(&app).await;
    let mut holder = app.database.connection().await;
    let hold: &[&'static str] =
        if app.database.is_postgres() { &["BEGIN", "LOCK TABLE guests"] } else { &["BEGIN IMMEDIATE"] };
    for statement in hold {
        holder.execute(*statement).await.unwrap();
    }
    let held_up = claim(&app, &session, &token).await;
    assert_eq!(held_up.refusal(), (503, "product_claim_pending".to_owned()));
    assert_eq!(held_up.header("retry-after"), "5");
    holder.execute("ROLLBACK").await.unwrap();
    // The breaker leaves the database alone for a moment.
    while claim(&app, &session, &token).await.status != 200 {
        tokio::task::yield_now().await;
    }
    assert_eq!(has(&app, &format!("account:{ana}")).await, (2, 2, 5_000_000));
}
