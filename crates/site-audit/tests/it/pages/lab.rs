//! Lab tests on the page of a report, without a script.

use std::time::Duration;

use serde_json::json;
use service::jobs;
use testkit::{LabMood, LabServer, TestDatabase};

use super::{cookie, form};
use crate::api::lab::{measuring, page};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_reader_begins_a_test_and_reads_its_result,
    a_report_without_a_provider_offers_no_test,
    a_page_that_shows_a_running_test_hears_of_its_end,
    a_filmstrip_is_shown_for_a_while_to_the_owner_alone,
    two_runs_are_compared_with_their_lab_tests,
}

async fn a_reader_begins_a_test_and_reads_its_result(database: TestDatabase) {
    let (server, site) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let sent = app.call(form(&site.url("/"))).await;
    let (path, cookie) = (sent.header("location").to_owned(), cookie(sent.header("set-cookie")));
    let read =
        async |lang: &str| app.call(Call::get(&format!("{path}?lang={lang}")).header("cookie", &cookie)).await.body;
    let fresh = read("en").await;
    assert!(
        fresh.contains(
            "<button class=\"small second\" name=\"strategy\" value=\"mobile\">Run lab test: Mobile</button>"
        ),
        "{fresh}"
    );
    assert!(!fresh.contains("http-equiv=\"refresh\""));

    let begin = |strategy: &str| {
        let origin = app.url("");
        let call =
            Call::new("POST", &format!("{path}/lab?lang=en")).header("cookie", &cookie).header("origin", &origin);
        call.header("content-type", "application/x-www-form-urlencoded").body(&format!("strategy={strategy}"))
    };
    let begun = app.call(begin("mobile")).await;
    assert_eq!(
        (begun.status, begun.header("location")),
        (303, format!("{path}?lang=en#lab").as_str()),
        "{}",
        begun.body
    );
    assert_eq!(app.call(begin("tablet")).await.status, 400);
    let foreign = app.call(begin("mobile").replace("origin", "https://elsewhere.example.com")).await;
    assert_eq!(foreign.status, 403);
    let running = read("en").await;
    assert!(
        running.contains(
            "<noscript><meta http-equiv=\"refresh\" content=\"10; url=?lang=en&amp;waited=0#lab\"></noscript>"
        ),
        "{running}"
    );
    assert!(
        running.contains("The test is running.")
            && running.contains("<progress max=\"120\" value=\"0\"")
            && !running.contains("value=\"mobile\">Run lab test")
    );
    assert!(running.contains("value=\"desktop\">Run lab test"));

    jobs::work_off(&app.app).await.unwrap();
    let finished = read("en").await;
    assert!(!finished.contains("http-equiv=\"refresh\""));
    for part in [
        "Performance<br><b>74</b>",
        "Best practices<br><b>100</b>",
        "4.1 s",
        "Largest Contentful Paint (LCP)",
        "2.6 s",
        "72% good (up to 2.5 s)",
        "Improve image delivery",
        "1.2 s, 240 KB",
        "sufficient contrast ratio",
        "Lighthouse 13.5.0",
    ] {
        assert!(finished.contains(part), "{part}: {finished}");
    }
    assert!(read("pt-BR").await.contains("Boas práticas<br><b>100</b>"));

    let token = cookie.split_once('=').unwrap().1;
    let share = format!("{}/share", path.replace("/reports/", "/api/audits/"));
    let shared = app.call(Call::new("POST", &share).token(token)).await.json();
    let public = app.call(Call::get(shared["path"].as_str().unwrap())).await.body;
    assert!(public.contains("Improve image delivery") && !public.contains("Run lab test"), "{public}");

    server.set(LabMood::PageFails);
    app.call(begin("desktop")).await;
    jobs::work_off(&app.app).await.unwrap();
    assert!(read("en").await.contains("The page showed no content in the lab browser."));
    let markdown = app.call(Call::get(&format!("{path}/audit.md")).header("cookie", &cookie)).await.body;
    assert!(
        markdown.contains("## Lab test, mobile: Performance 74, Accessibility 88, Best practices 100, SEO 40"),
        "{markdown}"
    );
    assert!(markdown.contains("## Lab test, desktop: failed. The page showed no content"), "{markdown}");
}

async fn a_report_without_a_provider_offers_no_test(database: TestDatabase) {
    let site = page().await;
    let app = TestApp::start(database, |_| {}).await;
    let sent = app.call(form(&site.url("/"))).await;
    let cookie = cookie(sent.header("set-cookie"));
    let report = app.call(Call::get(sent.header("location")).header("cookie", &cookie)).await.body;
    assert!(!report.contains("id=\"lab\"") && !report.contains("Run lab test"), "{report}");
}

/// Begins a test from the page of a report, as its form does.
async fn begin(app: &TestApp, path: &str, cookie: &str, strategy: &str) {
    let call = Call::new("POST", &format!("{path}/lab?lang=en")).header("cookie", cookie);
    let call = call.header("origin", &app.url("")).header("content-type", "application/x-www-form-urlencoded");
    let begun = app.call(call.body(&format!("strategy={strategy}"))).await;
    assert_eq!(begun.status, 303, "{}", begun.body);
}

