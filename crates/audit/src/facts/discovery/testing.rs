//! Captures for the tests of the probes.

use model::capture::{
    Body, BodyCut, Capture, Exchange, Extra, FailureKind, FetchFailure, Fetched, Hop, Source, Timing, Want, WantKind,
};
use model::discovery::{DiscoveryCheck, DiscoveryStatus};
use model::time::Timestamp;

use super::ProbedSite;
use crate::facts::known::Facts;
use crate::facts::robots_txt::RobotsState;
use crate::facts::site_files::SiteFiles;
use crate::facts::walk::Page;

/// Where the page of every test lies.
pub(in crate::facts) const PAGE: &str = "https://example.com/docs/page";
/// 2026-11-21, noon: the "now" of every test.
pub(in crate::facts) const NOW: Timestamp = Timestamp(1_795_262_400_000);

/// A response without redirects.
pub(in crate::facts) fn exchange(
    url: &str,
    status: u16,
    headers: &[(&str, &str)],
    body: impl Into<Vec<u8>>,
) -> Exchange {
    Exchange {
        hops: Vec::new(),
        url: url.to_owned(),
        status,
        headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        body: Body { bytes: body.into().into(), ..Body::default() },
        timing: Timing::default(),
        ambiguous_length: false,
        certificate: None,
    }
}

/// A page with its source and headers, and nothing asked yet.
pub(in crate::facts) fn capture(source: &str, headers: &[(&str, &str)]) -> Capture {
    let all: Vec<(&str, &str)> = [("content-type", "text/html")].into_iter().chain(headers.iter().copied()).collect();
    Capture {
        requested_url: PAGE.to_owned(),
        started_at: NOW,
        nonce: "0f".repeat(16),
        source: Source::Network,
        page: Fetched::Response(exchange(PAGE, 200, &all, source)),
        extras: Vec::new(),
        field_data: None,
    }
}

/// An answer to one request; `path` is the one asked for, or a whole address.
pub(in crate::facts) fn extra(
    kind: WantKind,
    path: &str,
    status: u16,
    media_type: &str,
    body: impl Into<Vec<u8>>,
) -> Extra {
    let url = url::Url::parse(PAGE).unwrap().join(path).unwrap().to_string();
    let fetched = Fetched::Response(exchange(&url, status, &[("content-type", media_type)], body));
    Extra { want: Want { kind, url }, fetched }
}

/// A redirect that is itself the answer.
pub(in crate::facts) fn redirecting(kind: WantKind, path: &str, status: u16, location: &str) -> Extra {
    let mut out = extra(kind, path, status, "text/html", "");
    if let Fetched::Response(exchange) = &mut out.fetched {
        exchange.headers.push(("location".to_owned(), location.to_owned()));
    }
    out
}

/// The same answer after a redirect to `url`.
pub(in crate::facts) fn after_redirect(mut extra: Extra, url: &str) -> Extra {
    if let Fetched::Response(exchange) = &mut extra.fetched {
        exchange.hops = vec![Hop { url: extra.want.url.clone(), status: 302, location: url.to_owned() }];
        exchange.url = url.to_owned();
    }
    extra
}

/// The same answer with its body cut.
pub(in crate::facts) fn cut(mut extra: Extra, reason: BodyCut) -> Extra {
    if let Fetched::Response(exchange) = &mut extra.fetched {
        exchange.body.cut = Some(reason);
    }
    extra
}

/// The same answer with one more header.
pub(in crate::facts) fn with_header(mut extra: Extra, name: &str, value: &str) -> Extra {
    if let Fetched::Response(exchange) = &mut extra.fetched {
        exchange.headers.push((name.to_owned(), value.to_owned()));
    }
    extra
}

/// No answer to one request.
pub(in crate::facts) fn failed(kind: WantKind, path: &str, failure: FailureKind) -> Extra {
    let url = url::Url::parse(PAGE).unwrap().join(path).unwrap().to_string();
    let failure = FetchFailure { kind: failure, reason: "reason".to_owned(), hops: Vec::new(), url: url.clone() };
    Extra { want: Want { kind, url }, fetched: Fetched::Failed(failure) }
}

/// A missing path of the site: how it answers.
pub(in crate::facts) fn missing(status: u16, body: &str) -> Extra {
    extra(WantKind::NotFound, "/0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f", status, "text/html", body)
}

/// The missing path below `/.well-known/`.
pub(in crate::facts) fn missing_well_known(status: u16) -> Extra {
    extra(WantKind::NotFoundWellKnown, super::not_found::WELL_KNOWN, status, "text/html", "<p>x")
}

/// Runs `with` on the site of a page and the answers to its probes.
pub(in crate::facts) fn with_site<T>(
    source: &str,
    headers: &[(&str, &str)],
    extras: Vec<Extra>,
    with: impl FnOnce(&ProbedSite<'_>) -> T,
) -> T {
    let mut capture = capture(source, headers);
    capture.extras = extras;
    let page = Page::read(&capture);
    let robots = capture
        .extras
        .iter()
        .find(|extra| extra.want.kind == WantKind::RobotsTxt)
        .map(|extra| RobotsState::read(&extra.fetched));
    let site = ProbedSite::new(&capture, page.html.as_ref(), robots.as_ref()).unwrap();
    with(&site)
}

/// Fails unless the verdict is `status` and its English message holds `words`; both languages must be there and whole.
pub(in crate::facts) fn expect(check: &DiscoveryCheck, status: DiscoveryStatus, words: &str) {
    assert_eq!(check.status, status, "{}", check.message.en);
    assert!(check.message.en.contains(words), "{} lacks {words}", check.message.en);
    for message in [&check.message.en, &check.message.pt] {
        for place in ["{file", "{status", "{bytes", "{count", "{name", "{value", "{url", "{type", "{links"] {
            assert!(!message.contains(place), "{message}");
        }
        assert!(message.ends_with('.'), "{message}");
    }
    assert!(check.reference.starts_with("https://"));
}

/// Asks facts of a page and answers.
pub(in crate::facts) fn with_facts<T>(source: &str, extras: Vec<Extra>, with: impl FnOnce(&Facts<'_>) -> T) -> T {
    let mut capture = capture(source, &[]);
    capture.extras = extras;
    let page = Page::read(&capture);
    let files = SiteFiles::read(&capture, &page);
    with(&Facts::new(&capture, &page, &files))
}
