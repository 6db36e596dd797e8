//! Pages as a person writes them down, and what an audit of one sees: the worked examples of the families, which are
//! fixtures too.
//!
//! An example is the source of one page, with the usual headers on a site that has nothing else, or a list of answers
//! (`example/http_file.rs`) when a line of it begins with `GET`.

mod http_file;

use std::collections::BTreeMap;

use model::capture::{
    Body, Capture, Coding, Exchange, Extra, FailureKind, FetchFailure, Fetched, Hop, Source, Timing, Want, WantKind,
};
use model::time::Timestamp;
use url::Url;

use crate::facts::site_files::SiteFiles;
use crate::facts::walk::Page;
use crate::wanted::wanted;

/// Where the page of an example is that does not say so.
pub const PAGE_URL: &str = "https://example.com/page";
/// When examples are audited: 2026-11-21, the day of the catalog.
const STARTED_AT: Timestamp = Timestamp(1_795_219_200_000);
/// Their chance.
const NONCE: &str = "0123456789abcdef0123456789abcdef";
/// Redirects that are followed to a page (the fetcher's `PAGE_REDIRECTS`).
const PAGE_REDIRECTS: u8 = 10;

/// The answer of this address is the field data of the page, which is asked for with POST.
const FIELD_DATA: &str = "https://chromeuxreport.googleapis.com/v1/records:queryRecord";

/// The answers of a site by URL; a redirect is an answer. Every other address answers 404, but for those that a page
/// names: see [`answer`].
pub type Answers = BTreeMap<String, Fetched>;

/// What an audit of an example sees. An example that can't be read is said to be so, with the line.
pub fn capture(source: &str) -> Result<Capture, String> {
    let (mut capture, answers) = site(source)?;
    let page = Page::read(&capture);
    loop {
        let wants = wanted(&capture, &page, &SiteFiles::read(&capture, &page));
        if wants.is_empty() {
            break;
        }
        capture.extras.extend(wants.into_iter().map(|want| Extra { fetched: answer(&answers, &want), want }));
    }
    capture.extras.sort_by(|a, b| (a.want.kind, &a.want.url).cmp(&(b.want.kind, &b.want.url)));
    Ok(capture)
}

/// The page of an example, without other files, and what its site answers.
pub fn site(source: &str) -> Result<(Capture, Answers), String> {
    if !source.lines().any(|line| line.starts_with("GET ")) {
        return Ok((page(PAGE_URL, source), Answers::new()));
    }
    let answers = http_file::read(source)?;
    let url = answers.first().map(|(url, _)| url.clone()).unwrap_or_default();
    let mut answers: Answers = answers.into_iter().collect();
    let field_data = answers.remove(FIELD_DATA);
    let field_data = field_data.and_then(|answer| crate::facts::field_data::field_data(&answer.response()?.body.bytes));
    let source = if http_file::is_supplied(source) { Source::Supplied } else { Source::Network };
    Ok((Capture { page: follow(&answers, &url, PAGE_REDIRECTS), source, field_data, ..page(&url, "") }, answers))
}

/// A response that a well-kept server gives for these bytes.
pub fn page(url: &str, bytes: impl Into<Vec<u8>>) -> Capture {
    const USUAL: [(&str, &str); 5] = [
        ("content-type", "text/html; charset=utf-8"),
        ("strict-transport-security", "max-age=31536000"),
        ("content-security-policy", "default-src 'self'; frame-ancestors 'self'"),
        ("x-content-type-options", "nosniff"),
        ("etag", "\"1\""),
    ];
    with_headers(url, &USUAL, bytes)
}

/// The same with headers of its own.
pub fn with_headers(url: &str, headers: &[(&str, &str)], bytes: impl Into<Vec<u8>>) -> Capture {
    Capture {
        requested_url: url.to_owned(),
        started_at: STARTED_AT,
        nonce: NONCE.to_owned(),
        source: Source::Network,
        // Compressed, as pages are: else a patch that makes a small page larger would make compression worth it.
        page: Fetched::Response(response(url, 200, headers, Coding::Decoded("gzip".to_owned()), bytes.into())),
        extras: Vec::new(),
        field_data: None,
    }
}

