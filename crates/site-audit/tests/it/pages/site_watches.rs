//! The pages of watched sites: repeat, list, stop, and what changed, without a script, in both languages.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use service::config::Config;
use service::jobs;
use testkit::facilitator::TestFacilitator;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::browser::{LOOKS, problems};
use super::tab::Tab;
use crate::api::people::{self, SignedIn};
use crate::api::sites::planted;
use crate::app::{Call, Response, TestApp};
use crate::payments::Shop;
use crate::payments::by_credit::credit;

testkit::on_both_databases! {
    an_audit_is_repeated_by_forms,
    a_guest_is_told_that_repeats_are_for_accounts,
    a_credit_that_pays_nothing_hides_no_report,
}

const PATH: &str = "/sites";
const FORM: &str = "application/x-www-form-urlencoded";
const DAY: Duration = Duration::from_secs(86_400);

/// The planted site, whose second page can go away.
async fn changing() -> (TestSite, Arc<AtomicBool>) {
    let is_gone = Arc::new(AtomicBool::new(false));
    let gone = Arc::clone(&is_gone);
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/b" if gone.load(Ordering::SeqCst) => SiteAnswer::missing(),
        _ => planted(asked),
    })
    .await;
    (site, is_gone)
}

async fn send(app: &TestApp, session: &SignedIn, path: &str, body: &str) -> Response {
    let body = format!("csrf={}&{body}", session.csrf);
    let call = Call::new("POST", path).header("content-type", FORM).header("origin", &app.url("")).body(&body);
    app.call(session.cookie(call)).await
}

async fn get(app: &TestApp, session: &SignedIn, path: &str) -> String {
    let answer = app.call(session.cookie(Call::get(path))).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.body
}

async fn next_day(app: &TestApp) {
    app.pass(DAY);
    jobs::schedule(&app.app, app.app.ports().now()).await.unwrap();
    jobs::work_off(&app.app).await.unwrap();
}

/// A session, and the path of the report of its run.
async fn reported(app: &TestApp, site: &TestSite) -> (SignedIn, String) {
    let account = people::account(app, "ana").await;
    let session = people::session(app, &account).await;
    let answer = send(app, &session, PATH, &format!("url={}&max_pages=50&action=start", site.url("/"))).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    jobs::work_off(&app.app).await.unwrap();
    (session, answer.header("location").split('?').next().unwrap().to_owned())
}

/// The path of the form of the first watch in the list.
fn watch_path(list: &str) -> String {
    let (_, rest) = list.split_once("action=\"/sites/watches/").unwrap_or_else(|| panic!("{list}"));
    format!("/sites/watches/{}", rest.split(['?', '"']).next().unwrap())
}

