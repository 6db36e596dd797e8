//! Proofs, passwords, addresses and sessions of those who are signed in.

use std::time::Duration;

use serde_json::json;
use testkit::TestDatabase;

use super::super::people::{self, Browser};
use super::{PASSWORD, letter, sign_in, signed_up, start, token};
use crate::app::Call;

testkit::on_both_databases! {
    a_proof_is_fresh_for_five_minutes_and_changes_the_token,
    a_new_password_ends_the_other_sessions_and_all_keys,
    a_reset_link_is_the_last_one_for_half_an_hour_once,
    an_address_is_changed_and_taken_back,
    an_address_of_another_account_is_not_told,
    sessions_are_listed_and_ended,
    an_account_has_twenty_sessions,
    no_secret_is_told,
}

async fn a_proof_is_fresh_for_five_minutes_and_changes_the_token(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    app.pass(Duration::from_secs(299));
    assert_eq!(browser.post("/api/auth/totp/start", &json!({})).await.status, 200);
    app.pass(Duration::from_secs(1));
    for (path, input) in [
        ("totp/start", json!({})),
        ("totp/confirm", json!({"code": "1"})),
        ("totp/remove", json!({"code": "1"})),
        ("recovery-codes", json!({"code": "1"})),
        ("password", json!({"current": PASSWORD, "password": "low sings a yellow canary"})),
        ("email", json!({"email": "bo@example.com"})),
        ("sessions/end-all", json!({})),
    ] {
        let stale = browser.post(&format!("/api/auth/{path}"), &input).await;
        assert_eq!(stale.refusal(), (401, "reauth_required".to_owned()), "{path}");
    }
    let before = browser.token().to_owned();
    let wrong = browser.post("/api/auth/reauth", &json!({"password": "a wrong password"})).await;
    assert_eq!(wrong.refusal(), (401, "invalid_credentials".to_owned()));
    assert_eq!(browser.post("/api/auth/reauth", &json!({"password": PASSWORD})).await.status, 200);
    assert_ne!(browser.token(), before);
    // The pages that are open go on: the session is the same.
    assert_eq!(browser.post("/api/auth/totp/start", &json!({})).await.status, 200);
    let old = || Call::get("/api/me").header("cookie", &format!("mm-auth={before}"));
    assert_eq!(app.call(old()).await.status, 200);
    app.pass(Duration::from_millis(9_999));
    assert_eq!(app.call(old()).await.status, 200);
    app.pass(Duration::from_millis(1));
    assert_eq!(app.call(old()).await.refusal(), (401, "session_ended".to_owned()));
}

