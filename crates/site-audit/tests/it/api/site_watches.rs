//! Watches of sites: with the clock moved, a real mail server, and a site that changes.

mod conditional;
mod paid;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use service::config::Config;
use service::jobs;
use testkit::{MailServer, ReceivedRequest, SiteAnswer, TestDatabase, TestSite};

use super::people;
use crate::app::{Call, Response, TestApp};
use crate::jobs::mailing;

testkit::on_both_databases! {
    what_broke_is_told_in_one_mail,
    the_report_of_a_watched_run_has_its_changes,
    nothing_is_told_when_nothing_broke,
    two_servers_run_a_slot_once,
    a_run_that_was_killed_in_the_middle_is_told_once,
    a_link_stops_the_watch_with_one_click,
    a_site_that_is_down_is_told_once,
    a_watch_is_its_owners,
    an_owner_has_so_many_watches_and_no_more,
    a_watch_is_changed_and_its_time_with_it,
    a_run_waits_for_a_place,
    an_organization_s_first_owner_hears_of_it,
    the_run_to_compare_with_outlives_its_retention,
    a_closed_account_runs_nothing_and_leaves_nothing,
}

const DAY: Duration = Duration::from_secs(86_400);

/// What the made site is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    /// Without defects that matter here.
    Good,
    /// The first page links to a page that is not there, and every product lost its description.
    Broken,
    /// Crawlers have to stay away, as robots.txt can't be read.
    Down,
}

/// A site whose mood changes.
#[derive(Clone)]
struct Changing(Arc<Mutex<Mood>>);

impl Changing {
    fn set(&self, mood: Mood) {
        *self.0.lock().unwrap() = mood;
    }

    fn answer(&self, asked: &ReceivedRequest) -> SiteAnswer {
        let mood = *self.0.lock().unwrap();
        let page = |title: &str, description: bool, body: &str| {
            let description = if description {
                format!(
                    "<meta name=description content=\"All about {title}: how it is baked, what it is made of, and when it comes out of the oven.\">"
                )
            } else {
                String::new()
            };
            SiteAnswer::html(&format!(
                "<!doctype html><html lang=en><head><title>{title}</title>{description}</head><body><nav>\
                 <a href=/>Home of bread</a></nav><main><h1>{title}</h1>{body}</main></body></html>"
            ))
        };
        match (asked.path.as_str(), mood) {
            ("/robots.txt", Mood::Down) => SiteAnswer::page(503, "text/plain", "later"),
            ("/", _) => {
                let products: String =
                    (1..=6).map(|n| format!("<li><a href=/product/{n}>Product number {n}</a></li>")).collect();
                let gone = if mood == Mood::Broken { "<li><a href=/gone>Gone for good</a></li>" } else { "" };
                let hours = "<section class=hours><table><tr><th>Monday</th><td>8 to 18</td></tr></table></section>";
                page("Home of bread", true, &format!("<section class=shop><ul>{products}{gone}</ul></section>{hours}"))
            }
            (path, _) if path.starts_with("/product/") => {
                page(&format!("Product {path}"), mood == Mood::Good, &format!("<p>Bread of the kind {path}</p>"))
            }
            _ => SiteAnswer::missing(),
        }
    }
}

/// A service with an account `ana`, the token of her key, and a site.
struct Watching {
    app: TestApp,
    mail: MailServer,
    site: TestSite,
    mood: Changing,
    token: String,
}

impl Watching {
    async fn start(database: TestDatabase, change: impl FnOnce(&mut Config)) -> Self {
        let mail = MailServer::start().await;
        let mailing = mailing(&mail);
        let app = TestApp::start(database, |config| {
            mailing(config);
            change(config);
        })
        .await;
        let mood = Changing(Arc::new(Mutex::new(Mood::Good)));
        let answering = mood.clone();
        let site = TestSite::start(move |asked| answering.answer(asked)).await;
        let account = people::account(&app, "ana").await;
        let token = people::key(&app, &format!("account:{account}")).await;
        Self { app, mail, site, mood, token }
    }

