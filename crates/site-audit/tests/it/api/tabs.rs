//! Tabs through the API.

use serde_json::{Value, json};
use service::config::PaymentMode;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::people;
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_workspace_begins_empty_and_knows_its_owner,
    a_page_has_one_tab_however_its_address_is_written,
    the_focus_moves_from_tab_to_tab,
    tabs_beyond_the_free_ones_are_paid_for,
    however_many_come_at_once_no_tab_is_too_many,
    a_tab_is_named_and_what_is_no_change_is_refused,
    somebody_else_s_tab_is_nobody_s,
    a_run_spends_an_audit_and_is_kept,
    a_run_counts_against_the_hour,
    a_run_that_fails_costs_nothing,
    a_history_tells_what_changed_also_of_runs_before_the_tab,
    a_closed_tab_leaves_its_audits,
    a_guest_watches_nothing,
    tabs_of_a_session_need_its_page,
    a_silent_database_is_told_and_charges_nothing,
}

/// A page with a title that is fine, and one without.
pub(crate) const GOOD: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Bread baked every morning</title></head><body><h1>Bread</h1></body></html>";
pub(crate) const BAD: &str =
    "<!doctype html><html lang=en><head><meta charset=utf-8></head><body><h1>Bread</h1></body></html>";

/// A site with one page, which a test rewrites.
pub(crate) struct Page {
    pub(crate) site: TestSite,
    html: Arc<Mutex<Option<&'static str>>>,
}

impl Page {
    pub(crate) async fn start(html: &'static str) -> Self {
        let html = Arc::new(Mutex::new(Some(html)));
        let shown = Arc::clone(&html);
        let site =
            TestSite::start(move |asked| match (*shown.lock().unwrap(), asked.path.split('?').next().unwrap()) {
                // Hangs up without a word.
                (None, _) => SiteAnswer::Raw(Vec::new()),
                (Some(html), path) if path.starts_with("/page") => SiteAnswer::html(html),
                _ => SiteAnswer::missing(),
            })
            .await;
        Self { site, html }
    }

    /// What the page is from now on; `None`: nothing answers.
    pub(crate) fn set(&self, html: Option<&'static str>) {
        *self.html.lock().unwrap() = html;
    }

    pub(crate) fn url(&self) -> String {
        self.site.url("/page")
    }
}

/// Calls as the holder of a guest token or an API key.
pub(crate) async fn send(app: &TestApp, token: &str, method: &str, path: &str, body: Value) -> Response {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    app.call(Call::new(method, path).header("authorization", &format!("Bearer {token}")).body(&body)).await
}

pub(crate) async fn get(app: &TestApp, token: &str, path: &str) -> Value {
    let response = send(app, token, "GET", path, Value::Null).await;
    assert_eq!(response.status, 200, "{path}: {}", response.body);
    response.json()
}

/// Opens a tab; its id.
pub(crate) async fn open(app: &TestApp, token: &str, url: &str) -> String {
    let response = send(app, token, "POST", "/api/tabs", json!({ "url": url })).await;
    assert_eq!(response.status, 200, "{}", response.body);
    response.json()["tab"]["id"].as_str().unwrap().to_owned()
}

async fn a_workspace_begins_empty_and_knows_its_owner(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let workspace = get(&app, &token, "/api/tabs").await;
    assert_eq!(workspace["tabs"], json!([]));
    assert_eq!((&workspace["active_id"], &workspace["active_result"]), (&Value::Null, &Value::Null));
    assert_eq!(workspace["limit"], 20);
    assert!(workspace["owner"].as_str().unwrap().starts_with("guest:"), "{workspace}");
    assert_eq!(workspace["gate"]["free_remaining"], 10);
    let nobody = app.call(Call::get("/api/tabs")).await;
    assert_eq!(nobody.refusal(), (401, "guest_token_required".to_owned()));
}

