//! Signed receipts: who gets one, what they prove, and the keys that verify them.

use serde_json::{Value, json};
use service::config::{Config, SecretText};
use service::receipts::{InvalidSignature, Jwk, JwkSet, verify};
use testkit::TestDatabase;

use super::tabs::{GOOD, Page, get, send};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_receipt_proves_its_report_and_no_other,
    anybody_gets_the_receipt_of_a_shared_audit,
    keys_of_replaced_secrets_stay_in_the_set,
    numbers_that_no_signature_covers_are_left_out,
    without_a_secret_nothing_is_signed,
}

/// A guest's audit of a page: the token, and the path of the audit.
pub(crate) async fn audited(app: &TestApp, page: &Page) -> (String, String) {
    let token = app.guest().await;
    let audit = send(app, &token, "POST", "/api/audit", json!({ "url": page.url() })).await;
    assert_eq!(audit.status, 200, "{}", audit.body);
    (token, format!("/api/audits/{}", audit.json()["id"].as_str().unwrap()))
}

/// The keys that a server publishes.
async fn keys(app: &TestApp) -> Vec<Jwk> {
    let answer = app.call(Call::get("/.well-known/jwks.json")).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/jwk-set+json"));
    assert_eq!(answer.header("cache-control"), "public, max-age=300");
    serde_json::from_str::<JwkSet>(&answer.body).unwrap().keys
}

/// The signature of a receipt.
fn signature(receipt: &Value) -> &str {
    receipt["signature"].as_str().unwrap()
}

async fn a_receipt_proves_its_report_and_no_other(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, path) = audited(&app, &page).await;
    let keys = keys(&app).await;
    assert_eq!(keys.len(), 1);
    let other = TestApp::start(TestDatabase::sqlite(), |config| {
        config.auth.secret = Some(SecretText::new("another secret of tests, of 32 bytes or more"));
    })
    .await;
    let foreign = self::keys(&other).await;
    for lang in ["en", "pt-BR"] {
        let receipt = get(&app, &token, &format!("{path}/receipt?lang={lang}")).await;
        assert_eq!(receipt["keys"], app.url("/.well-known/jwks.json"));
        let report = get(&app, &token, &format!("{path}?lang={lang}")).await;
        assert_eq!(receipt["report"], report);
        let signed = verify(signature(&receipt), receipt["report"].clone(), &keys).unwrap();
        assert_eq!((signed.issuer, &signed.key), (app.url(""), &keys[0].kid));
        // However the file is formatted, and wherever the report is shared since.
        let pretty = serde_json::to_string_pretty(&report).unwrap();
        let mut shared: Value = serde_json::from_str(&pretty).unwrap();
        shared["share_slug"] = json!("aaaaaaaaaaaaaaaaaaaa");
        assert!(verify(signature(&receipt), shared, &keys).is_ok());
        for (member, value) in [
            ("score", json!(100)),
            ("url", json!("https://example.com/")),
            ("created_at", json!("2026-01-31T09:30:01Z")),
            ("issues", json!([])),
            ("more", json!(1)),
        ] {
            let mut changed = report.clone();
            assert_ne!(changed[member], value, "{member}");
            changed[member] = value;
            assert_eq!(verify(signature(&receipt), changed, &keys), Err(InvalidSignature::Changed), "{member}");
        }
        let unknown = Err(InvalidSignature::UnknownKey(keys[0].kid.clone()));
        assert_eq!(verify(signature(&receipt), report, &foreign), unknown);
    }
    // It is signed again for each call, with the same result.
    let again = get(&app, &token, &format!("{path}/receipt")).await;
    assert_eq!(again, get(&app, &token, &format!("{path}/receipt")).await);
}

