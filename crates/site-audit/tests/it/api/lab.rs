//! Lab tests: begun, run, read and waited for, against a server that answers like the PageSpeed Insights API.

mod servers;
mod waiting;

use std::time::Duration;

use serde_json::{Value, json};
use service::config::{Config, LabProvider, SecretText};
use service::jobs;
use testkit::{LabMood, LabServer, SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_test_joins_its_audit_and_its_share_and_leaves_the_score,
    a_test_that_runs_is_not_begun_twice,
    every_limit_refuses_without_counting,
    a_page_that_cant_be_measured_fails_with_a_sentence,
    trouble_is_tried_twice_and_then_new_tests_are_refused_for_a_minute,
    a_bad_key_refuses_new_tests,
    a_quota_is_waited_for_once,
    a_test_whose_server_died_is_run_by_another,
    a_test_that_was_lost_fails,
    no_test_is_begun_for_somebody_else,
}

const KEY: &str = "lab-canary-0123456789";

/// Sets a provider of a configuration.
pub(crate) fn measuring(server: &LabServer) -> impl FnOnce(&mut Config) + use<> {
    let url = server.url();
    move |config| {
        config.lab.provider = LabProvider::Pagespeed;
        config.lab.url = url;
        config.lab.key = Some(SecretText::new(KEY));
    }
}

/// The page that is tested.
pub(crate) async fn page() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><html lang=en><title>Bread and butter</title><h1>Bread</h1>"),
        _ => SiteAnswer::missing(),
    })
    .await
}

/// An audit of a guest.
struct Audited<'a> {
    app: &'a TestApp,
    token: String,
    id: String,
}

impl<'a> Audited<'a> {
    async fn new(app: &'a TestApp, page: &TestSite) -> Self {
        let token = app.guest().await;
        let audit = app.call(Call::audit(&page.url("/")).token(&token)).await;
        assert_eq!(audit.status, 200, "{}", audit.body);
        let id = audit.json()["id"].as_str().unwrap().to_owned();
        Self { app, token, id }
    }

    async fn begin(&self, strategy: &str) -> Response {
        let body = json!({ "strategy": strategy }).to_string();
        self.app.call(Call::new("POST", &self.path("/lab")).body(&body).token(&self.token)).await
    }

    async fn begun(&self, strategy: &str) -> Value {
        let begun = self.begin(strategy).await;
        assert_eq!(begun.status, 202, "{}", begun.body);
        begun.json()
    }

    async fn lab(&self, wait: u32) -> Value {
        let read = self.app.call(self.waiting(wait)).await;
        assert_eq!(read.status, 200, "{}", read.body);
        read.json()["lab"].clone()
    }

    fn waiting(&self, wait: u32) -> Call<'static> {
        Call::get(&self.path(&format!("/lab?wait={wait}"))).token(&self.token)
    }

    async fn audit(&self) -> Value {
        self.app.call(Call::get(&self.path("")).token(&self.token)).await.json()
    }

    fn path(&self, rest: &str) -> String {
        format!("/api/audits/{}{rest}", self.id)
    }
}

async fn work_off(app: &TestApp) -> usize {
    jobs::work_off(&app.app).await.unwrap()
}

/// Waits until so many callers wait for a test.
async fn until_waiting(app: &TestApp, count: usize) {
    while app.app.lab().waiting() < count {
        tokio::task::yield_now().await;
    }
}

