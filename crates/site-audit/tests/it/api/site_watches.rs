//! Watches of sites: with the clock moved, a real mail server, and a site that changes.

mod conditional;
mod ownership;
mod paid;
mod servers;

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
    a_product_that_became_noindex_fixed_nothing,
    a_link_stops_the_watch_with_one_click,
    a_site_that_is_down_is_told_once,
    the_run_to_compare_with_outlives_its_retention,
}

const DAY: Duration = Duration::from_secs(86_400);

/// What the made site is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    /// Without defects that matter here.
    Good,
    /// The first page links to a page that is not there, and every product lost its description.
    Broken,
    /// As broken, and products ask not to be indexed.
    Hidden,
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
            let is_hidden = mood == Mood::Hidden && asked.path.starts_with("/product/");
            let robots = if is_hidden { "<meta name=robots content=noindex>" } else { "" };
            SiteAnswer::html(&format!(
                "<!doctype html><html lang=en><head><title>{title}</title>{description}{robots}</head><body><nav>\
                 <a href=/>Home of bread</a></nav><main><h1>{title}</h1>{body}</main></body></html>"
            ))
        };
        match (asked.path.as_str(), mood) {
            ("/robots.txt", Mood::Down) => SiteAnswer::page(503, "text/plain", "later"),
            ("/", _) => {
                let products: String =
                    (1..=6).map(|n| format!("<li><a href=/product/{n}>Product number {n}</a></li>")).collect();
                let is_broken = matches!(mood, Mood::Broken | Mood::Hidden);
                let gone = if is_broken { "<li><a href=/gone>Gone for good</a></li>" } else { "" };
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
        "New findings",
        &watching.site.url("/gone"),
        "6 pages with the template of /product/",
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
    assert!(text.contains("Achados novos") && text.contains("6 páginas com o template de /product/"), "{text}");
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
    for part in
        ["Changes since the audit of ", "<h3>New findings (", "6 pages of the template of /product/", "and 1 more"]
    {
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
    assert!(html.contains("No new findings, and none fixed.") && html.contains("Not fixed yet ("), "{html}");

    // Without the run before, its date is not known any more.
    let deleted = format!("/api/sites/{}", run["id"].as_str().unwrap());
    assert_eq!(watching.send("DELETE", &deleted, &json!({})).await.status, 200);
    let written = report(&later, "json").await.json();
    assert_eq!((&written["changes"]["since"], codes(&written["changes"]["still"])), (&Value::Null, still));
    assert!(report(&later, "html").await.body.contains("Changes since the previous audit"));
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

async fn a_product_that_became_noindex_fixed_nothing(database: TestDatabase) {
    let watching = Watching::start(database, |_| ()).await;
    watching.watched().await;
    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    // Whoever asks not to be in results gets no advice on how to look there.
    watching.mood.set(Mood::Hidden);
    watching.next_day().await;
    let changes = watching.newest().await["changes"].clone();
    assert!(codes(&changes["broke"]).contains(&"noindex_meta".to_owned()), "{changes}");
    for list in ["fixed", "broke", "still"] {
        assert!(!codes(&changes[list]).contains(&"meta_description_missing".to_owned()), "{list}: {changes}");
    }
    assert!(codes(&changes["still"]).contains(&"broken_internal_link".to_owned()), "{changes}");
    // Shown again, it is not new either: the run before did not look.
    watching.mood.set(Mood::Broken);
    watching.next_day().await;
    let changes = watching.newest().await["changes"].clone();
    assert!(codes(&changes["fixed"]).contains(&"noindex_meta".to_owned()), "{changes}");
    assert!(!codes(&changes["broke"]).contains(&"meta_description_missing".to_owned()), "{changes}");
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
