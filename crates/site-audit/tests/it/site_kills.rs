//! A server that is killed in the middle of a run over a site, on the embedded database: the run ends with each page once.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::faults::{Dice, runs, tell};
use crate::server_process::{ServerProcess, until};

/// How many kills where the environment says nothing; 50 take some minutes.
const USUAL_KILLS: usize = 2;
/// Pages of the site.
const PAGES: usize = 60;
/// A site of many pages, and how many of them were answered.
async fn site() -> (TestSite, Arc<AtomicUsize>) {
    let answered = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&answered);
    let site = TestSite::start(move |asked| {
        if asked.path != "/" && !asked.path.starts_with("/page-") {
            return SiteAnswer::missing();
        }
        count.fetch_add(1, Ordering::SeqCst);
        let links: String = (1..PAGES).map(|n| format!("<a href=/page-{n}>Page {n}</a> ")).collect();
        let path = &asked.path;
        SiteAnswer::html(&format!("<!doctype html><html lang=en><title>Page {path}</title><h1>{path}</h1>{links}"))
    })
    .await;
    (site, answered)
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_killed_server_goes_on_with_its_run_over_a_site() {
    let kills = runs(USUAL_KILLS);
    let database = TestDatabase::sqlite();
    let (site, answered) = site().await;
    let mut server = ServerProcess::start(&database, &[]);
    let guest = server.guest().await;
    let body = json!({"url": site.url("/"), "max_pages": PAGES}).to_string();
    let begun = server.call("POST", "/api/sites", &guest, &body).await.json();
    let path = format!("/api/sites/{}", begun["site"]["id"].as_str().unwrap_or_else(|| panic!("{begun}")));
    let mut killed = 0;
    while killed < kills {
        // At another place of the run each time, and at its end no more.
        let target = (killed + 1) * PAGES / (kills + 1);
        until(async || answered.load(Ordering::SeqCst) >= target.min(PAGES - 1)).await;
        server.kill();
        killed += 1;
        // The claims of the dead run out, which takes a while otherwise.
        database.execute("UPDATE jobs SET locked_until = 0 WHERE lane = 'site' AND state = 'waiting'").await;
        server = ServerProcess::start(&database, &[]);
    }
    let run = loop {
        let run = server.call("GET", &format!("{path}?wait=25"), &guest, "").await.json();
        if run["status"] != "running" {
            break run;
        }
    };
    assert_eq!((&run["status"], &run["progress"]["audited"]), (&json!("finished"), &json!(PAGES)), "{run}");
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for asked in site.asked().into_iter().filter(|asked| asked.path == "/" || asked.path.starts_with("/page-")) {
        *times.entry(asked.path).or_default() += 1;
    }
    let again: usize = times.values().map(|times| times - 1).sum();
    // What two seats were asking for at each kill, and the first page where it was not stored yet.
    assert!(again <= kills * 3, "{again} pages were asked again: {times:?}");
    let pages = server.call("GET", &format!("{path}/pages"), &guest, "").await.json();
    assert_eq!(pages["pages"].as_array().unwrap().len(), PAGES, "each page once");
    server.kill();
    tell("F12", database.system(), kills, &Dice::new(), "site runs");
}
