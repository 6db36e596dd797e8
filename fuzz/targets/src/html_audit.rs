//! Bytes as a page through the whole report.

use audit::{Page, patch};

use crate::capture;
use crate::reported::reported;

/// The report is within its bounds, and its patch fits the page it was made for.
pub fn check(data: &[u8]) {
    let capture = capture::page("https://www.example.com/a/page?q=1", "text/html", data);
    let report = reported(&capture);
    let Some(html) = Page::read(&capture).html else { return };
    let source = html.document.source();
    assert!(patch::apply(source, &report.patch).is_some(), "the patch does not fit its own page");
    // CR, LF and CRLF each end one line.
    let ends = source.matches(['\r', '\n']).count() - source.matches("\r\n").count();
    let lines = 1 + ends as u64;
    for place in report.findings.iter().flat_map(|finding| &finding.evidence) {
        assert!(place.line.is_none_or(|line| u64::from(line) <= lines), "a place after the last line");
    }
}
