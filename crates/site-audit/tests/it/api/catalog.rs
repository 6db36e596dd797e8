//! The catalog of checks and tools as data.

use std::collections::BTreeSet;

use audit::checks::{FAMILIES, all};
use audit::report::CATALOG_VERSION;
use serde_json::Value;
use testkit::TestDatabase;

use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    the_catalog_is_told_whole_in_both_languages,
    one_check_is_told_and_an_unknown_one_refused,
    the_versions_of_the_catalog_are_told,
    every_tool_is_told_with_its_worked_example,
    one_tool_is_told_and_an_unknown_one_refused,
    what_a_caller_has_is_not_sent_again,
    only_reading_is_taken,
}

/// Names that are none of the catalog, as a path.
const HOSTILE: [&str; 8] = [
    "x",
    "..%2f..%2fetc%2fpasswd",
    "%00",
    "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    "TITLE_MISSING",
    "title_missing%20",
    "%E2%80%AEx",
    "'%20OR%201=1",
];

async fn get(app: &TestApp, path: &str) -> Value {
    let response = app.call(Call::get(path)).await;
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    response.json()
}

fn texts(object: &Value, fields: &[&str]) {
    for field in fields {
        assert!(object[field].as_str().is_some_and(|text| !text.is_empty()), "{field} of {object}");
    }
}

async fn the_catalog_is_told_whole_in_both_languages(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for (lang, tag) in [("en", "en"), ("pt-BR", "pt-BR")] {
        let response = app.call(Call::get(&format!("/api/checks?lang={lang}"))).await;
        assert_eq!(response.header("content-language"), tag);
        assert!(response.header("vary").starts_with("Accept-Language"), "{}", response.header("vary"));
        let catalog = response.json();
        assert_eq!(
            (&catalog["version"], &catalog["changelog_url"]),
            (&CATALOG_VERSION.into(), &app.url("/api/checks/changelog").into())
        );
        let checks = catalog["checks"].as_array().unwrap();
        assert_eq!(checks.len(), all().count());
        for (told, check) in checks.iter().zip(all()) {
            let title = if lang == "en" { check.title.en } else { check.title.pt };
            assert_eq!((&told["code"], &told["title"]), (&check.code.into(), &title.into()));
            texts(told, &["severity", "category", "family", "why", "how", "reference", "since"]);
            texts(&told["fix"], &["classe", "alvo"]);
            texts(&told["_links"], &["self", "html", "tool"]);
            assert!(told["rule"].is_string() && told["thresholds"].is_array(), "{told}");
        }
    }
}

async fn one_check_is_told_and_an_unknown_one_refused(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let check = get(&app, "/api/checks/http_status_client_error").await;
    assert_eq!((&check["severity"], &check["category"]), (&"error".into(), &"http".into()));
    let bound = &check["thresholds"][0];
    assert!(bound["name"].is_string() && bound["value"].is_u64() && bound["unit"].is_string(), "{check}");
    assert_eq!(check["_links"]["html"], app.url("/checks/http_status_client_error"));
    let listed = get(&app, "/api/checks").await;
    assert!(listed["checks"].as_array().unwrap().contains(&check));
    let mistyped = app.call(Call::get("/api/checks/titel_missing")).await;
    assert_eq!(mistyped.refusal(), (404, "check_not_found".to_owned()));
    assert!(mistyped.json()["detail"].as_str().unwrap().starts_with("did you mean title_missing"), "{}", mistyped.body);
    let portuguese = app.call(Call::get("/api/checks/titel_missing?lang=pt-BR")).await;
    assert!(portuguese.json()["detail"].as_str().unwrap().starts_with("você quis dizer "), "{}", portuguese.body);
    for name in HOSTILE.iter().copied().chain([&*"9".repeat(4_000)]) {
        let refused = app.call(Call::get(&format!("/api/checks/{name}"))).await;
        assert_eq!(refused.refusal(), (404, "check_not_found".to_owned()), "{name}");
        assert!(!refused.body.contains("script"), "{}", refused.body);
    }
    assert_eq!(app.call(Call::get("/api/checks/%ff")).await.refusal(), (400, "invalid_parameter".to_owned()));
    assert_eq!(app.call(Call::get("/api/checks?lang=xx")).await.refusal(), (400, "invalid_parameter".to_owned()));
}

async fn the_versions_of_the_catalog_are_told(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let changelog = get(&app, "/api/checks/changelog").await;
    let versions = changelog["versions"].as_array().unwrap();
    assert_eq!(versions[0]["version"], CATALOG_VERSION);
    let dates: Vec<&str> = versions.iter().map(|version| version["date"].as_str().unwrap()).collect();
    assert!(dates.is_sorted_by(|one, next| one > next), "{dates:?}");
    let added: BTreeSet<&str> = versions
        .iter()
        .flat_map(|version| version["added"].as_array().unwrap())
        .map(|code| code.as_str().unwrap())
        .collect();
    assert_eq!(added, all().map(|check| check.code).collect());
    for version in versions {
        assert!(version["changed"].is_array() && version["removed"].is_array(), "{version}");
    }
}

