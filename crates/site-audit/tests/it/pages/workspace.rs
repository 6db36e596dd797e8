//! The workspace: what it sends, and what a real browser makes of it.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::TestDatabase;

use super::browser::{LOOKS, keep_picture};
use super::cookie;
use super::tab::{Tab, has_axe};
use crate::api::people;
use crate::api::tabs::{BAD, GOOD, Page};
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_guest_s_workspace_is_in_a_cookie_and_says_what_the_api_says,
    what_is_typed_wrong_is_answered_on_the_same_page,
    a_workspace_is_its_reader_s_alone,
    without_a_scheme_a_page_is_followed_and_audited_over_http_where_https_is_refused,
    the_forms_of_an_account_must_come_from_its_pages,
    one_button_of_a_report_follows_a_page_and_watches_it,
    who_follows_all_free_pages_is_told_so,
    a_member_sees_the_pages_of_an_organization_and_changes_none,
}

const FORM: &str = "application/x-www-form-urlencoded";

async fn post(app: &TestApp, path: &str, cookie: &str, body: &str) -> Response {
    app.call(Call::new("POST", path).header("content-type", FORM).header("cookie", cookie).body(body)).await
}

async fn get(app: &TestApp, path: &str, cookie: &str) -> Response {
    app.call(Call::get(path).header("cookie", cookie)).await
}

async fn api(app: &TestApp, path: &str, cookie: &str) -> Value {
    let token = cookie.split_once('=').unwrap().1;
    app.call(Call::get(path).token(token)).await.json()
}

async fn a_guest_s_workspace_is_in_a_cookie_and_says_what_the_api_says(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| ()).await;
    let empty = app.call(Call::get("/workspace")).await;
    assert_eq!((empty.status, empty.header("set-cookie")), (200, ""));
    let url = format!("url={}", page.url());
    let opened = app.call(Call::new("POST", "/workspace").header("content-type", FORM).body(&url)).await;
    assert_eq!(opened.status, 303, "{}", opened.body);
    let guest = cookie(opened.header("set-cookie"));
    let place = opened.header("location").split('?').next().unwrap().to_owned();
    // The workspace shows all of them.
    assert!(get(&app, "/workspace", &guest).await.body.contains(&place));
    for html in [GOOD, BAD] {
        page.set(Some(html));
        app.pass(Duration::from_secs(60));
        let ran = post(&app, &format!("{place}/run"), &guest, "").await;
        assert_eq!(ran.status, 303, "{}", ran.body);
    }
    assert_eq!(app.free_remaining().await, 8);
    let shown = get(&app, &place, &guest).await;
    assert!(shown.body.contains("−") && shown.header("cache-control").contains("no-store"), "{}", shown.body);

    let id = place.rsplit('/').next().unwrap();
    let history = api(&app, &format!("/api/tabs/{id}/history?limit=100"), &guest).await;
    let audit = |at: usize| history["runs"][at]["audit_id"].as_str().unwrap();
    for (twin, of_api) in [
        ("/workspace.json".to_owned(), "/api/tabs".to_owned()),
        (format!("{place}/tab.json"), format!("/api/tabs/{id}")),
        (format!("{place}/history.json"), format!("/api/tabs/{id}/history?limit=100")),
    ] {
        let read = get(&app, &twin, &guest).await;
        assert_eq!((read.status, read.json()), (200, api(&app, &of_api, &guest).await), "{twin}");
    }
    let compare = format!("{place}/compare.json?before={}&after={}", audit(1), audit(0));
    let compared = get(&app, &compare, &guest).await.json();
    assert_eq!(compared["change"], history["runs"][0]["change"]);
    assert_eq!(compared["before"]["audit_id"], audit(1));
    let offered = format!("{place}/compare?before={}&amp;after={}&amp;lang=en", audit(1), audit(0));
    assert!(get(&app, &format!("{place}?lang=en"), &guest).await.body.contains(&offered), "{offered}");
    assert_eq!(get(&app, &offered.replace("&amp;", "&"), &guest).await.status, 200);
    let same = get(&app, &format!("{place}/compare?before={0}&after={0}", audit(0)), &guest).await;
    assert!(same.status == 303 && same.header("location").contains("/history?same_run=1"), "{}", same.body);
    let asked = get(&app, same.header("location"), &guest).await.body;
    assert!(asked.contains("Choose two different runs"), "{asked}");
    let csv = get(&app, &format!("{place}/history.csv"), &guest).await;
    assert_eq!(csv.body.lines().count(), 3);
    assert!(csv.body.starts_with("created_at,score,errors,warnings,info,audit_id\r\n"), "{}", csv.body);
    for path in [
        format!("{place}/compare"),
        format!("{place}/compare?before={}", audit(0)),
        format!("{place}/compare?before=x&after={}", audit(0)),
    ] {
        assert!([400, 404].contains(&get(&app, &path, &guest).await.status), "{path}");
    }
    let named = post(&app, &format!("{place}/settings"), &guest, "alias=Home%20%3Cb%3E").await;
    assert_eq!(named.status, 303);
    let shown = get(&app, &place, &guest).await.body;
    assert!(shown.contains("Home &#60;b&#62;") || shown.contains("Home &lt;b&gt;"), "{shown}");
    assert_eq!(post(&app, &format!("{place}/close"), &guest, "").await.status, 303);
    assert_eq!(get(&app, &place, &guest).await.status, 404);
}

