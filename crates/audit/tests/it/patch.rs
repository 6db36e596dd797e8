//! A patch, applied, makes every deterministic finding go away, causes no other, and changes nothing applied twice.

use audit::Page;
use audit::facts::page::Html;
use model::fix::{Fix, FixClass, FixTarget};
use model::patch::{Edit, Patch};
use model::report::Report;

use crate::capture::{corpus, page, replaced};
use crate::parallel;
use crate::site::{self, Site};

fn codes(report: &Report) -> Vec<&str> {
    report.findings.iter().map(|finding| finding.code.as_str()).collect()
}

/// The site with a patch applied, and the new source of its page.
fn mended(site: &Site, html: &Html, patch: &Patch) -> Option<(Site, String)> {
    let patched = audit::patch::apply(html.document.source(), patch)?;
    let mut mended = Site { page: replaced(&site.page, saved(site, html, &patched)), files: site.files.clone() };
    let root = html.url.origin().ascii_serialization();
    for file in &patch.files {
        let url = format!("{root}{}", file.path);
        mended.files.insert(url.clone(), site::file(&url, 200, file.content.as_str()));
    }
    Some((mended, patched))
}

/// A source as an editor saves it: a page that is not UTF-8 stays what it is.
fn saved(site: &Site, html: &Html, source: &str) -> Vec<u8> {
    let bytes = site.page.page.response().map(|exchange| exchange.body.bytes.as_slice()).unwrap_or_default();
    match std::str::from_utf8(bytes) {
        Ok(_) => source.as_bytes().to_vec(),
        Err(_) => html.charset.encoding.encode(source).0.into_owned(),
    }
}

/// What keeps structured data from being read as it is meant.
const UNREADABLE: [&str; 4] =
    ["jsonld_syntax_error", "jsonld_context_invalid", "jsonld_type_unknown", "jsonld_property_unknown"];

/// Whether what structured data says shows only once it can be read: that was there before.
fn uncovers(before: &Report) -> bool {
    codes(before).iter().any(|code| UNREADABLE.contains(code))
}

/// Findings that only the changed page has.
fn new_codes<'r>(before: &Report, after: &[&'r str]) -> Vec<&'r str> {
    let is_of_data = |code: &str| {
        code.starts_with("jsonld_") || matches!(code, "review_self_serving" | "paywall_selector_unmatched")
    };
    let uncovered = |code: &str| is_of_data(code) && uncovers(before);
    after.iter().copied().filter(|code| !codes(before).contains(code) && !uncovered(code)).collect()
}

/// What is wrong with the patch of a site; empty when all holds.
pub(crate) fn faults(name: &str, site: &Site) -> Vec<String> {
    let before = site.report();
    let Some(html) = Page::read(&site.page).html else { return Vec::new() };
    let Some((mended, patched)) = mended(site, &html, &before.patch) else {
        return vec![format!("{name}: the patch does not apply to its own page")];
    };
    let after = mended.report();
    let mut faults = Vec::new();
    for template in &before.patch.templates {
        let is_placed = matches!(template.target, FixTarget::Head | FixTarget::Body | FixTarget::Image);
        // One without a gap has values to confirm, and says where they are from.
        let has_gap = template.snippet.contains("{{") || template.origin.is_some();
        if !is_placed || !has_gap || template.note.en.is_empty() {
            faults.push(format!("{name}: {template:?} can't be filled in"));
        }
    }
    for fix in before.fixes.iter().filter(|fix| fix.class == FixClass::Deterministic) {
        if codes(&after).contains(&fix.code.as_str()) {
            faults.push(format!("{name}: {} stays", fix.code));
        }
    }
    faults.extend(new_codes(&before, &codes(&after)).iter().map(|code| format!("{name}: {code} is new")));
    faults.extend(head_faults(name, html.document.source(), &patched, &before.patch));
    let second = audit::patch::apply(&patched, &after.patch);
    let is_final = !uncovers(&before) || codes(&after).iter().all(|code| codes(&before).contains(code));
    if is_final && faults.is_empty() && (second.as_deref() != Some(patched.as_str()) || !after.patch.files.is_empty()) {
        faults.push(format!("{name}: a second patch changes something: {:?}", after.patch));
    }
    faults
}

