//! JSON-LD. The bytes are the text of one block.

use audit::Page;
use audit::facts::jsonld::{JsonLd, repaired};

use crate::capture;
use crate::reported::reported;

/// Where the block is said to begin.
const START: usize = 100;

/// Any text is a value or an error with a place in it, and a repair of it is JSON; the page's report is within bounds.
pub fn check(data: &[u8]) {
    let text = String::from_utf8_lossy(data).into_owned();
    let block = [(text.as_str().into(), START)];
    let read = JsonLd::read(&block);
    assert_eq!(read.blocks.len() + read.errors.len(), 1, "one block is a value or an error");
    for error in &read.errors {
        assert!((START..=START + text.len()).contains(&error.offset), "a defect outside the block");
    }
    assert!(read.for_report.len() <= read.blocks.len());
    if let Some(written) = repaired(&text) {
        let again = JsonLd::read(&[(written.as_str().into(), START)]);
        assert!(again.errors.iter().all(|error| error.reason.en == "the root is not an object"), "{written}");
    }
    let page = format!(
        "<!doctype html><html lang=en><head><title>A page</title><script type=\"application/ld+json\">{text}</script>\
         </head><body><h1>A page</h1></body></html>"
    );
    let capture = capture::page("https://www.example.com/", "text/html; charset=utf-8", page.as_bytes());
    let report = reported(&capture);
    if let Some(html) = Page::read(&capture).html {
        let patched = audit::patch::apply(html.document.source(), &report.patch);
        assert!(patched.is_some(), "the patch does not fit its own page");
    }
}
