//! The page of a running audit: its stages as they end, one audit for a form that is sent twice, and where it leads.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::sync::watch;

use super::browser::{LOOKS, keep_picture};
use super::cookie;
use super::tab::{Tab, has_axe};
use crate::api::tabs::GOOD;
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_browser_sees_the_stages_of_its_audit_and_then_the_report,
    a_form_that_is_sent_twice_begins_one_audit,
    an_audit_that_fails_leads_back_to_the_form,
    a_run_of_a_followed_page_has_the_same_page,
    two_compared_pages_show_their_stages,
    a_stage_ends_with_its_last_file_and_tells_how_many_there_are,
}

const FORM: &str = "application/x-www-form-urlencoded";
/// How long a stage may take to end here before the test fails.
const MOST_TIME: Duration = Duration::from_secs(60);
/// As browsers send it when they open a page.
const ACCEPT: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

/// A site whose page comes once it is released.
async fn held() -> (TestSite, watch::Sender<bool>) {
    let (release, released) = watch::channel(false);
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/page" | "/other" => SiteAnswer::Held(Box::new(SiteAnswer::html(GOOD)), released.clone()),
        "/gone" => SiteAnswer::Raw(Vec::new()),
        _ => SiteAnswer::missing(),
    })
    .await;
    (site, release)
}

fn sent(path: &str, body: &str) -> Call<'static> {
    Call::new("POST", path).header("content-type", FORM).header("accept", ACCEPT).body(body)
}

/// The path of a redirect.
fn way(answer: &Response) -> String {
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.header("location").to_owned()
}

async fn get(app: &TestApp, path: &str, cookie: &str) -> Response {
    get_and(app, path, cookie, || ()).await
}

/// The same, with something done once the page begins: what lets the audit end before that would have it lead on at once.
async fn get_and(app: &TestApp, path: &str, cookie: &str, meanwhile: impl FnOnce()) -> Response {
    app.call_and(Call::get(path).header("cookie", cookie).header("accept", ACCEPT), meanwhile).await
}

