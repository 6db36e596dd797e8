//! Runs over sites on several servers, and on one that went away.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::Row as _;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::sync::watch;

use super::{begin, begun, get, planted, times, work_off};
use crate::app::TestApp;

testkit::on_both_databases! {
    two_servers_share_the_pages_of_a_run,
    a_run_whose_server_went_away_goes_on_where_it_was,
    a_site_that_asks_for_rest_gets_it_from_all_servers,
}

/// Between two looks at a condition.
const LOOK_EVERY: Duration = Duration::from_millis(20);

async fn until(mut is_reached: impl FnMut() -> bool) {
    let mut looks = tokio::time::interval(LOOK_EVERY);
    while !is_reached() {
        looks.tick().await;
    }
}

fn is_asked(site: &TestSite, path: &str) -> bool {
    site.asked().iter().any(|asked| asked.path == path)
}

/// The planted site, which holds a page back until it is let go.
async fn holding(held: &'static str) -> (TestSite, watch::Sender<bool>) {
    let (release, released) = watch::channel(false);
    let site = TestSite::start(move |asked| match asked.path == held {
        true => SiteAnswer::Held(Box::new(planted(asked)), released.clone()),
        false => planted(asked),
    })
    .await;
    (site, release)
}

/// A report without what is each run's own: addresses are those of the site.
async fn report(app: &TestApp, token: &str, id: &str, site: &TestSite) -> String {
    let report = get(app, token, &format!("/api/sites/{id}/report")).await;
    report.to_string().replace(&site.url(""), "http://site")
}

/// The report of an undisturbed run of one server.
async fn undisturbed(app: &TestApp, token: &str) -> String {
    let site = TestSite::start(planted).await;
    let id = begun(&app.call(begin(token, &json!({"url": site.url("/")}))).await);
    work_off(app).await;
    report(app, token, &id, &site).await
}

async fn two_servers_share_the_pages_of_a_run(database: TestDatabase) {
    let (site, release) = holding("/a").await;
    let app = TestApp::start_holding(database, |_| {}).await;
    let other = TestApp::start_on(&app, |_| {}).await;
    let token = app.guest().await;
    let id = begun(&app.call(begin(&token, &json!({"url": site.url("/")}))).await);
    let helping = async {
        // The first server holds a seat with a page that does not answer; the other one takes the second seat.
        until(|| is_asked(&site, "/a")).await;
        let asking = async {
            until(|| is_asked(&site, "/product/6")).await;
            release.send(true).unwrap();
        };
        tokio::join!(work_off(&other), asking);
    };
    tokio::join!(work_off(&app), helping);
    let run = get(&other, &token, &format!("/api/sites/{id}")).await;
    assert_eq!(run["status"], "finished", "{run}");
    for (path, times) in times(&site) {
        assert_eq!(times, 1, "{path}");
    }
    let seats = app.database.row("SELECT COUNT(DISTINCT seat) FROM site_pages").await;
    assert_eq!(seats.get::<i64, _>(0), 2, "both asked for pages");
    assert_eq!(report(&other, &token, &id, &site).await, undisturbed(&app, &token).await);
}

async fn a_run_whose_server_went_away_goes_on_where_it_was(database: TestDatabase) {
    let (site, release) = holding("/product/3").await;
    let app = TestApp::start_holding(database, |_| {}).await;
    let token = app.guest().await;
    let id = begun(&app.call(begin(&token, &json!({"url": site.url("/")}))).await);
    let services = app.app.clone();
    let working = tokio::spawn(async move { service::jobs::work_off(&services).await });
    until(|| is_asked(&site, "/product/3")).await;
    working.abort();
    assert!(working.await.is_err(), "it went away in the middle of a page");
    let other = TestApp::start_on(&app, |_| {}).await;
    release.send(true).unwrap();
    // The claim of the dead runs out, which takes a while otherwise.
    other.database.execute("UPDATE jobs SET locked_until = 0 WHERE lane = 'site' AND state = 'waiting'").await;
    work_off(&other).await;
    let run = get(&other, &token, &format!("/api/sites/{id}")).await;
    assert_eq!(run["status"], "finished", "{run}");
    for (path, times) in times(&site) {
        assert_eq!(times, 1 + usize::from(path == "/product/3"), "{path}");
    }
    assert_eq!(report(&other, &token, &id, &site).await, undisturbed(&other, &token).await);
}

async fn a_site_that_asks_for_rest_gets_it_from_all_servers(database: TestDatabase) {
    let asked_before = std::sync::atomic::AtomicBool::new(false);
    let site = TestSite::start(move |asked| {
        let is_first = asked.path == "/b" && !asked_before.swap(true, std::sync::atomic::Ordering::SeqCst);
        if is_first {
            let head = "HTTP/1.1 429 X\r\nretry-after: 60\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
            return SiteAnswer::Raw(head.as_bytes().to_vec());
        }
        planted(asked)
    })
    .await;
    let app = TestApp::start(database, |_| {}).await;
    let other = TestApp::start_on(&app, |_| {}).await;
    let token = app.guest().await;
    let id = begun(&app.call(begin(&token, &json!({"url": site.url("/")}))).await);
    work_off(&app).await;
    let asked = site.asked().len();
    assert_eq!(work_off(&other).await, 0, "its seats wait in the queue");
    assert_eq!(site.asked().len(), asked);
    for app in [&app, &other] {
        app.pass(Duration::from_secs(61));
    }
    tokio::join!(work_off(&app), work_off(&other));
    let run: Value = get(&app, &token, &format!("/api/sites/{id}")).await;
    assert_eq!((&run["status"], times(&site).get("/b")), (&json!("finished"), Some(&2)), "{run}");
}
