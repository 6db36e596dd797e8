//! `site-audit mcp`: the tools over standard input and output.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestSite};

use crate::mcp::modern_params;

#[tokio::test(flavor = "multi_thread")]
async fn a_local_agent_audits_and_patches_without_a_service() {
    let site = TestSite::start(|_| SiteAnswer::html("<!doctype html><title>Bread</title><h1>Bread</h1>")).await;
    let by_name = format!("http://localhost:{}/", super::audit::plain_site().port());
    let call = |id: u32, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let talk = |messages: &[Value]| -> Vec<Value> {
        let mut server = Command::new(env!("CARGO_BIN_EXE_site-audit"))
            .args(["mcp", "--allow-private"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = server.stdin.take().unwrap();
        for message in messages {
            writeln!(input, "{message}\n").unwrap();
        }
        drop(input);
        let output = server.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        let mut answers: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        answers.sort_by_key(|answer| answer["id"].as_u64());
        answers
    };
    let hello =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    let answers = talk(&[
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
        call(3, "audit_page", json!({"url": site.url("/"), "budget": 500})),
        json!({"jsonrpc": "2.0", "id": 4, "method": "server/discover", "params": modern_params()}),
        call(5, "get_workspace", json!({})),
        call(6, "audit_page", json!({"url": by_name, "budget": 500})),
    ]);
    assert_eq!(answers.len(), 6, "{answers:?}");
    assert_eq!(answers[0]["result"]["protocolVersion"], "2025-11-25");
    assert!(answers[1]["result"]["tools"].as_array().unwrap().len() <= 25);
    let audit = &answers[2]["result"]["structuredContent"];
    assert!(audit["score"].is_u64() && audit["_links"]["self"].is_string(), "{audit}");
    assert!(answers[3]["result"]["supportedVersions"].is_array(), "{}", answers[3]);
    assert_eq!(answers[4]["result"]["isError"], false, "{}", answers[4]);
    assert_eq!(answers[5]["result"]["isError"], false, "{}", answers[5]);
    let broken = talk(&[Value::from("x")]);
    assert_eq!(broken[0]["error"]["code"], -32_600, "{broken:?}");
}
