//! robots.txt (RFC 9309).
//!
//! The first line is the path that is asked about; the rest is the file.

use audit::facts::robots_txt::RobotsTxt;
use model::capture::WantKind;
use url::Url;

use crate::capture;
use crate::reported::reported;

/// Any file gives the same verdict twice, with a rule that stands in it; the report of its site is within its bounds.
pub fn check(data: &[u8]) {
    let (path, bytes) = crate::first_line::first_line(data);
    let path = String::from_utf8_lossy(path);
    let file = RobotsTxt::parse(bytes);
    let lines = 1 + bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u64;
    for token in ["Googlebot", "*", "", "GPTBot"] {
        let verdict = file.verdict(token, &path);
        assert_eq!(verdict, RobotsTxt::parse(bytes).verdict(token, &path), "the same file gave another verdict");
        match &verdict.rule {
            Some((rule, line)) => {
                assert!(file.text.contains(rule.as_str()), "a rule that is not in the file: {rule:?}");
                assert!((1..=lines).contains(&u64::from(*line)), "line {line} of {lines}");
                assert!(verdict.agent.is_some(), "a rule of no group");
            }
            None => assert!(verdict.allowed, "refused without a rule"),
        }
        assert!(file.verdict(token, "/robots.txt").allowed, "robots.txt itself is refused");
    }
    for problem in &file.problems {
        assert!((1..=lines).contains(&u64::from(problem.line)), "line {} of {lines}", problem.line);
    }
    let base = Url::parse("https://www.example.com/").expect("a plain URL");
    let page = base.join(&path).ok().filter(|url| url.host() == base.host()).unwrap_or(base);
    let html = b"<!doctype html><html lang=en><head><title>A page</title></head><body><h1>A page</h1></body></html>";
    let capture = capture::page(page.as_str(), "text/html; charset=utf-8", html);
    reported(&capture::with_extra(capture, WantKind::RobotsTxt, "https://www.example.com/robots.txt", bytes));
}
