//! Webhooks: deliveries to a receiver that listens, with the clock moved.

mod feeds;
mod ownership;
mod trouble;

pub(crate) use feeds::renewed;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use service::config::Config;
use service::jobs;
use sha2::Sha256;
use testkit::{ReceivedRequest, SiteAnswer, TestDatabase, TestSite};

use super::people;
use super::tabs::{BAD, GOOD, Page, get, open, send};
use crate::app::{Response, TestApp};

testkit::on_both_databases! {
    a_run_is_told_with_a_signature_that_a_receiver_can_verify,
    an_alert_is_told_also_where_no_mail_goes,
    two_secrets_sign_for_a_day_after_a_rotation,
    chats_get_their_own_shape,
}

const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(86_400);

/// A page without a title that no search engine shows.
const HIDDEN: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><meta name=robots content=noindex></head><body><h1>Bread</h1></body></html>";

/// A receiver that a test tells what to answer.
pub(crate) struct Receiver {
    site: TestSite,
    answer: Arc<Mutex<SiteAnswer>>,
}

impl Receiver {
    async fn start() -> Self {
        let answer = Arc::new(Mutex::new(taken(204)));
        let given = Arc::clone(&answer);
        let site = TestSite::start(move |_| given.lock().unwrap().clone()).await;
        Self { site, answer }
    }

    fn answers(&self, answer: SiteAnswer) {
        *self.answer.lock().unwrap() = answer;
    }

    fn url(&self) -> String {
        self.site.url("/hooks/site-audit")
    }

    fn told(&self) -> Vec<ReceivedRequest> {
        self.site.asked()
    }

    /// The last message as JSON.
    fn last(&self) -> Value {
        serde_json::from_str(&self.told().last().expect("a message").body).unwrap()
    }
}

fn taken(status: u16) -> SiteAnswer {
    SiteAnswer::page(status, "text/plain", "")
}

fn header<'r>(request: &'r ReceivedRequest, name: &str) -> &'r str {
    let line = request.head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("{name}: {}", request.head))
}

