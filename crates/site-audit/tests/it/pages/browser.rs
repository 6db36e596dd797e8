//! Pages in a real browser, as persons use them.

mod checks;

use std::path::PathBuf;

use service::config::Config;
use testkit::{SiteAnswer, TestDatabase, TestSite};

use super::tab::{Look, Tab, has_axe};
use crate::app::TestApp;

/// Every theme with a wide and a narrow window; 320 pixels are a window of 1,280 at 400 % (WCAG 2.2, 1.4.10).
pub(super) const LOOKS: [Look; 4] = [
    Look { scheme: "light", width: 1280 },
    Look { scheme: "light", width: 320 },
    Look { scheme: "dark", width: 1280 },
    Look { scheme: "dark", width: 320 },
];
/// The same, and a phone.
pub(super) const WITH_PHONES: [Look; 6] = {
    let [a, b, c, d] = LOOKS;
    [a, b, c, d, Look { scheme: "light", width: 390 }, Look { scheme: "dark", width: 390 }]
};
/// Folder for a picture of every page in every look.
const PICTURES: &str = "SITE_AUDIT_PICTURES";
/// Folder for the picture at the top of the README.
const README_PICTURES: &str = "SITE_AUDIT_README_PICTURES";
/// The README's picture is at most so many bytes.
const README_PICTURE_BYTES: usize = 200 * 1024;
/// Height of the README's picture in pixels.
const README_PICTURE_HEIGHT: u32 = 946;
/// More stops than this on the way through a page are a circle.
pub(super) const MOST_STOPS: usize = 200;
/// The name that the target has for the service.
const HOST: &str = "bakery.example";

/// What is said of [`BREAD`].
pub(super) const SAID: &str = "Score 58 of 100";

/// A page that does many things wrong.
const BREAD: &str = "<!DOCTYPE html>
<html lang=\"en\">
<head>
<meta charset=\"utf-8\">
<title>Untitled</title>
<link rel=\"canonical\" href=\"/bread\">
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">
</head>
<body>
<h1>How to bake bread at home</h1>
<h3>What you need</h3>
<p>Flour, water, salt and a night of patience. <a href=\"/flour\"><img src=\"flour.jpg\" width=\"80\" height=\"60\"></a></p>
</body>
</html>";