async fn what_is_typed_wrong_is_answered_on_the_same_page(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    for (typed, status) in [("url=ftp://a.example/", 400), ("url=", 400), ("", 400), ("url=http://10.0.0.1/%00", 400)] {
        let answer =
            app.call(Call::new("POST", "/workspace").header("content-type", FORM).body(&format!("{typed}&x=y"))).await;
        assert_eq!((answer.status, answer.header("set-cookie")), (status, ""), "{typed}");
        assert!(answer.body.contains("role=\"alert\"") && answer.body.contains("<title>Error:"), "{}", answer.body);
    }
    let foreign = Call::new("POST", "/workspace").header("content-type", FORM).header("origin", "https://evil.example");
    assert_eq!(app.call(foreign.body("url=https://example.com/")).await.status, 403);
}

async fn who_follows_all_free_pages_is_told_so(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
        config.limits.free_tabs = 1;
    })
    .await;
    let mut browser = people::Browser::with_cookies(&app, &[]);
    assert_eq!(browser.form("/workspace", FORM, "url=https://example.com/").await.status, 303);
    for (lang, said) in [
        ("en", "You already follow one page, the maximum that is free. Stop following one, or pay 0.05 USD"),
        ("pt-BR", "Você já segue uma página, o máximo que é grátis. Deixe de seguir uma, ou pague US$ 0,05"),
    ] {
        let refused = browser.form(&format!("/workspace?lang={lang}"), FORM, "url=https://example.org/").await;
        assert!(refused.status == 402 && refused.body.contains(said), "{}", refused.body);
    }
}

async fn one_button_of_a_report_follows_a_page_and_watches_it(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let body = "url=https://example.com/&watch=on";
    let sent = app.call(Call::new("POST", "/workspace").header("content-type", FORM).body(body)).await;
    // A watch needs an account, which leads back to the page.
    let place = sent.header("location");
    assert!(sent.status == 303 && place.starts_with("/conta/global/register?return_to=/workspace/"), "{place}");
    let session = people::session(&app, &people::account(&app, "ana").await).await;
    let mut browser = people::Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let sent = browser.form("/workspace", FORM, &format!("csrf={}&{body}", session.csrf)).await;
    assert!(sent.header("location").contains("?done=alerts_on"), "{}", sent.body);
    assert_eq!(browser.get("/workspace.json").await.json()["tabs"][0]["monitor"], true);
}

