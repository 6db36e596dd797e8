//! Pages: what the service sends, and what a real browser makes of it.

mod account;
mod alerts;
mod browser;
mod catalog;
mod contact;
mod embed;
mod forms;
mod keys;
mod lab;
mod lab_browser;
mod markdown;
mod money;
mod operator;
mod passkeys;
mod refused;
mod refused_forms;
mod rendered;
mod report;
mod running;
mod screens;
mod shared;
mod site_watches;
mod sites;
mod sizes;
mod tab;
mod telemetry;
mod verification;
mod verify_fix;
mod webhooks;
mod workspace;

use sqlx::Row as _;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use crate::app::{Call, TestApp};

testkit::on_both_databases! {
    the_form_leads_to_a_report_for_its_reader_alone,
    a_typing_error_is_answered_on_the_same_page,
    a_form_beyond_the_limit_says_how_long_to_wait,
    other_sites_may_not_send_the_form,
    a_guest_is_made_once_and_for_an_audit_only,
    a_report_that_is_not_kept_is_shown_at_once,
    pages_speak_both_languages,
    each_language_is_a_page_of_its_own,
    hostile_text_stays_text,
    u16_a_host_in_punycode_is_shown_in_letters_too,
    a_theme_is_kept_and_leads_back,
}

const HOSTILE: &str = "</title><script>alert(1)</script>\"><img src=x onerror=alert(1)>";

async fn site() -> TestSite {
    TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html("<!doctype html><title>Bread</title><h1>Bread</h1>"),
        "/hostile" => SiteAnswer::html(&format!(
            "<!doctype html><title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title><h1>{}</h1><a href='/'></a>",
            HOSTILE.replace('<', "&lt;")
        )),
        _ => SiteAnswer::missing(),
    })
    .await
}

fn form(url: &str) -> Call<'static> {
    let encoded: String = url::form_urlencoded::Serializer::new(String::new()).append_pair("url", url).finish();
    Call::new("POST", "/").header("content-type", "application/x-www-form-urlencoded").body(&encoded)
}

fn cookie(set: &str) -> String {
    set.split(';').next().unwrap().to_owned()
}

async fn the_form_leads_to_a_report_for_its_reader_alone(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let home = app.call(Call::get("/")).await;
    assert_eq!((home.status, home.header("set-cookie")), (200, ""));
    assert!(home.body.contains("<form method=\"post\""), "{}", home.body);
    let sent = app.call(form(&site.url("/"))).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    let set = sent.header("set-cookie").to_owned();
    assert!(set.starts_with("mm-guest=pa_") && set.contains("HttpOnly; SameSite=Lax"), "{set}");
    let path = sent.header("location").to_owned();
    let report = app.call(Call::get(&path).header("cookie", &cookie(&set))).await;
    assert_eq!(report.status, 200);
    assert!(report.body.contains("canonical_missing") && report.body.contains("Bread"), "{}", report.body);
    assert_eq!(report.header("cache-control"), "no-store");
    for file in ["audit.json", "patch.json"] {
        let path = format!("{path}/{file}");
        let document = app.call(Call::get(&path).header("cookie", &cookie(&set))).await;
        assert!(document.json().is_object(), "{file}");
        assert_eq!(app.call(Call::get(&path)).await.status, 404);
    }
    assert_eq!(app.call(Call::get(&path)).await.status, 404);
    assert_eq!(app.call(Call::get("/reports/nothing").header("cookie", &cookie(&set))).await.status, 404);
    // The second audit is the same guest's, and needs no new cookie.
    let again = app.call(form(&site.url("/")).header("cookie", &cookie(&set))).await;
    assert_eq!((again.status, again.header("set-cookie")), (303, ""));
    let second = app.call(Call::get(again.header("location")).header("cookie", &cookie(&set))).await;
    assert_eq!(second.status, 200);
    // The cookie is for pages: the API does not look at it.
    let api = path.replace("/reports/", "/api/audits/");
    assert_eq!(app.call(Call::get(&api).header("cookie", &cookie(&set))).await.status, 401);
}

async fn a_typing_error_is_answered_on_the_same_page(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for (typed, status) in
        [("ftp://x/", 400), ("http://10.0.0.1/", 400), ("not a host", 400), ("http://127.0.0.2:1/", 502)]
    {
        let response = app.call(form(typed)).await;
        assert_eq!(response.status, status, "{typed}");
        assert!(response.body.contains(&format!("value=\"{typed}\"")), "{typed}: {}", response.body);
        assert!(response.body.contains("role=\"alert\""), "{typed}");
        // An address that did not answer may be written rightly.
        assert_eq!(response.body.contains("aria-invalid"), status == 400, "{typed}");
    }
    let hostile = app.call(form(HOSTILE)).await;
    assert!(!hostile.body.contains("<script>alert"), "{}", hostile.body);
    assert_eq!(app.call(Call::new("POST", "/").body("a=b")).await.status, 400);
    assert_eq!(app.call(Call::new("DELETE", "/")).await.status, 405);
    assert_eq!(app.free_remaining().await, 10);
}

