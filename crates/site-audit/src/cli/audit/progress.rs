//! Progress on standard error, on a terminal only.

use std::io::IsTerminal as _;
use std::sync::Arc;

use model::lang::{Lang, Text, text};
use tokio::time::Instant;

use crate::cli::output::tell;
use engine::{AuditStep, Progress};
use render::format::PageOutcome;
use render::shown::{address, printable};

/// Prints the steps of one page, or each finished page of several.
#[derive(Debug)]
pub(super) struct Teller {
    is_heard: bool,
    pages: usize,
    done: usize,
    lang: Lang,
}

impl Teller {
    /// For a number of pages. Silent unless standard error is a terminal.
    pub(super) fn new(quiet: bool, pages: usize, lang: Lang) -> Self {
        Self { is_heard: !quiet && std::io::stderr().is_terminal(), pages, done: 0, lang }
    }

    /// The language of the lines.
    pub(super) fn lang(&self) -> Lang {
        self.lang
    }

    /// Whether anybody reads them.
    pub(super) fn is_heard(&self) -> bool {
        self.is_heard
    }

    /// The callback for the steps of a page; `None` for several pages, whose steps would mix.
    pub(super) fn of_steps(&self) -> Option<Progress> {
        if !self.is_heard || self.pages != 1 {
            return None;
        }
        let (begun, lang) = (Instant::now(), self.lang);
        Some(Arc::new(move |step| tell(&step_line(step, begun.elapsed().as_secs_f64(), lang))))
    }

    /// Prints that one of several pages is done.
    pub(super) fn page_done(&mut self, outcome: &PageOutcome) {
        self.done += 1;
        if self.is_heard && self.pages > 1 {
            tell(&page_line(self.done, self.pages, outcome, self.lang));
        }
    }
}

/// A step, and when it ended: seconds since the start.
fn step_line(step: AuditStep, seconds: f64, lang: Lang) -> String {
    let what = match step {
        AuditStep::Page(_) => text("page fetched", "página obtida"),
        AuditStep::Files(_) => text("robots.txt and sitemaps read", "robots.txt e sitemaps lidos"),
        AuditStep::Discovery(_) => text("discovery files read", "arquivos de descoberta lidos"),
        AuditStep::Judged => text("checks run", "verificações feitas"),
    };
    format!("{seconds:>6.1} s  {}", what.in_lang(lang))
}

/// A page, and how many of all it makes.
fn page_line(nth: usize, pages: usize, outcome: &PageOutcome, lang: Lang) -> String {
    const OF: Text = text("{nth} of {pages}", "{nth} de {pages}");
    let count = OF.phrase(&[("nth", nth.into()), ("pages", pages.into())]);
    let score = outcome.result.as_ref().map_or_else(|_| "✗".to_owned(), |report| report.score.to_string());
    format!("{}  {score:>3}  {}", count.in_lang(lang), printable(&address(&outcome.url)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::capture::{FailureKind, FetchFailure};

    use super::super::super::failure::unfetched;
    use super::super::supplied;

    fn audited() -> PageOutcome {
        let page = std::env::temp_dir().join(format!("site-audit-progress-{}.html", std::process::id()));
        std::fs::write(&page, "<title>One</title>").unwrap();
        let outcome = supplied::audit(&page, "https://example.com/").unwrap();
        std::fs::remove_file(page).unwrap();
        outcome
    }

    fn blocked() -> PageOutcome {
        let url = "https://example.com/\u{1b}[2J|<b>".to_owned();
        let failure = FetchFailure {
            kind: FailureKind::Timeout,
            reason: "first_byte".to_owned(),
            hops: Vec::new(),
            url: url.clone(),
        };
        PageOutcome { url, file: None, at: model::time::Timestamp(0), result: Err(unfetched(failure)) }
    }

    #[test]
    fn lines_say_what_is_done_and_how_much_there_is() {
        let page = AuditStep::Page(engine::FetchedPage { status: 200, redirects: 0, bytes: 0 });
        assert_eq!(step_line(page, 0.26, Lang::En), "   0.3 s  page fetched");
        assert!(page_line(3, 20, &audited(), Lang::PtBr).starts_with("3 de 20  "));
        assert_eq!(page_line(1, 2, &blocked(), Lang::En), "1 of 2    ✗  https://example.com/\\u{1b}[2J|<b>");
    }

    #[test]
    fn nobody_is_told_who_asked_for_quiet() {
        assert!(Teller::new(true, 1, Lang::En).of_steps().is_none());
    }
}