/// The signature of a message, as Standard Webhooks says.
fn signature(secret: &str, request: &ReceivedRequest) -> String {
    let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
    assert_eq!(key.len(), 32);
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    let (id, at) = (header(request, "webhook-id"), header(request, "webhook-timestamp"));
    mac.update(format!("{id}.{at}.{}", request.body).as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

/// A service with an account `ana` and the token of her key.
pub(crate) struct Telling {
    pub(crate) app: TestApp,
    receiver: Receiver,
    page: Page,
    pub(crate) token: String,
}

impl Telling {
    pub(crate) async fn start(database: TestDatabase, change: impl FnOnce(&mut Config)) -> Self {
        let (receiver, page) = (Receiver::start().await, Page::start(GOOD).await);
        let app = TestApp::start(database, change).await;
        let account = people::account(&app, "ana").await;
        let token = people::key(&app, &format!("account:{account}")).await;
        Self { app, receiver, page, token }
    }

    async fn call(&self, method: &str, path: &str, body: Value) -> Response {
        send(&self.app, &self.token, method, path, body).await
    }

    /// Makes a webhook; its id and secret.
    async fn made(&self, url: &str) -> (String, String) {
        let made = self.call("POST", "/api/webhooks", json!({ "url": url })).await;
        assert_eq!(made.status, 200, "{}", made.body);
        let made = made.json();
        (made["webhook"]["id"].as_str().unwrap().to_owned(), made["secret"].as_str().unwrap().to_owned())
    }

    /// Queues a test delivery, and makes it.
    async fn test(&self, id: &str) {
        let queued = self.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await;
        assert_eq!((queued.status, &queued.json()["delivery"]["state"]), (202, &json!("waiting")), "{}", queued.body);
        self.work().await;
    }

    /// A followed page; its id.
    pub(crate) async fn followed(&self) -> String {
        open(&self.app, &self.token, &self.page.url()).await
    }

    /// A run of a followed page, and what follows from it.
    pub(crate) async fn run(&self, tab: &str) {
        let ran = self.call("POST", &format!("/api/tabs/{tab}/run"), Value::Null).await;
        assert_eq!(ran.status, 200, "{}", ran.body);
        self.work().await;
    }

    async fn work(&self) {
        jobs::work_off(&self.app.app).await.unwrap();
    }

    /// Names a followed page.
    pub(crate) async fn name(&self, tab: &str, alias: &str) {
        let named = self.call("PATCH", &format!("/api/tabs/{tab}"), json!({ "alias": alias })).await;
        assert_eq!(named.status, 200, "{}", named.body);
    }

    /// The secret of a new webhook, and the message of its test.
    pub(crate) async fn test_message(&self) -> (String, ReceivedRequest) {
        let (id, secret) = self.made(&self.receiver.url()).await;
        self.test(&id).await;
        (secret, self.receiver.told().pop().expect("a message"))
    }

    /// The webhook, by its id.
    async fn webhook(&self, id: &str) -> Value {
        let list = get(&self.app, &self.token, "/api/webhooks").await;
        let found = list["webhooks"].as_array().unwrap().iter().find(|webhook| webhook["id"] == id);
        found.expect("the webhook is listed").clone()
    }

    async fn deliveries(&self, id: &str) -> Vec<Value> {
        let list = get(&self.app, &self.token, &format!("/api/webhooks/{id}/deliveries")).await;
        list["deliveries"].as_array().unwrap().clone()
    }
}

async fn a_run_is_told_with_a_signature_that_a_receiver_can_verify(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let tab = telling.followed().await;
    // Before somebody subscribed nothing is kept.
    telling.run(&tab).await;
    let (id, secret) = telling.made(&telling.receiver.url()).await;
    let webhook = telling.webhook(&id).await;
    let shown = telling.receiver.site.url("/…udit");
    assert_eq!(
        (&webhook["url"], &webhook["kind"], &webhook["state"]),
        (&json!(shown), &json!("standard"), &json!("active"))
    );
    assert!(!webhook.to_string().contains("hooks/site"), "{webhook}");
    telling.page.set(Some(BAD));
    // So that the order of the runs is known.
    telling.app.pass(Duration::from_secs(1));
    telling.run(&tab).await;
    let told = telling.receiver.told();
    assert_eq!(told.len(), 1);
    assert!(told[0].head.starts_with("POST /hooks/site-audit HTTP/1.1"), "{}", told[0].head);
    assert_eq!(header(&told[0], "content-type"), "application/json");
    assert_eq!(header(&told[0], "webhook-signature"), signature(&secret, &told[0]));
    assert_eq!(header(&told[0], "webhook-timestamp"), "1769851801");
    let event = telling.receiver.last();
    assert_eq!((&event["type"], &event["timestamp"]), (&json!("run.finished"), &json!("2026-01-31T09:30:01.000Z")));
    let (data, run) = (&event["data"], &event["data"]["run"]);
    assert_eq!((&data["tab"]["id"], &data["tab"]["url"]), (&json!(tab), &json!(telling.page.url())));
    assert_eq!((&run["alerted"], &run["change"]["broke"][0]["code"]), (&json!(false), &json!("title_missing")));
    let audit = run["audit_id"].as_str().unwrap();
    assert_eq!(run["api"], telling.app.url(&format!("/api/audits/{audit}")));
    assert_eq!(data["report"], telling.app.url(&format!("/reports/{audit}?lang=en")));
    let read = get(&telling.app, &telling.token, &format!("/api/audits/{audit}")).await;
    assert_eq!((&read["score"], &read["searchable"]), (&run["score"], &data["searchable"]));
    assert!(data["searchable"]["state"].is_string(), "{data}");
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!(delivery["webhook_id"], header(&told[0], "webhook-id"));
    assert_eq!(
        (&delivery["state"], &delivery["attempts"], &delivery["status"], &delivery["error"], &delivery["next_at"]),
        (&json!("delivered"), &json!(1), &json!(204), &Value::Null, &Value::Null)
    );
    // Only the runs of followed pages are told, each once.
    telling.call("POST", "/api/audit", json!({"url": telling.page.url()})).await;
    telling.work().await;
    assert_eq!(telling.receiver.told().len(), 1);
}

async fn an_alert_is_told_also_where_no_mail_goes(database: TestDatabase) {
    let mut telling = Telling::start(database, |_| ()).await;
    telling.token = people::key(&telling.app, "organization:acme").await;
    let tab = telling.followed().await;
    telling.call("PATCH", &format!("/api/tabs/{tab}"), json!({"monitor": true})).await;
    let receiver = Receiver::start().await;
    telling.made(&telling.receiver.url()).await;
    let only = json!({"url": receiver.url(), "events": ["watch.alert"]});
    assert_eq!(telling.call("POST", "/api/webhooks", only).await.json()["webhook"]["events"], json!(["watch.alert"]));
    for (html, kind) in [(GOOD, "run.finished"), (BAD, "watch.alert"), (BAD, "run.finished"), (GOOD, "run.finished")] {
        telling.page.set(Some(html));
        telling.app.pass(DAY);
        jobs::schedule(&telling.app.app, telling.app.app.ports().now()).await.unwrap();
        telling.work().await;
        assert_eq!(telling.receiver.last()["type"], kind);
    }
    assert_eq!(telling.receiver.told().len(), 4, "each run is one event");
    assert_eq!((receiver.told().len(), &receiver.last()["data"]["run"]["alerted"]), (1, &json!(true)));
    assert_eq!(header(&receiver.told()[0], "webhook-id"), header(&telling.receiver.told()[1], "webhook-id"));
}

async fn two_secrets_sign_for_a_day_after_a_rotation(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, old) = telling.made(&telling.receiver.url()).await;
    let rotated = telling.call("POST", &format!("/api/webhooks/{id}/rotate"), Value::Null).await.json();
    let new = rotated["secret"].as_str().unwrap();
    assert_ne!(new, old);
    telling.test(&id).await;
    let told = telling.receiver.told().pop().unwrap();
    assert_eq!(header(&told, "webhook-signature"), format!("{} {}", signature(new, &told), signature(&old, &told)));
    telling.app.pass(DAY);
    telling.test(&id).await;
    let told = telling.receiver.told().pop().unwrap();
    assert_eq!(header(&told, "webhook-signature"), signature(new, &told));
    // Neither the secrets nor the address are stored as they are.
    let row = telling.app.database.row("SELECT address, secret, old_secret FROM webhooks").await;
    for column in ["address", "secret", "old_secret"] {
        let stored: Vec<u8> = sqlx::Row::get(&row, column);
        assert!(!String::from_utf8_lossy(&stored).contains("site-audit"), "{column}");
        assert!(stored.len() > 64, "{column}");
    }
}

/// A name with an address of the test's choice.
fn named(config: &mut Config, name: &str, address: &str) {
    config.fetch.resolve.push(serde_json::from_value(json!(format!("{name}={address}"))).unwrap());
}

async fn chats_get_their_own_shape(database: TestDatabase) {
    let telling = Telling::start(database, |config| {
        named(config, "hooks.slack.com", "127.0.0.2");
        named(config, "discord.com", "127.0.0.2");
    })
    .await;
    let port = telling.receiver.site.address().port();
    let tab = telling.followed().await;
    telling.name(&tab, "<!channel> @everyone").await;
    telling.run(&tab).await;
    for (url, kind) in [
        (format!("http://hooks.slack.com:{port}/services/T0/B0/secretXYZ1"), "slack"),
        (format!("http://discord.com:{port}/api/webhooks/1/secretXYZ2"), "discord"),
    ] {
        let made = telling.call("POST", "/api/webhooks?lang=pt-BR", json!({ "url": url })).await.json();
        assert_eq!((&made["webhook"]["kind"], &made["webhook"]["lang"]), (&json!(kind), &json!("pt-BR")));
        assert!(made["webhook"]["url"].as_str().unwrap().ends_with(&url[url.len() - 4..]));
    }
    telling.page.set(Some(HIDDEN));
    telling.app.pass(Duration::from_secs(1));
    telling.run(&tab).await;
    let told: BTreeMap<String, Value> = telling
        .receiver
        .told()
        .into_iter()
        .filter(|told| told.path.contains("secretXYZ"))
        .map(|told| (told.path, serde_json::from_str(&told.body).unwrap()))
        .collect();
    let slack = &told["/services/T0/B0/secretXYZ1"];
    let text = slack["blocks"][0]["text"]["text"].as_str().unwrap();
    assert_eq!(
        (&slack["blocks"][0]["type"], &slack["blocks"][0]["text"]["type"]),
        (&json!("section"), &json!("mrkdwn"))
    );
    assert!(text.starts_with("*&lt;!channel&gt; @everyone: nota ") && text.contains("• Novo: "), "{text}");
    let alarm = Some("Os buscadores não mostram esta página: a meta tag robots diz noindex.");
    assert_eq!(text.lines().nth(1), alarm, "{text}");
    let notice = slack["text"].as_str().unwrap();
    assert!(notice.contains("nota") && notice.lines().nth(1) == alarm, "{slack}");
    let discord = &told["/api/webhooks/1/secretXYZ2"];
    let content = discord["content"].as_str().unwrap();
    assert!(content.contains("nota") && content.lines().nth(1) == alarm, "{discord}");
    assert_eq!(discord["allowed_mentions"], json!({"parse": []}));
    assert!(discord["embeds"][0]["url"].as_str().unwrap().contains("/reports/"), "{discord}");
}
