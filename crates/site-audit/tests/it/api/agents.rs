//! What makes a program's work short: one call to a guest with an audit, reports in parts, names told when mistyped, one
//! operation described by itself.

mod patches;

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    one_call_makes_a_guest_and_its_audit,
    every_report_comes_in_parts_and_forms,
    what_a_call_does_not_take_is_refused_with_the_nearest_name,
    a_wrong_name_in_fields_costs_no_audit,
    every_refusal_leads_to_a_short_description,
    checks_are_found_by_words,
    checks_come_in_parts_and_short_as_a_tool,
    robots_txt_is_read_for_any_crawler,
    a_format_is_asked_for_in_query_or_body,
}

const PAGE: &str = "<!doctype html><html lang=en><title>Bread</title><img src=a.png><a href=/></a><h1>Bread</h1>";
const ROBOTS: &str = "User-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nUser-agent: BreadBot\nDisallow: /\nUser-agent: MJ12bot\nUser-agent: 360Spider\nDisallow: /\n";

async fn site() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(PAGE),
        "/robots.txt" => SiteAnswer::page(200, "text/plain", ROBOTS),
        _ => SiteAnswer::missing(),
    })
    .await
}

fn post(path: &str, body: &Value) -> Call<'static> {
    Call::new("POST", path).body(&body.to_string())
}

async fn one_call_makes_a_guest_and_its_audit(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| {}).await);
    let asked = json!({"url": site.url("/"), "guest": true, "budget": 600});
    let audit = app.call(post("/api/audit", &asked)).await.json();
    let (id, token) = (audit["id"].as_str().unwrap(), audit["guest_token"].as_str().unwrap());
    assert_eq!(audit["audit_id"], audit["id"]);
    assert!(audit["cursor"].is_string() && audit["issues"].as_array().is_some_and(|issues| !issues.is_empty()));
    let cursor = audit["cursor"].as_str().unwrap();
    for path in ["", "/patch", &format!("?budget=600&cursor={cursor}")] {
        let read = app.call(Call::get(&format!("/api/audits/{id}{path}")).token(token)).await;
        assert_eq!(read.status, 200, "{path}: {}", read.body);
    }
    let shared = app.call(Call::new("POST", &format!("/api/audits/{id}/share")).token(token)).await;
    assert_eq!(shared.status, 200, "{}", shared.body);
    // Who is known already stays who they are.
    let again = app.call(post("/api/audit", &asked).token(token)).await.json();
    assert!(again.get("guest_token").is_none() && again["id"].is_string(), "{again}");
    // Some fields alone leave the token there; a document has no place for it.
    let score = json!({"url": site.url("/"), "guest": true, "fields": "score", "budget": 1});
    let part = app.call(post("/api/audit", &score)).await.json();
    let names: Vec<&str> = part.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, ["score", "id", "guest_token", "remaining", "cursor"], "{part}");
    let document = json!({"url": site.url("/"), "guest": true, "format": "markdown"});
    assert_eq!(app.call(post("/api/audit", &document)).await.refusal(), (400, "invalid_parameter".to_owned()));
    // Without an owner nobody can read on.
    let nobody = app.call(post("/api/audit", &json!({"url": site.url("/"), "budget": 1}))).await.json();
    assert!(nobody["cursor"].is_null() && nobody["remaining"].as_u64() > Some(0), "{nobody}");
}

