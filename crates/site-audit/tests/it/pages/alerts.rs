//! Alerts that a reader without an account asks for on the report: one form, the link of a mail, a password.

use sqlx::Row as _;
use testkit::{MailServer, SiteAnswer, TestDatabase, TestSite};

use super::tab::Tab;
use super::verification::altcha;
use crate::api::accounts::factors::enrolled;
use crate::api::accounts::{PASSWORD, letter, signed_up, start, start_with, token};
use crate::api::people::{self, Browser};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_guest_turns_on_alerts_from_the_report,
    the_link_of_the_mail_works_in_any_browser_once,
    an_account_opens_the_link_in_any_browser,
    a_second_factor_comes_between_the_link_and_the_alerts,
    a_link_follows_its_page_and_takes_nothing_from_another_guest,
    a_limit_leaves_the_link_for_another_try,
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
    let mut followed: Vec<_> = tabs.json()["tabs"].as_array().unwrap().iter().map(of).collect();
    followed.sort();
    followed
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
    assert!(
        form.body.contains(&told(&site.url("/"))) && form.body.contains("that this browser followed"),
        "{}",
        form.body
    );
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
    // No mail names an address that a stranger chose.
    assert!(!letter(&app, &mail, 2).await.text().contains(&site.url("/")));
    let known = ask(&mut browser, &report, "ana@example.com").await;
    let seen = |answer: &Response| (answer.status, answer.header("location").to_owned(), answer.body.clone());
    assert_eq!(seen(&known), seen(&unknown));
    assert_eq!(known.header("set-cookie"), unknown.header("set-cookie"));
    let letter = letter(&app, &mail, 3).await;
    assert!(letter.text().contains("which already has an account") && !letter.text().contains(&site.url("/")));
    // Signing in by the link turns the alerts on, and offers what the guest of this browser has.
    let link = letter.link(&app.url("/conta/global/complete?"));
    let offer = confirmed(&mut browser, link.strip_prefix(&app.url("")).unwrap()).await;
    let place = offer.header("location").to_owned();
    assert!(offer.status == 303 && place.starts_with("/conta/claim?return_to=/workspace/"), "{place}: {}", offer.body);
    assert_eq!(followed(&mut browser).await, [(site.url("/"), true)]);
    let offer = browser.get(&place).await;
    assert!(offer.body.contains("Audits: <strong>1</strong>"), "{}", offer.body);
    let body = format!("csrf={}&return_to={}", hidden(&offer, "csrf"), hidden(&offer, "return_to"));
    let taken = browser.form("/conta/claim?lang=en", FORM, &body).await;
    let page = browser.get(taken.header("location")).await.body;
    assert!(page.contains("role=\"status\">Alerts are on."), "{page}");
    assert_eq!(browser.get(&format!("{report}?lang=en")).await.status, 200);
    // The next sign-in has nothing to go on with.
    let form = browser.get("/conta/out").await;
    let out = format!("csrf={}", hidden(&form, "csrf"));
    assert_eq!(browser.form("/conta/out?lang=en", FORM, &out).await.status, 303);
    assert_eq!(hidden(&browser.get("/conta/global?lang=en").await, "return_to"), "/conta");
}

/// What the page of a link says that its button does.
fn told(url: &str) -> String {
    format!("Follow {url} and get alerts at ana@example.com when the page gets worse.")
}

/// Opens the link of a mail to Ana, and sends its form.
async fn confirmed(browser: &mut Browser<'_>, link: &str) -> Response {
    let form = browser.get(link).await;
    assert!(form.status == 200 && form.body.contains("and get alerts at ana@example.com"), "{}", form.body);
    let mut body = format!("csrf={}&token={}", hidden(&form, "csrf"), hidden(&form, "token"));
    if form.body.contains("name=\"return_to\"") {
        body.push_str(&format!("&return_to={}", hidden(&form, "return_to")));
    }
    let body = format!("{body}&password={}&display_name=", PASSWORD.replace(' ', "+"));
    browser.form("/conta/global/complete?lang=en", FORM, &body).await
}

