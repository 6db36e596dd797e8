//! A site of a page and some files, asked as the engine asks.

use std::collections::BTreeMap;

use audit::SiteFiles;
use model::capture::{Capture, Coding, Extra, FailureKind, FetchFailure, Fetched, Hop, Want, WantKind};
use model::report::Report;
use url::Url;

use crate::capture::with_headers;

/// What a server has. Every other address answers 404, but for those that a page names: see [`Site::answer`].
#[derive(Clone)]
pub(crate) struct Site {
    /// The audited page, without other files.
    pub(crate) page: Capture,
    /// The one answer of each URL; a redirect is an answer.
    pub(crate) files: BTreeMap<String, Fetched>,
}

/// A text file that a server sends.
pub(crate) fn file(url: &str, status: u16, bytes: impl Into<Vec<u8>>) -> Fetched {
    let mut fetched = with_headers(url, &[("content-type", "text/plain")], bytes).page;
    if let Fetched::Response(exchange) = &mut fetched {
        exchange.status = status;
        exchange.body.coding = Coding::Identity;
    }
    fetched
}

/// No answer, after `hops`.
fn failed(kind: FailureKind, reason: &str, hops: Vec<Hop>, url: &str) -> Fetched {
    Fetched::Failed(FetchFailure { kind, reason: reason.to_owned(), hops, url: url.to_owned() })
}

/// Asks for an address as the fetcher does: from redirect to redirect, `most` of them. With none, a redirect is the
/// answer.
pub(crate) fn follow(files: &BTreeMap<String, Fetched>, url: &str, most: u8) -> Fetched {
    let mut hops: Vec<Hop> = Vec::new();
    let mut url = url.to_owned();
    loop {
        let mut exchange = match files.get(&url).cloned().unwrap_or_else(|| file(&url, 404, "")) {
            Fetched::Response(exchange) => exchange,
            Fetched::Failed(failure) => return failed(failure.kind, &failure.reason, hops, &url),
        };
        let location = exchange.header("location").filter(|_| matches!(exchange.status, 301 | 302 | 303 | 307 | 308));
        let Some(location) = location.filter(|_| most > 0) else {
            exchange.hops = hops;
            return Fetched::Response(exchange);
        };
        let next = Url::parse(&url).unwrap().join(location).unwrap().to_string();
        hops.push(Hop { url: url.clone(), status: exchange.status, location: location.to_owned() });
        if hops.len() > most.into() {
            return failed(FailureKind::Unreachable, "too_many_redirects", hops, &next);
        }
        if hops.iter().any(|hop| hop.url == next) {
            return failed(FailureKind::Unreachable, "redirect_loop", hops, &next);
        }
        url = next;
    }
}

impl Site {
    pub(crate) fn new(page: Capture) -> Self {
        Self { page, files: BTreeMap::new() }
    }

    /// The site with a file below `https://example.com` that answers 200.
    pub(crate) fn with(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.answering(path, 200, bytes)
    }

    /// The same with another status; status 0 stands for a server that does not answer.
    pub(crate) fn answering(mut self, path: &str, status: u16, bytes: impl Into<Vec<u8>>) -> Self {
        let url = format!("https://example.com{path}");
        let answer = match status {
            0 => failed(FailureKind::Timeout, "headers", Vec::new(), &url),
            _ => file(&url, status, bytes),
        };
        self.files.insert(url, answer);
        self
    }

    /// What a page names there mostly is: where nothing is said of it, it gives no answer, so that nothing is known.
    fn answer(&self, want: &Want) -> Fetched {
        use WantKind::{CanonicalTarget, HreflangTarget, LargestImage, OgImage, PlainHttp};
        let is_named = matches!(want.kind, CanonicalTarget | OgImage | HreflangTarget | LargestImage | PlainHttp);
        if is_named && !self.files.contains_key(&want.url) {
            return failed(FailureKind::Unreachable, "connect", Vec::new(), &want.url);
        }
        follow(&self.files, &want.url, want.kind.rules().max_redirects)
    }

    /// All that an audit asks for, round by round, and the capture in the engine's order.
    pub(crate) fn capture(&self) -> (Capture, Vec<Vec<Want>>) {
        let mut capture = self.page.clone();
        let page = audit::Page::read(&capture);
        let mut rounds = Vec::new();
        loop {
            let wants = audit::wanted(&capture, &page, &SiteFiles::read(&capture, &page));
            if wants.is_empty() {
                break;
            }
            rounds.push(wants.clone());
            for want in wants {
                assert!(capture.extras.iter().all(|extra| extra.want != want), "{} is asked for again", want.url);
                let fetched = self.answer(&want);
                capture.extras.push(Extra { want, fetched });
            }
        }
        capture.extras.sort_by(|a, b| (a.want.kind, &a.want.url).cmp(&(b.want.kind, &b.want.url)));
        assert_eq!(
            audit::wanted(&capture, &page, &SiteFiles::read(&capture, &page)),
            [],
            "what is wanted depends on the order of the answers"
        );
        (capture, rounds)
    }

    pub(crate) fn report(&self) -> Report {
        audit::report(&self.capture().0)
    }

    /// Paths of the sitemaps asked for, round by round.
    pub(crate) fn sitemaps_asked(&self) -> Vec<Vec<String>> {
        let paths = |wants: Vec<Want>| -> Vec<String> {
            let sitemaps = wants.into_iter().filter(|want| want.kind == WantKind::Sitemap);
            sitemaps.map(|want| want.url.replace("https://example.com", "")).collect()
        };
        self.capture().1.into_iter().map(paths).filter(|round| !round.is_empty()).collect()
    }
}