async fn a_new_password_ends_the_other_sessions_and_all_keys(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let mut other = Browser::open(&app).await;
    sign_in(&mut other, "ana@example.com").await;
    let id = browser.get("/api/me").await.json()["user"]["id"].as_str().unwrap().to_owned();
    let key = people::key(&app, &format!("account:{id}")).await;
    let before = browser.token().to_owned();
    let change = |current: &str| json!({"current": current, "password": "low sings a yellow canary"});
    let wrong = browser.post("/api/auth/password", &change("a wrong password")).await;
    assert_eq!(wrong.refusal(), (401, "invalid_credentials".to_owned()));
    let weak = browser.post("/api/auth/password", &json!({"current": PASSWORD, "password": "password123"})).await;
    assert_eq!(weak.refusal(), (400, "password_refused".to_owned()));
    assert_eq!(browser.post("/api/auth/password", &change(PASSWORD)).await.status, 200);
    assert_ne!(browser.token(), before);
    assert_eq!(browser.get("/api/me").await.status, 200);
    assert_eq!(other.get("/api/me").await.refusal(), (401, "session_ended".to_owned()));
    let by_key = app.call(Call::get("/api/gate").header("x-api-key", &key)).await;
    assert_eq!(by_key.refusal(), (401, "invalid_api_key".to_owned()));
    let told = letter(&app, &mail, 2).await;
    assert_eq!(told.header("subject"), "Your password was changed");
    assert!(told.text().contains("these API keys were revoked: x."), "{}", told.text());
    let mut new = Browser::open(&app).await;
    assert_eq!(sign_in(&mut new, "ana@example.com").await.status, 401);
    let kinds: Vec<String> = browser.get("/api/auth/events").await.json()["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["kind"].as_str().unwrap().to_owned())
        .collect();
    for kind in ["password_changed", "signed_in", "registered"] {
        assert!(kinds.iter().any(|known| known == kind), "{kinds:?}");
    }
}

async fn a_reset_link_is_the_last_one_for_half_an_hour_once(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let ask = json!({"email": "ana@example.com"});
    let mut lost = Browser::open(&app).await;
    lost.post("/api/auth/reset", &ask).await;
    let first = token(&app, &mail, 2).await;
    lost.post("/api/auth/reset", &ask).await;
    let second = token(&app, &mail, 3).await;
    let input = |token: &str| json!({"token": token, "password": "low sings a yellow canary"});
    let replaced = lost.post("/api/auth/reset/complete", &input(&first)).await;
    assert_eq!(replaced.refusal(), (400, "invalid_link".to_owned()));
    // A link of one kind is none of another.
    let another = lost.post("/api/auth/email/confirm", &json!({"token": second})).await;
    assert_eq!(another.refusal(), (400, "invalid_link".to_owned()));
    assert_eq!(lost.post("/api/auth/reset/complete", &input(&second)).await.status, 200);
    assert_eq!(lost.post("/api/auth/reset/complete", &input(&second)).await.status, 400);
    assert_eq!(browser.get("/api/me").await.refusal(), (401, "session_ended".to_owned()));
    app.pass(Duration::from_secs(3_600));
    lost.post("/api/auth/reset", &ask).await;
    let third = token(&app, &mail, 5).await;
    app.pass(Duration::from_secs(1_800));
    let late = lost.post("/api/auth/reset/complete", &input(&third)).await;
    assert_eq!(late.refusal(), (400, "invalid_link".to_owned()));
}

async fn an_address_is_changed_and_taken_back(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let asked = browser.post("/api/auth/email", &json!({"email": "ana@example.org"})).await;
    assert_eq!((asked.status, asked.body.as_str()), (202, r#"{"status":"sent"}"#));
    let confirm = letter(&app, &mail, 2).await;
    assert_eq!(confirm.to, ["ana@example.org"]);
    let token = confirm.link(&app.url("/conta/global/email?lang=en&token=")).split_once("token=").unwrap().1.to_owned();
    // From the mail's own browser, in which nobody is signed in.
    let mut reader = Browser::open(&app).await;
    for status in [200, 400] {
        assert_eq!(reader.post("/api/auth/email/confirm", &json!({"token": token})).await.status, status);
    }
    assert_eq!(browser.get("/api/me").await.json()["user"]["email"], "ana@example.org");
    let undo = letter(&app, &mail, 3).await;
    assert_eq!(undo.to, ["ana@example.com"]);
    let token = undo.link(&app.url("/conta/global/undo?lang=en&token=")).split_once("token=").unwrap().1.to_owned();
    app.pass(Duration::from_secs(6 * 86_400));
    assert_eq!(reader.post("/api/auth/email/undo", &json!({"token": token})).await.status, 200);
    assert_eq!(browser.get("/api/me").await.refusal(), (401, "session_ended".to_owned()));
    assert_eq!(sign_in(&mut reader, "ana@example.org").await.status, 401);
    assert_eq!(sign_in(&mut reader, "ana@example.com").await.status, 200);
}

async fn an_address_of_another_account_is_not_told(database: TestDatabase) {
    let (app, mail) = start(database).await;
    drop(signed_up(&app, &mail, "bo@example.com").await);
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    for (at, email) in ["bo@example.com", "cy@example.com"].into_iter().enumerate() {
        let asked = browser.post("/api/auth/email", &json!({"email": email})).await;
        assert_eq!((asked.status, asked.body.as_str()), (202, r#"{"status":"sent"}"#));
        let subject = letter(&app, &mail, 3 + at).await.header("subject");
        assert_eq!(subject, ["This email address already has an account", "Confirm your new email address"][at]);
    }
}

async fn sessions_are_listed_and_ended(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let mut other = Browser::open(&app).await;
    sign_in(&mut other, "ana@example.com").await;
    let mut stranger = signed_up(&app, &mail, "bo@example.com").await;
    let listed = browser.get("/api/auth/sessions").await.json();
    let sessions = listed["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    assert!(sessions.iter().all(|session| session["network"] == "127.0.0.0/24"), "{listed}");
    let there = sessions.iter().find(|session| session["current"] == false).unwrap()["id"].clone();
    let foreign = stranger.post("/api/auth/sessions/end", &json!({"id": there})).await;
    assert_eq!(foreign.refusal(), (404, "session_not_found".to_owned()));
    for status in [200, 404] {
        assert_eq!(browser.post("/api/auth/sessions/end", &json!({"id": there})).await.status, status);
    }
    assert_eq!(other.get("/api/me").await.refusal(), (401, "session_ended".to_owned()));
    let id = browser.get("/api/me").await.json()["user"]["id"].as_str().unwrap().to_owned();
    let key = people::key(&app, &format!("account:{id}")).await;
    let by_key = || Call::get("/api/gate").header("x-api-key", &key);
    assert_eq!(app.call(by_key()).await.status, 200);
    let all = browser.post("/api/auth/sessions/end-all", &json!({})).await;
    assert_eq!(all.status, 200);
    assert_eq!(app.call(by_key()).await.refusal(), (401, "invalid_api_key".to_owned()));
    assert_eq!((browser.token(), all.header("clear-site-data")), ("", r#""cache", "storage""#));
    assert_eq!(stranger.get("/api/me").await.status, 200);
}

async fn an_account_has_twenty_sessions(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut first = signed_up(&app, &mail, "ana@example.com").await;
    for _ in 0..20 {
        app.pass(Duration::from_secs(1));
        let mut browser = Browser::open(&app).await;
        assert_eq!(sign_in(&mut browser, "ana@example.com").await.status, 200);
    }
    assert_eq!(first.get("/api/me").await.refusal(), (401, "session_ended".to_owned()));
    let row = app.database.row("SELECT COUNT(*) FROM sessions WHERE ended_at IS NULL").await;
    assert_eq!(sqlx::Row::get::<i64, _>(&row, 0), 20);
}

async fn no_secret_is_told(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let canary = "canary-password-canary";
    for (path, input) in [
        ("sign-in", json!({"email": "ana@example.com", "password": canary})),
        ("register/complete", json!({"token": canary, "password": canary})),
        ("reset/complete", json!({"token": canary, "password": canary, "code": canary})),
        ("sign-in/totp", json!({"challenge": canary, "code": canary})),
        ("reauth", json!({"password": canary})),
        ("reauth", json!({"password": [canary]})),
        ("password", json!({"current": canary, "password": canary})),
        ("sessions/end", json!({"id": canary})),
    ] {
        let answer = browser.post(&format!("/api/auth/{path}"), &input).await;
        assert!(answer.status >= 400 && !answer.body.contains("canary"), "{path}: {}", answer.body);
    }
    for path in ["/api/me", "/api/auth/sessions", "/api/auth/events", "/api/account/profile"] {
        let answer = browser.get(path).await;
        assert!(!answer.body.contains(browser.token()) && !answer.body.contains("argon2"), "{path}");
    }
}
