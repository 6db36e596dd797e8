//! What becomes of claimed jobs, over a whole database.

use std::future::pending;
use std::time::Duration;

use model::time::Day;
use prometheus_client::registry::Registry;
use render::mail::Mail;
use serde_json::Value;
use store::{JobState, SiteState};
use testkit::{SiteAnswer, TestSite};

use super::*;
use crate::testing::{NOW, TestService, service_on};

/// Queues a job and claims it for the `attempt`th time.
async fn claimed(test: &TestService, job: &Job, attempt: u32) -> ClaimedJob {
    let (store, ports, lane) = (test.services.database().store(), test.services.ports(), job.lane().word());
    store.enqueue(job.queued(ports, None)).await.unwrap();
    test.database.execute(&format!("UPDATE jobs SET attempts = {}", attempt - 1)).await;
    let claimed = store.claim_job(lane, ports.now(), ports.now().plus_ms(60_000)).await.unwrap().unwrap();
    assert_eq!(claimed.attempt, attempt);
    claimed
}

/// A mail that waits for a mail server, which there is not.
fn mail() -> Job {
    Job::SendMail(Mail {
        to: "ana@example.com".to_owned(),
        subject: "a".to_owned(),
        text: "a".to_owned(),
        html: None,
        unsubscribe: None,
        reply_to: None,
    })
}

#[test]
fn waits_double_up_to_an_hour() {
    for (attempt, minutes) in [(0, 1), (1, 1), (2, 2), (6, 32), (7, 60), (30, 60), (u32::MAX, 60)] {
        assert_eq!(wait_ms(attempt), minutes * 60_000, "{attempt}");
    }
}

#[tokio::test]
async fn what_becomes_of_a_job_is_one_word() {
    let why = String::new;
    let too_long = timeout(Duration::ZERO, pending::<()>()).await.unwrap_err();
    for (outcome, word, last_word) in [
        (Ok(Ok(Ending::Done)), "done", "done"),
        (Ok(Ok(Ending::Written)), "done", "done"),
        (Ok(Ok(Ending::Late)), "done", "done"),
        (Ok(Ok(Ending::Continued(Duration::ZERO))), "continued", "continued"),
        (Ok(Err(Unfinished::Never(why()))), "given_up", "given_up"),
        (Ok(Err(Unfinished::Later(why()))), "retried", "given_up"),
        (Ok(Err(Unfinished::After { why: why(), wait: Duration::ZERO })), "retried", "given_up"),
        (Err(too_long), "retried", "given_up"),
    ] {
        assert_eq!((became(&outcome, false), became(&outcome, true)), (word, last_word), "{outcome:?}");
    }
}

#[tokio::test]
async fn a_job_is_tried_as_often_as_its_kind_may_be() {
    let test = service_on(|_| {}).await;
    let store = test.services.database().store();
    let (no_server, never_ended) = (Some("smtp.url is not set"), Some("it was begun and never ended"));
    for (job, attempt, state, why) in [
        (Job::Purge, 5, JobState::Done, None),
        (Job::Purge, 6, JobState::Dead, never_ended),
        (Job::Purge, 7, JobState::Dead, never_ended),
        (mail(), 29, JobState::Waiting, no_server),
        (mail(), 30, JobState::Dead, no_server),
        (mail(), 31, JobState::Dead, never_ended),
    ] {
        let claimed = claimed(&test, &job, attempt).await;
        perform(&test.services, claimed).await.unwrap();
        let jobs = store.jobs(state, 10).await.unwrap();
        let errors: Vec<_> = jobs.iter().map(|job| job.last_error.as_deref()).collect();
        assert_eq!(errors, [why], "{job:?} {attempt}");
        test.database.execute("DELETE FROM jobs").await;
    }
    let (mut registry, mut told) = (Registry::default(), String::new());
    test.services.metrics().register(&mut registry);
    prometheus_client::encoding::text::encode(&mut told, &registry).unwrap();
    for (lane, outcome, count) in [
        ("upkeep", "done", Some(1)),
        ("mail", "retried", Some(1)),
        ("mail", "given_up", Some(1)),
        ("mail", "done", None),
    ] {
        let name = format!("site_audit_job_duration_seconds_count{{lane=\"{lane}\",outcome=\"{outcome}\"}} ");
        let counted = told.lines().find_map(|line| line.strip_prefix(&name)?.parse().ok());
        assert_eq!(counted, count, "{lane} {outcome}: {told}");
    }
}

#[tokio::test]
async fn a_run_over_a_site_whose_every_worker_died_has_failed() {
    let test = service_on(|_| {}).await;
    let insert = "INSERT INTO site_runs (id, owner, url, state, options, created_at, gap_ms, next_at, asked, done, found, \
        failed, audited, spent_micros, free_audits) \
        VALUES ('a run', 'account:a', 'https://example.com/', 'running', '{}', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)";
    test.database.execute(insert).await;
    let job = Job::RunSite { run: "a run".to_owned(), seat: 0 };
    let claimed = claimed(&test, &job, 21).await;
    perform(&test.services, claimed).await.unwrap();
    let run = test.services.database().store().site_run("a run").await.unwrap().unwrap();
    assert_eq!((run.state, run.reason.as_deref()), (SiteState::Failed, Some("interrupted")));
}

#[tokio::test]
async fn a_job_that_is_tried_again_has_failed_in_its_trace() {
    let receiver = TestSite::start(|_| SiteAnswer::page(200, "application/json", "{}")).await;
    let test = service_on(|config| config.otel.endpoint = Some(receiver.url(""))).await;
    for job in [mail(), Job::Purge] {
        let claimed = claimed(&test, &job, 1).await;
        perform(&test.services, claimed).await.unwrap();
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    test.services.traces().export(test.services.engine().fetcher(), deadline).await;
    let sent: Value = serde_json::from_str(&receiver.asked()[0].body).unwrap();
    let spans = sent["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
    for (name, status) in [("job mail", Some(2)), ("job upkeep", None)] {
        let span = spans.iter().find(|span| span["name"] == name).unwrap();
        assert_eq!(span["status"]["code"].as_u64(), status, "{span}");
    }
}

#[tokio::test]
async fn a_purge_that_is_a_day_old_or_held_is_left_to_the_next() {
    let day = 86_400_000;
    for (are_held, age_ms, is_purged) in
        [(false, 0, true), (true, 0, false), (false, day, true), (false, day + 1, false)]
    {
        let test = service_on(|_| {}).await;
        let (store, long_ago) = (test.services.database().store(), Day(NOW.day().0 - 30));
        store.daily_salt(long_ago, &[7; 32]).await.unwrap();
        test.services.hold_purges(are_held);
        let mut claimed = claimed(&test, &Job::Purge, 1).await;
        claimed.created_at = claimed.created_at.plus_ms(-age_ms);
        perform(&test.services, claimed).await.unwrap();
        assert_eq!(store.salt_of(long_ago).await.unwrap().is_none(), is_purged, "{are_held} {age_ms}");
        assert_eq!(store.jobs(JobState::Done, 10).await.unwrap().len(), 1, "{are_held} {age_ms}");
    }
}
