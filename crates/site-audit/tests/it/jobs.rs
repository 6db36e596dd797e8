//! Work that no caller waits for, against a real mail server.

use std::time::Duration;

use model::time::{DAY_MS, Timestamp};
use render::mail::Mail;
use service::config::{Config, SecretText};
use service::job::Job;
use service::jobs;
use store::{JobState, NewJob};
use testkit::{MailServer, Mood, TestDatabase};

use crate::app::{Call, TestApp};
use crate::command_line::{code, json, program, stderr, stdout};

testkit::on_both_databases! {
    mail_is_sent_once_and_then_forgotten,
    mail_that_is_refused_for_now_is_tried_again_ever_later,
    mail_that_is_refused_for_a_day_is_given_up,
    mail_that_is_refused_for_good_stays_for_the_operator,
    a_server_that_hangs_up_gets_the_same_message_again,
    a_silent_mail_server_holds_up_nothing_else,
    mail_waits_for_a_server_to_be_configured,
    a_server_whose_clock_is_wrong_does_no_jobs,
    f13_a_clock_far_ahead_at_the_start_purges_nothing,
    f13_a_restart_does_not_make_a_wrong_clock_right,
    f13_the_operator_purges_by_naming_the_date,
    f15_a_job_of_a_newer_version_is_left_to_it,
    housekeeping_runs_once_an_hour_whatever_the_number_of_servers,
}

const GUESTS: &str = "SELECT COUNT(*) FROM guests";

/// Sets the mail server of a configuration.
pub(crate) fn mailing(server: &MailServer) -> impl FnOnce(&mut Config) {
    let url = server.url();
    move |config| {
        config.smtp.url = Some(SecretText::new(url));
        config.smtp.from = Some("Site Audit <audit@example.com>".to_owned());
    }
}

fn mail() -> Mail {
    Mail {
        to: "ana@example.com".to_owned(),
        subject: "A página caiu".to_owned(),
        text: "Olá, Ana.\n.\nhttps://example.com/a=b\n".to_owned(),
        html: Some("<p>Olá, Ana.</p>".to_owned()),
        unsubscribe: None,
        reply_to: None,
    }
}

async fn enqueue(app: &TestApp) {
    let job = Job::SendMail(mail()).queued(app.app.ports(), None);
    assert!(app.app.database().store().enqueue(job).await.unwrap());
}

async fn work_off(app: &TestApp) -> usize {
    jobs::work_off(&app.app).await.unwrap()
}

async fn mail_is_sent_once_and_then_forgotten(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    enqueue(&app).await;
    assert_eq!((work_off(&app).await, work_off(&app).await), (1, 0));
    let letters = server.letters();
    assert_eq!(letters.len(), 1);
    let letter = letters.first().unwrap();
    assert_eq!(letter.to, ["ana@example.com"]);
    assert_eq!(
        (letter.text().trim_end(), letter.html().trim_end()),
        (mail().text.trim_end(), mail().html.unwrap().as_str())
    );
    assert_eq!(letter.link("https://"), "https://example.com/a=b");
    let done = app.app.database().store().jobs(JobState::Done, 10).await.unwrap();
    assert_eq!(done.first().unwrap().payload, "");
}

async fn mail_that_is_refused_for_now_is_tried_again_ever_later(database: TestDatabase) {
    let server = MailServer::start().await;
    server.set(Mood::Busy);
    let app = TestApp::start(database, mailing(&server)).await;
    enqueue(&app).await;
    for minutes in [1, 2, 4] {
        assert_eq!((work_off(&app).await, work_off(&app).await), (1, 0), "{minutes}");
        app.pass(Duration::from_secs(minutes * 60 - 1));
        assert_eq!(work_off(&app).await, 0, "{minutes}");
        app.pass(Duration::from_secs(1));
    }
    let waiting = app.app.database().store().jobs(JobState::Waiting, 10).await.unwrap();
    assert!(waiting.first().unwrap().last_error.as_ref().unwrap().contains("try again later"), "{waiting:?}");
    server.set(Mood::Accept);
    assert_eq!((work_off(&app).await, server.letters().len()), (1, 1));
}

