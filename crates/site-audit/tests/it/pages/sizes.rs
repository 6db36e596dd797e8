//! Bytes of what a browser loads, and what of a report is on the first screen.

use std::path::{Path, PathBuf};

use service::jobs;
use testkit::{LabServer, SiteAnswer, TestDatabase, TestSite};

use super::browser::{Scene, keep_picture};
use super::tab::Look;
use crate::api::lab::measuring;
use crate::api::people::Browser;
use crate::app::{Call, TestApp};

/// Bytes of the style sheet, as it is sent without compression.
const STYLE_BYTES: usize = 36 * 1024;
/// Bytes of all scripts together, likewise.
const SCRIPT_BYTES: usize = 16 * 1024;
/// Bytes of the page of a report with 100 findings, likewise. The page of this test has the mistakes of all bad examples, so
/// each of its findings has many places and long sources.
const REPORT_BYTES: usize = 120 * 1024;
/// Bytes of the pictures of one lab test on that page at most, as `crates/pages/src/report/lab.rs` has it.
const FILM_BYTES: usize = 3 * 1024;
/// Findings of that page at least.
const FINDINGS: usize = 80;

/// The files of an ending that pages load, each once.
fn files(pages: &str, ending: &str) -> Vec<String> {
    let mut files: Vec<&str> = pages.split('"').filter(|part| part.starts_with("/assets/")).collect();
    files.retain(|part| part.ends_with(ending));
    files.sort_unstable();
    files.dedup();
    files.into_iter().map(str::to_owned).collect()
}

/// The path of the public page of a report that a program asks for.
async fn shared(app: &TestApp, url: &str) -> String {
    let input = serde_json::json!({"url": url, "guest": true}).to_string();
    let audit = app.call(Call::new("POST", "/api/audit").body(&input)).await.json();
    let (id, token) = (audit["id"].as_str().unwrap(), audit["guest_token"].as_str().unwrap());
    let share = app.call(Call::new("POST", &format!("/api/audits/{id}/share")).token(token)).await.json();
    format!("/r/{}", share["slug"].as_str().unwrap())
}

#[tokio::test]
async fn what_pages_load_is_small() {
    let site = TestSite::start(|_| SiteAnswer::html("<title>a</title>")).await;
    let app = TestApp::start(TestDatabase::sqlite(), super::verification::altcha).await;
    let icon = app.raw(Call::get("/favicon.ico")).await;
    let icon = String::from_utf8_lossy(&icon).split("\r\n\r\n").next().unwrap_or_default().to_owned();
    assert!(icon.starts_with("HTTP/1.1 200 ") && icon.contains("content-type: image/x-icon"), "{icon}");
    let touch_icon = app.raw(Call::get("/apple-touch-icon.png")).await;
    let touch_icon_head = String::from_utf8_lossy(&touch_icon).into_owned();
    assert!(touch_icon_head.starts_with("HTTP/1.1 200 ") && touch_icon.len() < 6_000, "{touch_icon_head}");
    let mut pages = String::new();
    let report = shared(&app, &site.url("/")).await;
    for path in ["/", "/embed", "/conta/passkey", "/docs/api/audit_page", &report] {
        pages.push_str(&app.call(Call::get(path)).await.body);
    }
    let [style] = files(&pages, ".css").try_into().unwrap();
    let style = app.call(Call::get(&style)).await.body.len();
    assert!(style <= STYLE_BYTES, "{style} bytes of style");
    let mut scripts = files(&pages, ".js");
    scripts.push("/embed.js".to_owned());
    // As many as there are sources of them.
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../pages/assets");
    let sources = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(scripts.len(), sources.filter(|path| path.extension().is_some_and(|kind| kind == "js")).count());
    let mut bytes = 0;
    for script in scripts {
        bytes += app.call(Call::get(&script)).await.body.len();
    }
    assert!(bytes <= SCRIPT_BYTES, "{bytes} bytes of script");
}

/// A page with the mistakes of all bad examples of the checks.
fn worst() -> String {
    fn examples(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                examples(&path, found);
            } else if name.starts_with("bad") && name.ends_with(".html") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../audit/src/checks"), &mut found);
    found.sort();
    let (mut head, mut body) = (String::new(), String::new());
    for example in found {
        let source = std::fs::read_to_string(example).unwrap();
        let (first, second) = source.split_once("<body").unwrap_or(("", &source));
        let lines = |text: &str| {
            let kept = text.lines().filter(|line| {
                !["<!doc", "<html", "</html", "<head", "</head", "</body", " ", ">"]
                    .iter()
                    .any(|tag| line.to_ascii_lowercase().starts_with(tag))
            });
            kept.collect::<Vec<_>>().join("\n")
        };
        head.push_str(&lines(first));
        body.push_str(&lines(second));
    }
    format!("<html><head>\n{head}\n</head><body>\n{body}\n</body></html>")
}

