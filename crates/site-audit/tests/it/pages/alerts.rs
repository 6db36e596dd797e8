//! Alerts that a reader without an account asks for on the report: one form, the link of a mail, a password.

use testkit::{MailServer, SiteAnswer, TestDatabase, TestSite};

use super::tab::Tab;
use super::verification::altcha;
use crate::api::accounts::{PASSWORD, letter, signed_up, start, start_with, token};
use crate::api::people::{self, Browser};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_guest_turns_on_alerts_from_the_report,
    what_is_refused_is_told_at_the_form_with_what_was_typed,
    an_address_that_has_an_account_gets_the_same_answer_and_another_mail,
    who_has_an_account_signs_in_and_gets_alerts,
    the_form_is_for_the_reader_of_the_report_alone,
    without_mail_no_report_offers_alerts,
    an_account_turns_on_alerts_with_one_button,
}

const FORM: &str = "application/x-www-form-urlencoded";
const BREAD: &str = "<!doctype html><html lang=en><title>Bread</title><h1>Bread</h1>";

async fn site() -> TestSite {
    TestSite::start(|_| SiteAnswer::html(BREAD)).await
}

/// Audits a page; the path of its report.
async fn audited(browser: &mut Browser<'_>, url: &str) -> String {
    let encoded = url::form_urlencoded::Serializer::new(String::new()).append_pair("url", url).finish();
    let sent = browser.form("/", FORM, &encoded).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    sent.header("location").split('?').next().unwrap().to_owned()
}

/// Sends the form of a report.
async fn ask(browser: &mut Browser<'_>, report: &str, email: &str) -> Response {
    browser.form(&format!("{report}/alerts?lang=en"), FORM, &format!("email={email}&do=send")).await
}

/// Address and watch of each page that a browser follows.
async fn followed(browser: &mut Browser<'_>) -> Vec<(String, bool)> {
    let tabs = browser.get("/workspace.json").await;
    if tabs.status == 404 {
        return Vec::new();
    }
    let of = |tab: &serde_json::Value| (tab["url"].as_str().unwrap().to_owned(), tab["monitor"] == true);
    tabs.json()["tabs"].as_array().unwrap().iter().map(of).collect()
}

/// The value of a hidden field of a page.
fn hidden<'a>(page: &'a Response, name: &str) -> &'a str {
    let (_, rest) = page.body.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
    rest.split('"').next().unwrap()
}

/// Signs Ana in by the form at an address; where that leads to.
async fn signed_in(browser: &mut Browser<'_>, address: &str) -> String {
    let form = browser.get(address).await;
    let (csrf, back, password) = (hidden(&form, "csrf"), hidden(&form, "return_to"), PASSWORD.replace(' ', "+"));
    let body = format!("csrf={csrf}&return_to={back}&email=ana@example.com&password={password}");
    let sent = browser.form("/conta/global?lang=en", FORM, &body).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    sent.header("location").to_owned()
}

/// Confirms what the page after signing in offers; where that leads to.
async fn imported(browser: &mut Browser<'_>, address: &str) -> String {
    let offered = browser.get(address).await;
    assert!(offered.body.contains("Import, and email me when the page gets worse"), "{}", offered.body);
    // Who imports nothing is not led to a page that is the guest's.
    assert!(offered.body.contains("href=\"/workspace?lang=en\">Not now"), "{}", offered.body);
    let body = format!("csrf={}&return_to={}", hidden(&offered, "csrf"), hidden(&offered, "return_to"));
    browser.form("/conta/claim?lang=en", FORM, &body).await.header("location").to_owned()
}

