//! `site-audit site` from outside: a site with planted defects, kills in the middle of a run, and a run after a run.
#![expect(
    clippy::disallowed_methods,
    reason = "tests are the clock, the network and the environment of what they test"
)]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod hostile;
mod made;
mod outcomes;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use testkit::{ReceivedRequest, SiteAnswer, TestSite};

fn program(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_site-audit"));
    command.args(arguments).arg("--out").arg(folder).arg("--allow-private");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn run(arguments: &[&str], folder: &Path) -> Output {
    tokio::task::block_in_place(|| program(arguments, folder).output().unwrap())
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn report(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("report.json")).unwrap()).unwrap()
}

/// The report without the time of its run.
fn timeless(folder: &Path) -> Value {
    let mut report = report(folder);
    let began = report.as_object_mut().unwrap().remove("startedAt").unwrap();
    assert!(began.is_string());
    report
}

fn codes(report: &Value) -> Vec<String> {
    let mut codes: Vec<String> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["code"].as_str().unwrap().to_owned())
        .collect();
    codes.sort();
    codes
}

/// A page of a template, with words of its own.
fn page(number: usize, links: &str) -> String {
    let words: String = (0..40).map(|word| format!("word{} ", number * 977 + word * 13)).collect();
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Page {number}</title><meta name=description content='All about page {number}.'></head><body><main class=product><h1>Page {number}</h1><p>{words}</p></main>{links}</body></html>"
    )
}

