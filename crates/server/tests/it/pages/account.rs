//! Pages of accounts: what they ask for, and a real browser that signs up from the mail's link.

use serde_json::json;
use testkit::TestDatabase;

use super::browser::LOOKS;
use super::tab::{Tab, has_axe};
use crate::api::accounts::factors::{code, enrolled};
use crate::api::accounts::{PASSWORD, letter, signed_up, start};
use crate::api::people::Browser;
use crate::app::Call;

testkit::on_both_databases! {
    forms_are_made_for_password_managers,
    a_form_of_another_page_is_refused,
    who_is_not_signed_in_is_led_to_signing_in_and_back,
    a_dead_session_is_led_to_signing_in,
}

async fn forms_are_made_for_password_managers(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = Browser::open(&app).await;
    browser.post("/api/auth/register", &json!({"email": "ana@example.com"})).await;
    let link = letter(&app, &mail, 1).await.link(&app.url("/conta/global/complete"));
    let link = link.strip_prefix(&app.url("")).unwrap();
    for (path, attributes) in [
        ("/conta/global", &["autocomplete=\"username\"", "autocomplete=\"current-password\""][..]),
        (link, &["autocomplete=\"username\"", "autocomplete=\"new-password\""]),
        ("/conta/global/register", &["autocomplete=\"username\""]),
        ("/conta/global/reset", &["autocomplete=\"username\""]),
    ] {
        let page = app.call(Call::get(path)).await;
        assert_eq!(page.status, 200, "{path}");
        for attribute in attributes {
            assert!(page.body.contains(attribute), "{path}: {attribute}");
        }
        assert!(!page.body.contains("onpaste"));
        assert_eq!(page.header("cache-control"), "no-store");
        assert_eq!(page.header("referrer-policy"), "same-origin");
        assert!(page.header("set-cookie").starts_with("mm-boot="), "{path}");
    }
    let gone = app.call(Call::get("/conta/global/complete?token=x")).await;
    assert!(gone.status == 400 && gone.body.contains("/conta/global/register"), "{}", gone.body);
}

async fn a_form_of_another_page_is_refused(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let session = signed_up(&app, &mail, "ana@example.com").await.token().to_owned();
    let form = |cookie: &str, csrf: &str| {
        Call::new("POST", "/conta/out")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("cookie", cookie)
            .body(&format!("csrf={csrf}"))
    };
    let cookie = format!("mm-auth={session}");
    let page = app.call(Call::get("/conta").header("cookie", &cookie)).await;
    let csrf = page.body.split_once("name=\"csrf\" value=\"").unwrap().1.split('"').next().unwrap();
    for (call, what) in [
        (form(&cookie, csrf), "no origin"),
        (form(&cookie, csrf).header("origin", "https://evil.example"), "a foreign origin"),
        (form(&cookie, csrf).header("origin", "null"), "the origin null"),
        (form(&cookie, "x").header("origin", &app.url("")), "another token"),
        (form("a=b", csrf).header("origin", &app.url("")), "no session"),
    ] {
        let refused = app.call(call).await;
        assert_eq!(refused.status, 403, "{what}");
    }
    let home = app.call(Call::get("/").header("cookie", &cookie)).await;
    assert!(home.body.contains(csrf) && home.header("cache-control") == "no-store");
    let out = app.call(form(&cookie, csrf).header("origin", &app.url(""))).await;
    assert_eq!((out.status, out.header("location")), (303, "/conta/global?lang=en"));
    assert!(out.header("set-cookie").starts_with("mm-auth=; Path=/; Max-Age=0"));
}

async fn who_is_not_signed_in_is_led_to_signing_in_and_back(database: TestDatabase) {
    let (app, mail) = start(database).await;
    for path in ["/conta", "/conta/password", "/conta/factor", "/conta/sessions/end-all", "/conta/email"] {
        let led = app.call(Call::get(path)).await;
        let place = format!("/conta/global?return_to={path}&lang=en");
        assert_eq!((led.status, led.header("location")), (303, place.as_str()));
    }
    let session = signed_up(&app, &mail, "ana@example.com").await.token().to_owned();
    let cookie = format!("mm-auth={session}");
    app.pass(std::time::Duration::from_secs(301));
    let led = app.call(Call::get("/conta/password").header("cookie", &cookie)).await;
    assert_eq!((led.status, led.header("location")), (303, "/conta/proof?return_to=/conta/password&lang=en"));
    let signed_in = app.call(Call::get("/conta/global?return_to=//evil.example").header("cookie", &cookie)).await;
    assert_eq!((signed_in.status, signed_in.header("location")), (303, "/conta?lang=en"));
}

