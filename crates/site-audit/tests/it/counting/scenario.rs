//! 200 calls by people, agents and machines, and their numbers, counted by hand.

use serde_json::json;

use super::person;
use crate::app::Call;

/// Calls by surface and reader.
pub(super) const CALLS: &[(&str, u64)] = &[
    // Of 10 API calls of GPTBot and 5 of an assistant that signs its requests.
    ("api/agente", 15),
    // Of 20 calls of curl, 10 without a user agent, and 5 for a head only.
    ("api/maquina", 35),
    ("api/pessoa", 30),
    ("documentos/agente", 10),
    ("documentos/maquina", 10),
    // 4 of Claude-User and 6 of a client under a name of its own.
    ("mcp/agente", 10),
    ("pagina/agente", 5),
    ("pagina/maquina", 5),
    // 20 of the first page and 20 of the list of checks.
    ("pagina/pessoa", 40),
    ("widget/pessoa", 10),
];

/// Calls by agent.
pub(super) const AGENTS: &[(&str, u64)] = &[("ChatGPT-User", 5), ("Claude-User", 4), ("GPTBot", 25), ("MCP", 6)];

/// The calls: 195 that are seen, of which 170 use the service, and 5 tests of the operator.
pub(super) fn calls() -> Vec<Call<'static>> {
    let by = |call: Call<'static>, agent: &str| call.header("user-agent", agent);
    let tool = || {
        let call =
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "get_gate", "arguments": {}}});
        Call::new("POST", "/mcp").header("content-type", "application/json").body(&call.to_string())
    };
    let mut calls = Vec::new();
    let mut add = |times: usize, call: &dyn Fn(usize) -> Call<'static>| calls.extend((0..times).map(call));
    add(20, &|n| person(Call::get("/"), n % 8));
    add(20, &|n| person(Call::get("/checks"), n % 8));
    add(30, &|n| person(Call::get("/api/checks"), n % 8));
    add(10, &|n| person(Call::get("/embed"), n % 8 + 100));
    add(10, &|_| by(Call::get("/api/gate"), "Mozilla/5.0; compatible; GPTBot/1.2"));
    add(10, &|_| by(Call::get("/llms.txt"), "Mozilla/5.0; compatible; GPTBot/1.2"));
    add(5, &|_| by(Call::get("/"), "Mozilla/5.0; compatible; GPTBot/1.2"));
    add(5, &|_| person(Call::get("/api/gate"), 0).header("signature-agent", "\"https://chatgpt.com\""));
    add(4, &|_| by(tool(), "Claude-User/1.0"));
    add(6, &|_| by(tool(), "Claude-User/1.0 (no)").replace("user-agent", "my-client/1.0"));
    add(20, &|_| by(Call::get("/api/gate"), "curl/8.5.0"));
    add(10, &|_| Call::get("/api/gate"));
    add(5, &|_| person(Call::new("HEAD", "/api/checks"), 0));
    add(5, &|_| by(Call::get("/apis.json"), "python-requests/2.32"));
    add(5, &|_| by(Call::get("/openapi.json"), "curl/8.5.0"));
    add(5, &|_| by(Call::get("/checks"), "Mozilla/5.0 (compatible; Googlebot/2.1)"));
    // Seen, but no use of the service: the health check, style and scripts, heads of pages, what is not there.
    add(10, &|_| by(Call::get("/api/health"), "curl/8.5.0"));
    add(5, &|_| person(Call::get("/favicon.svg"), 0));
    add(5, &|_| person(Call::new("HEAD", "/"), 0));
    add(5, &|_| person(Call::get("/nowhere"), 0));
    add(5, &|_| by(Call::get("/"), "mm-smoke"));
    calls
}
