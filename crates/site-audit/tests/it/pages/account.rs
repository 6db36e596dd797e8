//! Pages of accounts: what they ask for, and a real browser that signs up from the mail's link.

mod in_browser;

use std::time::Duration;

use serde_json::json;
use sqlx::Row as _;
use testkit::TestDatabase;

use crate::api::accounts::{PASSWORD, letter, signed_up, start, token};
use crate::api::people::{self, Browser};
use crate::app::{Call, Response, TestApp};

const FORM: &str = "application/x-www-form-urlencoded";

testkit::on_both_databases! {
    forms_are_made_for_password_managers,
    a_form_of_another_page_is_refused,
    who_is_not_signed_in_is_led_to_signing_in_and_back,
    a_dead_session_is_led_to_signing_in,
    who_only_reads_pages_stays_signed_in,
    an_old_session_cookie_fails_after_ten_seconds,
    a_mails_link_keeps_its_token_when_the_language_changes,
    what_is_no_picture_is_told_on_the_same_page,
    what_a_guest_kept_is_offered_after_signing_in_and_taken_once,
    a_guest_of_another_account_is_forgotten,
    a_profile_that_is_refused_is_there_to_be_corrected,
    a_new_account_begins_where_its_owner_came_from,
    alerts_that_a_guest_asked_for_come_with_the_account,
    an_account_in_its_trial_is_told_of_no_allowance,
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
        let policy = if path == link { "no-referrer" } else { "same-origin" };
        assert_eq!(page.header("referrer-policy"), policy, "{path}");
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
    // What browsers send from a page whose policy is `no-referrer`.
    let null = |site, csrf| form(&cookie, csrf).header("origin", "null").header("sec-fetch-site", site);
    for (call, what) in [
        (form(&cookie, csrf), "no origin"),
        (form(&cookie, csrf).header("origin", "https://evil.example"), "a foreign origin"),
        (form(&cookie, csrf).header("origin", "null"), "the origin null"),
        (null("cross-site", csrf), "the origin null of another site"),
        (null("same-site", csrf), "the origin null of a neighbour"),
        (null("same-origin", "x"), "another token of a page without a referrer"),
        (form(&cookie, "x").header("origin", &app.url("")), "another token"),
        (form("a=b", csrf).header("origin", &app.url("")), "no session"),
    ] {
        let refused = app.call(call).await;
        assert_eq!(refused.status, 403, "{what}");
    }
    let home = app.call(Call::get("/").header("cookie", &cookie)).await;
    assert!(home.body.contains(csrf) && home.header("cache-control") == "no-store");
    let out = app.call(null("same-origin", csrf)).await;
    assert_eq!((out.status, out.header("location")), (303, "/conta/global?done=signed_out&lang=en"));
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
    let no_id = app.call(Call::get("/conta/organizations/%ff").header("cookie", &cookie)).await;
    assert_eq!((no_id.status, no_id.header("content-type")), (404, "text/html; charset=utf-8"));
    app.pass(Duration::from_secs(301));
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

async fn who_only_reads_pages_stays_signed_in(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let read = async |path: &str| app.call(session.cookie(Call::get(path))).await;
    let renewed = format!("mm-auth={}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax", session.token);
    // Five times 29 days: much longer than a session lasts that is not seen.
    for path in ["/workspace", "/", "/tools/canonical", "/reports/nothing", "/conta"] {
        app.pass(Duration::from_secs(29 * 86_400));
        let now = app.app.ports().now().0;
        assert_eq!(read(path).await.header("set-cookie"), renewed, "{path}");
        // It is written down while the page is answered.
        while app.database.row("SELECT last_seen_at FROM sessions").await.get::<i64, _>(0) != now {
            tokio::task::yield_now().await;
        }
        // Once an hour is enough.
        assert_eq!(read(path).await.header("set-cookie"), "", "{path}");
    }
    // A page's own cookie is the newer.
    app.pass(Duration::from_secs(3_600));
    let body = format!("csrf={}", session.csrf);
    let out = Call::new("POST", "/conta/out").header("content-type", FORM).header("origin", &app.url("")).body(&body);
    let out = app.call(session.cookie(out)).await;
    let cookies: Vec<&str> = out.header("set-cookie").split("mm-").collect();
    assert!(out.status == 303 && cookies.last().unwrap().starts_with("auth=; Path=/; Max-Age=0"), "{cookies:?}");
}

async fn an_old_session_cookie_fails_after_ten_seconds(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut ana = signed_up(&app, &mail, "ana@example.com").await;
    let old = ana.token().to_owned();
    let proof = ana.get("/conta/proof").await;
    let body = format!("csrf={}&password={}", csrf(&proof), PASSWORD.replace(' ', "+"));
    let proven = ana.form("/conta/proof", FORM, &body).await;
    assert!(proven.status == 303 && ana.token() != old, "{}", proven.body);
    let mut before = Browser::with_cookies(&app, &[("mm-auth", &old)]);
    for path in ["/workspace", "/conta"] {
        assert_eq!(before.get(path).await.status, 200, "{path}");
    }
    // Good for reads in flight only.
    let written = before.form("/conta/out", FORM, &format!("csrf={}", csrf(&proof))).await;
    assert_eq!((written.status, before.token()), (401, old.as_str()), "{}", written.body);
    app.pass(Duration::from_secs(11));
    let mut before = Browser::with_cookies(&app, &[("mm-auth", &old)]);
    assert_eq!((before.get("/workspace").await.status, before.token()), (401, ""));
    let mut before = Browser::with_cookies(&app, &[("mm-auth", &old)]);
    let led = before.get("/conta").await;
    assert_eq!((led.status, led.header("location")), (303, "/conta/global?return_to=/conta&lang=en"));
    assert_eq!(ana.get("/workspace").await.status, 200);
}

async fn a_mails_link_keeps_its_token_when_the_language_changes(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = Browser::open(&app).await;
    browser.post("/api/auth/register", &json!({"email": "ana@example.com"})).await;
    let token = token(&app, &mail, 1).await;
    let path = format!("/conta/global/complete?lang=en&token={token}");
    let page = browser.get(&path).await;
    let portuguese = format!("href=\"?lang=pt-BR&#38;token={token}\"");
    assert!(page.body.contains(&portuguese), "{}", page.body);
    // Also where the page is the answer to its form.
    let body = format!("csrf={}&token={token}&password=short", csrf(&page));
    let refused = browser.form("/conta/global/complete?lang=en", FORM, &body).await;
    assert!(refused.status == 400 && refused.body.contains(&portuguese), "{}", refused.body);
    let other = browser.get(&format!("/conta/global/complete?lang=pt-BR&token={token}")).await;
    assert!(other.status == 200 && other.body.contains("Criar conta"), "{}", other.body);
    // No other address ever sees it.
    for page in [page, refused, other] {
        assert_eq!(page.header("referrer-policy"), "no-referrer");
    }
    let sign_in = browser.get("/conta/global?return_to=/workspace").await;
    assert!(sign_in.body.contains("href=\"?lang=pt-BR&#38;return_to=%2Fworkspace\""), "{}", sign_in.body);
    let hostile = browser.get("/conta/global/email?token=%22%3E%3Cscript%3E").await;
    assert!(!hostile.body.contains("<script>"), "{}", hostile.body);
}

async fn what_is_no_picture_is_told_on_the_same_page(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let form = |csrf: &str, image: &str| {
        format!(
            "--b\r\ncontent-disposition: form-data; name=\"csrf\"\r\n\r\n{csrf}\r\n--b\r\ncontent-disposition: \
             form-data; name=\"image\"; filename=\"a.png\"\r\ncontent-type: image/png\r\n\r\n{image}\r\n--b--\r\n"
        )
    };
    let multipart = "multipart/form-data; boundary=b";
    for image in ["", "GIF89a", "<svg/>", &"A".repeat(2 * 1_048_576 + 1)] {
        let refused = ana.form("/conta/avatar?lang=en", multipart, &form(&session.csrf, image)).await;
        let told = refused.body.contains("at most 2 MB and 12 megapixels") && refused.body.contains("role=\"alert\"");
        assert!(refused.status == 400 && told, "{} {}", image.len(), refused.body);
    }
    let told = ana.form("/conta/avatar?lang=pt-BR", multipart, &form(&session.csrf, "x")).await;
    assert!(told.body.contains("no máximo 2 MB"), "{}", told.body);
    let announced = |length: &str| {
        Call::new("POST", "/conta/avatar").header("content-type", multipart).header("content-length", length)
    };
    let too_long = app.call(session.cookie(announced("9000000"))).await;
    assert_eq!(too_long.status, 413, "{}", too_long.body);
    assert_eq!(ana.form("/conta/avatar", multipart, &form("x", "GIF89a")).await.status, 403);
    assert_eq!(ana.form("/conta/avatar", multipart, "--b nonsense").await.status, 400);
    // Who is not signed in may not send so much.
    assert_eq!(app.call(announced("100000")).await.status, 413);
    assert_eq!(app.call(Call::get("/conta/avatar")).await.status, 303);
}

/// A browser that followed two pages as a guest.
async fn guest(app: &TestApp) -> Browser<'_> {
    let mut browser = Browser::with_cookies(app, &[]);
    for url in ["https://example.com/", "https://example.org/"] {
        let opened = browser.form("/workspace", FORM, &format!("url={url}")).await;
        assert_eq!(opened.status, 303, "{}", opened.body);
    }
    browser
}