/// The link of the last of `count` letters, as a path.
async fn link_of(app: &TestApp, mail: &MailServer, count: usize) -> String {
    letter(app, mail, count).await.link(&app.url("/conta/global/complete?")).replace(&app.url(""), "")
}

async fn the_link_of_the_mail_works_in_any_browser_once(database: TestDatabase) {
    let (site, (app, mail)) = (site().await, start(database).await);
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/?a=1&b=<i>")).await;
    assert_eq!(ask(&mut browser, &report, "ana@example.com").await.status, 303);
    let link = link_of(&app, &mail, 1).await;
    // The telephone on which the mail is read.
    let mut phone = Browser::with_cookies(&app, &[]);
    let page = site.url("/?a=1&b=%3Ci%3E");
    let form = phone.get(&link).await;
    assert!(form.body.contains(&told(&page).replace('&', "&#38;")), "{}", form.body);
    assert!(!form.body.contains("that this browser followed"), "{}", form.body);
    let portuguese = phone.get(&link.replace("lang=en", "lang=pt-BR")).await.body;
    assert!(portuguese.contains("receber alertas em ana@example.com quando a página piorar."), "{portuguese}");
    assert!(portuguese.contains("Criar conta e ativar os alertas"), "{portuguese}");
    // Opening it stores nothing.
    assert_eq!(app.database.row("SELECT COUNT(*) FROM accounts").await.get::<i64, _>(0), 0);
    let made = confirmed(&mut phone, &link).await;
    let place = made.header("location").to_owned();
    assert!(place.starts_with("/workspace/") && place.ends_with("?done=alerts_on&lang=en"), "{place}: {}", made.body);
    assert!(phone.get(&place).await.body.contains("role=\"status\">Alerts are on."));
    assert_eq!(followed(&mut phone).await, [(page.clone(), true)]);
    // What the guest has stays the guest's: the report is not the account's.
    assert_eq!(phone.get(&report).await.status, 404);
    assert_eq!(browser.get(&report).await.status, 200);
    assert_eq!(followed(&mut browser).await, [(page, false)]);
    for again in [phone.get(&link).await, Browser::with_cookies(&app, &[]).get(&link).await] {
        assert!(again.status == 400 && again.body.contains("This link no longer works"), "{}", again.body);
    }
}

async fn an_account_opens_the_link_in_any_browser(database: TestDatabase) {
    let (site, (app, mail)) = (site().await, start(database).await);
    drop(signed_up(&app, &mail, "ana@example.com").await);
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    ask(&mut browser, &report, "ana@example.com").await;
    let link = link_of(&app, &mail, 2).await;
    let mut phone = Browser::with_cookies(&app, &[]);
    let form = phone.get(&link).await;
    assert!(
        form.body.contains(&told(&site.url("/"))) && form.body.contains("Sign in and turn on alerts"),
        "{}",
        form.body
    );
    let wrong = format!("csrf={}&token={}&password=wrong", hidden(&form, "csrf"), hidden(&form, "token"));
    let wrong = phone.form("/conta/global/complete?lang=en", FORM, &wrong).await;
    assert!(wrong.status == 401 && wrong.body.contains("role=\"alert\""), "{}", wrong.body);
    let done = confirmed(&mut phone, &link).await;
    assert!(done.header("location").ends_with("?done=alerts_on&lang=en"), "{}", done.body);
    assert_eq!(followed(&mut phone).await, [(site.url("/"), true)]);
    assert!(phone.get(&link).await.body.contains("This link no longer works"));
    // Who is signed in presses one button; another account has to be left first.
    let second = audited(&mut browser, &site.url("/b")).await;
    ask(&mut browser, &second, "ana@example.com").await;
    let link = link_of(&app, &mail, 3).await;
    let other = people::session(&app, &people::account(&app, "bo").await).await;
    let mut others = Browser::with_cookies(&app, &[("mm-auth", &other.token)]);
    assert!(others.get(&link).await.body.contains("name=\"password\""));
    let form = phone.get(&link).await;
    assert!(
        form.body.contains("Follow and turn on alerts") && !form.body.contains("name=\"password\""),
        "{}",
        form.body
    );
    let done = confirmed(&mut phone, &link).await;
    assert!(done.header("location").ends_with("?done=alerts_on&lang=en"), "{}", done.body);
    assert_eq!(followed(&mut phone).await, [(site.url("/"), true), (site.url("/b"), true)]);
    assert!(followed(&mut others).await.is_empty());
}