    /// A daily watch; its id.
    async fn watched(&self) -> String {
        let answer = self.post(&json!({"url": self.site.url("/"), "every": "daily"})).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["watch"]["id"].as_str().unwrap().to_owned()
    }

    async fn post(&self, body: &Value) -> Response {
        self.send("POST", "/api/site-watches", body).await
    }

    async fn send(&self, method: &str, path: &str, body: &Value) -> Response {
        self.app.call(Call::new(method, path).header("x-api-key", &self.token).body(&body.to_string())).await
    }

    async fn watch(&self, id: &str) -> Value {
        let list = get(&self.app, &self.token, "/api/site-watches").await;
        let found = list["watches"].as_array().unwrap().iter().find(|watch| watch["id"] == id);
        found.unwrap_or_else(|| panic!("{id} of {list}")).clone()
    }

    /// A day goes by; then what is due is done.
    async fn next_day(&self) {
        self.app.pass(DAY);
        self.work().await;
    }

    async fn work(&self) {
        jobs::schedule(&self.app.app, self.app.app.ports().now()).await.unwrap();
        jobs::work_off(&self.app.app).await.unwrap();
    }

    /// All runs, newest first.
    async fn runs(&self) -> Vec<Value> {
        get(&self.app, &self.token, "/api/sites").await["sites"].as_array().unwrap().clone()
    }

    /// The newest run, with what changed.
    async fn newest(&self) -> Value {
        let runs = self.runs().await;
        get(&self.app, &self.token, &format!("/api/sites/{}", runs[0]["id"].as_str().unwrap())).await
    }
}

async fn get(app: &TestApp, key: &str, path: &str) -> Value {
    let answer = app.call(Call::get(path).header("x-api-key", key)).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()
}

fn codes(changes: &Value) -> Vec<String> {
    changes.as_array().unwrap().iter().map(|change| change["code"].as_str().unwrap().to_owned()).collect()
}

