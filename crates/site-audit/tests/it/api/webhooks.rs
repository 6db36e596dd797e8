//! Webhooks: deliveries to a receiver that listens, with the clock moved.

mod feeds;

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
use tokio::sync::watch;

use super::people;
use super::tabs::{BAD, GOOD, Page, get, open, send};
use crate::app::{Response, TestApp};

testkit::on_both_databases! {
    a_run_is_told_with_a_signature_that_a_receiver_can_verify,
    an_alert_is_told_also_where_no_mail_goes,
    a_failed_delivery_is_tried_ten_times_over_three_days,
    a_receiver_says_when_to_come_back_or_that_it_is_gone,
    an_endpoint_that_fails_for_days_is_disabled_until_a_test_succeeds,
    a_private_address_is_refused_when_made_and_when_told,
    a_redirect_is_not_followed,
    two_secrets_sign_for_a_day_after_a_rotation,
    chats_get_their_own_shape,
    an_endpoint_gets_one_delivery_at_a_time,
    too_many_waiting_deliveries_are_given_up,
    webhooks_are_their_owner_s_and_ten_at_most,
    what_a_webhook_takes_is_checked,
    events_are_forgotten_after_a_month,
    a_deleted_account_leaves_no_webhook,
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

async fn a_failed_delivery_is_tried_ten_times_over_three_days(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, secret) = telling.made(&telling.receiver.url()).await;
    telling.receiver.answers(taken(500));
    telling.run(&telling.followed().await).await;
    let mut tries = 1;
    for seconds in [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] {
        let delivery = &telling.deliveries(&id).await[0];
        assert_eq!(
            (&delivery["state"], &delivery["attempts"], &delivery["status"], &delivery["error"]),
            (&json!("waiting"), &json!(tries), &json!(500), &json!("status"))
        );
        // A moment before it is due, and when it is.
        telling.app.pass(Duration::from_secs(seconds - 1));
        telling.work().await;
        assert_eq!(telling.receiver.told().len(), tries, "{seconds} seconds are not over");
        telling.app.pass(Duration::from_secs(1));
        telling.work().await;
        tries += 1;
        assert_eq!(telling.receiver.told().len(), tries, "{seconds} seconds are over");
    }
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!((&delivery["state"], &delivery["attempts"]), (&json!("failed"), &json!(10)));
    telling.app.pass(2 * DAY);
    telling.work().await;
    let told = telling.receiver.told();
    assert_eq!(told.len(), 10);
    assert_eq!(
        (&telling.webhook(&id).await["state"], &telling.webhook(&id).await["failing_since"]),
        (&json!("failing"), &json!("2026-01-31T09:30:00.000Z"))
    );
    // The id stays, the time and so the signature are those of the try.
    assert_eq!(header(&told[0], "webhook-id"), header(&told[9], "webhook-id"));
    assert_ne!(header(&told[0], "webhook-timestamp"), header(&told[9], "webhook-timestamp"));
    assert!(told.iter().all(|told| header(told, "webhook-signature") == signature(&secret, told)));
    telling.receiver.answers(taken(200));
    telling.test(&id).await;
    assert_eq!(
        (&telling.webhook(&id).await["state"], &telling.webhook(&id).await["failing_since"]),
        (&json!("active"), &Value::Null)
    );
}

async fn a_receiver_says_when_to_come_back_or_that_it_is_gone(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    let busy = "HTTP/1.1 429 X\r\nretry-after: 3600\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    telling.receiver.answers(SiteAnswer::Raw(busy.as_bytes().to_vec()));
    let tab = telling.followed().await;
    telling.run(&tab).await;
    assert_eq!(telling.deliveries(&id).await[0]["next_at"], "2026-01-31T10:30:00.000Z");
    telling.app.pass(59 * MINUTE);
    telling.work().await;
    assert_eq!(telling.receiver.told().len(), 1);
    telling.receiver.answers(taken(410));
    telling.app.pass(MINUTE);
    telling.work().await;
    assert_eq!(telling.receiver.told().len(), 2);
    assert_eq!(telling.webhook(&id).await["state"], "disabled");
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!((&delivery["state"], &delivery["status"]), (&json!("failed"), &json!(410)));
    telling.run(&tab).await;
    assert_eq!(telling.receiver.told().len(), 2, "a disabled endpoint gets nothing");
}