async fn a_page_has_one_tab_however_its_address_is_written(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let id = open(&app, &token, "https://example.com/a?b=c#top").await;
    for url in ["https://EXAMPLE.com:443/a?b=c", "https://example.com/a?b=c#end", " https://example.com/x/../a?b=c"] {
        assert_eq!(open(&app, &token, url).await, id, "{url}");
    }
    assert_ne!(open(&app, &token, "https://example.com/a?b=C").await, id);
    let tab = &get(&app, &token, &format!("/api/tabs/{id}")).await;
    assert_eq!(tab["tab"]["url"], "https://example.com/a?b=c");
    assert_eq!(
        (&tab["tab"]["audit_id"], &tab["tab"]["score"], &tab["result"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    for (body, code) in [
        (json!({"url": "ftp://example.com/"}), "invalid_url"),
        (json!({"url": ""}), "invalid_url"),
        (json!({"url": "http://10.0.0.1.internal/"}), "address_not_allowed"),
        (json!({}), "invalid_body"),
        (json!({"url": 7}), "invalid_body"),
        (json!({"url": "https://example.com/", "alias": "a\nb"}), "invalid_body"),
        (json!({"url": "https://example.com/", "alias": "a".repeat(101)}), "invalid_body"),
    ] {
        let refused = send(&app, &token, "POST", "/api/tabs", body.clone()).await;
        assert_eq!(refused.refusal(), (400, code.to_owned()), "{body}");
    }
}

async fn the_focus_moves_from_tab_to_tab(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let focused = async || get(&app, &token, "/api/tabs").await["active_id"].clone();
    let mut ids = Vec::new();
    for path in ["a", "b", "c"] {
        app.pass(std::time::Duration::from_secs(1));
        ids.push(open(&app, &token, &format!("https://example.com/{path}")).await);
        assert_eq!(focused().await, *ids.last().unwrap());
    }
    let focus = async |id: &str, active: bool| {
        send(&app, &token, "PATCH", &format!("/api/tabs/{id}"), json!({ "active": active })).await
    };
    assert_eq!(focus(&ids[0], true).await.json()["tab"]["active"], true);
    assert_eq!(focused().await, ids[0]);
    let actives: Vec<Value> = get(&app, &token, "/api/tabs").await["tabs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tab| tab["active"].clone())
        .collect();
    assert_eq!(actives, [true, false, false]);
    // A tab that has no focus can't lose it.
    focus(&ids[1], false).await;
    assert_eq!(focused().await, ids[0]);
    focus(&ids[0], false).await;
    assert_eq!(focused().await, Value::Null);
    // What is opened again has the focus; what is closed leaves it to the newest.
    open(&app, &token, "https://example.com/b").await;
    assert_eq!(focused().await, ids[1]);
    let closed = send(&app, &token, "DELETE", &format!("/api/tabs/{}", ids[1]), Value::Null).await;
    assert_eq!((closed.status, closed.json()), (200, json!({"ok": true})));
    assert_eq!(focused().await, ids[2]);
    send(&app, &token, "DELETE", &format!("/api/tabs/{}", ids[0]), Value::Null).await;
    assert_eq!(focused().await, ids[2]);
}

fn live(config: &mut service::config::Config) {
    config.payments.mode = Some(PaymentMode::Live);
    config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
    config.limits.free_tabs = 2;
}

async fn tabs_beyond_the_free_ones_are_paid_for(database: TestDatabase) {
    let app = TestApp::start(database, live).await;
    let token = app.guest().await;
    let first = open(&app, &token, "https://example.com/a").await;
    open(&app, &token, "https://example.com/b").await;
    let third = json!({"url": "https://example.com/c"});
    let refused = send(&app, &token, "POST", "/api/tabs", third.clone()).await;
    assert_eq!(refused.refusal(), (402, "payment_required".to_owned()));
    assert_eq!(open(&app, &token, "https://example.com/a").await, first);
    send(&app, &token, "DELETE", &format!("/api/tabs/{first}"), Value::Null).await;
    assert_eq!(send(&app, &token, "POST", "/api/tabs", third).await.status, 200);
}

async fn however_many_come_at_once_no_tab_is_too_many(database: TestDatabase) {
    let app = Arc::new(TestApp::start(database, live).await);
    let token = app.guest().await;
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..20 {
        let (app, token) = (Arc::clone(&app), token.clone());
        // Each page is asked for twice.
        let body = json!({"url": format!("https://example.com/{}", number / 2)});
        calls.spawn(async move { send(&app, &token, "POST", "/api/tabs", body).await.status });
    }
    let statuses = calls.join_all().await;
    let opened: BTreeSet<String> = get(&app, &token, "/api/tabs").await["tabs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tab| tab["url"].to_string())
        .collect();
    assert_eq!(opened.len(), 2, "{statuses:?}");
    assert!(statuses.iter().all(|status| [200, 402].contains(status)), "{statuses:?}");
}

async fn a_tab_is_named_and_what_is_no_change_is_refused(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let path = format!("/api/tabs/{}", open(&app, &token, "https://example.com/").await);
    for (alias, kept) in [
        (json!(" Início "), json!("Início")),
        (json!(""), Value::Null),
        (json!("a"), json!("a")),
        (Value::Null, Value::Null),
    ] {
        let changed = send(&app, &token, "PATCH", &path, json!({ "alias": alias })).await;
        assert_eq!(changed.json()["tab"]["alias"], kept, "{alias}");
    }
    for body in [
        json!({}),
        json!({"active": null}),
        json!({"colour": "red"}),
        json!({"alias": 7}),
        json!({"alias": "a\u{0}"}),
        json!({"active": "yes"}),
        json!({"monitor_email": "nobody"}),
        json!({"monitor_email": "a@example.com, b@example.com"}),
    ] {
        let refused = send(&app, &token, "PATCH", &path, body.clone()).await;
        assert_eq!(refused.refusal(), (400, "invalid_body".to_owned()), "{body}");
    }
}

async fn somebody_else_s_tab_is_nobody_s(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let (owner, other) = (app.guest().await, app.guest().await);
    let id = open(&app, &owner, "https://example.com/").await;
    for id in [id.as_str(), "00000000-0000-7000-8000-000000000000", "x", "%00"] {
        for (method, path, body) in [
            ("GET", format!("/api/tabs/{id}"), Value::Null),
            ("PATCH", format!("/api/tabs/{id}"), json!({"active": true})),
            ("DELETE", format!("/api/tabs/{id}"), Value::Null),
            ("POST", format!("/api/tabs/{id}/run"), Value::Null),
            ("GET", format!("/api/tabs/{id}/history"), Value::Null),
        ] {
            let refused = send(&app, &other, method, &path, body).await;
            assert_eq!(refused.refusal(), (404, "tab_not_found".to_owned()), "{method} {path}");
        }
    }
    assert_eq!(app.free_remaining().await, 10);
    get(&app, &owner, &format!("/api/tabs/{id}")).await;
}

async fn a_run_spends_an_audit_and_is_kept(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let id = open(&app, &token, &format!("{}#x", page.url())).await;
    let ran = send(&app, &token, "POST", &format!("/api/tabs/{id}/run"), Value::Null).await;
    assert_eq!(ran.status, 200, "{}", ran.body);
    let ran = ran.json();
    assert_eq!((&ran["ok"], &ran["gate"]["free_remaining"]), (&json!(true), &json!(9)));
    assert_eq!(ran["tab"]["audit_id"], ran["result"]["audit_id"]);
    assert_eq!(ran["tab"]["score"], ran["result"]["score"]);
    assert_eq!(ran["result"]["url"], page.url());
    let read = get(&app, &token, &format!("/api/tabs/{id}")).await;
    assert_eq!(read["result"], ran["result"]);
    assert_eq!(get(&app, &token, "/api/tabs").await["active_result"], ran["result"]);
    get(&app, &token, &format!("/api/audits/{}", ran["result"]["audit_id"].as_str().unwrap())).await;
}

/// The ceiling of an hour is that of audits, whichever call asks for one.
async fn a_run_counts_against_the_hour(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |config| config.limits.audits_per_hour = 1).await;
    let token = app.guest().await;
    let id = open(&app, &token, &page.url()).await;
    let run = format!("/api/tabs/{id}/run");
    assert_eq!(send(&app, &token, "POST", &run, Value::Null).await.status, 200);
    let limited = (429, "rate_limited".to_owned());
    assert_eq!(send(&app, &token, "POST", &run, Value::Null).await.refusal(), limited);
    assert_eq!(app.call(Call::audit(&page.url())).await.refusal(), limited);
}

async fn a_run_that_fails_costs_nothing(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    page.set(None);
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let id = open(&app, &token, &page.url()).await;
    let failed = send(&app, &token, "POST", &format!("/api/tabs/{id}/run"), Value::Null).await;
    assert_eq!(failed.refusal(), (502, "target_unreachable".to_owned()));
    assert_eq!(app.free_remaining().await, 10);
    assert_eq!(get(&app, &token, &format!("/api/tabs/{id}/history")).await["runs"], json!([]));
}

async fn a_history_tells_what_changed_also_of_runs_before_the_tab(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let audit = async |html| {
        page.set(Some(html));
        app.pass(std::time::Duration::from_secs(60));
        let answer = app.call(Call::audit(&format!("{}#fragment", page.url())).token(&token)).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        answer.json()["score"].as_i64().unwrap()
    };
    let (good, bad) = (audit(GOOD).await, audit(BAD).await);
    let id = open(&app, &token, &page.url()).await;
    assert_eq!(audit(GOOD).await, good);
    let history = get(&app, &token, &format!("/api/tabs/{id}/history")).await;
    assert_eq!((history["limit"].as_u64(), history["runs"].as_array().unwrap().len()), (Some(20), 3));
    let longest = get(&app, &token, &format!("/api/tabs/{id}/history?limit=101")).await;
    assert_eq!(longest["limit"], 100);
    let codes = |changed: &Value| {
        changed.as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    let (newest, middle, oldest) = (&history["runs"][0], &history["runs"][1], &history["runs"][2]);
    assert_eq!(oldest["change"], Value::Null);
    let broke = &middle["change"];
    assert_eq!(
        (broke["from"].as_i64(), broke["to"].as_i64(), broke["score"].as_i64()),
        (Some(good), Some(bad), Some(bad - good))
    );
    assert!(codes(&broke["broke"]).contains("title_missing"), "{broke}");
    let fixed = &newest["change"];
    assert_eq!((fixed["score"].as_i64(), codes(&fixed["fixed"])), (Some(good - bad), codes(&broke["broke"])));
    assert_eq!(newest["api"], app.url(&format!("/api/audits/{}", newest["audit_id"].as_str().unwrap())));
    assert_eq!(newest["shared"], Value::Null);
    assert_eq!(newest["counts"]["errors"], middle["counts"]["errors"].as_u64().unwrap() - 1);

    let portuguese = get(&app, &token, &format!("/api/tabs/{id}/history?lang=pt-BR&limit=2")).await;
    assert_eq!((portuguese["limit"].as_u64(), portuguese["runs"].as_array().unwrap().len()), (Some(2), 2));
    assert_eq!(portuguese["runs"][1]["change"], Value::Null);
    assert_ne!(portuguese["runs"][0]["change"]["fixed"], newest["change"]["fixed"]);
    for (limit, applied) in [("0", 1), ("1000", 100)] {
        let history = get(&app, &token, &format!("/api/tabs/{id}/history?limit={limit}")).await;
        assert_eq!(history["limit"], applied);
    }
    let refused = send(&app, &token, "GET", &format!("/api/tabs/{id}/history?limit=many"), Value::Null).await;
    assert_eq!(refused.refusal(), (400, "invalid_parameter".to_owned()));
}

async fn a_closed_tab_leaves_its_audits(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let id = open(&app, &token, &page.url()).await;
    let ran = send(&app, &token, "POST", &format!("/api/tabs/{id}/run"), Value::Null).await.json();
    send(&app, &token, "DELETE", &format!("/api/tabs/{id}"), Value::Null).await;
    let again = send(&app, &token, "DELETE", &format!("/api/tabs/{id}"), Value::Null).await;
    assert_eq!(again.refusal(), (404, "tab_not_found".to_owned()));
    get(&app, &token, &format!("/api/audits/{}", ran["result"]["audit_id"].as_str().unwrap())).await;
    let reopened = open(&app, &token, &page.url()).await;
    assert_ne!(reopened, id);
    assert_eq!(get(&app, &token, &format!("/api/tabs/{reopened}")).await["result"], ran["result"]);
}

async fn a_guest_watches_nothing(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let path = format!("/api/tabs/{}", open(&app, &token, "https://example.com/").await);
    for body in [json!({"monitor": true}), json!({"monitor_email": "ana@example.com"})] {
        let refused = send(&app, &token, "PATCH", &path, body.clone()).await;
        assert_eq!(refused.refusal(), (403, "account_required".to_owned()), "{body}");
    }
    let off = send(&app, &token, "PATCH", &path, json!({"monitor": false, "monitor_email": null})).await;
    assert_eq!((off.status, &off.json()["tab"]["monitor"]), (200, &json!(false)));
}

async fn tabs_of_a_session_need_its_page(database: TestDatabase) {
    let app =
        TestApp::start(database, |config| config.auth.secret = Some(service::config::SecretText::new("s".repeat(32))))
            .await;
    let account = people::account(&app, "ana").await;
    let signed_in = people::session(&app, &account).await;
    let body = json!({"url": "https://example.com/"}).to_string();
    let call = || Call::new("POST", "/api/tabs").body(&body);
    let forged = app.call(signed_in.cookie(call())).await;
    assert_eq!(forged.refusal(), (403, "invalid_origin".to_owned()));
    let opened = app.call(signed_in.page(&app, call())).await;
    assert_eq!(opened.status, 200, "{}", opened.body);
    let workspace = app.call(signed_in.cookie(Call::get("/api/tabs"))).await.json();
    assert_eq!(workspace["owner"], format!("account:{account}"));
    let key = people::key(&app, &format!("account:{account}")).await;
    assert_eq!(get(&app, &key, "/api/tabs").await["tabs"], workspace["tabs"]);
}

async fn a_silent_database_is_told_and_charges_nothing(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| ()).await;
    let token = app.guest().await;
    let id = open(&app, &token, &page.url()).await;
    let held = app.database.hold(&["audits", "tabs", "workspaces"]).await;
    for (method, path, body) in [
        ("POST", "/api/tabs".to_owned(), json!({"url": "https://example.com/"})),
        ("PATCH", format!("/api/tabs/{id}"), json!({"alias": "x"})),
        ("DELETE", format!("/api/tabs/{id}"), Value::Null),
        ("POST", format!("/api/tabs/{id}/run"), Value::Null),
    ] {
        let refused = send(&app, &token, method, &path, body).await;
        assert_eq!(refused.refusal(), (503, "database_unavailable".to_owned()), "{method} {path}");
    }
    held.release().await;
    // It is used again by itself. What was refused may have happened; nothing was charged for it.
    while send(&app, &token, "GET", "/api/tabs", Value::Null).await.status != 200 {}
    assert_eq!(get(&app, &token, "/api/tabs").await["gate"]["free_remaining"], 10);
}
