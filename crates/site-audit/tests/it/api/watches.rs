//! The daily watch: with the clock moved, a real mail server, and a page that changes.

mod addresses;
mod limits;

use std::time::Duration;

use serde_json::{Value, json};
use service::config::Config;
use service::jobs;
use store::JobState;
use testkit::{MailServer, ReceivedMail, TestDatabase};

use super::people;
use super::tabs::{BAD, GOOD, Page, get, open, send};
use crate::app::{Call, Response, TestApp};
use crate::jobs::mailing;

testkit::on_both_databases! {
    a_page_is_audited_once_a_day_and_a_change_for_the_worse_is_told,
    a_snoozed_finding_is_no_alert_until_the_snooze_ends,
    a_page_that_can_not_be_reached_is_told_once_until_it_was_reached,
    a_page_that_comes_back_within_the_hour_is_no_alert,
    an_account_watches_so_many_pages_and_no_more,
    a_watch_that_ended_runs_no_more,
    a_watch_that_is_switched_on_again_keeps_the_run_that_is_due,
    several_servers_run_a_day_s_watch_once,
    a_clock_that_was_set_makes_no_watch_run_twice_or_stand_still,
}

const DAY: Duration = Duration::from_secs(86_400);

/// A service with an account `ana` and the token of her key.
struct Watching {
    app: TestApp,
    mail: MailServer,
    page: Page,
    token: String,
}

impl Watching {
    async fn start(database: TestDatabase, change: impl FnOnce(&mut Config)) -> Self {
        let (mail, page) = (MailServer::start().await, Page::start(GOOD).await);
        let mailing = mailing(&mail);
        let app = TestApp::start(database, |config| {
            mailing(config);
            change(config);
        })
        .await;
        let account = people::account(&app, "ana").await;
        let token = people::key(&app, &format!("account:{account}")).await;
        Self { app, mail, page, token }
    }

    /// A watched tab; its id.
    async fn watched(&self) -> String {
        let id = open(&self.app, &self.token, &self.page.url()).await;
        let changed = self.patch(&id, json!({"monitor": true})).await;
        assert_eq!((changed.status, &changed.json()["tab"]["monitor"]), (200, &json!(true)), "{}", changed.body);
        id
    }

    async fn patch(&self, id: &str, body: Value) -> Response {
        send(&self.app, &self.token, "PATCH", &format!("/api/tabs/{id}"), body).await
    }

    /// A day goes by; then what is due is done.
    async fn next_day(&self) {
        self.app.pass(DAY);
        self.work().await;
    }

    async fn work(&self) {
        jobs::schedule(&self.app.app, self.app.app.ports().now()).await.unwrap();
        self.work_off().await;
    }

    /// Does what is due. A run that failed for what a loaded machine brings about, and not for the page, is due again.
    async fn work_off(&self) {
        const OF_THE_PAGE: &str = "the page could not be reached";
        let mut reasons = Vec::new();
        for _ in 0..10 {
            jobs::work_off(&self.app.app).await.unwrap();
            let store = self.app.app.database().store();
            let mut failed = store.jobs(JobState::Waiting, 100).await.unwrap();
            failed.extend(store.jobs(JobState::Dead, 100).await.unwrap());
            failed.retain(|job| job.lane == "audit" && job.last_error.as_deref().is_some_and(|why| why != OF_THE_PAGE));
            if failed.is_empty() {
                return;
            }
            for job in failed {
                assert_eq!(job.state, JobState::Waiting, "{job:?}");
                self.app.database.execute(&format!("UPDATE jobs SET run_at = 0 WHERE id = '{}'", job.id)).await;
                reasons.extend(job.last_error);
            }
        }
        panic!("a watch's run was not made, and the page was not why: {reasons:?}");
    }

    async fn runs(&self, id: &str) -> Vec<Value> {
        let history = get(&self.app, &self.token, &format!("/api/tabs/{id}/history")).await;
        history["runs"].as_array().unwrap().clone()
    }

