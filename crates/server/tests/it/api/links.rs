//! Addresses in answers: absolute, and true.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use testkit::{Answer, Site, TestDatabase};

use crate::app::{Call, TestApp};

testkit::on_both_databases! { every_link_of_every_answer_is_absolute_and_leads_somewhere }

/// Fields that hold addresses of ours, at any depth.
const HOLDERS: [&str; 8] = ["_links", "docs", "changelog_url", "audit", "api", "server_card", "live", "shared"];

/// The addresses of an answer.
fn links(value: &Value, is_held: bool, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                links(field, is_held || HOLDERS.contains(&name.as_str()), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| links(item, is_held, found)),
        Value::String(text) if is_held => found.push(text.clone()),
        _ => {}
    }
}

async fn every_link_of_every_answer_is_absolute_and_leads_somewhere(database: TestDatabase) {
    let site = Site::start(|_| Answer::html("<!doctype html><title>Bread</title>")).await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    // What is there to read: an audit, and what a writing call answers.
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let verified = Call::new("POST", "/api/verify").token(&token);
    let page = json!({"url": site.url("/"), "html": "<!doctype html><title>Rye</title>", "audit_id": audit["id"]});
    let verified = app.call(verified.body(&page.to_string())).await.json();
    let mut waiting = Vec::new();
    for answer in [&audit, &verified] {
        links(answer, false, &mut waiting);
    }
    let readable = app.app.operations().iter().filter(|operation| operation.method == "GET");
    for operation in readable.filter(|operation| operation.path_parameters().next().is_none()) {
        waiting.push(app.url(operation.path));
    }
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(url) = waiting.pop() {
        let path = url.strip_prefix(&app.url("")).unwrap_or_else(|| panic!("{url} is not absolute, or not ours"));
        let path = path.split('#').next().unwrap().to_owned();
        // Each check and tool has the same links: one of each kind is followed to its end.
        if !seen.insert(path.clone()) {
            continue;
        }
        let response = app.call(Call::get(&path).token(&token)).await;
        // What is for a person or the operator, is not set up, or is there to be written to, says so.
        let is_there =
            matches!(response.status, 200..=399 | 401 | 403 | 405 | 503) || path.starts_with("/.well-known/");
        assert!(is_there, "{path}: {} {}", response.status, response.body);
        if response.header("content-type") == "application/json" && path != "/openapi.json" {
            links(&response.json(), false, &mut waiting);
        }
    }
    assert!(seen.iter().any(|path| path.starts_with("/api/audits/")) && seen.len() > 300, "{} addresses", seen.len());
}
