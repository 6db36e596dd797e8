//! Many who sign in at once: passwords are compared a few at a time, the others are sent away, and audits go on.

use serde_json::json;
use testkit::TestDatabase;

use super::PASSWORD;
use crate::api::people;
use crate::app::{Call, TestApp, join_all};
use crate::payments::page;

testkit::on_both_databases! { a_flood_of_sign_ins_is_borne }

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
