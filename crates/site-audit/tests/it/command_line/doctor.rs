//! `site-audit doctor`: each part of a deployment sound, off, and broken.

use serde_json::Value;
use testkit::{MailServer, SiteAnswer, TestDatabase, TestSite};

use super::{code, json, program, stderr, stdout};
use crate::app::TestApp;

/// Runs the command with these settings, in a folder of its own; the exit code and the diagnoses.
async fn examined(settings: &[(&str, &str)]) -> (i32, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = program();
    command.args(["doctor", "--json"]).current_dir(folder.path());
    command.envs(settings.iter().map(|(name, value)| (format!("SITE_AUDIT_{name}"), (*value).to_owned())));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none(), "it changes nothing");
    let examination = json(&output);
    let diagnoses = examination["diagnoses"].as_array().unwrap().clone();
    let is_ok = diagnoses.iter().all(|one| one["condition"] != "problem");
    assert_eq!((&examination["ok"], code(&output)), (&Value::from(is_ok), i32::from(!is_ok)), "{}", stderr(&output));
    for one in &diagnoses {
        let needs_remedy = ["warning", "problem"].contains(&one["condition"].as_str().unwrap());
        assert_eq!(one["remedy"].is_string(), needs_remedy, "{one}");
    }
    (code(&output), diagnoses)
}

/// The diagnosis of an area that tells `words`.
fn has(diagnoses: &[Value], area: &str, condition: &str, words: &str) {
    let found = diagnoses.iter().filter(|one| one["area"] == area);
    let is_it = |one: &&Value| one["condition"] == condition && one["found"].as_str().unwrap().contains(words);
    assert!(found.clone().any(|one| is_it(&one)), "{area} {condition} {words}: {:?}", found.collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_machine_without_settings_has_warnings_and_no_problems() {
    let (code, diagnoses) = examined(&[]).await;
    assert_eq!(code, 0, "{diagnoses:?}");
    for (area, condition, words) in [
        ("base_url", "warning", "base_url is not set"),
        ("database", "ok", "has no tables yet"),
        ("clock", "off", "no database clock"),
        ("mail", "warning", "smtp.url is not set"),
        ("dns", "off", "no public name"),
        ("tls", "off", "no public address"),
        ("payment", "off", "nothing is charged"),
        ("lab", "off", "lab.provider is off"),
    ] {
        has(&diagnoses, area, condition, words);
    }
    let output = tokio::task::spawn_blocking(|| program().arg("doctor").output().unwrap()).await.unwrap();
    let text = stdout(&output);
    assert!(text.contains("warning  mail         smtp.url is not set"), "{text}");
    assert!(text.contains("→ Set smtp.url and smtp.from.") && text.contains("0 problems, "), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_works_is_told_from_what_does_not() {
    let mail = MailServer::start().await;
    let front = TestSite::start(|asked| match asked.path.as_str() {
        "/api/health" => SiteAnswer::page(200, "application/json", r#"{"build":"of another day"}"#),
        _ => SiteAnswer::missing(),
    })
    .await;
    let (front_url, mail_url) = (front.url(""), mail.url());
    // A name that is none of loopback's, at the address of the site.
    let port = front_url.rsplit(':').next().unwrap().to_owned();
    let base_url = format!("http://audit.example:{port}");
    let (code, diagnoses) = examined(&[
        ("BASE_URL", &base_url),
        ("FETCH__RESOLVE", "audit.example=127.0.0.2"),
        ("SMTP__URL", &mail_url),
        ("SMTP__FROM", "audit@example.com"),
    ])
    .await;
    assert_eq!(code, 1);
    has(&diagnoses, "base_url", "problem", "plain http");
    has(&diagnoses, "mail", "ok", "accepts this service");
    has(&diagnoses, "dns", "ok", "audit.example has an address");
    has(&diagnoses, "tls", "warning", "answers with another build (of another day)");
    assert_eq!(mail.letters().len(), 0);

    let (code, diagnoses) = examined(&[
        ("BASE_URL", "https://audit.example:1"),
        ("FETCH__RESOLVE", "audit.example=127.0.0.2"),
        ("SMTP__URL", "smtp://127.0.0.1:1"),
        ("SMTP__FROM", "audit@example.com"),
        ("PAYMENTS__PAY_TO", "0x00000000000000000000000000000000000000aa"),
        ("PAYMENTS__FACILITATOR", &front_url),
        ("LAB__PROVIDER", "lighthouse"),
        ("LAB__FOLDER", "/nowhere"),
        ("DATABASE_URL", "postgres://127.0.0.1:1/audit"),
    ])
    .await;
    assert_eq!(code, 1);
    for (area, words) in [
        ("proxies", "trusted_proxies is empty"),
        ("secret", "auth.secret is not set"),
        ("database", "postgres://127.0.0.1:1/audit can't be read"),
        ("mail", "the mail server can't be used"),
        ("tls", "can't be reached: connect"),
        ("facilitator", "does not answer as a facilitator"),
        ("lab", "not usable for lab tests: "),
    ] {
        has(&diagnoses, area, "problem", words);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_without_an_address_is_a_problem_of_dns() {
    // The resolver that is asked refuses the connection.
    let settings = [("BASE_URL", "https://audit.invalid"), ("FETCH__DNS", "127.0.0.1:1")];
    let (_, diagnoses) = examined(&settings).await;
    has(&diagnoses, "dns", "problem", "audit.invalid has no address");
    assert!(!diagnoses.iter().any(|one| one["area"] == "tls"), "{diagnoses:?}");
}

testkit::on_both_databases! {
    a_database_is_read_while_a_service_has_it,
}

async fn a_database_is_read_while_a_service_has_it(database: TestDatabase) {
    let is_postgres = database.is_postgres();
    let app = TestApp::start(database, |_| {}).await;
    let url = app.app.config().database_url.clone();
    let (_, diagnoses) = examined(&[("DATABASE_URL", &url)]).await;
    has(&diagnoses, "database", "ok", "has tables of version ");
    if is_postgres {
        has(&diagnoses, "clock", "ok", "agree");
        has(&diagnoses, "database", "warning", "is not encrypted");
    }
    app.database.execute("UPDATE _sqlx_migrations SET version = 999 WHERE version = 1").await;
    let (_, diagnoses) = examined(&[("DATABASE_URL", &url)]).await;
    has(&diagnoses, "database", "warning", "tables of version 999, newer than");
}
