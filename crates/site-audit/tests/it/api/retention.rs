//! What is kept for how long, with the clock moved.

use std::time::Duration;

use serde_json::json;
use service::jobs;
use sqlx::Row as _;
use testkit::TestDatabase;

use super::tabs::{GOOD, Page, get, open, send};
use super::{accounts, people};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    everybody_s_things_are_kept_as_long_as_was_said,
    a_guest_who_is_gone_is_forgotten_but_for_money,
    what_signed_people_in_is_forgotten_a_month_after_it_was_over,
}

const DAY: Duration = Duration::from_secs(86_400);

async fn housekeeping(app: &TestApp) {
    jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    jobs::work_off(&app.app).await.unwrap();
}

async fn count(app: &TestApp, sql: &'static str) -> i64 {
    app.database.row(sql).await.get(0)
}

async fn everybody_s_things_are_kept_as_long_as_was_said(database: TestDatabase) {
    const NOBODYS: &str = "SELECT COUNT(*) FROM audits WHERE owner IS NULL";
    const OF_GUESTS: &str = "SELECT COUNT(*) FROM audits WHERE owner LIKE 'guest:%'";
    const TABS_OF_GUESTS: &str = "SELECT COUNT(*) FROM tabs WHERE owner LIKE 'guest:%'";
    const WORKSPACES_OF_GUESTS: &str = "SELECT COUNT(*) FROM workspaces WHERE owner LIKE 'guest:%'";
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| ()).await;
    let account = people::account(&app, "ana").await;
    let (guest, key) = (app.guest().await, people::key(&app, &format!("account:{account}")).await);
    let mut tabs = Vec::new();
    for token in [&guest, &key] {
        let id = open(&app, token, &page.url()).await;
        assert_eq!(send(&app, token, "POST", &format!("/api/tabs/{id}/run"), json!(null)).await.status, 200);
        tabs.push(id);
    }
    assert_eq!(app.call(Call::audit(&page.url())).await.status, 200);

    app.pass(90 * DAY);
    housekeeping(&app).await;
    assert_eq!(count(&app, NOBODYS).await, 1);
    app.pass(DAY);
    housekeeping(&app).await;
    assert_eq!((count(&app, NOBODYS).await, count(&app, OF_GUESTS).await), (0, 1));

    // A guest who comes back begins a new time.
    get(&app, &guest, "/api/tabs").await;
    let now = app.app.ports().now().0;
    while count(&app, "SELECT last_seen_at FROM guests").await != now {}
    app.pass(395 * DAY);
    housekeeping(&app).await;
    assert_eq!((count(&app, OF_GUESTS).await, count(&app, TABS_OF_GUESTS).await), (1, 1));
    app.pass(2 * DAY);
    housekeeping(&app).await;
    for sql in [OF_GUESTS, TABS_OF_GUESTS, WORKSPACES_OF_GUESTS, "SELECT COUNT(*) FROM guests"] {
        assert_eq!(count(&app, sql).await, 0, "{sql}");
    }
    // An account's stay.
    let kept = get(&app, &key, &format!("/api/tabs/{}", tabs[1])).await;
    assert_eq!(kept["result"]["url"], page.url());
}

async fn a_guest_who_is_gone_is_forgotten_but_for_money(database: TestDatabase) {
    const GUESTS: &str = "SELECT COUNT(*) FROM guests";
    let app = TestApp::start(database, |_| ()).await;
    let rich = app.guest().await;
    app.database
        .execute(
            "INSERT INTO credits (id, token_digest, owner, is_dev, balance_micros, created_at) \
             SELECT 'c', 'c', 'guest:' || id, 0, 5000000, 1 FROM guests",
        )
        .await;
    let idle = app.guest().await;
    app.pass(395 * DAY);
    housekeeping(&app).await;
    assert_eq!(count(&app, GUESTS).await, 2);
    app.pass(2 * DAY);
    housekeeping(&app).await;
    assert_eq!(count(&app, GUESTS).await, 1);
    let answer = async |token: &str| app.call(Call::get("/api/tabs").token(token)).await.status;
    assert_eq!((answer(&idle).await, answer(&rich).await), (401, 200));
}

async fn what_signed_people_in_is_forgotten_a_month_after_it_was_over(database: TestDatabase) {
    let (app, mail) = accounts::start(database).await;
    let mut browser = accounts::signed_up(&app, &mail, "ana@example.com").await;
    browser.post("/api/auth/sign-in", &json!({"email": "ana@example.com", "password": "a wrong password"})).await;
    let kept = async || {
        let mut kept = Vec::new();
        for sql in [
            "SELECT COUNT(*) FROM email_tokens",
            "SELECT COUNT(*) FROM throttles",
            "SELECT COUNT(*) FROM sessions",
            "SELECT COUNT(*) FROM accounts",
        ] {
            kept.push(count(&app, sql).await);
        }
        kept
    };
    assert_eq!(kept().await, [1, 2, 1, 1]);
    // The link was good for a day, the session for 180.
    app.pass(30 * DAY);
    housekeeping(&app).await;
    assert_eq!(kept().await[..3], [1, 2, 1]);
    app.pass(2 * DAY);
    housekeeping(&app).await;
    assert_eq!(kept().await, [0, 0, 1, 1]);
    app.pass(177 * DAY);
    housekeeping(&app).await;
    assert_eq!(kept().await, [0, 0, 1, 1]);
    app.pass(2 * DAY);
    housekeeping(&app).await;
    assert_eq!(kept().await, [0, 0, 0, 1]);
}
