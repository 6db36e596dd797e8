//! What who runs the server does to accounts, at the command line.

use std::time::Duration;

use serde_json::json;
use service::jobs;
use testkit::TestDatabase;

use super::super::people::Browser;
use super::factors::enrolled;
use super::{letter, sign_in, signed_up, start};
use crate::app::{Call, NOW, TestApp};
use crate::command_line::{code, json as printed, stderr};

testkit::on_both_databases! {
    an_operator_stops_and_restores_an_account,
    an_operator_begins_a_reset_and_a_removal_that_the_owner_hears_of,
    a_closed_account_is_brought_back_until_it_is_removed,
    an_operator_reads_what_happened,
}

/// A command beside the running service.
async fn operator(app: &TestApp, arguments: &[&str]) -> std::process::Output {
    let mut command = crate::command_line::program();
    command.arg("operator").args(arguments).args(["--config", "/dev/null", "--database-url", app.database.url()]);
    command.env("SITE_AUDIT_AUTH__SECRET", "a secret of tests, of 32 bytes or more");
    tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
}

/// The service's clock from now on: the command line's, and so much more.
fn catch_up(app: &TestApp, more: Duration) {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let behind = i128::try_from(now.as_millis()).unwrap() - i128::from(app.app.ports().now().0);
    app.pass(Duration::from_millis(u64::try_from(behind).unwrap()) + more);
}

async fn an_operator_stops_and_restores_an_account(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let listed = printed(&operator(&app, &["accounts", "--format", "json"]).await);
    assert_eq!((&listed[0]["email"], &listed[0]["status"]), (&"ana@example.com".into(), &"active".into()));
    assert_eq!(listed[0]["created"], NOW.to_string());
    assert_eq!(code(&operator(&app, &["suspend", "Ana@Example.com"]).await), 0);
    assert_eq!(browser.get("/api/me").await.refusal(), (401, "session_ended".to_owned()));
    let mut new = Browser::open(&app).await;
    assert_eq!(sign_in(&mut new, "ana@example.com").await.refusal(), (401, "invalid_credentials".to_owned()));
    assert_eq!(code(&operator(&app, &["restore", "ana@example.com"]).await), 0);
    assert_eq!(sign_in(&mut new, "ana@example.com").await.status, 200);
    assert_eq!(code(&operator(&app, &["end-sessions", "ana@example.com"]).await), 0);
    assert_eq!(new.get("/api/me").await.refusal(), (401, "session_ended".to_owned()));
    let unknown = operator(&app, &["suspend", "nobody@example.com"]).await;
    assert!(code(&unknown) == 2 && stderr(&unknown).contains("no such account"), "{}", stderr(&unknown));
    let none = operator(&app, &["remove-factor", "ana@example.com"]).await;
    assert!(code(&none) == 2 && stderr(&none).contains("no second factor"), "{}", stderr(&none));
    catch_up(&app, Duration::from_secs(1));
    letter(&app, &mail, 4).await;
    let mut after = Browser::open(&app).await;
    sign_in(&mut after, "ana@example.com").await;
    let events = after.get("/api/auth/events").await.json();
    let by_operator: Vec<_> =
        events["events"].as_array().unwrap().iter().filter(|e| e["actor"] == "operator").collect();
    assert_eq!(by_operator.len(), 3, "{events}");
}

async fn an_operator_begins_a_reset_and_a_removal_that_the_owner_hears_of(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    enrolled(&app, &mut browser).await;
    letter(&app, &mail, 2).await;
    assert_eq!(code(&operator(&app, &["reset", "ana@example.com"]).await), 0);
    assert_eq!(code(&operator(&app, &["remove-factor", "ana@example.com"]).await), 0);
    catch_up(&app, Duration::from_secs(60));
    letter(&app, &mail, 4).await;
    let subjects = || -> Vec<String> { mail.letters().iter().map(|letter| letter.header("subject")).collect() };
    assert_eq!(subjects().iter().filter(|subject| subject.starts_with("The operator started")).count(), 2);
    let mut new = Browser::open(&app).await;
    assert_eq!(sign_in(&mut new, "ana@example.com").await.json()["status"], "second_factor_required");
    app.pass(Duration::from_secs(3 * 86_400 - 120));
    jobs::work_off(&app.app).await.unwrap();
    assert_eq!(mail.letters().len(), 4, "it comes after three days");
    assert_eq!(sign_in(&mut new, "ana@example.com").await.json()["status"], "second_factor_required");
    app.pass(Duration::from_secs(120));
    letter(&app, &mail, 5).await;
    assert_eq!(subjects().last().unwrap(), "Reset your password");
    assert_eq!(sign_in(&mut new, "ana@example.com").await.json(), json!({"status": "signed_in"}));
}

async fn a_closed_account_is_brought_back_until_it_is_removed(database: TestDatabase) {
    let (app, mail) = start(database).await;
    catch_up(&app, Duration::ZERO);
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    let active = operator(&app, &["restore", "ana@example.com"]).await;
    assert!(code(&active) == 2 && stderr(&active).contains("only a suspended or closed one"), "{}", stderr(&active));
    let made = browser.post("/api/account/keys/create", &json!({"name": "x", "organizationId": null})).await;
    let key = made.json()["secret"].as_str().unwrap().to_owned();
    let close = json!({"email": "ana@example.com"});
    assert_eq!(browser.post("/api/auth/delete", &close).await.status, 200);
    // It goes on to its removal, and is not lost among the suspended ones.
    let suspended = operator(&app, &["suspend", "ana@example.com"]).await;
    assert!(code(&suspended) == 2 && stderr(&suspended).contains("only an active account"), "{}", stderr(&suspended));
    assert_eq!(code(&operator(&app, &["restore", "ana@example.com"]).await), 0);
    let mut new = Browser::open(&app).await;
    assert_eq!(sign_in(&mut new, "ana@example.com").await.status, 200);
    let by_key = app.call(Call::get("/api/tabs").header("x-api-key", &key)).await;
    assert_eq!(by_key.refusal(), (401, "invalid_api_key".to_owned()), "it stays revoked");
    // The removal that was taken back does not come true; the next one does.
    app.pass(Duration::from_secs(8 * 86_400));
    jobs::purge(&app.app).await.unwrap();
    let mut again = Browser::open(&app).await;
    assert_eq!(sign_in(&mut again, "ana@example.com").await.status, 200);
    again.bootstrap().await;
    assert_eq!(again.post("/api/auth/delete", &close).await.status, 200);
    app.pass(Duration::from_secs(8 * 86_400));
    jobs::purge(&app.app).await.unwrap();
    let gone = operator(&app, &["restore", "ana@example.com"]).await;
    assert!(code(&gone) == 2 && stderr(&gone).contains("no such account"), "{}", stderr(&gone));
}

async fn an_operator_reads_what_happened(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    app.pass(Duration::from_secs(1));
    let made = browser.post("/api/auth/organizations", &json!({"name": "Acme"})).await.json();
    let events = printed(&operator(&app, &["events", "--format", "json"]).await);
    let kinds: Vec<&str> = events.as_array().unwrap().iter().map(|event| event["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["organization_made", "registered"]);
    assert_eq!(events[0]["organization"], made["organization"]["id"]);
    assert_eq!((&events[0]["actor"], &events[0]["actor_id"]), (&json!("account"), &events[0]["account"]));
    let text = crate::command_line::stdout(&operator(&app, &["events"]).await);
    assert!(text.lines().count() == 2 && text.contains("registered"), "{text}");
}
