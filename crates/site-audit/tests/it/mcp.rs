//! `/mcp`: both eras of the protocol, every row of its tables.

mod calls;
mod transport;

use serde_json::{Map, Value, json};

use crate::app::{Call, Response, TestApp};

/// The version whose requests stand for themselves.
const MODERN: &str = "2026-07-28";

/// A message of the era before, without a header of its own.
fn legacy(method: &str, params: &Value) -> Call<'static> {
    let body = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
    Call::new("POST", "/mcp").header("content-type", "application/json").body(&body.to_string())
}

/// A message of the new era, with the headers that belong to it.
fn modern(method: &str, params: &Value) -> Call<'static> {
    let mut fields: Map<String, Value> = params.as_object().cloned().unwrap();
    let meta = fields.entry("_meta").or_insert_with(|| json!({})).as_object_mut().unwrap();
    meta.insert("io.modelcontextprotocol/protocolVersion".to_owned(), MODERN.into());
    meta.insert("io.modelcontextprotocol/clientCapabilities".to_owned(), json!({}));
    let call =
        legacy(method, &Value::Object(fields)).header("mcp-protocol-version", MODERN).header("mcp-method", method);
    match params["name"].as_str() {
        Some(name) if method == "tools/call" => call.header("mcp-name", name),
        _ => call,
    }
}

/// The parameters of a message of the new era that has none of its own.
pub(crate) fn modern_params() -> Value {
    json!({
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    })
}

/// The result of a tool, in either era.
async fn tool(app: &TestApp, name: &str, arguments: Value, change: impl Fn(Call<'static>) -> Call<'static>) -> Value {
    let response = app.call(change(legacy("tools/call", &json!({"name": name, "arguments": arguments})))).await;
    assert_eq!(response.status, 200, "{}", response.body);
    response.json()["result"].clone()
}

/// Status and code of an error of the protocol.
fn error(response: &Response) -> (u16, i64) {
    (response.status, response.json()["error"]["code"].as_i64().unwrap_or_default())
}

/// A tool of the list, with the schema of its answer.
async fn listed(app: &TestApp, name: &str) -> Value {
    let asked = json!({"_meta": {"site-audit/outputSchema": true}});
    let list = app.call(legacy("tools/list", &asked)).await.json();
    list["result"]["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap().clone()
}
