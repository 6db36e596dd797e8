//! Accounts from the first mail to the last session, with a real mail server.

pub(crate) mod factors;
mod flood;
mod operator;
mod scripts;
mod security;
mod times;
mod trial;

use std::time::Duration;

use serde_json::{Value, json};
use service::config::Config;
use service::jobs;
use sqlx::Row as _;
use testkit::{MailServer, SiteAnswer, TestDatabase, TestSite};

use super::people::{self, Browser};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    an_account_is_shown_its_fifty_latest_audits,
    an_account_begins_with_a_mail,
    a_link_makes_one_account_however_many_try,
    known_and_unknown_addresses_look_the_same,
    mail_has_ceilings,
    without_mail_there_are_no_new_accounts,
    tries_of_an_account_have_to_wait,
    wrong_passwords_of_a_network_have_a_ceiling,
    bad_input_names_its_field,
    a_profile_is_changed_on_what_was_read,
}

/// A password that is taken.
pub(crate) const PASSWORD: &str = "yellow canary sings low";

/// A service that sends mail to a server of the test.
pub(crate) async fn start(database: TestDatabase) -> (TestApp, MailServer) {
    start_with(database, |_| {}).await
}

/// The same, with what a test changes of the configuration.
pub(crate) async fn start_with(database: TestDatabase, change: impl FnOnce(&mut Config)) -> (TestApp, MailServer) {
    let mail = MailServer::start().await;
    let url = mail.url();
    let app = TestApp::start(database, |config| {
        config.smtp.url = Some(service::config::SecretText::new(url));
        config.smtp.from = Some("Site Audit <audit@example.com>".to_owned());
        change(config);
    })
    .await;
    (app, mail)
}

/// Sends the mail that waits; the last of `count` letters.
pub(crate) async fn letter(app: &TestApp, mail: &MailServer, count: usize) -> testkit::ReceivedMail {
    jobs::work_off(&app.app).await.unwrap();
    mail.wait_for(count).await.pop().unwrap()
}

/// The token of the link in the last of `count` letters.
pub(crate) async fn token(app: &TestApp, mail: &MailServer, count: usize) -> String {
    let link = letter(app, mail, count).await.link(&app.url("/conta/global/"));
    link.split_once("token=").unwrap().1.to_owned()
}

/// A browser that is signed in to a new account.
pub(crate) async fn signed_up<'a>(app: &'a TestApp, mail: &MailServer, email: &str) -> Browser<'a> {
    let mut browser = Browser::open(app).await;
    let count = mail.letters().len() + 1;
    assert_eq!(browser.post("/api/auth/register", &json!({"email": email})).await.status, 202);
    let token = token(app, mail, count).await;
    let made = browser.post("/api/auth/register/complete", &json!({"token": token, "password": PASSWORD})).await;
    assert_eq!(made.status, 200, "{}", made.body);
    browser.bootstrap().await;
    browser
}

/// A browser that signs in with the usual password.
pub(crate) async fn sign_in(browser: &mut Browser<'_>, email: &str) -> Response {
    browser.post("/api/auth/sign-in", &json!({"email": email, "password": PASSWORD})).await
}

