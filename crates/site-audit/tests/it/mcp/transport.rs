//! What is taken at `/mcp`, from whom, and how it is answered.

use serde_json::{Value, json};
use testkit::TestDatabase;

use super::{MODERN, error, legacy, modern};
use crate::app::{Call, TestApp};

async fn app() -> TestApp {
    TestApp::start(TestDatabase::sqlite(), |config| {
        config.mcp.allow_origins = vec!["https://chat.example".to_owned()];
    })
    .await
}

fn raw(body: &str) -> Call<'static> {
    Call::new("POST", "/mcp").body(body)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_pages_that_may_can_call() {
    let app = app().await;
    let ping = |origin: &str| legacy("ping", &json!({})).header("origin", origin);
    for origin in ["https://evil.example", "null", "https://chat.example.evil.example"] {
        assert_eq!(app.call(ping(origin)).await.status, 403, "{origin}");
    }
    let port = app.address().port();
    for origin in ["https://chat.example".to_owned(), app.url(""), format!("http://localhost:{port}")] {
        let response = app.call(ping(&origin)).await;
        assert_eq!((response.status, response.header("access-control-allow-origin")), (200, origin.as_str()));
    }
    // A foreign name that is pointed at this machine.
    let rebound = legacy("ping", &json!({})).header("host", "evil.example:80");
    assert_eq!(app.call(rebound).await.status, 403);
    let asks = |origin: &str, method: &str| {
        Call::new("OPTIONS", "/mcp").header("origin", origin).header("access-control-request-method", method)
    };
    let foreign = app.call(asks("https://evil.example", "POST")).await;
    assert_eq!(foreign.header("access-control-allow-methods"), "GET");
    let allowed = app.call(asks("https://chat.example", "POST")).await;
    assert_eq!(allowed.header("access-control-allow-origin"), "https://chat.example");
    assert!(allowed.header("access-control-allow-headers").contains("mcp-protocol-version"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_message_is_refused_in_its_words() {
    let app = app().await;
    for (body, wanted) in [
        ("{", (400, -32_700)),
        ("[]", (400, -32_600)),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, (400, -32_600)),
        (r#"{"id":1,"method":"ping"}"#, (400, -32_600)),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, (400, -32_600)),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#, (400, -32_600)),
    ] {
        let response = app.call(raw(body)).await;
        assert_eq!(error(&response), wanted, "{body}");
        assert_eq!(response.json()["id"], Value::Null);
    }
    let announced = app.call(Call::new("POST", "/mcp").header("content-length", "6291457")).await;
    assert_eq!(announced.status, 413);
    let portuguese = app.call(raw("{").header("accept-language", "pt-BR")).await;
    assert_eq!(portuguese.json()["error"]["message"], "O corpo não é JSON.");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_json_whatever_the_client_says_it_takes() {
    let app = app().await;
    for accept in ["*/*", "application/json", "text/event-stream", "text/html", "text/markdown", "x"] {
        let response = app.call(legacy("ping", &json!({})).header("accept", accept)).await;
        assert_eq!((response.status, response.header("content-type")), (200, "application/json"), "{accept}");
        assert_eq!(response.json()["result"], json!({}));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_asks_nothing_is_accepted_and_not_answered() {
    let app = app().await;
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ] {
        let response = app.call(raw(body)).await;
        assert_eq!((response.status, response.body.as_str()), (202, ""), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handshake_opens_the_old_era_without_a_session() {
    let app = app().await;
    for (asked, agreed) in
        [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-03-26"), ("1", "2025-11-25")]
    {
        let params = json!({"protocolVersion": asked, "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
        let response =
            app.call(legacy("initialize", &params).header("accept", "application/json, text/event-stream")).await;
        let result = &response.json()["result"];
        assert_eq!(result["protocolVersion"], agreed);
        assert!(result["instructions"].as_str().unwrap().contains("audit_page"));
        assert_eq!((response.header("mcp-session-id"), response.header("content-type")), ("", "application/json"));
    }
    let ping = app.call(legacy("ping", &json!({})).header("mcp-session-id", "x").header("last-event-id", "1")).await;
    assert_eq!(ping.json(), json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    assert_eq!(error(&app.call(legacy("prompts/list", &json!({}))).await), (200, -32_601));
    let unknown = legacy("ping", &json!({})).header("mcp-protocol-version", "2099-01-01");
    assert_eq!(error(&app.call(unknown).await), (400, -32_022));
    // The old era has none of the new one's fields.
    let list = app.call(legacy("tools/list", &json!({})).header("mcp-protocol-version", "2025-06-18")).await.json();
    assert!(list["result"].get("resultType").is_none() && list["result"].get("ttlMs").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_of_the_new_era_stands_for_itself() {
    let app = app().await;
    let discovered = app.call(modern("server/discover", &json!({}))).await.json();
    let result = &discovered["result"];
    assert_eq!((&result["resultType"], &result["cacheScope"]), (&"complete".into(), &"public".into()));
    assert_eq!(result["supportedVersions"][0], MODERN);
    let list = app.call(modern("tools/list", &json!({}))).await.json();
    assert!(list["result"]["ttlMs"].is_u64());
    assert_eq!(error(&app.call(modern("tools/list", &json!({"cursor": "x"}))).await), (200, -32_602));
    for removed in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "subscriptions/listen", "x"] {
        let response = app.call(modern(removed, &json!({}))).await;
        assert_eq!((error(&response), &response.json()["id"]), ((404, -32_601), &7.into()), "{removed}");
    }
    let bare = |list: &[(&str, &str)]| {
        list.iter().fold(legacy("tools/list", &json!({})), |call, (name, value)| call.header(name, value))
    };
    assert_eq!(error(&app.call(bare(&[("mcp-protocol-version", MODERN)])).await), (400, -32_602));
    let meta = |version: &str| {
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }})
    };
    let without_method = legacy("tools/list", &meta(MODERN)).header("mcp-protocol-version", MODERN);
    assert_eq!(error(&app.call(without_method).await), (400, -32_020));
    let other = legacy("tools/list", &meta("2099-01-01")).header("mcp-protocol-version", "2099-01-01");
    let refused = app.call(other).await;
    assert_eq!(error(&refused), (400, -32_022));
    assert_eq!(refused.json()["error"]["data"]["requested"], "2099-01-01");
    let other_name = modern("tools/call", &json!({"name": "get_health"})).header("mcp-name", "get_gate");
    assert_eq!(error(&app.call(other_name).await), (400, -32_020));
    let answered = app.call(modern("tools/call", &json!({"name": "get_health"}))).await.json();
    assert_eq!(answered["result"]["resultType"], "complete");
    assert_eq!(answered["result"]["structuredContent"]["ok"], true);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_card_says_what_the_server_says() {
    let app = app().await;
    let discovered = app.call(modern("server/discover", &json!({}))).await.json();
    let said = &discovered["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    for path in ["/mcp", "/mcp/server-card"] {
        let response = app.call(Call::get(path).header("accept", "application/json, text/event-stream")).await;
        assert_eq!((response.status, response.header("content-type")), (200, "application/mcp-server-card+json"));
        let card = response.json();
        for field in ["name", "title", "version"] {
            assert_eq!(card[field], said[field], "{field}");
        }
        assert_eq!(card["remotes"][0]["supportedProtocolVersions"], discovered["result"]["supportedVersions"]);
        assert_eq!(card["remotes"][0]["url"], app.url("/mcp"));
        assert_eq!(response.header("access-control-allow-origin"), "*");
        let known = Call::get(path).header("if-none-match", response.header("etag"));
        assert_eq!(app.call(known).await.status, 304);
        assert_eq!(app.call(Call::new("HEAD", path)).await.body, "");
        assert_eq!(app.call(Call::new("DELETE", path)).await.status, 405);
    }
    let stream = app.call(Call::get("/mcp").header("accept", "text/event-stream")).await;
    assert_eq!((stream.status, stream.header("allow")), (405, "GET, POST"));
    assert_eq!(app.call(Call::get("/mcp/x")).await.refusal(), (404, "not_found".to_owned()));
}