/// A page that means harm to whoever reads its report: markup, script addresses, reversed text, words without end.
fn hostile() -> SiteAnswer {
    let markup =
        "&lt;/title&gt;&lt;script&gt;window.ran = 1; alert(1)&lt;/script&gt;\"&gt;&lt;img src=x onerror=alert(1)&gt;";
    let word = "x".repeat(4096);
    let body = format!(
        "<!DOCTYPE html><html lang=en><head><meta charset=utf-8><title>{markup}</title>\
         <meta name=description content='\u{202e}{markup}{word}'><meta name=robots content='{word}'>\
         <link rel=canonical href='javascript:alert(1)'><link rel=icon href='javascript:alert(2)'>\
         <meta property=og:title content='{markup}'><meta property=og:image content='javascript:alert(3)'>\
         <script type=application/ld+json>{{\"@type\": \"<svg/onload=alert(4)>\\u202e{word}\"}}</script>\
         <h1>a\u{202e}b {markup}</h1><h1>{word}</h1><h4>{word}</h4><a href='javascript:alert(5)'></a>\
         <img src='{word}'><a href='https://elsewhere.example/{word}'></a>"
    );
    let head = format!("content-type: text/html\r\nx-word: {word}\r\nx-markup: <script>alert(6)</script>");
    SiteAnswer::Raw(
        format!("HTTP/1.1 200 OK\r\n{head}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
            .into_bytes(),
    )
}

/// The service and its target, with a tab; `None` where there is no browser.
pub(super) struct Scene {
    site: TestSite,
    /// The service.
    pub(super) app: TestApp,
    pub(super) tab: Tab,
}

impl Scene {
    pub(super) async fn open(change: impl FnOnce(&mut Config)) -> Option<Self> {
        Self::open_with(BREAD, change).await
    }

    /// The same, with a page of one's own at `/page`.
    pub(super) async fn open_with(page: &'static str, change: impl FnOnce(&mut Config)) -> Option<Self> {
        let site = TestSite::start(move |asked| match asked.path.as_str() {
            "/page" => SiteAnswer::html(page),
            "/bread" => SiteAnswer::html(BREAD),
            "/hostile" => hostile(),
            _ => SiteAnswer::missing(),
        })
        .await;
        let app = TestApp::start(TestDatabase::sqlite(), |config| {
            config.fetch.resolve = vec![serde_json::from_value(format!("{HOST}=127.0.0.2").into()).unwrap()];
            change(config);
        })
        .await;
        let tab = Tab::open(&app.url(""))?;
        Some(Self { site, app, tab })
    }

    /// The address of a page of the target.
    pub(super) fn address(&self, path: &str) -> String {
        format!("http://{HOST}:{}{path}", self.site.address().port())
    }

    /// Shares the report that is shown; the path of the page that anybody may read.
    pub(super) fn share(&mut self) -> String {
        self.tab.click("#share summary");
        self.tab.load(|tab| tab.click("#share button"));
        self.tab.text("new URL(document.querySelector('#share a').href).pathname")
    }

    /// Audits a page of the target from the first page.
    pub(super) fn audit(&mut self, path: &str) {
        self.tab.visit("/");
        let address = self.address(path);
        self.tab.submit(&address);
    }
}

/// Two free audits, then payment.
pub(super) fn paid(config: &mut Config) {
    config.payments.pay_to = Some(format!("0x{}", "1".repeat(40)));
    config.limits.free_audits_per_day = 2;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_leads_to_the_report_without_scripts() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.tab.disable_scripts();
    scene.audit("/bread");
    let address = scene.address("/bread");
    let tab = &mut scene.tab;
    assert_eq!((tab.status(), tab.text("document.querySelector('.address').innerText")), (200, address.clone()));
    assert_eq!(tab.text("document.querySelector('.bar').ariaLabel"), format!("{SAID}, needs improvement"));
    let typefaces = "document.fonts.ready.then(all => [...all].map(one => one.family + ' ' + one.status).join())";
    assert_eq!(tab.text(typefaces), "Display loaded,Text loaded");
    tab.click("#patch ~ details summary");
    let shown = tab.shown();
    for part in [
        "1 error\n",
        "3 warnings\n",
        // A finding with its evidence, its reason and its fix.
        "Placeholder title",
        "The title “Untitled” is a default text or an unfilled template.",
        "search engines replace it with other text.",
        "Ready to paste",
        "Before:\nUntitled\nAfter:\nHow to bake bread at home",
        // All fixes of the head together, and the summary.
        "<meta name=\"twitter:card\" content=\"summary\">",
        "Title\tUntitled",
        "h1\tHow to bake bread at home",
    ] {
        assert!(shown.contains(part), "{part} is not in {shown}");
    }
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_keyboard_is_enough() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    let address = scene.address("/bread");
    let tab = &mut scene.tab;
    tab.visit("/");
    tab.press("Tab");
    assert_eq!(tab.focus(), "Skip to the content");
    tab.press("Enter");
    tab.press("Tab");
    assert_eq!(tab.text("document.activeElement.id"), "url");
    tab.write(&address);
    tab.load(|tab| tab.press("Enter"));
    assert_eq!(tab.text("document.querySelector('.address').innerText"), address);
    let mut stops = Vec::new();
    while stops.len() < MOST_STOPS {
        tab.press("Tab");
        if tab.value("document.activeElement === document.body") == true {
            break;
        }
        stops.push(tab.focus());
    }
    assert!(stops.len() < MOST_STOPS, "{stops:?}");
    for stop in ["Site Audit", "Export", "Relative canonical URL", "No llms.txt", "About our crawler"] {
        assert!(stops.iter().any(|found| found.contains(stop)), "{stop} is not among {stops:?}");
    }
    tab.value("document.querySelector('#f-llms_txt_missing summary').focus()");
    for open in [true, false] {
        tab.press(if open { "Enter" } else { " " });
        assert_eq!(tab.value("document.querySelector('#f-llms_txt_missing').open"), open);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_has_a_barrier_in_any_look() {
    if !has_axe() {
        return;
    }
    let Some(mut scene) = Scene::open(paid).await else { return };
    let mut found = Vec::new();
    let (mut reports, mut shared) = (Vec::new(), Vec::new());
    for path in ["/bread", "/hostile"] {
        scene.audit(path);
        reports.push(scene.tab.text("location.pathname"));
        shared.push(scene.share());
    }
    let unpaid = scene.address("/bread");
    let first = format!("{}?tool=canonical", reports[0]);
    for lang in ["en", "pt-BR"] {
        for (name, path, typed) in [
            ("home", "/", None),
            ("bot", "/bot", None),
            ("report", reports[0].as_str(), None),
            ("hostile", reports[1].as_str(), None),
            ("shared", shared[0].as_str(), None),
            ("shared-hostile", shared[1].as_str(), None),
            ("gone", "/r/aaaaaaaaaaaaaaaaaaaa", None),
            ("widget", "/embed?brand=Ann+%26+Co&color=%23c2410c", None),
            ("checks", "/checks", None),
            ("found", "/checks?q=canonical&category=canonical", None),
            ("found-nothing", "/tools?q=weather", None),
            ("check", "/checks/http_status_client_error", None),
            ("tools", "/tools", None),
            ("tool", "/tools/hreflang", None),
            ("unknown", "/checks/titel_missing", None),
            ("first", first.as_str(), None),
            ("missing", "/nothing", None),
            ("refused", "/", Some("ftp://example.com/")),
            ("unpaid", "/", Some(unpaid.as_str())),
        ] {
            let tab = &mut scene.tab;
            let mark = if path.contains('?') { '&' } else { '?' };
            tab.visit(&format!("{path}{mark}lang={lang}"));
            if let Some(typed) = typed {
                tab.submit(typed);
            }
            assert_eq!(tab.text("document.documentElement.lang"), lang);
            // An open menu lies over what follows; here it takes its own room.
            tab.value(
                "document.querySelectorAll('details').forEach(e => { e.open = true; \
                    if (e.matches('.menu')) for (const part of e.children) part.style.position = 'static'; })",
            );
            for look in LOOKS {
                tab.look(look);
                let name = format!("{name}-{lang}-{}-{}", look.scheme, look.width);
                let problems = tab.barriers().into_iter().chain(tab.overflows()).chain(tab.complaints());
                found.extend(problems.map(|problem| format!("{name}: {problem}")));
                keep_picture(tab, &name);
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hostile_page_is_inert_in_its_report() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/hostile");
    let tab = &mut scene.tab;
    assert_eq!(tab.status(), 200);
    assert!(tab.shown().contains("alert(1)"));
    assert_eq!(tab.complaints(), [""; 0]);
    assert_eq!(tab.value("window.ran === undefined"), true);
    let active = "document.querySelectorAll('script:not([src^=\"/assets/report.\"]):not([src^=\"/assets/visit.\"]):not([src^=\"/assets/page.\"]), style, img, iframe, object, embed, base, \
         [onerror], [onload]').length";
    assert_eq!(tab.value(active), 0);
    // The only ways out are references of ours, and they give nothing away.
    let ways_out = "[...document.links].filter(a => a.origin !== location.origin)";
    assert!(tab.value(&format!("{ways_out}.length")).as_u64() > Some(0));
    assert_eq!(tab.value(&format!("{ways_out}.filter(a => a.protocol !== 'https:').length")), 0);
    assert_eq!(tab.value(&format!("{ways_out}.filter(a => a.rel !== 'nofollow ugc noopener noreferrer').length")), 0);
    // Reversing characters are shown, not obeyed; only what is for pasting keeps them.
    let reversed = "(body => { body.querySelectorAll('pre').forEach(e => e.remove()); \
                    return /[\\u202a-\\u202e\\u2066-\\u2069]/.test(body.textContent) })(document.body.cloneNode(true))";
    assert_eq!(tab.value(reversed), false);
    assert!(tab.shown().contains("a\\u{202e}b"), "{}", tab.shown());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_says_what_to_do() {
    let Some(mut scene) = Scene::open(paid).await else { return };
    let address = scene.address("/bread");
    let tab = &mut scene.tab;
    for path in ["/nothing", "/reports/nothing", "/bot/x"] {
        tab.visit(path);
        assert_eq!(tab.status(), 404, "{path}");
        tab.load(|tab| tab.click("main a"));
        assert_eq!((tab.status(), tab.text("location.pathname")), (200, "/".to_owned()));
    }
    for (typed, status, words) in [
        ("ftp://example.com/", 400, "http:// or https://"),
        ("http://10.0.0.1/", 400, "on the public internet"),
        ("http://127.0.0.2:1/", 502, "refused the connection"),
    ] {
        tab.visit("/");
        tab.submit(typed);
        assert_eq!(tab.status(), status, "{typed}");
        // What was typed is there to be corrected, and the reason is told with it.
        assert_eq!(tab.text("document.activeElement.value"), typed);
        assert_eq!(tab.text("document.activeElement.getAttribute('aria-describedby')"), "problem hint");
        let problem = tab.text("document.getElementById('problem').innerText");
        assert!(problem.contains(words), "{problem}");
        assert!(tab.text("document.title").starts_with("Error: "), "{typed}");
    }
    for _ in 0..2 {
        tab.visit("/");
        tab.submit(&address);
        assert_eq!(tab.status(), 200);
    }
    tab.visit("/");
    tab.submit(&address);
    assert_eq!(tab.status(), 402);
    let shown = tab.text("document.querySelector('[role=alert]').innerText");
    assert!(shown.contains("0.02 USD") && shown.contains("tomorrow"), "{shown}");
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_theme_is_chosen_without_scripts_and_stays() {
    const BACKGROUND: &str = "getComputedStyle(document.body).backgroundColor";
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    let tab = &mut scene.tab;
    tab.disable_scripts();
    for (theme, background) in
        [("dark", "rgb(14, 16, 34)"), ("light", "rgb(255, 255, 255)"), ("system", "rgb(255, 255, 255)")]
    {
        // A page that may be kept, and is asked for again in its new look.
        tab.visit("/tools");
        tab.load(|tab| tab.click(&format!("button[value={theme}]")));
        assert_eq!((tab.text("location.pathname").as_str(), tab.text(BACKGROUND).as_str()), ("/tools", background));
        tab.visit("/checks");
        assert_eq!(tab.text(BACKGROUND), background, "{theme}");
        assert_eq!(tab.text("document.querySelector('[aria-pressed=true]').value"), theme);
    }
    assert_eq!(tab.complaints(), [""; 0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn header_text_and_footer_begin_at_one_edge_beside_a_scrollbar() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/bread");
    let report = scene.tab.text("location.pathname");
    let tab = &mut scene.tab;
    for path in ["/", "/tools", &report] {
        for width in [390, 1280] {
            tab.visit(&format!("{path}?lang=en"));
            tab.look(Look { scheme: "light", width });
            // Room as of a classic scrollbar, which this browser has none of.
            tab.value("document.documentElement.style.paddingRight = '16px'");
            let edges = tab.value(
                "['header.site .brand', 'main h1', 'footer.site .brand'].map(part => \
                    Math.round(document.querySelector(part).getBoundingClientRect().left))",
            );
            let edges: Vec<i64> = edges.as_array().unwrap().iter().map(|edge| edge.as_i64().unwrap()).collect();
            assert!(edges.iter().all(|edge| *edge == edges[0]), "{path} {width}: {edges:?}");
        }
    }
}

/// Keeps a picture of the page that is shown, where a folder for them is named.
pub(super) fn keep_picture(tab: &mut Tab, name: &str) {
    let Some(folder) = std::env::var_os(PICTURES).map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.png")), tab.picture(None)).unwrap();
}

/// What is wrong with the page that is shown in each of the looks, of which a picture is kept. Without axe only what does not fit and
/// what the tab noticed.
pub(super) fn problems(tab: &mut Tab, name: &str, looks: &[Look]) -> Vec<String> {
    let mut found = Vec::new();
    for look in looks {
        tab.look(*look);
        let name = format!("{name}-{}-{}", look.scheme, look.width);
        let barriers = if has_axe() { tab.barriers() } else { Vec::new() };
        let problems = barriers.into_iter().chain(tab.overflows()).chain(tab.complaints());
        found.extend(problems.map(|problem| format!("{name}: {problem}")));
        keep_picture(tab, &name);
    }
    tab.look(LOOKS[0]);
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn the_picture_of_the_readme_is_small() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/bread");
    scene.tab.look(Look { scheme: "light", width: 1000 });
    let picture = scene.tab.picture(Some(README_PICTURE_HEIGHT));
    assert!(picture.len() <= README_PICTURE_BYTES, "{} bytes", picture.len());
    if let Some(folder) = std::env::var_os(README_PICTURES).map(PathBuf::from) {
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("report.png"), picture).unwrap();
    }
}
