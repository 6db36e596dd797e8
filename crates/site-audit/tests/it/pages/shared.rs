//! Shared reports in a real browser: as their owners share them, and as anybody reads them.

use super::browser::{MOST_STOPS, SAID, Scene};

#[tokio::test(flavor = "multi_thread")]
async fn a_report_is_shared_read_and_taken_back_without_scripts() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.tab.disable_scripts();
    scene.audit("/bread");
    let address = scene.address("/bread");
    let report = scene.tab.text("location.pathname");
    let shared = scene.share();
    let tab = &mut scene.tab;
    assert_eq!(tab.text("location.pathname + location.hash"), format!("{report}#share"));
    // The badge is there to be seen, and the line for a README.
    assert_eq!(tab.value("document.querySelector('#share img').naturalWidth > 50"), true);
    tab.click("#share details summary");
    assert!(tab.shown().contains(&format!("{}.svg)", shared.replacen("/r/", "/badge/", 1))), "{}", tab.shown());

    tab.visit(&shared);
    assert_eq!((tab.status(), tab.text("document.querySelector('.address').innerText")), (200, address));
    assert_eq!(tab.text("document.querySelector('link[rel=canonical]').href"), tab.text("location.href"));
    assert_eq!(tab.text("document.querySelector('.bar').ariaLabel"), format!("{SAID}, needs improvement"));
    let shown = tab.shown();
    for part in ["This is a snapshot from 31 January 2026", "Relative canonical URL", "Ready to paste", "Untitled"] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    assert_eq!(tab.value("document.querySelectorAll('form:not(.theme, .filter, [method=dialog])').length"), 0);

    tab.visit(&report);
    tab.click("#share summary");
    tab.load(|tab| tab.click("#share button.danger"));
    assert_eq!(tab.text("document.querySelector('#share button').textContent"), "Share this report");
    tab.visit(&format!("{shared}?lang=en"));
    assert_eq!(tab.status(), 404);
    tab.submit("ftp://example.com/");
    assert_eq!((tab.status(), tab.text("location.pathname")), (400, "/".to_owned()));
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_report_is_read_by_keyboard_and_printed_whole() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/bread");
    let shared = scene.share();
    let tab = &mut scene.tab;
    tab.visit(&shared);
    let mut stops = Vec::new();
    while stops.len() < MOST_STOPS {
        tab.press("Tab");
        if tab.value("document.activeElement === document.body") == true {
            break;
        }
        stops.push(tab.focus());
    }
    assert!(stops.len() < MOST_STOPS, "{stops:?}");
    for stop in ["Skip to the content", "Export", "Relative canonical URL", "Passed", "Dark"] {
        assert!(stops.iter().any(|found| found.contains(stop)), "{stop} is not among {stops:?}");
    }

    const FOLDED: &str = "[...document.querySelectorAll('details:not(.unprinted, .unprinted *, #patch ~ details, .menu)')]\
        .filter(e => !e.lastElementChild.getClientRects().length)\
        .length";
    const HIDDEN: &str =
        "['header', 'footer', 'button'].every(e => !document.querySelector(e).getClientRects().length)";
    assert_ne!(tab.value("document.querySelectorAll('details:not([open])').length"), 0);
    tab.print();
    assert_eq!((tab.value(FOLDED), tab.value(HIDDEN)), (0.into(), true.into()));
    let ways = "getComputedStyle(document.querySelector('.reference'), '::after').content";
    assert!(tab.text(ways).contains("https://"), "{}", tab.text(ways));
    // For browsers that can't open what is folded, the same as an address of its own.
    tab.load(|tab| drop(tab.value("[...document.links].find(a => a.search.includes('view=print')).click()")));
    assert_eq!(tab.value("document.querySelectorAll('details:not([open])').length"), 0);
    assert!(tab.shown().contains(&shared), "{}", tab.shown());
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_page_is_inert_where_it_is_shared() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/hostile");
    let shared = scene.share();
    let tab = &mut scene.tab;
    tab.visit(&shared);
    assert_eq!((tab.status(), tab.complaints()), (200, Vec::new()));
    assert_eq!(tab.value("window.ran === undefined"), true);
    let active = "document.querySelectorAll('script:not([type=\"application/ld+json\"], [src^=\"/assets/report.\"], [src^=\"/assets/visit.\"], [src^=\"/assets/page.\"]), style, img, iframe, object, \
        embed, base, [onerror], [onload]').length";
    assert_eq!(tab.value(active), 0);
    let data = tab.text("document.querySelector('script[type=\"application/ld+json\"]').textContent");
    let data: serde_json::Value = serde_json::from_str(&data).unwrap();
    assert_eq!(data["url"], tab.text("location.href").as_str());
    assert_eq!(tab.value("[...document.links].filter(a => !/^https?:$/.test(a.protocol)).length"), 0);
    let reversed = "(body => { body.querySelectorAll('pre').forEach(e => e.remove()); \
        return /[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.head.textContent + body.textContent) })\
        (document.body.cloneNode(true))";
    assert_eq!(tab.value(reversed), false);
}
