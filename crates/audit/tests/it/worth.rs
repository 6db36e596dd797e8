//! What a finding is worth, and the ledger of requests.

use audit::report;
use model::capture::{Capture, Extra, FailureKind, FetchFailure, Fetched, Hop, Want, WantKind};
use model::finding::Finding;
use model::report::{Report, Request};

use crate::capture::page as page_at;

fn page(source: &str) -> Capture {
    page_at("https://example.com/page", source)
}

/// An answer to a request for another file.
fn extra(kind: WantKind, url: &str, status: u16, content_type: &str) -> Extra {
    let mut fetched = page_at(url, "").page;
    if let Fetched::Response(exchange) = &mut fetched {
        exchange.status = status;
        exchange.headers = vec![("content-type".to_owned(), content_type.to_owned())];
    }
    Extra { want: Want { kind, url: url.to_owned() }, fetched }
}

fn finding<'r>(report: &'r Report, code: &str) -> &'r Finding {
    report.findings.iter().find(|finding| finding.code == code).unwrap_or_else(|| panic!("no {code}"))
}

const FINE: &str = "<!doctype html><html lang=en><head><meta charset=utf-8><title>Bread and butter for every day</title>\
    <meta name=viewport content='width=device-width'><meta name=description content='All about bread and butter.'>";

#[test]
fn a_finding_is_worth_what_the_score_gains_without_it() {
    let source = format!("{FINE}<p>a").replace("<html lang=en>", "<html>");
    let with = report(&page(&source));
    let without = report(&page(&source.replace("<html>", "<html lang=en>")));
    let lang = finding(&with, "html_lang_missing");
    assert_eq!(lang.points, 8);
    assert_eq!(without.score, with.score + 8);
    for finding in &with.findings {
        assert!(finding.points >= 0, "{}", finding.code);
    }
}

#[test]
fn what_a_finding_silences_is_its_to_tell_and_takes_none_of_its_points() {
    let source = format!("{FINE}<meta name=robots content=noindex></head><p>a")
        .replace("Bread and butter for every day", "Home");
    let report = report(&page(&source));
    let noindex = finding(&report, "noindex_meta");
    assert!(noindex.causes.contains(&"title_placeholder".to_owned()), "{:?}", noindex.causes);
    assert_eq!(report.coverage.silenced_by.get("title_placeholder").map(String::as_str), Some("noindex_meta"));
    // Its own points: what it may uncover is told beside them.
    assert_eq!(noindex.points, 18);
    for (code, cause) in &report.coverage.silenced_by {
        assert!(finding(&report, cause).causes.contains(code), "{code}");
    }
}

#[test]
fn a_page_that_has_lost_all_points_still_tells_what_each_finding_takes() {
    let source = "<html><head><meta name=robots content=noindex><title></title></head><body><form action='http://a.example/'>\
        <a href='http://localhost/'>a</a><link rel=canonical href=/a><script type=application/ld+json>{</script>\
        <img src=http://example.org/a.png><a href=javascript:a()>b</a><font>c</font>";
    let report = report(&page(source));
    assert_eq!(report.score, 0);
    let lost: i32 = report.findings.iter().map(|finding| finding.points).sum();
    assert!(lost > 100, "{lost}");
    for finding in &report.findings {
        assert_eq!(finding.points, audit::score::weight(finding.severity).cast_signed(), "{}", finding.code);
    }
}

#[test]
fn every_request_is_in_the_ledger_with_its_redirects() {
    let mut capture = page(FINE);
    let hop = Hop { url: "https://example.com/a".to_owned(), status: 302, location: "/robots.txt".to_owned() };
    let mut robots = extra(WantKind::RobotsTxt, "https://example.com/robots.txt", 404, "text/plain");
    if let Fetched::Response(exchange) = &mut robots.fetched {
        exchange.hops = vec![hop];
        (exchange.timing.bytes, exchange.timing.total_ms) = (7, 9);
    }
    let failure = FetchFailure {
        kind: FailureKind::Timeout,
        reason: "idle".to_owned(),
        hops: Vec::new(),
        url: "https://example.com/llms.txt".to_owned(),
    };
    let want = Want { kind: WantKind::Llms, url: failure.url.clone() };
    capture.extras = vec![robots, Extra { want, fetched: Fetched::Failed(failure) }];
    let requests = report(&capture).requests;
    let of = |reason: &str| -> Vec<&Request> { requests.iter().filter(|request| request.reason == reason).collect() };
    assert_eq!(of("page").len(), 1);
    let [redirect, last] = of("robots_txt")[..] else { panic!("{requests:?}") };
    assert_eq!((redirect.status, redirect.bytes, redirect.ms), (Some(302), None, None));
    assert_eq!((last.status, last.bytes, last.ms), (Some(404), Some(7), Some(9)));
    let [llms] = of("llms")[..] else { panic!("{requests:?}") };
    assert_eq!((llms.status, llms.error.as_deref(), llms.skipped.as_deref()), (None, Some("idle"), None));
    // What the audit would have asked for next, had it gone on.
    assert_eq!(of("security_txt").first().and_then(|request| request.skipped.as_deref()), Some("time"));
}

#[test]
fn what_the_budget_kept_from_being_sent_is_told() {
    let mut capture = page(FINE);
    let far = vec![Hop { url: "https://example.com/a".to_owned(), status: 302, location: "/".to_owned() }; 14];
    let mut favicon = extra(WantKind::Favicon, "https://example.com/favicon.ico", 200, "image/x-icon");
    if let Fetched::Response(exchange) = &mut favicon.fetched {
        exchange.hops = far;
    }
    capture.extras = vec![favicon];
    let requests = report(&capture).requests;
    let llms = requests.iter().find(|request| request.reason == "llms").unwrap();
    assert_eq!(llms.skipped.as_deref(), Some("budget"));
}

#[test]
fn a_page_that_was_supplied_asked_nobody() {
    let mut capture = page(FINE);
    capture.source = model::capture::Source::Supplied;
    assert_eq!(report(&capture).requests, []);
}
