//! The promise of a patch, on any page: applied, it makes every deterministic finding go away, causes no other, and
//! changes nothing when applied again.
//!
//! Weaker in one thing than the tests of `audit`: what had no ready fix before (a heading for a page of two titles) may
//! have one on the patched page (one title is left), and then the second patch makes it. And what a block of data holds
//! shows once it can be read: it was there before.

use std::collections::BTreeSet;

use audit::{Page, patch};
use model::fix::FixClass;
use model::report::Report;

use crate::capture;

/// What keeps structured data from being read as it is meant: what it says shows once it can be read.
const UNREADABLE: [&str; 4] =
    ["jsonld_syntax_error", "jsonld_context_invalid", "jsonld_type_unknown", "jsonld_property_unknown"];

/// The bytes as a page in UTF-8.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (before, source) = read(&text);
    let Some(source) = source else { return };
    let patched = patch::apply(&source, &before.patch).expect("a patch fits its own page");
    let (after, _) = read(&patched);
    let (ready, known, remaining) = (ready(&before), codes(&before), codes(&after));
    let is_unread = UNREADABLE.iter().any(|code| known.contains(code));
    let is_of_data = |code: &str| {
        code.starts_with("jsonld_") || matches!(code, "review_self_serving" | "paywall_selector_unmatched")
    };
    let uncovered = |code: &&&str| is_of_data(code) && is_unread;
    let stays: Vec<&&str> = ready.intersection(&remaining).filter(|code| !uncovered(code)).collect();
    assert!(stays.is_empty(), "stays after the patch: {stays:?}");
    let new: Vec<&&str> = remaining.difference(&known).filter(|code| !uncovered(code)).collect();
    assert!(new.is_empty(), "new after the patch: {new:?}");
    let twice = patch::apply(&patched, &after.patch);
    if self::ready(&after).is_empty() {
        assert_eq!(twice.as_deref(), Some(patched.as_str()), "a second patch changes something");
    }
}

fn codes(report: &Report) -> BTreeSet<&str> {
    report.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// Codes that the patch of the page itself mends.
fn ready(report: &Report) -> BTreeSet<&str> {
    let fixes = report.fixes.iter().filter(|fix| fix.class == FixClass::Deterministic && fix.file.is_none());
    fixes.map(|fix| fix.code.as_str()).collect()
}

/// The report of a page, and its source as decoded.
fn read(text: &str) -> (Report, Option<String>) {
    let capture = capture::page("https://www.example.com/a/page", "text/html; charset=utf-8", text.as_bytes());
    let source = Page::read(&capture).html.map(|html| html.document.source().to_owned());
    (audit::report(&capture), source)
}
