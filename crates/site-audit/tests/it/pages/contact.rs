//! The contact form: what it sends, and what a real browser makes of it.

use service::jobs;
use testkit::{MailServer, TestDatabase};

use super::browser::{LOOKS, MOST_STOPS, keep_picture};
use super::tab::{Look, Tab, has_axe};
use crate::api::contact::receiving;
use crate::api::partners::offering;
use crate::app::{Call, Response, TestApp};

testkit::on_both_databases! {
    a_message_is_sent_from_the_page_in_both_languages,
    what_is_wrong_is_told_and_what_was_typed_stays,
    without_a_mailbox_the_page_names_another_way,
}

const FORM: &str = "application/x-www-form-urlencoded";

fn sent(path: &str, fields: &[(&str, &str)]) -> Call<'static> {
    let body: String = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
    Call::new("POST", path).header("content-type", FORM).body(&body)
}

fn problem(page: &Response) -> &str {
    let (_, rest) = page.body.split_once("id=\"problem\" role=\"alert\">").unwrap_or_else(|| panic!("{}", page.body));
    rest.split_once("</p>").unwrap().0
}

async fn a_message_is_sent_from_the_page_in_both_languages(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    for (lang, said) in [("en", "Message received."), ("pt-BR", "Mensagem recebida.")] {
        let home = app.call(Call::get(&format!("/?lang={lang}"))).await;
        assert!(home.body.contains(&format!("<a href=\"/contact?lang={lang}\">")), "{}", home.body);
        let fields = [("name", "Ana"), ("email", "ana@example.com"), ("message", "one\r\ntwo")];
        let answer = app.call(sent(&format!("/contact?lang={lang}"), &fields)).await;
        assert_eq!((answer.status, answer.header("location")), (303, format!("/contact?sent&lang={lang}").as_str()));
        let page = app.call(Call::get(answer.header("location"))).await;
        assert!(page.status == 200 && page.body.contains(said), "{}", page.body);
        // What was sent is its sender's alone; the bare form may be found.
        assert_eq!(page.header("x-robots-tag"), "noindex");
        let bare = app.call(Call::get(&format!("/contact?lang={lang}"))).await;
        assert_eq!((bare.status, bare.header("x-robots-tag")), (200, ""));
    }
    assert!(app.call(Call::get("/sitemap.xml")).await.body.contains(&app.url("/contact</loc>")));
    jobs::work_off(&app.app).await.unwrap();
    assert!(server.letters().remove(0).text().starts_with("one\ntwo\n"));
    let elsewhere = sent("/contact", &[("name", "Ana")]).header("origin", "https://evil.example");
    assert_eq!(app.call(elsewhere).await.status, 403);
}

