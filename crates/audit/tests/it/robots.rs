//! The cases of Google's own robots.txt test suite, read in place.

use audit::facts::robots_txt::RobotsTxt;
use model::capture::{Capture, Extra, FailureKind, FetchFailure, Fetched, Want, WantKind};

use crate::capture::shared;

/// Path and query of an address as Google's matcher takes it: everything after the host, unparsed.
fn path(url: &str) -> String {
    let after = url.split_once("://").map_or(url, |(_, rest)| rest);
    let start = after.find(['/', '?']).unwrap_or(after.len());
    let path = after[start..].split('#').next().unwrap_or_default();
    if path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

/// Google never obeys a name that is no product token.
fn is_token(agent: &str) -> bool {
    !agent.is_empty() && agent.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-')
}

#[test]
fn all_of_googles_cases_agree() {
    let Some(file) = shared("fixtures/robots-google-cases.json") else { return };
    let data: serde_json::Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for case in data["cases"].as_array().unwrap() {
        let text = |field: &str| case[field].as_str().unwrap();
        let agent = if is_token(text("user_agent")) { text("user_agent") } else { "" };
        let verdict = RobotsTxt::parse(text("robots").as_bytes()).verdict(agent, &path(text("url")));
        if verdict.allowed != case["allowed"].as_bool().unwrap() {
            wrong.push(case.clone());
        }
    }
    assert_eq!(wrong, Vec::<serde_json::Value>::new());
}

fn with_robots(status: u16, robots: &str) -> Capture {
    let mut capture = crate::capture::page("https://example.com/private/page", "<!doctype html><title>x</title>");
    let mut answer =
        crate::capture::with_headers("https://example.com/robots.txt", &[("content-type", "text/plain")], robots);
    if let Fetched::Response(exchange) = &mut answer.page {
        exchange.status = status;
    }
    let want = Want { kind: WantKind::RobotsTxt, url: "https://example.com/robots.txt".to_owned() };
    capture.extras.push(Extra { want, fetched: answer.page });
    capture
}

fn robots_codes(status: u16, robots: &str) -> Vec<String> {
    codes(&with_robots(status, robots))
}

fn codes(capture: &Capture) -> Vec<String> {
    audit::report(capture)
        .findings
        .into_iter()
        .map(|finding| finding.code)
        .filter(|code| code.contains("robots_txt") || code.starts_with("ai_"))
        .collect()
}

#[test]
fn the_answer_decides_what_the_file_means() {
    assert_eq!(robots_codes(200, "User-agent: *\nAllow: /\n"), Vec::<String>::new());
    assert_eq!(robots_codes(404, ""), ["robots_txt_missing"]);
    assert_eq!(robots_codes(403, ""), ["robots_txt_missing"]);
    assert_eq!(robots_codes(429, ""), ["robots_txt_unreachable"]);
    assert_eq!(robots_codes(503, ""), ["robots_txt_unreachable"]);
    assert_eq!(robots_codes(200, "<!doctype html><p>app"), ["robots_txt_html_response"]);
}

#[test]
fn x03_redirects_without_end_are_a_missing_file_and_silence_is_not() {
    for (reason, wanted) in [
        ("too_many_redirects", "robots_txt_missing"),
        ("redirect_loop", "robots_txt_missing"),
        ("first_byte", "robots_txt_unreachable"),
    ] {
        let mut capture = with_robots(200, "");
        for extra in &mut capture.extras {
            extra.fetched = Fetched::Failed(FetchFailure {
                kind: FailureKind::Unreachable,
                reason: reason.to_owned(),
                hops: Vec::new(),
                url: extra.want.url.clone(),
            });
        }
        assert_eq!(codes(&capture), [wanted], "{reason}");
    }
}

#[test]
fn blocks_are_told_by_crawler_with_rule_and_line() {
    let everyone = "User-agent: *\nDisallow: /private/\n";
    // One rule is told once, of the page.
    assert_eq!(robots_codes(200, everyone), ["robots_txt_blocks_page"]);
    assert_eq!(
        robots_codes(200, &format!("User-agent: Googlebot\nAllow: /\n{everyone}")),
        ["robots_txt_blocks_engine", "ai_search_bot_blocked", "ai_user_fetch_blocked", "ai_training_bot_blocked"]
    );
    assert_eq!(robots_codes(200, "User-agent: GPTBot\nDisallow: /\n"), ["ai_training_bot_blocked"]);
    let summary = audit::report(&with_robots(200, everyone)).summary.unwrap().robots_txt;
    assert_eq!(
        (summary.allowed, summary.rule.as_deref(), summary.line),
        (Some(false), Some("Disallow: /private/"), Some(2))
    );
    assert_eq!(summary.ai_crawlers.get("GPTBot"), Some(&false));
}

#[test]
fn a_file_fix_applied_makes_its_findings_go_away() {
    for (status, robots) in
        [(404, ""), (200, "<!doctype html>"), (200, "User-agent *\nDisalow: /x\nUser-agent: a\nAllow: /\n")]
    {
        let report = audit::report(&with_robots(status, robots));
        let file = report.patch.files.first().unwrap();
        assert_eq!(file.path, "/robots.txt");
        assert_eq!(robots_codes(200, &file.content), Vec::<String>::new(), "{}", file.content);
    }
}

#[test]
fn the_delay_is_that_of_the_crawlers_own_group() {
    let file = RobotsTxt::parse(b"User-agent: *\nCrawl-delay: 5\nDisallow: /a\n\nUser-agent: Other\ncrawl-delay: 0.5\n\nUser-agent: Third\nDisallow:\nCrawl-delay: soon\n");
    assert_eq!(file.crawl_delay("siteaudit"), Some(5.0));
    assert_eq!(file.crawl_delay("OTHER"), Some(0.5));
    assert_eq!(file.crawl_delay("third"), None);
    assert_eq!(RobotsTxt::parse(b"Crawl-delay: 5\n").crawl_delay("siteaudit"), None, "a line of no group");
}
