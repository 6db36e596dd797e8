//! What is kept for how long, with the clock moved.

use std::time::Duration;

use serde_json::json;
use site_audit::jobs;
use sqlx::Row as _;
use testkit::TestDatabase;

use super::people;
use super::tabs::{GOOD, Page, get, open, send};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    everybody_s_things_are_kept_as_long_as_was_said,
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
    app.pass(395 * DAY);
    housekeeping(&app).await;
    assert_eq!((count(&app, OF_GUESTS).await, count(&app, TABS_OF_GUESTS).await), (1, 1));
    app.pass(2 * DAY);
    housekeeping(&app).await;
    for sql in [OF_GUESTS, TABS_OF_GUESTS, WORKSPACES_OF_GUESTS] {
        assert_eq!(count(&app, sql).await, 0, "{sql}");
    }
    // An account's stay.
    let kept = get(&app, &key, &format!("/api/tabs/{}", tabs[1])).await;
    assert_eq!(kept["result"]["url"], page.url());
}