async fn a_test_joins_its_audit_and_its_share_and_leaves_the_score(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    assert_eq!(audited.lab(0).await, json!({"mobile": null, "desktop": null}));
    let before = audited.audit().await;
    assert!(before["summary"].get("lab").is_none());

    let begun = audited.app.call(Call::new("POST", &audited.path("/lab")).body("{}").token(&audited.token)).await;
    assert_eq!(begun.status, 202, "{}", begun.body);
    let running = json!({"status": "running", "strategy": "mobile", "startedAt": "2026-01-31T09:30:00.000Z", "source": "pagespeed"});
    let links = json!({"poll": app.url(&audited.path("/lab?wait=25")), "audit": app.url(&audited.path(""))});
    let id = &audited.id;
    assert_eq!(
        begun.json(),
        json!({"ok": true, "id": id, "audit_id": id, "strategy": "mobile", "lab": running, "_links": links})
    );
    assert_eq!(audited.lab(0).await, json!({"mobile": running, "desktop": null}));
    assert_eq!(work_off(&app).await, 1);

    let finished = audited.lab(0).await["mobile"].clone();
    assert_eq!(finished["status"], "finished");
    let scores = json!({"performance": 74, "accessibility": 88, "bestPractices": 100, "seo": 40});
    assert_eq!(finished["scores"], scores);
    assert_eq!(finished["fetchedAt"], "2026-01-31T09:30:20.000Z");
    assert_eq!(
        finished["metrics"]["largest-contentful-paint"],
        json!({"value": 4120.5, "unit": "millisecond", "display": "4.1 s", "score": 0.47})
    );
    assert_eq!(finished["opportunities"][0]["savingsMs"], 1200);
    assert_eq!(finished["failing"][0]["id"], "color-contrast");

    let mut after = audited.audit().await;
    assert_eq!(after["summary"]["lab"], json!({"mobile": finished, "desktop": null}));
    assert_eq!(after["summary"]["crux"]["metrics"]["largest_contentful_paint"]["p75"], 2610.0);
    let summary = after["summary"].as_object_mut().unwrap();
    summary.remove("lab");
    summary.remove("crux");
    assert_eq!(after, before, "nothing else changed");
    let share = app.call(Call::new("POST", &audited.path("/share")).token(&audited.token)).await.json();
    let shared = app.call(Call::get(&format!("/api/shared/{}", share["slug"].as_str().unwrap()))).await.json();
    assert_eq!(shared["summary"]["lab"]["mobile"], finished);

    let asked = server.asked();
    let query = asked[0].split_once('?').unwrap().1;
    let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    let values =
        |name: &str| pairs.iter().filter(|(of, _)| of == name).map(|(_, value)| value.as_str()).collect::<Vec<_>>();
    assert_eq!(values("url"), [page.url("/")]);
    assert_eq!((values("strategy"), values("locale"), values("key")), (vec!["mobile"], vec!["en"], vec![KEY]));
    assert_eq!(values("category"), ["performance", "accessibility", "best-practices", "seo"]);
}

async fn a_test_that_runs_is_not_begun_twice(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    let first = audited.begun("mobile").await;
    app.pass(Duration::from_secs(5));
    let mut at_once = Vec::new();
    for _ in 0..8 {
        at_once.push(audited.begin("mobile"));
    }
    for again in futures_util::future::join_all(at_once).await {
        assert_eq!((again.status, again.json()), (202, first.clone()));
    }
    audited.begun("desktop").await;
    assert_eq!((work_off(&app).await, server.asked().len()), (2, 2));
    assert_eq!(audited.lab(0).await["desktop"]["scores"]["performance"], 74);
    let second = audited.begun("mobile").await;
    assert_ne!(second["lab"]["startedAt"], first["lab"]["startedAt"], "one that has ended is begun anew");
    assert_eq!((work_off(&app).await, server.asked().len()), (1, 3));
}

async fn every_limit_refuses_without_counting(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let provider = measuring(&server);
    let app = TestApp::start(database, |config| {
        provider(config);
        config.lab.at_once = 1;
        config.lab.per_day = 7;
    })
    .await;
    let audited = Audited::new(&app, &page).await;
    let refusal = |status: u16, code: &str| (status, code.to_owned());
    assert_eq!(audited.begin("tablet").await.refusal(), refusal(400, "invalid_strategy"));
    audited.begun("mobile").await;
    let busy = audited.begin("desktop").await;
    assert_eq!((busy.refusal(), busy.header("retry-after")), (refusal(429, "lab_busy"), "15"));
    for _ in 0..5 {
        assert_eq!(work_off(&app).await, 1);
        audited.begun("desktop").await;
    }
    work_off(&app).await;
    let limited = audited.begin("mobile").await;
    assert_eq!((limited.refusal(), limited.header("retry-after")), (refusal(429, "lab_rate_limited"), "600"));
    // Each of the six an hour comes back after ten minutes. The refusals have cost none, neither of the day.
    app.pass(Duration::from_secs(600));
    audited.begun("mobile").await;
    work_off(&app).await;
    app.pass(Duration::from_secs(600));
    let capped = audited.begin("mobile").await;
    assert_eq!(capped.refusal(), refusal(429, "lab_daily_cap"));
    // 09:50 UTC.
    assert_eq!(capped.header("retry-after"), (14 * 3_600 + 600).to_string());
    app.pass(Duration::from_secs(86_400));
    audited.begun("mobile").await;
    assert_eq!((work_off(&app).await, server.asked().len()), (1, 8));
}

async fn a_page_that_cant_be_measured_fails_with_a_sentence(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    for (mood, begin) in [
        (LabMood::PageFails, "The page showed no content"),
        (LabMood::PageFailsInside, "The page answered the lab browser with an HTTP error."),
    ] {
        server.set(mood);
        audited.begun("mobile").await;
        assert_eq!(work_off(&app).await, 1, "no second try");
        let failed = audited.lab(0).await["mobile"].clone();
        assert_eq!(failed["status"], "failed");
        assert!(failed["message"].as_str().unwrap().starts_with(begin), "{failed}");
        assert!(failed.get("scores").is_none());
    }
    let portuguese = app.call(audited.waiting(0).header("accept-language", "pt-BR")).await.json();
    let message = portuguese["lab"]["mobile"]["message"].as_str().unwrap();
    assert!(message.starts_with("A página respondeu ao navegador"), "{message}");
}

