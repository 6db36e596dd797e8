//! Passkeys, with an authenticator in software: what it must prove, and what a proof opens.

use std::time::Duration;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sqlx::Row as _;
use testkit::TestDatabase;

use super::people::{self, SignedIn};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_passkey_signs_in_with_two_factors,
    a_proof_is_good_once_and_for_this_site_only,
    a_passkey_makes_a_session_fresh_again,
    passkeys_are_added_and_removed_in_a_fresh_session,
}

/// An authenticator with one credential.
struct Authenticator {
    key: EcdsaKeyPair,
    count: u32,
    origin: String,
    user: String,
}

impl Authenticator {
    fn new(app: &TestApp, account: &str) -> Self {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        Self { key, count: 0, origin: app.url(""), user: URL_SAFE_NO_PAD.encode(account) }
    }

    fn id(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.key.public_key().as_ref()[1..33])
    }

    fn client_data(&self, kind: &str, challenge: &str) -> Vec<u8> {
        json!({ "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false }).to_string().into()
    }

    fn data(&mut self, flags: u8) -> Vec<u8> {
        self.count += 1;
        let mut data = Sha256::digest("localhost").to_vec();
        data.push(flags);
        data.extend_from_slice(&self.count.to_be_bytes());
        data
    }

    fn create(&mut self, challenge: &str) -> Value {
        let mut data = self.data(0x45);
        let point = self.key.public_key().as_ref();
        data.extend_from_slice(&[0; 16]);
        data.extend_from_slice(&[0, 32]);
        data.extend_from_slice(&point[1..33]);
        data.extend_from_slice(&[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
        data.extend_from_slice(&point[1..33]);
        data.extend_from_slice(&[0x22, 0x58, 0x20]);
        data.extend_from_slice(&point[33..]);
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        object.push(u8::try_from(data.len()).unwrap());
        object.extend(data);
        let client_data = self.client_data("webauthn.create", challenge);
        json!({ "id": self.id(), "type": "public-key", "response": {
            "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
            "attestationObject": URL_SAFE_NO_PAD.encode(object),
        }})
    }

    fn get(&mut self, challenge: &str) -> Value {
        let (data, client_data) = (self.data(0x05), self.client_data("webauthn.get", challenge));
        let message = [data.clone(), Sha256::digest(&client_data).to_vec()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &message).unwrap();
        json!({ "id": self.id(), "type": "public-key", "response": {
            "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
            "authenticatorData": URL_SAFE_NO_PAD.encode(data),
            "signature": URL_SAFE_NO_PAD.encode(signature),
            "userHandle": self.user,
        }})
    }
}

/// A browser that nobody is signed in with.
struct Visitor {
    cookie: String,
    csrf: String,
}

impl Visitor {
    async fn new(app: &TestApp) -> Self {
        let answer = app.call(Call::get("/api/auth/bootstrap")).await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        Self { cookie, csrf: answer.json()["csrf"].as_str().unwrap().to_owned() }
    }

    async fn post(&self, app: &TestApp, path: &str, body: &Value) -> Response {
        let path = format!("/api/auth/{path}");
        let call = Call::new("POST", &path).header("cookie", &self.cookie).body(&body.to_string());
        app.call(people::of_page(app, call, &self.csrf)).await
    }

    async fn challenge(&self, app: &TestApp) -> String {
        let options = self.post(app, "passkey/options", &json!({})).await;
        assert_eq!(options.json()["rpId"], "localhost", "{}", options.body);
        options.json()["challenge"].as_str().unwrap().to_owned()
    }
}

async fn post(app: &TestApp, session: &SignedIn, path: &str, body: &Value) -> Response {
    let path = format!("/api/auth/{path}");
    app.call(session.page(app, Call::new("POST", &path).body(&body.to_string()))).await
}

/// An account with a passkey.
async fn start(database: TestDatabase) -> (TestApp, SignedIn, Authenticator) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let mut authenticator = Authenticator::new(&app, &account);
    let options = post(&app, &session, "passkeys/options", &json!({})).await;
    assert_eq!(options.status, 200, "{}", options.body);
    assert_eq!(options.json()["user"]["id"], authenticator.user);
    let credential = authenticator.create(options.json()["challenge"].as_str().unwrap());
    let added = post(&app, &session, "passkeys/add", &json!({ "name": "laptop", "credential": credential })).await;
    assert_eq!((added.status, &added.json()["passkey"]["name"]), (200, &json!("laptop")), "{}", added.body);
    (app, session, authenticator)
}

async fn a_passkey_signs_in_with_two_factors(database: TestDatabase) {
    let (app, _, mut authenticator) = start(database).await;
    let visitor = Visitor::new(&app).await;
    let given = authenticator.get(&visitor.challenge(&app).await);
    let signed_in = visitor.post(&app, "passkey/verify", &given).await;
    assert_eq!(signed_in.status, 200, "{}", signed_in.body);
    let cookie = signed_in.header("set-cookie").split(';').next().unwrap().to_owned();
    let me = app.call(Call::get("/api/me").header("cookie", &cookie)).await;
    assert_eq!(me.json()["user"]["email"], "ana@example.com");
    let row =
        app.database.row("SELECT assurance, methods FROM sessions ORDER BY created_at DESC, assurance DESC").await;
    assert_eq!((row.get::<i64, _>(0), row.get::<String, _>(1)), (2, "passkey".to_owned()));
    let listed = app.call(Call::get("/api/auth/passkeys").header("cookie", &cookie)).await.json();
    assert_eq!(listed["passkeys"][0]["last_used_at"], "2026-01-31T09:30:00.000Z");
}

async fn a_proof_is_good_once_and_for_this_site_only(database: TestDatabase) {
    let (app, session, mut authenticator) = start(database).await;
    let visitor = Visitor::new(&app).await;
    let challenge = visitor.challenge(&app).await;
    let given = authenticator.get(&challenge);
    assert_eq!(visitor.post(&app, "passkey/verify", &given).await.status, 200);
    let replayed = visitor.post(&app, "passkey/verify", &given).await;
    assert_eq!(replayed.refusal(), (401, "invalid_credentials".to_owned()), "its count did not grow");
    let again = authenticator.get(&challenge);
    let used = visitor.post(&app, "passkey/verify", &again).await;
    assert_eq!(used.refusal(), (401, "invalid_challenge".to_owned()));
    let late = authenticator.get(&visitor.challenge(&app).await);
    app.pass(Duration::from_secs(300));
    assert_eq!(visitor.post(&app, "passkey/verify", &late).await.refusal(), (401, "invalid_challenge".to_owned()));
    let wrong = (401, "invalid_credentials".to_owned());
    let own = authenticator.origin.clone();
    authenticator.origin = "https://evil.example".to_owned();
    let elsewhere = authenticator.get(&visitor.challenge(&app).await);
    assert_eq!(visitor.post(&app, "passkey/verify", &elsewhere).await.refusal(), wrong);
    authenticator.origin = own;
    // Another's handle, an unknown credential, another key's signature, and what is no base64.
    for change in [
        |given: &mut Value| given["response"]["userHandle"] = "AAAA".into(),
        |given: &mut Value| given["id"] = "AAAA".into(),
        |given: &mut Value| given["response"]["signature"] = "AAAA".into(),
        |given: &mut Value| given["response"]["clientDataJSON"] = "%".into(),
        |given: &mut Value| given["response"]["authenticatorData"] = "".into(),
    ] {
        let mut given = authenticator.get(&visitor.challenge(&app).await);
        change(&mut given);
        assert_eq!(visitor.post(&app, "passkey/verify", &given).await.refusal(), wrong, "{given}");
    }
    // A challenge for a new passkey signs nobody in.
    app.database.execute(&format!("UPDATE sessions SET proven_at = {}", app.app.ports().now().0)).await;
    let options = post(&app, &session, "passkeys/options", &json!({})).await.json();
    let given = authenticator.get(options["challenge"].as_str().unwrap());
    assert_eq!(visitor.post(&app, "passkey/verify", &given).await.refusal(), (401, "invalid_challenge".to_owned()));
    // Nor does a passkey of an account that is stopped.
    app.database.execute("UPDATE accounts SET status = 'suspended'").await;
    let given = authenticator.get(&visitor.challenge(&app).await);
    assert_eq!(visitor.post(&app, "passkey/verify", &given).await.refusal(), wrong);
}

async fn a_passkey_makes_a_session_fresh_again(database: TestDatabase) {
    let (app, session, mut authenticator) = start(database).await;
    app.pass(Duration::from_secs(301));
    let stale = post(&app, &session, "passkeys/options", &json!({})).await;
    assert_eq!(stale.refusal(), (401, "reauth_required".to_owned()));
    let options = post(&app, &session, "passkey/options", &json!({})).await.json();
    let given = authenticator.get(options["challenge"].as_str().unwrap());
    let proven = post(&app, &session, "reauth", &json!({ "passkey": given })).await;
    assert_eq!(proven.status, 200, "{}", proven.body);
    let cookie = proven.header("set-cookie").split(';').next().unwrap();
    let token = cookie.split_once('=').unwrap().1.to_owned();
    assert_ne!(token, session.token);
    let renewed = SignedIn { token, csrf: session.csrf.clone() };
    assert_eq!(post(&app, &renewed, "passkeys/options", &json!({})).await.status, 200);
    // Somebody else's passkey proves nothing about this session.
    let bo = people::account(&app, "bo").await;
    let bos = people::session(&app, &bo).await;
    let options = post(&app, &bos, "passkey/options", &json!({})).await.json();
    let given = authenticator.get(options["challenge"].as_str().unwrap());
    let refused = post(&app, &bos, "reauth", &json!({ "passkey": given })).await;
    assert_eq!(refused.refusal(), (401, "invalid_credentials".to_owned()));
}

async fn passkeys_are_added_and_removed_in_a_fresh_session(database: TestDatabase) {
    let (app, session, mut authenticator) = start(database).await;
    let challenge = async || {
        let options = post(&app, &session, "passkeys/options", &json!({})).await;
        options.json()["challenge"].as_str().unwrap().to_owned()
    };
    let add = async |credential: &Value, name: &str| {
        post(&app, &session, "passkeys/add", &json!({ "name": name, "credential": credential })).await.refusal()
    };
    // The same one again, a proof in place of a new one, a challenge that is none, and no name.
    let again = authenticator.create(&challenge().await);
    assert_eq!(add(&again, "x").await, (409, "already_done".to_owned()));
    let mut broken = authenticator.create(&challenge().await);
    broken["response"]["attestationObject"] = "AAAA".into();
    assert_eq!(add(&broken, "x").await, (400, "invalid_passkey".to_owned()));
    let unasked = authenticator.create(&URL_SAFE_NO_PAD.encode([7; 32]));
    assert_eq!(add(&unasked, "x").await, (401, "invalid_challenge".to_owned()));
    assert_eq!(add(&unasked, " ").await, (400, "invalid_body".to_owned()));
    let listed = app.call(session.cookie(Call::get("/api/auth/passkeys"))).await.json();
    let id = listed["passkeys"][0]["id"].clone();
    let bo = people::account(&app, "bo").await;
    let bos = people::session(&app, &bo).await;
    for id in [&id, &json!("x")] {
        let refused = post(&app, &bos, "passkeys/remove", &json!({ "id": id })).await;
        assert_eq!(refused.refusal(), (404, "not_found".to_owned()));
    }
    assert_eq!(post(&app, &session, "passkeys/remove", &json!({ "id": id })).await.status, 200);
    let visitor = Visitor::new(&app).await;
    let given = authenticator.get(&visitor.challenge(&app).await);
    let refused = visitor.post(&app, "passkey/verify", &given).await;
    assert_eq!(refused.refusal(), (401, "invalid_credentials".to_owned()));
    let events = app.call(session.cookie(Call::get("/api/auth/events"))).await.json();
    let kinds: Vec<&str> = events["events"].as_array().unwrap().iter().map(|e| e["kind"].as_str().unwrap()).collect();
    assert!(kinds.contains(&"passkey_added") && kinds.contains(&"passkey_removed"), "{kinds:?}");
}
