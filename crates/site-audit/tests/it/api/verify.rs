//! `POST /api/verify`.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_mended_page_is_compared_with_its_audit_and_nothing_is_fetched,
    what_is_supplied_decides_what_is_measured,
    bad_input_names_the_field,
    only_the_owner_may_compare,
    verifications_have_a_ceiling,
    a_patched_page_proves_its_patch,
}

const PAGE: &str = "<!doctype html><html><head><meta charset=utf-8><title>Bread and butter, every day</title></head>\
    <body><h1>Bread</h1><p>A page about bread.</p></body></html>";

fn codes(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect()
}

fn verify(body: &Value) -> Call<'static> {
    Call::new("POST", "/api/verify").body(&body.to_string())
}

/// A site that counts what it is asked for.
async fn site(asked: Arc<AtomicUsize>) -> TestSite {
    TestSite::start(move |request| {
        asked.fetch_add(1, Ordering::SeqCst);
        if request.path == "/" { SiteAnswer::html(PAGE) } else { SiteAnswer::missing() }
    })
    .await
}

async fn a_mended_page_is_compared_with_its_audit_and_nothing_is_fetched(database: TestDatabase) {
    let asked = Arc::new(AtomicUsize::new(0));
    let site = site(Arc::clone(&asked)).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let before = asked.load(Ordering::SeqCst);
    let mended = PAGE.replace("<html>", "<html lang=en>").replace("<h1>Bread</h1>", "");
    let body = json!({"url": site.url("/"), "html": mended, "audit_id": audit["id"]});
    let response = app.call(verify(&body).token(&token)).await;
    assert_eq!(response.status, 200, "{}", response.body);
    let answer = response.json();
    assert_eq!(codes(&answer["fixed"]), ["html_lang_missing"]);
    assert_eq!(codes(&answer["broke"]), ["h1_missing"]);
    assert!(answer["broke"][0]["message"].as_str().unwrap().contains("h1"), "{answer}");
    assert_eq!(answer["notCompared"]["sitemap_missing"], "offline");
    assert!(codes(&answer["issues"]).contains(&"h1_missing"));
    assert_eq!(answer["issues"].as_array().unwrap().len(), answer["fixes"].as_array().unwrap().len());
    assert!(
        answer["score"].is_u64() && answer["counts"]["errors"].is_u64() && answer["coverage"]["catalog"].is_string()
    );
    let of = format!("/api/audits/{}", audit["id"].as_str().unwrap());
    assert!(answer["_links"]["audit"].as_str().unwrap().ends_with(&of));
    assert_eq!(asked.load(Ordering::SeqCst), before, "a verification asks nobody");
    assert_eq!(app.free_remaining().await, 9, "a verification is free");
}

async fn what_is_supplied_decides_what_is_measured(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    // An address that would be refused, were it asked for.
    let page = |more: Value| {
        let mut body = json!({"url": "https://10.0.0.1/page", "html": PAGE});
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        body
    };
    let answer = app.call(verify(&page(json!({})))).await.json();
    assert_eq!(answer["coverage"]["notMeasured"]["hsts_missing"], "offline");
    assert_eq!(answer["coverage"]["notMeasured"]["robots_txt_blocks_page"], "offline");
    assert!(answer["fixed"].is_null() && answer["broke"].is_null() && answer["notCompared"].is_null());
    let known = json!({
        "headers": {"Content-Type": "text/html; charset=utf-8", "X-Robots-Tag": "noindex"},
        "robots_txt": "User-agent: *\nDisallow: /page\n",
    });
    let answer = app.call(verify(&page(known))).await.json();
    let found = codes(&answer["issues"]);
    for code in ["noindex_header", "robots_txt_blocks_page", "hsts_missing"] {
        assert!(found.contains(&code), "{code} is not in {found:?}");
    }
}

