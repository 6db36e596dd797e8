//! Callers who wait for the end of a lab test.

use api::request::Patience;
use api::web::Bounds;
use serde_json::{Value, json};
use service::config::Config;
use service::jobs;
use store::StoreError;
use testkit::{LabMood, LabServer, TestDatabase};
use tokio::task::JoinSet;

use super::{Audited, measuring, page, until_waiting, work_off};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_caller_who_waits_hears_the_end,
    a_server_hears_of_a_test_that_another_one_ran,
    callers_who_wait_leave_audits_served,
}

async fn a_caller_who_waits_hears_the_end(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    assert_eq!(audited.lab(25).await["mobile"], Value::Null, "nothing runs, so nothing is waited for");
    server.set(LabMood::Hold);
    audited.begun("mobile").await;
    assert_eq!(audited.lab(1).await["mobile"]["status"], "running");
    let release = async {
        until_waiting(&app, 1).await;
        server.release();
    };
    let (lab, done, ()) = tokio::join!(audited.lab(25), work_off(&app), release);
    assert_eq!((lab["mobile"]["status"].clone(), done), (json!("finished"), 1));
    assert_eq!(app.app.lab().waiting(), 0);
}

async fn a_server_hears_of_a_test_that_another_one_ran(database: TestDatabase) {
    let (server, page) = (LabServer::start().await, page().await);
    let app = TestApp::start(database, measuring(&server)).await;
    let other = TestApp::start_on(&app, measuring(&server)).await;
    let audited = Audited::new(&app, &page).await;
    server.set(LabMood::Hold);
    audited.begun("mobile").await;
    let elsewhere = Audited { app: &other, token: audited.token.clone(), id: audited.id.clone() };
    let release = async {
        until_waiting(&other, 1).await;
        server.release();
    };
    let (lab, done, ()) = tokio::join!(elsewhere.lab(25), work_off(&app), release);
    assert_eq!((lab["mobile"]["status"].clone(), done), (json!("finished"), 1));
}

async fn callers_who_wait_leave_audits_served(database: TestDatabase) {
    const CALLERS: usize = 200;
    let (server, page) = (LabServer::start().await, page().await);
    let bounds = Bounds { connections_per_network: 2 * CALLERS, ..Bounds::default() };
    let app = TestApp::start_within(database, Patience::default(), bounds, measuring(&server)).await;
    let app = std::sync::Arc::new(app);
    let audited = Audited::new(&app, &page).await;
    server.set(LabMood::Hold);
    audited.begun("mobile").await;
    let mut callers = JoinSet::new();
    for _ in 0..CALLERS {
        let (app, call) = (std::sync::Arc::clone(&app), audited.waiting(25));
        // On a slow machine some are refused at first, and 25 seconds end before all are there: callers ask again.
        callers.spawn(async move {
            loop {
                let answer = app.call(call.clone()).await;
                match answer.status {
                    200 if answer.json()["lab"]["mobile"]["status"] == "finished" => return,
                    200 | 503 => (),
                    _ => panic!("{}", answer.body),
                }
            }
        });
    }
    let test_ends = async {
        until_waiting(&app, CALLERS).await;
        // All of them wait; an audit is made and stored as ever.
        let audit = app.call(Call::audit(&page.url("/")).token(&audited.token)).await;
        assert_eq!(audit.status, 200, "{}", audit.body);
        assert!(audit.json()["id"].is_string());
        assert!(app.app.lab().waiting() > CALLERS / 2, "they wait all the while");
        server.release();
    };
    let works = async {
        // Two hundred calls may leave it no connection on a slow machine; then a server tries again.
        while let Err(error) = jobs::work_off(&app.app).await {
            assert!(matches!(error, StoreError::Busy { .. }), "{error}");
        }
    };
    tokio::join!(works, test_ends);
    callers.join_all().await;
    assert_eq!(app.app.lab().waiting(), 0);
}

/// Prints how long audits take alone and beside 200 callers who wait: `docs/performance.md` has the command and the numbers.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "it measures, and says nothing of right and wrong"]
async fn audits_beside_callers_who_wait_are_as_quick() {
    const ROUNDS: usize = 10;
    const AUDITS: usize = 150;
    let (server, page) = (LabServer::start().await, page().await);
    let bounds = Bounds { connections_per_network: 1_000, ..Bounds::default() };
    let provider = measuring(&server);
    let change = |config: &mut Config| {
        provider(config);
        config.limits.free_audits_per_day = 10_000;
        config.limits.audits_per_hour = 10_000;
        config.limits.audits_per_target_hour = 10_000;
    };
    let app = TestApp::start_within(TestDatabase::sqlite(), Patience::default(), bounds, change).await;
    let app = std::sync::Arc::new(app);
    let audited = Audited::new(&app, &page).await;
    server.set(LabMood::Hold);
    audited.begun("mobile").await;
    let times = async || {
        let mut times = Vec::new();
        for _ in 0..AUDITS {
            let begun = std::time::Instant::now();
            assert_eq!(app.call(Call::audit(&page.url("/"))).await.status, 200);
            times.push(begun.elapsed());
        }
        times
    };
    // Rounds in turn, and one quantile over all: what else the machine does is in both alike.
    let (mut alone, mut beside) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.extend(times().await);
        let mut callers = JoinSet::new();
        for _ in 0..200 {
            let (app, call) = (std::sync::Arc::clone(&app), audited.waiting(25));
            callers.spawn(async move {
                loop {
                    app.call(call.clone()).await;
                }
            });
        }
        until_waiting(&app, 200).await;
        beside.extend(times().await);
        callers.shutdown().await;
    }
    for (name, mut times) in [("alone", alone), ("beside 200 callers who wait", beside)] {
        times.sort();
        let quantile = |percent: usize| times[times.len() * percent / 100];
        println!("{name}: {} audits, p50 {:?}, p99 {:?}", times.len(), quantile(50), quantile(99));
    }
}
