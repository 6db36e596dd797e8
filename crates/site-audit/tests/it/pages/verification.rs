//! Human verification: the challenge before a browser's first free audit, with both providers.

mod in_browser;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use service::challenge::MOST_NUMBER;
use service::config::{ChallengeProvider, Config, SecretText, Sku};
use sha2::{Digest as _, Sha256};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::{cookie, form, site};
use crate::api::people;
use crate::app::{Call, NOW, Response, TestApp};

testkit::on_both_databases! {
    without_a_provider_nobody_is_asked,
    a_browser_solves_a_challenge_before_its_first_free_audit,
    a_solution_works_once_on_all_servers_and_for_ten_minutes,
    a_network_has_so_many_challenges_and_answers_an_hour,
    a_pass_that_was_changed_or_is_of_another_network_is_not_taken,
    the_api_accounts_and_what_is_free_for_now_need_no_verification,
    an_allowance_that_is_spent_needs_no_verification,
    a_run_in_the_workspace_needs_verification_too,
    a_verification_service_is_asked_about_each_token_once,
    an_outage_of_the_verification_service_stops_no_audit,
    an_outage_of_the_database_stops_no_audit,
}

const SECRET: &str = "yellow canary sings low & more";

pub(super) fn altcha(config: &mut Config) {
    config.challenge.provider = ChallengeProvider::Altcha;
}

/// A verification service at an address, with a widget at `/api.js`.
fn siteverify(config: &mut Config, service: &TestSite) {
    config.challenge.provider = ChallengeProvider::Siteverify;
    config.challenge.sitekey = Some("a-sitekey".to_owned());
    config.challenge.secret = Some(SecretText::new(SECRET));
    config.challenge.url = Some(service.url("/siteverify"));
    config.challenge.script = Some(service.url("/api.js"));
}

fn post(path: &str, body: &Value) -> Call<'static> {
    Call::new("POST", path).header("content-type", "application/json").body(&body.to_string())
}

/// The solution of a new challenge, as a browser finds it.
async fn solution(app: &TestApp) -> Value {
    let asked = app.call(post("/api/gate/challenge", &json!({}))).await;
    assert_eq!(asked.status, 200, "{}", asked.body);
    let challenge = asked.json();
    assert_eq!((&challenge["algorithm"], &challenge["maxnumber"]), (&json!("SHA-256"), &json!(MOST_NUMBER)));
    let salt = challenge["salt"].as_str().unwrap();
    let is_it = |number: &u32| {
        let digest = Sha256::digest(format!("{salt}{number}"));
        digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>() == challenge["challenge"]
    };
    let number = (0..=MOST_NUMBER).find(is_it).unwrap();
    let solved = json!({"algorithm": "SHA-256", "challenge": challenge["challenge"], "number": number,
        "salt": salt, "signature": challenge["signature"]});
    json!({ "solution": STANDARD.encode(solved.to_string()) })
}

async fn verify(app: &TestApp, answer: &Value) -> Response {
    app.call(post("/api/gate/verify", answer)).await
}

/// The cookie of a verified browser.
async fn verified(app: &TestApp) -> String {
    let answer = verify(app, &solution(app).await).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    cookie(answer.header("set-cookie"))
}

/// What a page of ours reads of the gate.
async fn gate(app: &TestApp, cookie: &str) -> Value {
    app.call(Call::get("/api/gate").header("sec-fetch-site", "same-origin").header("cookie", cookie)).await.json()
}

async fn without_a_provider_nobody_is_asked(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let gate = gate(&app, "").await;
    for (field, value) in [
        ("configured", json!(false)),
        ("verified_until", Value::Null),
        ("needs_verification", json!(false)),
        ("sitekey", Value::Null),
    ] {
        assert_eq!(gate[field], value, "{field}");
    }
    for (path, body) in [("challenge", json!({})), ("verify", json!({"token": "x"}))] {
        let answer = app.call(post(&format!("/api/gate/{path}"), &body)).await;
        assert_eq!(answer.refusal(), (404, "not_found".to_owned()), "{path}");
    }
    let home = app.call(Call::get("/")).await;
    assert!(!home.body.contains("id=\"verification\"") && !home.body.contains("challenge"));
    assert_eq!(app.call(form(&site.url("/"))).await.status, 303);
}

