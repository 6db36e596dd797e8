//! Lab tests on several servers, on one that stops, and keys that stay with the server.

use serde_json::json;
use testkit::{LabMood, LabServer, SiteAnswer, TestDatabase, TestSite};

use super::{Audited, KEY, measuring, page, until_waiting, work_off};
use crate::app::{Call, TestApp};
use service::config::SecretText;
use sqlx::Row as _;

testkit::on_both_databases! {
    two_servers_share_one_run_and_either_tells_of_its_end,
    the_desktop_strategy_is_asked_for_and_joins_its_audit,
    a_server_that_stops_answers_who_waits,
    keys_are_in_no_answer_log_or_table,
}

async fn two_servers_share_one_run_and_either_tells_of_its_end(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let other = TestApp::start_on(&app, measuring(&server)).await;
    let here = Audited::new(&app, &page).await;
    let there = Audited { app: &other, token: here.token.clone(), id: here.id.clone() };
    server.set(LabMood::Hold);
    let begun = here.begun("mobile").await;
    assert_eq!(there.begun("mobile").await["lab"], begun["lab"], "the run of the other server");
    let release = async {
        until_waiting(&app, 1).await;
        until_waiting(&other, 1).await;
        server.release();
    };
    // Both look for work; one of them finds it.
    let (first, second, mine, yours, ()) =
        tokio::join!(work_off(&app), work_off(&other), here.lab(25), there.lab(25), release);
    assert_eq!((first + second, server.asked().len()), (1, 1));
    assert_eq!((&mine["mobile"]["status"], &mine), (&json!("finished"), &yours));
}

async fn the_desktop_strategy_is_asked_for_and_joins_its_audit(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    let begun = audited.begun("desktop").await;
    assert_eq!((&begun["strategy"], &begun["lab"]["strategy"]), (&json!("desktop"), &json!("desktop")));
    work_off(&app).await;
    assert!(server.asked()[0].contains("&strategy=desktop&"), "{:?}", server.asked());
    let lab = audited.audit().await["summary"]["lab"].clone();
    assert_eq!((&lab["mobile"], &lab["desktop"]["strategy"]), (&json!(null), &json!("desktop")));
    assert_eq!(lab["desktop"]["scores"]["performance"], 74);
}

async fn a_server_that_stops_answers_who_waits(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    server.set(LabMood::Hold);
    audited.begun("mobile").await;
    let (call, address) = (audited.waiting(25), app.url(""));
    let mut caller = app.connect([127, 0, 0, 1].into()).await;
    let head = format!("GET {} HTTP/1.1\r\nhost: {}\r\n", call.path, address.trim_start_matches("http://"));
    let token = format!("x-guest-token: {}\r\n\r\n", audited.token);
    tokio::io::AsyncWriteExt::write_all(&mut caller, (head + &token).as_bytes()).await.unwrap();
    until_waiting(&app, 1).await;
    app.stop().await;
    // That a stop ends waits at once, whatever their deadline, is proven in `crates/service/src/waiting.rs`.
    let answer = crate::app::read(&mut caller).await;
    assert_eq!((answer.status, answer.json()["lab"]["mobile"]["status"].clone()), (200, json!("running")));
}

async fn keys_are_in_no_answer_log_or_table(database: TestDatabase) {
    const CRUX_KEY: &str = "lab-canary-of-crux-0123456789";
    let (server, page) = (LabServer::start().await, page().await);
    let crux = TestSite::start(|_| SiteAnswer::page(403, "application/json", r#"{"error":{"message":"key"}}"#)).await;
    let (provider, endpoint) = (measuring(&server), crux.url("/query"));
    let app = TestApp::start(database, |config| {
        provider(config);
        config.field_data.crux_key = Some(SecretText::new(CRUX_KEY));
        config.field_data.crux_endpoint = endpoint;
    })
    .await;
    let audited = Audited::new(&app, &page).await;
    for mood in [LabMood::PageFails, LabMood::Quota, LabMood::Trouble, LabMood::Forbidden, LabMood::Measure] {
        server.set(mood);
        audited.begun("mobile").await;
        work_off(&app).await;
        // A second try, where there is one.
        app.pass(std::time::Duration::from_secs(60));
        work_off(&app).await;
        // What a call answers or logs is looked through for canaries by the call itself.
        app.call(Call::get(&audited.path("")).token(&audited.token)).await;
        audited.lab(0).await;
        app.pass(std::time::Duration::from_secs(600));
    }
    let is_asked = |asked: Vec<String>, key: &str| asked.iter().any(|path| path.contains(key));
    assert!(is_asked(server.asked(), KEY));
    assert!(is_asked(crux.asked().into_iter().map(|asked| asked.path).collect(), CRUX_KEY));
    let dump = dump(&app).await;
    assert!(dump.contains(&page.url("/")) && dump.contains("image-delivery-insight"), "it holds rows and results");
    assert!(!dump.contains("lab-canary"));
    // Neither the raw answer nor the filmstrip is stored.
    assert!(!dump.contains("scoreDisplayMode") && !dump.contains("image/jpeg"));
}

/// All that the database holds, as text.
async fn dump(app: &TestApp) -> String {
    if app.database.is_postgres() {
        let all = "SELECT CAST(schema_to_xml(current_schema(), true, false, '') AS TEXT) AS dump";
        return app.database.row(all).await.get("dump");
    }
    let file = app.database.url().trim_start_matches("sqlite://").split('?').next().unwrap().to_owned();
    let files = ["", "-wal"].map(|end| std::fs::read(format!("{file}{end}")).unwrap_or_default());
    files.iter().map(|bytes| String::from_utf8_lossy(bytes)).collect()
}