async fn what_broke_is_told_in_one_mail(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    let watch = watching.watch(&id).await;
    assert_eq!((&watch["every"], &watch["on"], &watch["paid_by"]), (&json!("daily"), &json!(true), &json!("nothing")));
    assert_eq!((&watch["last"], &watch["problem"]), (&Value::Null, &Value::Null));
    watching.next_day().await;
    watching.work().await;
    let first = watching.newest().await;
    assert_eq!((&first["status"], &first["watch"], &first["changes"]), (&json!("finished"), &json!(id), &Value::Null));
    assert_eq!((watching.runs().await.len(), watching.mail.letters().len()), (1, 0));

    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    let run = watching.newest().await;
    let changes = &run["changes"];
    assert_eq!(changes["since"], first["id"]);
    let broke = codes(&changes["broke"]);
    for code in ["broken_internal_link", "meta_description_missing"] {
        assert!(broke.contains(&code.to_owned()), "{code}: {changes}");
    }
    assert_eq!(changes["fixed"], json!([]));
    let missing = changes["broke"].as_array().unwrap().iter().find(|one| one["code"] == "meta_description_missing");
    let missing = missing.unwrap();
    assert_eq!((&missing["total"], missing["urls"].as_array().unwrap().len()), (&json!(6), 5));
    assert!(missing["template"].as_str().unwrap().starts_with("/product/"), "{missing}");
    let letters = watching.mail.letters();
    assert_eq!((letters.len(), &letters[0].to), (1, &vec!["ana@example.com".to_owned()]));
    let text = letters[0].text();
    for part in [
        "Broke",
        &watching.site.url("/gone"),
        "6 pages of the template /product/",
        &watching.app.url(&format!("/sites/{}?lang=en", run["id"].as_str().unwrap())),
        &watching.app.url("/watch/stop?token="),
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(letters[0].header("List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
    let last = &watching.watch(&id).await["last"];
    assert_eq!((&last["id"], &last["broke"]), (&run["id"], &json!(broke.len())));

    // Better again: told on the page, and to nobody by mail.
    watching.mood.set(Mood::Good);
    watching.next_day().await;
    let changes = watching.newest().await["changes"].clone();
    assert_eq!(changes["broke"], json!([]));
    assert!(codes(&changes["fixed"]).contains(&"broken_internal_link".to_owned()), "{changes}");
    assert_eq!((watching.runs().await.len(), watching.mail.letters().len()), (3, 1));

    // In the language of the account.
    watching.app.database.execute("UPDATE accounts SET locale = 'pt-BR'").await;
    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    let letters = watching.mail.letters();
    assert_eq!(letters.len(), 2);
    let text = letters[1].text();
    assert!(text.contains("Quebrou") && text.contains("6 páginas do modelo /product/"), "{text}");
}

async fn the_report_of_a_watched_run_has_its_changes(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    watching.watched().await;
    let report = async |run: &Value, format: &str| {
        let path = format!("/api/sites/{}/report?format={format}&lang=en", run["id"].as_str().unwrap());
        let answer = watching.app.call(Call::get(&path).header("x-api-key", &watching.token)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer
    };
    watching.next_day().await;
    let first = watching.newest().await;
    assert_eq!(report(&first, "json").await.json()["changes"], Value::Null);
    assert!(!report(&first, "html").await.body.contains("Changes since"));
    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    let run = watching.newest().await;
    let written = report(&run, "json").await.json();
    let changes = &written["changes"];
    assert_eq!(changes["since"], first["created_at"]);
    for list in ["broke", "fixed", "still"] {
        assert_eq!(changes[list], run["changes"][list], "{list}");
    }
    assert_eq!(changes["leftOut"], run["changes"]["left_out"]);
    let path = format!("/api/sites/{}/report", run["id"].as_str().unwrap());
    assert_eq!(watching.app.undescribed(&path, &written), Vec::<String>::new());
    let html = report(&run, "html").await.body;
    for part in ["Changes since the audit of ", "<h3>Broke (", "6 pages of the template of /product/", "and 1 more"] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(report(&run, "sarif").await.json()["runs"][0]["properties"]["changes"], *changes);

    // A day later nothing is new, and what broke is still there.
    watching.next_day().await;
    let later = watching.newest().await;
    assert_eq!((&later["changes"]["broke"], &later["changes"]["fixed"]), (&json!([]), &json!([])));
    let still = codes(&later["changes"]["still"]);
    assert!(codes(&run["changes"]["broke"]).iter().all(|code| still.contains(code)), "{still:?}");
    let html = report(&later, "html").await.body;
    assert!(html.contains("Nothing was fixed and nothing broke.") && html.contains("Still there ("), "{html}");

    // Without the run before, its date is not known any more.
    let deleted = format!("/api/sites/{}", run["id"].as_str().unwrap());
    assert_eq!(watching.send("DELETE", &deleted, &json!({})).await.status, 200);
    let written = report(&later, "json").await.json();
    assert_eq!((&written["changes"]["since"], codes(&written["changes"]["still"])), (&Value::Null, still));
    assert!(report(&later, "html").await.body.contains("Changes since the audit before"));
}

async fn nothing_is_told_when_nothing_broke(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    watching.watched().await;
    for _ in 0..3 {
        watching.next_day().await;
    }
    let run = watching.newest().await;
    assert_eq!((&run["changes"]["broke"], &run["changes"]["fixed"]), (&json!([]), &json!([])));
    assert_eq!((watching.runs().await.len(), watching.mail.letters().len()), (3, 0));
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
    assert_eq!((watching.runs().await.len(), watching.mail.letters().len()), (2, 1));
}

async fn a_link_stops_the_watch_with_one_click(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    let link = watching.mail.letters()[0].link(&watching.app.url("/watch/stop"));
    let path = link.strip_prefix(&watching.app.url("")).unwrap().to_owned();
    let looked = watching.app.call(Call::get(&path)).await;
    assert_eq!(looked.status, 200, "{}", looked.body);
    assert!(looked.body.contains(&watching.site.url("/")), "{}", looked.body);
    assert_eq!(watching.watch(&id).await["on"], true, "a look changes nothing");
    let form = Call::new("POST", &path).header("content-type", "application/x-www-form-urlencoded");
    let clicked = watching.app.call(form.clone().body("List-Unsubscribe=One-Click")).await;
    assert_eq!(clicked.status, 200, "{}", clicked.body);
    let watch = watching.watch(&id).await;
    assert_eq!((&watch["on"], &watch["next_at"]), (&json!(false), &Value::Null));
    watching.next_day().await;
    assert_eq!(watching.runs().await.len(), 2);
    assert_eq!(watching.app.call(form.body("List-Unsubscribe=One-Click")).await.status, 200, "twice is once");
    let on = watching.send("PATCH", &format!("/api/site-watches/{id}"), &json!({"on": true})).await.json();
    assert!(on["watch"]["next_at"].is_string(), "{on}");
    // Thirteen months later the link is gone.
    watching.app.pass(396 * DAY);
    assert_eq!(watching.app.call(Call::get(&path)).await.status, 404);
}

async fn a_site_that_is_down_is_told_once(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.mood.set(Mood::Down);
    watching.next_day().await;
    let watch = watching.watch(&id).await;
    assert_eq!((&watch["last"]["status"], &watch["problem"]), (&json!("failed"), &json!("robots_unreachable")));
    assert!(watch["message"].as_str().unwrap().contains("robots.txt"), "{watch}");
    watching.next_day().await;
    let letters = watching.mail.letters();
    assert_eq!((watching.runs().await.len(), letters.len()), (3, 1));
    assert!(letters[0].text().contains("did not run"), "{}", letters[0].text());
    // It is compared with the last run that counts, and a new outage is told again.
    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    assert!(codes(&watching.newest().await["changes"]["broke"]).contains(&"broken_internal_link".to_owned()));
    assert_eq!(watching.watch(&id).await["problem"], Value::Null);
    watching.mood.set(Mood::Down);
    watching.next_day().await;
    assert_eq!(watching.mail.letters().len(), 3);
}

async fn a_watch_is_its_owners(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    let (guest, eve) = (watching.app.guest().await, people::account(&watching.app, "eve").await);
    let eve = people::key(&watching.app, &format!("account:{eve}")).await;
    let body = json!({"url": watching.site.url("/"), "every": "weekly"}).to_string();
    let refused = watching.app.call(Call::new("POST", "/api/site-watches").token(&guest).body(&body)).await;
    assert_eq!(refused.refusal(), (403, "account_required".to_owned()));
    let missing = (404, "site_watch_not_found".to_owned());
    let path = format!("/api/site-watches/{id}");
    for (method, body) in [("PATCH", r#"{"on": false}"#), ("DELETE", "")] {
        let theirs = Call::new(method, &path).header("x-api-key", &eve).body(body);
        assert_eq!(watching.app.call(theirs).await.refusal(), missing, "{method}");
        let none = Call::new(method, "/api/site-watches/nothing").header("x-api-key", &eve).body(body);
        assert_eq!(watching.app.call(none).await.refusal(), missing, "{method}");
    }
    let list = watching.app.call(Call::get("/api/site-watches").header("x-api-key", &eve)).await;
    assert_eq!(list.json()["watches"], json!([]));
    assert_eq!(watching.send("DELETE", &path, &json!({})).await.status, 200);
    assert_eq!(get(&watching.app, &watching.token, "/api/site-watches").await["watches"], json!([]));
    watching.next_day().await;
    assert_eq!(watching.runs().await.len(), 0);
    for (field, body) in [
        ("every", json!({"url": watching.site.url("/"), "every": "hourly"})),
        ("max_pages", json!({"url": watching.site.url("/"), "every": "daily", "max_pages": 0})),
        ("max_usd", json!({"url": watching.site.url("/"), "every": "daily", "max_usd": -1.0})),
    ] {
        let refused = watching.post(&body).await;
        assert_eq!(refused.status, 400, "{field}: {}", refused.body);
        assert!(refused.json()["detail"].as_str().unwrap_or_default().starts_with(field), "{field}: {}", refused.body);
    }
}

async fn an_owner_has_so_many_watches_and_no_more(database: TestDatabase) {
    let watching = Watching::start(database, |config| config.limits.site_watches = 2).await;
    let body = |n: u32| json!({"url": watching.site.url(&format!("/{n}")), "every": "weekly"});
    let ids = [watching.post(&body(1)).await, watching.post(&body(2)).await];
    assert_eq!(watching.post(&body(3)).await.refusal(), (409, "site_watch_limit".to_owned()));
    let first = ids[0].json()["watch"]["id"].as_str().unwrap().to_owned();
    assert_eq!(watching.send("DELETE", &format!("/api/site-watches/{first}"), &json!({})).await.status, 200);
    assert_eq!(watching.post(&body(3)).await.status, 200);
}

async fn a_watch_is_changed_and_its_time_with_it(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    let id = watching.watched().await;
    let path = format!("/api/site-watches/{id}");
    let daily = watching.watch(&id).await;
    let limited = watching.send("PATCH", &path, &json!({"max_pages": 3, "exclude": ["/product/6"]})).await.json();
    assert_eq!((&limited["watch"]["max_pages"], &limited["watch"]["next_at"]), (&json!(3), &daily["next_at"]));
    let weekly = watching.send("PATCH", &path, &json!({"every": "weekly"})).await.json()["watch"].clone();
    assert_eq!((&weekly["every"], &weekly["max_pages"]), (&json!("weekly"), &json!(3)));
    for _ in 0..14 {
        watching.next_day().await;
    }
    assert_eq!(watching.runs().await.len(), 2);
    assert!(watching.runs().await.iter().all(|run| run["max_pages"] == 3));
    assert!(watching.site.asked().iter().all(|asked| asked.path != "/product/6"));
    let empty = watching.send("PATCH", &path, &json!({})).await;
    assert_eq!(empty.status, 400, "{}", empty.body);
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

async fn an_organization_s_first_owner_hears_of_it(database: TestDatabase) {
    let mut watching = Watching::start(database, |_| ()).await;
    let (bea, carl) = (people::account(&watching.app, "bea").await, people::account(&watching.app, "carl").await);
    people::organization(&watching.app, "bakery", &[(bea.as_str(), "member"), (carl.as_str(), "owner")]).await;
    watching.token = people::key(&watching.app, "organization:bakery").await;
    watching.watched().await;
    watching.next_day().await;
    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    let letters = watching.mail.letters();
    assert_eq!((letters.len(), &letters[0].to), (1, &vec!["carl@example.com".to_owned()]));
}

async fn the_run_to_compare_with_outlives_its_retention(database: TestDatabase) {
    let watching = Watching::start(database, |config| config.retention.site_days = 2).await;
    let id = watching.watched().await;
    watching.next_day().await;
    watching.next_day().await;
    let newest = watching.newest().await;
    watching.send("PATCH", &format!("/api/site-watches/{id}"), &json!({"on": false})).await;
    watching.app.pass(30 * DAY);
    jobs::purge(&watching.app.app).await.unwrap();
    let left: Vec<Value> = watching.runs().await.iter().map(|run| run["id"].clone()).collect();
    assert_eq!(left, [newest["id"].clone()]);
    watching.send("DELETE", &format!("/api/site-watches/{id}"), &json!({})).await;
    jobs::purge(&watching.app.app).await.unwrap();
    assert_eq!(watching.runs().await.len(), 0);
}

async fn a_closed_account_runs_nothing_and_leaves_nothing(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    watching.watched().await;
    watching.next_day().await;
    let closed =
        format!("UPDATE accounts SET status = 'deleting', delete_after = {}", watching.app.app.ports().now().0);
    watching.app.database.execute(&closed).await;
    let asked = watching.site.asked().len();
    watching.next_day().await;
    jobs::purge(&watching.app.app).await.unwrap();
    assert_eq!(watching.site.asked().len(), asked);
    let row = watching
        .app
        .database
        .row("SELECT CAST((SELECT COUNT(*) FROM site_watches) + (SELECT COUNT(*) FROM site_runs) AS BIGINT)")
        .await;
    assert_eq!(sqlx::Row::get::<i64, _>(&row, 0), 0);
}
