//! The tab itself: it notices what a page may not do.

use testkit::{SiteAnswer, TestSite};

use super::super::tab::{Tab, has_axe};

/// What is noticed here, no other test of this file would pass over.
#[tokio::test(flavor = "multi_thread")]
async fn the_tab_notices_what_a_page_may_not_do() {
    let page = "<!DOCTYPE html><title>t</title>\
                <meta http-equiv=content-security-policy content=\"style-src 'none'\"><style>p {}</style>\
                <img src=http://elsewhere.example/><img src=/missing><font color=#999999>pale</font>\
                <table width=3000><td>wide</table><script>alert(1); console.log(2); throw 3</script>";
    let site = TestSite::start_at([127, 0, 0, 1].into(), move |asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(page),
        _ => SiteAnswer::missing(),
    })
    .await;
    let Some(mut tab) = Tab::open(site.url("").as_str()) else { return };
    tab.visit("/");
    let complaints = tab.complaints().join("\n");
    for kind in [
        "Page.javascriptDialogOpening",
        "Runtime.consoleAPICalled",
        "Runtime.exceptionThrown",
        "Content Security Policy",
        "http://elsewhere.example/",
        "/missing",
    ] {
        assert!(complaints.contains(kind), "{kind} is not in {complaints}");
    }
    assert!(tab.overflows().iter().any(|found| found.ends_with("TABLE.: wide")), "{:?}", tab.overflows());
    if has_axe() {
        let barriers = tab.barriers().join("\n");
        for rule in ["color-contrast", "image-alt", "html-has-lang"] {
            assert!(barriers.contains(rule), "{rule} is not in {barriers}");
        }
    }
}