async fn a_form_beyond_the_limit_says_how_long_to_wait(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| config.limits.audits_per_hour = 1).await;
    assert_eq!(app.call(form(&site.url("/"))).await.status, 303);
    for (lang, told, vague) in [
        ("en", "Your network sent too many requests. Try again in 60 minutes.", "again later"),
        ("pt-BR", "A sua rede fez requisições demais. Tente de novo em 60 minutos.", "mais tarde"),
    ] {
        let refused = app.call(form(&site.url("/")).header("accept-language", lang)).await;
        assert_eq!((refused.status, refused.header("retry-after")), (429, "3600"));
        assert!(refused.body.contains(told) && !refused.body.contains(vague), "{told}: {}", refused.body);
    }
}

async fn other_sites_may_not_send_the_form(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let from = |origin: &str| form(&site.url("/")).header("origin", origin);
    assert_eq!(app.call(from("https://evil.example")).await.status, 403);
    assert_eq!(app.call(from("null")).await.status, 403);
    // A foreign name that is pointed at this machine: origin and host agree, and prove nothing.
    let port = app.address().port();
    let rebound = format!("evil.example:{port}");
    let sent = from(&format!("http://{rebound}")).header("host", &rebound);
    assert_eq!(app.call(sent).await.status, 403);
    assert_eq!(app.call(from(&format!("http://[::1]:{port}"))).await.status, 303);
    assert_eq!(app.call(from(&format!("http://localhost:{port}"))).await.status, 303);
    assert_eq!(app.call(from(&app.url(""))).await.status, 303);
}

async fn a_guest_is_made_once_and_for_an_audit_only(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| {
        config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
        config.limits.free_audits_per_day = 1;
    })
    .await;
    // Nothing comes of the audit, but the guest is there: the next try is the same one's.
    let failed = app.call(form("http://127.0.0.2:1/")).await;
    assert_eq!(failed.status, 502);
    let kept = cookie(failed.header("set-cookie"));
    assert!(kept.starts_with("mm-guest=pa_"), "{kept}");
    let sent = app.call(form(&site.url("/")).header("cookie", &kept)).await;
    assert_eq!((sent.status, sent.header("set-cookie")), (303, ""));
    // What must be paid for makes no guest.
    let unpaid = app.call(form(&site.url("/"))).await;
    assert_eq!((unpaid.status, unpaid.header("set-cookie")), (402, ""));
    let guests: i64 = app.database.row("SELECT COUNT(*) FROM guests").await.get(0);
    assert_eq!(guests, 1);
}

async fn a_report_that_is_not_kept_is_shown_at_once(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let held = app.database.hold(&["audits", "guests", "daily_counters", "hourly_counters", "daily_salts"]).await;
    let shown = app.call(form(&site.url("/"))).await;
    assert_eq!((shown.status, shown.header("set-cookie")), (200, ""), "{}", shown.body);
    assert!(shown.body.contains("canonical_missing") && shown.body.contains("could not be stored"), "{}", shown.body);
    assert!(!shown.body.contains("/reports/") && !shown.body.contains("/api/audits/"), "{}", shown.body);
    assert_eq!(shown.header("cache-control"), "no-store");
    held.release().await;
}

async fn pages_speak_both_languages(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for (path, accept, lang, words) in [
        ("/", "en", "en", "Audit page"),
        ("/", "pt-BR", "pt-BR", "Auditar página"),
        ("/?lang=pt-BR", "en", "pt-BR", "Auditar página"),
        ("/bot?lang=pt", "en", "pt-BR", "robô"),
        ("/nothing", "pt", "pt-BR", "Não encontrado"),
        ("/reports/%ff", "en", "en", "Audit not found"),
        ("/reports/%ff/audit.json", "pt", "pt-BR", "Auditoria não encontrada"),
    ] {
        let response = app.call(Call::get(path).header("accept-language", accept)).await;
        assert!(response.body.contains(&format!("<html lang=\"{lang}\">")) && response.body.contains(words), "{path}");
        assert_eq!(response.header("content-language"), lang);
    }
}

