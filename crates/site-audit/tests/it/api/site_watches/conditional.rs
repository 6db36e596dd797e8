//! Conditional requests of repeated runs.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use service::jobs;
use testkit::{ReceivedRequest, SiteAnswer, TestDatabase, TestSite};
use tokio::sync::watch;

use super::super::people;
use super::{DAY, get};
use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    a_repeated_run_asks_for_what_changed,
    a_page_whose_run_is_gone_is_asked_anew,
}

const PRODUCTS: usize = 5;

/// A site with versions, and what was asked of it with a condition.
struct Versioned {
    site: TestSite,
    /// Pages that answered that they have not changed.
    unchanged: Arc<AtomicUsize>,
    /// Whether the third product has another text.
    is_new: Arc<AtomicBool>,
    conditions: Arc<Mutex<Vec<(String, String)>>>,
    /// Whether the second product answers.
    answers: watch::Sender<bool>,
}

fn header<'a>(asked: &'a ReceivedRequest, wanted: &str) -> Option<&'a str> {
    asked.head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case(wanted).then(|| value.trim())
    })
}

fn answer(status: u16, version: &str, body: &str) -> SiteAnswer {
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: text/html; charset=utf-8\r\netag: {version}\r\n");
    let length = body.len();
    SiteAnswer::Raw(format!("{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}").into_bytes())
}

impl Versioned {
    async fn start() -> Self {
        let unchanged = Arc::new(AtomicUsize::new(0));
        let is_new = Arc::new(AtomicBool::new(false));
        let conditions = Arc::new(Mutex::new(Vec::new()));
        let (answers, answering) = watch::channel(true);
        let (count, newer, log) = (Arc::clone(&unchanged), Arc::clone(&is_new), Arc::clone(&conditions));
        let site = TestSite::start(move |asked| {
            let is_changed = asked.path == "/product/3" && newer.load(Ordering::SeqCst);
            let version = if is_changed { "\"two\"" } else { "\"one\"" };
            let body = match asked.path.as_str() {
                "/" => (1..=PRODUCTS).map(|n| format!("<a href=/product/{n}>Product number {n}</a> ")).collect(),
                path if path.starts_with("/product/") => format!("<a href=/>Home</a><p>The text of {path}</p>"),
                _ => return SiteAnswer::missing(),
            };
            if let Some(condition) = header(asked, "if-none-match") {
                log.lock().unwrap().push((asked.path.clone(), condition.to_owned()));
                if condition == version {
                    count.fetch_add(1, Ordering::SeqCst);
                    let unchanged = answer(304, version, "");
                    return match asked.path.as_str() {
                        "/product/2" => SiteAnswer::Held(Box::new(unchanged), answering.clone()),
                        _ => unchanged,
                    };
                }
            }
            let title = if is_changed { String::new() } else { format!("<title>Page {}</title>", asked.path) };
            let page =
                format!("<!doctype html><html lang=en><head>{title}</head><body><main>{body}</main></body></html>");
            answer(200, version, &page)
        })
        .await;
        Self { site, unchanged, is_new, conditions, answers }
    }
}

/// A service with a daily watch of the site; the token of its owner.
async fn watching(database: TestDatabase, site: &TestSite) -> (TestApp, String) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let token = people::key(&app, &format!("account:{account}")).await;
    let body = json!({"url": site.url("/"), "every": "daily"}).to_string();
    let made = app.call(Call::new("POST", "/api/site-watches").header("x-api-key", &token).body(&body)).await;
    assert_eq!(made.status, 200, "{}", made.body);
    (app, token)
}

async fn next_day(app: &TestApp) {
    app.pass(DAY);
    jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    jobs::work_off(&app.app).await.unwrap();
}

async fn newest(app: &TestApp, token: &str) -> Value {
    let runs = get(app, token, "/api/sites").await;
    get(app, token, &format!("/api/sites/{}", runs["sites"][0]["id"].as_str().unwrap())).await
}

async fn a_repeated_run_asks_for_what_changed(database: TestDatabase) {
    let versioned = Versioned::start().await;
    let (app, token) = watching(database, &versioned.site).await;
    next_day(&app).await;
    let first = newest(&app, &token).await;
    assert_eq!((&first["progress"]["audited"], versioned.unchanged.load(Ordering::SeqCst)), (&json!(PRODUCTS + 1), 0));
    assert!(versioned.conditions.lock().unwrap().is_empty());

    next_day(&app).await;
    let second = newest(&app, &token).await;
    // The first page is asked whole, with the files of its site.
    assert_eq!(versioned.unchanged.load(Ordering::SeqCst), PRODUCTS);
    assert_eq!((&second["progress"], &second["figures"]), (&first["progress"], &first["figures"]));
    let page = |run: &Value, number: usize| format!("/api/sites/{}/pages/{number}", run["id"].as_str().unwrap());
    let mut taken_over = 0;
    for number in 0..usize::try_from(first["progress"]["done"].as_u64().unwrap()).unwrap() {
        let before = get(&app, &token, &page(&first, number)).await;
        if before["url"].as_str().unwrap().contains("/product/") {
            assert_eq!(before, get(&app, &token, &page(&second, number)).await, "{number}");
            assert!(!before["issues"].as_array().unwrap().is_empty());
            taken_over += 1;
        }
    }
    assert_eq!(taken_over, PRODUCTS);

    versioned.is_new.store(true, Ordering::SeqCst);
    next_day(&app).await;
    let third = newest(&app, &token).await;
    assert_eq!(versioned.unchanged.load(Ordering::SeqCst), 2 * PRODUCTS - 1);
    let broke = third["changes"]["broke"].as_array().unwrap();
    assert!(broke.iter().any(|one| one["code"] == "title_missing" && one["total"] == 1), "{third}");
    let sent = versioned.conditions.lock().unwrap().clone();
    assert!(sent.iter().all(|(_, condition)| condition == "\"one\""), "{sent:?}");

    // The new version is known from then on.
    next_day(&app).await;
    assert_eq!(versioned.unchanged.load(Ordering::SeqCst), 3 * PRODUCTS - 1);
}

async fn a_page_whose_run_is_gone_is_asked_anew(database: TestDatabase) {
    let versioned = Versioned::start().await;
    let (app, token) = watching(database, &versioned.site).await;
    next_day(&app).await;
    let first = newest(&app, &token).await;
    // The run before is deleted while one of its pages says that it has not changed.
    versioned.answers.send_replace(false);
    app.pass(DAY);
    jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    let store = app.app.database().store();
    let working = jobs::work_off(&app.app);
    let deleting = async {
        let mut looks = tokio::time::interval(std::time::Duration::from_millis(1));
        while !versioned.conditions.lock().unwrap().iter().any(|(path, _)| path == "/product/2") {
            looks.tick().await;
        }
        let owner = "SELECT owner FROM site_runs";
        let owner: String = sqlx::Row::get(&app.database.row(owner).await, 0);
        let owner = model::id::Owner::parse(&owner).unwrap();
        store.delete_site(&owner, first["id"].as_str().unwrap()).await.unwrap();
        versioned.answers.send_replace(true);
    };
    let (worked, ()) = tokio::join!(working, deleting);
    worked.unwrap();
    let second = newest(&app, &token).await;
    assert_eq!(
        (&second["status"], &second["progress"]["audited"]),
        (&json!("finished"), &json!(PRODUCTS + 1)),
        "{second}"
    );
    let asked = versioned.site.asked().iter().filter(|asked| asked.path == "/product/2").count();
    assert_eq!(asked, 3, "once in the first run, then with the version and without");
    assert_eq!(second["changes"], Value::Null, "there is nothing left to compare with");
}
