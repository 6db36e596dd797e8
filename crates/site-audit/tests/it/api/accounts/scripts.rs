//! Addresses with letters of other scripts: taken where the mail server announces SMTPUTF8, else refused by name.

use std::time::Duration;

use serde_json::{Value, json};
use service::config::SecretText;
use service::jobs;
use store::JobState;
use testkit::TestDatabase;

use super::{letter, sign_in, signed_up, start, start_with};
use crate::api::people::Browser;
use crate::api::{people, tabs};
use crate::app::{Call, Response, TestApp};
use crate::payments::pix;

testkit::on_both_databases! {
    an_address_of_any_script_is_taken_where_the_mail_server_takes_it,
    an_address_of_another_script_is_refused_by_name_where_it_does_not,
    while_the_mail_server_is_away_an_address_of_another_script_is_refused,
    mail_to_another_script_waits_for_a_server_that_takes_it,
}

const TYPED: &str = "Аня@Bücher.example";
const KEPT: &str = "Аня@xn--bcher-kva.example";

fn contact(email: &str) -> Call<'static> {
    let body = json!({"name": "Аня", "email": email, "message": "x"});
    Call::new("POST", "/api/contact").body(&body.to_string())
}

async fn an_address_of_any_script_is_taken_where_the_mail_server_takes_it(database: TestDatabase) {
    let (app, mail) = start_with(database, |config| {
        config.contact.to = Some("team@example.com".to_owned());
        pix::on(config);
    })
    .await;
    mail.announce_smtputf8(true);
    let mut browser = signed_up(&app, &mail, TYPED).await;
    assert_eq!(mail.letters()[0].to, [KEPT]);
    assert_eq!(mail.letters()[0].header("to"), KEPT);
    assert_eq!(browser.get("/api/me").await.json()["user"]["email"], KEPT);
    // The same address in capitals, and typed in parts: a letter and its mark.
    let mut elsewhere = Browser::open(&app).await;
    assert_eq!(sign_in(&mut elsewhere, "АНЯ@BÜCHER.example").await.status, 200);
    elsewhere.bootstrap().await;
    assert_eq!(sign_in(&mut elsewhere, "аня@bu\u{308}cher.example").await.status, 200);
    elsewhere.bootstrap().await;
    let asked = mail.connections();
    let organization = browser.post("/api/auth/organizations", &json!({"name": "Acme"})).await.json();
    let id = organization["organization"]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/auth/organizations/{id}/invitations");
    let invited = browser.post(&path, &json!({"email": "用户@example.com", "role": "member"})).await;
    assert_eq!(invited.status, 200, "{}", invited.body);
    assert_eq!(browser.post("/api/auth/email", &json!({"email": "जॉन@example.com"})).await.status, 202);
    assert_eq!(elsewhere.post("/api/auth/reset", &json!({"email": TYPED})).await.status, 202);
    assert_eq!(app.call(contact("josé@example.com")).await.status, 200);
    let form = [("usd", "5"), ("comprovante", "%PDF-1.7 1"), ("email", "josé@example.com")];
    assert_eq!(app.call(pix::form(&form)).await.status, 200);
    assert_eq!(mail.connections(), asked, "the server was asked once");
    letter(&app, &mail, 5).await;
    let letters = mail.letters();
    for to in ["用户@example.com", "जॉन@example.com", KEPT, "team@example.com"] {
        assert!(letters[1..].iter().any(|letter| letter.to == [to]), "{to}");
    }
    assert!(letters.iter().any(|letter| letter.header("reply-to") == "josé@example.com"));
}

/// Every call with an address that is not ASCII, each with the code of its refusal.
async fn refusals(app: &TestApp) -> Vec<(&'static str, Response)> {
    let mut browser = Browser::open(app).await;
    let email = json!({"email": TYPED});
    let mut refused = vec![
        ("invalid_email", browser.post("/api/auth/register", &email).await),
        ("invalid_email", browser.post("/api/auth/reset", &email).await),
    ];
    let form = [("usd", "5"), ("comprovante", "%PDF-1.7 1"), ("email", TYPED)];
    refused.push(("invalid_email", app.call(pix::form(&form)).await));
    refused.push(("invalid_email", app.call(contact(TYPED)).await));
    let account = people::account(app, "bo").await;
    let token = people::key(app, &format!("account:{account}")).await;
    let tab = tabs::open(app, &token, "https://example.com/").await;
    let alert = json!({"monitor_email": TYPED});
    refused.push(("invalid_body", tabs::send(app, &token, "PATCH", &format!("/api/tabs/{tab}"), alert).await));
    refused
}

async fn an_address_of_another_script_is_refused_by_name_where_it_does_not(database: TestDatabase) {
    let (app, mail) = start_with(database, |config| {
        config.contact.to = Some("team@example.com".to_owned());
        pix::on(config);
    })
    .await;
    for (code, refused) in refusals(&app).await {
        assert_eq!(refused.refusal(), (400, code.to_owned()));
        let detail = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("outside ASCII") && detail.contains("does not accept"), "{detail}");
    }
    assert_eq!(mail.connections(), 1, "what it told is kept");
    jobs::work_off(&app.app).await.unwrap();
    assert!(mail.letters().is_empty());
    // A domain of another script needs nothing of the mail server.
    let mut browser = Browser::open(&app).await;
    assert_eq!(browser.post("/api/auth/register", &json!({"email": "ana@пример.example"})).await.status, 202);
    assert_eq!(letter(&app, &mail, 1).await.to, ["ana@xn--e1afmkfd.example"]);
    let unknown = sign_in(&mut browser, TYPED).await;
    assert_eq!(unknown.refusal(), (401, "invalid_credentials".to_owned()));
}

async fn while_the_mail_server_is_away_an_address_of_another_script_is_refused(database: TestDatabase) {
    let (app, _mail) = start_with(database, |config| {
        // Nothing listens on the discard port of this machine.
        config.smtp.url = Some(SecretText::new("smtp://127.0.0.1:9"));
        config.contact.to = Some("team@example.com".to_owned());
        pix::on(config);
    })
    .await;
    for (code, refused) in refusals(&app).await {
        assert_eq!(refused.refusal(), (400, code.to_owned()));
        let detail = refused.json()["detail"].as_str().unwrap().to_owned();
        assert!(detail.contains("outside ASCII") && detail.contains("not responding"), "{detail}");
    }
    assert_eq!(app.call(contact("ana@example.com")).await.status, 200, "others are taken, and sent later");
}

async fn mail_to_another_script_waits_for_a_server_that_takes_it(database: TestDatabase) {
    let (app, mail) = start(database).await;
    mail.announce_smtputf8(true);
    let mut browser = Browser::open(&app).await;
    assert_eq!(browser.post("/api/auth/register", &json!({"email": TYPED})).await.status, 202);
    mail.announce_smtputf8(false);
    jobs::work_off(&app.app).await.unwrap();
    let waiting = app.app.database().store().jobs(JobState::Waiting, 10).await.unwrap();
    let why: Vec<Value> = waiting.iter().map(|job| json!(job.last_error)).collect();
    assert_eq!(why, [json!("the mail server does not announce SMTPUTF8 any more")]);
    mail.announce_smtputf8(true);
    app.pass(Duration::from_secs(3_600));
    assert_eq!(letter(&app, &mail, 1).await.to, [KEPT]);
}