async fn a_second_factor_comes_between_the_link_and_the_alerts(database: TestDatabase) {
    let (site, (app, mail)) = (site().await, start(database).await);
    let mut ana = signed_up(&app, &mail, "ana@example.com").await;
    let (_, codes) = enrolled(&app, &mut ana).await;
    letter(&app, &mail, 2).await;
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    ask(&mut browser, &report, "ana@example.com").await;
    let link = link_of(&app, &mail, 3).await;
    let mut phone = Browser::with_cookies(&app, &[]);
    let asked = confirmed(&mut phone, &link).await;
    assert!(asked.body.contains("Two-factor authentication"), "{}", asked.body);
    assert!(followed(&mut phone).await.is_empty());
    let (csrf, challenge, back) = (hidden(&asked, "csrf"), hidden(&asked, "challenge"), hidden(&asked, "return_to"));
    let body = format!("csrf={csrf}&challenge={challenge}&return_to={back}&code={}", codes[0]);
    let done = phone.form("/conta/global/factor?lang=en", FORM, &body).await;
    assert!(done.header("location").ends_with("?done=alerts_on&lang=en"), "{}", done.body);
    assert_eq!(followed(&mut phone).await, [(site.url("/"), true)]);
}

async fn a_link_follows_its_page_and_takes_nothing_from_another_guest(database: TestDatabase) {
    let (site, (app, mail)) = (site().await, start(database).await);
    let mut browser = Browser::with_cookies(&app, &[]);
    let report = audited(&mut browser, &site.url("/")).await;
    ask(&mut browser, &report, "ana@example.com").await;
    let link = link_of(&app, &mail, 1).await;
    // A browser of somebody else, who asked for alerts about another page.
    let mut others = Browser::with_cookies(&app, &[]);
    let other = audited(&mut others, &site.url("/b")).await;
    ask(&mut others, &other, "bo@example.com").await;
    let form = others.get(&link).await.body;
    assert!(form.contains(&told(&site.url("/"))) && !form.contains("that this browser followed"), "{form}");
    let made = confirmed(&mut others, &link).await;
    // What the browser has is offered, not taken.
    assert!(made.header("location").starts_with("/conta/claim?return_to=/workspace/"), "{}", made.body);
    assert_eq!(followed(&mut others).await, [(site.url("/"), true)]);
    assert_eq!(app.database.row("SELECT COUNT(*) FROM guests WHERE claimed_by IS NOT NULL").await.get::<i64, _>(0), 0);
    // A link of before the account was made signs in to it.
    app.database.execute("UPDATE email_tokens SET used_at = NULL").await;
    let mut phone = Browser::with_cookies(&app, &[]);
    assert!(phone.get(&link).await.body.contains("Sign in and turn on alerts"));
}

async fn a_limit_leaves_the_link_for_another_try(database: TestDatabase) {
    let site = site().await;
    let (app, mail) = start_with(database, |config| config.limits.watched_pages = 1).await;
    let mut ana = signed_up(&app, &mail, "ana@example.com").await;
    let mut browser = Browser::with_cookies(&app, &[]);
    for (path, letters) in [("/", 2), ("/b", 3)] {
        let report = audited(&mut browser, &site.url(path)).await;
        ask(&mut browser, &report, "ana@example.com").await;
        let link = link_of(&app, &mail, letters).await;
        let done = confirmed(&mut ana, &link).await;
        if path == "/" {
            assert!(done.header("location").ends_with("?done=alerts_on&lang=en"), "{}", done.body);
            continue;
        }
        assert!(done.status == 409 && done.body.contains("role=\"alert\""), "{}: {}", done.status, done.body);
        app.database.execute("UPDATE tabs SET monitor = 0, watch_at = NULL").await;
        let done = confirmed(&mut ana, &link).await;
        assert!(done.header("location").ends_with("?done=alerts_on&lang=en"), "{}", done.body);
    }
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
