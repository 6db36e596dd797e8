//! The pages of site audits: forms without a script, in both languages.

use service::jobs;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::browser::{LOOKS, problems};
use super::tab::Tab;
use crate::api::sites::planted;
use crate::app::{Call, Response, TestApp};
use crate::command_line::audit::plain_site;

testkit::on_both_databases! {
    a_site_is_audited_by_forms,
    a_reader_sees_only_their_own_site_audits,
    a_site_that_refuses_https_is_audited_over_http_by_its_bare_host,
}

const PATH: &str = "/sites";
const FORM: &str = "application/x-www-form-urlencoded";

async fn send(app: &TestApp, path: &str, cookie: &str, body: &str) -> Response {
    let call = Call::new("POST", path).header("content-type", FORM).header("origin", &app.url(""));
    let call = if cookie.is_empty() { call } else { call.header("cookie", cookie) };
    app.call(call.body(body)).await
}

async fn get(app: &TestApp, path: &str, cookie: &str) -> Response {
    app.call(Call::get(path).header("cookie", cookie)).await
}

/// The cookie of a new guest, and the path of the run that they began.
async fn begun(app: &TestApp, site: &TestSite) -> (String, String) {
    let answer = send(app, PATH, "", &format!("url={}&max_pages=50&action=start", site.url("/"))).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
    (cookie, answer.header("location").split('?').next().unwrap().to_owned())
}

async fn a_site_is_audited_by_forms(database: TestDatabase) {
    let site = TestSite::start(planted).await;
    let app = TestApp::start(database, |_| {}).await;
    let refused = send(&app, PATH, "", "url=nothing%3A%2F%2F&max_pages=5&action=start").await;
    assert!(refused.status == 400 && refused.body.contains("id=\"problem\""), "{}", refused.body);
    let priced = send(&app, PATH, "", &format!("url={}&max_pages=5&action=price", site.url("/"))).await;
    assert!(priced.status == 200 && priced.body.contains("is free for up to 5 pages"), "{}", priced.body);
    assert!(site.asked().is_empty());

    let (cookie, path) = begun(&app, &site).await;
    let running = get(&app, &path, &cookie).await;
    assert!(running.body.contains("http-equiv=\"refresh\"") && running.body.contains("<progress"), "{}", running.body);
    jobs::work_off(&app.app).await.unwrap();
    let report = get(&app, &format!("{path}?lang=pt-BR"), &cookie).await;
    assert!(!report.body.contains("http-equiv=\"refresh\""), "{}", report.body);
    for part in [
        "broken_internal_link",
        "<h2 id=\"templates\">Templates</h2>",
        "Páginas por nota",
        "<svg class=\"bar\"",
        "report.html",
        "id=\"first\">Corrija primeiro",
        "Auditar de novo",
    ] {
        assert!(report.body.contains(part), "{part}: {}", report.body);
    }
    let templates = report.body.find("id=\"templates\"");
    assert!(templates < report.body.find("id=\"findings\""), "templates come first");
    // No address is a dead end: it leads to the page of the run, an unknown one to the form for an audit.
    let address = report.body.split(&format!("href=\"{path}/page?url=")).nth(1).unwrap().split('"').next().unwrap();
    let address = format!("{path}/page?url={}", address.replace("&#38;", "&"));
    let led = get(&app, &address, &cookie).await;
    assert!(led.status == 303 && led.header("location").starts_with(&format!("{path}/pages/")), "{led:?}");
    let led = get(&app, &format!("{path}/page?url=https%3A%2F%2Felsewhere.example%2F&lang=en"), &cookie).await;
    assert_eq!(led.header("location"), "/?lang=en&url=https%3A%2F%2Felsewhere.example%2F");
    let led = get(&app, &format!("{path}/page?url=%00&lang=en"), &cookie).await;
    assert_eq!((led.status, led.header("location")), (303, "/?lang=en&url=%00"));
    let again = report.body.split("href=\"/sites?lang=pt-BR&#38;url=").nth(1).unwrap().split('"').next().unwrap();
    let again = format!("/sites?lang=pt-BR&url={}", again.replace("&#38;", "&").replace("#url", ""));
    let form = get(&app, &again, &cookie).await.body;
    assert!(form.contains(&format!("value=\"{}\"", site.url("/"))) && form.contains("value=\"50\""), "{form}");
    let errors = get(&app, &format!("{path}?severity=error&lang=en"), &cookie).await;
    assert!(
        errors.body.contains("broken_internal_link") && !errors.body.contains("<code>duplicate_title"),
        "{}",
        errors.body
    );
    let none = get(&app, &format!("{path}?q=nothing-of-the-kind&lang=en"), &cookie).await;
    assert!(none.body.contains("No findings match."), "{}", none.body);
    let finding = get(&app, &format!("{path}/findings/broken_internal_link?lang=en"), &cookie).await;
    assert!(finding.body.contains(&site.url("/gone")) && finding.body.contains(": Gone"), "{}", finding.body);
    assert_eq!(get(&app, &format!("{path}/findings/nothing"), &cookie).await.status, 404);
    let pages = get(&app, &format!("{path}/pages?lang=en"), &cookie).await;
    assert!(
        pages.body.contains(&site.url("/product/6")) && pages.body.contains("client error (404)"),
        "{}",
        pages.body
    );
    let page = get(&app, &format!("{path}/pages/0?lang=en"), &cookie).await;
    assert!(page.body.contains("meta_description_missing"), "{}", page.body);
    let file = get(&app, &format!("{path}/files/site.sarif"), &cookie).await;
    assert_eq!(file.header("content-disposition"), "attachment; filename=\"site.sarif\"");
    assert!(file.body.contains("sarif-2.1.0"), "{}", file.body);
    assert_eq!(get(&app, &format!("{path}/files/nothing"), &cookie).await.status, 404);
    let list = get(&app, &format!("{PATH}?lang=en"), &cookie).await;
    assert!(list.body.contains(&site.url("/")) && list.body.contains("finished"), "{}", list.body);
    assert_eq!(send(&app, &format!("{path}/delete"), &cookie, "").await.status, 303);
    assert!(get(&app, &format!("{PATH}?lang=en"), &cookie).await.body.contains("None yet."));
    assert_eq!(get(&app, &path, &cookie).await.status, 404);
}