async fn a_page_that_shows_a_running_test_hears_of_its_end(database: TestDatabase) {
    let (server, site) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let sent = app.call(form(&site.url("/"))).await;
    let (path, cookie) = (sent.header("location").to_owned(), cookie(sent.header("set-cookie")));
    let state = Call::get(&format!("{path}/lab")).header("cookie", &cookie);
    assert_eq!(app.call(state.clone()).await.json(), json!({"running": 0}), "nothing runs, so nothing is waited for");
    assert_eq!(app.call(Call::get(&format!("{path}/lab"))).await.status, 404, "the owner's alone");
    server.hold();
    begin(&app, &path, &cookie, "mobile").await;
    app.pass(Duration::from_secs(7));
    let running = app.call(Call::get(&path).header("cookie", &cookie)).await.body;
    assert!(running.contains("value=\"7\"") && running.contains("<span data-seconds>7</span> s"), "{running}");
    let release = async {
        while app.app.lab().waiting() < 1 {
            tokio::task::yield_now().await;
        }
        server.release();
    };
    let (ended, done, ()) = tokio::join!(app.call(state), jobs::work_off(&app.app), release);
    assert_eq!((ended.json(), done.unwrap()), (json!({"running": 0}), 1));
}

async fn a_filmstrip_is_shown_for_a_while_to_the_owner_alone(database: TestDatabase) {
    let (server, site) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let other = TestApp::start_on(&app, measuring(&server)).await;
    let sent = app.call(form(&site.url("/"))).await;
    let (path, cookie) = (sent.header("location").to_owned(), cookie(sent.header("set-cookie")));
    begin(&app, &path, &cookie, "desktop").await;
    jobs::work_off(&app.app).await.unwrap();
    let shows = async |app: &TestApp| {
        let page = app.call(Call::get(&path).header("cookie", &cookie)).await.body;
        page.matches("<img src=\"data:image/jpeg;base64,").count()
    };
    let page = app.call(Call::get(&path).header("cookie", &cookie)).await.body;
    assert!(page.contains("alt=\"The page after 4.2 s\""), "{page}");
    assert_eq!((shows(&app).await, shows(&other).await), (2, 0), "by the server that ran the test");
    let token = cookie.split_once('=').unwrap().1;
    let api = path.split('?').next().unwrap().replace("/reports/", "/api/audits/");
    let audit = app.call(Call::get(&api).token(token)).await.body;
    assert!(audit.contains("\"lab\"") && !audit.contains("image/jpeg"), "{audit}");
    let shared = app.call(Call::new("POST", &format!("{api}/share")).token(token)).await.json();
    let public = app.call(Call::get(shared["path"].as_str().unwrap())).await.body;
    assert!(public.contains("Improve image delivery") && !public.contains("image/jpeg"), "{public}");
    app.pass(Duration::from_secs(15 * 60));
    assert_eq!(shows(&app).await, 0);
}

async fn two_runs_are_compared_with_their_lab_tests(database: TestDatabase) {
    let (server, site) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let form = |path: &str, body: &str| {
        Call::new("POST", path).header("content-type", "application/x-www-form-urlencoded").body(body)
    };
    let opened = app.call(form("/workspace", &format!("url={}", site.url("/")))).await;
    let cookie = cookie(opened.header("set-cookie"));
    let place = opened.header("location").split('?').next().unwrap().to_owned();
    let get = async |path: &str| app.call(Call::get(path).header("cookie", &cookie)).await;
    for mood in [LabMood::Measure, LabMood::MeasureFaster] {
        app.pass(Duration::from_secs(60));
        assert_eq!(app.call(form(&format!("{place}/run"), "").header("cookie", &cookie)).await.status, 303);
        let history = get(&format!("{place}/history.json")).await.json();
        let report = format!("/reports/{}", history["runs"][0]["audit_id"].as_str().unwrap());
        server.set(mood);
        begin(&app, &report, &cookie, "mobile").await;
        jobs::work_off(&app.app).await.unwrap();
    }
    let history = get(&format!("{place}/history.json")).await.json();
    let audit = |at: usize| history["runs"][at]["audit_id"].as_str().unwrap().to_owned();
    let query = format!("before={}&after={}&lang=en", audit(1), audit(0));
    let compared = get(&format!("{place}/compare.json?{query}")).await.json();
    let lab = &compared["lab"][0];
    assert_eq!((&lab["strategy"], compared["lab"].as_array().unwrap().len()), (&json!("mobile"), 1), "{compared}");
    assert_eq!((&lab["before"]["performance"], &lab["after"]["performance"]), (&json!(74), &json!(91)));
    assert_eq!(lab["metrics"]["largest-contentful-paint"], json!([4120.5, 2910.0]));
    assert_eq!(lab["metrics"]["total-blocking-time"], json!([210.0, 210.0]));
    let page = get(&format!("{place}/compare?{query}")).await.body;
    let row = |name: &str, [before, after, difference]: [&str; 3]| {
        let after = format!("{after} <span class=\"hint\">({difference})</span>");
        format!("<tr><th scope=\"row\">{name}</th><td>{before}</td><td>{after}</td></tr>")
    };
    for row in [
        row("Performance", ["74", "91", "+17"]),
        row("SEO", ["40", "40", "±0"]),
        row("Largest Contentful Paint (LCP)", ["4.1 s", "2.9 s", "−1.2 s"]),
        row("Total Blocking Time (TBT)", ["210 ms", "210 ms", "0"]),
    ] {
        assert!(page.contains(&row), "{row}: {page}");
    }
    let portuguese = get(&format!("{place}/compare?{}", query.replace("lang=en", "lang=pt-BR"))).await.body;
    assert!(portuguese.contains(&row("Desempenho", ["74", "91", "+17"])), "{portuguese}");
    assert!(portuguese.contains("<td>2,9 s <span class=\"hint\">(−1,2 s)</span></td>"), "{portuguese}");
}
