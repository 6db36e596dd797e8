//! Progress of a run on standard error: one line that changes on a terminal, a line every ten seconds elsewhere.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

use model::lang::{Lang, Text, text};
use site::{PageAnswer, PageFacts};
use tokio::time::Instant;

use crate::cli::output::tell;

/// Time between two lines on a terminal, and elsewhere.
const OFTEN: Duration = Duration::from_millis(250);
const SELDOM: Duration = Duration::from_secs(10);

/// Tells how far a run is.
#[derive(Debug)]
pub(super) struct RunTeller {
    is_heard: bool,
    is_terminal: bool,
    lang: Lang,
    most: usize,
    begun: Instant,
    told: Instant,
    pages: usize,
    errors: usize,
}

impl RunTeller {
    /// For a run of so many pages at most.
    pub(super) fn new(quiet: bool, lang: Lang, most: u32) -> Self {
        let now = Instant::now();
        let is_terminal = std::io::stderr().is_terminal();
        Self { is_heard: !quiet, is_terminal, lang, most: most as usize, begun: now, told: now, pages: 0, errors: 0 }
    }

    /// Takes note of a page; `progress` are the addresses known and done.
    pub(super) fn page(&mut self, facts: &PageFacts, progress: (usize, usize)) {
        self.pages += 1;
        self.errors += usize::from(matches!(facts.answer, PageAnswer::Error(_) | PageAnswer::Failed(_)));
        let between = if self.is_terminal { OFTEN } else { SELDOM };
        if self.is_heard && self.told.elapsed() >= between {
            self.told = Instant::now();
            let line = line(progress, self.most, self.errors, self.pages, self.begun.elapsed(), self.lang);
            if self.is_terminal {
                // Progress that can't be shown is no reason to stop.
                drop(write!(std::io::stderr(), "\r\x1b[K{line}"));
            } else {
                tell(&line);
            }
        }
    }

    /// Ends the line of a terminal.
    pub(super) fn end(&self) {
        if self.is_heard && self.is_terminal {
            drop(write!(std::io::stderr(), "\r\x1b[K"));
        }
    }
}

/// A line: pages done and left, pages a second, errors, time left.
fn line(
    (known, done): (usize, usize),
    most: usize,
    errors: usize,
    pages: usize,
    elapsed: Duration,
    lang: Lang,
) -> String {
    const LINE: Text = text(
        "{done} {done|page|pages} done, {left} left, {rate} per second, {errors} {errors|error|errors}, {time} s left",
        "{done} {done|página pronta|páginas prontas}, {left} restantes, {rate} por segundo, {errors} {errors|erro|erros}, {time} s restantes",
    );
    let left = known.min(most).saturating_sub(done);
    let rate = pages as f64 / elapsed.as_secs_f64().max(0.001);
    let time = (left as f64 / rate.max(0.001)).ceil();
    let values = [
        ("done", done.into()),
        ("left", left.into()),
        ("rate", format!("{rate:.1}").into()),
        ("errors", errors.into()),
        ("time", format!("{time:.0}").into()),
    ];
    LINE.phrase(&values).in_lang(lang).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_how_far_a_run_is() {
        let line = line((300, 100), 1_000, 1, 100, Duration::from_secs(10), Lang::En);
        assert_eq!(line, "100 pages done, 200 left, 10.0 per second, 1 error, 20 s left");
    }
}
