//! Twelve tasks of an agent that knows nothing but the address of the service: every request is one that the guide at
//! `/llms.txt` shows, with the values that earlier answers gave. Calls, refusals and bytes are counted.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, TestApp};

/// What all tasks together may take.
const MOST_CALLS: usize = 30;
const MOST_BYTES: usize = 150 * 1024;

const PAGE: &str = "<!doctype html>\n<html>\n<head>\n<title>Bread</title>\n<meta name=viewport content=\"width=device-width, \
                    user-scalable=no\">\n</head>\n<body>\n<h1>Bread</h1>\n<p>We bake bread.</p>\n<img src=a.png>\n</body>\n</html>\n";

/// An agent: the requests of the guide, what it learned, and what it took so far.
struct Agent<'a> {
    app: &'a TestApp,
    base: String,
    /// `curl` commands of the guide, in order.
    requests: Vec<Vec<String>>,
    /// Values for the placeholders of the guide.
    known: BTreeMap<&'static str, String>,
    calls: usize,
    refusals: usize,
    bytes: usize,
}

impl<'a> Agent<'a> {
    async fn new(app: &'a TestApp) -> Self {
        let base = app.url("");
        let mut agent =
            Self { app, base, requests: Vec::new(), known: BTreeMap::new(), calls: 0, refusals: 0, bytes: 0 };
        let guide = agent.send(Call::get("/llms.txt")).await;
        agent.requests = guide.lines().filter(|line| line.starts_with("curl ")).map(words).collect();
        agent
    }

    async fn send(&mut self, call: Call<'_>) -> String {
        let response = self.app.call(call).await;
        self.calls += 1;
        self.bytes += response.body.len();
        self.refusals += usize::from(response.status >= 400);
        assert!(response.status < 400, "{}", response.body);
        response.body
    }

    /// Sends the request of the guide whose address has this part, with members of its body changed.
    async fn ask(&mut self, part: &str, body: Value) -> Value {
        let written = self.ask_text(part, body).await;
        serde_json::from_str(&written).unwrap_or(Value::String(written))
    }

    async fn ask_text(&mut self, part: &str, change: Value) -> String {
        let is_it =
            |request: &&Vec<String>| request.iter().any(|word| word.starts_with(&self.base) && word.ends_with(part));
        let request = self.requests.iter().find(is_it).unwrap_or_else(|| panic!("no request of {part} in the guide"));
        let filled: Vec<String> = request.iter().map(|word| self.filled(word)).collect();
        let after = |flag: &str| {
            let at = filled.iter().enumerate().filter(move |(_, word)| *word == flag);
            at.map(|(at, _)| filled[at + 1].clone()).collect::<Vec<_>>()
        };
        let url = filled.iter().find(|word| word.starts_with(&self.base)).unwrap();
        let body = after("-d").into_iter().next();
        let method =
            after("-X").into_iter().next().unwrap_or(if body.is_some() { "POST".into() } else { "GET".into() });
        let path = url.strip_prefix(&self.base).unwrap().to_owned();
        let mut call = Call::new(&method, &path);
        for header in after("-H") {
            let (name, value) = header.split_once(": ").unwrap();
            call = call.header(name, value);
        }
        if let Some(body) = body {
            let mut body: Value = serde_json::from_str(&body).unwrap();
            body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
            call = call.body(&body.to_string());
        }
        self.send(call).await
    }

    fn filled(&self, word: &str) -> String {
        self.known.iter().fold(word.to_owned(), |word, (name, value)| word.replace(name, value))
    }
}