async fn a_browser_solves_a_challenge_before_its_first_free_audit(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, altcha).await;
    for path in ["/", "/tools/hreflang"] {
        let page = app.call(Call::get(path)).await;
        assert!(page.body.contains("data-provider=\"altcha\""), "{path}: {}", page.body);
        assert!(page.body.contains("<noscript>"), "{path}");
        assert_eq!(page.header("cache-control"), "no-store", "{path}");
        let policy = page.header("content-security-policy");
        assert!(policy.contains("script-src 'self';") && policy.contains("connect-src 'self';"), "{path}: {policy}");
    }
    let asked = gate(&app, "").await;
    assert_eq!((&asked["configured"], &asked["needs_verification"]), (&json!(true), &json!(true)), "{asked}");
    for (lang, words) in [("en", "Verification needs JavaScript"), ("pt-BR", "A verificação precisa de JavaScript")] {
        let refused = app.call(form(&site.url("/")).header("accept-language", lang)).await;
        assert_eq!((refused.status, refused.header("set-cookie")), (403, ""), "{}", refused.body);
        assert!(refused.body.contains("role=\"alert\"") && refused.body.contains(words), "{}", refused.body);
        assert!(refused.body.contains("data-provider=\"altcha\""), "the form can be sent again");
    }
    assert_eq!((app.free_remaining().await, site.asked().len()), (10, 0));

    let answer = verify(&app, &solution(&app).await).await;
    assert_eq!(answer.json(), json!({"verified_until": NOW.seconds() + 86_400}));
    let set = answer.header("set-cookie").to_owned();
    assert!(set.starts_with("mm-human=") && set.contains("; Max-Age=86400; HttpOnly; SameSite=Lax"), "{set}");
    assert!(!set.to_ascii_lowercase().contains("domain"), "{set}");
    let pass = cookie(&set);
    let sent = app.call(form(&site.url("/")).header("cookie", &pass)).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    assert!(!app.call(Call::get("/").header("cookie", &pass)).await.body.contains("id=\"verification\""));
    let known = gate(&app, &pass).await;
    assert_eq!(known["verified_until"], NOW.seconds() + 86_400);
    assert_eq!(known["needs_verification"], false);
    // A day later it is asked for again.
    app.pass(Duration::from_secs(86_400));
    assert_eq!(gate(&app, &pass).await["verified_until"], Value::Null);
    assert_eq!(app.call(form(&site.url("/")).header("cookie", &pass)).await.status, 403);
}

async fn a_solution_works_once_on_all_servers_and_for_ten_minutes(database: TestDatabase) {
    let app = TestApp::start(database, altcha).await;
    let other = TestApp::start_on(&app, altcha).await;
    let solved = solution(&app).await;
    let (one, two) = tokio::join!(verify(&app, &solved), verify(&other, &solved));
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.body, two.body);
    assert_eq!(verify(&other, &solved).await.refusal(), (409, "challenge_used".to_owned()));

    let late = solution(&app).await;
    app.pass(Duration::from_secs(600));
    let refused = verify(&app, &late).await;
    assert_eq!(refused.refusal(), (400, "challenge_failed".to_owned()));
    assert!(refused.json()["detail"].as_str().unwrap().starts_with("expired: "), "{}", refused.body);

    let long = json!({"solution": "a".repeat(2000)});
    for (answer, refusal) in [
        (json!({"solution": "e30="}), (400, "challenge_failed")),
        (json!({"token": "x"}), (400, "challenge_failed")),
        (long, (400, "challenge_failed")),
        (json!({}), (400, "invalid_body")),
        (json!({"solution": "e30=", "token": "x"}), (400, "invalid_body")),
    ] {
        let refused = verify(&app, &answer).await;
        assert_eq!(refused.refusal(), (refusal.0, refusal.1.to_owned()), "{answer}");
        assert_eq!(refused.header("set-cookie"), "", "{answer}");
    }
}

async fn a_network_has_so_many_challenges_and_answers_an_hour(database: TestDatabase) {
    let app = TestApp::start(database, altcha).await;
    for (path, body) in [("/api/gate/challenge", json!({})), ("/api/gate/verify", json!({"solution": "e30="}))] {
        for number in 0..120 {
            assert_ne!(app.call(post(path, &body)).await.status, 429, "{path} {number}");
        }
        assert_eq!(app.call(post(path, &body)).await.refusal(), (429, "rate_limited".to_owned()), "{path}");
    }
}

