//! What every page has around its content: the way in and out, the confirmation of what was done, the footer, and the files that
//! pages load.

use api::operation::Access;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::browser::{LOOKS, Scene, keep_picture};
use super::tab::has_axe;
use crate::api::people::{self, Browser};
use crate::app::{Call, TestApp};

const FORM: &str = "application/x-www-form-urlencoded";
/// The way in, at the top of each page.
const WAY_IN: &str = "<a class=\"button second small\" href=\"/conta/global?lang=en\">Sign in</a>";
/// Pages that a long report has on paper at most.
const PAPER_PAGES: usize = 8;

testkit::on_both_databases! {
    a_browser_with_a_session_has_the_account_at_the_top_of_every_page,
    what_was_done_is_confirmed_where_it_leads,
    the_activity_of_an_account_has_names_for_people,
}

async fn a_browser_with_a_session_has_the_account_at_the_top_of_every_page(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let session = people::session(&app, &people::account(&app, "ana").await).await;
    for path in ["/", "/tools", "/checks/title_missing", "/docs", "/pricing", "/nothing", "/conta/keys"] {
        let page = app.call(session.cookie(Call::get(path))).await;
        assert!(page.body.contains("href=\"/conta/out?lang=en\"") && !page.body.contains(WAY_IN), "{path}");
        assert!(page.header("vary").contains("Cookie"), "{path}");
        let page = app.call(Call::get(path)).await;
        assert!(page.status == 303 || page.body.contains(WAY_IN), "{path}");
    }
    // Signing out asks once, without a script too.
    let out = app.call(session.cookie(Call::get("/conta/out"))).await;
    assert!(out.status == 200 && out.body.contains("action=\"/conta/out?lang=en\""), "{}", out.body);
}

async fn what_was_done_is_confirmed_where_it_leads(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let account = people::account(&app, "ana").await;
    let session = people::session(&app, &account).await;
    let mut browser = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let page = browser.form("/conta/keys", FORM, &format!("csrf={}&name=build", session.csrf)).await;
    assert!(page.body.contains("<p class=\"flash\" role=\"status\"></p>"), "{}", page.body);
    let id = page.body.split_once("name=\"id\" value=\"").unwrap().1.split('"').next().unwrap();
    let sent = browser.form("/conta/keys/revoke", FORM, &format!("csrf={}&id={id}", session.csrf)).await;
    assert_eq!((sent.status, sent.header("location")), (303, "/conta/keys?done=key_revoked&lang=en"));
    let page = browser.get(sent.header("location")).await;
    assert!(page.body.contains("<p class=\"flash\" role=\"status\">The key is revoked.</p>"), "{}", page.body);
    // The other language's link does not say it again.
    assert!(page.body.contains("href=\"?lang=pt-BR\""), "{}", page.body);

    let opened = browser.form("/workspace", FORM, &format!("csrf={}&url=https://example.com/", session.csrf)).await;
    let tab = opened.header("location").split('?').next().unwrap().to_owned();
    let body = format!("csrf={}&monitor=on&monitor_email=", session.csrf);
    let sent = browser.form(&format!("{tab}/watch"), FORM, &body).await;
    let page = browser.get(sent.header("location")).await;
    let said = "role=\"status\">Alerts are on. You will get an email when the page gets worse.</p>";
    assert!(page.body.contains(said), "{}", page.body);
    let sent = browser.form(&format!("{tab}/watch"), FORM, &format!("csrf={}&monitor_email=", session.csrf)).await;
    let page = browser.get(sent.header("location")).await;
    assert!(page.body.contains("role=\"status\">The daily watch is saved.</p>"), "{}", page.body);
}