/// Two versions work on one queue during an upgrade.
async fn f15_a_job_of_a_newer_version_is_left_to_it(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, mailing(&server)).await;
    enqueue(&app).await;
    app.database.execute("UPDATE jobs SET payload = '{\"NewerKind\":' || payload || '}'").await;
    for _ in 0..40 {
        assert_eq!(work_off(&app).await, 1);
        app.pass(Duration::from_secs(60));
    }
    // The newer server takes it over, and has all its tries.
    app.database.execute("UPDATE jobs SET payload = substr(payload, 14, length(payload) - 14)").await;
    assert_eq!((work_off(&app).await, server.letters().len()), (1, 1));
    // What nobody can read within a day is told.
    enqueue(&app).await;
    app.database.execute("UPDATE jobs SET payload = '{\"NewerKind\":1}' WHERE state = 'waiting'").await;
    app.pass(Duration::from_secs(86_400));
    assert_eq!(work_off(&app).await, 1);
    let dead = app.app.database().store().jobs(JobState::Dead, 10).await.unwrap();
    assert!(dead.first().unwrap().last_error.as_ref().unwrap().contains("it can't be read"), "{dead:?}");
}

/// Thirty tries: six within the first hour, then one an hour.
async fn mail_that_is_refused_for_a_day_is_given_up(database: TestDatabase) {
    let server = MailServer::start().await;
    server.set(Mood::Busy);
    let app = TestApp::start(database, mailing(&server)).await;
    enqueue(&app).await;
    let states = async || {
        let store = app.app.database().store();
        let count = async |state| store.jobs(state, 10).await.unwrap().len();
        (count(JobState::Waiting).await, count(JobState::Dead).await)
    };
    for minutes in [1, 2, 4, 8, 16, 32].into_iter().chain([60; 23]) {
        assert_eq!(work_off(&app).await, 1, "{minutes}");
        assert_eq!(states().await, (1, 0), "{minutes}");
        app.pass(Duration::from_secs(minutes * 60));
    }
    assert_eq!((work_off(&app).await, states().await), (1, (0, 1)));
}

async fn mail_that_is_refused_for_good_stays_for_the_operator(database: TestDatabase) {
    let server = MailServer::start().await;
    server.set(Mood::Refuse);
    let app = TestApp::start(database, mailing(&server)).await;
    enqueue(&app).await;
    work_off(&app).await;
    app.pass(Duration::from_secs(30 * 86_400));
    assert_eq!(work_off(&app).await, 0);

    let operator = async |arguments: &[&str]| {
        let url = app.database.url();
        let mut command = program();
        command.arg("operator").args(arguments).args(["--config", "/dev/null", "--database-url", url]);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    };
    let listed = json(&operator(&["jobs", "--format", "json"]).await);
    let job = &listed[0];
    assert_eq!((job["state"].as_str(), listed.as_array().unwrap().len()), (Some("dead"), 1), "{listed}");
    assert_eq!(job["what"], "mail to ana@example.com: A página caiu");
    assert!(job["error"].as_str().unwrap().contains("no such mailbox"), "{job}");
    let text = stdout(&operator(&["jobs"]).await);
    assert!(text.contains(job["id"].as_str().unwrap()) && text.contains("1 attempts"), "{text}");

    let unknown = operator(&["retry", "nothing"]).await;
    assert!(code(&unknown) == 2 && stderr(&unknown).contains("operator jobs"), "{unknown:?}");
    assert_eq!(code(&operator(&["retry", job["id"].as_str().unwrap()]).await), 0);
    server.set(Mood::Accept);
    // The command's clock is the machine's, which is ahead of the test's.
    app.pass(Duration::from_secs(20 * 366 * 86_400));
    assert_eq!((work_off(&app).await, server.letters().len()), (1, 1));
    let none = stdout(&operator(&["jobs", "--state", "dead"]).await);
    assert_eq!(none, "no waiting and no failed jobs\n");
}

async fn a_server_that_hangs_up_gets_the_same_message_again(database: TestDatabase) {
    let server = MailServer::start().await;
    server.set(Mood::Drop);
    let app = TestApp::start(database, mailing(&server)).await;
    enqueue(&app).await;
    work_off(&app).await;
    let id = app.app.database().store().jobs(JobState::Waiting, 1).await.unwrap().first().unwrap().id.clone();
    server.set(Mood::Accept);
    app.pass(Duration::from_secs(60));
    work_off(&app).await;
    let letters = server.letters();
    assert_eq!(letters.first().unwrap().header("Message-ID"), format!("<{id}@127.0.0.1>"));
}

async fn a_silent_mail_server_holds_up_nothing_else(database: TestDatabase) {
    let server = MailServer::start().await;
    server.set(Mood::Stall);
    let app = TestApp::start(database, mailing(&server)).await;
    app.set_to_machine();
    for _ in 0..6 {
        enqueue(&app).await;
    }
    let background = jobs::start(app.app.clone());
    server.connected(4).await;
    assert_eq!(app.call(Call::get("/api/gate")).await.status, 200);
    // What waits for the server fails with it, and is kept.
    drop(server);
    background.stop().await;
    let waiting = app.app.database().store().jobs(JobState::Waiting, 10).await.unwrap();
    assert_eq!(waiting.iter().filter(|job| job.lane == "mail").count(), 6);
}