async fn a_guest_turns_on_alerts_from_the_report(database: TestDatabase) {
    let (site, (app, mail)) = (site().await, start(database).await);
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    for (lang, label) in [
        ("en", "Email me when it gets worse, with a free account"),
        ("pt-BR", "Avisar por e-mail quando piorar, com uma conta grátis"),
    ] {
        let page = browser.get(&format!("{report}?lang={lang}")).await.body;
        let form = format!("action=\"{report}/alerts?lang={lang}\"");
        assert!(page.contains(label) && page.contains(&form) && !page.contains("role=\"alert\""), "{page}");
    }
    let sent = ask(&mut browser, &report, "ana@example.com").await;
    let place = format!("{report}?done=alerts_sent&lang=en");
    assert_eq!((sent.status, sent.header("location")), (303, place.as_str()), "{}", sent.body);
    assert!(browser.get(&place).await.body.contains("role=\"status\">Check your inbox"), "{place}");
    // Nobody is written to before the address is confirmed.
    assert_eq!(followed(&mut browser).await, [(site.url("/"), false)]);
    let token = token(&app, &mail, 1).await;
    let form = browser.get(&format!("/conta/global/complete?lang=en&token={token}")).await;
    assert!(form.body.contains("Create account and turn on alerts"), "{}", form.body);
    let weak = format!("csrf={}&token={token}&password=short&display_name=Ana+B", hidden(&form, "csrf"));
    let weak = browser.form("/conta/global/complete?lang=en", FORM, &weak).await;
    assert!(weak.status == 400 && weak.body.contains("value=\"Ana B\""), "{}", weak.body);
    assert!(!weak.body.contains("value=\"short\""), "{}", weak.body);
    let password = PASSWORD.replace(' ', "+");
    let body = format!("csrf={}&token={token}&password={password}&display_name=", hidden(&weak, "csrf"));
    let made = browser.form("/conta/global/complete?lang=en", FORM, &body).await;
    assert!(made.header("location").ends_with("?done=alerts_on&lang=en"), "{}", made.body);
    let page = browser.get(made.header("location")).await.body;
    assert!(page.contains("role=\"status\">Alerts are on."), "{page}");
    assert_eq!(followed(&mut browser).await, [(site.url("/"), true)]);
    // The report is the account's, and offers no more of it.
    let page = browser.get(&format!("{report}?lang=en")).await;
    assert_eq!(page.status, 200);
    assert!(!page.body.contains("/alerts?") && !page.body.contains("Email me when"), "{}", page.body);
}

async fn what_is_refused_is_told_at_the_form_with_what_was_typed(database: TestDatabase) {
    let site = site().await;
    // That a browser must be verified is for audits alone: nothing is asked here.
    let (app, mail) = start_with(database, |config| {
        config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
        config.limits.free_tabs = 1;
        altcha(config);
        config.free_now = vec![service::config::Sku::Audit];
    })
    .await;
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    let told = |answer: &Response, status: u16, typed: &str, words: &str| {
        assert_eq!(answer.status, status, "{}", answer.body);
        let typed = format!("value=\"{typed}\"");
        for part in ["<title>Error: ", "role=\"alert\"", "aria-invalid=\"true\"", &typed, words] {
            assert!(answer.body.contains(part), "{part}: {}", answer.body);
        }
    };
    for typed in ["ana", "", "%3Cb%3E%22"] {
        let answer = ask(&mut browser, &report, typed).await;
        let shown = if typed.starts_with('%') { "&#60;b&#62;&#34;" } else { typed };
        told(&answer, 400, shown, "Enter a valid email address.");
    }
    let portuguese = browser.form(&format!("{report}/alerts?lang=pt-BR"), FORM, "email=ana&do=send").await;
    assert!(portuguese.status == 400 && portuguese.body.contains("<title>Erro: "), "{}", portuguese.body);
    assert!(portuguese.body.contains("Informe um endereço de e-mail válido."), "{}", portuguese.body);
    assert!(followed(&mut browser).await.is_empty(), "a page was followed and no mail sent");
    // Ten mails of a network and hour.
    for name in 0..10 {
        let sent = ask(&mut browser, &report, &format!("a{name}@example.com")).await;
        assert_eq!(sent.status, 303, "{}", sent.body);
    }
    let over = ask(&mut browser, &report, "b@example.com").await;
    told(&over, 429, "b@example.com", "Try again in");
    assert!(!over.header("retry-after").is_empty());
    // A second page is one too many. No mail says otherwise.
    letter(&app, &mail, 10).await;
    app.pass(std::time::Duration::from_secs(3_600));
    let second = audited(&mut browser, &site.url("/b")).await;
    let full = ask(&mut browser, &second, "c@example.com").await;
    told(&full, 402, "c@example.com", "You already follow one page");
    service::jobs::work_off(&app.app).await.unwrap();
    assert_eq!(mail.letters().len(), 10);
}