async fn states(app: &TestApp, running: &str, guest: &str) -> Value {
    let id = running.rsplit('/').next().unwrap();
    let token = guest.split_once('=').unwrap().1;
    let answer = app.call(Call::get(&format!("/api/running/{id}")).token(token)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

async fn a_browser_sees_the_stages_of_its_audit_and_then_the_report(database: TestDatabase) {
    let (site, release) = held().await;
    let app = TestApp::start_holding(database, |_| ()).await;
    let begun = app.call(sent("/", &format!("url={}", site.url("/page")))).await;
    let (running, guest) = (way(&begun), cookie(begun.header("set-cookie")));
    assert!(running.starts_with("/running/"), "{running}");
    let early = states(&app, &running, &guest).await;
    assert_eq!((&early["state"], &early["stages"][0]["state"]), (&json!("running"), &json!("running")));
    assert_eq!(early["stages"][3]["state"], "waiting");
    // The answer ends when the audit has ended.
    let page = get_and(&app, &running, &guest, || {
        release.send_replace(true);
    })
    .await;
    let id = running.rsplit('/').next().unwrap();
    let report = format!("/reports/{id}");
    for part in ["s1\"", "s2\"", "s3\"", "s4\"", "HTTP status 200", &format!("0; url={report}\""), "</html>"] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    assert_eq!((page.header("cache-control"), page.header("content-encoding")), ("no-store", ""));
    let end = states(&app, &running, &guest).await;
    assert_eq!(end["state"], "finished");
    assert!(end["stages"].as_array().unwrap().iter().all(|stage| stage["state"] == "ended"), "{end}");
    assert_eq!((&end["stages"][0]["status"], &end["stages"][0]["redirects"]), (&json!(200), &json!(0)));
    // Reloading it, also once the process has forgotten it, leads to the report.
    assert_eq!(way(&get(&app, &running, &guest).await), report);
    assert_eq!(way(&get(&app, &format!("{running}/end"), &guest).await), report);
    assert_eq!(get(&app, &report, &guest).await.status, 200);
    let other = TestApp::start_on(&app, |_| {}).await;
    assert_eq!(way(&get(&other, &running, &guest).await), report);
    // It is its reader's alone.
    assert_eq!(app.call(Call::get(&running)).await.status, 404);
    assert_eq!(get(&app, "/running/nothing", &guest).await.status, 404);
    assert_eq!(app.free_remaining().await, 9);
}

async fn a_form_that_is_sent_twice_begins_one_audit(database: TestDatabase) {
    let (site, release) = held().await;
    let app = TestApp::start_holding(database, |_| ()).await;
    let body = format!("url={}&attempt=0123", site.url("/page"));
    let first = app.call(sent("/", &body)).await;
    let second = app.call(sent("/", &body)).await;
    assert_eq!(way(&first), way(&second));
    assert_eq!(first.header("set-cookie"), second.header("set-cookie"));
    // The guest who is known by now needs no random text.
    let guest = cookie(first.header("set-cookie"));
    let third = app.call(sent("/", &format!("url={}", site.url("/page"))).header("cookie", &guest)).await;
    assert_eq!(way(&first), way(&third));
    let page = get_and(&app, &way(&first), &guest, || {
        release.send_replace(true);
    })
    .await;
    assert!(page.body.contains("s4\""), "{} {}", page.status, page.body);
    assert_eq!(site.asked().iter().filter(|asked| asked.path == "/page").count(), 1);
    assert_eq!(app.free_remaining().await, 9);
    // Once it has ended, the same form begins another one.
    let again = app.call(sent("/", &body).header("cookie", &guest)).await;
    assert_ne!(way(&first), way(&again));
}

async fn an_audit_that_fails_leads_back_to_the_form(database: TestDatabase) {
    let (site, _release) = held().await;
    let app = TestApp::start_holding(database, |_| ()).await;
    let url = site.url("/gone");
    let begun = app.call(sent("/", &format!("url={url}"))).await;
    let failed = match begun.status {
        303 => {
            let (running, guest) = (way(&begun), cookie(begun.header("set-cookie")));
            let page = get(&app, &running, &guest).await;
            let end = format!("{running}/end");
            assert!([200, 303].contains(&page.status));
            assert!(page.status == 303 || page.body.contains(&format!("0; url={end}\"")), "{}", page.body);
            assert_eq!(states(&app, &running, &guest).await["state"], "failed");
            get(&app, &end, &guest).await
        }
        // It had failed before its page could be shown.
        _ => begun,
    };
    assert_eq!(failed.status, 502, "{}", failed.body);
    assert!(failed.body.contains(&url) && failed.body.contains("role=\"alert\""), "{}", failed.body);
    assert_eq!(app.free_remaining().await, 10);
    // What is wrong with the input is said at once.
    assert_eq!(app.call(sent("/", "url=ftp://a.example/")).await.status, 400);
}

async fn a_run_of_a_followed_page_has_the_same_page(database: TestDatabase) {
    let (site, release) = held().await;
    let app = TestApp::start_holding(database, |_| ()).await;
    let opened = app.call(sent("/workspace", &format!("url={}", site.url("/page")))).await;
    let (place, guest) = (way(&opened), cookie(opened.header("set-cookie")));
    let place = place.split('?').next().unwrap();
    let run = sent(&format!("{place}/run"), "").header("cookie", &guest);
    let running = way(&app.call(run.clone()).await);
    assert_eq!(running, way(&app.call(run).await), "the second click");
    let all = get(&app, "/workspace", &guest).await.body;
    assert!(all.contains(running.split('?').next().unwrap()), "{all}");
    let page = get_and(&app, &running, &guest, || {
        release.send_replace(true);
    })
    .await;
    assert!(page.body.contains(&format!("0; url={place}?lang=en\"")), "{}", page.body);
    assert_eq!(site.asked().iter().filter(|asked| asked.path == "/page").count(), 1);
}

async fn two_compared_pages_show_their_stages(database: TestDatabase) {
    let (site, release) = held().await;
    let app = TestApp::start_holding(database, |_| ()).await;
    let (first, second) = (site.url("/page"), site.url("/other"));
    let begun = app.call(sent("/compare", &format!("first={first}&second={second}"))).await;
    let (running, guest) = (way(&begun), cookie(begun.header("set-cookie")));
    assert!(running.starts_with("/running/") && running.contains("?with="), "{running}");
    // The same form once more begins nothing.
    let again = sent("/compare", &format!("first={first}&second={second}")).header("cookie", &guest);
    assert_eq!(way(&app.call(again).await), running);
    let page = get_and(&app, &running, &guest, || {
        release.send_replace(true);
    })
    .await;
    for part in ["s1\"", "s2\"", "s3\"", "s4\"", &first, &second] {
        assert!(page.body.matches(part).count() > 1, "{part}: {}", page.body);
    }
    let place = page.body.split("0; url=").nth(1).unwrap().split('"').next().unwrap().replace("&amp;", "&");
    assert!(place.starts_with("/compare?before="), "{place}");
    assert_eq!(get(&app, &place, &guest).await.status, 200);
    // Both have ended: the same address leads on at once, and is its reader's alone.
    assert_eq!(way(&get(&app, &running, &guest).await), place);
    assert_eq!(way(&get(&app, &running.replace('?', "/end?"), &guest).await), place);
    assert_eq!(app.call(Call::get(&running)).await.status, 404);
    assert_eq!(app.free_remaining().await, 8);
    assert_eq!(app.call(sent("/compare", &format!("first={first}&second={first}"))).await.status, 400);

    // What is wrong with either is told with the form.
    let gone = site.url("/gone");
    let begun = app.call(sent("/compare", &format!("first={first}&second={gone}")).header("cookie", &guest)).await;
    let failed = match begun.status {
        303 => {
            get(&app, &way(&begun), &guest).await;
            get(&app, &way(&begun).replace('?', "/end?"), &guest).await
        }
        // It had failed before its page could be shown.
        _ => begun,
    };
    assert_eq!(failed.status, 502, "{}", failed.body);
    for part in [first.as_str(), &gone, "role=\"alert\""] {
        assert!(failed.body.contains(part), "{part}: {}", failed.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_stages_end_with_and_without_scripts() {
    for runs_scripts in [true, false] {
        let (site, release) = held().await;
        let app = TestApp::start_holding(TestDatabase::sqlite(), |_| ()).await;
        let Some(mut tab) = Tab::open(&app.url("")) else { return };
        if !runs_scripts {
            tab.disable_scripts();
        }
        let begun = app.call(sent("/", &format!("url={}", site.url("/page")))).await;
        let (running, guest) = (way(&begun), cookie(begun.header("set-cookie")));
        let (name, token) = guest.split_once('=').unwrap();
        tab.set_cookie(name, token);
        tab.visit_unfinished(&running);
        while tab.value("document.querySelector('.steps .w4') === null") == true {}
        assert!(tab.shown().contains("Fetch the page") && !tab.shown().contains("HTTP status"), "{}", tab.shown());
        // Reloading shows the same audit.
        tab.visit_unfinished(&running);
        while tab.value("document.querySelector('.steps .w4') === null") == true {}
        let mut found = Vec::new();
        for look in LOOKS {
            tab.look(look);
            let barriers = if has_axe() && runs_scripts { tab.barriers() } else { Vec::new() };
            found.extend(barriers.into_iter().chain(tab.overflows()).map(|problem| format!("{look:?}: {problem}")));
            keep_picture(&mut tab, &format!("running-{}-{}", look.scheme, look.width));
        }
        assert!(found.is_empty(), "{}", found.join("\n"));
        tab.load(|_| assert!(!release.send_replace(true)));
        assert!(tab.text("location.pathname").starts_with("/reports/"), "{}", tab.shown());
        assert_eq!(tab.complaints(), [""; 0]);
        assert_eq!(site.asked().iter().filter(|asked| asked.path == "/page").count(), 1);
    }
}

async fn a_stage_ends_with_its_last_file_and_tells_how_many_there_are(database: TestDatabase) {
    let (release, released) = watch::channel(false);
    let site = TestSite::start(move |asked| {
        let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
        match asked.path.as_str() {
            "/page" => SiteAnswer::html(GOOD),
            "/robots.txt" => SiteAnswer::page(200, "text/plain", &format!("Sitemap: http://{host}/map.txt\n")),
            "/map.txt" => {
                let map = SiteAnswer::page(200, "text/plain", &format!("http://{host}/page\n"));
                SiteAnswer::Held(Box::new(map), released.clone())
            }
            "/.well-known/security.txt" => SiteAnswer::page(200, "text/plain", "Contact: mailto:a@example.com\n"),
            _ => SiteAnswer::missing(),
        }
    })
    .await;
    let app = TestApp::start_holding(database, |_| ()).await;
    let begun = app.call(sent("/", &format!("url={}", site.url("/page")))).await;
    let (running, guest) = (way(&begun), cookie(begun.header("set-cookie")));
    // The files of discovery need nothing of the sitemap, which is held.
    let early = tokio::time::timeout(MOST_TIME, async {
        loop {
            let now = states(&app, &running, &guest).await;
            if now["stages"][2]["state"] == "ended" {
                return now;
            }
            tokio::task::yield_now().await;
        }
    });
    let early = early.await.unwrap();
    assert_eq!((&early["stages"][1]["state"], &early["stages"][3]["state"]), (&json!("running"), &json!("waiting")));
    release.send_replace(true);
    get(&app, &running, &guest).await;
    let end = states(&app, &running, &guest).await;
    let count = |stage: usize| (end["stages"][stage]["requested"].as_u64(), end["stages"][stage]["found"].as_u64());
    assert_eq!(count(1), (Some(2), Some(2)), "{end}");
    let probes =
        site.asked().iter().filter(|asked| !["/page", "/robots.txt", "/map.txt"].contains(&&*asked.path)).count();
    assert_eq!(count(2), (Some(probes as u64), Some(1)), "{end}");
}