async fn a_pass_that_was_changed_or_is_of_another_network_is_not_taken(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, altcha).await;
    let pass = verified(&app).await;
    let send = |pass: &str| form(&site.url("/")).header("cookie", pass);
    assert_eq!(app.call(send(&pass).from([127, 0, 0, 3])).await.status, 403);
    let (until, signature) = pass.split_once('.').unwrap();
    let later = format!("mm-human={}.{signature}", until.trim_start_matches("mm-human=").parse::<i64>().unwrap() + 1);
    for wrong in [later.as_str(), &format!("{pass}A"), &format!("{until}."), "mm-human=", "mm-human=9999999999.AAAA"] {
        assert_eq!(app.call(send(wrong)).await.status, 403, "{wrong}");
    }
    assert_eq!(app.call(send(&pass)).await.status, 303);
}

async fn the_api_accounts_and_what_is_free_for_now_need_no_verification(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, altcha).await;
    assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
    let guest = app.guest().await;
    assert_eq!(app.call(Call::audit(&site.url("/")).token(&guest)).await.status, 200);
    let told = app.call(Call::get("/api/gate")).await.json();
    assert_eq!((&told["configured"], &told["needs_verification"]), (&json!(true), &json!(false)), "{told}");

    let ana = people::account(&app, "ana").await;
    let session = people::session(&app, &ana).await;
    let home = app.call(session.cookie(Call::get("/"))).await;
    assert!(!home.body.contains("id=\"verification\""), "{}", home.body);
    let fields = [("url", site.url("/")), ("csrf", session.csrf.clone())];
    let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(&fields).finish();
    let sent = session.cookie(form("")).body(&body).header("origin", &app.url(""));
    assert_eq!(app.call(sent).await.status, 303);

    let free = TestApp::start_on(&app, |config| {
        altcha(config);
        config.free_now = vec![Sku::Audit];
    })
    .await;
    assert_eq!(free.call(form(&site.url("/"))).await.status, 303);
}

async fn an_allowance_that_is_spent_needs_no_verification(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| {
        altcha(config);
        super::browser::paid(config);
    })
    .await;
    for _ in 0..2 {
        assert_eq!(app.call(Call::audit(&site.url("/"))).await.status, 200);
    }
    assert_eq!(gate(&app, "").await["needs_verification"], false);
    assert_eq!(app.call(form(&site.url("/"))).await.status, 402);
}

async fn a_run_in_the_workspace_needs_verification_too(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, altcha).await;
    let body = form(&site.url("/")).body;
    let send = |path: &str, cookies: &str| {
        let call = Call::new("POST", path).header("content-type", "application/x-www-form-urlencoded");
        call.header("cookie", cookies).body(&body)
    };
    let opened = app.call(send("/workspace", "")).await;
    let guest = cookie(opened.header("set-cookie"));
    let place = opened.header("location").split('?').next().unwrap().to_owned();
    let shown = app.call(Call::get(&place).header("cookie", &guest)).await;
    assert!(shown.body.contains("data-provider=\"altcha\""), "{}", shown.body);
    assert!(shown.header("content-security-policy").contains("script-src 'self';"));
    let run = format!("{place}/run");
    assert_eq!(app.call(send(&run, &guest)).await.status, 403);
    let both = format!("{guest}; {}", verified(&app).await);
    assert_eq!(app.call(send(&run, &both)).await.status, 303);
    assert!(!app.call(Call::get(&place).header("cookie", &both)).await.body.contains("id=\"verification\""));
}

const JSON: &str = "application/json";

