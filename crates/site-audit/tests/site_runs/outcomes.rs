//! What a run refuses, leaves alone, compares and tells.

use std::path::Path;

use parquet::file::reader::{FileReader as _, SerializedFileReader};
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
async fn two_runs_do_not_write_one_folder() {
    let site = healthy(3, false).await;
    let folder = tempfile::tempdir().unwrap();
    let held = store::SiteRunFile::open(&folder.path().join("run.db")).await.unwrap();
    let (code, stderr) = outcome(&["site", &site.url("/"), "--lang", "pt-BR"], folder.path());
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("Outra auditoria está gravando nesta pasta."), "{stderr}");
    held.close().await.unwrap();
    assert_eq!(outcome(&["site", &site.url("/")], folder.path()).0, 0);
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
    let broken = &report["changes"]["broke"][0];
    assert_eq!((&broken["total"], &broken["urls"]), (&1.into(), &serde_json::json!([site.url("/p/1")])));
    let fixed = report["changes"]["fixed"].as_array().unwrap();
    let named = fixed.iter().flat_map(|change| change["urls"].as_array().unwrap());
    assert!(named.clone().all(|url| !url.as_str().unwrap().ends_with("/p/1")), "{fixed:?}");
    assert!(!report["changes"]["still"].as_array().unwrap().is_empty(), "{}", report["changes"]);
    let html = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(html.contains("Changes since the audit of ") && html.contains("Not fixed yet ("), "{html}");
    let sarif: Value = serde_json::from_slice(&std::fs::read(folder.path().join("site.sarif")).unwrap()).unwrap();
    assert_eq!(sarif["runs"][0]["properties"]["changes"], report["changes"]);
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

