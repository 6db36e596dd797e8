//! `site-audit receipt verify` and `site-audit operator receipt-keys`.

use serde_json::{Value, json};
use testkit::TestDatabase;

use super::{code, program, site_audit, stderr, stdout};
use crate::api::receipts::audited;
use crate::api::tabs::{GOOD, Page, get};
use crate::app::{Call, TestApp};
use crate::judges::folder;

/// The receipt of an audit, the audit as it is read, and the keys of the server.
async fn made(app: &TestApp) -> (Value, Value, String) {
    let page = Page::start(GOOD).await;
    let (token, path) = audited(app, &page).await;
    let receipt = get(app, &token, &format!("{path}/receipt")).await;
    let keys = app.call(Call::get("/.well-known/jwks.json")).await.body;
    (receipt, get(app, &token, &path).await, keys)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receipt_is_verified_offline() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let (receipt, report, keys) = made(&app).await;
    let key = serde_json::from_str::<Value>(&keys).unwrap()["keys"][0].to_string();
    let mut raised = receipt.clone();
    raised["report"]["score"] = json!(100);
    let mut other_report = report.clone();
    other_report["url"] = json!("https://example.com/\u{1b}[2J");
    let files = folder(&[
        ("receipt.json", &receipt.to_string()),
        ("pretty.json", &serde_json::to_string_pretty(&receipt).unwrap()),
        ("raised.json", &raised.to_string()),
        ("report.json", &report.to_string()),
        ("other.json", &other_report.to_string()),
        ("keys.json", &keys),
        ("key.json", &key),
        ("none.json", "{\"keys\":[]}"),
        ("broken.json", "{"),
    ]);
    let path = |name: &str| files.path().join(name).to_str().unwrap().to_owned();
    let verify = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments
            .iter()
            .map(|argument| if argument.ends_with(".json") { path(argument) } else { (*argument).to_owned() })
            .collect();
        let output = program().args(["receipt", "verify"]).args(arguments).output().unwrap();
        (code(&output), stdout(&output) + &stderr(&output))
    };
    for (arguments, wanted, words) in [
        (&["receipt.json", "--jwks", "keys.json"][..], 0, "valid: signed by http://127.0.0.1:"),
        (&["pretty.json", "--key", "key.json"], 0, "  audited  2026-01-31T09:30:00"),
        (&["receipt.json", "--jwks", "keys.json", "--report", "report.json"], 0, "valid: "),
        (&["raised.json", "--jwks", "keys.json"], 1, "not valid: the report is not the one that was signed"),
        (&["receipt.json", "--jwks", "keys.json", "--report", "other.json"], 1, "not valid: "),
        (&["receipt.json", "--jwks", "none.json"], 1, "is not among the keys given"),
        (&["receipt.json"], 2, "--jwks"),
        (&["receipt.json", "--key", "key.json", "--jwks", "keys.json"], 2, "cannot be used with"),
        (&["keys.json", "--jwks", "keys.json"], 2, "is not a receipt"),
        (&["broken.json", "--jwks", "keys.json"], 2, "is not a receipt"),
        (&["receipt.json", "--jwks", "broken.json"], 2, "is not a JWK set"),
        (&["absent.json", "--jwks", "keys.json"], 2, "could not be read"),
    ] {
        let (code, text) = verify(arguments);
        assert!(code == wanted && text.contains(words), "{arguments:?}: {code} {text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_operator_forgets_a_key() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let (_, _, keys) = made(&app).await;
    let id = serde_json::from_str::<Value>(&keys).unwrap()["keys"][0]["kid"].as_str().unwrap().to_owned();
    let url = app.app.config().database_url.clone();
    let operate = |arguments: &[&str]| {
        let output = site_audit(&[&["operator", "receipt-keys", "--database-url", &url], arguments].concat(), "");
        (code(&output), stdout(&output) + &stderr(&output))
    };
    let (_, listed) = operate(&[]);
    assert_eq!(listed, format!("2026-01-31T09:30:00.000Z  {id}\n"));
    assert_eq!(operate(&["--forget", &id]), (0, "forgotten\n".to_owned()));
    assert_eq!(operate(&[]), (0, "no receipts were signed\n".to_owned()));
    let (again, text) = operate(&["--forget", &id]);
    assert!(again == 2 && text.contains("no key"), "{again} {text}");
}
