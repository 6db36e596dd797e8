//! What is audited, what is refused, and the exit codes.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};

use serde_json::Value;

use testkit::{LabMood, LabServer};

use super::{PAGE, code, json, program, site, site_audit, stderr, stdout};

const SUPPLIED: [&str; 5] = ["audit", "--html", "-", "--url", "example.com/bread"];

fn codes(audit: &Value) -> Vec<&str> {
    audit["issues"].as_array().unwrap().iter().map(|issue| issue["code"].as_str().unwrap()).collect()
}

fn supplied(more: &[&str]) -> std::process::Output {
    site_audit(&[&SUPPLIED, more].concat(), PAGE)
}

#[test]
fn a_supplied_page_is_audited_without_network() {
    let output = supplied(&["--format", "json"]);
    assert_eq!(code(&output), 0);
    let audit = json(&output);
    assert_eq!(audit["url"], "https://example.com/bread");
    assert!(codes(&audit).contains(&"viewport_missing"));
    assert_eq!(audit["coverage"]["notMeasured"]["hsts_missing"], "offline");
}

#[test]
fn the_bar_decides_the_exit_code() {
    for (bar, expected) in [
        (&[][..], 0),
        (&["--fail-under", "0"], 0),
        (&["--fail-under", "100"], 1),
        (&["--fail-on", "error"], 1),
        (&["--fail-on", "warn"], 1),
    ] {
        assert_eq!(code(&supplied(bar)), expected, "{bar:?}");
    }
}

