//! The calendar of followed pages: as JSON, and as iCalendar beside the feed.

use serde_json::{Value, json};
use testkit::{MailServer, TestDatabase};

use super::people;
use super::tabs::{GOOD, Page, get, open, send};
use crate::app::{Call, TestApp};
use crate::jobs::mailing;

testkit::on_both_databases! {
    dates_of_followed_pages_are_in_their_owner_s_calendar,
    a_calendar_has_the_latest_run_only_and_keeps_ids,
    links_that_wait_for_an_answer_are_dates_too,
}

/// Pages that say until when they are valid: the second is the first, renewed.
pub(crate) const OFFER: &str = "<!doctype html><html lang=en><title>Bread baked every morning</title><h1>Bread</h1>\
    <script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Rye\",\"offers\":\
    {\"@type\":\"Offer\",\"priceValidUntil\":\"2026-02-14\",\"validThrough\":\"2025-12-01\"}}</script>";
const RENEWED: &str = "<!doctype html><html lang=en><title>Bread baked every morning</title><h1>Bread</h1>\
    <script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"Rye\",\"offers\":\
    {\"@type\":\"Offer\",\"priceValidUntil\":\"2026-03-14\"}}</script>";

/// An account's key that follows a page and ran it once: the key, and the followed page.
pub(crate) async fn followed(app: &TestApp, page: &Page) -> (String, String) {
    let account = people::account(app, "ana").await;
    let token = people::key(app, &format!("account:{account}")).await;
    let tab = open(app, &token, &page.url()).await;
    run(app, &token, &tab).await;
    (token, tab)
}

async fn run(app: &TestApp, token: &str, tab: &str) {
    let ran = send(app, token, "POST", &format!("/api/tabs/{tab}/run"), Value::Null).await;
    assert_eq!(ran.status, 200, "{}", ran.body);
}

/// Paths of the feed and the calendar of an owner.
pub(crate) async fn renewed(app: &TestApp, token: &str) -> (String, String) {
    let made = send(app, token, "POST", "/api/feed?lang=en", Value::Null).await.json();
    let path = |name: &str| made[name].as_str().unwrap().strip_prefix(&app.url("")).unwrap().to_owned();
    (path("url"), path("calendar"))
}

async fn dates_of_followed_pages_are_in_their_owner_s_calendar(database: TestDatabase) {
    let page = Page::start(OFFER).await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, tab) = followed(&app, &page).await;
    let calendar = get(&app, &token, "/api/calendar?lang=pt-BR").await;
    // What passed more than 30 days ago is left out.
    let [entry] = &calendar["entries"].as_array().unwrap()[..] else { panic!("{calendar}") };
    assert_eq!(entry["at"], "2026-02-14T00:00:00.000Z");
    assert_eq!((&entry["kind"], &entry["property"]), (&json!("structured_data"), &json!("Offer.priceValidUntil")));
    assert_eq!((&entry["tab_id"], &entry["url"]), (&json!(tab), &json!(page.url())));
    assert_eq!(entry["title"], format!("Offer.priceValidUntil termina: {}", page.url()));
    assert_eq!(entry["found_at"], "2026-01-31T09:30:00.000Z");
    let guest = app.guest().await;
    assert_eq!(get(&app, &guest, "/api/calendar").await, json!({"entries": []}));

    let (feed, path) = renewed(&app, &token).await;
    let read = app.call(Call::get(&path)).await;
    assert_eq!((read.status, read.header("content-type")), (200, "text/calendar; charset=utf-8"));
    assert_eq!(read.header("cache-control"), "no-store");
    for part in ["DTSTART;VALUE=DATE:20260214\r\n", &format!("UID:{}\r\n", entry["id"].as_str().unwrap())] {
        assert!(read.body.contains(part), "{part}: {}", read.body);
    }
    for (lang, day) in [("en", "14 Feb 2026\\, 00:00 UTC\r\n"), ("pt-BR", "14 fev. 2026\\, 00:00 UTC\r\n")] {
        let text = app.call(Call::get(&path.replace("lang=en", &format!("lang={lang}")))).await.body;
        assert!(text.replace("\r\n ", "").contains(day), "{day}: {text}");
    }
    // One secret for both: a renewed feed leaves no calendar behind.
    let (other_feed, other) = renewed(&app, &token).await;
    assert_eq!(app.call(Call::get(&path)).await.refusal(), (404, "not_found".to_owned()));
    assert_eq!(app.call(Call::get(&other)).await.body, read.body);
    assert!(feed != other_feed && app.call(Call::get(&other_feed)).await.status == 200);
    for path in ["/feeds/x/calendar.ics", &format!("/feeds/{}/calendar.ics", "A".repeat(43))] {
        assert_eq!(app.call(Call::get(path)).await.refusal(), (404, "not_found".to_owned()), "{path}");
    }
}

async fn a_calendar_has_the_latest_run_only_and_keeps_ids(database: TestDatabase) {
    let page = Page::start(OFFER).await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, tab) = followed(&app, &page).await;
    let entries = async || get(&app, &token, "/api/calendar").await["entries"].as_array().unwrap().clone();
    let before = entries().await;
    page.set(Some(RENEWED));
    app.pass(std::time::Duration::from_secs(60));
    run(&app, &token, &tab).await;
    let after = entries().await;
    assert_eq!((before.len(), after.len()), (1, 1));
    assert_eq!((&before[0]["id"], &after[0]["at"]), (&after[0]["id"], &json!("2026-03-14T00:00:00.000Z")));
    page.set(Some(GOOD));
    app.pass(std::time::Duration::from_secs(60));
    run(&app, &token, &tab).await;
    assert_eq!(entries().await, Vec::<Value>::new());
}

async fn links_that_wait_for_an_answer_are_dates_too(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let mail = MailServer::start().await;
    let app = TestApp::start(database, mailing(&mail)).await;
    let (token, tab) = followed(&app, &page).await;
    let body = json!({"monitor": true, "monitor_email": "bo@example.com"});
    let changed = send(&app, &token, "PATCH", &format!("/api/tabs/{tab}"), body).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let calendar = get(&app, &token, "/api/calendar").await;
    let [entry] = &calendar["entries"].as_array().unwrap()[..] else { panic!("{calendar}") };
    assert_eq!((&entry["kind"], &entry["found_at"]), (&json!("watch_link"), &Value::Null));
    let (_, path) = renewed(&app, &token).await;
    let read = app.call(Call::get(&path)).await.body.replace("\r\n ", "");
    assert!(read.contains(&app.url(&format!("/workspace/{tab}"))), "{read}");
    assert!(!read.contains("bo@example.com"), "{read}");
}
