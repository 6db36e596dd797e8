//! Validators of the documents by which programs find the service.

use testkit::TestDatabase;

use super::{content, folder, pip};
use crate::app::{Call, TestApp};

/// As strict as the readers of these files are.
const SECURITY_TXT: &str = "
import sectxt, sys
errors = sectxt.Parser(open(sys.argv[1], 'rb').read()).errors
sys.exit(str(errors) if errors else 0)
";
/// As the resolver of the SDK reads a card.
const AGENT_CARD: &str = "
import json, sys
from a2a.types import AgentCard
from google.protobuf.json_format import ParseDict
card = ParseDict(json.load(open(sys.argv[1])), AgentCard(), ignore_unknown_fields=True)
sys.exit(0 if card.name and card.skills and card.supported_interfaces else 'the card is empty')
";

async fn body(app: &TestApp, path: &str) -> String {
    let response = app.call(Call::get(path)).await;
    assert_eq!(response.status, 200, "{path}");
    response.body
}

/// With nothing configured, and as an operator sets it up.
async fn services() -> [TestApp; 2] {
    let bare = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let set_up = TestApp::start(TestDatabase::sqlite(), |config| {
        config.base_url = Some("https://audit.example.com".to_owned());
        config.security.contact = Some("mailto:security@example.com".to_owned());
        config.organization.email = Some("team@example.com".to_owned());
    });
    [bare, set_up.await]
}

#[tokio::test(flavor = "multi_thread")]
async fn the_knowledge_bundle_is_valid() {
    for app in services().await {
        let Some(mut validator) = pip("okf") else { return };
        let mut files = Vec::new();
        for name in ["index.md", "sobre.md", "api.md", "faq.md"] {
            files.push((name, body(&app, &format!("/okf/{name}")).await));
        }
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        let folder = folder(&files);
        validator.arg("validate").arg(folder.path());
        let said = content(validator).await;
        assert!(said.contains("4 ok"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_sdk_reads_the_agent_card() {
    for app in services().await {
        let Some(mut python) = pip("python") else { return };
        let folder = folder(&[("card.json", &body(&app, "/agent.json").await)]);
        python.args(["-c", AGENT_CARD]).arg(folder.path().join("card.json"));
        content(python).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn security_txt_is_valid() {
    let [_, app] = services().await;
    let Some(mut python) = pip("python") else { return };
    // The validator knows today's day, and the service's clock is a test's.
    let today = std::process::Command::new("date").args(["+%s"]).output().unwrap();
    let today: u64 = String::from_utf8(today.stdout).unwrap().trim().parse().unwrap();
    let begun = u64::try_from(crate::app::NOW.0).unwrap() / 1000;
    app.pass(std::time::Duration::from_secs(today.saturating_sub(begun)));
    let folder = folder(&[("security.txt", &body(&app, "/.well-known/security.txt").await)]);
    python.args(["-c", SECURITY_TXT]).arg(folder.path().join("security.txt"));
    content(python).await;
}
