//! Field data: what real visitors measured, asked of a service that the operator names.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use service::config::SecretText;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    without_a_key_nobody_is_asked,
    the_page_is_asked_for_and_then_its_origin,
    a_service_that_fails_leaves_the_metrics_unmeasured,
    the_same_page_is_asked_for_once_a_day,
    the_same_origin_is_asked_for_once_a_day,
}

const RECORD: &str = r#"{"record":{"key":{"origin":"http://127.0.0.2"},"metrics":{
"largest_contentful_paint":{"histogram":[{"start":0,"end":2500,"density":0.4},{"start":2500,"end":4000,"density":0.2},{"start":4000,"density":0.4}],"percentiles":{"p75":5100}},
"cumulative_layout_shift":{"histogram":[{"density":0.9},{"density":0.05},{"density":0.05}],"percentiles":{"p75":"0.02"}}},
"collectionPeriod":{"firstDate":{"year":2026,"month":1,"day":2},"lastDate":{"year":2026,"month":1,"day":29}}}}"#;

async fn page() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><title>Bread and butter</title>"),
        _ => SiteAnswer::missing(),
    })
    .await
}

/// The audit of a page by a service that asks `endpoint` with a key.
async fn audited(database: TestDatabase, endpoint: String) -> Value {
    let page = page().await;
    let app = TestApp::start(database, |config| {
        config.field_data.crux_key = Some(SecretText::new("a key & more"));
        config.field_data.crux_endpoint = endpoint;
    })
    .await;
    let response = app.call(Call::audit(&page.url("/"))).await;
    assert_eq!(response.status, 200, "{}", response.body);
    response.json()
}

fn is_unmeasured(audit: &Value, code: &str) -> bool {
    audit["coverage"]["notMeasured"][code] == "crux"
}

async fn without_a_key_nobody_is_asked(database: TestDatabase) {
    let service = TestSite::start(|_| SiteAnswer::page(200, "application/json", RECORD)).await;
    let page = page().await;
    let endpoint = service.url("/v1/records:queryRecord");
    let app = TestApp::start(database, |config| config.field_data.crux_endpoint = endpoint).await;
    let audit = app.call(Call::audit(&page.url("/"))).await.json();
    assert!(is_unmeasured(&audit, "cwv_lcp_poor"), "{}", audit["coverage"]);
    assert!(audit["summary"].get("crux").is_none());
    assert!(service.asked().is_empty());
}

async fn the_page_is_asked_for_and_then_its_origin(database: TestDatabase) {
    let count = AtomicUsize::new(0);
    let service = TestSite::start(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => SiteAnswer::page(404, "application/json", r#"{"error":{"code":404,"status":"NOT_FOUND"}}"#),
        _ => SiteAnswer::page(200, "application/json", RECORD),
    })
    .await;
    let audit = audited(database, service.url("/v1/records:queryRecord?a=b")).await;
    let asked = service.asked();
    assert_eq!(asked.len(), 2);
    let head = &asked.first().unwrap().head;
    assert!(head.starts_with("POST /v1/records:queryRecord?a=b&key=a+key+%26+more HTTP/1.1"), "{head}");
    let crux = &audit["summary"]["crux"];
    assert_eq!(crux["scope"], "origin");
    assert_eq!(crux["formFactor"], Value::Null);
    assert_eq!(
        crux["metrics"]["largest_contentful_paint"],
        json!({"p75": 5100.0, "good": 0.4, "needsImprovement": 0.2, "poor": 0.4})
    );
    assert_eq!(crux["collectionPeriod"], json!({"firstDate": "2026-01-02", "lastDate": "2026-01-29"}));
    let codes: Vec<&Value> = audit["issues"].as_array().unwrap().iter().map(|issue| &issue["code"]).collect();
    assert!(codes.contains(&&json!("cwv_lcp_poor")), "{codes:?}");
    assert!(is_unmeasured(&audit, "cwv_inp_poor"), "a metric that nobody measured");
    assert!(!codes.contains(&&json!("cwv_cls_poor")) && !is_unmeasured(&audit, "cwv_cls_poor"));
}

async fn a_service_that_fails_leaves_the_metrics_unmeasured(database: TestDatabase) {
    let service = TestSite::start(|_| SiteAnswer::page(429, "application/json", "{}")).await;
    let audit = audited(database, service.url("/v1/records:queryRecord")).await;
    assert!(is_unmeasured(&audit, "cwv_lcp_poor"));
    assert_eq!(service.asked().len(), 1, "a quota that was hit is not hit again");
}

async fn the_same_origin_is_asked_for_once_a_day(database: TestDatabase) {
    // The pages have too few visitors, their origin has enough.
    let service = TestSite::start(|asked| match asked.body.contains("origin") {
        true => SiteAnswer::page(200, "application/json", RECORD),
        false => SiteAnswer::page(404, "application/json", "{}"),
    });
    let (service, page) = (service.await, page().await);
    let endpoint = service.url("/query");
    let app = TestApp::start(database, |config| {
        config.field_data.crux_key = Some(SecretText::new("a key"));
        config.field_data.crux_endpoint = endpoint;
    })
    .await;
    for path in ["/", "/?other", "/"] {
        let audit = app.call(Call::audit(&page.url(path))).await.json();
        assert_eq!(audit["summary"]["crux"]["scope"], "origin", "{path}");
    }
    assert_eq!(service.asked().len(), 3, "each page, and the origin once");
}

async fn the_same_page_is_asked_for_once_a_day(database: TestDatabase) {
    let service = TestSite::start(|_| SiteAnswer::page(200, "application/json", RECORD)).await;
    let (page, endpoint) = (page().await, service.url("/query"));
    let app = TestApp::start(database, |config| {
        config.field_data.crux_key = Some(SecretText::new("a key"));
        config.field_data.crux_endpoint = endpoint;
    })
    .await;
    let mut found = Vec::new();
    for _ in 0..3 {
        let audit = app.call(Call::audit(&page.url("/#fragment"))).await.json();
        found.push(audit["summary"]["crux"].clone());
    }
    assert!(found[0].is_object() && found.iter().all(|crux| *crux == found[0]));
    assert_eq!(service.asked().len(), 1);
    app.call(Call::audit(&page.url("/?other"))).await;
    assert_eq!(service.asked().len(), 2, "another page is another question");
}
