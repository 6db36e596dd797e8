//! Lab tests in a real browser: begun by a button, followed while they run, and read in every look.

use std::time::Duration;

use serde_json::{Value, json};
use service::jobs;
use sqlx::Row as _;
use testkit::{LabMood, LabServer};

use super::browser::{MOST_STOPS, Scene, WITH_PHONES, problems};
use super::tab::has_axe;
use crate::api::lab::measuring;

/// Moves the focus with the keyboard until it is on what has this name.
fn go_to(scene: &mut Scene, name: &str) {
    for _ in 0..MOST_STOPS {
        scene.tab.press("Tab");
        if scene.tab.focus().contains(name) {
            return;
        }
    }
    panic!("{name} is not reached by the keyboard");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_begins_a_test_and_the_page_shows_its_result_by_itself() {
    let server = LabServer::start().await;
    let Some(mut scene) = Scene::open(measuring(&server)).await else { return };
    scene.audit("/bread");
    server.hold();
    go_to(&mut scene, "Run lab test: Mobile");
    scene.tab.load(|tab| tab.press("Enter"));
    assert_eq!(scene.tab.text("location.hash"), "#lab");
    assert!(scene.tab.shown().contains("The test is running."), "{}", scene.tab.shown());
    assert_eq!(scene.tab.value("document.querySelector('#lab progress').max"), 120);
    // The seconds go on without a new page.
    scene.tab.value(
        "new Promise(done => setInterval(() => document.querySelector('#lab progress').value > 0 && done(), 50))",
    );
    let running = problems(&mut scene.tab, "lab-running", &WITH_PHONES);
    let app = scene.app.app.clone();
    let work = tokio::spawn(async move { jobs::work_off(&app).await.unwrap() });
    // Nobody is elsewhere on the page, so it shows the result by itself.
    scene.tab.load(|_| server.release());
    assert_eq!(work.await.unwrap(), 1);
    let shown = scene.tab.shown();
    for part in ["Performance\n74", "4.1 s", "2.6 s", "Opportunities (1)", "Lighthouse 13.5.0"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(
        scene.tab.value("[...document.querySelectorAll('.frames img')].every(i => i.naturalWidth === 60)"),
        true
    );
    assert!(running.is_empty(), "{}", running.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_who_is_elsewhere_on_the_page_gets_a_link_to_the_result() {
    let server = LabServer::start().await;
    let Some(mut scene) = Scene::open(measuring(&server)).await else { return };
    scene.audit("/bread");
    server.hold();
    scene.tab.load(|tab| tab.click("#lab button[value=desktop]"));
    scene.tab.value("document.querySelector('#q').focus()");
    let app = scene.app.app.clone();
    let work = tokio::spawn(async move { jobs::work_off(&app).await.unwrap() });
    server.release();
    let link = "#lab [role=status] a";
    scene.tab.value(&format!("new Promise(done => setInterval(() => document.querySelector('{link}') && done(), 50))"));
    assert_eq!(work.await.unwrap(), 1);
    assert_eq!(scene.tab.text("document.activeElement.id"), "q", "what is typed is not lost");
    assert_eq!(
        scene.tab.text(&format!("document.querySelector('{link}').textContent")),
        "The test has finished. Show the result"
    );
    scene.tab.load(|tab| tab.click(link));
    assert!(scene.tab.shown().contains("Performance\n74"));
    assert_eq!(scene.tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_is_begun_and_read_without_scripts() {
    let server = LabServer::start().await;
    let Some(mut scene) = Scene::open(measuring(&server)).await else { return };
    scene.tab.disable_scripts();
    scene.audit("/bread");
    scene.tab.load(|tab| tab.click("#lab button[value=mobile]"));
    assert!(scene.tab.shown().contains("The test is running."));
    // Another address than this one, whose fragment would only be scrolled to.
    assert_eq!(
        scene.tab.text("document.querySelector('meta[http-equiv=refresh]').content"),
        "10; url=?lang=en&waited=0#lab"
    );
    scene.app.pass(Duration::from_secs(10));
    assert_eq!(jobs::work_off(&scene.app.app).await.unwrap(), 1);
    // The page loads itself again.
    while scene.tab.shown().contains("The test is running.") {
        scene.tab.load(|_| {});
    }
    assert!(scene.tab.shown().contains("Performance\n74"), "{}", scene.tab.shown());
    assert_eq!(scene.tab.value("document.querySelector('meta[http-equiv=refresh]') === null"), true);
    assert_eq!(scene.tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_lab_test_has_a_barrier_in_any_look() {
    if !has_axe() {
        return;
    }
    let server = LabServer::start().await;
    let Some(mut scene) = Scene::open(measuring(&server)).await else { return };
    scene.audit("/bread");
    let path = scene.tab.text("location.pathname");
    scene.tab.load(|tab| tab.click("#lab button[value=mobile]"));
    jobs::work_off(&scene.app.app).await.unwrap();
    add_rendered_page(&scene).await;
    server.set(LabMood::PageFails);
    scene.tab.visit(&path);
    scene.tab.load(|tab| tab.click("#lab button[value=desktop]"));
    jobs::work_off(&scene.app.app).await.unwrap();
    let mut found = Vec::new();
    for lang in ["en", "pt-BR"] {
        scene.tab.visit(&format!("{path}?lang={lang}"));
        scene.tab.value("document.querySelectorAll('#lab details').forEach(e => e.open = true)");
        let shown = scene.tab.shown();
        assert!(shown.contains("rendered_differs") && shown.contains("74"), "{shown}");
        found.extend(problems(&mut scene.tab, &format!("lab-{lang}"), &WITH_PHONES));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Adds to the test that is stored what only the local provider finds.
async fn add_rendered_page(scene: &Scene) {
    let database = &scene.app.database;
    let row = database.row("SELECT result FROM lab_tests WHERE strategy = 'mobile'").await;
    let mut record: Value = serde_json::from_str(row.get("result")).unwrap();
    let both = |en: &str, pt: &str| json!({"en": en, "pt": pt});
    let long = format!("https://bakery.example/{}", "bread/".repeat(40));
    record["rendered"] = json!({"url": "https://bakery.example/bread", "differences": [
        {"part": "canonical", "source": null, "rendered": long},
        {"part": "title", "source": "Untitled", "rendered": "How to bake bread at home"}],
        "finding": {"code": "rendered_differs", "severity": "warn",
            "message": both("Scripts change 2 parts of the page.", "Scripts alteram 2 partes da página."),
            "why": both("Search engines run scripts later.", "Os buscadores executam scripts depois."),
            "fix": both("Send these values in the HTML.", "Envie esses valores no HTML.")}});
    let result = record.to_string().replace('\'', "''");
    database.execute(&format!("UPDATE lab_tests SET result = '{result}' WHERE strategy = 'mobile'")).await;
}
