//! What a run refuses, leaves alone, compares and tells.

use std::path::Path;

use serde_json::Value;
use testkit::{SiteAnswer, TestSite};

use super::{code, codes, healthy, healthy_answer, page, report, run};

/// A run that says what came of it: exit code and standard error.
fn outcome(arguments: &[&str], folder: &Path) -> (i32, String) {
    let output = run(arguments, folder);
    (code(&output), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn what_can_not_begin_leaves_the_run_before_alone() {
    let site = healthy(5, false).await;
    let folder = tempfile::tempdir().unwrap();
    let url = site.url("/");
    assert_eq!(outcome(&["site", &url], folder.path()).0, 0);
    let names = || {
        let mut names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let other = site.url("/p/1");
    for (arguments, told) in [
        (vec!["site", &url, "--include", "("], "--include or --exclude"),
        (vec!["site", &url, "--rate", "0"], "--rate"),
        (vec!["site", &other], "holds a run of"),
        (vec!["site", &other, "--resume"], "holds a run of"),
        (vec!["site", &url, "--baseline", "/nowhere"], "no finished run"),
    ] {
        let (code, stderr) = outcome(&arguments, folder.path());
        assert_eq!(code, 2, "{arguments:?}: {stderr}");
        assert!(stderr.contains(told), "{arguments:?}: {stderr}");
        assert_eq!(names(), before, "{arguments:?}");
    }
    let asked = site.asked().len();
    assert_eq!(outcome(&["site", &url, "--resume"], folder.path()).0, 0, "the finished run is still there");
    assert!(site.asked().iter().skip(asked).all(|request| !request.path.starts_with("/p/")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_without_an_audited_page_fails_the_build() {
    let missing = TestSite::start(|_| SiteAnswer::missing()).await;
    let closed = TestSite::start(|asked| match asked.path.as_str() {
        "/robots.txt" => SiteAnswer::page(200, "text/plain", "User-agent: *\nDisallow: /\n"),
        _ => SiteAnswer::html(&page(1, "")),
    })
    .await;
    for (site, told) in [(missing, "answered 404"), (closed, "robots.txt blocks")] {
        let folder = tempfile::tempdir().unwrap();
        let (code, stderr) = outcome(&["site", &site.url("/"), "--quiet"], folder.path());
        assert_eq!(code, 2, "{stderr}");
        assert!(stderr.contains(told), "{stderr}");
        let sarif: Value = serde_json::from_slice(&std::fs::read(folder.path().join("site.sarif")).unwrap()).unwrap();
        assert_eq!(sarif["runs"][0]["invocations"][0]["executionSuccessful"], false);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_with_too_many_links_makes_no_orphans() {
    let links = "<a href=/a>A</a>".repeat(5_001) + "<a href=/b>B</a>";
    let site = TestSite::start(move |asked| {
        let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().trim().to_owned();
        match asked.path.as_str() {
            "/" => SiteAnswer::html(&page(0, &links)),
            "/a" => SiteAnswer::html(&page(1, "")),
            "/b" => SiteAnswer::html(&page(2, "")),
            "/robots.txt" => SiteAnswer::page(200, "text/plain", &format!("User-agent: *\nSitemap: http://{host}/map.xml\n")),
            "/map.xml" => SiteAnswer::page(200, "application/xml", &format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?><urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><url><loc>http://{host}/b</loc></url></urlset>")),
            _ => SiteAnswer::missing(),
        }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(outcome(&["site", &site.url("/")], folder.path()).0, 0);
    let report = report(folder.path());
    assert_eq!(report["limits"], serde_json::json!(["links"]));
    assert_eq!(report["notMeasured"]["orphan_page"], "limit");
    assert_eq!(report["passed"], serde_json::json!([]), "what was left out may be broken");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_baseline_in_the_same_folder_tells_what_broke() {
    let is_later = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let later = std::sync::Arc::clone(&is_later);
    let site = TestSite::start(move |asked| {
        let is_gone = later.load(std::sync::atomic::Ordering::SeqCst) && asked.path == "/p/1";
        if is_gone { SiteAnswer::missing() } else { healthy_answer(asked, 4, false) }
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let (url, own) = (site.url("/"), folder.path().to_str().unwrap());
    assert_eq!(outcome(&["site", &url], folder.path()).0, 0);
    is_later.store(true, std::sync::atomic::Ordering::SeqCst);
    let arguments = ["site", &url, "--baseline", own, "--fail-on", "error", "--quiet"];
    let (code, stderr) = outcome(&arguments, folder.path());
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("--fail-on error") && stderr.contains("broken_internal_link"), "{stderr}");
    let report = report(folder.path());
    assert_eq!(report["changes"]["broke"][0]["title"], "Broken internal links");
    let fixed = report["changes"]["fixed"].as_array().unwrap();
    assert!(fixed.iter().all(|change| !change["url"].as_str().unwrap().ends_with("/p/1")), "{fixed:?}");
    assert!(std::fs::read_to_string(folder.path().join("report.html")).unwrap().contains("Changes since the baseline"));
    let elsewhere = healthy(3, false).await;
    let asked = elsewhere.asked().len();
    let new = tempfile::tempdir().unwrap();
    let (code, stderr) = outcome(&["site", &elsewhere.url("/"), "--baseline", own], new.path());
    assert_eq!(code, 2);
    assert!(stderr.contains("is of another site"), "{stderr}");
    assert_eq!(elsewhere.asked().len(), asked, "refused before the crawl");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sitemap_that_is_not_there_is_told_and_proves_nothing() {
    let site = healthy(5, false).await;
    let folder = tempfile::tempdir().unwrap();
    let named = site.url("/none.xml");
    assert_eq!(outcome(&["site", &site.url("/"), "--sitemap", &named], folder.path()).0, 0);
    let report = report(folder.path());
    assert_eq!(report["notMeasured"]["sitemap_page_missing"], "sitemap", "{report:#}");
    assert_eq!(report["unreadSitemaps"], serde_json::json!([named]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finished_run_read_in_another_language_keeps_what_was_asked() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&page(0, "<img src=/none.png alt='A loaf'>")),
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(outcome(&["site", &site.url("/"), "--images"], folder.path()).0, 0);
    assert_eq!(codes(&report(folder.path())), ["broken_image"]);
    assert_eq!(outcome(&["site", &site.url("/"), "--resume", "--lang", "pt-BR"], folder.path()).0, 0);
    let report = report(folder.path());
    assert_eq!(codes(&report), ["broken_image"]);
    assert_eq!(report["findings"][0]["title"], "Imagens quebradas");
}