async fn the_activity_of_an_account_has_names_for_people(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let session = people::session(&app, &people::account(&app, "ana").await).await;
    let mut browser = Browser::with_cookies(&app, &[("mm-auth", &session.token)]);
    let made = browser.form("/conta/organizations", FORM, &format!("csrf={}&name=Bakery", session.csrf)).await;
    let organization = made.header("location").split('?').next().unwrap().to_owned();
    let renamed = browser.form(&organization, FORM, &format!("csrf={}&do=rename&name=Mill", session.csrf)).await;
    assert_eq!(renamed.status, 303, "{}", renamed.body);
    let page = browser.get("/conta").await.body;
    let activity = page.split_once("id=\"activity\"").unwrap().1;
    for name in ["Organization created", "Organization renamed"] {
        assert!(activity.contains(name), "{name}: {activity}");
    }
    assert!(!activity.contains("organization_"), "{activity}");
    // A time zone is chosen, not remembered.
    assert!(page.contains("<option>America/Sao_Paulo</option>"));
}

#[tokio::test]
async fn the_footer_leads_to_what_the_operator_has_set() {
    let bare = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let page = bare.call(Call::get("/")).await.body;
    for absent in [">Privacy<", ">Terms<", ">Source code<", ">Contact<"] {
        assert!(!page.contains(absent), "{absent}");
    }
    for path in ["/docs?", "/status?", "/bot?", "/docs/embed?", "/openapi.json"] {
        assert!(page.contains(&format!("href=\"{path}")), "{path}");
    }
    let app = TestApp::start(TestDatabase::sqlite(), |config| {
        config.product.privacy_url = Some("https://example.com/privacy".to_owned());
        config.product.terms_url = Some("https://example.com/terms".to_owned());
        config.product.source_url = Some("https://example.com/source".to_owned());
    })
    .await;
    let page = app.call(Call::get("/")).await.body;
    for path in ["privacy", "terms", "source"] {
        assert!(page.contains(&format!("href=\"https://example.com/{path}\"")), "{path}");
    }
}

/// The head of an answer whose body is no text.
fn head(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).split("\r\n\r\n").next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn the_logo_is_served_where_one_is_set() {
    let bare = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    assert_eq!(bare.call(Call::get("/logo")).await.status, 404);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("logo.png");
    std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
    let app = TestApp::start(TestDatabase::sqlite(), |config| config.product.logo = Some(path)).await;
    let logo = head(&app.raw(Call::get("/logo")).await);
    assert!(logo.starts_with("HTTP/1.1 200 ") && logo.contains("content-type: image/png"), "{logo}");
}

