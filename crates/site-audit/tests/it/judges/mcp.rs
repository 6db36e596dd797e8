//! The official suite of the Model Context Protocol, and its official client.

use std::process::Command;

use serde_json::json;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::{beside, content, folder, npm, pip, run};
use crate::app::{Call, TestApp};

/// Scenarios that a server without tools of an example has to pass, with the version that they are of.
const SCENARIOS: [(&str, &str); 8] = [
    ("server-stateless", "2026-07-28"),
    ("http-header-validation", "2026-07-28"),
    ("tools-list", "2026-07-28"),
    ("dns-rebinding-protection", "2026-07-28"),
    ("server-initialize", "2025-11-25"),
    ("ping", "2025-11-25"),
    ("tools-list", "2025-11-25"),
    ("dns-rebinding-protection", "2025-11-25"),
];
/// As a client compiles schemas before it holds arguments and answers to them.
const SCHEMAS: &str = "
import json, sys
from jsonschema import Draft202012Validator
for tool in json.load(open(sys.argv[1]))['result']['tools']:
    for name in ('inputSchema', 'outputSchema'):
        if name in tool:
            Draft202012Validator.check_schema(tool[name])
";
/// What the client ends with when a result says that the call failed.
const RESULT_IS_ERROR: i32 = 5;

#[tokio::test(flavor = "multi_thread")]
async fn the_official_suite_is_content_in_both_eras() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    for (scenario, version) in SCENARIOS {
        let Some(mut suite) = npm("@modelcontextprotocol/conformance/dist/index.js") else { return };
        suite.args(["server", "--url", &app.url("/mcp"), "--scenario", scenario, "--spec-version", version]);
        suite.arg("--expected-failures").arg(beside("mcp-expected-failures.yaml"));
        content(suite).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_of_tools_are_of_the_dialect_that_clients_compile() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let Some(mut python) = pip("python") else { return };
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let listed = app.call(Call::new("POST", "/mcp").body(&list.to_string())).await;
    let folder = folder(&[("tools.json", &listed.body)]);
    python.args(["-c", SCHEMAS]).arg(folder.path().join("tools.json"));
    content(python).await;
}

fn inspector(app: &TestApp, arguments: &[&str]) -> Option<Command> {
    super::inspector(&[&[app.url("/mcp").as_str(), "--transport", "http"][..], arguments].concat())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_lists_strictly_and_calls() {
    let site = TestSite::start(|_| SiteAnswer::html("<!doctype html><title>Bread</title>")).await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let Some(list) = inspector(&app, &["--method", "tools/list", "--strict"]) else { return };
    assert!(content(list).await.contains("audit_page"));
    let token = format!("X-Guest-Token: {}", app.guest().await);
    let url = format!("url={}", site.url("/"));
    let call = ["--header", &token, "--method", "tools/call", "--tool-name", "audit_page", "--tool-arg", &url];
    let audited = content(inspector(&app, &call).unwrap()).await;
    assert!(audited.contains("\"score\""), "{audited}");
    let unknown = ["--method", "tools/call", "--tool-name", "get_check", "--tool-arg", "code=nothing"];
    assert_eq!(run(inspector(&app, &unknown).unwrap()).await.status.code(), Some(RESULT_IS_ERROR));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_sees_what_is_to_be_paid() {
    let app = TestApp::start(TestDatabase::sqlite(), |config| {
        config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
        config.limits.free_audits_per_day = 0;
    })
    .await;
    let call = ["--method", "tools/call", "--tool-name", "audit_page", "--tool-arg", "url=http://127.0.0.2/"];
    let Some(command) = inspector(&app, &call) else { return };
    let output = run(command).await;
    let said = String::from_utf8_lossy(&output.stdout);
    // Held to the tool's schema, and still there.
    assert_eq!(output.status.code(), Some(RESULT_IS_ERROR), "{said}");
    assert!(said.contains("allowance_spent") && said.contains("eip155:84532"), "{said}");
}
