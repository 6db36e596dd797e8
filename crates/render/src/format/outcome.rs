//! Outcomes: requested pages, each with its report or error.

use model::finding::Place;
use model::lang::{Lang, Phrase};
use model::report::Report;
use model::time::Timestamp;
use serde_json::{Map, Value};

/// One requested page, and its report or error.
#[derive(Debug)]
pub struct PageOutcome {
    /// Its address: as it was read, or as it was typed where that can't be read.
    pub url: String,
    /// The file that it was read from, where it was not fetched.
    pub file: Option<String>,
    /// When its audit began.
    pub at: Timestamp,
    /// Its report, or why there is none.
    pub result: Result<Report, Unaudited>,
}

/// Why a page has no report.
#[derive(Debug, Clone)]
pub struct Unaudited {
    /// The stable code of the error.
    pub code: &'static str,
    /// What happened and what to do, as a sentence or two on one line.
    pub message: Phrase,
    /// The error as the API answers it, in English.
    pub fields_en: Map<String, Value>,
    /// The same in Portuguese.
    pub fields_pt: Map<String, Value>,
}

impl Unaudited {
    /// The message in a language.
    pub fn message(&self, lang: Lang) -> &str {
        self.message.in_lang(lang)
    }

    pub(super) fn fields(&self, lang: Lang) -> &Map<String, Value> {
        match lang {
            Lang::En => &self.fields_en,
            Lang::PtBr => &self.fields_pt,
        }
    }
}

impl PageOutcome {
    /// The address to show: where the page was found, else where it was looked for.
    pub(super) fn shown_url(&self) -> &str {
        self.result.as_ref().map_or(&self.url, |report| &report.url)
    }
}

/// Line and content of a place; with the address before, where it is in another file than the page.
pub(super) fn place(place: &Place) -> (String, &str) {
    let line = place.line.map(|line| format!("{line}: ")).unwrap_or_default();
    match (&place.snippet, &place.url, &place.selector) {
        (Some(snippet), Some(url), _) => (format!("{url} {line}"), snippet),
        (Some(shown), None, _) | (None, Some(shown), _) | (None, None, Some(shown)) => (line, shown),
        (None, None, None) => (line, ""),
    }
}