async fn without_a_scheme_a_page_is_followed_and_audited_over_http_where_https_is_refused(database: TestDatabase) {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(database, |_| ()).await;
    let guest = format!("mm-guest={}", app.guest().await);
    let bare = page.url().replace("http://", "");
    // Nothing listens on the discard port, over either scheme: https is kept, as it is where it was typed.
    let secure = format!("https://{bare}");
    for (typed, url) in
        [(bare.as_str(), page.url()), (&secure, secure.clone()), ("127.0.0.2:9/", "https://127.0.0.2:9/".into())]
    {
        let opened = post(&app, "/workspace", &guest, &format!("url={typed}")).await;
        assert_eq!(opened.status, 303, "{typed}: {}", opened.body);
        let id = opened.header("location").split('?').next().unwrap().rsplit('/').next().unwrap().to_owned();
        assert_eq!(api(&app, &format!("/api/tabs/{id}"), &guest).await["tab"]["url"], url, "{typed}");
    }
    let audited = post(&app, "/", &guest, &format!("url={bare}")).await;
    assert_eq!(audited.status, 303, "{}", audited.body);
    let report = audited.header("location").split('?').next().unwrap().to_owned();
    let json = get(&app, &format!("{report}/audit.json"), &guest).await;
    assert_eq!(json.json()["url"], page.url(), "{report}");
}

async fn a_workspace_is_its_reader_s_alone(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let open = async || {
        let opened =
            app.call(Call::new("POST", "/workspace").header("content-type", FORM).body("url=example.com")).await;
        (cookie(opened.header("set-cookie")), opened.header("location").split('?').next().unwrap().to_owned())
    };
    let ((_, place), (other, _)) = (open().await, open().await);
    for path in ["", "/tab.json", "/history", "/history.json", "/history.csv", "/compare?before=a&after=b", "/settings"]
    {
        let path = format!("{place}{path}");
        assert_eq!(get(&app, &path, &other).await.status, 404, "{path}");
        assert_eq!(app.call(Call::get(&path)).await.status, 404, "{path}");
    }
    for path in ["/run", "/settings", "/watch", "/close"] {
        assert_eq!(post(&app, &format!("{place}{path}"), &other, "alias=x").await.status, 404, "{path}");
    }
    assert_eq!(app.call(Call::get("/workspace/%ff")).await.status, 404);
    assert_eq!(app.call(Call::get("/workspace.json")).await.status, 404);
    assert_eq!(app.free_remaining().await, 10);
}

