//! The second factor: codes, recovery codes, and what they are asked for.

use std::time::Duration;

use serde_json::{Value, json};
use service::config::SecretText;
use testkit::TestDatabase;

use super::super::people::Browser;
use super::{PASSWORD, letter, sign_in, signed_up, start, token};
use crate::app::{TestApp, join_all};

testkit::on_both_databases! {
    a_second_factor_is_asked_for_once_it_was_confirmed,
    a_code_is_used_once_however_many_try,
    a_challenge_is_of_its_browser_and_bears_five_tries,
    a_reset_never_passes_by_the_second_factor,
    recovery_codes_are_replaced,
    a_second_factor_outlives_the_secret_that_it_was_kept_under,
}

/// The code that an authenticator shows now.
pub(crate) fn code(app: &TestApp, secret: &str) -> String {
    use hmac::{KeyInit as _, Mac as _};
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for digit in secret.chars() {
        held = held << 5 | u32::try_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(digit).unwrap()).unwrap();
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xff).unwrap());
        }
    }
    let mut mac = hmac::Hmac::<sha1::Sha1>::new_from_slice(&bytes).unwrap();
    mac.update(&(app.app.ports().now().seconds() / 30).to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let at = usize::from(digest[19] & 15);
    let number = u32::from_be_bytes(digest[at..at + 4].try_into().unwrap()) & 0x7fff_ffff;
    format!("{:06}", number % 1_000_000)
}

/// Adds a second factor; its secret and the recovery codes.
pub(crate) async fn enrolled(app: &TestApp, browser: &mut Browser<'_>) -> (String, Vec<String>) {
    let offered = browser.post("/api/auth/totp/start", &json!({})).await;
    assert_eq!(offered.status, 200, "{}", offered.body);
    let secret = offered.json()["secret"].as_str().unwrap().to_owned();
    let confirmed = browser.post("/api/auth/totp/confirm", &json!({"code": code(app, &secret)})).await;
    assert_eq!(confirmed.status, 200, "{}", confirmed.body);
    let codes = confirmed.json()["recovery_codes"].as_array().unwrap().clone();
    assert_eq!(codes.len(), 10);
    let codes = codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect();
    (secret, codes)
}

async fn challenge(browser: &mut Browser<'_>) -> Value {
    let asked = sign_in(browser, "ana@example.com").await;
    assert_eq!(asked.status, 200, "{}", asked.body);
    assert_eq!(asked.json()["status"], "second_factor_required");
    assert_eq!(asked.json()["methods"], json!(["totp", "recovery"]));
    assert!(!asked.header("set-cookie").contains("mm-auth"));
    asked.json()["challenge"].clone()
}

async fn a_second_factor_is_asked_for_once_it_was_confirmed(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let offered = browser.post("/api/auth/totp/start", &json!({})).await.json();
    assert!(offered["uri"].as_str().unwrap().starts_with("otpauth://totp/Site%20Audit:ana%40example.com?secret="));
    assert!(offered["qr"].as_str().unwrap().starts_with("<svg xmlns="));
    // It does not count yet.
    let mut elsewhere = Browser::open(&app).await;
    assert_eq!(sign_in(&mut elsewhere, "ana@example.com").await.json()["status"], "signed_in");
    let wrong = browser.post("/api/auth/totp/confirm", &json!({"code": "000000"})).await;
    assert_eq!(wrong.refusal(), (401, "invalid_code".to_owned()));
    let before = browser.token().to_owned();
    let (secret, codes) = enrolled(&app, &mut browser).await;
    assert_ne!(browser.token(), before, "a session that has two factors has another token");
    assert_eq!(codes.len(), 10);
    assert!(codes.iter().all(|code| code.len() == 29 && code.matches('-').count() == 5), "{codes:?}");
    assert!(letter(&app, &mail, 2).await.header("subject").starts_with("Two-factor authentication was turned on"));
    let again = browser.post("/api/auth/totp/start", &json!({})).await;
    assert_eq!(again.refusal(), (409, "already_done".to_owned()));
    let row = app.database.row("SELECT secret FROM totp_secrets").await;
    let kept: Vec<u8> = sqlx::Row::get(&row, 0);
    assert_eq!(kept.len(), 24 + 20 + 16, "nonce, secret, tag");

    let mut new = Browser::open(&app).await;
    let asked = challenge(&mut new).await;
    // The code that confirmed is used up; the next one is shown half a minute later.
    let used = new.post("/api/auth/sign-in/totp", &json!({"challenge": asked, "code": code(&app, &secret)})).await;
    assert_eq!(used.refusal(), (401, "invalid_code".to_owned()));
    app.pass(Duration::from_secs(31));
    let next = code(&app, &secret);
    let done = new.post("/api/auth/sign-in/totp", &json!({"challenge": asked, "code": next})).await;
    assert_eq!((done.status, done.json()["status"].as_str()), (200, Some("signed_in")));
    new.bootstrap().await;
    let sessions = new.get("/api/auth/sessions").await.json();
    let current = sessions["sessions"].as_array().unwrap().iter().find(|session| session["current"] == true).unwrap();
    assert_eq!(current["methods"], json!(["password", "totp"]));
    // A proof takes the second factor, not the password.
    let password = new.post("/api/auth/reauth", &json!({"password": PASSWORD})).await;
    assert_eq!(password.refusal(), (401, "second_factor_required".to_owned()));
    app.pass(Duration::from_secs(31));
    let proof = new.post("/api/auth/reauth", &json!({"code": code(&app, &secret)})).await;
    assert_eq!(proof.status, 200, "{}", proof.body);
    // The previous step still counts, a clock that was set back does not bring a used one back.
    app.pass(Duration::from_secs(31));
    let late = code(&app, &secret);
    app.pass(Duration::from_secs(30));
    let removed = new.post("/api/auth/totp/remove", &json!({"code": late})).await;
    assert_eq!(removed.status, 200, "{}", removed.body);
    let mut third = Browser::open(&app).await;
    assert_eq!(sign_in(&mut third, "ana@example.com").await.json()["status"], "signed_in");
}