async fn an_audit_is_repeated_by_forms(database: TestDatabase) {
    let (site, is_gone) = changing().await;
    let app = TestApp::start(database, |_| {}).await;
    let (session, path) = reported(&app, &site).await;
    let report = get(&app, &session, &format!("{path}?lang=en")).await;
    assert!(report.contains("Audit daily") && report.contains("Its audits are free."), "{report}");
    assert!(!get(&app, &session, &format!("{PATH}?lang=en")).await.contains("Watched sites"));
    let foreign = Call::new("POST", &format!("{path}/watch")).header("content-type", FORM);
    let foreign = session.cookie(foreign.header("origin", "https://evil.example").body("every=daily"));
    assert_eq!(app.call(foreign).await.status, 403);
    assert_eq!(send(&app, &session, &format!("{path}/watch"), "every=hourly").await.status, 400);
    let made = send(&app, &session, &format!("{path}/watch?lang=pt-BR"), "every=daily").await;
    assert_eq!((made.status, made.header("location")), (303, "/sites?lang=pt-BR#watches"), "{}", made.body);
    let list = get(&app, &session, &format!("{PATH}?lang=pt-BR")).await;
    for part in ["Sites monitorados", "todo dia", "Parar", &site.url("/")] {
        assert!(list.contains(part), "{part}: {list}");
    }
    // The run that is repeated is the one to compare with.
    is_gone.store(true, Ordering::SeqCst);
    next_day(&app).await;
    let list = get(&app, &session, &format!("{PATH}?lang=en")).await;
    let (_, row) = list.split_once("id=\"watches\"").unwrap();
    let run = row.split_once("href=\"/sites/").unwrap().1.split('?').next().unwrap().to_owned();
    assert!(row.contains(" new, "), "{row}");
    let report = get(&app, &session, &format!("{PATH}/{run}?lang=pt-BR")).await;
    for part in ["Desde a auditoria anterior", "Achados novos", &site.url("/b"), &format!("href=\"{path}?lang=pt-BR\"")]
    {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert!(!report.contains("id=\"repeat\"") && report.contains("Esta auditoria é de um monitoramento"), "{report}");
    let watch = watch_path(&list);
    for (action, shown) in [("stop", "stopped"), ("resume", ">Stop<"), ("delete", "Audit a whole site")] {
        assert_eq!(send(&app, &session, &watch, &format!("action={action}")).await.status, 303, "{action}");
        let list = get(&app, &session, &format!("{PATH}?lang=en")).await;
        assert!(list.contains(shown), "{action}: {list}");
    }
    assert!(!get(&app, &session, &format!("{PATH}?lang=en")).await.contains("Watched sites"));
    assert_eq!(send(&app, &session, &watch, "action=stop").await.status, 404);
}

async fn a_credit_that_pays_nothing_hides_no_report(database: TestDatabase) {
    let (site, _) = changing().await;
    let free = |config: &mut Config| config.limits.free_audits_per_day = 50;
    let shop = Shop::beside(TestFacilitator::start().await, database, free).await;
    let (session, path) = reported(&shop.app, &site).await;
    shop.app.database.execute("UPDATE accounts SET trial_started_at = 1").await;
    let cookies = format!("mm-auth={}; mm-credit={}", session.token, credit(&shop, 900_000).await);
    let report = async || shop.app.call(Call::get(&format!("{path}?lang=en")).header("cookie", &cookies)).await;
    let paying = report().await;
    assert!(paying.status == 200 && paying.body.contains("paid with the credit in this browser"), "{}", paying.body);
    shop.app.database.execute("UPDATE credits SET network = 'eip155:1'").await;
    let worthless = report().await;
    assert!(worthless.status == 200 && worthless.body.contains("A watch needs a credit"), "{}", worthless.body);
    assert!(worthless.body.contains("id=\"findings\""), "the report is there: {}", worthless.body);
}

async fn a_guest_is_told_that_repeats_are_for_accounts(database: TestDatabase) {
    let (site, _) = changing().await;
    let app = TestApp::start(database, |_| {}).await;
    let begin = Call::new("POST", PATH).header("content-type", FORM).header("origin", &app.url(""));
    let begun = app.call(begin.body(&format!("url={}&max_pages=5&action=start", site.url("/")))).await;
    jobs::work_off(&app.app).await.unwrap();
    let cookie = begun.header("set-cookie").split(';').next().unwrap().to_owned();
    let path = begun.header("location").split('?').next().unwrap().to_owned();
    let report = app.call(Call::get(&format!("{path}?lang=en")).header("cookie", &cookie)).await;
    assert!(
        report.body.contains("Watching a site needs an account.") && !report.body.contains("Audit daily"),
        "{}",
        report.body
    );
    let form = Call::new("POST", &format!("{path}/watch")).header("content-type", FORM).header("cookie", &cookie);
    let refused = app.call(form.header("origin", &app.url("")).body("every=daily")).await;
    assert_eq!(refused.status, 403, "{}", refused.body);
}

/// Goes through the pages by mouse.
async fn used_by_mouse(runs_scripts: bool) {
    let (site, is_gone) = changing().await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    if !runs_scripts {
        tab.disable_scripts();
    }
    let (session, path) = reported(&app, &site).await;
    tab.set_cookie("mm-auth", &session.token);
    let mut found = Vec::new();
    let look = |tab: &mut Tab, found: &mut Vec<String>, name: &str| {
        if runs_scripts {
            found.extend(problems(tab, &format!("site-watches-{name}"), &LOOKS));
        }
    };
    tab.visit(&format!("{path}?lang=en"));
    look(&mut tab, &mut found, "repeat");
    tab.load(|tab| tab.click("button[value=weekly]"));
    assert!(tab.shown().contains("weekly"), "{}", tab.shown());
    is_gone.store(true, Ordering::SeqCst);
    for _ in 0..7 {
        next_day(&app).await;
    }
    for lang in ["en", "pt-BR"] {
        tab.visit(&format!("{PATH}?lang={lang}"));
        look(&mut tab, &mut found, &format!("list-{lang}"));
        tab.load(|tab| tab.click("#watches ~ div a"));
        assert_eq!(tab.status(), 200);
        look(&mut tab, &mut found, &format!("changes-{lang}"));
    }
    tab.visit(&format!("{PATH}?lang=en"));
    tab.load(|tab| tab.click("button[value=stop]"));
    assert!(tab.shown().contains("stopped"), "{}", tab.shown());
    look(&mut tab, &mut found, "stopped");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_is_watched_by_mouse_without_barriers() {
    used_by_mouse(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_is_watched_by_mouse_without_scripts() {
    used_by_mouse(false).await;
}