#[test]
fn quiet_takes_the_text_away_and_nothing_that_a_program_reads() {
    let output = supplied(&["--quiet", "--fail-under", "100"]);
    assert_eq!((code(&output), stdout(&output), stderr(&output)), (1, String::new(), String::new()));
    assert!(json(&supplied(&["-q", "--format", "json"]))["score"].is_u64());
    let refused = site_audit(&["audit", "http://127.0.0.1/", "--quiet"], "");
    assert_eq!(code(&refused), 2);
    assert!(!refused.stderr.is_empty(), "why there is no result is still said");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_fetched_with_its_robots_txt() {
    let site = site().await;
    let url = site.url("/page");
    let audit = json(&site_audit(&["audit", &url, "--allow-private", "--format", "json"], ""));
    assert_eq!(audit["url"], url.as_str());
    assert_eq!(audit["summary"]["robotsTxt"]["state"], "found");
    assert_eq!(audit["summary"]["robotsTxt"]["aiCrawlers"]["GPTBot"], false);
    assert!(codes(&audit).contains(&"ai_training_bot_blocked"));
    assert!(audit["summary"]["timing"]["ttfbMs"].is_u64());
}

/// A site that speaks http alone, and answers anything else at once, as servers do.
pub(crate) fn plain_site() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for connection in listener.incoming() {
            let (mut connection, mut piece) = (connection.unwrap(), [0; 2048]);
            let read = connection.read(&mut piece).unwrap_or_default();
            let answer = if piece[..read].starts_with(b"GET ") {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n";
                format!("{head}content-length: {}\r\n\r\n{PAGE}", PAGE.len())
            } else {
                "HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n".to_owned()
            };
            // One that is gone needs no answer.
            let _written = connection.write_all(answer.as_bytes());
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_without_a_scheme_that_refuses_https_is_audited_over_http() {
    let typed = format!("{}/page", plain_site());
    let audit = json(&site_audit(&["audit", &typed, "--allow-private", "--format", "json"], ""));
    assert_eq!(audit["url"], format!("http://{typed}"));
    // A scheme that was typed is kept.
    let refused = site_audit(&["audit", &format!("https://{typed}"), "--allow-private"], "");
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("TLS handshake failed"), "{}", stderr(&refused));
    // The first failure is told where http fails too.
    let nobody = site_audit(&["audit", "127.0.0.2:1", "--allow-private"], "");
    assert!(stderr(&nobody).contains("refused the https connection"), "{}", stderr(&nobody));
}

#[test]
fn a_whole_site_that_refuses_https_is_audited_over_http_alone() {
    let (typed, folder) = (plain_site().to_string(), tempfile::tempdir().unwrap());
    let run = program().args(["site", &typed, "--allow-private"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(code(&run), 0, "{}", stderr(&run));
    // The address that we made up is none of its addresses that fail.
    let told = stdout(&run);
    assert!(told.contains(&format!("http://{typed}/")) && !told.contains("https://"), "{told}");
}

#[test]
fn one_s_own_machine_is_audited_by_its_name() {
    let page = format!("http://localhost:{}/page", plain_site().port());
    let audit = json(&site_audit(&["audit", &page, "--allow-private", "--format", "json"], ""));
    assert_eq!(audit["url"], page);
    let refused = site_audit(&["audit", &page], "");
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).ends_with("run it again with --allow-private.\n"), "{}", stderr(&refused));
    // No name of this network is refused with a remedy that was taken already.
    let unknown = site_audit(&["audit", "http://no-such-machine/", "--allow-private"], "");
    assert!(!stderr(&unknown).contains("--allow-private"), "{}", stderr(&unknown));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_could_not_be_audited_weighs_more_than_one_below_the_bar() {
    let site = site().await;
    let (page, blocked) = (site.url("/page"), site.url("/blocked"));
    let run = |urls: &[&str]| {
        let bar = ["audit", "--allow-private", "--fail-on", "error"];
        code(&site_audit(&[&bar, urls].concat(), ""))
    };
    assert_eq!(run(&[&page]), 1);
    assert_eq!(run(&[&page, &blocked]), 2);
    assert_eq!(run(&[&blocked]), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_are_read_from_files_and_standard_input() {
    let site = site().await;
    let list = format!("\u{feff}# pages\r\n{}\r\n\r\n  {}\r\n", site.url("/page"), site.url("/gone"));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("urls.txt");
    std::fs::write(&file, &list).unwrap();
    let file = file.to_str().unwrap();
    for source in [&["-"][..], &["--from", "-"], &["--from", file]] {
        let run = [&["audit", "--allow-private", "--jobs", "1", "--format", "json"], source].concat();
        let output = site_audit(&run, &list);
        assert_eq!(code(&output), 0, "{source:?}: {}", stderr(&output));
        let audits = json(&output);
        assert_eq!(audits[0]["url"], site.url("/page").as_str());
        assert_eq!(codes(&audits[1])[0], "http_status_client_error");
    }
    let one = site_audit(&["audit", "-", "--allow-private", "--format", "json"], &site.url("/page"));
    assert_eq!(json(&one).as_array().unwrap().len(), 1, "a list of one is a list");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_more_pages_are_audited_at_once_than_jobs_says() {
    let site = site().await;
    let pages = [site.url("/page?1"), site.url("/page?2"), site.url("/page?3")];
    let run = ["audit", "--allow-private", "--quiet", "--jobs", "1", &pages[0], &pages[1], &pages[2]];
    assert_eq!(code(&site_audit(&run, "")), 0);
    let asked = site.asked();
    let kinds = asked.iter().filter_map(|asked| match asked.path.as_str() {
        "/robots.txt" => Some("files"),
        path => path.starts_with("/page").then_some("page"),
    });
    assert_eq!(kinds.collect::<Vec<_>>(), ["page", "files", "page", "files", "page", "files"]);
}

#[test]
fn bad_input_is_answered_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("index.html");
    std::fs::write(&page, PAGE).unwrap();
    let page = page.to_str().unwrap();
    let binary = folder.path().join("urls.bin");
    std::fs::write(&binary, b"\xff\xfe").unwrap();
    let long = format!("https://example.com/{}", "a".repeat(2_100));
    for (arguments, advice) in [
        (&["audit"][..], "Examples:"),
        (&["audit", "ftp://example.com/"], "start with http:// or https://"),
        (&["audit", "mailto:me@example.com"], "start with http:// or https://"),
        (&["audit", "http://me:secret@example.com/"], "a user name or a password"),
        (&["audit", &long], "longer than 2,048 bytes"),
        (&["audit", "https://"], "not a valid URL"),
        (&["audit", ""], "not a valid URL"),
        (&["audit", "http://example.com:22/"], "--allow-private"),
        (&["audit", "http://127.0.0.1/"], "--allow-private"),
        (&["audit", "http://[::1]/"], "--allow-private"),
        (&["audit", "--from", "/nowhere/urls.txt"], "/nowhere/urls.txt could not be opened"),
        (&["audit", "--from", binary.to_str().unwrap()], "UTF-8"),
        (&["audit", "-"], "write one per line"),
        (&["audit", page], "--html"),
        (&["audit", "--html", page], "--url"),
        (&["audit", "--url", "example.com"], "--html"),
        (&["audit", "--html", page, "--url", "ftp://example.com/"], "http:// or https://"),
        (&["audit", "--html", page, "--url", "https://"], "--url https://: that is not a valid URL"),
        (&["audit", "--html", folder.path().to_str().unwrap(), "--url", "example.com"], "could not be read"),
        (&["audit", "--html", page, "--url", "example.com", "https://example.com/"], "cannot be used with"),
        (&["audit", "--html", page, "https://example.com/"], "'--html <FILE>' cannot be used with '[URL]...'"),
        (&["audit", "--url", "example.com", "https://example.com/"], "'--url <URL>' cannot be used with '[URL]...'"),
        (&["audit", "--url", "example.com", "--from", page], "cannot be used with"),
        (&["audit", "--url", "example.com"], "were not provided:\n  --html <FILE>\n\n"),
        (&["audit", "--html", page], "were not provided:\n  --url <URL>\n\n"),
        (&["audit", "example.com", "--fail-under", "101"], "0..=100"),
        (&["audit", "example.com", "--fail-on", "info"], "error, warn"),
        (&["audit", "example.com", "--format", "xml"], "text, json, markdown, csv, sarif, junit"),
        (&["audit", "example.com", "--jobs", "0"], "1..=32"),
        (&["audit", "example.com", "--lang", "fr"], "en, pt-BR"),
        (&["checks", ""], "a value is required"),
        (&["https://example.com/"], "site-audit audit URL"),
        (&["chekcs"], "checks"),
    ] {
        let output = site_audit(arguments, "");
        assert_eq!((code(&output), stdout(&output)), (2, String::new()), "{arguments:?}");
        assert!(stderr(&output).contains(advice), "{arguments:?}: {}", stderr(&output));
    }
    // Every error of what is audited shows the same three ways to say it.
    let usage = |arguments: &[&str]| stderr(&site_audit(arguments, "")).split_once("Usage: ").unwrap().1.to_owned();
    let wanted = usage(&["audit", "--url", "example.com"]);
    assert!(wanted.starts_with("site-audit audit [OPTIONS] <URL>...\n"), "{wanted}");
    for arguments in [&["audit", "--html", page][..], &["audit", "--html", page, "https://example.com/"]] {
        assert_eq!(usage(arguments), wanted, "{arguments:?}");
    }
}

#[test]
fn refusals_are_told_in_the_language_asked_for() {
    let output = site_audit(&["audit", "http://127.0.0.1/", "--lang", "pt-BR"], "");
    assert!(stderr(&output).starts_with("site-audit: não foi possível auditar http://127.0.0.1/: "));
    assert!(stderr(&output).contains("rode de novo com --allow-private"), "{}", stderr(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lab_test_joins_the_report_of_the_command_line() {
    let (site, server) = (site().await, LabServer::start().await);
    let url = site.url("/page");
    let run = |more: &[&str]| {
        let mut command = program();
        command.args(["audit", &url, "--allow-private"]).args(more);
        command.env("SITE_AUDIT_LAB__PROVIDER", "pagespeed").env("SITE_AUDIT_LAB__URL", server.url());
        command.env("SITE_AUDIT_LAB__KEY", "lab-canary-of-the-command-line").output().unwrap()
    };
    let audit = json(&run(&["--lab", "desktop", "--format", "json"]));
    assert_eq!(audit["summary"]["lab"]["desktop"]["scores"]["performance"], 74, "{audit}");
    assert_eq!(audit["summary"]["lab"]["mobile"], Value::Null);
    assert_eq!(audit["summary"]["crux"]["metrics"]["largest_contentful_paint"]["p75"], 2610.0);
    let text = stdout(&run(&["--lab", "mobile"]));
    assert!(text.contains("Lab test, mobile: Performance 74, Accessibility 88, Best practices 100, SEO 40"), "{text}");
    assert!(
        text.contains("    Largest Contentful Paint (LCP): 4.1 s, bad; real visitors 2.6 s, needs improvement"),
        "{text}"
    );
    assert!(text.contains("    could save 1.2 s, 240 KB: Improve image delivery"), "{text}");
    server.set(LabMood::BadKey);
    let failed = run(&["--lab", "mobile"]);
    assert_eq!(code(&failed), 0, "the page was audited");
    assert!(stdout(&failed).contains("Lab test, mobile: failed."), "{}", stdout(&failed));
    assert!(stderr(&failed).contains("bad_key") && !stderr(&failed).contains("canary"), "{}", stderr(&failed));
    let off = site_audit(&["audit", &url, "--allow-private", "--lab", "mobile"], "");
    assert!(code(&off) == 2 && stderr(&off).contains("lab.provider"), "{}", stderr(&off));
}