async fn an_address_that_has_an_account_gets_the_same_answer_and_another_mail(database: TestDatabase) {
    let (site, (app, mail)) = (site().await, start(database).await);
    drop(signed_up(&app, &mail, "ana@example.com").await);
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    let unknown = ask(&mut browser, &report, "bo@example.com").await;
    letter(&app, &mail, 2).await;
    let known = ask(&mut browser, &report, "ana@example.com").await;
    let seen = |answer: &Response| (answer.status, answer.header("location").to_owned(), answer.body.clone());
    assert_eq!(seen(&known), seen(&unknown));
    assert_eq!(known.header("set-cookie"), unknown.header("set-cookie"));
    // The mail's link goes on with the alerts in this browser.
    let link = letter(&app, &mail, 3).await.link(&app.url("/conta/global?"));
    let offer = signed_in(&mut browser, link.strip_prefix(&app.url("")).unwrap()).await;
    let place = imported(&mut browser, &offer).await;
    assert!(place.ends_with("?done=alerts_on&lang=en"), "{place}");
    assert_eq!(followed(&mut browser).await, [(site.url("/"), true)]);
    // The next sign-in has nothing to go on with.
    let form = browser.get("/conta/out").await;
    let out = format!("csrf={}", hidden(&form, "csrf"));
    assert_eq!(browser.form("/conta/out?lang=en", FORM, &out).await.status, 303);
    assert_eq!(hidden(&browser.get("/conta/global?lang=en").await, "return_to"), "/conta");
}

async fn who_has_an_account_signs_in_and_gets_alerts(database: TestDatabase) {
    let (site, (app, mail)) = (site().await, start(database).await);
    drop(signed_up(&app, &mail, "ana@example.com").await);
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    let led = browser.form(&format!("{report}/alerts?lang=en"), FORM, "email=&do=sign_in").await;
    assert_eq!(led.status, 303, "{}", led.body);
    let sign_in = led.header("location").to_owned();
    assert!(sign_in.starts_with("/conta/global?return_to=/workspace/"), "{sign_in}");
    let offer = signed_in(&mut browser, &sign_in).await;
    let place = imported(&mut browser, &offer).await;
    assert!(place.ends_with("?done=alerts_on&lang=en"), "{place}");
    assert_eq!(followed(&mut browser).await, [(site.url("/"), true)]);
}

async fn the_form_is_for_the_reader_of_the_report_alone(database: TestDatabase) {
    let (site, (app, mail)) = (site().await, start(database).await);
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    let path = format!("{report}/alerts");
    let mut other = Browser::with_cookies(&app, &[]);
    audited(&mut other, &site.url("/")).await;
    assert_eq!(ask(&mut other, &report, "a@example.com").await.status, 404);
    assert_eq!(ask(&mut Browser::with_cookies(&app, &[]), &report, "a@example.com").await.status, 404);
    let guest = format!("mm-guest={}", browser.guest().unwrap());
    let foreign = Call::new("POST", &path)
        .header("content-type", FORM)
        .header("origin", "https://evil.example")
        .header("cookie", &guest)
        .body("email=a@example.com");
    assert_eq!(app.call(foreign).await.status, 403);
    assert_eq!(app.call(Call::get(&path).header("cookie", &guest)).await.status, 405);
    // Signed in since, the form of before is none of the account's.
    let session = people::session(&app, &people::account(&app, "ana").await).await;
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let own = audited_as(&mut ana, &session.csrf, &site.url("/")).await;
    assert_eq!(ask(&mut ana, &own, "a@example.com").await.status, 403);
    let body = format!("csrf={}&email=a@example.com&do=send", session.csrf);
    let led = ana.form(&format!("{own}/alerts?lang=en"), FORM, &body).await;
    assert_eq!((led.status, led.header("location")), (303, format!("{own}?lang=en").as_str()));
    service::jobs::work_off(&app.app).await.unwrap();
    assert_eq!(mail.letters().len(), 0);
}