async fn a_dead_session_is_led_to_signing_in(database: TestDatabase) {
    let (app, _mail) = start(database).await;
    let dead = format!("mm-auth={}", "A".repeat(43));
    let page = app.call(Call::get("/conta/global").header("cookie", &dead)).await;
    assert_eq!(page.status, 200);
    assert!(page.header("set-cookie").contains("mm-auth=; Path=/; Max-Age=0"), "{:?}", page.headers);
}

/// Fills a field of the form that is shown.
fn fill(tab: &mut Tab, field: &str, text: &str) {
    tab.click(&format!("#{field}"));
    tab.write(text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_signs_up_from_the_mails_link_without_scripts() {
    let (app, mail) = start(TestDatabase::sqlite()).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.disable_scripts();
    tab.visit("/conta/global/register?lang=en");
    fill(&mut tab, "email", "ana@example.com");
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Look into your mail"), "{}", tab.shown());
    let link = letter(&app, &mail, 1).await.link(&app.url("/conta/global/complete"));
    tab.visit(link.strip_prefix(&app.url("")).unwrap());
    fill(&mut tab, "password", "password123");
    tab.load(|tab| tab.press("Enter"));
    assert_eq!(tab.status(), 400);
    assert!(tab.shown().contains("tried first"), "{}", tab.shown());
    fill(&mut tab, "password", PASSWORD);
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Your account") && tab.shown().contains("ana@example.com"), "{}", tab.shown());
    // A second factor, of the secret that the page shows.
    tab.load(|tab| tab.click("a[href*=\"/conta/factor?\"]"));
    let secret = tab.text("document.querySelector('code').innerText").replace(' ', "");
    fill(&mut tab, "code", &code(&app, &secret));
    tab.load(|tab| tab.press("Enter"));
    assert_eq!(tab.value("document.querySelectorAll('li > code').length"), 10);
    let recovery = tab.text("document.querySelector('li > code').innerText");
    tab.load(|tab| tab.click("main a.button"));
    assert!(tab.shown().contains("factor_added"), "{}", tab.shown());
    // Out, and in again with a recovery code.
    tab.load(|tab| tab.click("form[action*=\"/conta/out\"] button"));
    fill(&mut tab, "email", "ana@example.com");
    fill(&mut tab, "password", PASSWORD);
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Second factor"), "{}", tab.shown());
    fill(&mut tab, "code", &recovery);
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Sessions"), "{}", tab.shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_accounts_have_no_barriers() {
    let (app, mail) = start(TestDatabase::sqlite()).await;
    let mut browser = signed_up(&app, &mail, "ana@example.com").await;
    if !has_axe() {
        return;
    }
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    let look_at = |paths: &[&str], tab: &mut Tab| {
        let mut found = Vec::new();
        for path in paths {
            for lang in ["en", "pt-BR"] {
                tab.visit(&format!("{path}?lang={lang}"));
                assert_eq!((tab.status(), tab.text("document.documentElement.lang")), (200, lang.to_owned()), "{path}");
                for look in LOOKS {
                    tab.look(look);
                    let problems = tab.barriers().into_iter().chain(tab.overflows()).chain(tab.complaints());
                    found.extend(problems.map(|problem| format!("{path} {lang} {look:?}: {problem}")));
                }
            }
        }
        assert_eq!(found, [""; 0]);
    };
    look_at(&["/conta/global", "/conta/global/register", "/conta/global/reset"], &mut tab);
    tab.set_cookie("mm-auth", browser.token());
    look_at(&["/conta", "/conta/factor", "/conta/password", "/conta/proof", "/conta/sessions/end-all"], &mut tab);
    enrolled(&app, &mut browser).await;
    tab.set_cookie("mm-auth", browser.token());
    look_at(&["/conta", "/conta/factor/remove", "/conta/recovery-codes"], &mut tab);
}
