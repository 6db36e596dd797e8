//! Documents by which programs find the service.

use std::process::Command;

use serde_json::Value;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, TestApp};

testkit::on_both_databases! { the_quickstart_can_be_pasted }

/// Path and media type of what a service with nothing configured has.
const ALWAYS: [(&str, &str); 13] = [
    ("/agent.json", "application/json"),
    ("/.well-known/agent-card.json", "application/json"),
    ("/okf/index.md", "text/markdown; charset=utf-8"),
    ("/okf/sobre.md", "text/markdown; charset=utf-8"),
    ("/okf/api.md", "text/markdown; charset=utf-8"),
    ("/okf/faq.md", "text/markdown; charset=utf-8"),
    ("/.well-known/api-catalog", r#"application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727""#),
    ("/.well-known/ai-catalog.json", "application/ai-catalog+json"),
    ("/apis.json", "application/json"),
    ("/.well-known/apis.json", "application/json"),
    ("/llms.txt", "text/markdown; charset=utf-8"),
    ("/llms-full.txt", "text/markdown; charset=utf-8"),
    ("/openapi.json", "application/json"),
];

async fn app() -> TestApp {
    TestApp::start(TestDatabase::sqlite(), |config| config.base_url = Some("https://audit.example.com".to_owned()))
        .await
}

async fn json(app: &TestApp, path: &str) -> Value {
    app.call(Call::get(path)).await.json()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_document_is_there_with_nothing_configured_and_is_kept_by_its_name() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    for (path, media_type) in ALWAYS {
        let response = app.call(Call::get(path)).await;
        assert_eq!((response.status, response.header("content-type")), (200, media_type), "{path}");
        assert_eq!(response.header("access-control-allow-origin"), "*", "{path}");
        assert_eq!(response.header("cache-control"), "public, max-age=3600", "{path}");
        let known = app.call(Call::get(path).header("if-none-match", response.header("etag"))).await;
        assert_eq!((known.status, known.body.as_str()), (304, ""), "{path}");
        let head = app.call(Call::new("HEAD", path)).await;
        assert_eq!((head.status, head.header("etag")), (200, response.header("etag")), "{path}");
    }
    for absent in
        ["/.well-known/security.txt", "/.well-known/mcp-registry-auth", "/.well-known/x", "/okf/x.md", "/okf/x/y"]
    {
        assert_eq!(app.call(Call::get(absent)).await.refusal(), (404, "not_found".to_owned()), "{absent}");
    }
    let old = app.call(Call::get("/security.txt")).await;
    assert_eq!((old.status, old.header("location")), (301, "/.well-known/security.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_configured_is_told() {
    const PROOF: &str = "v=MCPv1; k=ed25519; p=AAAA";
    let app = TestApp::start(TestDatabase::sqlite(), |config| {
        config.base_url = Some("https://audit.example.com".to_owned());
        config.security.contact = Some("mailto:security@example.com".to_owned());
        config.mcp.registry_auth = Some(PROOF.to_owned());
        config.organization.name = Some("Bakery".to_owned());
        config.organization.email = Some("team@example.com".to_owned());
    })
    .await;
    let security = app.call(Call::get("/.well-known/security.txt")).await;
    assert_eq!(
        security.body,
        "Contact: mailto:security@example.com\nExpires: 2026-12-01T00:00:00Z\nPreferred-Languages: en, pt\nCanonical: \
         https://audit.example.com/.well-known/security.txt\n"
    );
    assert_eq!(app.call(Call::get("/.well-known/mcp-registry-auth")).await.body, format!("{PROOF}\n"));
    assert_eq!(json(&app, "/agent.json").await["provider"]["organization"], "Bakery");
    assert_eq!(json(&app, "/apis.json").await["maintainers"][0]["email"], "team@example.com");
    assert_eq!(json(&app, "/openapi.json").await["info"]["contact"]["email"], "team@example.com");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_names_every_tool_and_claims_no_protocol_that_is_not_spoken() {
    let app = app().await;
    let card = json(&app, "/agent.json").await;
    assert_eq!(card, json(&app, "/.well-known/agent-card.json").await);
    for field in ["name", "description", "version"] {
        assert!(card[field].as_str().is_some_and(|text| !text.is_empty()), "{field}");
    }
    for list in ["supportedInterfaces", "defaultInputModes", "defaultOutputModes", "skills", "interfaces"] {
        assert!(card[list].as_array().is_some_and(|items| !items.is_empty()), "{list}");
    }
    assert_eq!(card["protocol"], "mcp");
    let bindings = ["JSONRPC", "GRPC", "HTTP+JSON"];
    assert!(!bindings.contains(&card["supportedInterfaces"][0]["protocolBinding"].as_str().unwrap()));
    let index = json(&app, "/api/").await;
    let skills: Vec<&Value> = card["skills"].as_array().unwrap().iter().map(|skill| &skill["id"]).collect();
    // The index has the tools of the list, the card all that can be called.
    let listed = index["mcp"]["tools"].as_array().unwrap();
    assert!(
        listed
            .iter()
            .filter(|tool| **tool != "list_operations" && **tool != "call_operation")
            .all(|tool| skills.contains(&tool))
    );
    for skill in card["skills"].as_array().unwrap() {
        assert!(
            skill["name"].is_string() && skill["description"].is_string() && skill["tags"][0].is_string(),
            "{skill}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn catalogs_keep_to_their_standards() {
    let app = app().await;
    let linkset = json(&app, "/.well-known/api-catalog").await;
    let contexts = linkset["linkset"].as_array().unwrap();
    assert_eq!(linkset.as_object().unwrap().len(), 1);
    for context in contexts {
        assert!(context["anchor"].as_str().unwrap().starts_with("https://audit.example.com/"));
        for (relation, targets) in context.as_object().unwrap().iter().filter(|(name, _)| *name != "anchor") {
            for target in targets.as_array().unwrap_or_else(|| panic!("{relation} is no list")) {
                assert!(target["href"].as_str().unwrap().starts_with("https://audit.example.com/"), "{target}");
            }
        }
    }
    let head = app.call(Call::new("HEAD", "/.well-known/api-catalog")).await;
    assert!(head.header("link").contains("rel=\"item\"") && head.header("link").contains("rel=\"api-catalog\""));
    let apis = json(&app, "/apis.json").await;
    assert_eq!(apis, json(&app, "/.well-known/apis.json").await);
    let allowed = [
        "aid",
        "name",
        "description",
        "image",
        "url",
        "type",
        "created",
        "modified",
        "specificationVersion",
        "tags",
        "apis",
        "common",
        "maintainers",
    ];
    assert!(apis.as_object().unwrap().keys().all(|key| allowed.contains(&key.as_str())), "{apis}");
    let api = &apis["apis"][0];
    for field in ["name", "description", "image", "baseURL", "humanURL", "properties"] {
        assert!(api.get(field).is_some(), "{field}");
    }
    assert_eq!(
        (&apis["specificationVersion"], &api["baseURL"]),
        (&"0.19".into(), &"https://audit.example.com/api".into())
    );
    let catalog = json(&app, "/.well-known/ai-catalog.json").await;
    for entry in catalog["entries"].as_array().unwrap() {
        assert!(entry["identifier"].as_str().unwrap().starts_with("urn:air:audit.example.com:"), "{entry}");
        assert!((2..=5).contains(&entry["representativeQueries"].as_array().unwrap().len()));
        assert!(entry.get("url").is_some() && entry.get("data").is_none());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn guides_for_models_have_the_shape_that_readers_expect() {
    let app = app().await;
    let short = app.call(Call::get("/llms.txt")).await.body;
    assert!(short.len() < 12_000, "{} bytes", short.len());
    let lines: Vec<&str> = short.lines().filter(|line| !line.is_empty()).collect();
    assert!(lines[0].starts_with("# ") && lines[1].starts_with("> "), "{short}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("# ")).count(), 1);
    let first_section = lines.iter().position(|line| line.starts_with("## ")).unwrap();
    for line in &lines[first_section..] {
        assert!(line.starts_with("## ") || line.starts_with("- ["), "{line}");
        assert!(!line.starts_with("- [") || line.contains("](https://audit.example.com/"), "{line}");
    }
    let full = app.call(Call::get("/llms-full.txt")).await.body;
    for operation in app.site.operations() {
        assert!(
            full.contains(&format!("{}: `{} {}`", operation.name, operation.method, operation.path)),
            "{operation:?}"
        );
    }
    let setting = "claude mcp add --transport http site-audit https://audit.example.com/mcp";
    assert!(full.contains("\n### Claude\n") && full.contains(setting));
    for check in audit::checks::all() {
        assert!(full.contains(&format!("- `{}`", check.code)), "{}", check.code);
    }
    for path in ["/", "/api/"] {
        let link = app.call(Call::get(path)).await.header("link").to_owned();
        for relation in ["api-catalog", "service-desc", "service-doc", "ai-catalog"] {
            assert!(link.contains(&format!("rel=\"{relation}\"")), "{path}: {link}");
        }
    }
}

async fn the_quickstart_can_be_pasted(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html("<!doctype html><title>Bread</title>")).await;
    let app = TestApp::start(database, |_| {}).await;
    let index = json(&app, "/api/").await;
    let lines: Vec<&str> = index["quickstart"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    // The pages that it names are of the internet.
    let script = format!("set -e\n{}\n", lines.join("\necho\n")).replace("https://example.com/", &site.url("/"));
    let done = tokio::task::spawn_blocking(move || Command::new("sh").args(["-c", &script]).output());
    let output = done.await.unwrap().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{said}");
    for answer in ["\"score\":", "\"como_aplicar\":"] {
        assert!(said.contains(answer), "{answer} is not in {said}");
    }
    assert!(!said.contains("\"error\":\""), "{said}");
}