/// A text file that a server sends.
pub fn file(url: &str, status: u16, bytes: impl Into<Vec<u8>>) -> Fetched {
    Fetched::Response(response(url, status, &[("content-type", "text/plain")], Coding::Identity, bytes.into()))
}

/// No answer, after `hops`.
pub fn failed(kind: FailureKind, reason: &str, hops: Vec<Hop>, url: &str) -> Fetched {
    Fetched::Failed(FetchFailure { kind, reason: reason.to_owned(), hops, url: url.to_owned() })
}

/// What a site answers to what an audit wants. What a page names there mostly is: where nothing is said of it, it gives
/// no answer, so that nothing is known.
pub fn answer(answers: &Answers, want: &Want) -> Fetched {
    use WantKind::{CanonicalTarget, HreflangTarget, LargestImage, OgImage, PlainHttp};
    let is_named = matches!(want.kind, CanonicalTarget | OgImage | HreflangTarget | LargestImage | PlainHttp);
    if is_named && !answers.contains_key(&want.url) {
        return failed(FailureKind::Unreachable, "connect", Vec::new(), &want.url);
    }
    follow(answers, &want.url, want.kind.rules().max_redirects)
}

/// Asks for an address as the fetcher does: from redirect to redirect, `most` of them. With none, a redirect is the
/// answer.
fn follow(answers: &Answers, url: &str, most: u8) -> Fetched {
    let mut hops: Vec<Hop> = Vec::new();
    let mut url = url.to_owned();
    loop {
        let mut exchange = match answers.get(&url).cloned().unwrap_or_else(|| file(&url, 404, "")) {
            Fetched::Response(exchange) => exchange,
            Fetched::Failed(failure) => return failed(failure.kind, &failure.reason, hops, &url),
        };
        let location = exchange.header("location").filter(|_| matches!(exchange.status, 301 | 302 | 303 | 307 | 308));
        let Some(location) = location.filter(|_| most > 0).map(str::to_owned) else {
            exchange.hops = hops;
            return Fetched::Response(exchange);
        };
        let next = Url::parse(&url).and_then(|url| url.join(&location)).map(String::from);
        hops.push(Hop { url: url.clone(), status: exchange.status, location });
        let Ok(next) = next else { return failed(FailureKind::Unreachable, "redirect_location", hops, &url) };
        if hops.len() > most.into() {
            return failed(FailureKind::Unreachable, "too_many_redirects", hops, &next);
        }
        if hops.iter().any(|hop| hop.url == next) {
            return failed(FailureKind::Unreachable, "redirect_loop", hops, &next);
        }
        url = next;
    }
}

fn response(url: &str, status: u16, headers: &[(&str, &str)], coding: Coding, bytes: Vec<u8>) -> Exchange {
    Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status,
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: Body { bytes: bytes.into(), coding, cut: None },
        timing: Timing { ttfb_ms: Some(20), total_ms: 30, ..Timing::default() },
        ambiguous_length: false,
        certificate: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_is_a_page_or_a_list_of_answers() {
        let page = capture("<!doctype html><title>Rye</title>").unwrap();
        assert_eq!(page.requested_url, PAGE_URL);
        assert!(page.extras.iter().all(|extra| extra.fetched.response().is_none_or(|file| file.status == 404)));
        let listed = "GET https://a.example/\n301\nLocation: /b\n\nGET https://a.example/b\n200\n\n<p>b\n";
        let followed = capture(listed).unwrap();
        let exchange = followed.page.response().unwrap();
        assert_eq!((exchange.url.as_str(), exchange.hops.len()), ("https://a.example/b", 1));
        assert_eq!(capture("GET /\n200").unwrap_err(), "line 1: after GET comes a whole URL, in its normal form");
    }

    #[test]
    fn redirects_end() {
        let redirect = |from: &str, to: &str| format!("GET https://a.example{from}\n302\nLocation: {to}\n\n");
        let of = |source: String| capture(&source).unwrap().page;
        let Fetched::Failed(circle) = of(redirect("/", "/b") + &redirect("/b", "/")) else { panic!("it went on") };
        assert_eq!(circle.reason, "redirect_loop");
        let Fetched::Failed(nowhere) = of(redirect("/", "http://[/")) else { panic!("it went on") };
        assert_eq!(nowhere.reason, "redirect_location");
    }
}
