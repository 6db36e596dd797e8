//! Watches of sites with several servers, servers that die, and servers without a free place.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::json;
use service::jobs;
use testkit::TestDatabase;

use super::{DAY, Mood, Watching};

testkit::on_both_databases! {
    two_servers_run_a_slot_once,
    a_run_that_was_killed_in_the_middle_is_told_once,
    a_run_waits_for_a_place,
}

async fn two_servers_run_a_slot_once(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    watching.watched().await;
    watching.next_day().await;
    watching.mood.set(Mood::Broken);
    watching.app.pass(DAY);
    let now = watching.app.app.ports().now();
    for skew in [-5_000, 0, 5_000] {
        jobs::schedule(&watching.app.app, now.plus_ms(skew)).await.unwrap();
    }
    let work = async || jobs::work_off(&watching.app.app).await.unwrap();
    tokio::join!(work(), work(), work());
    watching.work().await;
    assert_eq!((watching.runs().await.len(), watching.mail.letters().len()), (2, 1));
    // A clock set back by an hour and forth again, and days that nobody scheduled: one run, now.
    watching.app.go_back(Duration::from_secs(3_600));
    watching.work().await;
    watching.app.pass(Duration::from_secs(3_600));
    watching.work().await;
    assert_eq!(watching.runs().await.len(), 2);
    watching.app.pass(5 * DAY);
    watching.work().await;
    assert_eq!((watching.runs().await.len(), watching.mail.letters().len()), (3, 1));
}

async fn a_run_that_was_killed_in_the_middle_is_told_once(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    watching.watched().await;
    watching.next_day().await;
    watching.mood.set(Mood::Broken);
    watching.app.pass(DAY);
    // The work stops after so many pauses, as when the process ends there; claims run out before the next try.
    jobs::schedule(&watching.app.app, watching.app.app.ports().now()).await.unwrap();
    for pauses in [3, 9, 27, 81, 243] {
        let mut working = Box::pin(jobs::work_off(&watching.app.app));
        let stopped = AtomicUsize::new(0);
        let ended = std::future::poll_fn(|context| {
            use std::task::Poll;
            match working.as_mut().poll(context) {
                Poll::Ready(done) => Poll::Ready(Some(done)),
                Poll::Pending if stopped.fetch_add(1, Ordering::Relaxed) >= pauses => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        })
        .await;
        drop(working);
        watching.app.database.execute("UPDATE jobs SET locked_until = 0 WHERE state = 'waiting'").await;
        if ended.is_some() {
            break;
        }
    }
    watching.work().await;
    let run = watching.newest().await;
    assert_eq!((&run["status"], &run["progress"]["audited"]), (&json!("finished"), &json!(7)), "{run}");
    // Stopped between the mail server's word and our own, a letter is sent again, as the same message.
    let letters = watching.mail.letters();
    let messages: BTreeSet<String> = letters.iter().map(|letter| letter.header("Message-ID")).collect();
    assert_eq!((watching.runs().await.len(), messages.len()), (2, 1));
}

async fn a_run_waits_for_a_place(database: TestDatabase) {
    let watching = Watching::start(database, |config| config.limits.site_runs = 1).await;
    let id = watching.watched().await;
    let begun = watching.send("POST", "/api/sites", &json!({"url": "http://127.0.0.2:1/"})).await.json();
    let other = begun["site"]["id"].as_str().unwrap().to_owned();
    // Its seat is away, so that it takes its place for days.
    watching.app.database.execute("UPDATE jobs SET run_at = 9000000000000000 WHERE lane = 'site'").await;
    watching.next_day().await;
    assert_eq!(watching.runs().await.len(), 1);
    assert_eq!(watching.send("DELETE", &format!("/api/sites/{other}"), &json!({})).await.status, 200);
    watching.app.pass(Duration::from_secs(600));
    watching.work().await;
    assert_eq!(watching.runs().await.len(), 1, "the place is free");
    // A slot in which no place came free is over when the next one is due.
    watching.send("POST", "/api/sites", &json!({"url": "http://127.0.0.2:1/"})).await;
    watching
        .app
        .database
        .execute("UPDATE jobs SET run_at = 9000000000000000 WHERE lane = 'site' AND state = 'waiting'")
        .await;
    watching.next_day().await;
    watching.next_day().await;
    let watch = watching.watch(&id).await;
    assert_eq!((&watch["problem"], watching.mail.letters().len()), (&json!("no_place"), 0), "{watch}");
}