fn tagged(status: u16, body: &str, tag: &str) -> SiteAnswer {
    SiteAnswer::Raw(
        format!(
            "HTTP/1.1 {status} X\r\ncontent-type: text/html; charset=utf-8\r\netag: {tag}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        )
        .into_bytes(),
    )
}

/// `count` pages, each of which links the next three; page 7 has another text where `changed`.
async fn healthy(count: usize, changed: bool) -> TestSite {
    TestSite::start(move |asked| healthy_answer(asked, count, changed)).await
}

fn healthy_answer(asked: &ReceivedRequest, count: usize, changed: bool) -> SiteAnswer {
    let number = match asked.path.as_str() {
        "/" => 0,
        path => match path.strip_prefix("/p/").and_then(|number| number.parse::<usize>().ok()) {
            Some(number) if number > 0 && number < count => number,
            _ => return SiteAnswer::missing(),
        },
    };
    let links: String = (1..=3)
        .map(|step| number * 3 + step)
        .filter(|to| *to < count)
        .map(|to| format!("<a href='/p/{to}'>To page {to}</a> "))
        .collect();
    let seed = if changed && number == 7 { 5_000 } else { number };
    let body = page(seed, &links);
    let tag = format!("\"{seed}\"");
    if asked.head.contains(&format!("if-none-match: {tag}")) {
        return tagged(304, "", &tag);
    }
    tagged(200, &body, &tag)
}

fn asked_pages(site: &TestSite) -> BTreeMap<String, usize> {
    let mut asked = BTreeMap::new();
    for request in site.asked().into_iter().filter(|request| request.path == "/" || request.path.starts_with("/p/")) {
        *asked.entry(request.path).or_default() += 1;
    }
    asked
}

#[tokio::test(flavor = "multi_thread")]
async fn planted_defects_are_found_and_nothing_else() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&page(
            0,
            "<a href=/a>A</a><a href=/gone>Gone</a><a href=/old>Old</a><a href=/private/x>Private</a><a href='/cal?m=0'>Calendar</a><a href=/c1>Copy</a><a href=/c2>Copy</a><a href=/busy>Busy</a><img src=/none.png alt='A loaf'>",
        )),
        "/a" => SiteAnswer::html(&page(1, "<a href=/b rel=nofollow>B</a>")),
        "/b" => SiteAnswer::html(&page(2, "")),
        "/c1" | "/c2" => SiteAnswer::html(&page(3, "")),
        "/old" => SiteAnswer::redirect(301, "/a"),
        "/orphan" => SiteAnswer::html(&page(4, "")),
        "/fails" => SiteAnswer::page(500, "text/plain", "no"),
        "/busy" if asked.head.contains("/busy") => SiteAnswer::html(&page(5, "")),
        "/robots.txt" => {
            let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().trim().to_owned();
            SiteAnswer::page(200, "text/plain", &format!("User-agent: *\nDisallow: /private\nSitemap: http://{host}/map.xml\n"))
        }
        "/map.xml" => {
            let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().trim().to_owned();
            let urls: String = ["/", "/a", "/b", "/c1", "/c2", "/busy", "/orphan", "/fails", "/lost"]
                .map(|path| format!("<url><loc>http://{host}{path}</loc></url>"))
                .concat();
            SiteAnswer::page(200, "application/xml", &format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">{urls}</urlset>"))
        }
        path if path.starts_with("/cal?m=") => {
            let month: usize = path.split('=').nth(1).unwrap().parse().unwrap();
            SiteAnswer::html(&page(1_000 + month, &format!("<a href='/cal?m={}'>Next month</a>", month + 1)).replace("<head>", "<head><meta name=robots content=noindex>"))
        }
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let output = run(&["site", &site.url("/"), "--images", "--fail-on", "error"], folder.path());
    assert_eq!(code(&output), 1, "{}", String::from_utf8_lossy(&output.stderr));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("--fail-on error") && stderr.contains("broken_internal_link"), "{stderr}");
    let report = report(folder.path());
    assert_eq!(report["complete"], true, "a calendar ends before the limit on clicks");
    let expected = [
        "broken_image",
        "broken_internal_link",
        "crawl_trap",
        "duplicate_content",
        "internal_link_redirects",
        "nofollow_only_page",
        "orphan_page",
        "server_error_pages",
        "sitemap_lists_broken",
    ];
    assert_eq!(codes(&report), expected, "{report:#}");
    let asked = site.asked();
    assert!(asked.iter().all(|request| !request.path.starts_with("/private")), "robots.txt is obeyed");
    assert_eq!(asked.iter().filter(|request| request.path.starts_with("/cal")).count(), 101, "a calendar ends");
    for path in ["/", "/a", "/b", "/gone", "/old", "/orphan", "/robots.txt", "/map.xml"] {
        assert_eq!(asked.iter().filter(|request| request.path == path).count(), 1, "{path} is asked once");
    }
    for name in ["report.html", "pages.jsonl", "site.sarif", "pages.csv", "links.csv", "findings.csv", "templates.csv"]
    {
        assert!(std::fs::metadata(folder.path().join(name)).unwrap().len() > 0, "{name}");
    }
    let html = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(html.contains("--fail-on error") && !report["failedBars"][0].as_str().unwrap().is_empty());
    assert!(report["pageFindings"][0]["title"].is_string() && report["pageFindings"][0]["fix"].is_string());
    let table = std::fs::read_to_string(folder.path().join("pages.csv")).unwrap();
    assert!(
        table.lines().skip(1).all(|line| line.contains(",blocked,") || line.split(',').nth(2) != Some("")),
        "{table}"
    );
    assert!(!html.contains("<script") && html.contains("<svg") && html.contains("name=\"viewport\""));
    let sarif: Value = serde_json::from_slice(&std::fs::read(folder.path().join("site.sarif")).unwrap()).unwrap();
    assert!(sarif["runs"][0]["results"].as_array().unwrap().len() >= expected.len());
    let lines = std::fs::read_to_string(folder.path().join("pages.jsonl")).unwrap();
    assert!(lines.lines().all(|line| serde_json::from_str::<Value>(line).unwrap()["url"].is_string()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_killed_ends_as_one_that_was_not() {
    const PAGES: usize = 150;
    let kills: usize =
        std::env::var("SITE_AUDIT_TEST_SITE_KILLS").ok().and_then(|text| text.parse().ok()).unwrap_or(10);
    let site = healthy(PAGES, false).await;
    let (whole, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(code(&run(&["site", &site.url("/")], whole.path())), 0);
    assert_eq!(asked_pages(&site).len(), PAGES);
    assert!(asked_pages(&site).values().all(|count| *count == 1));
    let mut resumed = 0;
    for kill in 0..kills {
        let begins_again = !killed.path().join("run.db").exists();
        let url = site.url("/");
        let arguments: &[&str] = if begins_again { &["site", &url] } else { &["site", &url, "--resume"] };
        let before = site.asked().len();
        let mut child = program(arguments, killed.path()).spawn().unwrap();
        // Killed at another place each time: after so many requests more.
        tokio::task::block_in_place(|| {
            while site.asked().len() < before + 12 + kill * 7 % 40 && child.try_wait().unwrap().is_none() {
                std::thread::yield_now();
            }
        });
        child.kill().unwrap();
        child.wait().unwrap();
        resumed += usize::from(!begins_again);
        if report_exists(killed.path()) {
            std::fs::remove_dir_all(killed.path()).unwrap();
            std::fs::create_dir(killed.path()).unwrap();
        }
    }
    assert!(resumed + 1 >= kills.min(2));
    let url = site.url("/");
    let arguments: &[&str] =
        if killed.path().join("run.db").exists() { &["site", &url, "--resume"] } else { &["site", &url] };
    let output = run(arguments, killed.path());
    assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(timeless(whole.path()), timeless(killed.path()));
    let rows = |folder: &Path| std::fs::read_to_string(folder.join("pages.csv")).unwrap();
    assert_eq!(rows(whole.path()), rows(killed.path()));
    assert_eq!(rows(killed.path()).lines().count(), PAGES + 1, "each page once");
}

fn report_exists(folder: &Path) -> bool {
    folder.join("report.json").exists()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_asks_for_what_changed_and_tells_what_broke() {
    let site = healthy(30, false).await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(&["site", &site.url("/")], folder.path())), 0);
    let first = timeless(folder.path());
    assert_eq!(code(&run(&["site", &site.url("/")], folder.path())), 0);
    let conditional = site
        .asked()
        .iter()
        .filter(|request| request.path.starts_with("/p/") && request.head.contains("if-none-match"))
        .count();
    assert_eq!(conditional, 29, "the first page is asked with its files");
    assert_eq!(first, timeless(folder.path()));
    let output = run(
        &["site", &site.url("/"), "--baseline", folder.path().to_str().unwrap(), "--fail-on", "warn"],
        tempfile::tempdir().unwrap().path(),
    );
    assert_eq!(code(&output), 0);
    assert!(String::from_utf8_lossy(&output.stdout).contains("No new findings, and none fixed."));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_be_done_is_told() {
    let site = healthy(3, false).await;
    let (url, folder) = (site.url("/"), tempfile::tempdir().unwrap());
    for (arguments, told) in [
        (vec!["site", &url, "--resume"], "no run to resume"),
        (vec!["site", &url, "--respect-robots=false"], "--own-site"),
        (vec!["site", &url, "--concurrency", "20"], "--own-site"),
        (vec!["site", &url, "--include", "("], "--include or --exclude"),
        (vec!["site", &url, "--rate", "0"], "--rate"),
        (vec!["site", "ftp://example.com/"], "http"),
        (vec!["site", &url, "--baseline", "/nowhere/at/all"], "no finished run in /nowhere/at/all"),
    ] {
        let output = run(&arguments, folder.path());
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(code(&output), 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(told), "{arguments:?}: {stderr}");
        drop(std::fs::remove_file(folder.path().join("run.db")));
    }
}
