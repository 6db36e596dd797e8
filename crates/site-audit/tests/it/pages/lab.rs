//! Lab tests on the page of a report, without a script.

use service::jobs;
use testkit::{LabMood, LabServer, TestDatabase};

use super::{cookie, form};
use crate::api::lab::{measuring, page};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_reader_begins_a_test_and_reads_its_result,
    a_report_without_a_provider_offers_no_test,
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
    assert!(running.contains("<noscript><meta http-equiv=\"refresh\" content=\"10\"></noscript>"), "{running}");
    assert!(running.contains("The test is running.") && !running.contains("value=\"mobile\">Run lab test"));
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
    assert!(read("en").await.contains("The page painted no content in the lab browser."));
    let markdown = app.call(Call::get(&format!("{path}/audit.md")).header("cookie", &cookie)).await.body;
    assert!(
        markdown.contains("## Lab test, mobile: Performance 74, Accessibility 88, Best practices 100, SEO 40"),
        "{markdown}"
    );
    assert!(markdown.contains("## Lab test, desktop: failed. The page painted no content"), "{markdown}");
}

async fn a_report_without_a_provider_offers_no_test(database: TestDatabase) {
    let site = page().await;
    let app = TestApp::start(database, |_| {}).await;
    let sent = app.call(form(&site.url("/"))).await;
    let cookie = cookie(sent.header("set-cookie"));
    let report = app.call(Call::get(sent.header("location")).header("cookie", &cookie)).await.body;
    assert!(!report.contains("id=\"lab\"") && !report.contains("Run lab test"), "{report}");
}
