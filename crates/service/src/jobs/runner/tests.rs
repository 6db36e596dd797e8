//! Workers and scheduler over a whole database.

use render::mail::Mail;
use store::JobState;
use testkit::{MailServer, Mood, SiteAnswer, TestSite};

use super::*;
use crate::config::{LabProvider, SecretText};
use crate::counting::{Event, kind};
use crate::testing::{NOW, TestService, service_on};
use crate::traces::SpanKind;

/// How long a test waits for what comes at once.
const PATIENCE: Duration = Duration::from_secs(60);

/// Queues a message of the contact form.
async fn queue_message(test: &TestService) {
    let mail = Mail {
        to: "team@example.com".to_owned(),
        subject: "a".to_owned(),
        text: "a".to_owned(),
        html: None,
        unsubscribe: None,
        reply_to: None,
    };
    let job = Job::SendContact(mail).queued(test.services.ports(), None);
    test.services.database().store().enqueue(job).await.unwrap();
}

/// How often each job that waits was tried, in their order.
async fn tries(test: &TestService) -> Vec<u32> {
    let jobs = test.services.database().store().jobs(JobState::Waiting, 100).await.unwrap();
    jobs.iter().map(|job| job.attempts).collect()
}

/// Works on messages until `is_over` comes true.
async fn work_on_messages(test: &TestService, may_work: bool, is_over: watch::Receiver<bool>) {
    let (_allow, may_work) = watch::channel(may_work);
    work(test.services.clone(), Lane::Contact, may_work, is_over).await;
}

#[tokio::test]
async fn nothing_is_done_before_the_clock_was_compared() {
    let test = service_on(|_| {}).await;
    queue_message(&test).await;
    let (stop, stopped) = watch::channel(false);
    stop.send_replace(true);
    work_on_messages(&test, false, stopped).await;
    assert_eq!(tries(&test).await, [0]);
}

#[tokio::test]
async fn no_more_jobs_are_begun_than_a_lane_does_at_once() {
    let server = MailServer::start().await;
    server.set(Mood::Stall);
    let test = service_on(|config| {
        config.smtp.url = Some(SecretText::new(server.url()));
        config.smtp.from = Some("Site Audit <audit@example.com>".to_owned());
    })
    .await;
    queue_message(&test).await;
    queue_message(&test).await;
    let (stop, stopped) = watch::channel(false);
    let stopping = async {
        server.connected(1).await;
        stop.send_replace(true);
        // It ends the connection, and with it the job.
        drop(server);
    };
    tokio::join!(work_on_messages(&test, true, stopped), stopping);
    let mut tries = tries(&test).await;
    tries.sort_unstable();
    assert_eq!(tries, [0, 1]);
}

#[tokio::test]
async fn lab_tests_alone_are_as_many_at_once_as_is_configured() {
    let test = service_on(|config| {
        (config.lab.provider, config.lab.key) = (LabProvider::Pagespeed, Some(SecretText::new("a key")));
        config.lab.at_once = 3;
    })
    .await;
    for lane in Lane::ALL {
        let most = if lane == Lane::Lab { 3 } else { lane.at_once() };
        assert_eq!(at_once(&test.services, lane), most, "{lane:?}");
    }
}

/// A service that sends traces to a receiver, with one span that waits.
async fn traced(receiver: &TestSite) -> TestService {
    let test = service_on(|config| config.otel.endpoint = Some(receiver.url(""))).await;
    let span = test.services.traces().begin(test.services.ports(), None).unwrap();
    span.end("work", SpanKind::Internal, Vec::new(), false);
    assert_eq!(test.services.traces().counts().unwrap().waiting, 1);
    test
}

fn exported(test: &TestService) -> u64 {
    test.services.traces().counts().unwrap().exported
}

/// A server without workers.
fn idle(test: &TestService) -> Background {
    Background { services: test.services.clone(), stopping: watch::channel(false).0, loops: JoinSet::new() }
}

#[tokio::test]
async fn traces_are_sent_while_the_server_runs() {
    let receiver = TestSite::start(|_| SiteAnswer::page(200, "application/json", "{}")).await;
    let test = traced(&receiver).await;
    let (_stop, stopped) = watch::channel(false);
    let sent = async {
        while exported(&test) == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = keep_exporting(test.services.clone(), stopped) => panic!("it ends with the server only"),
        sent = tokio::time::timeout(PATIENCE, sent) => sent.unwrap(),
    }
}

