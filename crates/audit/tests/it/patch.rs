//! A patch, applied, makes every deterministic finding go away, causes no other, and changes nothing applied twice.

use model::fix::FixClass;
use model::report::Report;

use crate::capture::{corpus, page, replaced};
use crate::site::Site;

fn codes(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// What is wrong with the patch of a site; empty when all holds.
fn faults(name: &str, site: &Site) -> Vec<String> {
    let before = site.report();
    let html = audit::Page::read(&site.page).html;
    let Some(html) = html else { return Vec::new() };
    let Some(patched) = audit::patch::apply(html.document.source(), &before.patch) else {
        return vec![format!("{name}: the patch does not apply to its own page")];
    };
    let mut mended = Site { page: replaced(&site.page, patched.clone()), files: site.files.clone() };
    let root = html.url.origin().ascii_serialization();
    for file in &before.patch.files {
        mended.files.insert(format!("{root}{}", file.path), (200, file.content.clone().into_bytes()));
    }
    let after = mended.report();
    let mut faults = Vec::new();
    for fix in before.fixes.iter().filter(|fix| fix.class == FixClass::Deterministic) {
        if codes(&after).contains(&fix.code.as_str()) {
            faults.push(format!("{name}: {} stays", fix.code));
        }
    }
    // What a block of data holds shows once it can be read: that was there before.
    let uncovered = |code: &str| code.starts_with("jsonld_") && codes(&before).contains(&"jsonld_syntax_error");
    for code in codes(&after) {
        if !codes(&before).contains(&code) && !uncovered(code) {
            faults.push(format!("{name}: {code} is new"));
        }
    }
    let second = audit::patch::apply(&patched, &after.patch);
    if faults.is_empty() && (second.as_deref() != Some(patched.as_str()) || !after.patch.files.is_empty()) {
        faults.push(format!("{name}: a second patch changes something: {:?}", after.patch));
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
    "<!doctype html><html lang=en><body><img src=/a.gif alt=a><img src='a.gif?' alt=b width=64><img alt=c src=/a.gif height=6/></body></html>",
    "<!doctype html><html lang=en><body><img src=/a.gif alt=a><img src=/a.gif#x alt=b width=64><img alt=c src=/a.gif height='6' /></body></html>",
    "<!doctype html><html lang=en><head><script src=a.js></script><script src=b.js></script><script src=http://example.com/c.js></script></head><body></body></html>",
    "<!doctype html><html lang=en><head><meta name=robots content='index, noindex'><meta name=robots content='follow,max-snippet:20,max-snippet:5'></head><body></body></html>",
    "<!doctype html><html lang=en><head><meta charset=utf-8><meta http-equiv=content-type content='text/html; charset=iso-8859-1'></head><body>é</body></html>",
    "<!doctype html><html lang=pt><head><script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"Offer\",\"price\":\"R$ 1.299,00\",\"priceCurrency\":\"R$\",\"url\":\"/a</b>\",\"validFrom\":\"31 de dezembro de 2026\"}</script></head><body></body></html>",
    "<!doctype html><html lang=pt><head><script type=application/ld+json>{\"@context\":\"https://schema.org\",\"@type\":\"BreadcrumbList\",\"itemListElement\":[{\"@type\":\"ListItem\",\"position\":0,\"name\":\"a\",\"item\":\"/a\"},{\"@type\":\"ListItem\",\"position\":\"1\",\"name\":\"b\"}],}</script></head><body></body></html>",
    "<!doctype html><html lang=en><head><script type=application/ld+json>{\"@type\":\"WebSite\",\"name\":\"Mill\",\"image\":\"/a.png\",}</script></head><body><h1>Bread</h1></body></html>",
    "<!doctype html><html lang=en><head><script type=application/ld+json>{\"@context\":\"http://schema.org\",\"latitude\":-122.4,\"longitude\":37.7,\"ratingValue\":\"4,5\",\"image\":\"/é.png\"}</script></head><body></body></html>",
    "<!doctype html><html lang=en><head><script type=application/ld+json>{\"@type\":\"Thing\",\"name\":\"a </b> c\",}</script></head><body></body></html>",
];

/// Files of sites, as path, status and content: each asks for other changes of robots.txt and sitemaps together.
const FILES: &[&[(&str, u16, &str)]] = &[
    &[],
    &[("/robots.txt", 200, "User-agent: *\nDisalow: /x")],
    &[("/robots.txt", 200, "<!doctype html><p>app"), ("/sitemap.xml", 200, "<!doctype html><p>app")],
    &[("/robots.txt", 503, "")],
    &[("/robots.txt", 200, "Sitemap: sitemap.txt\r"), ("/sitemap.txt", 200, "https://example.com/\n")],
    &[
        ("/robots.txt", 200, "Site-map: https://example.com/s.xml"),
        (
            "/s.xml",
            200,
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url><loc>https://example.com/x</loc></url></urlset>",
        ),
    ],
    &[("/sitemap.xml", 200, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>&x;</urlset>")],
    &[("/sitemap.xml", 200, "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>")],
];

/// A site of a page at `https://example.com/page` and files.
fn site(source: &str, files: &[(&str, u16, &str)]) -> Site {
    let bare = Site::new(page("https://example.com/page", source)).with("/a.gif", "GIF89a\x40\0\x30\0");
    files.iter().fold(bare, |site, (path, status, content)| site.answering(path, *status, *content))
}

#[test]
fn patches_of_small_pages_hold_their_promise() {
    let faults: Vec<String> = PAGES
        .iter()
        .flat_map(|source| FILES.iter().map(move |files| (source, files)))
        .flat_map(|(source, files)| faults(&format!("{source} with {files:?}"), &site(source, files)))
        .collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn patches_of_real_pages_hold_their_promise() {
    let site = |bytes: &[u8]| Site::new(page("https://www.example.com/a/page", bytes));
    let faults: Vec<String> = corpus().iter().flat_map(|(name, bytes)| faults(name, &site(bytes))).collect();
    assert_eq!(faults, Vec::<String>::new());
}