/// Signs Ana in by the form that leads back to `back`; the answer.
async fn signed_in(browser: &mut Browser<'_>, back: &str) -> Response {
    let form = browser.get(&format!("/conta/global?return_to={back}")).await;
    let password = PASSWORD.replace(' ', "+");
    let body = format!("csrf={}&return_to={back}&email=ana@example.com&password={password}", csrf(&form));
    browser.form("/conta/global?lang=en", FORM, &body).await
}

/// Chooses the password of a new account at the link of its mail; the form, and the answer to it.
async fn completed(browser: &mut Browser<'_>, token: &str) -> (Response, Response) {
    let form = browser.get(&format!("/conta/global/complete?lang=en&token={token}")).await;
    let password = PASSWORD.replace(' ', "+");
    let body = format!("csrf={}&token={token}&password={password}&display_name=", csrf(&form));
    let made = browser.form("/conta/global/complete?lang=en", FORM, &body).await;
    (form, made)
}

/// Asks for alerts about a page as a guest, signs Ana in, and claims what the guest had; the offer, and the answer to it.
async fn claimed_with_alerts(browser: &mut Browser<'_>, url: &str) -> (Response, Response) {
    let asked = browser.form("/workspace?lang=en", FORM, &format!("url={url}&watch=on")).await;
    let back = asked.header("location").split("return_to=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    let signed_in = signed_in(browser, &back).await;
    let offered = browser.get(signed_in.header("location")).await;
    let body = format!("csrf={}&return_to={back}", csrf(&offered));
    let taken = browser.form("/conta/claim?lang=en", FORM, &body).await;
    (offered, taken)
}

async fn what_a_guest_kept_is_offered_after_signing_in_and_taken_once(database: TestDatabase) {
    let (app, mail) = start(database).await;
    drop(signed_up(&app, &mail, "ana@example.com").await);
    let mut browser = guest(&app).await;
    let signed_in = signed_in(&mut browser, "/workspace?x=1").await;
    let offer = "/conta/claim?return_to=/workspace?x=1&lang=en";
    assert_eq!((signed_in.status, signed_in.header("location")), (303, offer), "{}", signed_in.body);
    // Looking moves nothing; the account says that it is there.
    let offered = browser.get(offer).await;
    assert!(offered.body.contains("Followed pages: <strong>2</strong>"), "{}", offered.body);
    assert!(offered.body.contains("href=\"/workspace?x=1&#38;lang=en\""), "{}", offered.body);
    assert!(browser.get("/conta").await.body.contains("/conta/claim?lang=en"));
    assert_eq!(browser.get("/workspace.json").await.json()["tabs"].as_array().unwrap().len(), 0);
    assert_eq!(browser.form("/conta/claim", FORM, "csrf=x").await.status, 403);
    let taken = browser.form("/conta/claim?lang=en", FORM, &format!("csrf={}", csrf(&offered))).await;
    assert!(taken.status == 200 && taken.body.contains("Imported to your account"), "{}", taken.body);
    assert_eq!(browser.guest(), None);
    assert_eq!(browser.get("/workspace.json").await.json()["tabs"].as_array().unwrap().len(), 2);
    // There is nothing to take any more.
    assert!(!browser.get("/conta").await.body.contains("/conta/claim"));
    for again in [
        browser.get("/conta/claim").await,
        browser.form("/conta/claim?lang=en", FORM, &format!("csrf={}", csrf(&offered))).await,
    ] {
        assert_eq!((again.status, again.header("location")), (303, "/conta?lang=en"));
    }
}

async fn a_new_account_begins_where_its_owner_came_from(database: TestDatabase) {
    let (app, mail) = start(database).await;
    for (at, (asked, place)) in [
        ("/workspace?x=1", "/conta/claim?return_to=/workspace?x=1&lang=en"),
        ("//evil.example", "/conta/claim?return_to=/conta&lang=en"),
        ("https://evil.example/", "/conta/claim?return_to=/conta&lang=en"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut browser = guest(&app).await;
        // By way of the form for signing in, as from the header of a page.
        let sign_in = browser.get(&format!("/conta/global?lang=en&return_to={asked}")).await;
        let register = sign_in.body.split("/conta/global/register?").nth(1).unwrap().split('"').next().unwrap();
        let form = browser.get(&format!("/conta/global/register?{}", register.replace("&#38;", "&"))).await;
        let back = form.body.split("name=\"return_to\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let body = format!("csrf={}&return_to={back}&email=ana{at}@example.com", csrf(&form));
        let sent = browser.form("/conta/global/register?lang=en", FORM, &body).await;
        assert!(sent.body.contains("Check your inbox"), "{}", sent.body);
        let (_, made) = completed(&mut browser, &token(&app, &mail, at + 1).await).await;
        assert_eq!((made.status, made.header("location")), (303, place), "{asked}: {}", made.body);
        assert!(made.header("set-cookie").contains("mm-return=; Path=/; Max-Age=0"), "{:?}", made.headers);
    }
    // A page says where it is, unless it is one of the account.
    for (referer, kept) in
        [("/checks/title_missing?lang=en", "/checks/title_missing"), ("/conta/out", "/conta"), ("/", "/conta")]
    {
        let call = Call::get("/conta/global/register").header("referer", &app.url(referer));
        let page = app.call(call).await.body;
        assert!(page.contains(&format!("name=\"return_to\" value=\"{kept}\"")), "{referer}: {page}");
    }
    let foreign = Call::get("/conta/global").header("referer", "https://evil.example/checks");
    assert!(app.call(foreign).await.body.contains("name=\"return_to\" value=\"/conta\""));
}

async fn alerts_that_a_guest_asked_for_come_with_the_account(database: TestDatabase) {
    let (app, mail) = start(database).await;
    let mut browser = guest(&app).await;
    let asked = browser.form("/workspace?lang=en", FORM, "url=https://example.com/&watch=on").await;
    let register = asked.header("location").to_owned();
    let form = browser.get(&register).await;
    let back = form.body.split("name=\"return_to\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let tab = back.strip_prefix("/workspace/").and_then(|path| path.strip_suffix("?watch=on")).unwrap().to_owned();
    let body = format!("csrf={}&return_to={back}&email=ana@example.com", csrf(&form));
    browser.form("/conta/global/register?lang=en", FORM, &body).await;
    // The form says what comes with the account.
    let (form, made) = completed(&mut browser, &token(&app, &mail, 1).await).await;
    assert!(form.body.contains("get alerts at ana@example.com when the page gets worse"), "{}", form.body);
    let place = format!("/workspace/{tab}?done=alerts_on&lang=en");
    assert_eq!((made.status, made.header("location")), (303, place.as_str()), "{}", made.body);
    assert_eq!(browser.guest(), None);
    let tabs = browser.get("/workspace.json").await.json()["tabs"].as_array().unwrap().clone();
    assert!(tabs.iter().any(|one| one["id"] == tab.as_str() && one["monitor"] == true), "{tabs:?}");

    // Who signs in to an account that exists confirms both at once.
    let mut browser = guest(&app).await;
    let (offered, taken) = claimed_with_alerts(&mut browser, "https://example.org/b").await;
    assert!(offered.body.contains("Import, and email me when the page gets worse"), "{}", offered.body);
    assert!(taken.header("location").ends_with("?done=alerts_on&lang=en"), "{}", taken.body);
    let watched = browser.get("/workspace.json").await.json()["tabs"].as_array().unwrap().clone();
    let watched = watched.iter().filter(|one| one["monitor"] == true).count();
    assert_eq!(watched, 2);

    // Where the account follows the page already, its own is watched: the guest's stays behind.
    let body = format!("csrf={}&url=https://example.org/c", csrf(&browser.get("/workspace?lang=en").await));
    let opened = browser.form("/workspace?lang=en", FORM, &body).await;
    assert_eq!(opened.status, 303, "{}", opened.body);
    let own = browser.get("/workspace.json").await.json()["tabs"].as_array().unwrap().clone();
    let own = own.iter().find(|one| one["url"] == "https://example.org/c").unwrap()["id"].as_str().unwrap().to_owned();
    let (offered, taken) = claimed_with_alerts(&mut guest(&app).await, "https://example.org/c").await;
    assert!(offered.body.contains("Your account already follows this page."), "{}", offered.body);
    assert_eq!(taken.header("location"), format!("/workspace/{own}?done=alerts_on&lang=en"), "{}", taken.body);
}

async fn an_account_in_its_trial_is_told_of_no_allowance(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let session = people::session(&app, &people::account(&app, "ana").await).await;
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    for (path, lang, words) in [
        ("/", "en", "Free in your trial."),
        ("/compare", "en", "Free in your trial."),
        ("/sites", "pt-BR", "Grátis no seu período de teste."),
        ("/workspace", "en", "Free in your trial."),
        ("/pricing", "pt-BR", "Grátis no seu período de teste."),
        ("/tools/title", "en", "Free in your trial."),
        ("/checks/title_missing", "en", "Free in your trial."),
    ] {
        let page = ana.get(&format!("{path}?lang={lang}")).await.body;
        assert!(page.contains(words), "{path}: {page}");
        assert!(!page.contains("left today") && !page.contains("no account."), "{path}: {page}");
        let guest = app.call(Call::get(&format!("{path}?lang={lang}"))).await.body;
        assert!(!guest.contains(words), "{path}: {guest}");
    }
}

async fn a_guest_of_another_account_is_forgotten(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let kept = guest(&app).await.guest().unwrap().to_owned();
    let mut browsers = Vec::new();
    for name in ["ana", "bo"] {
        let session = people::session(&app, &people::account(&app, name).await).await;
        browsers.push((Browser::with_cookies(&app, &[("mm-auth", &session.token), ("mm-guest", &kept)]), session.csrf));
    }
    let statuses = [(200, None), (303, None)];
    for ((browser, csrf), expected) in browsers.iter_mut().zip(statuses) {
        let answer = browser.form("/conta/claim", FORM, &format!("csrf={csrf}")).await;
        assert_eq!((answer.status, browser.guest()), expected, "{}", answer.body);
    }
    // Not signed in, one is led there and back.
    let led = Browser::with_cookies(&app, &[("mm-guest", &kept)]).get("/conta/claim").await;
    assert_eq!((led.status, led.header("location")), (303, "/conta/global?return_to=/conta/claim&lang=en"));
}

async fn a_profile_that_is_refused_is_there_to_be_corrected(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let session = people::session(&app, &people::account(&app, "ana").await).await;
    let mut ana = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let sent = |zone: &str, revision: u32| {
        let csrf = &session.csrf;
        format!("csrf={csrf}&name=Ana+Maria&locale=pt-BR&time_zone={zone}&theme=dark&revision={revision}")
    };
    for (zone, revision, status) in [("a+b", 1, 400), ("UTC", 7, 409)] {
        let refused = ana.form("/conta/profile?lang=en", FORM, &sent(zone, revision)).await;
        let typed = format!("value=\"{}\"", zone.replace('+', " "));
        for wanted in
            ["<title>Error:", "role=\"alert\"", "value=\"Ana Maria\"", "name=\"revision\" value=\"1\"", &typed]
        {
            assert!(refused.status == status && refused.body.contains(wanted), "{wanted}: {}", refused.body);
        }
    }
    let saved = ana.form("/conta/profile?lang=en", FORM, &sent("UTC", 1)).await;
    assert_eq!((saved.status, saved.header("location")), (303, "/conta?done=saved&lang=en"));
    assert!(ana.get("/conta").await.body.contains("value=\"Ana Maria\""));
}

/// The token in the forms of a page.
fn csrf(page: &Response) -> &str {
    page.body.split_once("name=\"csrf\" value=\"").unwrap().1.split('"').next().unwrap()
}
