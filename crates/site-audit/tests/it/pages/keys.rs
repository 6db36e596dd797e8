//! A report in a real browser: its keys, its filter, and the screens that its buttons lead to.

use super::browser::{Scene, WITH_PHONES, problems};

/// The findings that are shown.
const SHOWN: &str = "document.querySelectorAll('.finding:not([hidden])').length";

#[tokio::test(flavor = "multi_thread")]
async fn keys_go_through_the_findings_and_can_be_switched_off() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/bread");
    let tab = &mut scene.tab;
    tab.press("j");
    let first = tab.focus();
    tab.press("j");
    assert_ne!(tab.focus(), first);
    tab.press("k");
    assert_eq!(tab.focus(), first);
    // The fix of the finding that has the focus is copied, and seen.
    const BUTTON: &str = "document.activeElement.closest('.finding').querySelector('.block > button')";
    tab.allow_clipboard();
    while tab.value(&format!("{BUTTON} === null")) == true {
        let before = tab.focus();
        tab.press("j");
        assert_ne!(tab.focus(), before, "no finding has something to copy");
    }
    tab.press("c");
    let copied = format!(
        "new Promise(done => {{ const look = () => {BUTTON}.textContent === 'Copied' \
            ? done(true) : requestAnimationFrame(look); look(); }})"
    );
    assert_eq!(tab.value(&copied), true);
    assert_eq!(tab.value("document.activeElement.closest('.finding').open"), true);
    let copied = tab.text("navigator.clipboard.readText()");
    let shown = "document.activeElement.closest('.finding').querySelector('.block').textContent";
    assert!(!copied.is_empty() && tab.text(shown).contains(&copied), "{copied}");
    tab.press("/");
    assert_eq!(tab.text("document.activeElement.id"), "q");
    let all = tab.value(SHOWN).as_u64().unwrap();
    tab.write("canonical");
    let some = tab.value(SHOWN).as_u64().unwrap();
    assert!(0 < some && some < all, "{some} of {all}");
    // A key in a field is a letter.
    tab.press("j");
    assert_eq!(tab.text("document.querySelector('#q').value"), "canonicalj");
    tab.value("document.activeElement.blur()");
    tab.press("?");
    assert_eq!(tab.value("document.querySelector('#keys').open"), true);
    tab.click("#keys input");
    tab.click("#keys button");
    assert_eq!(tab.value("document.querySelector('#keys').open"), false);
    tab.value("document.activeElement.blur()");
    tab.press("j");
    assert_eq!(
        tab.value("document.activeElement === document.body || !!document.activeElement.closest('#keys, header')"),
        true
    );
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_screens_of_a_report_have_no_barrier_in_any_look() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/bread");
    let report = scene.tab.text("location.pathname");
    scene.tab.load(|tab| tab.click("form[action^=\"/workspace?\"] button"));
    let place = scene.tab.text("location.pathname");
    let mut found = Vec::new();
    for (path, name) in [
        (report.clone(), "report-followed"),
        (format!("{place}/snooze?code=title_placeholder"), "snooze"),
        ("/workspace".to_owned(), "workspace-all"),
        ("/compare".to_owned(), "compare-form"),
    ] {
        scene.tab.visit(&path);
        assert!([200, 404].contains(&scene.tab.status()), "{path}");
        found.extend(problems(&mut scene.tab, name, &WITH_PHONES));
    }
    scene.tab.visit(&report);
    scene.tab.click("#html");
    scene.tab.write("<!doctype html><html lang=en><title>Bread at home</title><h1>Bread</h1>");
    scene.tab.load(|tab| tab.click("button[value=verify]"));
    assert!(scene.tab.shown().contains("Fixed ("), "{}", scene.tab.shown());
    found.extend(problems(&mut scene.tab, "verified", &WITH_PHONES));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_decision_has_no_barrier_in_any_look_and_is_copied_alone() {
    const HIDDEN: &str = "<!doctype html><html lang=en><meta charset=utf-8>\n\
        <meta name=\"robots\" content=\"noindex, follow, max-image-preview:large\"><title>Untitled</title><h1>Rye bread</h1>";
    let Some(mut scene) = Scene::open_with(HIDDEN, |_| {}).await else { return };
    scene.audit("/page");
    let path = scene.tab.text("location.pathname");
    let mut found = Vec::new();
    for lang in ["en", "pt-BR"] {
        scene.tab.visit(&format!("{path}?lang={lang}"));
        found.extend(problems(&mut scene.tab, &format!("decision-{lang}"), &WITH_PHONES));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    scene.tab.allow_clipboard();
    scene.tab.click("#decision .block button");
    let copied = "new Promise(done => { const look = () => document.querySelector('#decision button').textContent === 'Copiado' \
        ? navigator.clipboard.readText().then(done) : requestAnimationFrame(look); look(); })";
    assert_eq!(scene.tab.text(copied), "<meta name=\"robots\" content=\"index, follow, max-image-preview:large\">");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_is_verified_and_a_finding_snoozed_without_scripts() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.tab.disable_scripts();
    scene.audit("/bread");
    let report = scene.tab.text("location.pathname");
    scene.tab.load(|tab| tab.click("form[action^=\"/workspace?\"] button"));
    scene.tab.visit(&report);
    let snooze = scene.tab.text("document.querySelector('a[href*=\"/snooze?\"]').getAttribute('href')");
    scene.tab.visit(&snooze);
    scene.tab.click("#reason");
    scene.tab.write("Next week");
    scene.tab.load(|tab| tab.click("form[action*=\"/snooze\"] button"));
    assert!(scene.tab.shown().to_lowercase().contains("snoozed"), "{}", scene.tab.shown());
    scene.tab.click("#html");
    scene.tab.write("<title>Bread</title>");
    scene.tab.load(|tab| tab.click("button[value=verify]"));
    assert!(scene.tab.shown().contains("New findings ("), "{}", scene.tab.shown());
    assert_eq!(scene.tab.complaints(), [""; 0]);
}
