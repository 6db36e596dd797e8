//! Addresses in answers: absolute, and true.

use std::collections::BTreeSet;

use api::operation::Access;
use model::money::Micros;
use serde_json::{Value, json};
use service::config::{Config, SecretText};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::people::{OPERATOR, SignedIn, account, credit, session};
use crate::app::{Call, TestApp};

testkit::on_both_databases! { every_link_of_every_answer_is_absolute_and_leads_somewhere }

/// Fields that hold addresses of ours, at any depth.
const HOLDERS: [&str; 8] = ["_links", "docs", "changelog_url", "audit", "api", "server_card", "live", "shared"];

/// The addresses of an answer, each with the method that stands beside it; without one it is there to be read.
fn links(value: &Value, is_held: bool, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(fields) => {
            if let (Some(Value::String(method)), Some(Value::String(url))) = (fields.get("method"), fields.get("url")) {
                found.push((method.clone(), url.clone()));
            }
            for (name, field) in fields {
                links(field, is_held || HOLDERS.contains(&name.as_str()), found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| links(item, is_held, found)),
        Value::String(text) if is_held => found.push(("GET".to_owned(), text.clone())),
        _ => {}
    }
}

/// Who reads.
#[derive(Clone, Copy)]
enum Reader<'r> {
    Guest(&'r str),
    Browser(&'r SignedIn),
    Operator,
    Credit(&'r str),
}

impl Reader<'_> {
    fn sends(self, call: Call<'_>) -> Call<'_> {
        match self {
            Self::Guest(token) => call.token(token),
            Self::Browser(session) => session.cookie(call),
            Self::Operator => call.header("authorization", &format!("Bearer {OPERATOR}")),
            Self::Credit(token) => call.header("x-credito", token),
        }
    }
}

/// What is there to read, with every part of the service set up.
fn set_up(config: &mut Config) {
    config.operator.token = Some(SecretText::new(OPERATOR));
    config.security.contact = Some("mailto:security@example.com".to_owned());
    config.mcp.registry_auth = Some("v=MCPv1; k=ed25519; p=AAAA".to_owned());
    config.partners.enabled = true;
    let pix = &mut config.pix;
    pix.key = Some("+5511987654321".to_owned());
    (pix.name, pix.city) = (Some("Loja".to_owned()), Some("Recife".to_owned()));
    pix.brl_per_usd = Some(Micros(5_750_000));
}

async fn every_link_of_every_answer_is_absolute_and_leads_somewhere(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html("<!doctype html><title>Bread</title>")).await;
    let app = TestApp::start(database, set_up).await;
    let (token, credit) = (app.guest().await, credit(&app).await);
    let ana = account(&app, "ana").await;
    let ana = session(&app, &ana).await;
    let guest = Reader::Guest(&token);
    let mut waiting: Vec<(Reader<'_>, String, String)> = Vec::new();
    // What writing calls answer.
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let page = json!({"url": site.url("/"), "html": "<!doctype html><title>Rye</title>", "audit_id": audit["id"]});
    let share = format!("/api/audits/{}/share", audit["id"].as_str().unwrap());
    let tab = json!({"url": site.url("/")});
    for (path, body) in [("/api/verify", page), (share.as_str(), json!({})), ("/api/tabs", tab)] {
        let made = app.call(Call::new("POST", path).token(&token).body(&body.to_string())).await;
        assert_eq!(made.status, 200, "{path}: {}", made.body);
        waiting.extend(found_in(&made.json(), guest));
    }
    waiting.extend(found_in(&audit, guest));
    // What can be read by whom.
    for operation in app.site.operations().iter().filter(|operation| operation.method == "GET") {
        let reader = match operation.access {
            Access::Open | Access::Owner => guest,
            Access::Account | Access::Session | Access::Browser => Reader::Browser(&ana),
            Access::Operator => Reader::Operator,
            Access::Credit => Reader::Credit(&credit),
        };
        // A comparison needs two audits, which its own tests give it.
        if operation.path_parameters().next().is_none() && operation.name != "compare_audits" {
            waiting.push((reader, "GET".to_owned(), app.url(operation.path)));
        }
    }
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    while let Some((reader, method, url)) = waiting.pop() {
        let path = url.strip_prefix(&app.url("")).unwrap_or_else(|| panic!("{url} is not absolute, or not ours"));
        let path = path.split('#').next().unwrap().to_owned();
        if !seen.insert((method.clone(), path.clone())) {
            continue;
        }
        if method != "GET" {
            assert!(app.describes(&method, &path), "{method} {path}");
            continue;
        }
        let response = app.call(reader.sends(Call::get(&path))).await;
        let is_there = match response.status {
            200..=399 => true,
            // It is there to be written to.
            405 => response.header("allow").split(", ").any(|method| app.describes(method, &path)),
            // An account has none at first.
            404 => path == "/api/account/avatar",
            _ => false,
        };
        assert!(is_there, "{path}: {} {}", response.status, response.body);
        if response.header("content-type") == "application/json" && path != "/openapi.json" {
            waiting.extend(found_in(&response.json(), reader));
        }
    }
    let has = |beginning: &str| seen.iter().any(|(_, path)| path.starts_with(beginning));
    assert!(has("/api/audits/") && has("/r/") && seen.len() > 300, "{} addresses", seen.len());
}

/// The calls that an answer leads its reader to.
fn found_in<'r>(answer: &Value, reader: Reader<'r>) -> Vec<(Reader<'r>, String, String)> {
    let mut found = Vec::new();
    links(answer, false, &mut found);
    found.into_iter().map(|(method, url)| (reader, method, url)).collect()
}