#[tokio::test]
async fn every_operation_and_every_error_is_documented_for_people() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let list = app.call(Call::get("/docs")).await.body;
    for operation in app.site.operations() {
        let path = format!("/docs/api/{}", operation.name);
        assert!(list.contains(&format!("href=\"{path}\"")), "{path}");
        let page = app.call(Call::get(&path)).await;
        assert_eq!(page.status, 200, "{path}");
        for part in [operation.path, "JavaScript", "Python", "Rust", "curl -s "] {
            assert!(page.body.contains(part), "{path}: {part}");
        }
        for code in operation.all_errors() {
            assert!(page.body.contains(&format!("<code>{}</code>", code.wire())), "{path}: {code:?}");
        }
        let takes_guests = page.body.contains("Needs a guest token");
        assert_eq!(takes_guests, operation.access == Access::Owner, "{path}: {:?}", operation.access);
        let needs_account = page.body.contains("A guest token is refused");
        assert_eq!(needs_account, operation.access == Access::Account, "{path}: {:?}", operation.access);
    }
    let portuguese = app.call(Call::get("/docs/api/watch_site?lang=pt-BR")).await.body;
    for part in ["Precisa de uma conta", "No corpo", "Um token de visitante é recusado", "<h1>Monitorar um site</h1>"]
    {
        assert!(portuguese.contains(part), "{part}: {portuguese}");
    }
    // Members of the body and fields of the answer too.
    for part in ["<td class=\"wide\">A frequência das auditorias.</td>", "<td class=\"wide\">O monitoramento.</td>"] {
        assert!(portuguese.contains(part), "{part}: {portuguese}");
    }
    assert!(!portuguese.contains("<td class=\"wide\" lang=\"en\">"), "{portuguese}");
    let query = app.call(Call::get("/docs/api/compare_audits?lang=pt-BR")).await.body;
    assert!(query.contains("Na query string") && !query.contains(">query<"), "{query}");
    assert!(query.contains("<td class=\"wide\">O <code>id</code> da auditoria à direita."), "{query}");
    for words in ["compartilhar+endereco", "share+audit"] {
        let list = app.call(Call::get(&format!("/docs?lang=pt-BR&q={words}"))).await.body;
        assert!(list.contains(">Compartilhar uma auditoria</a>") && list.contains("<h2>Auditorias</h2>"), "{list}");
    }
    let errors = app.call(Call::get("/docs/errors?lang=pt-BR")).await.body;
    for code in service::error::Code::ALL {
        assert!(errors.contains(&format!("id=\"{}\"", code.wire())), "{code:?}");
    }
    let found = app.call(Call::get("/docs?q=SHARE+public")).await.body;
    assert!(found.contains("/docs/api/share_audit") && !found.contains("/docs/api/get_pricing\""), "{found}");
    assert!(app.call(Call::get("/docs?q=weather+forecast")).await.body.contains("0 of "));
    for guide in ["agents", "clients"] {
        let page = app.call(Call::get(&format!("/docs/guides/{guide}"))).await;
        assert!(page.status == 200 && page.body.contains(&app.url("/mcp")[..7]), "{guide}");
        assert!(!page.body.contains("audit.example.com"), "{guide} names this service");
        let portuguese = app.call(Call::get(&format!("/docs/guides/{guide}?lang=pt-BR"))).await.body;
        let blocks = |page: &str| page.matches("<div class=\"block\">").count();
        assert_eq!(blocks(&portuguese), blocks(&page.body), "{guide}");
        assert!(portuguese.contains("auditoria") && !portuguese.contains("audit.example.com"), "{guide}");
        assert!(!portuguese.contains("<div lang=\"en\""), "{guide} is Portuguese as a whole");
    }
    for missing in ["/docs/api/nothing", "/docs/guides/nothing", "/docs/api/%ff"] {
        assert_eq!(app.call(Call::get(missing)).await.status, 404, "{missing}");
    }
}

/// Of a long change only lines around what differs are in sight, and all of it can be copied.
#[tokio::test]
async fn the_example_has_all_of_a_long_change() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let page = app.call(Call::get("/example?lang=en")).await.body;
    let first = page.split("id=\"findings\"").next().unwrap();
    let mut sides = first.split("<ins").filter_map(|side| Some(side.split_once("</ins>")?.0));
    let after = sides.find(|side| side.contains("openingHours")).unwrap();
    let (left_out, shown) = after.split_once("</span></i>").unwrap();
    assert!(left_out.contains("<i class=\"cut\"><span hidden>{") && left_out.contains("@context"), "{left_out}");
    assert!(shown.contains("openingHours") && !shown.contains("@context"), "{shown}");
    assert!(app.call(Call::get("/example/files/images.csv")).await.body.contains("/img/rolls.jpg"));
    assert_eq!(app.call(Call::get("/example/files/99")).await.status, 404);
}

#[tokio::test]
async fn a_browser_at_the_index_of_the_api_is_led_to_its_documentation() {
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let led = app.call(Call::get("/api").header("accept", "text/html,application/xhtml+xml,*/*;q=0.8")).await;
    assert_eq!((led.status, led.header("location")), (303, "/docs?lang=en"));
    assert!(led.header("vary").contains("Accept"), "{led:?}");
    for accept in ["*/*", "application/json", "text/html, application/json"] {
        let index = app.call(Call::get("/api/").header("accept", accept)).await;
        assert_eq!((index.status, index.header("content-type")), (200, "application/json"), "{accept}");
    }
}