async fn an_endpoint_that_fails_for_days_is_disabled_until_a_test_succeeds(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    let tab = telling.followed().await;
    telling.receiver.answers(SiteAnswer::Raw(Vec::new()));
    telling.run(&tab).await;
    telling.app.pass(5 * DAY - MINUTE);
    telling.work().await;
    assert_eq!(telling.webhook(&id).await["state"], "failing");
    telling.run(&tab).await;
    telling.app.pass(MINUTE);
    telling.work().await;
    let webhook = telling.webhook(&id).await;
    assert_eq!((&webhook["state"], &webhook["disabled_at"]), (&json!("disabled"), &json!("2026-02-05T09:30:00.000Z")));
    let waiting = telling.deliveries(&id).await.iter().filter(|delivery| delivery["state"] == "waiting").count();
    assert_eq!(waiting, 0, "what waited is given up");
    let told = telling.receiver.told().len();
    telling.run(&tab).await;
    telling.test(&id).await;
    assert_eq!((telling.receiver.told().len(), &telling.webhook(&id).await["state"]), (told + 1, &json!("disabled")));
    telling.receiver.answers(taken(200));
    telling.test(&id).await;
    assert_eq!(telling.receiver.last()["type"], "webhook.test");
    assert_eq!(telling.webhook(&id).await["state"], "active");
    telling.run(&tab).await;
    assert_eq!(telling.receiver.last()["type"], "run.finished");
}

/// A name with an address of the test's choice.
fn named(config: &mut Config, name: &str, address: &str) {
    config.fetch.resolve.push(serde_json::from_value(json!(format!("{name}={address}"))).unwrap());
}

async fn a_private_address_is_refused_when_made_and_when_told(database: TestDatabase) {
    // Whoever is told there is noticed.
    let canary = TestSite::start_at([127, 0, 0, 1].into(), |_| taken(200)).await;
    let telling = Telling::start(database, |config| {
        named(config, "inside.example.com", "127.0.0.1");
        named(config, "hooks.example.com", "127.0.0.2");
    })
    .await;
    let own = telling.app.url("/api/guest");
    let inside = canary.url("/").replace("127.0.0.1", "inside.example.com");
    for url in
        [canary.url("/"), inside.clone(), own, "http://169.254.169.254/latest".to_owned(), "http://[::1]/".to_owned()]
    {
        let refused = telling.call("POST", "/api/webhooks", json!({ "url": url })).await;
        assert_eq!(refused.refusal(), (400, "address_not_allowed".to_owned()), "{url}");
        // A name that does not resolve sounds the same as one that resolves to a private address.
        assert!(refused.json()["detail"].as_str().unwrap().starts_with("url: its host has no public address"));
    }
    let nowhere = telling.call("POST", "/api/webhooks", json!({"url": "http://nowhere.invalid/"})).await;
    assert_eq!(nowhere.refusal(), (400, "address_not_allowed".to_owned()));
    // The name changes its address once the webhook is there.
    let url = telling.receiver.url().replace("127.0.0.2", "hooks.example.com");
    let (id, _) = telling.made(&url).await;
    telling.test(&id).await;
    assert_eq!(telling.receiver.told().len(), 1);
    telling.app.pass(Duration::from_secs(1));
    let moved = TestApp::start_on(&telling.app, |config| named(config, "hooks.example.com", "127.0.0.1")).await;
    let queued = telling.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await;
    assert_eq!(queued.status, 202);
    moved.pass(Duration::from_secs(1));
    jobs::work_off(&moved.app).await.unwrap();
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!(
        (&delivery["state"], &delivery["error"], &delivery["status"]),
        (&json!("failed"), &json!("address_not_allowed"), &Value::Null)
    );
    // Whoever else comes to a port that was another test's a moment ago sends no event.
    let told = canary.asked().into_iter().filter(|asked| asked.head.contains("webhook-id: ")).count();
    assert_eq!((told, telling.receiver.told().len()), (0, 1));
}

