//! Reasons for which a check is not measured, found by running every check on synthetic captures, one for each thing that
//! can be missing. A reason that none of these captures causes is not listed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use audit::{Page, SiteFiles};
use model::capture::{
    Body, BodyCut, Capture, Coding, Exchange, Extra, FailureKind, FetchFailure, Fetched, Source, Timing, Want, WantKind,
};
use model::time::Timestamp;

/// With nothing on it.
const BARE: &str = "<!doctype html><html><head></head><body></body></html>";

/// With something of most that checks look at.
const FULL: &str = r#"<!doctype html><html lang="en"><head><meta charset="utf-8"><title>How to bake bread at home</title>
<meta name="description" content="Four ingredients and a day of patience."><meta name="viewport" content="width=device-width">
<meta name="robots" content="index"><link rel="canonical" href="/bread"><link rel="icon" href="/icon.png">
<link rel="alternate" hreflang="pt" href="/pao"><meta property="og:image" content="/bread.jpg">
<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Bread"}</script>
<script src="/bread.js"></script></head><body><h1>Bread</h1><h2>Flour</h2><p>Mix flour, water, salt and leaven, and wait
until the dough has risen. The longer it waits, the better the loaf will be, and the easier the crust is to cut.</p>
<img src="/loaf.jpg"><a href="/flour">Flour</a><a href="https://example.org/" target="_blank">Mills</a></body></html>"#;

/// Which a script would fill.
const SHELL: &str = r#"<!doctype html><html lang="en"><head><meta charset="utf-8"><title>App</title></head><body>
<div id="root"></div><script src="/static/js/main.0a1b2c3d.js"></script></body></html>"#;

/// For each code the reasons why it may have no verdict. Tried once: some dozens of audits of tiny pages.
static FOUND: LazyLock<BTreeMap<String, BTreeSet<String>>> = LazyLock::new(found);

/// What can be missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lack {
    Nothing,
    Response,
    Success,
    Html,
    Challenge,
    Index,
    End,
    Network,
    Encryption,
    RobotsTxt,
    Sitemaps,
    Probes,
    JsonLd,
    Content,
}

impl Lack {
    const ALL: [Self; 14] = [
        Self::Nothing,
        Self::Response,
        Self::Success,
        Self::Html,
        Self::Challenge,
        Self::Index,
        Self::End,
        Self::Network,
        Self::Encryption,
        Self::RobotsTxt,
        Self::Sitemaps,
        Self::Probes,
        Self::JsonLd,
        Self::Content,
    ];
}

/// Tries every check.
fn found() -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::<String, BTreeSet<String>>::new();
    for lack in Lack::ALL {
        for html in [BARE, FULL, SHELL] {
            let coverage = audit::report(&capture(&without(html, lack), lack)).coverage;
            let absent = coverage.not_applicable.into_iter().map(|code| (code, "absent".to_owned()));
            for (code, reason) in coverage.not_measured.into_iter().chain(absent) {
                found.entry(code).or_default().insert(reason);
            }
        }
    }
    found
}

/// The reasons of one check, as `coverage` names them, sorted.
pub(super) fn of(code: &str) -> impl Iterator<Item = &'static str> {
    FOUND.get(code).into_iter().flatten().map(String::as_str)
}

/// The source of a page that lacks something.
fn without(html: &str, lack: Lack) -> String {
    match lack {
        Lack::JsonLd => html.replace("\"Bread\"}", "\"Bread\",}"),
        Lack::Content => html.replace(" content=", " value="),
        _ => html.to_owned(),
    }
}

/// A page that lacks something, with every file that the core wants beside it.
fn capture(html: &str, lack: Lack) -> Capture {
    let scheme = if lack == Lack::Encryption { "http" } else { "https" };
    let url = format!("{scheme}://example.com/bread");
    let page = match lack {
        Lack::Response => failed(&url),
        Lack::Success => response(&url, 404, &[HTML], html),
        Lack::Html => response(&url, 200, &[("content-type", "application/pdf")], "%PDF-1.7\n"),
        Lack::Challenge => response(&url, 403, &[HTML, ("cf-mitigated", "challenge")], html),
        Lack::Index => response(&url, 200, &[HTML, ("x-robots-tag", "noindex")], html),
        _ => response(&url, 200, &[HTML], html),
    };
    let mut capture = Capture {
        requested_url: url,
        started_at: Timestamp(0),
        nonce: "0".repeat(32),
        source: if lack == Lack::Network { Source::Supplied } else { Source::Network },
        page,
        extras: Vec::new(),
        field_data: None,
    };
    if let (Lack::End, Fetched::Response(exchange)) = (lack, &mut capture.page) {
        exchange.body.cut = Some(BodyCut::Size);
    }
    if capture.source == Source::Network {
        fetch_files(&mut capture, lack);
    }
    capture
}

/// Audits a capture as the engine does, without a network.
fn fetch_files(capture: &mut Capture, lack: Lack) {
    let page = Page::read(capture);
    loop {
        let wants = audit::wanted(capture, &page, &SiteFiles::read(capture, &page));
        let news: Vec<Want> =
            wants.into_iter().filter(|want| capture.extras.iter().all(|extra| extra.want != *want)).collect();
        if news.is_empty() {
            return;
        }
        capture.extras.extend(news.into_iter().map(|want| Extra { fetched: file(&want, lack), want }));
    }
}

/// One file beside the page.
fn file(want: &Want, lack: Lack) -> Fetched {
    const ROBOTS: &str = "User-agent: *\nAllow: /\nSitemap: https://example.com/sitemap.xml\n";
    const SITEMAP: &str = r#"<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>"#;
    match want.kind {
        WantKind::RobotsTxt if lack == Lack::RobotsTxt => failed(&want.url),
        WantKind::Sitemap if lack == Lack::Sitemaps => failed(&want.url),
        kind if kind.rules().probe && lack == Lack::Probes => failed(&want.url),
        WantKind::RobotsTxt => response(&want.url, 200, &[("content-type", "text/plain")], ROBOTS),
        WantKind::Sitemap => response(&want.url, 200, &[("content-type", "application/xml")], SITEMAP),
        _ => response(&want.url, 404, &[HTML], "missing"),
    }
}

const HTML: (&str, &str) = ("content-type", "text/html; charset=utf-8");

fn response(url: &str, status: u16, headers: &[(&str, &str)], body: &str) -> Fetched {
    Fetched::Response(Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status,
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: Body { bytes: body.into(), cut: None, coding: Coding::Identity },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    })
}

fn failed(url: &str) -> Fetched {
    Fetched::Failed(FetchFailure {
        kind: FailureKind::Timeout,
        reason: "headers".to_owned(),
        hops: Vec::new(),
        url: url.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_those_that_the_catalog_gives() {
        for (code, expected) in [
            ("hsts_missing", &["offline", "scheme"][..]),
            ("canonical_missing", &["status", "html", "trunc"]),
            ("h1_missing", &["shell", "status"]),
            ("robots_txt_missing", &["robots"]),
            ("sitemap_page_absent", &["sitemap", "noindex"]),
            ("favicon_missing", &["probe"]),
            ("jsonld_required_missing", &["jsonld", "noindex"]),
            ("viewport_missing", &["misspelt"]),
        ] {
            let reasons: BTreeSet<&str> = of(code).collect();
            for reason in expected {
                assert!(reasons.contains(reason), "{code}: {reason} is not in {reasons:?}");
            }
        }
        assert_eq!(of("unknown").count(), 0);
    }
}