/// A sitemap index of so many files, each of which lists one page; which host it is on is told by the request.
fn indexed(asked: &testkit::ReceivedRequest, files: usize) -> SiteAnswer {
    let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default().trim().to_owned();
    let xml = |root: &str, entries: String| {
        let namespace = "http://www.sitemaps.org/schemas/sitemap/0.9";
        let text =
            format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?><{root} xmlns=\"{namespace}\">{entries}</{root}>");
        SiteAnswer::page(200, "application/xml", &text)
    };
    match asked.path.as_str() {
        "/" => SiteAnswer::html(&page(0, "")),
        "/index.xml" => {
            let entry = |number| format!("<sitemap><loc>http://{host}/map/{number}.xml</loc></sitemap>");
            xml("sitemapindex", (0..files).map(entry).collect())
        }
        path => match path.strip_prefix("/map/").and_then(|rest| rest.strip_suffix(".xml")) {
            Some(number) => xml("urlset", format!("<url><loc>http://{host}/page/{number}</loc></url>")),
            None => match path.strip_prefix("/page/").and_then(|number| number.parse::<usize>().ok()) {
                Some(number) => SiteAnswer::html(&page(number + 1, "")),
                None => SiteAnswer::missing(),
            },
        },
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_of_a_sitemap_index_is_read() {
    let named = TestSite::start(|asked| indexed(asked, 30)).await;
    let declared = TestSite::start(|asked| match asked.path.as_str() {
        "/robots.txt" => {
            let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
            SiteAnswer::page(200, "text/plain", &format!("User-agent: *\nSitemap: http://{}/index.xml\n", host.trim()))
        }
        _ => indexed(asked, 30),
    })
    .await;
    for site in [&named, &declared] {
        let folder = tempfile::tempdir().unwrap();
        let index = site.url("/index.xml");
        assert_eq!(outcome(&["site", &site.url("/"), "--sitemap", &index], folder.path()).0, 0);
        let report = report(folder.path());
        assert_eq!(report["answers"]["page"], 31, "{report:#}");
        assert_eq!(report["unreadSitemaps"], serde_json::json!([]));
        assert_eq!(codes(&report), ["orphan_page", "sitemap_page_missing"], "the sitemaps are complete");
        let asked = site.asked();
        let times = |path: &str| asked.iter().filter(|request| request.path == path).count();
        assert!((0..30).all(|number| times(&format!("/map/{number}.xml")) == 1) && times("/index.xml") == 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_in_an_index_is_not_followed_and_told() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/outer.xml" => {
            let host = asked.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
            let text = format!(
                "<?xml version=\"1.0\"?><sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"><sitemap><loc>http://{}/index.xml</loc></sitemap></sitemapindex>",
                host.trim()
            );
            SiteAnswer::page(200, "application/xml", &text)
        }
        _ => indexed(asked, 3),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(outcome(&["site", &site.url("/"), "--sitemap", &site.url("/outer.xml")], folder.path()).0, 0);
    let report = report(folder.path());
    assert_eq!(report["unreadSitemaps"], serde_json::json!([site.url("/index.xml")]));
    assert_eq!(report["notMeasured"]["sitemap_page_missing"], "sitemap");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_page_that_is_missing_fails_the_run_though_others_are_audited() {
    let site = TestSite::start(|asked| match asked.path.as_str() {
        "/" => SiteAnswer::missing(),
        _ => indexed(asked, 2),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["site", &site.url("/"), "--sitemap", &site.url("/index.xml"), "--quiet"];
    let (code, stderr) = outcome(&arguments, folder.path());
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("The first page was not audited") && stderr.contains("answered 404"), "{stderr}");
    let report = report(folder.path());
    assert_eq!((&report["startAnswer"], &report["answers"]["page"]), (&"client_error".into(), &2.into()));
    let html = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(html.contains("The first page was not audited"));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_sites_are_asked_with_head_and_then_with_get() {
    let other = TestSite::start(|asked| match (asked.path.as_str(), asked.head.starts_with("HEAD ")) {
        ("/fine", true) => SiteAnswer::html(""),
        ("/no-head", true) => SiteAnswer::page(405, "text/plain", ""),
        ("/no-head", false) => SiteAnswer::html(&page(1, "")),
        _ => SiteAnswer::missing(),
    })
    .await;
    let links: String =
        ["/fine", "/no-head", "/gone"].map(|path| format!("<a href='{}'>Other site</a>", other.url(path))).concat();
    let site = TestSite::start(move |asked| match asked.path.as_str() {
        "/" => SiteAnswer::html(&page(0, &links)),
        _ => SiteAnswer::missing(),
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(outcome(&["site", &site.url("/"), "--external"], folder.path()).0, 0);
    let report = report(folder.path());
    assert_eq!(codes(&report), ["broken_external_link"]);
    assert_eq!(report["findings"][0]["cases"][0]["url"], other.url("/gone"));
    let asked: Vec<String> = other
        .asked()
        .into_iter()
        .map(|request| request.head.split(" HTTP").next().unwrap_or_default().to_owned())
        .collect();
    assert_eq!(asked, ["HEAD /fine", "HEAD /gone", "GET /gone", "HEAD /no-head", "GET /no-head"]);
}

fn parquet(folder: &Path, table: &str) -> SerializedFileReader<std::fs::File> {
    SerializedFileReader::new(std::fs::File::open(folder.join(format!("{table}.parquet"))).unwrap()).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_written_as_parquet_too() {
    let site = healthy(5, false).await;
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(outcome(&["site", &site.url("/"), "--parquet"], folder.path()).0, 0);
    for table in ["pages", "links", "findings", "templates"] {
        let bytes = std::fs::read(folder.path().join(format!("{table}.parquet"))).unwrap();
        assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{table}");
        let reader = parquet(folder.path(), table);
        let csv = std::fs::read_to_string(folder.path().join(format!("{table}.csv"))).unwrap();
        let columns: Vec<String> = reader
            .metadata()
            .file_metadata()
            .schema_descr()
            .columns()
            .iter()
            .map(|one| one.name().to_owned())
            .collect();
        assert_eq!(csv.lines().next().unwrap(), columns.join(","), "{table}");
        assert_eq!(reader.metadata().file_metadata().num_rows() as usize, csv.lines().count() - 1, "{table}");
    }
    let row = parquet(folder.path(), "pages").get_row_iter(None).unwrap().next().unwrap().unwrap().to_string();
    assert!(row.contains("status: 200") && row.contains("title: \"Page 0\""), "{row}");
}