/// The words of a command, as a shell splits them.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut is_quoted = false;
    for character in command.chars() {
        match character {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words
}

#[tokio::test(flavor = "multi_thread")]
async fn twelve_tasks_take_few_calls_few_bytes_and_no_refusal() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(PAGE),
        "/robots.txt" => SiteAnswer::page(200, "text/plain", "User-agent: GPTBot\nDisallow: /\n"),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let mut agent = Agent::new(&app).await;
    let page = json!({"url": site.url("/")});

    // 1, 2. Audit a page with its most urgent findings, and read the rest.
    let audit = agent.ask("/api/audit", page.clone()).await;
    agent.known.insert("ID", audit["id"].as_str().unwrap().to_owned());
    agent.known.insert("TOKEN", audit["guest_token"].as_str().unwrap().to_owned());
    let mut found = audit["issues"].as_array().unwrap().len();
    let mut cursor = audit["cursor"].clone();
    while let Value::String(place) = cursor {
        agent.known.insert("CURSOR", place);
        let more = agent.ask("cursor=CURSOR", json!({})).await;
        found += more["issues"].as_array().unwrap().len();
        cursor = more["cursor"].clone();
    }
    assert!(found > 3, "{found}");
    // 3. Some fields only. 4. The report as a document.
    let fields = agent.ask("summary.robotsTxt", json!({})).await;
    assert_eq!((&fields["score"], fields["summary"]["robotsTxt"].is_object()), (&audit["score"], true));
    assert!(agent.ask_text("format=markdown", json!({})).await.starts_with("# Audit of "));
    // 5. The patch to a score.
    let patch = agent.ask("patch?target=90", json!({})).await;
    let patched = agent.ask("/patch", json!({"html": PAGE})).await;
    let html = patched["html"].as_str().unwrap();
    assert!(patched["diff"].as_str().unwrap().starts_with("--- a/index.html\n+++ b/index.html\n"), "{patched}");
    // 6. Prove it: what the patch promises comes true, and nothing breaks.
    let proof = agent.ask("/api/verify", json!({"url": site.url("/"), "html": html})).await;
    assert_eq!(proof["broke"], json!([]), "{proof}");
    let fixed: Vec<&Value> = proof["fixed"].as_array().unwrap().iter().map(|finding| &finding["code"]).collect();
    let promised = patch["target"]["codes"].as_array().unwrap();
    assert!(!promised.is_empty() && promised.iter().all(|code| fixed.contains(&code)), "{proof} {patch}");
    // What only the network tells is not measured, and takes no points.
    assert!(proof["score"].as_u64() >= patch["target"]["scoreAfter"].as_u64(), "{proof} {patch}");
    // 7. Publish it, with a badge.
    let shared = agent.ask("/share", json!({})).await;
    assert!(shared["_links"]["report"].is_string() && shared["badge"].is_string(), "{shared}");
    // 8, 9. Follow the page, audit it again, and see what changed.
    let tab = agent.ask("/api/tabs", page).await;
    agent.known.insert("TAB", tab["tab"]["id"].as_str().unwrap().to_owned());
    let run = agent.ask("/run?budget=800", json!({})).await;
    assert_eq!(run["result"]["score"], audit["score"], "{run}");
    let history = agent.ask("/history?limit=2", json!({})).await;
    assert_eq!(history["runs"].as_array().unwrap().len(), 2, "{history}");
    // 10. Look checks up.
    assert!(agent.ask("q=viewport%20zoom", json!({})).await["checks"][0]["code"].is_string());
    assert_eq!(agent.ask("/title_missing", json!({})).await["code"], "title_missing");
    // 11. Whether a crawler may fetch the page.
    assert_eq!(agent.ask("agent=Googlebot", json!({})).await["verdict"], "allowed");
    // 12. The same service as tools.
    let message = |method: &str, params: Value| {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        Call::new("POST", "/mcp").header("content-type", "application/json").body(&message)
    };
    agent.send(message("tools/list", json!({}))).await;
    let arguments = json!({"id": agent.known["ID"], "guest_token": agent.known["TOKEN"], "budget": 500});
    let called = agent.send(message("tools/call", json!({"name": "get_audit", "arguments": arguments}))).await;
    assert!(called.contains("\"isError\":false"), "{called}");

    let Agent { calls, refusals, bytes, .. } = agent;
    println!("twelve tasks: {calls} calls, {refusals} refusals, {bytes} bytes");
    assert!(calls <= MOST_CALLS && refusals == 0 && bytes <= MOST_BYTES, "{calls} {refusals} {bytes}");
}