async fn a_code_is_used_once_however_many_try(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let (secret, codes) = enrolled(&app, &mut browser).await;
    app.pass(Duration::from_secs(31));
    for (path, given) in [("totp", code(&app, &secret)), ("recovery", codes[0].to_lowercase())] {
        let mut tries = Vec::new();
        for _ in 0..6 {
            let (app, given) = (&app, given.clone());
            tries.push(async move {
                let mut browser = Browser::open(app).await;
                let asked = challenge(&mut browser).await;
                browser.post(&format!("/api/auth/sign-in/{path}"), &json!({"challenge": asked, "code": given})).await
            });
        }
        let statuses: Vec<u16> = join_all(tries.into_iter()).await.iter().map(|answer| answer.status).collect();
        assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{path}: {statuses:?}");
        // Right codes in the wrong second are failures like others.
        app.database.execute("DELETE FROM throttles").await;
    }
}

async fn a_challenge_is_of_its_browser_and_bears_five_tries(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let (secret, _) = enrolled(&app, &mut browser).await;
    app.pass(Duration::from_secs(31));
    let (mut new, mut other) = (Browser::open(&app).await, Browser::open(&app).await);
    let asked = challenge(&mut new).await;
    let right = || json!({"challenge": asked, "code": code(&app, &secret)});
    let stolen = other.post("/api/auth/sign-in/totp", &right()).await;
    assert_eq!(stolen.refusal(), (401, "invalid_challenge".to_owned()));
    for _ in 0..5 {
        let wrong = new.post("/api/auth/sign-in/totp", &json!({"challenge": asked, "code": "000000"})).await;
        assert_eq!(wrong.refusal(), (401, "invalid_code".to_owned()));
    }
    assert_eq!(new.post("/api/auth/sign-in/totp", &right()).await.refusal().1, "invalid_challenge");
    let late = challenge(&mut new).await;
    app.pass(Duration::from_secs(600));
    let input = json!({"challenge": late, "code": code(&app, &secret)});
    assert_eq!(new.post("/api/auth/sign-in/totp", &input).await.refusal().1, "invalid_challenge");
}

async fn a_reset_never_passes_by_the_second_factor(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let (_, codes) = enrolled(&app, &mut browser).await;
    letter(&app, &mail, 2).await;
    let mut new = Browser::open(&app).await;
    new.post("/api/auth/reset", &json!({"email": "ana@example.com"})).await;
    let token = token(&app, &mail, 3).await;
    let input = |code: Option<&str>| json!({"token": token, "password": "low sings a yellow canary", "code": code});
    for (given, code) in
        [(None, "second_factor_required"), (Some("000000"), "invalid_code"), (Some("X"), "invalid_code")]
    {
        let refused = new.post("/api/auth/reset/complete", &input(given)).await;
        assert_eq!(refused.refusal(), (401, code.to_owned()));
    }
    assert_eq!(new.post("/api/auth/reset/complete", &input(Some(&codes[3]))).await.status, 200);
    assert_eq!(browser.get("/api/me").await.refusal(), (401, "session_ended".to_owned()));
    let mut after = Browser::open(&app).await;
    let credentials = json!({"email": "ana@example.com", "password": "low sings a yellow canary"});
    assert_eq!(after.post("/api/auth/sign-in", &credentials).await.json()["status"], "second_factor_required");
}

async fn recovery_codes_are_replaced(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let (secret, old) = enrolled(&app, &mut browser).await;
    browser.bootstrap().await;
    app.pass(Duration::from_secs(31));
    let made = browser.post("/api/auth/recovery-codes", &json!({"code": code(&app, &secret)})).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let new = made.json()["recovery_codes"][0].as_str().unwrap().to_owned();
    let mut elsewhere = Browser::open(&app).await;
    let asked = challenge(&mut elsewhere).await;
    for (code, wanted) in [(&old[0], 401), (&new, 200)] {
        let input = json!({"challenge": asked, "code": code});
        assert_eq!(elsewhere.post("/api/auth/sign-in/recovery", &input).await.status, wanted);
    }
}

async fn a_second_factor_outlives_the_secret_that_it_was_kept_under(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let (secret, codes) = enrolled(&app, &mut browser).await;
    let sign_in = async |previous: Option<&str>| {
        let after = TestApp::start_on(&app, |config| {
            config.auth.secret = Some(SecretText::new("another secret of tests, of 32 bytes or more"));
            config.auth.previous_secret = previous.map(SecretText::new);
        })
        .await;
        after.pass(Duration::from_secs(31));
        let mut new = Browser::open(&after).await;
        let asked = challenge(&mut new).await;
        let input = json!({"challenge": asked, "code": code(&after, &secret)});
        let by_code = new.post("/api/auth/sign-in/totp", &input).await;
        let input = json!({"challenge": asked, "code": codes[0]});
        (by_code, new.post("/api/auth/sign-in/recovery", &input).await)
    };
    // Without the secret before, a code can't be judged; that is no wrong code, and recovery codes need none.
    let (by_code, by_recovery) = sign_in(None).await;
    assert_eq!(by_code.refusal(), (503, "auth_unavailable".to_owned()));
    assert_eq!(by_recovery.status, 200, "{}", by_recovery.body);
    let (by_code, again) = sign_in(Some("a secret of tests, of 32 bytes or more")).await;
    assert_eq!(by_code.status, 200, "{}", by_code.body);
    assert_ne!(again.status, 200, "the challenge is used");
}
