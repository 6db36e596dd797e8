//! Examples in the OpenAPI description are answers of real calls, kept in `answers.json` (`UPDATE=1` writes it). That each fits its
//! schema is checked by [`TestApp::call`] as for every answer.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::people;
use crate::app::{Call, TestApp};

testkit::on_both_databases! { examples_are_answers_of_real_calls }

/// What stands for ids and secrets, which differ from run to run.
const ID: &str = "019c1346-2f4c-7a51-8d6d-1f0c2b7a9e11";

/// The answer of a call, with its ids and secrets replaced. `names`: addresses of the test, and what stands for them.
async fn answer(app: &TestApp, call: Call<'_>, names: &[(String, &str)]) -> Value {
    let answer = app.call(call).await;
    assert!((200..300).contains(&answer.status), "{}", answer.body);
    let text = names.iter().fold(answer.body, |text, (name, stands_for)| text.replace(name, stands_for));
    let mut value = serde_json::from_str(&text).unwrap();
    replace(&mut value);
    value
}

/// Replaces ids and secrets in every text.
fn replace(value: &mut Value) {
    match value {
        Value::String(text) => *text = replaced(text),
        Value::Array(items) => items.iter_mut().for_each(replace),
        Value::Object(fields) => fields.values_mut().for_each(replace),
        _ => {}
    }
}

fn replaced(text: &str) -> String {
    // First of all: its letters may look like those of a token.
    if let Some((before, _)) = text.split_once("whsec_") {
        return format!("{}whsec_{}=", replaced(before), "0".repeat(43));
    }
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word: String = rest.chars().take_while(|c| is_part(*c)).collect();
        let (word, after) =
            rest.split_at(if word.is_empty() { rest.chars().next().unwrap().len_utf8() } else { word.len() });
        rest = after;
        let token =
            ["pa_", "cred_", "mmk_"].into_iter().find(|kind| word.starts_with(kind) && word.len() == kind.len() + 43);
        match token {
            Some(kind) => out.push_str(&format!("{kind}{}", "0".repeat(43))),
            None if uuid::Uuid::try_parse(word).is_ok() && word.len() == 36 => out.push_str(ID),
            None if word.len() == 43 => out.push_str(&"0".repeat(43)),
            None => out.push_str(word),
        }
    }
    out
}

async fn examples_are_answers_of_real_calls(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html("<!doctype html><title>Bread</title><h1>Bread</h1>")).await;
    let app = TestApp::start(database, |_| ()).await;
    let account = people::account(&app, "ana").await;
    let key = people::key(&app, &format!("account:{account}")).await;
    let names = [(site.url(""), "https://example.com"), (app.url(""), "https://audit.example.com")];
    let call = |method: &'static str, path: &str, body: Value| {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        Call::new(method, path).header("x-api-key", &key).body(&body)
    };
    let made = app.call(call("POST", "/api/webhooks", json!({"url": site.url("/hooks")}))).await.json();
    let webhook = format!("/api/webhooks/{}", made["webhook"]["id"].as_str().unwrap());
    let hook = json!({"url": site.url("/hooks")});
    let tab = json!({"url": site.url("/"), "alias": "Home"});
    let mut told = BTreeMap::new();
    for (operation, call) in [
        ("create_guest", Call::new("POST", "/api/guest")),
        ("buy_credit", Call::new("POST", "/api/credito?usd=5")),
        ("get_embed", Call::get("/api/embed?brand=Example&color=%23176b87")),
        ("get_gate", Call::get("/api/gate")),
        ("open_tab", call("POST", "/api/tabs", tab)),
        ("create_webhook", call("POST", "/api/webhooks", hook)),
        ("test_webhook", call("POST", &format!("{webhook}/test"), Value::Null)),
        ("rotate_webhook_secret", call("POST", &format!("{webhook}/rotate"), Value::Null)),
        ("list_webhook_deliveries", call("GET", &format!("{webhook}/deliveries"), Value::Null)),
        ("delete_webhook", call("DELETE", &webhook, Value::Null)),
        ("list_webhooks", call("GET", "/api/webhooks", Value::Null)),
        ("renew_feed", call("POST", "/api/feed", Value::Null)),
        ("get_feed", call("GET", "/api/feed", Value::Null)),
    ] {
        told.insert(operation, answer(&app, call, &names).await);
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../api/src/documents/openapi/answers.json");
    let wanted = serde_json::to_string_pretty(&told).unwrap() + "\n";
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap();
    assert_eq!(kept, wanted, "if that is meant, UPDATE=1 writes {}", path.display());
}
