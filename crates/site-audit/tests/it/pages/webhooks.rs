//! The page of webhooks and the feed: forms without a script, in both languages.

use service::jobs;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::browser::{LOOKS, problems};
use super::tab::Tab;
use crate::api::people;
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_webhook_is_made_tested_rotated_and_deleted_by_forms,
    a_feed_is_made_renewed_and_deleted_by_forms,
}

const PATH: &str = "/workspace/webhooks";
const FORM: &str = "application/x-www-form-urlencoded";

/// The page in a signed-in browser.
struct Page<'a> {
    app: &'a TestApp,
    cookie: String,
}

impl<'a> Page<'a> {
    async fn open(app: &'a TestApp) -> Self {
        let account = people::account(app, "ana").await;
        Self { app, cookie: format!("mm-auth={}", people::session(app, &account).await.token) }
    }

    async fn get(&self, lang: &str) -> Response {
        let page = self.app.call(Call::get(&format!("{PATH}?lang={lang}")).header("cookie", &self.cookie)).await;
        assert_eq!(page.status, 200, "{}", page.body);
        assert!(page.header("cache-control").contains("no-store"), "{:?}", page.headers);
        page
    }

    /// Sends a form of the page as it is shown.
    async fn send(&self, fields: &str) -> Response {
        let shown = self.get("en").await.body;
        let csrf = shown.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        self.post(&format!("{fields}&csrf={csrf}")).await
    }

    async fn post(&self, body: &str) -> Response {
        let call = Call::new("POST", PATH).header("content-type", FORM).header("cookie", &self.cookie);
        self.app.call(call.header("origin", &self.app.url("")).body(body)).await
    }
}

/// How what is to be copied begins, with room for the button that copies it.
const COPIED: &str = "<div class=\"block\"><pre><code>";

/// What stands between two texts.
fn between<'t>(text: &'t str, from: &str, to: &str) -> &'t str {
    text.split(from).nth(1).unwrap_or_else(|| panic!("{from}: {text}")).split(to).next().unwrap()
}

async fn a_webhook_is_made_tested_rotated_and_deleted_by_forms(database: TestDatabase) {
    let receiver = TestSite::start(|_| SiteAnswer::page(503, "text/plain", "")).await;
    let app = TestApp::start(database, |_| ()).await;
    let guest = app.call(Call::get(PATH)).await;
    assert!(guest.status == 200 && guest.body.contains("need an account"), "{}", guest.body);
    let page = Page::open(&app).await;
    assert_eq!(page.post("action=feed").await.status, 403, "a form needs the token of its page");
    let refused = page.send("action=create&url=http%3A%2F%2F127.0.0.1%2F&watch.alert=on").await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.body.contains("value=\"http://127.0.0.1/\"") && refused.body.contains("id=\"problem\""),
        "{}",
        refused.body
    );
    let none = page.send(&format!("action=create&url={}", receiver.url("/hooks"))).await;
    assert_eq!(none.status, 400, "an event is to be chosen");

    let made = page.send(&format!("action=create&url={}&watch.alert=on", receiver.url("/hooks"))).await;
    assert_eq!(made.status, 200, "{}", made.body);
    let secret = between(&made.body, COPIED, "</code>").to_owned();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let shown = page.get("pt-BR").await.body;
    assert!(!shown.contains("whsec_"), "shown once");
    assert!(shown.contains("ativo") && shown.contains("alertas") && !shown.contains("outras auditorias,"), "{shown}");
    let id = between(&shown, "name=\"id\" value=\"", "\"").to_owned();

    assert_eq!(page.send(&format!("action=test&id={id}")).await.status, 303);
    jobs::work_off(&app.app).await.unwrap();
    let shown = page.get("pt-BR").await.body;
    assert!(shown.contains("falhando") && shown.contains("503") && shown.contains("teste"), "{shown}");
    let rotated = page.send(&format!("action=rotate&id={id}")).await.body;
    assert_ne!(between(&rotated, COPIED, "</code>"), secret);
    assert_eq!(page.send(&format!("action=delete&id={id}")).await.status, 303);
    assert!(page.get("en").await.body.contains("No webhooks yet."));
    assert_eq!(page.send(&format!("action=delete&id={id}")).await.status, 404);
}

