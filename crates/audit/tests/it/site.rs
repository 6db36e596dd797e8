//! A site of a page and some files, asked as the engine asks.

use audit::SiteFiles;
use audit::example::{self, Answers};
use model::capture::{Capture, Extra, FailureKind, Want, WantKind};
use model::report::Report;

pub(crate) use audit::example::file;

/// What a server has. Every other address answers 404, but for those that a page names: see [`example::answer`].
#[derive(Clone)]
pub(crate) struct Site {
    /// The audited page, without other files.
    pub(crate) page: Capture,
    /// The one answer of each URL; a redirect is an answer.
    pub(crate) files: Answers,
}

impl Site {
    pub(crate) fn new(page: Capture) -> Self {
        Self { page, files: Answers::new() }
    }

    /// The site with a file below `https://example.com` that answers 200.
    pub(crate) fn with(self, path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        self.answering(path, 200, bytes)
    }

    /// The same with another status; status 0 stands for a server that does not answer.
    pub(crate) fn answering(mut self, path: &str, status: u16, bytes: impl Into<Vec<u8>>) -> Self {
        let url = format!("https://example.com{path}");
        let answer = match status {
            0 => example::failed(FailureKind::Timeout, "headers", Vec::new(), &url),
            _ => file(&url, status, bytes),
        };
        self.files.insert(url, answer);
        self
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
                let fetched = example::answer(&self.files, &want);
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