async fn each_language_is_a_page_of_its_own(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    for path in ["/", "/bot"] {
        for (query, canonical) in [("", ""), ("?lang=en", "?lang=en"), ("?lang=pt", "?lang=pt-BR")] {
            let page = app.call(Call::get(&format!("{path}{query}"))).await.body;
            let link = |rel: &str, query: &str| format!("<link rel={rel} href=\"{}{query}\">", app.url(path));
            assert!(page.contains(&link("\"canonical\"", canonical)), "{path}{query}: {page}");
            assert!(page.contains(&link("\"alternate\" hreflang=\"pt-BR\"", "?lang=pt-BR")), "{path}{query}: {page}");
            assert!(page.contains(&link("\"alternate\" hreflang=\"x-default\"", "")), "{path}{query}: {page}");
        }
    }
    // Who chose a language keeps it on the way.
    let page = app.call(Call::get("/bot?lang=pt-BR").header("accept-language", "en")).await.body;
    assert!(page.contains("class=\"brand\" href=\"/?lang=pt-BR\""), "{page}");
}

async fn hostile_text_stays_text(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |_| {}).await;
    let sent = app.call(form(&site.url("/hostile"))).await;
    let report =
        app.call(Call::get(sent.header("location")).header("cookie", &cookie(sent.header("set-cookie")))).await;
    assert_eq!(report.status, 200);
    assert!(!report.body.contains("<script>") && !report.body.contains("<img src=x"), "{}", report.body);
    assert!(report.body.contains("alert(1)"));
}

async fn u16_a_host_in_punycode_is_shown_in_letters_too(database: TestDatabase) {
    let site = site().await;
    let app = TestApp::start(database, |config| {
        config.fetch.resolve = vec![serde_json::from_value("xn--mnchen-3ya.de=127.0.0.2".into()).unwrap()];
    })
    .await;
    let port = site.address().port();
    for host in ["münchen.de", "xn--mnchen-3ya.de"] {
        let sent = app.call(form(&format!("http://{host}:{port}/"))).await;
        assert_eq!(sent.status, 303, "{}", sent.body);
        let (path, cookie) = (sent.header("location"), cookie(sent.header("set-cookie")));
        let report = app.call(Call::get(path).header("cookie", &cookie)).await.body;
        let address = format!("http://xn--mnchen-3ya.de:{port}/ (münchen.de)");
        assert!(report.contains(&format!("/100 {address} · ")), "{report}");
        assert!(report.contains(&format!("<p class=\"address\">{address}</p>")), "{report}");
        assert!(report.contains("<td>xn--mnchen-3ya.de (münchen.de)</td>"), "{report}");
        let document = app.call(Call::get(&format!("{path}/audit.json")).header("cookie", &cookie)).await;
        assert_eq!(document.json()["url"], format!("http://xn--mnchen-3ya.de:{port}/"));
    }
}

async fn a_theme_is_kept_and_leads_back(database: TestDatabase) {
    let app = TestApp::start(database, |_| {}).await;
    let choose = |theme: &str| Call::new("POST", "/theme").body(&format!("theme={theme}"));
    let chosen = app.call(choose("dark").header("referer", &app.url("/tools?lang=pt-BR"))).await;
    assert_eq!((chosen.status, chosen.header("location")), (303, "/tools?lang=pt-BR"));
    let set = chosen.header("set-cookie");
    assert!(set.starts_with("mm-theme=dark; ") && set.contains("HttpOnly; SameSite=Lax"), "{set}");
    for path in ["/", "/bot", "/checks", "/tools", "/tools/canonical", "/nothing"] {
        let page = app.call(Call::get(path).header("cookie", "x=1; mm-theme=dark")).await;
        assert!(page.body.contains("<html lang=\"en\" data-theme=\"dark\">"), "{path}: {}", page.body);
        assert!(page.header("vary").contains("Cookie"), "{path}: {:?}", page.header("vary"));
        let unknown = app.call(Call::get(path).header("cookie", "mm-theme=\"><b>")).await;
        assert!(unknown.body.contains("<html lang=\"en\">"), "{path}: {}", unknown.body);
    }
    // Back to what the system says.
    assert!(app.call(choose("system")).await.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(app.call(choose("pink")).await.status, 400);
    assert_eq!(app.call(choose("dark").header("origin", "https://evil.example")).await.status, 403);
    for (asked, path) in
        [("/bot?x=1", "/bot?x=1"), ("//evil.example", "/"), ("https://evil.example", "/"), ("/\\x", "/")]
    {
        let body = url::form_urlencoded::Serializer::new("theme=dark".to_owned()).append_pair("back", asked).finish();
        assert_eq!(app.call(Call::new("POST", "/theme").body(&body)).await.header("location"), path, "{asked}");
    }
    assert_eq!(app.call(Call::get("/theme")).await.status, 405);
}