async fn a_feed_is_made_renewed_and_deleted_by_forms(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let page = Page::open(&app).await;
    let made = page.send("action=feed").await.body;
    let url = between(&made, COPIED, "</code>").to_owned();
    assert_eq!(made.matches(COPIED).count(), 2, "the feed and the calendar: {made}");
    let path = url.strip_prefix(&app.url("")).unwrap().replace("&#61;", "=");
    assert_eq!(app.call(Call::get(&path)).await.status, 200, "{path}");
    let calendar = path.replace("?lang", "/calendar.ics?lang");
    assert!(made.replace("&#61;", "=").contains(&app.url(&calendar)), "{made}");
    assert_eq!(app.call(Call::get(&calendar)).await.header("content-type"), "text/calendar; charset=utf-8");
    let shown = page.get("pt-BR").await.body;
    assert!(shown.contains("Renovar o endereço") && !shown.contains("/feeds/"), "{shown}");
    page.send("action=feed").await;
    assert_eq!(app.call(Call::get(&path)).await.status, 404);
    assert_eq!(page.send("action=delete-feed").await.status, 303);
    assert!(page.get("en").await.body.contains("Create feed"));
}

/// Goes through the page by mouse: a webhook is refused, made, tested and deleted, a feed is made and deleted.
async fn used_by_mouse(runs_scripts: bool) {
    let receiver = TestSite::start(|_| SiteAnswer::page(503, "text/plain", "")).await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| ()).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    if !runs_scripts {
        tab.disable_scripts();
    }
    tab.set_cookie("mm-auth", &session.token);
    tab.visit(&format!("{PATH}?lang=en"));
    let mut found = if runs_scripts { problems(&mut tab, "webhooks-empty", &LOOKS) } else { Vec::new() };
    tab.click("#url");
    tab.write("http://127.0.0.1/");
    tab.load(|tab| tab.click("form:has(#url) button"));
    assert!(tab.status() == 400 && tab.shown().contains("no public address"), "{}", tab.shown());
    if runs_scripts {
        found.extend(problems(&mut tab, "webhooks-refused", &LOOKS));
    }
    tab.value("document.querySelector('#url').value = ''");
    tab.click("#url");
    tab.write(&receiver.url("/hooks"));
    tab.load(|tab| tab.click("form:has(#url) button"));
    assert!(tab.shown().contains("whsec_"), "{}", tab.shown());
    // Two with deliveries are told apart.
    tab.click("#url");
    tab.write(&receiver.url("/more"));
    tab.load(|tab| tab.click("form:has(#url) button"));
    tab.load(|tab| tab.click("form:has(input[value=test]) button"));
    tab.load(|tab| tab.click("section.card ~ section.card form:has(input[value=test]) button"));
    jobs::work_off(&app.app).await.unwrap();
    tab.visit(&format!("{PATH}?lang=pt-BR"));
    assert!(tab.shown().contains("503") && !tab.shown().contains("whsec_"), "{}", tab.shown());
    if runs_scripts {
        found.extend(problems(&mut tab, "webhooks-failing", &LOOKS));
    }
    tab.load(|tab| tab.click("form:has(input[value=feed]) button"));
    assert!(tab.shown().contains("/feeds/"), "{}", tab.shown());
    tab.load(|tab| tab.click("form:has(input[value=delete-feed]) button"));
    for _ in 0..2 {
        tab.load(|tab| tab.click("form:has(input[value=delete]) button"));
    }
    assert!(tab.shown().contains("Nenhum webhook ainda."), "{}", tab.shown());
    if runs_scripts {
        found.extend(problems(&mut tab, "webhooks-deleted", &LOOKS));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_made_and_deleted_by_mouse_without_barriers() {
    used_by_mouse(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_made_and_deleted_by_mouse_without_scripts() {
    used_by_mouse(false).await;
}