async fn anybody_gets_the_receipt_of_a_shared_audit(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, path) = audited(&app, &page).await;
    let stranger = app.guest().await;
    let refused = send(&app, &stranger, "GET", &format!("{path}/receipt"), Value::Null).await;
    assert_eq!(refused.refusal(), (404, "audit_not_found".to_owned()));
    let own = get(&app, &token, &format!("{path}/receipt")).await;
    let shared = send(&app, &token, "POST", &format!("{path}/share"), Value::Null).await.json();
    let slug = shared["slug"].as_str().unwrap();
    let public = format!("/api/shared/{slug}/receipt");
    assert_eq!(app.call(Call::get(&public)).await.json(), own);
    let shown = app.call(Call::get(&format!("/r/{slug}"))).await.body;
    assert!(shown.contains(&format!("href=\"{public}?lang=en\"")), "{shown}");
    assert_eq!(send(&app, &token, "DELETE", &format!("{path}/share"), Value::Null).await.status, 200);
    assert_eq!(app.call(Call::get(&public)).await.refusal(), (404, "share_not_found".to_owned()));
    assert!(verify(signature(&own), own["report"].clone(), &keys(&app).await).is_ok());
}

async fn keys_of_replaced_secrets_stay_in_the_set(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let with =
        |secret: &'static str| move |config: &mut Config| config.auth.secret = Some(SecretText::new(secret.repeat(32)));
    let first = TestApp::start(database, with("a")).await;
    let (token, path) = audited(&first, &page).await;
    let receipt_of = async |app: &TestApp| get(app, &token, &format!("{path}/receipt")).await;
    let oldest = receipt_of(&first).await;
    let twin = TestApp::start_on(&first, with("a")).await;
    assert_eq!(keys(&twin).await, keys(&first).await, "two servers with one secret have one key");
    // A secret that signed nothing leaves no key.
    let idle = TestApp::start_on(&first, with("b")).await;
    assert_eq!(keys(&idle).await.len(), 2);
    let last = TestApp::start_on(&first, with("c")).await;
    last.pass(std::time::Duration::from_secs(60));
    let newest = receipt_of(&last).await;
    let set = keys(&last).await;
    assert_eq!(set.len(), 2, "{set:?}");
    for (receipt, key) in [(&newest, &set[0]), (&oldest, &set[1])] {
        let signed = verify(signature(receipt), receipt["report"].clone(), &set).unwrap();
        assert_eq!(signed.key, key.kid);
    }
    // A key whose secret is known to others is forgotten, and what it signed is no longer believed.
    assert!(first.app.database().store().forget_receipt_key(&set[1].kid).await.unwrap());
    let set = keys(&last).await;
    assert_eq!(set.len(), 1);
    assert!(verify(signature(&oldest), oldest["report"].clone(), &set).is_err());
}

async fn numbers_that_no_signature_covers_are_left_out(database: TestDatabase) {
    const HOSTILE: &str = "<!doctype html><html lang=en><title>Bread baked every morning</title>\
        <script type=application/ld+json>{\"@type\":\"Offer\",\"price\":1e999}</script>\
        <script type=application/ld+json>{\"@type\":\"Offer\",\"price\":1.50}</script><h1>Bread</h1>";
    let page = Page::start(HOSTILE).await;
    let app = TestApp::start(database, |_| {}).await;
    let (token, path) = audited(&app, &page).await;
    assert_eq!(get(&app, &token, &path).await["jsonLd"].as_array().unwrap().len(), 2);
    let receipt = get(&app, &token, &format!("{path}/receipt")).await;
    assert_eq!(receipt["report"]["jsonLd"].as_array().unwrap().len(), 1, "{}", receipt["report"]["jsonLd"]);
    assert!(verify(signature(&receipt), receipt["report"].clone(), &keys(&app).await).is_ok());
}

async fn without_a_secret_nothing_is_signed(database: TestDatabase) {
    if !database.is_postgres() {
        // With a file beside it, SQLite always has a secret.
        return;
    }
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |config| config.auth.secret = None).await;
    let (token, path) = audited(&app, &page).await;
    let refused = send(&app, &token, "GET", &format!("{path}/receipt"), Value::Null).await;
    assert_eq!(refused.refusal(), (503, "auth_unavailable".to_owned()));
    assert!(refused.body.contains("no auth.secret to sign with"), "{}", refused.body);
    assert_eq!(keys(&app).await, []);
}
