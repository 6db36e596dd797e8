//! What a flood of page views and error reports costs the audits beside it. `cargo test -p site-audit --test it
//! counting::flood -- --ignored --nocapture` prints what docs/performance.md says.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::task::JoinSet;

use crate::app::{Call, TestApp};

/// Requests of a flood.
const REQUESTS: usize = 10_000;
/// Callers of a flood at once.
const CALLERS: usize = 32;
/// Rounds; each has every kind of flood, in another order.
const ROUNDS: usize = 3;
/// Audits at least, of a round without a flood.
const AUDITS: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flood {
    /// Audits alone.
    None,
    /// As many calls that are answered and not counted: what the connections cost by themselves.
    Uncounted,
    /// Page views and errors of browsers.
    Counted,
}

fn call(flood: Flood, number: usize) -> Call<'static> {
    // Each network may report 60 a minute: what is more would not be counted.
    let from = [127, 1, u8::try_from(number / 250 % 250).unwrap(), u8::try_from(number % 250 + 1).unwrap()];
    let call = match (flood, number % 2) {
        (Flood::Counted, 0) => Call::new("POST", "/api/visit").body(r#"{"p":"/checks"}"#),
        (Flood::Counted, _) => {
            let error = json!({"code": "UI-JS-001", "phase": "run", "path": "/", "message": format!("x {number}")});
            Call::new("POST", "/api/erro-cliente").body(&error.to_string())
        }
        _ => Call::get("/api/health"),
    };
    call.header("user-agent", super::FIREFOX).header("content-type", "application/json").from(from)
}

async fn send(app: &Arc<TestApp>, flood: Flood) {
    let mut callers = JoinSet::new();
    for caller in 0..CALLERS {
        let app = Arc::clone(app);
        callers.spawn(async move {
            for number in (caller..REQUESTS).step_by(CALLERS) {
                app.raw(call(flood, number)).await;
            }
        });
    }
    while let Some(ended) = callers.join_next().await {
        ended.unwrap();
    }
}

/// What each audit takes while the flood goes on, in milliseconds.
async fn audits_beside(app: &Arc<TestApp>, url: &str, flood: Flood) -> Vec<f64> {
    let is_over = Arc::new(AtomicBool::new(flood == Flood::None));
    let flooding = {
        let (app, is_over) = (Arc::clone(app), Arc::clone(&is_over));
        tokio::spawn(async move {
            if flood != Flood::None {
                send(&app, flood).await;
            }
            is_over.store(true, Ordering::Relaxed);
        })
    };
    let mut took = Vec::new();
    while took.len() < AUDITS || !is_over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        let answer = app.raw(Call::audit(url)).await;
        took.push(begun.elapsed().as_secs_f64() * 1_000.0);
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        if flood != Flood::None && is_over.load(Ordering::Relaxed) {
            break;
        }
    }
    flooding.await.unwrap();
    took
}

fn percentile(sorted: &[f64], share: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in a short list")]
    let place = ((sorted.len() - 1) as f64 * share).round() as usize;
    sorted[place]
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures, and proves nothing"]
async fn what_a_flood_of_reports_costs_audits() {
    let site = TestSite::start(|_| SiteAnswer::html("<title>Bread</title><h1>Bread</h1>")).await;
    let app = TestApp::start(TestDatabase::sqlite(), |config| {
        config.limits.free_audits_per_day = 1_000_000;
        config.limits.audits_per_hour = 1_000_000;
    })
    .await;
    let (app, url) = (Arc::new(app), site.url("/"));
    let mut all = [Flood::None, Flood::Uncounted, Flood::Counted].map(|flood| (flood, Vec::new()));
    for round in 0..ROUNDS {
        for step in 0..all.len() {
            let (flood, took) = &mut all[(round + step) % 3];
            took.extend(audits_beside(&app, &url, *flood).await);
            // The limits of a minute, and what was counted in it, begin again.
            app.pass(Duration::from_secs(60));
            super::flush(&app).await;
        }
    }
    for (flood, took) in &mut all {
        took.sort_by(f64::total_cmp);
        let [median, p90, p99] = [0.5, 0.9, 0.99].map(|share| percentile(took, share));
        println!("{flood:?}: {} audits, median {median:.1} ms, p90 {p90:.1} ms, p99 {p99:.1} ms", took.len());
    }
    let counted = super::stored(&app, service::counting::kind::CALLS).await;
    assert!(counted["pagina/pessoa"] >= (ROUNDS * REQUESTS / 2) as u64, "{counted:?}");
}