/// The same as [`audited`] by somebody who is signed in.
async fn audited_as(browser: &mut Browser<'_>, csrf: &str, url: &str) -> String {
    let mut form = url::form_urlencoded::Serializer::new(String::new());
    let encoded = form.append_pair("csrf", csrf).append_pair("url", url).finish();
    let sent = browser.form("/", FORM, &encoded).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    sent.header("location").split('?').next().unwrap().to_owned()
}

async fn without_mail_no_report_offers_alerts(database: TestDatabase) {
    let (site, app) = (site().await, TestApp::start(database, |_| ()).await);
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    let page = browser.get(&format!("{report}?lang=en")).await.body;
    assert!(!page.contains("/alerts?") && !page.contains("Email me when"), "{page}");
    // A form of before the mail server was taken away says so.
    let refused = ask(&mut browser, &report, "ana@example.com").await;
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert!(refused.body.contains("role=\"alert\"") && refused.body.contains("value=\"ana@example.com\""));
}

async fn an_account_turns_on_alerts_with_one_button(database: TestDatabase) {
    let (site, (app, _mail)): (_, (_, MailServer)) = (site().await, start(database).await);
    let session = people::session(&app, &people::account(&app, "ana").await).await;
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let report = audited_as(&mut ana, &session.csrf, &site.url("/")).await;
    let has_button = async |ana: &mut Browser<'_>| {
        let page = ana.get(&format!("{report}?lang=en")).await.body;
        assert!(!page.contains("/alerts?"), "{page}");
        page.contains("name=\"watch\" value=\"on\">Email me when it gets worse")
    };
    assert!(has_button(&mut ana).await);
    // A page that is followed without alerts has the button too.
    let url: String = url::form_urlencoded::byte_serialize(site.url("/").as_bytes()).collect();
    let body = format!("csrf={}&url={url}", session.csrf);
    assert_eq!(ana.form("/workspace", FORM, &body).await.status, 303);
    assert!(has_button(&mut ana).await);
    let on = ana.form("/workspace?lang=en", FORM, &format!("{body}&watch=on")).await;
    assert!(on.header("location").ends_with("?done=alerts_on&lang=en"), "{}", on.body);
    assert_eq!(followed(&mut ana).await, [(site.url("/"), true)]);
    assert!(!has_button(&mut ana).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_gets_alerts_in_three_steps_with_scripts() {
    a_guest_gets_alerts_in_three_steps(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_gets_alerts_in_three_steps_without_scripts() {
    a_guest_gets_alerts_in_three_steps(false).await;
}

async fn a_guest_gets_alerts_in_three_steps(runs_scripts: bool) {
    let (site, (app, mail)) = (site().await, start(TestDatabase::sqlite()).await);
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    if !runs_scripts {
        tab.disable_scripts();
    }
    tab.visit("/?lang=en");
    tab.submit(&site.url("/"));
    // What is typed wrong is there to be corrected.
    tab.click("#email");
    tab.write("ana");
    tab.load(|tab| tab.press("Enter"));
    assert_eq!((tab.status(), tab.text("document.getElementById('email').value")), (400, "ana".to_owned()));
    tab.value("document.getElementById('email').select()");
    tab.write("ana@example.com");
    // One.
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Check your inbox"), "{}", tab.shown());
    // Two.
    let link = letter(&app, &mail, 1).await.link(&app.url("/conta/global/complete"));
    tab.visit(link.strip_prefix(&app.url("")).unwrap());
    tab.click("#password");
    tab.write(PASSWORD);
    // Three.
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Alerts are on."), "{}", tab.shown());
    assert_eq!(tab.complaints(), [""; 0]);
}
