//! Hostile sites: a run of each ends, with so many requests and so much memory at most.

use std::sync::atomic::{AtomicUsize, Ordering};

use testkit::{SiteAnswer, TestSite};

use super::{code, codes, page, program, report, run};

/// Memory that a run takes at most, in bytes.
const MOST_MEMORY: u64 = 300 * 1024 * 1024;

/// Runs the program; the most memory that it had at one time.
fn memory_of(arguments: &[&str], folder: &std::path::Path) -> u64 {
    let mut child = program(arguments, folder).stdout(std::process::Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    tokio::task::block_in_place(|| {
        while child.try_wait().unwrap().is_none() {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
            most = peak.and_then(|text| text.trim().parse::<u64>().ok()).map_or(most, |kilobytes| kilobytes * 1024);
            std::thread::yield_now();
        }
    });
    most
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endless_calendar_ends_and_is_told() {
    let site = TestSite::start(|asked| match asked.path.split_once("?month=") {
        Some((_, month)) => {
            let month: usize = month.parse().unwrap_or_default();
            SiteAnswer::html(&page(month, &format!("<a href='/?month={}'>Next month</a>", month + 1)))
        }
        None if asked.path == "/" => SiteAnswer::html(&page(0, "<a href='/?month=1'>Calendar</a>")),
        None => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(&["site", &site.url("/"), "--max-pages", "5000"], folder.path())), 0);
    let months = site.asked().iter().filter(|request| request.path.contains("month=")).count();
    assert!((100..=110).contains(&months), "{months}");
    assert!(codes(&report(folder.path())).contains(&"crawl_trap".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_many_megabytes_and_links_keep_their_bounds() {
    let large = "<p>word</p>".repeat(2_200_000 / 11);
    let links: String = (0..50_000).map(|number| format!("<a href=/l/{number}>l</a>")).collect();
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&page(
            0,
            &(0..30).map(|number| format!("<a href=/large/{number}>Large</a>")).collect::<String>(),
        )),
        "/large/0" => SiteAnswer::html(&page(1, &links)),
        path if path.starts_with("/large/") => SiteAnswer::html(&large),
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["site", &site.url("/"), "--max-pages", "40", "--own-site", "--concurrency", "32"];
    let memory = memory_of(&arguments, folder.path());
    let report = report(folder.path());
    assert_eq!(report["limits"], serde_json::json!(["pages", "links"]));
    assert!(memory < MOST_MEMORY, "{memory}");
    assert!(site.asked().len() < 80);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maze_of_redirects_ends() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&page(0, "<a href=/maze/a/1>In</a><a href=/deeper/>Deeper</a>")),
        path if path.starts_with("/maze/") => {
            let number: usize = path.rsplit('/').next().and_then(|number| number.parse().ok()).unwrap_or_default();
            SiteAnswer::redirect(302, &format!("/maze/{}/{}", (b'a' + (number % 26) as u8) as char, number + 1))
        }
        path if path.starts_with("/deeper/") => SiteAnswer::redirect(301, &format!("{path}deeper/")),
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(&["site", &site.url("/"), "--max-pages", "5000"], folder.path())), 0);
    assert!(site.asked().len() < 400, "{}", site.asked().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn robots_txt_that_changes_during_a_run_counts_as_it_was() {
    let times = AtomicUsize::new(0);
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/robots.txt" => {
            let rule = if times.fetch_add(1, Ordering::SeqCst) == 0 { "/private" } else { "/" };
            SiteAnswer::page(200, "text/plain", &format!("User-agent: *\nDisallow: {rule}\n"))
        }
        "/" => SiteAnswer::html(&page(0, "<a href=/a>A</a><a href=/private>P</a>")),
        "/a" => SiteAnswer::html(&page(1, "")),
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(&["site", &site.url("/")], folder.path())), 0);
    let asked = |path: &str| site.asked().iter().filter(|request| request.path == path).count();
    assert_eq!((asked("/robots.txt"), asked("/a"), asked("/private")), (1, 1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_never_answers_does_not_hold_up_the_others() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&page(0, "<a href=/silent>S</a><a href=/a>A</a><a href=/b>B</a>")),
        "/silent" => SiteAnswer::Silence,
        "/a" => SiteAnswer::html(&page(1, "")),
        "/b" => SiteAnswer::html(&page(2, "")),
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(code(&run(&["site", &site.url("/")], folder.path())), 0);
    let report = report(folder.path());
    assert_eq!(report["answers"], serde_json::json!({"no_response": 1, "page": 3}));
    assert_eq!(codes(&report), ["unresponsive_pages"]);
}
