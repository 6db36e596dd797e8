//! Many who sign in at once: passwords are compared a few at a time, the others are sent away, and audits go on.

use serde_json::json;
use testkit::TestDatabase;

use super::PASSWORD;
use crate::api::people;
use crate::app::{Call, TestApp, join_all};
use crate::payments::page;

testkit::on_both_databases! { a_flood_of_sign_ins_is_borne, tries_at_once_are_counted_before_they_are_compared }

/// People who sign in at the same moment, each from a network of their own.
const FLOOD: u8 = 200;

async fn a_flood_of_sign_ins_is_borne(database: TestDatabase) {
    let site = page().await;
    let app = TestApp::start(database, |_| {}).await;
    let bootstrap = app.call(Call::get("/api/auth/bootstrap")).await;
    let cookie = bootstrap.header("set-cookie").split(';').next().unwrap().to_owned();
    let csrf = bootstrap.json()["csrf"].as_str().unwrap().to_owned();
    let body = json!({"email": "nobody@example.com", "password": PASSWORD}).to_string();
    let before = app.app.vault().passwords().made();
    let sign_in = async |app: &TestApp, n: u8| {
        let call = Call::new("POST", "/api/auth/sign-in").body(&body).header("cookie", &cookie);
        app.call(people::of_page(app, call, &csrf).from([127, 0, 1, n])).await
    };
    let flood = join_all((1..=FLOOD).map(|n| sign_in(&app, n)));
    let (answers, audit) = tokio::join!(flood, app.call(Call::audit(&site.url("/"))));
    assert_eq!(audit.status, 200, "{}", audit.body);
    let told = |code: &str| answers.iter().filter(|answer| answer.status != 200 && answer.refusal().1 == code).count();
    // A database that a loaded machine holds up sends people away, too.
    let (wrong, overloaded, held_up) = (told("invalid_credentials"), told("overloaded"), told("auth_unavailable"));
    assert_eq!(wrong + overloaded + held_up, usize::from(FLOOD), "{answers:?}");
    for answer in answers.iter().filter(|answer| answer.status == 503) {
        assert_ne!(answer.header("retry-after"), "", "{answer:?}");
    }
    let made = usize::try_from(app.app.vault().passwords().made() - before).unwrap();
    assert!((wrong..=usize::from(FLOOD) - overloaded).contains(&made), "who was sent away cost no comparison: {made}");
}

/// All that came at once were compared before the first failure was counted.
async fn tries_at_once_are_counted_before_they_are_compared(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let bootstrap = app.call(Call::get("/api/auth/bootstrap")).await;
    let cookie = bootstrap.header("set-cookie").split(';').next().unwrap().to_owned();
    let csrf = bootstrap.json()["csrf"].as_str().unwrap().to_owned();
    let sign_in = async |email: &str, ip| {
        let body = json!({"email": email, "password": PASSWORD}).to_string();
        let call = Call::new("POST", "/api/auth/sign-in").body(&body).header("cookie", &cookie);
        app.call(people::of_page(&app, call, &csrf).from(ip)).await
    };
    // One account from many networks.
    let answers = join_all((1..=30).map(|n| sign_in("ana@example.com", [127, 0, 1, n]))).await;
    assert!(answers.iter().all(|answer| answer.status != 200), "{account}");
    let failures = "SELECT failures FROM throttles WHERE scope = 'account'";
    let counted: i64 = sqlx::Row::get(&app.database.row(failures).await, 0);
    assert!(counted <= 10, "{counted} were compared with the account's password");
    // One network with many accounts.
    let emails: Vec<String> = (0..45).map(|n| format!("a{n}@example.com")).collect();
    let answers = join_all(emails.iter().map(|email| sign_in(email, [127, 0, 2, 1]))).await;
    let told = |code: &str| answers.iter().filter(|answer| answer.refusal().1 == code).count();
    assert!(told("invalid_credentials") <= 30, "{} were compared", told("invalid_credentials"));
    assert!(told("rate_limited") >= 1 && told("invalid_credentials") >= 1, "{answers:?}");
}