async fn mail_waits_for_a_server_to_be_configured(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    enqueue(&app).await;
    assert_eq!(work_off(&app).await, 1);
    let waiting = app.app.database().store().jobs(JobState::Waiting, 10).await.unwrap();
    assert_eq!(waiting.first().unwrap().last_error.as_deref(), Some("smtp.url is not set"));
}

async fn housekeeping_runs_once_an_hour_whatever_the_number_of_servers(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    for _ in 0..3 {
        jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    }
    // The purge, and the publication of statistics.
    assert_eq!(work_off(&app).await, 2);
    app.pass(Duration::from_secs(3_600));
    jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    assert_eq!(work_off(&app).await, 2);
}

/// As after a start with a clock that is 400 days ahead: guests and audits were gone within a minute, without a word.
async fn f13_a_clock_far_ahead_at_the_start_purges_nothing(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    // PostgreSQL has a clock to compare with.
    app.set_to_machine();
    app.guest().await;
    app.database.execute(&format!("UPDATE guests SET last_seen_at = last_seen_at - {}", 400 * DAY_MS)).await;
    app.database.execute("DELETE FROM jobs").await;
    // Queued long ago, so that it says nothing of the clock.
    let job = NewJob { created_at: Timestamp(0), ..Job::Purge.queued(app.app.ports(), None) };
    let id = job.id.clone();
    assert!(app.app.database().store().enqueue(job).await.unwrap());
    let background = jobs::start(app.app.clone());
    let done = || app.app.database().store().jobs(JobState::Done, 100);
    while !done().await.unwrap().iter().any(|job| job.id == id) {}
    assert_eq!(count(&app, GUESTS).await, 1);
    background.stop().await;
}

/// The clock jumped 400 days, calls stored things by it, and the service was started again within the hour.
async fn f13_a_restart_does_not_make_a_wrong_clock_right(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    app.set_to_machine();
    app.guest().await;
    jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    // The purge, and the publication of statistics.
    assert_eq!(work_off(&app).await, 2);
    app.database.execute(&format!("UPDATE guests SET last_seen_at = last_seen_at - {}", 400 * DAY_MS)).await;
    app.database.execute(&format!("UPDATE jobs SET created_at = created_at - {}", 400 * DAY_MS)).await;
    app.guest().await;
    let job = Job::Purge.queued(app.app.ports(), None);
    let id = job.id.clone();
    assert!(app.app.database().store().enqueue(job).await.unwrap());
    let background = jobs::start(app.app.clone());
    let done = || app.app.database().store().jobs(JobState::Done, 100);
    while !done().await.unwrap().iter().any(|job| job.id == id) {}
    assert_eq!(count(&app, GUESTS).await, 2);
    // None was queued either: that of the start before is the newest.
    assert_eq!(count(&app, "SELECT COUNT(*) FROM jobs WHERE unique_key LIKE 'purge:%'").await, 1);
    background.stop().await;
}

async fn f13_the_operator_purges_by_naming_the_date(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    app.set_to_machine();
    app.guest().await;
    app.database.execute(&format!("UPDATE guests SET last_seen_at = last_seen_at - {}", 800 * DAY_MS)).await;
    let operator = async |date: &str| {
        let mut command = program();
        command.args(["operator", "purge", "--date", date, "--config", "/dev/null"]);
        command.args(["--database-url", app.database.url()]);
        tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap()
    };
    for date in ["2020-01-31", "today"] {
        let refused = operator(date).await;
        assert!(code(&refused) == 2 && stderr(&refused).contains("nothing was deleted"), "{refused:?}");
        assert_eq!(count(&app, GUESTS).await, 1);
    }
    let purged = operator(&app.app.ports().now().day().to_string()).await;
    assert_eq!((code(&purged), stdout(&purged)), (0, "deleted 1 row\n".to_owned()), "{purged:?}");
    assert_eq!(count(&app, GUESTS).await, 0);
}

async fn count(app: &TestApp, query: &'static str) -> i64 {
    sqlx::Row::get(&app.database.row(query).await, 0)
}

async fn a_server_whose_clock_is_wrong_does_no_jobs(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let shares_a_clock = app.database.is_postgres();
    assert_eq!(jobs::is_in_step(&app.app).await.unwrap(), !shares_a_clock);
    app.set_to_machine();
    for (seconds, wanted) in [(0, true), (30, true), (120, !shares_a_clock)] {
        app.pass(Duration::from_secs(seconds));
        assert_eq!(jobs::is_in_step(&app.app).await.unwrap(), wanted, "{seconds}");
    }
}
