//! Human verification as a person meets it: in a browser, by keyboard, in both themes, on a phone and at a desk.

use serde_json::{Value, json};
use testkit::{SiteAnswer, TestSite};

use super::{JSON, altcha, siteverify};
use crate::pages::browser::{Scene, keep_picture};
use crate::pages::tab::{Look, Tab, has_axe};

/// A desk and a phone, in both themes, each with a language.
const VISITS: [(Look, &str); 4] = [
    (Look { scheme: "light", width: 1280 }, "en"),
    (Look { scheme: "dark", width: 390 }, "pt-BR"),
    (Look { scheme: "light", width: 390 }, "pt-BR"),
    (Look { scheme: "dark", width: 1280 }, "en"),
];

/// A window of 1,280 pixels at 400 % (WCAG 2.2, 1.4.10).
const NARROW: Look = Look { scheme: "dark", width: 320 };

/// Fails where the page that is shown has barriers, or needs scrolling sideways.
fn look_at(tab: &mut Tab, name: &str, look: Look, lang: &str) {
    let name = format!("verification-{name}-{lang}-{}-{}", look.scheme, look.width);
    tab.look(look);
    keep_picture(tab, &name);
    assert_eq!(tab.overflows(), [""; 0], "{name}");
    if has_axe() {
        assert_eq!(tab.barriers(), [""; 0], "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_verifies_its_reader_by_keyboard_in_both_themes() {
    let Some(mut scene) = Scene::open(altcha).await else { return };
    let address = scene.address("/bread");
    let tab = &mut scene.tab;
    for (look, lang) in VISITS {
        tab.forget_cookies();
        tab.look(look);
        tab.visit(&format!("/?lang={lang}"));
        assert!(!tab.shown().contains("JavaScript"), "{}", tab.shown());
        look_at(tab, "form", look, lang);
        tab.value("document.querySelector('#url').focus()");
        tab.write(&address);
        tab.load(|tab| tab.press("Enter"));
        assert_eq!((tab.status(), tab.text("document.querySelector('.address').innerText")), (200, address.clone()));
        assert_eq!(tab.complaints(), [""; 0], "{look:?}");
    }
    // The browser is verified: the form comes without a challenge.
    tab.visit("/");
    assert_eq!(tab.value("document.getElementById('verification')"), Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn while_the_challenge_is_solved_the_form_says_so() {
    let Some(mut scene) = Scene::open(altcha).await else { return };
    let address = scene.address("/bread");
    let tab = &mut scene.tab;
    for (look, lang) in VISITS {
        tab.look(look);
        tab.visit(&format!("/?lang={lang}"));
        // No challenge comes.
        tab.value("globalThis.fetch = () => new Promise(() => {})");
        tab.value("document.querySelector('#url').focus()");
        tab.write(&address);
        tab.press("Enter");
        let words = if lang == "en" { "Checking that you are human." } else { "Verificando se você é humano." };
        let told = tab.text("document.querySelector('#verification-status').innerText");
        assert!(told.starts_with(words), "{told}");
        assert_eq!(tab.text("document.getElementById('verification-status').role"), "status");
        look_at(tab, "working", look, lang);
        // Sent once more by keyboard, it is not asked for twice.
        tab.value("globalThis.fetch = () => { globalThis.again = true; }");
        tab.press("Enter");
        assert_eq!(tab.value("globalThis.again"), Value::Null);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_verification_is_told_and_can_be_repeated() {
    let Some(mut scene) = Scene::open(altcha).await else { return };
    let address = scene.address("/bread");
    let tab = &mut scene.tab;
    tab.visit("/");
    // What is sent solves nothing.
    tab.value("globalThis.btoa = () => 'e30='");
    tab.click("#url");
    tab.write(&address);
    tab.click("button");
    let told = "new Promise(done => { const say = () => { const status = document.getElementById('verification-status'); \
                if (status.className === 'alert') { watch.disconnect(); done(status.innerText); } }; \
                const watch = new MutationObserver(say); \
                watch.observe(document.body, { subtree: true, childList: true, attributes: true }); say(); })";
    assert_eq!(tab.text(told), "Verification failed. Try again, or reload the page.");
    assert_eq!(tab.value("document.querySelector('button').disabled"), false);
    for look in VISITS.map(|(look, _)| look).into_iter().chain([NARROW]) {
        look_at(tab, "refused", look, "en");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_script_the_page_says_what_to_do() {
    let Some(mut scene) = Scene::open(altcha).await else { return };
    let address = scene.address("/bread");
    let tab = &mut scene.tab;
    tab.disable_scripts();
    for (lang, words) in [
        ("en", "Verification needs JavaScript. Turn it on, or sign in, or use the API."),
        ("pt-BR", "A verificação precisa de JavaScript. Ative-o, entre na sua conta ou use a API."),
    ] {
        tab.visit(&format!("/?lang={lang}"));
        assert!(tab.shown().contains(words), "{}", tab.shown());
        for look in VISITS.map(|(look, _)| look).into_iter().chain([NARROW]) {
            tab.look(look);
            assert_eq!(tab.overflows(), [""; 0], "{look:?}");
            keep_picture(tab, &format!("verification-no-script-{lang}-{}-{}", look.scheme, look.width));
        }
    }
    tab.submit(&address);
    assert_eq!(tab.status(), 403);
    // A browser gives the field the focus a moment after the page is there.
    let is_there = (0..1_000).any(|_| tab.text("document.activeElement.value") == address);
    assert!(is_there, "{}", tab.text("document.activeElement.outerHTML"));
}

/// A widget as verification services make them: a button.
const WIDGET: &str = "globalThis.turnstile = { render(place, { sitekey, theme, callback }) { \
    const button = document.createElement('button'); button.type = 'button'; \
    button.textContent = `I am human (${sitekey}, ${theme})`; button.onclick = () => callback('good'); \
    place.append(button); return 1; }, reset() {} }; \
    globalThis[new URL(document.currentScript.src).searchParams.get('onload')]();";

#[tokio::test(flavor = "multi_thread")]
async fn the_widget_of_a_verification_service_works_by_keyboard() {
    let service = TestSite::start_at([127, 0, 0, 1].into(), |asked| match asked.path.as_str() {
        "/siteverify" => SiteAnswer::page(200, JSON, &json!({"success": asked.body.ends_with("=good")}).to_string()),
        _ => SiteAnswer::page(200, "text/javascript", WIDGET),
    })
    .await;
    let Some(mut scene) = Scene::open(|config| siteverify(config, &service)).await else { return };
    let address = scene.address("/bread");
    let tab = &mut scene.tab;
    for (look, lang) in VISITS {
        tab.look(look);
        tab.visit(&format!("/?lang={lang}"));
        look_at(tab, "widget", look, lang);
    }
    tab.look(NARROW);
    tab.visit("/");
    tab.value("document.querySelector('#url').focus()");
    tab.write(&address);
    tab.press("Enter");
    assert_eq!(
        tab.text("document.querySelector('#verification-status').innerText"),
        "Complete the verification first."
    );
    tab.press("Tab");
    tab.press("Tab");
    assert_eq!(tab.focus(), "I am human (a-sitekey, dark)");
    tab.press(" ");
    assert_eq!(tab.text("document.querySelector('#verification-status').innerText"), "");
    tab.value("document.querySelector('#url').focus()");
    tab.load(|tab| tab.press("Enter"));
    assert_eq!((tab.status(), tab.text("document.querySelector('.address').innerText")), (200, address));
}