#[tokio::test]
async fn a_shared_report_has_no_placeholders_of_the_page_that_it_is_about() {
    let page = std::sync::Arc::new(std::sync::Mutex::new(
        "<!doctype html><html lang=en><title>Bread</title><link rel=alternate hreflang=pt href=/pt><h1>Bread</h1>\
         <p>Lorem ipsum dolor sit amet {{name}}</p><p>[object Object]</p>"
            .to_owned(),
    ));
    let served = page.clone();
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&served.lock().unwrap()),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let token = app.guest().await;
    let audit = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    assert!(audit["issues"].to_string().contains("placeholder_text"), "{audit}");
    let path = format!("/api/audits/{}/share", audit["id"].as_str().unwrap());
    let shared = app.call(Call::new("POST", &path).token(&token)).await.json();
    let report = app.call(Call::get(shared["path"].as_str().unwrap())).await.body;
    assert!(report.contains("{{name}}"), "{report}");
    *page.lock().unwrap() = report;
    let own = app.call(Call::audit(&site.url("/")).token(&token)).await.json();
    assert!(!own["issues"].to_string().contains("placeholder_text"), "{}", own["issues"]);
}

/// A page with as many findings as a neglected one has.
pub(super) const NEGLECTED: &str = "<html><head><title>Untitled</title><title>Second</title><meta name=description content=x>\
    <meta http-equiv=refresh content='30; url=/x'><meta name=viewport content='width=1024, user-scalable=no'>\
    <link rel=canonical href=/bad><link rel=canonical href=http://other.example/bad>\
    <link rel=alternate hreflang=xx-YY href=/xx><meta property=og:title content=''><meta property=og:image content=img.jpg>\
    <script type=application/ld+json>{\"@type\":\"Product\",\"name\":\"x\",}</script>\
    <script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Article\",\"headline\":\"x\"}</script></head>\
    <body><h1></h1><h1>Welcome</h1><h1>Again</h1><h4>Lorem</h4><p>Lorem ipsum dolor sit amet {{name}}</p>\
    <img src=a.jpg><img src=b.jpg alt=image><img src=c.png alt=IMG_1234.png><a href='#'>click here</a>\
    <a href='javascript:void(0)'>here</a><a></a><a href=http://localhost:3000/x>dev</a><a href='http:/broken'>x</a>\
    <form action=http://insecure.example/login method=get><input name=user><input type=password name=p></form>\
    <p>Caf&Atilde;&copy;</p></body></html>";

