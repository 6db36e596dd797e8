//! A patch, applied, makes every deterministic finding go away, causes no other, and changes nothing applied twice.

use model::capture::Capture;
use model::fix::FixClass;
use model::report::Report;

use crate::capture::{corpus, page, replaced};

fn codes(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// What is wrong with the patch of a capture; empty when all holds.
fn faults(name: &str, capture: &Capture) -> Vec<String> {
    let before = audit::report(capture);
    let html = audit::Page::read(capture).html;
    let Some(html) = html else { return Vec::new() };
    let source = html.document.source().to_owned();
    let Some(patched) = audit::patch::apply(&source, &before.patch) else {
        return vec![format!("{name}: the patch does not apply to its own page")];
    };
    let after = audit::report(&replaced(capture, patched.clone()));
    let mut faults = Vec::new();
    let deterministic = before.fixes.iter().filter(|fix| fix.class == FixClass::Deterministic && fix.file.is_none());
    for fix in deterministic {
        if codes(&after).contains(&fix.code.as_str()) {
            faults.push(format!("{name}: {} stays", fix.code));
        }
    }
    for code in codes(&after) {
        if !codes(&before).contains(&code) {
            faults.push(format!("{name}: {code} is new"));
        }
    }
    if faults.is_empty() && audit::patch::apply(&patched, &after.patch).as_deref() != Some(patched.as_str()) {
        faults
            .push(format!("{name}: a second patch changes something: {:?} {:?}", after.patch.head, after.patch.edits));
    }
    faults
}

/// The smallest pages that make a deterministic fix.
const PAGES: &[&str] = &[
    "",
    "<p>x",
    "plain text",
    "<!-- a --><p>x",
    "<script src=http://example.com/c.js></script><p>x",
    "<!doctype html><html lang=en><head></head><body><h1>A heading of the page</h1></body></html>",
    "<!doctype html><html lang=en><head><title></title><meta name=description content=''></head><body><h1>Bread</h1><p>A paragraph that is long enough to serve as the description of this page.</p></body></html>",
    "<!doctype html><title>One</title><title>Two</title><h1>x</h1>",
    "<!doctype html><html><head><title>Untitled</title><meta property='og:locale' content='pt_BR'></head><body><h1>Pão & \"manteiga\" <b>boa</b></h1></body></html>",
    "<html><head><meta name=viewport content=''></head><body><h1></h1></body></html>",
    "<!DOCTYPE HTML PUBLIC \"-//IETF//DTD HTML//EN\"><html><head><title>Old</title></head><body>x</body></html>",
    "<!doctype html><html lang=en_US><head><title>A title</title><link rel=canonical href='/a'></head><body><h1>x</h1></body></html>",
    "<!doctype html><html lang=en><head><link rel=canonical href='https://example.com/page'><link rel=canonical href='https://example.com/b'></head><body></body></html>",
    "<!doctype html><html lang=en><head><link rel=canonical href=''><link rel=canonical href='mailto:a'></head><body></body></html>",
    "<!doctype html><html lang=en><head><div></div><title>T</title><meta name=description content=d><link rel=canonical href='https://example.com/page'></head><body></body></html>",
    "<!doctype html><html lang=en><head><link rel=alternate hreflang=en_UK href='/x'><link rel=alternate hreflang=pt href='https://example.com/pt'></head><body></body></html>",
    "<!doctype html><html lang=en><head><meta property=og:image content=/a.png><meta property=og:url content=page><meta property=og:title content=''></head><body><img src=http://example.com/a.png alt=a width=800 height=400></body></html>",
    "<!doctype html><html lang=en><head><script src=a.js></script><script src=b.js></script><script src=http://example.com/c.js></script></head><body></body></html>",
    "<!doctype html><html lang=en><head><meta name=robots content='index, noindex'><meta name=robots content='follow,max-snippet:20,max-snippet:5'></head><body></body></html>",
    "<!doctype html><html lang=en><head><meta charset=utf-8><meta http-equiv=content-type content='text/html; charset=iso-8859-1'></head><body>é</body></html>",
    "<!doctype html><html lang=en><head><script type=application/ld+json>{\"@type\":\"Thing\",\"name\":\"a </b> c\",}</script></head><body></body></html>",
];

#[test]
fn patches_of_small_pages_hold_their_promise() {
    let faults: Vec<String> =
        PAGES.iter().flat_map(|source| faults(source, &page("https://example.com/page", *source))).collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn patches_of_real_pages_hold_their_promise() {
    let faults: Vec<String> = corpus()
        .iter()
        .flat_map(|(name, bytes)| faults(name, &page("https://www.example.com/a/page", bytes.clone())))
        .collect();
    assert_eq!(faults, Vec::<String>::new());
}