#[tokio::test]
async fn the_last_traces_are_sent_before_the_server_ends() {
    let receiver = TestSite::start(|_| SiteAnswer::page(200, "application/json", "{}")).await;
    let test = traced(&receiver).await;
    idle(&test).stop().await;
    assert_eq!(exported(&test), 1);
}

#[tokio::test]
async fn a_receiver_of_traces_that_never_answers_holds_a_stop_up_for_two_seconds() {
    let receiver = TestSite::start(|_| SiteAnswer::Silence).await;
    let test = traced(&receiver).await;
    // So that nothing but the receiver takes time.
    test.lose_database().await;
    tokio::time::pause();
    let begun = Instant::now();
    idle(&test).stop().await;
    assert_eq!((begun.elapsed().as_secs(), exported(&test)), (2, 0));
}

async fn audits_counted(test: &TestService) -> usize {
    let store = test.services.database().store();
    store.day_counts(NOW.day(), NOW.day(), kind::EVENT).await.unwrap().len()
}

#[tokio::test]
async fn counts_are_written_while_the_server_runs() {
    let test = service_on(|_| {}).await;
    test.services.counter().add(&Event::Audit, NOW);
    let (_stop, stopped) = watch::channel(false);
    let written = async {
        while audits_counted(&test).await == 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = keep_counts(test.services.clone(), stopped) => panic!("it ends with the server only"),
        written = tokio::time::timeout(PATIENCE, written) => written.unwrap(),
    }
}

#[tokio::test]
async fn a_minute_is_healthy_where_the_counts_could_be_written() {
    let test = service_on(|_| {}).await;
    let (services, store) = (&test.services, test.services.database().store());
    services.counter().add(&Event::Audit, NOW);
    test.database.execute("ALTER TABLE day_counts RENAME TO away").await;
    write_counts(services).await;
    test.database.execute("ALTER TABLE away RENAME TO day_counts").await;
    test.clock.pass(60_000);
    write_counts(services).await;
    assert_eq!(audits_counted(&test).await, 1);
    // It is noted in the background, one minute after the other.
    let noted = async {
        while store.first_healthy_minute().await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, noted).await.unwrap();
    assert_eq!(store.first_healthy_minute().await.unwrap(), Some(NOW.0 / 60_000 + 1));
}

/// One round of the scheduler of a server that has just started; whether jobs may be done.
async fn one_round(test: &TestService) -> bool {
    let ((stop, stopped), (allow, allowed)) = (watch::channel(false), watch::channel(false));
    stop.send_replace(true);
    keep_schedule(test.services.clone(), allow, stopped).await;
    *allowed.borrow()
}

#[tokio::test]
async fn no_job_is_done_before_the_newest_stored_time_is_known() {
    let test = service_on(|_| {}).await;
    test.database.execute("ALTER TABLE jobs RENAME TO away").await;
    assert!(!one_round(&test).await);
    assert!(test.services.are_purges_held());
    test.database.execute("ALTER TABLE away RENAME TO jobs").await;
    assert!(one_round(&test).await);
    assert!(!test.services.are_purges_held());
    // A purge, and a publication.
    assert_eq!(tries(&test).await, [0, 0]);
}

#[tokio::test]
async fn a_server_whose_clock_is_days_ahead_of_what_is_stored_queues_nothing() {
    let test = service_on(|_| {}).await;
    let store = test.services.database().store();
    assert_eq!(newest_trusted(store).await.unwrap(), None);
    assert!(one_round(&test).await);
    assert_eq!((newest_trusted(store).await.unwrap(), tries(&test).await.len()), (Some(NOW), 2));
    test.clock.pass(2 * 86_400_000);
    assert!(one_round(&test).await);
    assert_eq!((test.services.are_purges_held(), tries(&test).await.len()), (true, 2));
}

#[tokio::test]
async fn a_purge_and_a_publication_are_queued_once_an_hour() {
    let test = service_on(|_| {}).await;
    // It is half past nine.
    let ten = NOW.plus_ms(1_800_000);
    for (now, count) in [(NOW, 2), (ten.plus_ms(-1), 2), (ten, 4), (ten.plus_ms(3_599_999), 4)] {
        schedule(&test.services, now).await.unwrap();
        assert_eq!(tries(&test).await.len(), count, "{now}");
    }
}

#[test]
fn clocks_that_are_a_minute_apart_are_close() {
    for (apart_ms, expected) in [(0, true), (60_000, true), (-60_000, true), (60_001, false), (-60_001, false)] {
        assert_eq!(is_close(NOW.plus_ms(apart_ms), NOW), expected, "{apart_ms}");
    }
}