async fn every_tool_is_told_with_its_worked_example(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let list = get(&app, "/api/tools").await;
    assert_eq!(list["_links"]["html"], app.url("/tools"));
    let tools = list["tools"].as_array().unwrap();
    assert_eq!(tools.len(), FAMILIES.len());
    for (tool, family) in tools.iter().zip(FAMILIES) {
        assert_eq!(tool["slug"], family.slug);
        texts(tool, &["category", "icon"]);
        texts(&tool["_links"], &["self", "html"]);
        texts(&tool["serp"], &["title", "url"]);
        assert!(tool["serp"]["description"].is_string(), "{tool}");
        let codes: Vec<&str> = family.checks.iter().map(|check| check.code).collect();
        assert_eq!(tool["checks"], serde_json::json!(codes));
        let sections = tool["sections"].as_array().unwrap();
        let ids: Vec<&str> = sections.iter().map(|section| section["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["checks", "example", "fix", "api"]);
        if family.landing.example.is_empty() {
            continue;
        }
        texts(tool, &["title", "h1", "description", "lead"]);
        for section in sections {
            texts(section, &["heading", "body"]);
        }
        assert_eq!(sections[1]["code"], family.landing.example);
        let says = sections[1]["body"].as_str().unwrap();
        assert!(family.checks.iter().any(|check| says.contains(check.code)), "{}: {says}", family.slug);
    }
}

async fn one_tool_is_told_and_an_unknown_one_refused(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let tool = get(&app, "/api/tools/canonical?lang=pt").await;
    assert_eq!((&tool["slug"], &tool["sections"][0]["heading"]), (&"canonical".into(), &"O que ela verifica".into()));
    assert!(tool["sections"][3]["code"].as_str().unwrap().contains(&app.url("/api/audit")), "{tool}");
    let mistyped = app.call(Call::get("/api/tools/canonicals")).await;
    assert_eq!(mistyped.refusal(), (404, "tool_not_found".to_owned()));
    assert!(mistyped.json()["detail"].as_str().unwrap().contains("canonical"), "{}", mistyped.body);
    for name in HOSTILE {
        let refused = app.call(Call::get(&format!("/api/tools/{name}"))).await;
        assert_eq!(refused.refusal(), (404, "tool_not_found".to_owned()), "{name}");
    }
}

async fn what_a_caller_has_is_not_sent_again(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for path in [
        "/api/checks",
        "/api/checks/changelog",
        "/api/checks/title_missing",
        "/api/tools",
        "/api/tools/canonical",
        "/checks",
        "/checks/title_missing",
        "/tools",
        "/tools/canonical",
    ] {
        let first = app.call(Call::get(path)).await;
        let etag = first.header("etag").to_owned();
        assert!(etag.starts_with("W/\"") && first.header("cache-control").starts_with("public, max-age="), "{path}");
        let asked = |method, known: &str| app.call(Call::new(method, path).header("if-none-match", known));
        for (method, known) in
            [("GET", etag.as_str()), ("GET", "*"), ("HEAD", &etag), ("GET", &format!("\"a\", {etag}"))]
        {
            let again: Response = asked(method, known).await;
            assert_eq!((again.status, again.body.as_str()), (304, ""), "{method} {path} {known}");
            assert_eq!((again.header("etag"), again.header("cache-control")), (&*etag, first.header("cache-control")));
        }
        assert_eq!(asked("GET", "\"another\"").await.body, first.body, "{path}");
        let head = app.call(Call::new("HEAD", path)).await;
        assert_eq!((head.status, head.body.as_str(), head.header("etag")), (200, "", &*etag), "{path}");
        if path != "/api/checks/changelog" {
            let other = app.call(Call::get(&format!("{path}?lang=pt"))).await;
            assert_ne!(other.header("etag"), etag, "{path}: the other language is another content");
        }
    }
    // What is refused is never kept.
    let refused = app.call(Call::get("/api/checks/x").header("if-none-match", "*")).await;
    assert_eq!((refused.status, refused.header("cache-control")), (404, "no-store"));
}

async fn only_reading_is_taken(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for path in ["/api/checks", "/api/checks/changelog", "/api/checks/title_missing", "/api/tools", "/api/tools/title"]
    {
        for method in ["POST", "PUT", "DELETE"] {
            let refused = app.call(Call::new(method, path)).await;
            assert_eq!(refused.refusal(), (405, "method_not_allowed".to_owned()), "{method} {path}");
            assert_eq!(refused.header("allow"), "GET, HEAD, OPTIONS");
        }
        assert_eq!(app.call(Call::new("OPTIONS", path)).await.status, 204);
    }
    for path in ["/checks", "/checks/title_missing", "/tools", "/tools/canonical", "/sitemap.xml", "/robots.txt"] {
        assert_eq!(app.call(Call::new("POST", path)).await.status, 405, "{path}");
    }
}
