//! Everything around the calls: errors, methods, headers, index, OpenAPI, limits of requests, outages.

mod connections;

use std::time::Duration;

use serde_json::Value;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::io::AsyncWriteExt as _;

use super::permissions::{call_of, routes};
use crate::app::{Call, TestApp, read};

testkit::on_both_databases! {
    errors_are_json_with_a_code,
    any_site_may_call,
    every_answer_carries_the_security_headers,
    index_and_openapi_list_what_is_there,
    l01_bodies_have_a_limit,
    l01_heads_have_a_limit_and_name_their_host,
    a_silent_database_costs_the_id_only,
    a_refused_statement_is_that_calls_alone,
    no_id_makes_the_database_look_down,
    what_is_past_its_time_is_forgotten,
}

async fn errors_are_json_with_a_code(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for (method, path, status, code) in [
        ("GET", "/api/nothing", 404, "not_found"),
        ("GET", "/.well-known/nothing", 404, "not_found"),
        ("GET", "/api/audit", 405, "method_not_allowed"),
        ("DELETE", "/api/audits/x", 405, "method_not_allowed"),
        ("PUT", "/api/health", 405, "method_not_allowed"),
        ("BREW", "/api/health", 405, "method_not_allowed"),
        ("GET", "/api/audits/%ff", 400, "invalid_parameter"),
    ] {
        let response = app.call(Call::new(method, path)).await;
        assert_eq!(response.refusal(), (status, code.to_owned()), "{method} {path}");
        assert_eq!(response.header("content-type"), "application/json");
        assert!(response.json()["error"].as_str().unwrap().ends_with('.'));
    }
    let refused = app.call(Call::new("DELETE", "/api/audits/x")).await;
    assert_eq!(refused.header("allow"), "GET, HEAD, OPTIONS");
    let redirected = app.call(Call::get("/api")).await;
    assert_eq!((redirected.status, redirected.header("location")), (308, "/api/"));
    let head = app.call(Call::new("HEAD", "/api/health")).await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    for (name, value, code) in [
        ("authorization", "Bearer something", "invalid_credential"),
        ("authorization", "Bearer mmk_x", "invalid_api_key"),
        ("authorization", "Bearer", "invalid_credential"),
        ("x-api-key", "mmk_x", "invalid_api_key"),
        ("x-guest-token", "pa_x", "guest_token_invalid"),
    ] {
        let response = app.call(Call::get("/api/health").header(name, value)).await;
        assert_eq!(response.refusal(), (401, code.to_owned()), "{name}: {value}");
        assert_eq!(response.header("www-authenticate"), "Bearer");
    }
}

async fn any_site_may_call(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let preflight = app.call(Call::new("OPTIONS", "/api/audit").header("origin", "https://a.example")).await;
    assert_eq!(preflight.status, 204);
    assert_eq!(preflight.header("access-control-allow-origin"), "*");
    assert_eq!(preflight.header("access-control-allow-methods"), "POST, OPTIONS");
    assert!(preflight.header("access-control-allow-headers").contains("idempotency-key"));
    assert!(preflight.header("access-control-allow-headers").contains("x-guest-token"));
    for path in ["/api/health", "/api/nothing", "/openapi.json", "/api/", "/api"] {
        assert_eq!(app.call(Call::get(path)).await.header("access-control-allow-origin"), "*", "{path}");
    }
    assert_eq!(app.call(Call::get("/")).await.header("access-control-allow-origin"), "");
    assert_eq!(app.call(Call::new("OPTIONS", "/api")).await.status, 204, "a redirect of a preflight is not followed");
}