async fn a_redirect_is_not_followed(database: TestDatabase) {
    let canary = TestSite::start(|_| taken(200)).await;
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    telling.receiver.answers(SiteAnswer::redirect(307, &canary.url("/")));
    telling.test(&id).await;
    let delivery = &telling.deliveries(&id).await[0];
    assert_eq!((&delivery["state"], &delivery["status"], canary.asked().len()), (&json!("failed"), &json!(307), 0));
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

async fn an_endpoint_gets_one_delivery_at_a_time(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    let other = Receiver::start().await;
    let (other_id, _) = telling.made(&other.url()).await;
    let (release, held) = watch::channel(false);
    telling.receiver.answers(SiteAnswer::Held(Box::new(taken(200)), held));
    for id in [&id, &id, &other_id] {
        let queued = telling.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await;
        assert_eq!(queued.status, 202);
        // So that their order is known.
        telling.app.pass(Duration::from_millis(1));
    }
    let services = telling.app.app.clone();
    let first = tokio::spawn(async move { jobs::work_off(&services).await.unwrap() });
    let mut looks = tokio::time::interval(Duration::from_millis(20));
    while telling.receiver.told().is_empty() {
        looks.tick().await;
    }
    // Another server finds the endpoint at work; others go on.
    telling.work().await;
    assert_eq!((telling.receiver.told().len(), other.told().len()), (1, 1));
    release.send(true).unwrap();
    first.await.unwrap();
    let told = telling.receiver.told();
    let mut queued: Vec<Value> = telling.deliveries(&id).await;
    queued.reverse();
    let ids: Vec<&str> = told.iter().map(|told| header(told, "webhook-id")).collect();
    assert_eq!(ids, [queued[0]["webhook_id"].as_str().unwrap(), queued[1]["webhook_id"].as_str().unwrap()]);
}

async fn too_many_waiting_deliveries_are_given_up(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    let queued = telling.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await.json();
    let event = queued["delivery"]["webhook_id"].as_str().unwrap();
    let rows: Vec<String> =
        (0..199).map(|n| format!("('{n}', '{id}', '{event}', 'waiting', 1, {}, 1)", i64::MAX)).collect();
    let insert =
        "INSERT INTO webhook_deliveries (id, webhook_id, event_id, state, attempts, next_at, created_at) VALUES ";
    telling.app.database.execute(&(insert.to_owned() + &rows.join(", "))).await;
    let refused = telling.call("POST", &format!("/api/webhooks/{id}/test"), Value::Null).await.json();
    let delivery = &refused["delivery"];
    assert_eq!((&delivery["state"], &delivery["error"]), (&json!("failed"), &json!("queue_full")), "{refused}");
}

async fn webhooks_are_their_owner_s_and_ten_at_most(database: TestDatabase) {
    let mut telling = Telling::start(database, |_| ()).await;
    let mut id = String::new();
    for _ in 0..10 {
        (id, _) = telling.made(&telling.receiver.url()).await;
    }
    let more = telling.call("POST", "/api/webhooks", json!({"url": telling.receiver.url()})).await;
    assert_eq!(more.refusal(), (409, "webhook_limit".to_owned()));
    let ana = std::mem::replace(&mut telling.token, people::key(&telling.app, "organization:acme").await);
    let none = json!({"webhooks": []});
    assert_eq!(get(&telling.app, &telling.token, "/api/webhooks").await, none);
    for (method, path) in [
        ("POST", format!("/api/webhooks/{id}/test")),
        ("POST", format!("/api/webhooks/{id}/rotate")),
        ("GET", format!("/api/webhooks/{id}/deliveries")),
        ("DELETE", format!("/api/webhooks/{id}")),
        ("DELETE", "/api/webhooks/%00".to_owned()),
    ] {
        let refused = telling.call(method, &path, Value::Null).await;
        assert_eq!(refused.refusal(), (404, "webhook_not_found".to_owned()), "{method} {path}");
    }
    telling.token = telling.app.guest().await;
    for (method, path) in
        [("GET", "/api/webhooks"), ("POST", "/api/webhooks"), ("GET", "/api/feed"), ("POST", "/api/feed")]
    {
        let body = if path == "/api/webhooks" && method == "POST" {
            json!({"url": "https://example.com/"})
        } else {
            Value::Null
        };
        assert_eq!(
            telling.call(method, path, body).await.refusal(),
            (403, "account_required".to_owned()),
            "{method} {path}"
        );
    }
    telling.token = ana;
    assert_eq!(telling.call("DELETE", &format!("/api/webhooks/{id}"), Value::Null).await.status, 200);
    let again = telling.call("DELETE", &format!("/api/webhooks/{id}"), Value::Null).await;
    assert_eq!(again.refusal(), (404, "webhook_not_found".to_owned()));
    telling.made(&telling.receiver.url()).await;
}

async fn what_a_webhook_takes_is_checked(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let url = telling.receiver.url();
    for (body, code, detail) in [
        (json!({"url": "ftp://example.com/"}), "invalid_url", "url: takes an absolute http or https URL"),
        (json!({"url": "https://a:b@example.com/"}), "invalid_url", "url: takes an absolute http or https URL"),
        (json!({"url": url, "events": []}), "invalid_body", "events: takes watch.alert"),
        (json!({"url": url, "events": ["webhook.test"]}), "invalid_body", "events: takes watch.alert"),
        (json!({"url": url, "events": ["page.deleted"]}), "invalid_body", "events"),
        (json!({"url": url, "event": ["watch.alert"]}), "invalid_body", "event: unknown field; did you mean: events"),
    ] {
        let refused = telling.call("POST", "/api/webhooks", body.clone()).await;
        assert_eq!(refused.refusal(), (400, code.to_owned()), "{body}");
        assert!(refused.json()["detail"].as_str().unwrap().starts_with(detail), "{}", refused.body);
    }
}

async fn events_are_forgotten_after_a_month(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (id, _) = telling.made(&telling.receiver.url()).await;
    telling.run(&telling.followed().await).await;
    assert_eq!(telling.deliveries(&id).await.len(), 1);
    telling.app.pass(31 * DAY);
    jobs::purge(&telling.app.app).await.unwrap();
    assert!(telling.deliveries(&id).await.is_empty());
}

async fn a_deleted_account_leaves_no_webhook(database: TestDatabase) {
    let telling = Telling::start(database, |_| ()).await;
    let (_, _) = telling.made(&telling.receiver.url()).await;
    assert_eq!(telling.call("POST", "/api/feed", Value::Null).await.status, 200);
    telling.run(&telling.followed().await).await;
    telling.app.database.execute("UPDATE accounts SET status = 'deleting', delete_after = 1").await;
    jobs::purge(&telling.app.app).await.unwrap();
    for count in [
        "SELECT CAST(COUNT(*) AS BIGINT) FROM webhooks",
        "SELECT CAST(COUNT(*) AS BIGINT) FROM webhook_deliveries",
        "SELECT CAST(COUNT(*) AS BIGINT) FROM feeds",
        "SELECT CAST(COUNT(*) AS BIGINT) FROM page_events",
    ] {
        assert_eq!(sqlx::Row::get::<i64, _>(&telling.app.database.row(count).await, 0), 0, "{count}");
    }
}
