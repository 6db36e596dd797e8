//! A made site with planted defects: each is found and nothing else, whatever the order of links.
//!
//! `SITE_AUDIT_TEST_SITE_PAGES` sets its size (`cargo xtask site-runs made`).

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;
use testkit::made_site::{MadeOptions, MadeServer, MadeSite};

use super::{code, report, run, timeless};

fn pages() -> usize {
    std::env::var("SITE_AUDIT_TEST_SITE_PAGES").ok().and_then(|text| text.parse().ok()).unwrap_or(400)
}

/// Codes, each with the path that it is about.
type Cases = BTreeSet<(String, String)>;

/// Runs a made site into a folder; and what was planted. On a machine that stands still for a moment its pages are slow, which is a
/// finding of the machine: then the site is made and run once more.
fn judged(options: MadeOptions) -> (TempDir, MadeServer, Cases, Cases) {
    for _ in 0..5 {
        let folder = tempfile::tempdir().unwrap();
        let (server, planted, on_pages) = judged_into(options, folder.path());
        if !found_on_pages(folder.path()).iter().any(|(code, _)| code == "response_slow") {
            return (folder, server, planted, on_pages);
        }
    }
    panic!("this machine is too slow to tell what pages are")
}

fn judged_into(options: MadeOptions, folder: &Path) -> (MadeServer, Cases, Cases) {
    let site = MadeSite::new(options);
    let named = |set: &BTreeSet<(&'static str, String)>| {
        set.iter().map(|(code, path)| ((*code).to_owned(), path.clone())).collect()
    };
    let (planted, on_pages) = (named(site.planted()), named(site.planted_on_pages()));
    let server = MadeServer::start(site).unwrap();
    let most = (options.pages + 1_000).to_string();
    let arguments =
        ["site", &server.url(), "--images", "--own-site", "--concurrency", "8", "--max-pages", &most, "--quiet"];
    let output = run(&arguments, folder);
    assert_eq!(code(&output), 0, "{}", String::from_utf8_lossy(&output.stderr));
    (server, planted, on_pages)
}

/// Path and query of an address.
fn path(url: &str) -> String {
    url.splitn(4, '/').nth(3).map_or_else(|| "/".to_owned(), |rest| format!("/{rest}"))
}

/// The findings of the site: code, and path of the address concerned.
fn found(report: &Value) -> BTreeSet<(String, String)> {
    let findings = report["findings"].as_array().unwrap();
    let cases = findings.iter().flat_map(|finding| {
        finding["cases"].as_array().unwrap().iter().map(|case| (finding["code"].as_str().unwrap(), case))
    });
    cases.map(|(code, case)| (code.to_owned(), path(case["url"].as_str().unwrap()))).collect()
}

/// The findings of pages: code and path.
fn found_on_pages(folder: &Path) -> BTreeSet<(String, String)> {
    let lines = std::fs::read_to_string(folder.join("pages.jsonl")).unwrap();
    let mut found = BTreeSet::new();
    for line in lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        for issue in line["issues"].as_array().into_iter().flatten() {
            found.insert((issue["code"].as_str().unwrap().to_owned(), path(line["url"].as_str().unwrap())));
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn every_planted_defect_is_found_and_nothing_else() {
    let options = MadeOptions { pages: pages(), bytes: 6_000, planted: true, shuffled: false };
    let (folder, server, planted, on_pages) = judged(options);
    let report = report(folder.path());
    assert_eq!(found(&report), planted);
    let asked = server.requests();
    let twice: Vec<_> = asked.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "asked more than once: {twice:?}");
    let connections = server.connections();
    assert!(connections * 4 < server.asked(), "connections are used again: {connections}");
    let healthy = MadeOptions { planted: false, ..options };
    let (plain, _server, nothing, _) = judged(healthy);
    assert_eq!(found(&super::report(plain.path())), nothing);
    let usual: BTreeSet<String> = found_on_pages(plain.path()).into_iter().map(|(code, _)| code).collect();
    let plan = MadeSite::new(options);
    let planned: BTreeSet<&String> = on_pages.iter().map(|(_, path)| path).collect();
    let is_judged = |path: &String| plan.is_healthy(path) || planned.contains(path) && !path.starts_with("/author/");
    let besides =
        found_on_pages(folder.path()).into_iter().filter(|(code, path)| !usual.contains(code) && is_judged(path));
    let wanted = on_pages.iter().filter(|(_, path)| is_judged(path)).cloned();
    assert_eq!(besides.collect::<BTreeSet<_>>(), wanted.collect());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_order_of_links_changes_nothing() {
    let options = MadeOptions { pages: pages(), bytes: 4_000, planted: true, shuffled: false };
    let (one, first, ..) = judged(options);
    let port = first.url();
    let (other, second, ..) = judged(MadeOptions { shuffled: true, ..options });
    let plain = |folder: &Path, url: &str| timeless(folder).to_string().replace(url.trim_end_matches('/'), "");
    let (one, other) = (plain(one.path(), &port), plain(other.path(), &second.url()));
    assert!(one == other, "{}", first_difference(&one, &other));
}

/// Where two texts begin to differ.
fn first_difference(one: &str, other: &str) -> String {
    let at = one.bytes().zip(other.bytes()).position(|(a, b)| a != b).unwrap_or_default();
    let around = |text: &str| {
        let (from, to) = (at.saturating_sub(300), (at + 300).min(text.len()));
        String::from_utf8_lossy(&text.as_bytes()[from..to]).into_owned()
    };
    format!("{}\n\n{}", around(one), around(other))
}