async fn bad_input_names_the_field(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let page = |url: &str, html: &str| json!({"url": url, "html": html});
    let url = "https://example.com/";
    let mut headers = page(url, PAGE);
    headers["headers"] = json!({"a b": "c"});
    let mut robots = page(url, PAGE);
    robots["robots_txt"] = "a".repeat(500 * 1024 + 1).into();
    let mut split = page(url, PAGE);
    split["headers"] = json!({"a": "b\r\nc: d"});
    for (body, status, code, detail) in [
        (json!({"html": PAGE}), 400, "invalid_body", "url"),
        (json!({"url": url}), 400, "invalid_body", "html"),
        (page("ftp://example.com/", PAGE), 400, "invalid_url", "url"),
        (page("https://user@example.com/", PAGE), 400, "invalid_url", "url"),
        (page(url, &"a".repeat(2_097_153)), 413, "body_too_large", "html"),
        (headers, 400, "invalid_body", "headers.a b"),
        (split, 400, "invalid_body", "headers.a"),
        (robots, 413, "body_too_large", "robots_txt"),
    ] {
        let response = app.call(verify(&body)).await;
        assert_eq!(response.refusal(), (status, code.to_owned()), "{detail}: {}", response.body);
        assert!(response.json()["detail"].as_str().unwrap_or_default().starts_with(detail), "{}", response.body);
    }
    let largest = app.call(verify(&page(url, &"a".repeat(2_097_152)))).await;
    assert_eq!(largest.status, 200, "{}", largest.body);
}

async fn only_the_owner_may_compare(database: TestDatabase) {
    let site = site(Arc::default()).await;
    let app = TestApp::start(database, |_| {}).await;
    let (owner, other) = (app.guest().await, app.guest().await);
    let audit = app.call(Call::audit(&site.url("/")).token(&owner)).await.json();
    let body = json!({"url": site.url("/"), "html": PAGE, "audit_id": audit["id"]});
    assert_eq!(app.call(verify(&body)).await.refusal(), (401, "guest_token_required".to_owned()));
    assert_eq!(app.call(verify(&body).token(&other)).await.refusal(), (404, "audit_not_found".to_owned()));
    let unknown = json!({"url": site.url("/"), "html": PAGE, "audit_id": "x"});
    assert_eq!(app.call(verify(&unknown).token(&owner)).await.refusal(), (404, "audit_not_found".to_owned()));
}

async fn verifications_have_a_ceiling(database: TestDatabase) {
    let app = TestApp::start(database, |config| config.limits.verifications_per_hour = 1).await;
    let body = json!({"url": "https://example.com/", "html": PAGE});
    assert_eq!(app.call(verify(&body)).await.status, 200);
    let limited = app.call(verify(&body)).await;
    assert_eq!(limited.refusal(), (429, "rate_limited".to_owned()));
    assert_eq!(limited.header("retry-after"), "3600");
}

async fn a_patched_page_proves_its_patch(database: TestDatabase) {
    let site = site(Arc::default()).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let id = audit["id"].as_str().unwrap();
    let patch = app.call(Call::get(&format!("/api/audits/{id}/patch")).token(&token)).await.json();
    // The definition of how a patch is applied (`audit::patch::apply`): all edits, then the head block after the tag of the head.
    let mut page = PAGE.to_owned();
    for edit in patch["edicoes"].as_array().unwrap() {
        page = page.replacen(edit["original"].as_str().unwrap(), edit["snippet"].as_str().unwrap(), 1);
    }
    page = page.replacen("<head>", &format!("<head>{}", patch["head"].as_str().unwrap()), 1);
    let body = json!({"url": site.url("/"), "html": page, "audit_id": id});
    let answer = app.call(verify(&body).token(&token)).await.json();
    assert_eq!(answer["broke"], json!([]));
    assert!(!codes(&answer["fixed"]).is_empty());
    let fixed = codes(&answer["fixed"]);
    let ready = audit["fixes"].as_array().unwrap().iter().filter(|fix| fix["classe"] == "deterministico");
    for fix in ready.filter(|fix| fix["alvo"] != "arquivo") {
        let code = fix["code"].as_str().unwrap();
        let is_measured = answer["notCompared"][code].is_null();
        assert!(!is_measured || fixed.contains(&code), "{code} is not among {fixed:?}");
    }
}