async fn a_reader_sees_only_their_own_site_audits(database: TestDatabase) {
    let site = TestSite::start(planted).await;
    let app = TestApp::start(database, |_| {}).await;
    let (_, path) = begun(&app, &site).await;
    jobs::work_off(&app.app).await.unwrap();
    let (stranger, _) = begun(&app, &site).await;
    for below in ["", "/page?url=x", "/pages", "/pages/0", "/findings/duplicate_title", "/files/report.html"] {
        assert_eq!(get(&app, &format!("{path}{below}"), &stranger).await.status, 404, "{below}");
    }
    assert_eq!(send(&app, &format!("{path}/delete"), &stranger, "").await.status, 404);
    let foreign = Call::new("POST", &format!("{path}/delete")).header("content-type", FORM);
    assert_eq!(app.call(foreign.header("origin", "https://evil.example")).await.status, 403);
}

/// What is wrong with a report that was saved, in any look: folded and with everything open.
async fn problems_of_file(file: &str) -> Vec<String> {
    let file = file.to_owned();
    // The only address that these browsers reach.
    let folder = TestSite::start_at([127, 0, 0, 1].into(), move |asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&file),
        _ => SiteAnswer::missing(),
    })
    .await;
    let Some(mut tab) = Tab::open(&folder.url("")) else { return Vec::new() };
    tab.visit("/");
    let mut found = problems(&mut tab, "sites-file", &LOOKS);
    tab.value("document.querySelectorAll('details').forEach(details => details.open = true)");
    found.extend(problems(&mut tab, "sites-file-open", &LOOKS));
    found
}

/// Goes through the pages by mouse.
async fn used_by_mouse(runs_scripts: bool) {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/product/2" => SiteAnswer::html(&format!(
            "<!doctype html><html lang=en><title>\u{202e}&lt;b&gt;{}</title><p>A long one",
            "x".repeat(300)
        )),
        _ => planted(asked),
    })
    .await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    if !runs_scripts {
        tab.disable_scripts();
    }
    let mut found = Vec::new();
    let look = |tab: &mut Tab, found: &mut Vec<String>, name: &str| {
        if runs_scripts {
            found.extend(problems(tab, &format!("sites-{name}"), &LOOKS));
        }
    };
    tab.visit(&format!("{PATH}?lang=en"));
    tab.click("#url");
    tab.write(&site.url("/"));
    tab.load(|tab| tab.click("button[value=price]"));
    assert!(tab.shown().contains("is free for up to"), "{}", tab.shown());
    look(&mut tab, &mut found, "price");
    tab.load(|tab| tab.click("button[value=start]"));
    assert!(tab.shown().contains("Stop and delete"), "{}", tab.shown());
    look(&mut tab, &mut found, "running");
    jobs::work_off(&app.app).await.unwrap();
    let path = tab.text("location.pathname");
    for (name, below) in
        [("report", ""), ("finding", "/findings/broken_internal_link"), ("pages", "/pages"), ("page", "/pages/0")]
    {
        for lang in ["en", "pt-BR"] {
            tab.visit(&format!("{path}{below}?lang={lang}"));
            assert_eq!(tab.status(), 200, "{name}");
            look(&mut tab, &mut found, &format!("{name}-{lang}"));
        }
    }
    if runs_scripts {
        let file = tab.value("fetch(location.pathname.split('/pages')[0] + '/files/report.html').then(r => r.text())");
        found.extend(problems_of_file(file.as_str().unwrap()).await);
    }
    tab.visit(&format!("{PATH}?lang=en"));
    look(&mut tab, &mut found, "list");
    tab.load(|tab| tab.click("td a, th a"));
    tab.load(|tab| tab.click("button.danger"));
    assert!(tab.shown().contains("None yet."), "{}", tab.shown());
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_is_audited_by_mouse_without_barriers() {
    used_by_mouse(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_is_audited_by_mouse_without_scripts() {
    used_by_mouse(false).await;
}

async fn a_site_that_refuses_https_is_audited_over_http_by_its_bare_host(database: TestDatabase) {
    let host = plain_site();
    let app = TestApp::start(database, |config| config.fetch.allow_private.push("127.0.0.1/32".parse().unwrap())).await;
    let answer = send(&app, PATH, "", &format!("url={host}&max_pages=5&action=start")).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
    let path = answer.header("location").split('?').next().unwrap().to_owned();
    jobs::work_off(&app.app).await.unwrap();
    let pages = get(&app, &format!("{path}/pages?lang=en"), &cookie).await.body;
    assert!(pages.contains(&format!("http://{host}/")), "{pages}");
    assert!(!pages.contains(&format!("https://{host}")), "{pages}");
    // So is the next one.
    let report = get(&app, &format!("{path}?lang=en"), &cookie).await.body;
    let again = format!("&#38;url={}", format!("http://{host}/").replace(':', "%3A").replace('/', "%2F"));
    assert!(report.contains(&again) && !report.contains(&format!("https://{host}")), "{report}");
}