async fn every_answer_carries_the_security_headers(database: TestDatabase) {
    let app = TestApp::start(database, |config| config.base_url = Some("https://audit.example".to_owned())).await;
    for path in [
        "/",
        "/bot",
        "/checks",
        "/checks/title_missing",
        "/checks/x",
        "/tools",
        "/tools/canonical",
        "/sitemap.xml",
        "/reports/x",
        "/nothing",
        "/api/",
        "/api/health",
        "/api/nothing",
        "/robots.txt",
        "/favicon.svg",
        "/status",
        "/operator",
        "/pricing",
        "/contact",
        "/credit",
        "/conta/global",
        "/workspace",
        "/sites",
        "/docs",
        "/compare",
        "/assets/nothing",
    ]
    .into_iter()
    .map(|path| format!("GET {path}"))
    .chain(routes(&app))
    {
        let response = app.call(call_of(&path)).await;
        for (name, wanted) in [
            ("x-content-type-options", "nosniff"),
            ("content-security-policy", "frame-ancestors 'none'"),
            ("content-security-policy", "base-uri 'none'"),
            ("strict-transport-security", "max-age=63072000"),
            ("cross-origin-opener-policy", "same-origin"),
            ("permissions-policy", "camera=()"),
        ] {
            assert!(response.header(name).contains(wanted), "{path} {name}: {:?}", response.header(name));
        }
        // Pages of accounts tell other sites nothing, and addresses with a token tell nobody.
        let referrer = response.header("referrer-policy");
        let policies = ["strict-origin-when-cross-origin", "same-origin", "no-referrer"];
        assert!(policies.contains(&referrer), "{path}: {referrer:?}");
        assert_eq!(response.header("x-request-id").len(), 32, "{path}");
    }
}