async fn every_report_comes_in_parts_and_forms(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| {}).await);
    let token = app.guest().await;
    let url = site.url("/");
    let tab = app.call(post("/api/tabs", &json!({"url": url})).token(&token)).await.json();
    let tab = tab["tab"]["id"].as_str().unwrap();
    let run = app.call(Call::new("POST", &format!("/api/tabs/{tab}/run")).token(&token)).await.json();
    let id = run["result"]["id"].as_str().unwrap();
    assert_eq!(run["result"]["audit_id"], id);
    let shared = app.call(Call::new("POST", &format!("/api/audits/{id}/share")).token(&token)).await.json();
    let slug = shared["slug"].as_str().unwrap();
    let page = json!({"url": url, "html": PAGE, "audit_id": id});
    for (method, path, body, within) in [
        ("POST", "/api/audit", Some(json!({"url": url})), ""),
        ("POST", &*format!("/api/tabs/{tab}/run"), Some(json!({})), "result"),
        ("POST", "/api/verify", Some(page), ""),
        ("GET", &*format!("/api/audits/{id}"), None, ""),
        ("GET", &*format!("/api/shared/{slug}"), None, ""),
        ("GET", &*format!("/api/tabs/{tab}"), None, "result"),
        ("GET", "/api/tabs", None, "active_result"),
    ] {
        let score = if within.is_empty() { "score".to_owned() } else { format!("{within}.score") };
        for wish in [json!({"budget": 1}), json!({"fields": score}), json!({"format": "markdown"})] {
            let query: Vec<String> = wish
                .as_object()
                .unwrap()
                .iter()
                .map(|(name, value)| {
                    format!("{name}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
                })
                .collect();
            // In the query of every call, and in the body where there is one.
            let mut answers = Vec::new();
            let in_query = Call::new(method, &format!("{path}?{}", query.join("&"))).token(&token);
            answers.push(
                app.call(match &body {
                    Some(body) => in_query.body(&body.to_string()),
                    None => in_query,
                })
                .await,
            );
            if let Some(body) = &body {
                let mut body = body.clone();
                body.as_object_mut().unwrap().extend(wish.as_object().unwrap().clone());
                answers.push(app.call(Call::new(method, path).token(&token).body(&body.to_string())).await);
            }
            for answer in answers {
                assert_eq!(answer.status, 200, "{method} {path} {wish}: {}", answer.body);
                if wish.get("format").is_some() {
                    assert_eq!(answer.header("content-type"), "text/markdown; charset=utf-8", "{path}");
                    assert!(answer.body.starts_with("# Audit of "), "{path}: {}", answer.body);
                    continue;
                }
                let answer = answer.json();
                let report = if within.is_empty() { &answer } else { &answer[within] };
                assert!(report["score"].is_u64(), "{path}: {answer}");
                if wish.get("budget").is_some() {
                    assert_eq!(report["issues"].as_array().unwrap().len(), 1, "{path}");
                    assert!(report.get("summary").is_none() && report["remaining"].as_u64() > Some(0), "{path}");
                } else {
                    assert_eq!(answer.as_object().unwrap().len(), 1, "{path}: {answer}");
                }
            }
        }
    }
    let twice = post("/api/audit?budget=1", &json!({"url": url, "budget": 1}));
    assert_eq!(app.call(twice).await.refusal(), (400, "invalid_parameter".to_owned()));
    let portuguese = app.call(post("/api/verify", &json!({"url": url, "html": "", "lang": "pt-BR"}))).await;
    assert_eq!(portuguese.header("content-language"), "pt-BR");
}

async fn what_a_call_does_not_take_is_refused_with_the_nearest_name(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    let id = "019bc2f0-5e40-7c1a-9d2e-3f4a5b6c7d8e";
    for (call, detail) in [
        (Call::get("/api/health?nothing=1"), "nothing: unknown field; accepted fields: lang, guest_token"),
        (Call::get("/api/checks?query=x"), "query: "),
        (Call::get(&format!("/api/audits/{id}?budgte=5")), "budgte: unknown field; did you mean: budget"),
        (Call::get(&format!("/api/audits/{id}?id=5")), "id: unknown field"),
        (Call::get(&format!("/api/tabs/{id}/history?limits=5")), "limits: unknown field; did you mean: limit"),
        (
            post("/api/audit", &json!({"url": "https://example.com/", "geust": true})),
            "geust: unknown field; did you mean: guest",
        ),
        (post("/api/audit", &json!({"url": "https://example.com/", "cursor": "1"})), "cursor: unknown field"),
        (post("/api/audit?url=x", &json!({"url": "https://example.com/"})), "url: unknown field"),
        (post("/api/guest", &json!({"name": "x"})), "name: unknown field; accepted fields: lang, guest_token"),
        (
            post("/api/verify", &json!({"url": "https://example.com/", "htlm": ""})),
            "htlm: unknown field; did you mean: html",
        ),
        (post("/api/audit", &json!({"ulr": "https://example.com/"})), "ulr: unknown field; did you mean: url"),
        // What the path says is no member of the body, and a call without a body takes none.
        (post(&format!("/api/tabs/{id}/run"), &json!({"id": "x"})), "id: unknown field"),
        (
            Call::new("DELETE", &format!("/api/tabs/{id}")).body("{\"x\":1}"),
            "x: unknown field; this call takes no body",
        ),
    ] {
        let refused = app.call(call.token(&token)).await;
        assert_eq!(refused.status, 400, "{}", refused.body);
        let body = refused.json();
        assert!(body["detail"].as_str().unwrap().starts_with(detail), "{body}");
    }
    // Files are addressed by whoever likes, marks and all.
    for path in ["/llms.txt?utm_source=x", "/openapi.json?v=1", "/agent.json?_=1"] {
        assert_eq!(app.call(Call::get(path)).await.status, 200, "{path}");
    }
    // What every call takes.
    assert_eq!(app.call(post("/api/guest", &json!({"lang": "pt-BR"}))).await.status, 200);
    assert_eq!(app.call(Call::get(&format!("/api/tabs?lang=en&guest_token={token}"))).await.status, 200);
}

