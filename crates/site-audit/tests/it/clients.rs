//! `docs/clients.md`: its code is run as it stands there, and its settings are read by a real client.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::TestApp;
use crate::judges::{beside, content, folder, inspector, node, pip};

// As the guide has it; a test compares the two.
include!("clients/audit.rs");

/// What every piece of code says of the page.
const FOUND: &str = "meta_description_missing";

/// A page with something to find, a service, and the guide with their addresses in it.
struct Guide {
    site: TestSite,
    app: TestApp,
    text: String,
}

impl Guide {
    async fn open() -> Self {
        let page = "<!doctype html><html lang=en><title>Bread and butter</title><h1>Bread</h1>";
        let site = TestSite::start(|_| SiteAnswer::html(page)).await;
        let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
        let text = Self::source()
            .replace("https://example.com/", &site.url("/"))
            .replace("https://audit.example.com", &app.url(""));
        Self { site, app, text }
    }

    fn source() -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients.md")).unwrap()
    }

    /// The blocks of a language.
    fn blocks(&self, language: &str) -> Vec<&str> {
        let begin = format!("```{language}\n");
        self.text.split(&begin).skip(1).filter_map(|rest| rest.split("```").next()).collect()
    }
}

/// A command that a block of code is handed to, and what it says.
async fn said(mut command: Command, code: &str) -> String {
    command.arg(code);
    content(command).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_for_a_shell_can_be_pasted() {
    let guide = Guide::open().await;
    let blocks = guide.blocks("sh");
    assert_eq!(blocks.len(), 2);
    for (code, wanted) in blocks.into_iter().zip(["# Audit of ", "\"structuredContent\":"]) {
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c"]);
        let said = said(shell, code).await;
        assert!(said.contains(wanted) && said.contains(FOUND), "{code}{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_javascript_runs_with_the_official_client_too() {
    let guide = Guide::open().await;
    let blocks = guide.blocks("js");
    assert_eq!(blocks.len(), 2);
    for code in blocks {
        let Some(mut node) = node() else { return };
        // Packages are looked up from there.
        node.current_dir(beside("")).args(["--input-type=module", "--eval"]);
        let said = said(node, code).await;
        assert!(said.contains(FOUND), "{code}{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_python_runs_with_the_official_client_too() {
    let guide = Guide::open().await;
    let blocks = guide.blocks("python");
    assert_eq!(blocks.len(), 2);
    for code in blocks {
        let Some(mut python) = pip("python") else { return };
        python.arg("-c");
        let said = said(python, code).await;
        assert!(said.contains(FOUND), "{code}{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_in_rust_compiles_and_runs() {
    let guide = Guide::open().await;
    assert_eq!(guide.blocks("rust"), [include_str!("clients/audit.rs")]);
    let (service, page) = (guide.app.url(""), guide.site.url("/"));
    let call = move |page: String| {
        let service = service.clone();
        tokio::task::spawn_blocking(move || audit(&service, &page).map_err(|error| error.to_string()))
    };
    let made = call(page).await.unwrap().unwrap();
    assert!(made["issues"].as_array().unwrap().iter().any(|issue| issue["code"] == FOUND), "{made}");
    let refused = call("ftp://example.com/".to_owned()).await.unwrap().unwrap_err();
    assert!(refused.contains("invalid_url"), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_lead_a_client_to_the_tools() {
    let guide = Guide::open().await;
    let blocks = guide.blocks("json");
    assert_eq!(blocks.len(), 3);
    for block in &blocks {
        let settings: Value = serde_json::from_str(block).unwrap();
        let servers = settings.get("mcpServers").or_else(|| settings.get("servers")).unwrap();
        assert_eq!(servers["site-audit"]["url"], guide.app.url("/mcp"), "{block}");
    }
    let folder = folder(&[("mcp.json", blocks[0])]);
    let file = folder.path().join("mcp.json").display().to_string();
    let arguments = ["--config", &file, "--server", "site-audit", "--method", "tools/list", "--strict"];
    let Some(inspector) = inspector(&arguments) else { return };
    assert!(content(inspector).await.contains("audit_page"));
}