#[tokio::test]
async fn the_page_of_a_long_report_is_small() {
    let page = worst();
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&page),
        _ => SiteAnswer::missing(),
    })
    .await;
    let app = TestApp::start(TestDatabase::sqlite(), |_| {}).await;
    let address = shared(&app, &site.url("/")).await;
    let report = app.call(Call::get(&address)).await.body;
    let (bytes, findings) = bytes_for_100(&report);
    assert!(findings >= FINDINGS, "{findings} findings");
    assert!(bytes <= REPORT_BYTES, "{bytes} bytes for 100 findings, {} for {findings}", report.len());
    // What is shown in short is a link away.
    let short = report.split("id=\"f-llms_txt_missing\"").nth(1).unwrap().split("</details>").next().unwrap();
    let rest = short.split("href=\"").nth(1).unwrap().split('"').next().unwrap().replace("&#38;", "&");
    let (query, place) = rest.split_once('#').unwrap();
    let notes = app.call(Call::get(&format!("{address}{query}"))).await.body;
    let whole = notes.split(&format!("id=\"{place}\"")).nth(1).unwrap().split("</details>").next().unwrap();
    assert!(!short.contains("<h4>") && whole.contains("<h4>Fix"), "{short}\n{whole}");
}

/// The bytes of a page as if it had 100 findings, with the number that it has.
fn bytes_for_100(page: &str) -> (usize, usize) {
    let list: Vec<&str> = page.split("<details class=\"finding ").skip(1).collect();
    let each = list.iter().map(|finding| finding.split("</details>").next().unwrap().len()).sum::<usize>() / list.len();
    (page.len() + each * 100_usize.saturating_sub(list.len()), list.len())
}

#[tokio::test]
async fn the_page_of_a_long_report_is_small_for_its_owner_too() {
    let page = worst();
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&page),
        _ => SiteAnswer::missing(),
    })
    .await;
    let server = LabServer::start().await;
    let app = TestApp::start(TestDatabase::sqlite(), measuring(&server)).await;
    let mut browser = Browser::with_cookies(&app, &[]);
    let form = "application/x-www-form-urlencoded";
    let url: String = url::form_urlencoded::byte_serialize(site.url("/").as_bytes()).collect();
    // Followed, audited twice, and tested on both devices: an owner's page has all that there is.
    let followed = browser.form("/workspace", form, &format!("url={url}")).await;
    assert_eq!(followed.status, 303, "{}", followed.body);
    let mut path = String::new();
    for _ in 0..2 {
        let audited = browser.form("/", form, &format!("url={url}")).await;
        audited.header("location").split('?').next().unwrap().clone_into(&mut path);
    }
    for strategy in ["mobile", "desktop"] {
        let begun = browser.form(&format!("{path}/lab"), form, &format!("strategy={strategy}")).await;
        assert_eq!(begun.status, 303, "{}", begun.body);
    }
    assert_eq!(jobs::work_off(&app.app).await.unwrap(), 2);
    for lang in ["en", "pt-BR"] {
        let report = browser.get(&format!("{path}?lang={lang}")).await.body;
        assert!(report.contains("class=\"frames") && report.contains("/snooze?code="), "{path}");
        let (bytes, findings) = bytes_for_100(&report);
        // The pictures of this test are smaller than a film may be.
        let bytes = bytes + 2 * FILM_BYTES;
        assert!(
            findings >= FINDINGS && bytes <= REPORT_BYTES,
            "{lang}: {bytes} bytes, {} for {findings}",
            report.len()
        );
    }
}

/// The lower end of an element in the window, in CSS pixels.
fn end_of(scene: &mut Scene, selector: &str) -> f64 {
    let box_of = format!("document.querySelector('{selector}').getBoundingClientRect().bottom");
    scene.tab.value(&box_of).as_f64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_is_on_the_first_screen() {
    let Some(mut scene) = Scene::open(|_| {}).await else { return };
    scene.audit("/bread");
    let report = scene.tab.text("location.pathname");
    let shared = scene.share();
    let mut late = Vec::new();
    for (path, lang) in [(&report, "en"), (&report, "pt-BR"), (&shared, "en"), (&shared, "pt-BR")] {
        scene.tab.visit(&format!("{path}?lang={lang}"));
        // A desk sees the first fix whole, a phone that there are fixes.
        for (width, height, last) in [(1280, 800.0, ".first > .fix"), (390, 844.0, "#first")] {
            scene.tab.look(Look { scheme: "light", width });
            keep_picture(&mut scene.tab, &format!("first-{lang}-{width}"));
            for part in [".address", "h1", ".score .big", ".score .counts", last] {
                let end = end_of(&mut scene, part);
                if end > height {
                    late.push(format!("{path} {lang} {width}: {part} ends at {end}"));
                }
            }
        }
    }
    assert!(late.is_empty(), "{}", late.join("\n"));
}