async fn what_is_wrong_is_told_and_what_was_typed_stays(database: TestDatabase) {
    let server = MailServer::start().await;
    let app = TestApp::start(database, receiving(&server)).await;
    let hostile = "\"><script>alert(1)</script></textarea>";
    let fields = [
        ("name", hostile),
        ("email", "ana"),
        ("message", hostile),
        ("tipo", "patrocinio"),
        ("empresa", hostile),
        ("orcamento", "100_500"),
        ("espaco", "hub"),
    ];
    let page = app.call(sent("/contact?lang=en", &fields)).await;
    assert_eq!(page.status, 400);
    assert_eq!(problem(&page), "Enter the email address we should reply to, such as ana@example.com.");
    assert!(!page.body.contains("<script>alert"), "{}", page.body);
    for part in [
        "id=\"email\" name=\"email\" type=\"text\" inputmode=\"email\"",
        "value=\"ana\" required aria-invalid=\"true\" aria-describedby=\"problem\" autofocus>",
        "<option value=\"patrocinio\" selected>sponsorship</option>",
        "<option value=\"100_500\" selected>",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    // Without a proposal its fields are not shown.
    let plain = app.call(Call::get("/contact?lang=en")).await;
    assert!(plain.status == 200 && !plain.body.contains("orcamento"), "{}", plain.body);
    let proposal = app.call(Call::get("/contact?lang=pt-BR&tipo=anuncio")).await;
    assert!(proposal.body.contains("<option value=\"anuncio\" selected>anúncio</option>"), "{}", proposal.body);
    for (count, status) in [(20, 303), (1, 429)] {
        for _ in 0..count {
            let whole = [("name", "Ana"), ("email", "ana@example.com"), ("message", "x")];
            assert_eq!(app.call(sent("/contact", &whole)).await.status, status);
        }
    }
}

async fn without_a_mailbox_the_page_names_another_way(database: TestDatabase) {
    let app = TestApp::start(database, |config| {
        config.organization.email = Some("hello@example.com".to_owned());
    })
    .await;
    let page = app.call(Call::get("/contact?lang=en")).await;
    assert!(page.status == 503 && page.body.contains("mailto:hello@example.com"), "{}", page.body);
    assert!(!page.body.contains("<textarea"), "{}", page.body);
    let home = app.call(Call::get("/?lang=en")).await;
    assert!(!home.body.contains("/contact"), "{}", home.body);
    assert_eq!(app.call(sent("/contact", &[("name", "Ana")])).await.status, 503);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_written_with_the_keyboard_and_without_a_script() {
    let server = MailServer::start().await;
    let app = TestApp::start(TestDatabase::sqlite(), receiving(&server)).await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.disable_scripts();
    tab.visit("/contact?lang=en");
    for (field, text) in [("name", "Ana"), ("email", "ana@example.com"), ("message", "Hello")] {
        let mut stops = 0;
        while tab.text("document.activeElement.id") != field {
            tab.press("Tab");
            stops += 1;
            assert!(stops < MOST_STOPS, "{field} can't be reached");
        }
        tab.write(text);
    }
    tab.press("Tab");
    tab.load(|tab| tab.press("Enter"));
    assert!(tab.shown().contains("Message received."), "{}", tab.shown());
    jobs::work_off(&app.app).await.unwrap();
    assert_eq!(server.letters().remove(0).header("Reply-To"), "ana@example.com");
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_offer_needs_the_keyboard_only_and_leads_to_the_form() {
    let server = MailServer::start().await;
    let app = TestApp::start(TestDatabase::sqlite(), |config| {
        offering(config);
        receiving(&server)(config);
    })
    .await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    tab.disable_scripts();
    tab.visit("/partners?lang=en");
    let mut stops = Vec::new();
    while stops.last().is_none_or(|stop: &String| stop != "Send a proposal") {
        tab.press("Tab");
        stops.push(tab.focus());
        assert!(stops.len() < MOST_STOPS, "{stops:?}");
    }
    for stop in ["Sponsor now", "Acme"] {
        assert!(stops.iter().any(|found| found == stop), "{stop} is not among {stops:?}");
    }
    tab.load(|tab| tab.press("Enter"));
    assert_eq!((tab.status(), tab.text("location.pathname").as_str()), (200, "/contact"));
    assert_eq!(tab.value("document.querySelector('#tipo').value !== ''"), true);
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_contact_form_has_no_barriers() {
    if !has_axe() {
        return;
    }
    let server = MailServer::start().await;
    let app = TestApp::start(TestDatabase::sqlite(), |config| {
        offering(config);
        receiving(&server)(config);
    })
    .await;
    let Some(mut tab) = Tab::open(&app.url("")) else { return };
    let mut found = Vec::new();
    for lang in ["en", "pt-BR"] {
        for (name, path) in [
            ("contact", "/contact?"),
            ("proposal", "/contact?tipo=patrocinio&"),
            ("sent", "/contact?sent&"),
            ("partners", "/partners?"),
        ] {
            tab.visit(&format!("{path}lang={lang}"));
            assert_eq!(tab.status(), 200, "{path}");
            for look in LOOKS.into_iter().chain([Look { scheme: "light", width: 390 }]) {
                tab.look(look);
                let problems = tab.barriers().into_iter().chain(tab.overflows()).chain(tab.complaints());
                found.extend(problems.map(|problem| format!("{path} {lang} {look:?}: {problem}")));
                keep_picture(&mut tab, &format!("{name}-{lang}-{}-{}", look.scheme, look.width));
            }
        }
    }
    assert_eq!(found, [""; 0]);
}
