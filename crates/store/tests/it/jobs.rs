use std::collections::BTreeSet;
use std::sync::Arc;

use model::time::Timestamp;
use store::{ClaimedJob, JobState, NewJob, Store};
use testkit::TestDatabase;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    a_job_is_done_by_one_worker,
    a_job_whose_holder_slept_is_another_s,
    a_key_makes_one_job_also_after_it_was_done,
    a_job_waits_for_its_time_and_its_lane,
    what_was_put_off_tells_why,
    what_was_given_up_stays_until_it_is_revived,
    what_was_given_back_was_no_try,
    jobs_that_ended_are_purged,
}

const MINUTE_MS: i64 = 60_000;

fn job(id: &str) -> NewJob {
    NewJob {
        id: id.to_owned(),
        lane: "mail",
        unique_key: None,
        payload: format!("to do: {id}"),
        run_at: NOW,
        created_at: NOW,
        traceparent: None,
    }
}

async fn claim(store: &Store, now: Timestamp) -> Option<ClaimedJob> {
    store.claim_job("mail", now, now.plus_ms(MINUTE_MS)).await.unwrap()
}

async fn a_job_is_done_by_one_worker(database: TestDatabase) {
    const JOBS: usize = 50;
    const WORKERS: usize = 4;
    let store = opened(&database).await;
    for number in 0..JOBS {
        assert!(store.enqueue(job(&format!("{number:02}"))).await.unwrap());
    }
    let barrier = Arc::new(Barrier::new(WORKERS));
    let mut workers = JoinSet::new();
    for _ in 0..WORKERS {
        // A server of its own.
        let (store, barrier) = (Store::open(database.url()).await.unwrap(), Arc::clone(&barrier));
        workers.spawn(async move {
            barrier.wait().await;
            let mut done = Vec::new();
            while !store.jobs(JobState::Waiting, 1).await.unwrap().is_empty() {
                if let Some(job) = claim(&store, NOW).await {
                    assert_eq!(job.payload, format!("to do: {}", job.lease.id()));
                    assert!(store.finish_job(&job.lease, NOW).await.unwrap());
                    done.push(job.lease.id().to_owned());
                }
            }
            done
        });
    }
    let done: Vec<String> = workers.join_all().await.into_iter().flatten().collect();
    assert_eq!(done.len(), JOBS);
    assert_eq!(done.into_iter().collect::<BTreeSet<_>>().len(), JOBS);
    for record in store.jobs(JobState::Done, 100).await.unwrap() {
        assert_eq!((record.payload.as_str(), record.attempts), ("", 1));
    }
}

async fn a_job_whose_holder_slept_is_another_s(database: TestDatabase) {
    let store = opened(&database).await;
    store.enqueue(job("a")).await.unwrap();
    let slept = claim(&store, NOW).await.unwrap();
    assert_eq!(claim(&store, NOW.plus_ms(MINUTE_MS - 1)).await, None);
    let later = NOW.plus_ms(MINUTE_MS);
    let took_over = claim(&store, later).await.unwrap();
    assert_eq!(took_over.attempt, 2);
    assert!(!store.finish_job(&slept.lease, later).await.unwrap());
    assert!(!store.postpone_job(&slept.lease, later, "late").await.unwrap());
    assert!(!store.bury_job(&slept.lease, later, "late").await.unwrap());
    assert!(!store.return_job(&slept.lease).await.unwrap());
    assert!(store.finish_job(&took_over.lease, later).await.unwrap());
    assert!(!store.finish_job(&took_over.lease, later).await.unwrap());
}

async fn a_key_makes_one_job_also_after_it_was_done(database: TestDatabase) {
    let store = opened(&database).await;
    let keyed = |id: &str| NewJob { unique_key: Some("purge:2026-01-31".to_owned()), ..job(id) };
    assert!(store.enqueue(keyed("a")).await.unwrap());
    assert!(!store.enqueue(keyed("b")).await.unwrap());
    let claimed = claim(&store, NOW).await.unwrap();
    store.finish_job(&claimed.lease, NOW).await.unwrap();
    assert!(!store.enqueue(keyed("c")).await.unwrap());
    // What has no key is as many as there are.
    assert!(store.enqueue(job("d")).await.unwrap() && store.enqueue(job("e")).await.unwrap());
}