/// What is wrong with the tags for the head: each is added to the page that was audited, and none where all are there.
fn head_faults(name: &str, source: &str, patched: &str, patch: &Patch) -> Vec<String> {
    let edited = audit::patch::apply(source, &Patch { head: String::new(), ..patch.clone() }).unwrap_or_default();
    let tags: usize = patch.head.lines().map(str::len).sum();
    let again = audit::patch::apply(patched, &Patch { edits: Vec::new(), ..patch.clone() });
    let left_out = (patched.len() < edited.len() + tags).then(|| format!("{name}: a tag for the head is left out"));
    let doubled = (again.as_deref() != Some(patched)).then(|| format!("{name}: a tag for the head is added again"));
    left_out.into_iter().chain(doubled).collect()
}

/// The same for each deterministic fix of some codes, applied without the others.
pub(crate) fn alone_faults(name: &str, site: &Site, of: &[&str]) -> Vec<String> {
    let before = site.report();
    let Some(html) = Page::read(&site.page).html else { return Vec::new() };
    let is_asked = |fix: &&Fix| fix.class == FixClass::Deterministic && of.contains(&fix.code.as_str());
    let mut faults = Vec::new();
    for fix in before.fixes.iter().filter(is_asked) {
        let code = fix.code.as_str();
        let alone = alone(&before.patch, fix);
        // What goes into an edit of another fix, as into an element that moves, can't be applied without it.
        if alone.edits.is_empty() && alone.head.is_empty() && alone.files.is_empty() {
            continue;
        }
        let Some((mended, _)) = mended(site, &html, &alone) else {
            faults.push(format!("{name}: the fix of {code} does not apply to its own page"));
            continue;
        };
        let after = audit::codes(&mended.capture().0);
        faults.extend(after.contains(&code).then(|| format!("{name}: {code} stays after its own fix")));
        let new = new_codes(&before, &after);
        faults.extend(new.iter().map(|new| format!("{name}: {new} is new after the fix of {code}")));
    }
    faults
}

/// The part of a patch that mends one finding.
fn alone(patch: &Patch, fix: &Fix) -> Patch {
    let mut alone = patch.clone();
    let own = fix.snippet.as_deref().unwrap_or_default();
    let tags: Vec<&str> = patch.head.lines().filter(|tag| own.lines().any(|line| line == *tag)).collect();
    alone.head = tags.join("\n");
    // The head that a source lacks is made once, for whichever tag comes first.
    let makes_head = |edit: &Edit| edit.snippet.contains("<head>") && !edit.original.contains("<head>");
    let is_own = |edit: &Edit| edit.code == fix.code || edit.also.contains(&fix.code);
    alone.edits.retain(|edit| is_own(edit) || !tags.is_empty() && makes_head(edit));
    // Of a file that several fixes change, as this one alone would have it.
    alone.files.retain(|file| file.code == fix.code || fix.file.as_ref().is_some_and(|own| own.path == file.path));
    for file in &mut alone.files {
        if let Some(own) = fix.file.as_ref().filter(|own| own.path == file.path) {
            file.content.clone_from(&own.content);
        }
    }
    alone
}

/// The smallest pages that make a deterministic fix.
const PAGES: &[&str] = &[
    "<!doctype html><html lang=en><head><title>Bread</title><div></div><link rel=canonical href='mailto:x'><meta name=viewport content=''></head><body><h1>Bread</h1></body></html>",
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
    let faults = parallel::flat_map(&corpus(), |(name, bytes)| faults(name, &site(bytes)));
    assert_eq!(faults, Vec::<String>::new());
}