#[tokio::test(flavor = "multi_thread")]
async fn a_long_report_is_a_few_pages_on_paper() {
    let Some(mut scene) = Scene::open_with(NEGLECTED, |_| {}).await else { return };
    scene.audit("/page");
    let tab = &mut scene.tab;
    let findings = tab.value("document.querySelectorAll('.finding').length").as_u64().unwrap();
    assert!(findings >= 37, "{findings} findings");
    let paper = tab.paper();
    let pages = paper.windows(12).filter(|bytes| *bytes == b"/Type /Page\n").count();
    assert!((3..=PAPER_PAGES).contains(&pages), "{pages} pages of paper");
    if let Some(folder) = std::env::var_os("SITE_AUDIT_PICTURES").map(std::path::PathBuf::from) {
        std::fs::write(folder.join("report.pdf"), &paper).unwrap();
    }
    tab.print();
    let shown = tab.shown();
    for part in ["Site Audit", "Findings by cause", "Placeholder title", "checks passed"] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_to_a_finding_opens_it_without_a_script() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/bread");
    let tab = &mut scene.tab;
    tab.disable_scripts();
    let path = tab.text("location.pathname");
    tab.visit(&format!("{path}?lang=en"));
    const SEEN: &str = "document.querySelector('#f-llms_txt_missing .message').checkVisibility({contentVisibilityAuto: true, visibilityProperty: true}) \
        && document.querySelector('#f-llms_txt_missing .message').getBoundingClientRect().height > 0";
    assert_eq!(tab.value(SEEN), false);
    // Else it would be a move within the page, which loads nothing.
    tab.visit("/bot");
    tab.visit(&format!("{path}?lang=en#f-llms_txt_missing"));
    assert_eq!(tab.value(SEEN), true);
    // From the top of the page two stops lead to the findings.
    tab.visit("/bot");
    tab.visit(&format!("{path}?lang=en"));
    tab.press("Tab");
    tab.press("Tab");
    assert_eq!(tab.focus(), "Skip to the findings");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documentation_is_tried_and_copied_in_a_browser() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    let tab = &mut scene.tab;
    tab.allow_clipboard();
    tab.visit("/docs");
    tab.click(".block button");
    assert!(tab.text("navigator.clipboard.readText()").starts_with("curl -s http"));
    tab.click("#q");
    tab.write("one check");
    tab.load(|tab| tab.press("Enter"));
    tab.load(|tab| tab.click("a[href^=\"/docs/api/get_check?\"], a[href=\"/docs/api/get_check\"]"));
    assert_eq!(tab.text("location.pathname"), "/docs/api/get_check");
    tab.value("document.querySelector('#in-code').value = 'title_missing'");
    tab.click("#try-it button[type=submit]");
    let answer = "new Promise(done => { const look = () => { const e = document.querySelector('#response'); \
        e.hidden ? setTimeout(look, 20) : done(e.textContent) }; look() })";
    assert!(tab.text(answer).contains("\"code\": \"title_missing\""));
    assert!(tab.text("document.querySelector('#outcome').textContent").starts_with("200"));
    tab.visit("/docs/embed?brand=Ann&color=%23c2410c");
    assert_eq!(tab.text("document.querySelector('iframe').contentDocument.querySelector('h1').textContent"), "Ann");
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_screen_of_these_has_a_barrier_in_any_look() {
    if !has_axe() {
        return;
    }
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    let account = people::account(&scene.app, "ana").await;
    people::key(&scene.app, &account).await;
    let session = people::session(&scene.app, &account).await;
    let mut found = Vec::new();
    for (path, is_signed_in) in [
        ("/docs", false),
        ("/docs?q=share", false),
        ("/docs/api/audit_page", false),
        ("/docs/guides/clients", false),
        ("/example", false),
        ("/example?severity=info", false),
        ("/docs/errors", false),
        ("/docs/embed", false),
        ("/conta/global", false),
        ("/conta", true),
        ("/conta/keys?done=key_revoked", true),
        ("/conta/organizations", true),
        ("/conta/out", true),
        ("/tools", true),
    ] {
        let tab = &mut scene.tab;
        tab.forget_cookies();
        if is_signed_in {
            tab.set_cookie("mm-auth", &session.token);
        }
        for lang in ["en", "pt-BR"] {
            let mark = if path.contains('?') { '&' } else { '?' };
            tab.visit(&format!("{path}{mark}lang={lang}"));
            assert_eq!(tab.status(), 200, "{path}");
            tab.value("document.querySelectorAll('details').forEach(e => { e.open = true; if (e.matches('.menu')) e.lastElementChild.style.position = 'static' })");
            for look in LOOKS {
                tab.look(look);
                let name =
                    format!("screen{}-{lang}-{}-{}", path.replace(['/', '?', '='], "-"), look.scheme, look.width);
                // The widget in the preview is tested as a page of its own.
                let barriers = tab.barriers().into_iter().filter(|problem| !problem.starts_with("frame-tested"));
                let problems = barriers.chain(tab.overflows()).chain(tab.complaints());
                found.extend(problems.map(|problem| format!("{name}: {problem}")));
                keep_picture(tab, &name);
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