async fn a_wrong_name_in_fields_costs_no_audit(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| {}).await);
    let token = app.guest().await;
    let tab = app.call(post("/api/tabs", &json!({"url": site.url("/")})).token(&token)).await.json();
    let run = format!("/api/tabs/{}/run", tab["tab"]["id"].as_str().unwrap());
    let before = site.asked().len();
    for (path, body, detail) in [
        (
            "/api/audit",
            json!({"url": site.url("/"), "fields": "scor"}),
            "fields.scor: unknown field; did you mean: score",
        ),
        ("/api/audit", json!({"url": site.url("/"), "fields": "issues.cod"}), "fields.issues.cod: "),
        (&run, json!({"fields": "score"}), "fields.score: "),
        (&run, json!({"fields": "result.scor"}), "fields.result.scor: unknown field; did you mean: score"),
    ] {
        let refused = app.call(post(path, &body).token(&token)).await;
        assert_eq!(refused.refusal(), (400, "invalid_parameter".to_owned()), "{body}");
        assert!(refused.json()["detail"].as_str().unwrap().starts_with(detail), "{}", refused.body);
    }
    assert_eq!(site.asked().len(), before, "nothing was fetched");
    let left = app.call(Call::get("/api/tabs").token(&token)).await.json();
    assert!(left["tabs"][0]["score"].is_null(), "{left}");
}

async fn every_refusal_leads_to_a_short_description(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for (call, path) in [
        (post("/api/audit", &json!({})), "/api/operations/audit_page"),
        (Call::get("/api/audits/x"), "/api/guest"),
        (Call::get("/api/checks?x=1"), "/api/operations/list_checks"),
        (Call::get("/api/operations/audit_pge"), "/api/"),
    ] {
        let refused = app.call(call).await;
        let next = &refused.json()["next"];
        assert_eq!(next["path"], path, "{}", refused.body);
        let described = next.get("help").unwrap_or(&next["path"]).as_str().unwrap();
        let read = app.call(Call::get(described)).await;
        assert!(read.status == 200 && read.body.len() < 16_000, "{described}: {} bytes", read.body.len());
    }
    let mistyped = app.call(Call::get("/api/operations/audit_pge")).await;
    assert!(mistyped.status == 404 && mistyped.body.contains("audit_page"), "{}", mistyped.body);
    for operation in app.site.operations() {
        let described = app.call(Call::get(&format!("/api/operations/{}", operation.name))).await;
        assert!(described.status == 200 && described.body.len() < 6_000, "{}", operation.name);
        assert_eq!(described.json()["path"], operation.path);
    }
}

async fn checks_are_found_by_words(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let found = async |q: &str| {
        let list = app.call(Call::get(&format!("/api/checks?q={q}"))).await;
        let codes =
            list.json()["checks"].as_array().unwrap().iter().map(|check| check["code"].clone()).collect::<Vec<_>>();
        (codes, list.body.len())
    };
    let (all, _) = found("").await;
    let (codes, bytes) = found("viewport%20zoom").await;
    assert!(codes.len() < 5 && codes[0].as_str().unwrap().starts_with("viewport") && bytes < 12_000, "{codes:?}");
    let (codes, _) = found("t%C3%ADtulo%20ausente").await;
    assert!(codes.len() < all.len(), "{codes:?}");
    assert_eq!(found("xyzzy").await.0, [Value::Null; 0]);
    let near = app.call(Call::get("/api/checks/viewport%20zoom")).await;
    assert_eq!(near.refusal(), (404, "check_not_found".to_owned()));
    assert!(near.json()["detail"].as_str().unwrap().contains("viewport_"), "{}", near.body);
}