async fn the_forms_of_an_account_must_come_from_its_pages(database: TestDatabase) {
    let app = TestApp::start(database, |_| ()).await;
    let account = people::account(&app, "ana").await;
    let ana = people::session(&app, &account).await;
    let cookie = format!("mm-auth={}", ana.token);
    let form = |path: &str, body: &str| {
        Call::new("POST", path)
            .header("content-type", FORM)
            .header("cookie", &cookie)
            .header("origin", &app.url(""))
            .body(body)
    };
    let forged = app.call(form("/workspace", "url=example.com")).await;
    assert_eq!(forged.status, 403, "{}", forged.body);
    let page = get(&app, "/workspace", &cookie).await.body;
    let csrf = page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let opened = app.call(form("/workspace", &format!("url=example.com&csrf={csrf}"))).await;
    assert_eq!(opened.status, 303, "{}", opened.body);
    let place = opened.header("location").split('?').next().unwrap().to_owned();
    let watched = app.call(form(&format!("{place}/watch"), &format!("monitor=on&monitor_email=&csrf={csrf}"))).await;
    assert_eq!(watched.status, 303, "{}", watched.body);
    let tab = async || get(&app, &format!("{place}/tab.json"), &cookie).await.json()["tab"].clone();
    assert_eq!(tab().await["monitor"], true);
    assert_eq!(app.call(form(&format!("{place}/watch"), "monitor=on")).await.status, 403);
    assert_eq!(app.call(form(&format!("{place}/watch"), &format!("csrf={csrf}"))).await.status, 303);
    assert_eq!(tab().await["monitor"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_followed_compared_and_closed_without_scripts() {
    let page = Page::start(GOOD).await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| ()).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.disable_scripts();
    tab.visit("/workspace");
    tab.submit(&page.url());
    for html in [GOOD, BAD] {
        page.set(Some(html));
        app.pass(Duration::from_secs(3_600));
        tab.load(|tab| tab.click("form[action*=\"/run\"] button"));
        assert_eq!(tab.status(), 200);
    }
    assert!(tab.shown().contains("Since the previous run"), "{}", tab.shown());
    // The list beside it says the same, short.
    let line = tab.text("document.querySelector('nav li').innerText");
    assert!(line.contains('−') && line.contains("new"), "{line}");
    tab.load(|tab| tab.click("a[href*=\"/history?\"]"));
    assert_eq!(tab.value("document.querySelectorAll('.chart circle').length"), 2);
    tab.load(|tab| tab.click("form[action*=\"/compare\"] button"));
    let shown = tab.shown();
    assert!(shown.contains("title_missing") && shown.contains("New findings ("), "{shown}");
    tab.load(|tab| tab.click("a[href*=\"/settings?\"]"));
    tab.click("#alias");
    tab.write("Bakery");
    tab.load(|tab| tab.click("form[action*=\"/settings\"] button"));
    assert_eq!(tab.text("document.querySelector('h1').innerText"), "Bakery");
    tab.load(|tab| tab.click("form[action*=\"/close\"] button"));
    assert!(tab.shown().contains("Follow a page to see how it changes."), "{}", tab.shown());
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_of_the_workspace_has_a_barrier_in_any_look() {
    if !has_axe() {
        return;
    }
    let page = Page::start(GOOD).await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| ()).await;
    let account = people::account(&app, "ana").await;
    let ana = people::session(&app, &account).await;
    let sent = |method: &'static str, path: &str, body: Value| {
        let call = Call::new(method, path);
        ana.page(&app, if body.is_null() { call } else { call.body(&body.to_string()) })
    };
    let opened = app.call(sent("POST", "/api/tabs", json!({"url": page.url(), "alias": "x".repeat(30)}))).await.json();
    let id = opened["tab"]["id"].as_str().unwrap();
    app.call(sent("POST", "/api/tabs", json!({"url": "https://example.com/".to_owned() + &"y".repeat(1_000)}))).await;
    app.call(sent("PATCH", &format!("/api/tabs/{id}"), json!({"monitor": true, "active": true}))).await;
    let mut audits = Vec::new();
    for html in [GOOD, BAD] {
        page.set(Some(html));
        app.pass(Duration::from_secs(3_600));
        let ran = app.call(sent("POST", &format!("/api/tabs/{id}/run"), Value::Null)).await.json();
        audits.push(ran["result"]["audit_id"].as_str().unwrap().to_owned());
    }
    app.database.execute("UPDATE audits SET alerted = 1").await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.visit("/workspace");
    let mut found = Vec::new();
    let look_at = |tab: &mut Tab, path: &str| {
        let mut found = Vec::new();
        for lang in ["en", "pt-BR"] {
            let mark = if path.contains('?') { '&' } else { '?' };
            tab.visit(&format!("{path}{mark}lang={lang}"));
            assert_eq!((tab.status(), tab.text("document.documentElement.lang")), (200, lang.to_owned()), "{path}");
            tab.value("document.querySelectorAll('details:not(.menu)').forEach(e => e.open = true)");
            for look in LOOKS {
                tab.look(look);
                let problems = tab.barriers().into_iter().chain(tab.overflows()).chain(tab.complaints());
                found.extend(problems.map(|problem| format!("{path} {lang} {look:?}: {problem}")));
                let view = path.split('?').next().unwrap_or_default().rsplit('/').next().unwrap_or_default();
                keep_picture(tab, &format!("workspace-{view}-{lang}-{}-{}", look.scheme, look.width));
            }
        }
        found
    };
    found.extend(look_at(&mut tab, "/workspace"));
    tab.set_cookie("mm-auth", &ana.token);
    for path in [
        "/workspace?sort=name".to_owned(),
        format!("/workspace/{id}/snooze?code=title_missing"),
        format!("/compare?before={}&after={}", audits[0], audits[1]),
        format!("/workspace/{id}"),
        format!("/workspace/{id}/history"),
        format!("/workspace/{id}/compare?before={}&after={}", audits[0], audits[1]),
        format!("/workspace/{id}/settings"),
    ] {
        found.extend(look_at(&mut tab, &path));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

async fn a_member_sees_the_pages_of_an_organization_and_changes_none(database: TestDatabase) {
    const ACME: &str = "00000000-0000-7000-8000-0000000000aa";
    let (site, app) = (Page::start(GOOD).await, TestApp::start(database, |_| ()).await);
    let (ana, bo) = (people::account(&app, "ana").await, people::account(&app, "bo").await);
    let (of_ana, of_bo) = (people::session(&app, &ana).await, people::session(&app, &bo).await);
    people::organization(&app, ACME, &[(&ana, "member")]).await;
    let key = people::key(&app, &format!("organization:{ACME}")).await;
    let list = format!("/workspace?organization={ACME}&lang=en");
    let shown = async |path: &str| app.call(of_ana.cookie(Call::get(path))).await.body;
    assert!(shown(&list).await.contains("The organization follows no pages yet."));
    let opened = Call::new("POST", "/api/tabs").body(&json!({ "url": site.url() }).to_string());
    let opened = app.call(opened.header("x-api-key", &key)).await.json();
    let place = format!("/workspace/{}", opened["tab"]["id"].as_str().unwrap());
    let run = format!("/api/tabs/{}/run", opened["tab"]["id"].as_str().unwrap());
    let ran = app.call(Call::new("POST", &run).header("x-api-key", &key)).await;
    assert_eq!(ran.status, 200, "{}", ran.body);
    // Her own are others, from which the organization's are one click away.
    let own = shown("/workspace?lang=en").await;
    assert!(
        own.contains(&format!("href=\"/workspace?organization={ACME}&#38;lang=en\"")) && !own.contains(&place),
        "{own}"
    );
    let note = format!("You read these pages as a member of {ACME}.");
    let read_only = |page: &str| {
        assert!(page.contains(&note) && page.contains(&place), "{page}");
        for form in ["method=\"post\" action=\"/workspace", "/settings?", "/run?", "run-all", "/watch?", "id=\"url\""] {
            assert!(!page.contains(form), "{form}: {page}");
        }
    };
    for path in [&list, &format!("{place}?lang=en"), &format!("{place}/history?lang=en")] {
        read_only(&shown(path).await);
    }
    let sorted = format!("/workspace?lang=en&#38;organization={ACME}&#38;sort=score");
    assert!(shown(&list).await.contains(&sorted), "{}", shown(&list).await);
    let portuguese = shown(&list.replace("lang=en", "lang=pt-BR")).await;
    assert!(portuguese.contains("Você lê estas páginas como membro de"), "{portuguese}");
    // A form follows a page for its sender, whatever the address says.
    let body = format!("csrf={}&url=https://example.com/", of_ana.csrf);
    let sent = Call::new("POST", &list).header("content-type", FORM).header("origin", &app.url(""));
    assert_eq!(app.call(of_ana.cookie(sent).body(&body)).await.status, 303);
    let owner: String =
        sqlx::Row::get(&app.database.row("SELECT owner FROM tabs WHERE url = 'https://example.com/'").await, 0);
    assert_eq!(owner, format!("account:{ana}"));
    // Nobody else sees them.
    assert_eq!(app.call(of_bo.cookie(Call::get(&list))).await.status, 404);
    assert_eq!(app.call(Call::get(&list)).await.status, 401);
    assert!(!app.call(of_bo.cookie(Call::get("/workspace?lang=en"))).await.body.contains("Whose pages"));
}