    async fn tab(&self, id: &str) -> Value {
        get(&self.app, &self.token, &format!("/api/tabs/{id}")).await["tab"].clone()
    }

    fn letters(&self) -> Vec<ReceivedMail> {
        self.mail.letters()
    }

    /// Follows an address in a mail.
    async fn follow(&self, method: &str, url: &str, body: &str) -> Response {
        let path = url.strip_prefix(&self.app.url("")).unwrap_or_else(|| panic!("not ours: {url}"));
        let call = Call::new(method, path);
        self.app.call(call.header("content-type", "application/x-www-form-urlencoded").body(body)).await
    }
}

async fn a_page_is_audited_once_a_day_and_a_change_for_the_worse_is_told(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.work().await;
    let first = watching.runs(&id).await;
    assert_eq!((first.len(), watching.letters().len()), (1, 0));
    assert_eq!(watching.tab(&id).await["monitor_checked_at"], first[0]["created_at"]);
    assert_eq!(watching.app.free_remaining().await, 10);

    watching.page.set(Some(BAD));
    watching.next_day().await;
    let letters = watching.letters();
    let alerted: Vec<_> = watching.runs(&id).await.iter().map(|run| run["alerted"].clone()).collect();
    assert_eq!((alerted, letters.len()), (vec![json!(true), json!(false)], 1));
    let letter = &letters[0];
    assert_eq!(letter.to, ["ana@example.com"]);
    let (good, bad) = (first[0]["score"].as_i64().unwrap(), watching.tab(&id).await["score"].as_i64().unwrap());
    let text = letter.text();
    for wanted in [
        format!("{good} → {bad}"),
        watching.page.url(),
        "Error: ".to_owned(),
        watching.app.url("/checks/title_missing?lang=en"),
        watching.app.url(&format!("/reports/{}", watching.tab(&id).await["audit_id"].as_str().unwrap())),
        watching.app.url("/watch/stop?token="),
    ] {
        assert!(text.contains(&wanted), "{wanted}: {text}");
    }
    assert!(letter.html().contains(&watching.app.url("/checks/title_missing?lang=en")), "{}", letter.html());
    assert_eq!(letter.header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    assert!(letter.header("List-Unsubscribe").contains(&watching.app.url("/watch/stop?token=")));

    // As bad as yesterday, and then better: nothing to tell.
    watching.next_day().await;
    watching.page.set(Some(GOOD));
    watching.next_day().await;
    assert_eq!((watching.runs(&id).await.len(), watching.letters().len()), (4, 1));
}

async fn a_snoozed_finding_is_no_alert_until_the_snooze_ends(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    let until = watching.app.app.ports().now().plus_ms(3 * 86_400_000).to_string()[..10].to_owned();
    let path = format!("/api/tabs/{id}/snoozes");
    let snooze = async |code: &str, reason: &str, until: &str| {
        send(&watching.app, &watching.token, "POST", &path, json!({"code": code, "reason": reason, "until": until}))
            .await
    };
    watching.app.pass(Duration::from_secs(60));
    // The page without a title has no other finding that one with a title has not.
    watching.page.set(Some(BAD));
    let before = send(&watching.app, &watching.token, "POST", &format!("/api/tabs/{id}/run"), Value::Null).await.json();
    watching.page.set(Some(GOOD));
    watching.app.pass(Duration::from_secs(60));
    send(&watching.app, &watching.token, "POST", &format!("/api/tabs/{id}/run"), Value::Null).await;
    let broke: Vec<String> = watching.runs(&id).await[1]["change"]["broke"]
        .as_array()
        .unwrap()
        .iter()
        .map(|changed| changed["code"].as_str().unwrap().to_owned())
        .collect();
    assert!(broke.contains(&"title_missing".to_owned()), "{before}");
    for code in &broke {
        assert_eq!(snooze(code, "The new template", &until).await.status, 200);
    }
    let listed = get(&watching.app, &watching.token, &path).await;
    assert_eq!(listed["snoozes"].as_array().unwrap().len(), broke.len(), "{listed}");
    watching.page.set(Some(BAD));
    watching.next_day().await;
    assert_eq!(watching.letters().len(), 0);
    // The snooze has ended, and what broke meanwhile is found again after a day on which it was fine.
    watching.page.set(Some(GOOD));
    for _ in 0..3 {
        watching.next_day().await;
    }
    assert_eq!(get(&watching.app, &watching.token, &path).await["snoozes"], json!([]));
    watching.page.set(Some(BAD));
    watching.next_day().await;
    assert_eq!(watching.letters().len(), 1);
    for (code, reason, until, status) in [
        ("title_missing", "", until.as_str(), 400),
        ("title_missing", "x", "2026-01-01", 400),
        ("title_missing", "x", "tomorrow", 400),
        ("nothing", "x", until.as_str(), 404),
    ] {
        assert_eq!(snooze(code, reason, until).await.status, status, "{code} {reason} {until}");
    }
    let ended = send(&watching.app, &watching.token, "DELETE", &format!("{path}/title_missing"), Value::Null).await;
    assert_eq!((ended.status, &ended.json()["snoozes"]), (200, &json!([])), "{}", ended.body);
    let stranger = watching.app.guest().await;
    assert_eq!(send(&watching.app, &stranger, "GET", &path, Value::Null).await.status, 404);
}

async fn a_page_that_can_not_be_reached_is_told_once_until_it_was_reached(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.page.set(None);
    // An hour of tries, then the run.
    let fail = async || {
        watching.next_day().await;
        for _ in 0..8 {
            watching.app.pass(Duration::from_secs(1_800));
            watching.work().await;
        }
        watching.app.pass(DAY - Duration::from_secs(8 * 1_800));
        watching.app.pass(Duration::from_secs(0));
    };
    watching.app.pass(DAY);
    jobs::schedule(&watching.app.app, watching.app.app.ports().now()).await.unwrap();
    watching.work_off().await;
    assert_eq!((watching.runs(&id).await.len(), watching.letters().len()), (1, 0));
    watching.app.pass(Duration::from_secs(3_600));
    watching.work_off().await;
    let runs = watching.runs(&id).await;
    assert_eq!((runs.len(), watching.letters().len()), (2, 1));
    assert_eq!((&runs[0]["score"], &runs[0]["counts"]["errors"]), (&Value::Null, &json!(1)));
    assert_eq!(runs[0]["change"]["broke"][0]["code"], "page_unreachable");
    assert_eq!((&runs[0]["change"]["score"], &runs[0]["change"]["to"]), (&Value::Null, &Value::Null));
    assert_eq!(watching.tab(&id).await["score"], Value::Null);
    let audit =
        get(&watching.app, &watching.token, &format!("/api/audits/{}", runs[0]["audit_id"].as_str().unwrap())).await;
    assert_eq!(
        (&audit["summary"], &audit["score"], audit["issues"].as_array().unwrap().len()),
        (&Value::Null, &json!(0), 1)
    );
    assert!(watching.letters()[0].text().contains("can't be reached"), "{}", watching.letters()[0].text());

    fail().await;
    assert_eq!((watching.runs(&id).await.len() > 2, watching.letters().len()), (true, 1));
    watching.page.set(Some(GOOD));
    watching.next_day().await;
    let back = watching.runs(&id).await;
    // Compared with the newest earlier run that has a score.
    assert_eq!(back[0]["change"]["score"], 0);
    assert_eq!(watching.letters().len(), 1);
    watching.page.set(None);
    fail().await;
    assert_eq!(watching.letters().len(), 2);
}

async fn a_page_that_comes_back_within_the_hour_is_no_alert(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.page.set(None);
    watching.next_day().await;
    watching.page.set(Some(GOOD));
    watching.app.pass(Duration::from_secs(60));
    watching.work().await;
    assert_eq!((watching.runs(&id).await.len(), watching.letters().len()), (2, 0));
    assert!(watching.tab(&id).await["score"].is_u64());
}

async fn an_account_watches_so_many_pages_and_no_more(database: TestDatabase) {
    let watching = Watching::start(database, |config| config.limits.watched_pages = 1).await;
    let id = watching.watched().await;
    let other = open(&watching.app, &watching.token, "https://example.com/").await;
    let refused = watching.patch(&other, json!({"monitor": true, "alias": "x"})).await;
    assert_eq!(refused.refusal(), (409, "monitor_limit".to_owned()));
    assert_eq!(watching.tab(&other).await["alias"], Value::Null);
    // One that is watched already counts once.
    assert_eq!(watching.patch(&id, json!({"monitor": true})).await.status, 200);
    watching.patch(&id, json!({"monitor": false})).await;
    assert_eq!(watching.patch(&other, json!({"monitor": true})).await.status, 200);
}

async fn a_watch_that_is_switched_on_again_keeps_the_run_that_is_due(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.app.pass(DAY);
    assert_eq!(watching.patch(&id, json!({"monitor": true})).await.status, 200);
    jobs::schedule(&watching.app.app, watching.app.app.ports().now()).await.unwrap();
    jobs::work_off(&watching.app.app).await.unwrap();
    assert_eq!(watching.runs(&id).await.len(), 1);
}

async fn a_watch_that_ended_runs_no_more(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.app.pass(DAY);
    jobs::schedule(&watching.app.app, watching.app.app.ports().now()).await.unwrap();
    // Between the queue and the run.
    watching.patch(&id, json!({"monitor": false})).await;
    jobs::work_off(&watching.app.app).await.unwrap();
    watching.next_day().await;
    assert_eq!(watching.runs(&id).await.len(), 0);
    // Begun again on the same day, it keeps its time of day.
    watching.patch(&id, json!({"monitor": true})).await;
    watching.next_day().await;
    assert_eq!(watching.runs(&id).await.len(), 1);
    send(&watching.app, &watching.token, "DELETE", &format!("/api/tabs/{id}"), Value::Null).await;
    watching.next_day().await;
    assert!(watching.page.site.asked().iter().filter(|asked| asked.path == "/page").count() == 1);
}

async fn several_servers_run_a_day_s_watch_once(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.page.set(Some(BAD));
    watching.app.pass(DAY);
    let now = watching.app.app.ports().now();
    for skew in [-5_000, 0, 5_000] {
        jobs::schedule(&watching.app.app, now.plus_ms(skew)).await.unwrap();
    }
    let work = async || jobs::work_off(&watching.app.app).await.unwrap();
    tokio::join!(work(), work(), work());
    watching.work_off().await;
    assert_eq!((watching.runs(&id).await.len(), watching.letters().len()), (2, 1));
}

async fn a_clock_that_was_set_makes_no_watch_run_twice_or_stand_still(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    let row = watching.app.database.row("SELECT watch_at FROM tabs").await;
    let due: i64 = sqlx::Row::get(&row, 0);
    let wait = u64::try_from(due - watching.app.app.ports().now().0).unwrap();
    watching.app.pass(Duration::from_millis(wait) + Duration::from_secs(1_800));
    watching.work().await;
    let back = |hours: u64| Duration::from_secs(hours * 3_600);
    // An hour back, to before it was due, and forth again: the day's run was made.
    watching.app.go_back(back(1));
    watching.work().await;
    watching.app.pass(back(1));
    watching.work().await;
    assert_eq!(watching.runs(&id).await.len(), 1);
    // Five days ahead by mistake, and back: one run there, and one a day here again.
    watching.app.pass(5 * DAY);
    watching.work().await;
    assert_eq!(watching.runs(&id).await.len(), 2);
    watching.app.go_back(5 * DAY);
    watching.work().await;
    watching.next_day().await;
    assert_eq!(watching.runs(&id).await.len(), 3);
}