async fn checks_come_in_parts_and_short_as_a_tool(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let get = async |query: &str| app.call(Call::get(&format!("/api/checks{query}"))).await;
    let whole = get("").await.json();
    let (all, total) = (whole["checks"].as_array().unwrap(), whole["total"].as_u64().unwrap());
    assert_eq!((all.len() as u64, &whole["cursor"]), (total, &Value::Null));
    // Page after page, nothing is missing and nothing comes twice.
    let (mut codes, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = get(&format!("?fields=checks.code&limit=100{cursor}")).await.json();
        assert_eq!(page["checks"][0].as_object().unwrap().len(), 1, "{page}");
        codes.extend(page["checks"].as_array().unwrap().iter().map(|check| check["code"].clone()));
        match page["cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(codes, all.iter().map(|check| check["code"].clone()).collect::<Vec<_>>());
    let past_the_end = get("?cursor=9999").await.json();
    assert_eq!((&past_the_end["checks"], &past_the_end["cursor"]), (&json!([]), &Value::Null));
    for query in
        ["?limit=0", "?limit=1001", "?limit=x", "?cursor=x", "?cursor=-1", "?fields=checks.kode", "?fields=kode"]
    {
        assert_eq!(get(query).await.refusal(), (400, "invalid_parameter".to_owned()), "{query}");
    }
    let tool = async |arguments: Value| {
        let params = json!({"name": "list_checks", "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        app.call(post("/mcp", &message)).await
    };
    let short = tool(json!({})).await;
    assert!(short.body.len() < 16_000, "{} bytes", short.body.len());
    let content = &short.json()["result"]["structuredContent"];
    assert_eq!((content["checks"].as_array().unwrap().len(), &content["cursor"]), (50, &json!("50")), "{content}");
    let asked = tool(json!({"fields": "checks.rule", "limit": 2, "cursor": "50"})).await.json();
    let checks = asked["result"]["structuredContent"]["checks"].clone();
    assert_eq!(checks, json!([{"rule": all[50]["rule"]}, {"rule": all[51]["rule"]}]));
    let portuguese = tool(json!({"limit": 1, "lang": "pt-BR"})).await.json();
    let text = portuguese["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(text.contains("checks: 1 item") && text.contains("A resposta inteira"), "{text}");
}

async fn robots_txt_is_read_for_any_crawler(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| {}).await);
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let agents = &audit["summary"]["robotsTxt"]["agents"];
    assert_eq!(agents["GPTBot"], json!({"allowed": false, "group": "gptbot", "rule": "Disallow: /", "line": 6}));
    assert_eq!(agents["Googlebot"], json!({"allowed": true, "group": "*"}));
    let path = format!("/api/audits/{}/robots", audit["id"].as_str().unwrap());
    let read = async |agent: &str| app.call(Call::get(&format!("{path}?agent={agent}")).token(&token)).await.json();
    for (agent, verdict, group, line) in [
        ("GPTBot", "disallowed", "gptbot", json!(6)),
        ("gptbot", "disallowed", "gptbot", json!(6)),
        ("breadbot", "disallowed", "breadbot", json!(6)),
        ("Mozilla/5.0%20(compatible;%20BreadBot/2.1)", "disallowed", "breadbot", json!(6)),
        ("Nobody", "allowed", "*", Value::Null),
        ("Googlebot-Image", "allowed", "*", Value::Null),
        ("Googlebot", "allowed", "*", Value::Null),
        ("MJ12bot", "disallowed", "mj12bot", json!(9)),
        ("360Spider", "disallowed", "360spider", json!(9)),
        ("*", "allowed", "*", Value::Null),
    ] {
        let answer = read(agent).await;
        assert_eq!((&answer["verdict"], &answer["group"]), (&verdict.into(), &group.into()), "{answer}");
        assert_eq!((&answer["line"], &answer["state"]), (&line, &"found".into()), "{answer}");
    }
    let answer = read("GPTBot").await;
    assert_eq!(answer["id"], answer["audit_id"]);
    for query in ["", "?agent=", "?agent=123", "?agnet=x", "?agent=Google%20Bot", "?agent=a%C3%A7%C3%A3o", "?agent=**"]
    {
        let refused = app.call(Call::get(&format!("{path}{query}")).token(&token)).await;
        assert_eq!(refused.refusal(), (400, "invalid_parameter".to_owned()), "{query}");
    }
    assert_eq!(app.call(Call::get(&format!("{path}?agent=x"))).await.refusal().0, 401);
}

async fn a_format_is_asked_for_in_query_or_body(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| {}).await);
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let path = format!("/api/audits/{}/patch", audit["id"].as_str().unwrap());
    let send = async |query: &str, body: Value| app.call(post(&format!("{path}{query}"), &body).token(&token)).await;
    let in_body = send("", json!({"html": PAGE, "format": "diff"})).await;
    let in_query = send("?format=diff", json!({"html": PAGE})).await;
    assert_eq!((in_query.status, &in_query.body), (200, &in_body.body));
    assert_eq!(send("?format=diff", json!({"html": PAGE, "format": "html"})).await.status, 400);
    assert_eq!(send("?html=x", json!({"html": PAGE})).await.status, 400);
    // There is no source to give back: the refusal leads to the call that takes it.
    let refused = app.call(Call::get(&format!("{path}?format=html")).token(&token)).await;
    assert_eq!(refused.refusal(), (400, "invalid_parameter".to_owned()));
    assert_eq!(refused.json()["next"]["operation"], "apply_patch", "{}", refused.body);
    // A verification as Markdown says what changed.
    let verify =
        json!({"url": site.url("/"), "html": PAGE.replace("<html lang=en>", "<html>"), "audit_id": audit["id"]});
    let markdown = app.call(post("/api/verify?format=markdown", &verify).token(&token)).await.body;
    let new = markdown.split_once("\n## New\n").expect("a section").1;
    assert!(markdown.contains("\n## Fixed\n\nNone.\n") && new.contains("`html_lang_missing`"), "{markdown}");
    assert!(new.contains("\n## Revealed by a fix\n"), "{markdown}");
}
