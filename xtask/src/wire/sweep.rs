//! Every operation with every mistake that costs nothing.

use std::collections::BTreeSet;

use super::coverage::CoveredOperation;
use super::script::ScriptCall;

/// An id of nothing.
const NO_ID: &str = "00000000-0000-7000-8000-000000000000";
/// More than any body of JSON may have.
const BIG: &str = "big 1100000";
/// A form with a file is longer, and takes long to be refused.
const TAKE_FORMS: [&str; 2] = ["request_pix_credit", "set_avatar"];
/// What ends the session that a sweep needs.
const ENDING: [&str; 2] = ["sign_out", "end_all_sessions"];

/// A call that only reads.
pub(super) fn get(target: &str) -> ScriptCall {
    ScriptCall { method: "GET".to_owned(), target: target.to_owned(), ..ScriptCall::default() }
}

/// The calls for every operation: those of nobody, or those of a browser, which are more about what is sent.
pub(super) fn calls(operations: &[CoveredOperation], is_browser: bool) -> Vec<ScriptCall> {
    let mut calls = Vec::new();
    for operation in operations.iter().filter(|operation| operation.path != "/mcp") {
        if !is_browser {
            calls.extend(of_nobody(operation));
        } else if !ENDING.contains(&operation.name.as_str()) {
            calls.extend(of_a_browser(operation));
        }
    }
    if !is_browser {
        let paths: BTreeSet<&str> = operations.iter().map(|operation| operation.path.as_str()).collect();
        for path in paths {
            calls.extend(of_a_path(path, operations));
        }
    }
    calls
}

fn of_nobody(operation: &CoveredOperation) -> Vec<ScriptCall> {
    let with = |lines: &[&str]| call(operation, "", lines);
    let wrong = format!("X-Guest-Token: pa_{}", "A".repeat(43));
    let mut calls = vec![
        with(&[]),
        call(operation, "?lang=pt-BR", &[&wrong]),
        with(&[&format!("Authorization: Bearer mmk_{}", "A".repeat(43))]),
        with(&["X-Api-Key: nothing"]),
        call(operation, "?lang=xx", &[]),
        call(operation, "?nothing=1", &[]),
    ];
    if operation.takes_body {
        calls.push(with(&["Content-Type: application/json", "body {\"a\":"]));
        calls.push(with(&["Content-Type: text/plain", "body {}"]));
        if !TAKE_FORMS.contains(&operation.name.as_str()) {
            calls.push(with(&["Content-Type: application/json", BIG]));
        }
    }
    if operation.method == "GET" {
        calls.push(ScriptCall { method: "HEAD".to_owned(), ..with(&[]) });
    }
    calls
}

fn of_a_browser(operation: &CoveredOperation) -> Vec<ScriptCall> {
    let with = |lines: &[&str]| call(operation, "", lines);
    if operation.method == "GET" {
        return vec![with(&[])];
    }
    let mut calls = vec![with(&["Origin: https://elsewhere.example.com", "json {}"])];
    if operation.takes_body {
        calls.push(with(&["X-CSRF-Token: nothing", "json {}"]));
        calls.push(with(&["Content-Type: application/json", "body {\"a\":"]));
        calls.push(with(&["json {\"nothing\": 1}"]));
        calls.push(with(&["Content-Type: text/plain", "body {}"]));
        calls.push(call(operation, "?lang=pt-BR", &["json {}"]));
    } else if operation.path.contains('{') {
        calls.push(with(&["json {}"]));
    }
    calls
}

/// What no operation of the path answers.
fn of_a_path(path: &str, operations: &[CoveredOperation]) -> Vec<ScriptCall> {
    let methods: Vec<&str> = operations.iter().filter(|o| o.path == path).map(|o| o.method.as_str()).collect();
    let target = target(path);
    let options = |lines: &[&str]| ScriptCall {
        method: "OPTIONS".to_owned(),
        target: target.clone(),
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        ..ScriptCall::default()
    };
    let asked = format!("Access-Control-Request-Method: {}", methods.first().unwrap_or(&"GET"));
    let asked_headers = "Access-Control-Request-Headers: content-type, x-guest-token";
    let mut calls =
        vec![options(&[]), options(&["Origin: https://elsewhere.example.com", asked.as_str(), asked_headers])];
    let wrong = ["DELETE", "PUT", "POST", "GET", "REPORT"].into_iter().find(|method| !methods.contains(method));
    calls.extend(wrong.map(|method| ScriptCall {
        method: method.to_owned(),
        target: target.clone(),
        ..ScriptCall::default()
    }));
    calls
}

fn call(operation: &CoveredOperation, query: &str, lines: &[&str]) -> ScriptCall {
    ScriptCall {
        method: operation.method.clone(),
        target: format!("{}{query}", target(&operation.path)),
        variants: Vec::new(),
        lines: lines.iter().map(|line| (*line).to_owned()).collect(),
    }
}

/// A path of a template that leads to nothing.
fn target(template: &str) -> String {
    let part = |part: &str| match part {
        "{code}" => "title_mising".to_owned(),
        "{slug}" | "{file}" => "nothing".to_owned(),
        _ if part.starts_with('{') => NO_ID.to_owned(),
        _ => part.to_owned(),
    };
    template.split('/').map(part).collect::<Vec<_>>().join("/")
}