async fn a_job_waits_for_its_time_and_its_lane(database: TestDatabase) {
    let store = opened(&database).await;
    store.enqueue(NewJob { run_at: NOW.plus_ms(5), ..job("late") }).await.unwrap();
    store.enqueue(NewJob { lane: "audit", ..job("other") }).await.unwrap();
    assert_eq!(claim(&store, NOW.plus_ms(4)).await, None);
    store.enqueue(NewJob { run_at: NOW.plus_ms(2), ..job("soon") }).await.unwrap();
    let first = claim(&store, NOW.plus_ms(9)).await.unwrap();
    assert_eq!(first.lease.id(), "soon");
    assert_eq!(claim(&store, NOW.plus_ms(9)).await.unwrap().lease.id(), "late");
}

async fn what_was_put_off_tells_why(database: TestDatabase) {
    let store = opened(&database).await;
    store.enqueue(job("a")).await.unwrap();
    let claimed = claim(&store, NOW).await.unwrap();
    let later = NOW.plus_ms(5 * MINUTE_MS);
    assert!(store.postpone_job(&claimed.lease, later, "nul \0 and\nmore").await.unwrap());
    assert_eq!(claim(&store, later.plus_ms(-1)).await, None);
    let waiting = store.jobs(JobState::Waiting, 10).await.unwrap();
    assert_eq!(waiting.first().unwrap().last_error.as_deref(), Some("nul  and\nmore"));
    assert_eq!(claim(&store, later).await.unwrap().attempt, 2);
}

async fn what_was_given_up_stays_until_it_is_revived(database: TestDatabase) {
    let store = opened(&database).await;
    store.enqueue(job("a")).await.unwrap();
    let claimed = claim(&store, NOW).await.unwrap();
    assert!(store.bury_job(&claimed.lease, NOW, &"x".repeat(2_000)).await.unwrap());
    assert_eq!(claim(&store, NOW.plus_ms(i64::from(u32::MAX))).await, None);
    let dead = store.jobs(JobState::Dead, 10).await.unwrap();
    let dead = dead.first().unwrap();
    assert_eq!((dead.payload.as_str(), dead.last_error.as_ref().unwrap().len()), ("to do: a", 500));
    for unknown in ["b", "\0"] {
        assert!(!store.revive_job(unknown, NOW).await.unwrap());
    }
    assert!(store.revive_job("a", NOW).await.unwrap());
    assert!(!store.revive_job("a", NOW).await.unwrap());
    assert_eq!(claim(&store, NOW).await.unwrap().attempt, 1);
}

async fn what_was_given_back_was_no_try(database: TestDatabase) {
    let store = opened(&database).await;
    store.enqueue(job("a")).await.unwrap();
    let claimed = claim(&store, NOW).await.unwrap();
    assert!(store.return_job(&claimed.lease).await.unwrap());
    let again = claim(&store, NOW).await.unwrap();
    assert_eq!(again.attempt, 1);
    assert!(!store.finish_job(&claimed.lease, NOW).await.unwrap());
}

async fn jobs_that_ended_are_purged(database: TestDatabase) {
    let store = opened(&database).await;
    for id in ["dead", "done", "waiting"] {
        store.enqueue(job(id)).await.unwrap();
    }
    let dead = claim(&store, NOW).await.unwrap();
    store.bury_job(&dead.lease, NOW, "no").await.unwrap();
    let done = claim(&store, NOW).await.unwrap();
    store.finish_job(&done.lease, NOW).await.unwrap();
    assert_eq!(store.purge_jobs(NOW, NOW).await.unwrap(), 0);
    let later = NOW.plus_ms(1);
    assert_eq!(store.purge_jobs(later, NOW).await.unwrap(), 1);
    assert_eq!(store.purge_jobs(later, later).await.unwrap(), 1);
    assert_eq!(store.purge_jobs(later, later).await.unwrap(), 0);
    assert_eq!(store.jobs(JobState::Waiting, 10).await.unwrap().len(), 1);
}