async fn an_account_begins_with_a_mail(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = Browser::open(&app).await;
    let asked = browser.post("/api/auth/register", &json!({"email": " Ana@Example.com "})).await;
    assert_eq!((asked.status, asked.body.as_str()), (202, r#"{"status":"sent"}"#));
    let letter = letter(&app, &mail, 1).await;
    assert_eq!(letter.to, ["Ana@example.com"]);
    assert_eq!(letter.header("subject"), "Confirm your email address");
    let link = letter.link(&app.url("/conta/global/complete?lang=en&token="));
    assert!(letter.html().contains(&link.replace('&', "&#38;")), "{}", letter.html());
    let token = link.split_once("token=").unwrap().1;
    // Nothing exists before the link is used, and no secret is kept as it is.
    let kept = app.database.row("SELECT COUNT(*) FROM accounts").await.get::<i64, _>(0);
    assert_eq!(kept, 0);
    let weak = browser.post("/api/auth/register/complete", &json!({"token": token, "password": "password123"})).await;
    assert_eq!(weak.refusal(), (400, "password_refused".to_owned()));
    let input = json!({"token": token, "password": PASSWORD, "display_name": "Ana"});
    let made = browser.post("/api/auth/register/complete", &input).await;
    assert_eq!((made.status, made.body.as_str()), (200, r#"{"ok":true}"#));
    assert!(made.header("set-cookie").starts_with("mm-auth=") && made.header("set-cookie").contains("Max-Age=2592000"));
    let me = browser.get("/api/me").await.json();
    assert_eq!(me["user"]["email"], "Ana@example.com");
    assert_eq!(
        me["profile"],
        json!({"name": "Ana", "locale": "en", "timeZone": "UTC", "theme": "system", "revision": 1})
    );
    assert_eq!(me["audits"], json!([]));
    assert_eq!(me["trial"], json!({"days": 90, "active": true, "ends_at": null}));
    // The link is used up.
    let again = browser.post("/api/auth/register/complete", &input).await;
    assert_eq!(again.refusal().1, "invalid_csrf", "the session is another one now");
    browser.bootstrap().await;
    assert_eq!(browser.post("/api/auth/register/complete", &input).await.refusal(), (400, "invalid_link".to_owned()));

    let mut elsewhere = Browser::open(&app).await;
    assert_eq!(elsewhere.get("/api/me").await.refusal(), (401, "invalid_session".to_owned()));
    let wrong = json!({"email": "ana@example.com", "password": "yellow canary sings lou"});
    assert_eq!(elsewhere.post("/api/auth/sign-in", &wrong).await.refusal(), (401, "invalid_credentials".to_owned()));
    let right = sign_in(&mut elsewhere, "ANA@example.com").await;
    assert_eq!((right.status, right.json()), (200, json!({"status": "signed_in"})));
    elsewhere.bootstrap().await;
    // Signing in again is another session, and the one before ends.
    let before = elsewhere.token().to_owned();
    assert_eq!(sign_in(&mut elsewhere, "ana@example.com").await.status, 200);
    assert_ne!(elsewhere.token(), before);
    let old = crate::app::Call::get("/api/me").header("cookie", &format!("mm-auth={before}"));
    assert_eq!(app.call(old).await.refusal(), (401, "session_ended".to_owned()));
    let digests = app.database.row("SELECT COUNT(*) FROM sessions WHERE LENGTH(token_digest) = 32").await;
    assert_eq!(digests.get::<i64, _>(0), 3);
}

async fn a_link_makes_one_account_however_many_try(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = Browser::open(&app).await;
    browser.post("/api/auth/register", &json!({"email": "ana@example.com"})).await;
    browser.post("/api/auth/register", &json!({"email": "ana@example.com"})).await;
    let tokens = [token(&app, &mail, 1).await, token(&app, &mail, 2).await];
    let mut made = 0;
    let mut tries = Vec::new();
    for at in 0..8 {
        let (app, token) = (&app, tokens[at % 2].clone());
        tries.push(async move {
            let mut browser = Browser::open(app).await;
            browser.post("/api/auth/register/complete", &json!({"token": token, "password": PASSWORD})).await
        });
    }
    for answer in crate::app::join_all(tries.into_iter()).await {
        match answer.status {
            200 => made += 1,
            _ => assert_eq!(answer.refusal(), (400, "invalid_link".to_owned())),
        }
    }
    assert_eq!(made, 1);
    let row = app.database.row("SELECT (SELECT COUNT(*) FROM accounts), (SELECT COUNT(*) FROM sessions)").await;
    assert_eq!((row.get::<i64, _>(0), row.get::<i64, _>(1)), (1, 1));
}

/// Answer, hashes of passwords, and mails of one call.
async fn weighed(app: &TestApp, path: &str, input: &Value) -> (u16, String, u64, i64) {
    let mut browser = Browser::open(app).await;
    let mails = || async { app.database.row("SELECT COUNT(*) FROM jobs").await.get::<i64, _>(0) };
    let before = (app.app.vault().passwords().made(), mails().await);
    let answer = browser.post(path, input).await;
    (answer.status, answer.body, app.app.vault().passwords().made() - before.0, mails().await - before.1)
}

async fn known_and_unknown_addresses_look_the_same(database: TestDatabase) {
    let (app, mail) = start(database).await;
    drop(signed_up(&app, &mail, "ana@example.com").await);
    for path in ["/api/auth/register", "/api/auth/reset", "/api/auth/sign-in"] {
        let input = |email: &str| match path {
            "/api/auth/sign-in" => json!({"email": email, "password": "a wrong password"}),
            _ => json!({"email": email}),
        };
        let known = weighed(&app, path, &input("ana@example.com")).await;
        assert_eq!(known, weighed(&app, path, &input("nobody@example.com")).await, "{path}");
        assert!(known.2 + u64::try_from(known.3).unwrap() == 1, "{known:?}");
    }
    let subjects: Vec<String> = {
        letter(&app, &mail, 5).await;
        mail.letters().iter().skip(1).map(|letter| letter.header("subject")).collect()
    };
    for subject in [
        "You already have an account",
        "Confirm your email address",
        "Reset your password",
        "No account with this email address",
    ] {
        assert!(subjects.iter().any(|sent| sent == subject), "{subjects:?}");
    }
}

async fn mail_has_ceilings(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = Browser::open(&app).await;
    for _ in 0..4 {
        let asked = browser.post("/api/auth/register", &json!({"email": "ana@example.com"})).await;
        assert_eq!(asked.status, 202);
    }
    letter(&app, &mail, 3).await;
    assert_eq!(mail.letters().len(), 3, "three to one address");
    for name in 0..6 {
        let asked = browser.post("/api/auth/register", &json!({"email": format!("{name}@example.com")})).await;
        assert_eq!(asked.status, 202);
    }
    let refused = browser.post("/api/auth/register", &json!({"email": "x@example.com"})).await;
    assert_eq!(refused.refusal(), (429, "rate_limited".to_owned()));
    assert!(!refused.header("retry-after").is_empty());
}

async fn without_mail_there_are_no_new_accounts(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let mut browser = Browser::open(&app).await;
    for path in ["/api/auth/register", "/api/auth/reset"] {
        let refused = browser.post(path, &json!({"email": "ana@example.com"})).await;
        assert_eq!(refused.refusal(), (503, "mail_unavailable".to_owned()), "{path}");
    }
    assert_eq!(sign_in(&mut browser, "ana@example.com").await.refusal().0, 401);
}

async fn tries_of_an_account_have_to_wait(database: TestDatabase) {
    let (app, mail) = start(database).await;
    drop(signed_up(&app, &mail, "ana@example.com").await);
    let mut browser = Browser::open(&app).await;
    let wrong = json!({"email": "ana@example.com", "password": "a wrong password"});
    let mut said = String::new();
    for _ in 0..10 {
        let refused = browser.post("/api/auth/sign-in", &wrong).await;
        assert_eq!(refused.refusal(), (401, "invalid_credentials".to_owned()));
        said = refused.body;
    }
    // The right password looks wrong while it has to wait; tries in the meantime make it no longer.
    for _ in 0..3 {
        let refused = sign_in(&mut browser, "ana@example.com").await;
        assert_eq!((refused.status, refused.body.as_str()), (401, said.as_str()));
    }
    let told = letter(&app, &mail, 2).await;
    assert!(told.header("subject").starts_with("Ten failed sign-in attempts"), "{}", told.header("subject"));
    app.pass(Duration::from_secs(60));
    assert_eq!(browser.post("/api/auth/sign-in", &wrong).await.status, 401);
    // The next wait is two minutes.
    app.pass(Duration::from_secs(119));
    assert_eq!(sign_in(&mut browser, "ana@example.com").await.status, 401);
    app.pass(Duration::from_secs(1));
    assert_eq!(sign_in(&mut browser, "ana@example.com").await.status, 200);
    assert_eq!(mail.letters().len(), 2);
}

async fn wrong_passwords_of_a_network_have_a_ceiling(database: TestDatabase) {
    let (app, mail) = start(database).await;
    drop(signed_up(&app, &mail, "ana@example.com").await);
    let mut browser = Browser::open(&app).await;
    for name in 0..30 {
        let wrong = json!({"email": format!("{name}@example.com"), "password": "x"});
        assert_eq!(browser.post("/api/auth/sign-in", &wrong).await.status, 401);
    }
    let refused = sign_in(&mut browser, "ana@example.com").await;
    assert_eq!(refused.refusal(), (429, "rate_limited".to_owned()));
    assert_eq!(refused.header("retry-after"), "3600");
    let mut elsewhere = Browser::open(&app).await.from([127, 0, 0, 7]);
    assert_eq!(sign_in(&mut elsewhere, "ana@example.com").await.status, 200);
}

async fn bad_input_names_its_field(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let profile = |field: &str, value: Value| {
        let mut all = json!({"name": "A", "locale": "en", "timeZone": "UTC", "theme": "dark", "revision": 1});
        all[field] = value;
        all
    };
    for (path, input, code, detail) in [
        ("register", json!({"email": "ana"}), "invalid_email", "email: "),
        ("register", json!({}), "invalid_body", "email: is missing"),
        ("register/complete", json!({"token": "x", "password": PASSWORD}), "invalid_link", ""),
        ("register/complete", json!({"token": "\u{0}", "password": PASSWORD}), "invalid_link", ""),
        ("reset/complete", json!({"token": "x", "password": PASSWORD}), "invalid_link", ""),
        ("sign-in", json!({"email": 1, "password": "x"}), "invalid_body", "email: must be a string"),
        ("sign-in/totp", json!({"challenge": "x", "code": "1"}), "invalid_challenge", ""),
        ("email", json!({"email": "@"}), "invalid_email", "email: "),
        ("email/confirm", json!({"token": ""}), "invalid_link", ""),
        ("email/undo", json!({"token": "x"}), "invalid_link", ""),
        ("reauth", json!({}), "invalid_body", "password: send a password"),
        ("sessions/end", json!({"id": "x"}), "session_not_found", ""),
        ("totp/confirm", json!({"code": "123456"}), "not_found", ""),
        ("totp/remove", json!({"code": "123456"}), "not_found", ""),
        ("recovery-codes", json!({"code": "123456"}), "not_found", ""),
        ("profile", profile("name", "x".repeat(61).into()), "invalid_body", "name: use at most 60"),
        ("profile", profile("name", "a\u{0}b".into()), "invalid_body", "name: "),
        ("profile", profile("locale", "fr".into()), "invalid_body", "locale: "),
        ("profile", profile("timeZone", "<b>".into()), "invalid_body", "timeZone: "),
        ("profile", profile("timeZone", "Mars/Olympus_Mons".into()), "invalid_body", "timeZone: "),
        ("profile", profile("timeZone", "america/sao_paulo".into()), "invalid_body", "timeZone: "),
        ("profile", profile("theme", "blue".into()), "invalid_body", "theme: "),
        ("profile", profile("revision", 7.into()), "revision_conflict", ""),
    ] {
        let refused = browser.post(&format!("/api/auth/{path}"), &input).await;
        assert_eq!(refused.refusal().1, code, "{path} {input}");
        let said = refused.json()["detail"].as_str().unwrap_or_default().to_owned();
        assert!(said.starts_with(detail), "{path} {input}: {said}");
    }
}

async fn a_profile_is_changed_on_what_was_read(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let wanted = json!({
        "name": "Ana", "locale": "pt-BR", "timeZone": "America/Sao_Paulo", "theme": "dark", "revision": 1,
    });
    let changed = browser.post("/api/auth/profile", &wanted).await;
    assert_eq!(changed.status, 200, "{}", changed.body);
    let late = browser.post("/api/auth/profile", &wanted).await;
    assert_eq!(late.refusal(), (409, "revision_conflict".to_owned()));
    let read = browser.get("/api/account/profile").await.json();
    assert_eq!(read, changed.json());
    assert_eq!((&read["profile"]["revision"], &read["profile"]["name"]), (&2.into(), &"Ana".into()));
    // Mail speaks the profile's language from now on.
    browser.post("/api/auth/reset", &json!({"email": "ana@example.com"})).await;
    assert!(letter(&app, &mail, 2).await.text().contains("Use este link"));
}

async fn an_account_is_shown_its_fifty_latest_audits(database: TestDatabase) {
    let site = TestSite::start(|_| SiteAnswer::html("<title>t</title>")).await;
    let app = TestApp::start(database, |_| {}).await;
    let session = people::session(&app, &people::account(&app, "ana").await).await;
    let made = app.call(session.page(&app, Call::audit(&site.url("/")))).await.json();
    let first = made["id"].as_str().unwrap();
    for n in 1..=50 {
        let copy = format!(
            "INSERT INTO audits (id, owner, requested_url, url, score, created_at, body) \
             SELECT '00000000-0000-7000-8000-{n:012}', owner, requested_url, url, score, created_at + {n}, body \
             FROM audits WHERE id = '{first}'"
        );
        app.database.execute(&copy).await;
    }
    let me = app.call(session.cookie(Call::get("/api/me"))).await.json();
    let shown: Vec<&str> =
        me["audits"].as_array().unwrap().iter().map(|audit| audit["audit_id"].as_str().unwrap()).collect();
    assert_eq!((shown.len(), shown[0]), (50, "00000000-0000-7000-8000-000000000050"));
    assert!(!shown.contains(&first));
}