async fn trouble_is_tried_twice_and_then_new_tests_are_refused_for_a_minute(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    for mood in [LabMood::Trouble, LabMood::Html] {
        server.set(mood);
        let asked = server.asked().len();
        audited.begun("mobile").await;
        assert_eq!((work_off(&app).await, audited.lab(0).await["mobile"]["status"].clone()), (1, json!("running")));
        app.pass(Duration::from_secs(5));
        assert_eq!((work_off(&app).await, server.asked().len()), (1, asked + 2));
        let failed = audited.lab(0).await["mobile"].clone();
        assert!(failed["message"].as_str().unwrap().contains("no usable answer"), "{failed}");
        let refused = audited.begin("mobile").await;
        assert_eq!(refused.refusal(), (503, "lab_unavailable".to_owned()));
        assert_eq!(refused.header("retry-after"), "60");
        app.pass(Duration::from_secs(60));
        server.set(LabMood::Measure);
        audited.begun("mobile").await;
        assert_eq!(audited.begin("desktop").await.status, 503, "half-open: one test finds out");
        work_off(&app).await;
        audited.begun("desktop").await;
        work_off(&app).await;
        app.pass(Duration::from_secs(3_600));
    }
}

async fn a_bad_key_refuses_new_tests(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    for mood in [LabMood::BadKey, LabMood::Forbidden] {
        server.set(mood);
        audited.begun("mobile").await;
        assert_eq!(work_off(&app).await, 1);
        let failed = audited.lab(0).await["mobile"].clone();
        assert!(failed["message"].as_str().unwrap().contains("Contact its operator"), "{failed}");
        assert_eq!(audited.begin("mobile").await.refusal(), (503, "lab_unavailable".to_owned()));
        app.pass(Duration::from_secs(60));
    }
}

async fn a_quota_is_waited_for_once(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    server.set(LabMood::Quota);
    audited.begun("mobile").await;
    assert_eq!(work_off(&app).await, 1);
    app.pass(Duration::from_secs(6));
    assert_eq!(work_off(&app).await, 0, "as long as the provider asked for");
    app.pass(Duration::from_secs(1));
    assert_eq!(work_off(&app).await, 1);
    let failed = audited.lab(0).await["mobile"].clone();
    assert!(failed["message"].as_str().unwrap().contains("quota"), "{failed}");
}

async fn a_test_whose_server_died_is_run_by_another(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    let store = app.app.database().store();
    // A server that claims the job and is never heard of again.
    let dies = async || {
        let now = app.app.ports().now();
        assert!(store.claim_job("lab", now, now.plus_ms(165_000)).await.unwrap().is_some());
        assert_eq!(work_off(&app).await, 0, "its lease holds");
        app.pass(Duration::from_secs(165));
    };
    audited.begun("mobile").await;
    dies().await;
    assert_eq!((work_off(&app).await, audited.lab(0).await["mobile"]["status"].clone()), (1, json!("finished")));

    audited.begun("mobile").await;
    for _ in 0..3 {
        dies().await;
    }
    work_off(&app).await;
    let failed = audited.lab(0).await["mobile"].clone();
    assert_eq!((failed["status"].clone(), server.asked().len()), (json!("failed"), 1));
}

async fn a_test_that_was_lost_fails(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    audited.begun("mobile").await;
    app.database.execute("DELETE FROM jobs").await;
    let schedule = async || jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    app.pass(Duration::from_secs(1_800));
    schedule().await;
    assert_eq!(audited.lab(0).await["mobile"]["status"], "running");
    app.pass(Duration::from_secs(1));
    schedule().await;
    assert_eq!(audited.lab(0).await["mobile"]["status"], "failed");
}

async fn no_test_is_begun_for_somebody_else(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, |_| {}).await;
    let audited = Audited::new(&app, &page).await;
    let off = audited.begin("mobile").await;
    assert_eq!(off.refusal(), (503, "lab_unavailable".to_owned()), "no provider is set up");
    assert_eq!(off.header("retry-after"), "3600");
    let on = TestApp::start_on(&app, measuring(&server)).await;
    let stranger = Audited { app: &on, token: on.guest().await, id: audited.id.clone() };
    assert_eq!(stranger.begin("mobile").await.refusal(), (404, "audit_not_found".to_owned()));
    let read = on.call(stranger.waiting(25)).await;
    assert_eq!(read.refusal(), (404, "audit_not_found".to_owned()));
    let nobody = on.call(Call::new("POST", &audited.path("/lab")).body("{}")).await;
    assert_eq!(nobody.refusal(), (401, "guest_token_required".to_owned()));
    assert!(server.asked().is_empty());
}