async fn a_verification_service_is_asked_about_each_token_once(database: TestDatabase) {
    let site = site().await;
    let service = TestSite::start(|asked| {
        let is_good = asked.body.ends_with("&response=a+good+token");
        SiteAnswer::page(200, JSON, &json!({"success": is_good, "error-codes": []}).to_string())
    })
    .await;
    let app = TestApp::start(database, |config| siteverify(config, &service)).await;
    let home = app.call(Call::get("/")).await;
    assert!(home.body.contains("data-sitekey=\"a-sitekey\"") && !home.body.contains("canary"), "{}", home.body);
    let origin = service.url("");
    let policy = home.header("content-security-policy");
    assert!(policy.contains(&format!("script-src 'self' {origin};")), "{policy}");
    assert!(policy.contains(&format!("frame-src 'self' {origin};")), "{policy}");
    assert_eq!(gate(&app, "").await["sitekey"], "a-sitekey");
    let no_challenge = app.call(post("/api/gate/challenge", &json!({}))).await;
    assert_eq!(no_challenge.refusal(), (404, "not_found".to_owned()));

    let token = |token: &str| json!({ "token": token });
    assert_eq!(verify(&app, &token("another")).await.refusal(), (400, "challenge_failed".to_owned()));
    let answer = verify(&app, &token("a good token")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let pass = cookie(answer.header("set-cookie"));
    assert_eq!(app.call(form(&site.url("/")).header("cookie", &pass)).await.status, 303);
    assert_eq!(verify(&app, &token("a good token")).await.refusal(), (409, "challenge_used".to_owned()));
    let asked = service.asked();
    assert_eq!(asked[0].body, "secret=yellow+canary+sings+low+%26+more&response=another");
    let head = asked[0].head.to_ascii_lowercase();
    assert!(head.starts_with("post /siteverify ") && head.contains("application/x-www-form-urlencoded"), "{head}");
    // What no service gave is not asked about.
    for wrong in [String::new(), "a".repeat(9000)] {
        assert_eq!(verify(&app, &token(&wrong)).await.status, 400);
    }
    assert_eq!(service.asked().len(), 3);
}

async fn an_outage_of_the_verification_service_stops_no_audit(database: TestDatabase) {
    let site = site().await;
    let service = TestSite::start(|asked| match asked.body.rsplit('=').next().unwrap_or_default() {
        "hang" => SiteAnswer::Silence,
        "broken" => SiteAnswer::Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n{".to_vec()),
        "endless" => SiteAnswer::page(200, JSON, &format!("{{\"success\":true,\"a\":\"{}\"}}", "a".repeat(20_000))),
        "error" => SiteAnswer::page(500, JSON, r#"{"success":true}"#),
        "moved" => SiteAnswer::redirect(302, "/elsewhere"),
        "misconfigured" => SiteAnswer::page(200, JSON, r#"{"success":false,"error-codes":["invalid-input-secret"]}"#),
        _ => SiteAnswer::html("<h1>Good morning</h1>"),
    })
    .await;
    let app = TestApp::start(database, |config| siteverify(config, &service)).await;
    for token in ["garbage", "broken", "endless", "error", "moved", "misconfigured", "hang"] {
        let answer = verify(&app, &json!({ "token": token })).await;
        assert_eq!(answer.refusal(), (503, "challenge_unavailable".to_owned()), "{token}");
        let set = answer.header("set-cookie").to_owned();
        assert!(set.contains("; Max-Age=600;"), "{token}: {set}");
        let sent = app.call(form(&site.url("/")).header("cookie", &cookie(&set))).await;
        assert_eq!(sent.status, 303, "{token}: {}", sent.body);
    }
    // Nothing listens at port 1.
    let away = TestApp::start_on(&app, |config| {
        siteverify(config, &service);
        config.challenge.url = Some("http://127.0.0.2:1/siteverify".to_owned());
    })
    .await;
    let answer = verify(&away, &json!({"token": "good"})).await;
    assert_eq!(answer.refusal(), (503, "challenge_unavailable".to_owned()));
    let pass = cookie(answer.header("set-cookie"));
    away.pass(Duration::from_secs(600));
    assert_eq!(away.call(form(&site.url("/")).header("cookie", &pass)).await.status, 403);
}

async fn an_outage_of_the_database_stops_no_audit(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, altcha).await;
    let solved = solution(&app).await;
    let held = app.database.hold(&["used_challenges"]).await;
    let answer = verify(&app, &solved).await;
    held.release().await;
    assert_eq!(answer.refusal(), (503, "challenge_unavailable".to_owned()));
    let pass = cookie(answer.header("set-cookie"));
    let sent = app.call(form(&site.url("/")).header("cookie", &pass)).await;
    // Stored or, while the database is left alone, shown at once.
    assert!([200, 303].contains(&sent.status), "{}", sent.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn verification_without_a_secure_origin_is_refused_at_the_start() {
    let database = TestDatabase::sqlite();
    let mut config = Config { database_url: database.url().to_owned(), ..Config::default() };
    altcha(&mut config);
    config.base_url = Some("http://audit.example.com".to_owned());
    let address = "127.0.0.1:0".parse().unwrap();
    let waits = service::services::Waits { database: Duration::from_secs(60), target: None };
    let refused = site_audit::open_patient(config, service::ports::Ports::real(), address, waits).await.unwrap_err();
    let message = format!("{refused:#}");
    assert!(message.starts_with("challenge.provider: "), "{message}");
}