async fn index_and_openapi_list_what_is_there(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let index = app.call(Call::get("/api/")).await.json();
    for field in [
        "name",
        "description",
        "build",
        "base_url",
        "docs",
        "conventions",
        "auth",
        "endpoints",
        "data_retention",
        "quota",
        "mcp",
        "quickstart",
    ] {
        assert!(index.get(field).is_some(), "{field}");
    }
    for (name, path) in [
        ("openapi", "/openapi.json"),
        ("llms", "/llms.txt"),
        ("llms_full", "/llms-full.txt"),
        ("mcp", "/mcp"),
        ("pricing", "/api/pricing"),
        ("billing", "/api/billing"),
        ("ui", "/"),
    ] {
        assert_eq!(index["docs"][name], app.url(path), "{name}");
    }
    let health = app.call(Call::get("/api/health")).await.json();
    assert_eq!(
        (&health["ok"], &health["database"], &health["ts"]),
        (&true.into(), &"up".into(), &"2026-01-31T09:30:00.000Z".into())
    );
    assert_eq!(health["build"], index["build"]);
    let openapi = app.call(Call::get("/openapi.json")).await.json();
    assert_eq!(openapi["openapi"], "3.1.0");
    assert_eq!(openapi["servers"][0]["url"], app.url(""));
    let listed: Vec<&Value> = index["endpoints"].as_array().unwrap().iter().collect();
    assert_eq!(listed.len(), app.site.operations().len());
    for endpoint in listed {
        let (path, method) = (endpoint["path"].as_str().unwrap(), endpoint["method"].as_str().unwrap().to_lowercase());
        let described = &openapi["paths"][path][&method];
        assert_eq!(described["operationId"], endpoint["name"], "{path}");
        let success = described["responses"].as_object().unwrap().keys().find(|status| status.starts_with('2'));
        assert!(success.is_some(), "{path}");
    }
    // It needs one field, whichever that is.
    assert_eq!(openapi["paths"]["/api/tabs/{id}"]["patch"]["requestBody"]["required"], true);
    assert!(every_reference(&openapi, &openapi), "a reference leads nowhere");
    let schemas = &openapi["components"]["schemas"];
    for (schema, required) in [
        ("Audit", &["id", "_links"][..]),
        ("ResumoPagina", &["title", "canonical", "favicon", "faviconSource", "lang"]),
        ("DiscoveryCheck", &["url"]),
        ("Correcao", &["snippet", "arquivo", "fonte", "nota"]),
        ("AuditGravado", &["summary", "share_slug"]),
        ("MoldePatch", &["fonte", "nota"]),
    ] {
        let listed = schemas[schema]["required"].as_array().unwrap();
        assert!(required.iter().all(|field| listed.contains(&(*field).into())), "{schema}: {listed:?}");
    }
    // An audit has both of its names wherever an answer has one: what was read in one call is sent in another.
    let names = |schema: &&Value| ["audit_id", "id"].map(|name| schema["properties"][name].is_object());
    let only_one: Vec<&str> = schemas
        .as_object()
        .unwrap()
        .iter()
        .filter(|(_, schema)| names(schema) == [true, false])
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(only_one, [""; 0]);
    let asked = &openapi["paths"]["/api/audit"]["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(asked["required"], serde_json::json!(["url"]));
    assert!(!schemas["Discovery"]["required"].as_array().unwrap().contains(&"webauthn".into()));
}

/// Whether every `$ref` of a document leads somewhere in it.
fn every_reference(whole: &Value, part: &Value) -> bool {
    match part {
        Value::Object(object) => object.iter().all(|(key, value)| match value.as_str() {
            Some(path) if key == "$ref" => whole.pointer(path.trim_start_matches('#')).is_some(),
            _ => every_reference(whole, value),
        }),
        Value::Array(items) => items.iter().all(|item| every_reference(whole, item)),
        _ => true,
    }
}

async fn l01_bodies_have_a_limit(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let padded = |length: usize| format!("{{\"url\":\"ftp://a\"{}}}", " ".repeat(length));
    let at = |body: String| Call::new("POST", "/api/audit").body(&body);
    assert_eq!(app.call(at(padded(65_000))).await.refusal(), (400, "invalid_url".to_owned()));
    assert_eq!(app.call(at(padded(65_536))).await.refusal(), (413, "body_too_large".to_owned()));
    let coded = at(padded(1)).header("content-encoding", "gzip");
    assert_eq!(app.call(coded).await.refusal(), (415, "unsupported_media_type".to_owned()));
    let deep = format!("{{\"url\":{}1{}}}", "[".repeat(128), "]".repeat(128));
    assert_eq!(app.call(at(deep)).await.refusal(), (400, "invalid_body".to_owned()));
    // Without a length, counted while it comes.
    let mut stream = app.connect([127, 0, 0, 1].into()).await;
    stream.write_all(b"POST /api/audit HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n").await.unwrap();
    let chunk = format!("8000\r\n{}\r\n", "a".repeat(0x8000));
    for _ in 0..3 {
        stream.write_all(chunk.as_bytes()).await.unwrap();
    }
    assert_eq!(read(&mut stream).await.status, 413);
}

async fn l01_heads_have_a_limit_and_name_their_host(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for (length, status) in [(60_000, 200), (65_536, 431), (100_000, 431)] {
        let mut stream = app.connect([127, 0, 0, 1].into()).await;
        let long = "a".repeat(length);
        let head = format!("GET /api/health HTTP/1.1\r\nconnection: close\r\nhost: a\r\nx-a: {long}\r\n\r\n");
        // A server that refuses it need not read all of it.
        let _sent = stream.write_all(head.as_bytes()).await;
        let response = read(&mut stream).await;
        assert_eq!(response.status, status, "{length}");
        // What comes in pieces is refused below us, without a body.
        if status == 431 && !response.body.is_empty() {
            assert_eq!(response.refusal().1, "headers_too_large");
        }
    }
    let mut endless = app.connect([127, 0, 0, 1].into()).await;
    endless.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nx-a: ").await.unwrap();
    while endless.write_all(&[b'a'; 0x4000]).await.is_ok() {}
    for (head, status) in [
        ("GET /api/health HTTP/1.1\r\nconnection: close\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nconnection: close\r\nhost: a\r\nhost: b\r\n\r\n", 400),
        ("GET /api/health HTTP/1.0\r\n\r\n", 200),
    ] {
        let mut stream = app.connect([127, 0, 0, 1].into()).await;
        stream.write_all(head.as_bytes()).await.unwrap();
        let response = read(&mut stream).await;
        assert_eq!(response.status, status, "{head}");
        if status == 400 {
            assert_eq!(response.refusal().1, "invalid_parameter");
            assert!(response.json()["detail"].as_str().unwrap().starts_with("Host: "));
            assert_eq!(response.header("content-type"), "application/json");
        }
    }
}

async fn a_silent_database_costs_the_id_only(database: TestDatabase) {
    let site =
        TestSite::start(
            |asked| if asked.path == "/" { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() },
        )
        .await;
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    // Somebody else holds the database and does not let go.
    let held = app.database.hold(&["audits", "guests", "daily_counters", "hourly_counters", "daily_salts"]).await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await;
    assert_eq!(audit.status, 200, "{}", audit.body);
    let audit = audit.json();
    assert_eq!(audit["id"], Value::Null);
    assert_eq!(audit["_links"].as_object().unwrap().len(), 1, "{audit}");
    // The process grants a quarter of the day's audits by itself.
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
    let refused = app.call(Call::new("POST", "/api/guest")).await;
    assert_eq!(refused.refusal(), (503, "database_unavailable".to_owned()));
    assert_eq!(refused.header("retry-after"), "5");
    let health = app.call(Call::get("/api/health")).await;
    assert_eq!((health.status, &health.json()["database"]), (200, &"down".into()));
    held.release().await;
    // It is used again by itself.
    loop {
        if app.call(Call::audit(&site.url("/")).token(&token)).await.json()["id"].is_string() {
            break;
        }
    }
}

async fn a_refused_statement_is_that_calls_alone(database: TestDatabase) {
    let site =
        TestSite::start(
            |asked| if asked.path == "/" { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() },
        )
        .await;
    let app = TestApp::start(database, |_| {}).await;
    app.database.execute("ALTER TABLE guests RENAME TO elsewhere").await;
    let refused = app.call(Call::new("POST", "/api/guest")).await;
    assert_eq!(refused.refusal(), (500, "internal".to_owned()));
    assert_eq!(app.call(Call::get("/api/health")).await.json()["database"], "up");
    assert!(app.call(Call::audit(&site.url("/"))).await.json()["id"].is_string());
}

async fn no_id_makes_the_database_look_down(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let token = app.guest().await;
    for id in ["%00", "a%00b", "x", "..", "%F0%9F%92%A9", &"9".repeat(4_000)] {
        for path in [format!("/api/audits/{id}"), format!("/api/audits/{id}/patch")] {
            let refused = app.call(Call::get(&path).token(&token)).await;
            assert_eq!(refused.refusal(), (404, "audit_not_found".to_owned()), "{path}");
        }
    }
    assert_eq!(app.call(Call::get("/api/health")).await.json()["database"], "up");
}

async fn what_is_past_its_time_is_forgotten(database: TestDatabase) {
    let site =
        TestSite::start(
            |asked| if asked.path == "/" { SiteAnswer::html("<title>t</title>") } else { SiteAnswer::missing() },
        )
        .await;
    let app = TestApp::start(database, |config| config.retention.guest_days = 2).await;
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    let path = format!("/api/audits/{}", audit["id"].as_str().unwrap());
    app.pass(Duration::from_secs(86_400));
    service::jobs::purge(&app.app).await.unwrap();
    assert_eq!(app.call(Call::get(&path).token(&token)).await.status, 200);
    app.pass(Duration::from_secs(3 * 86_400));
    assert!(service::jobs::purge(&app.app).await.unwrap() > 0);
    // The guest too: nothing is kept of them any more.
    let gone = app.call(Call::get(&path).token(&token)).await;
    assert_eq!(gone.refusal(), (401, "guest_token_invalid".to_owned()));
}
