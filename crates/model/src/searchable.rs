//! Whether a search engine can show a page at all: said before its score, which is about how well it is made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lang::{Lang, Phrase};

/// Whether a search engine can show a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SearchState {
    /// Nothing keeps the page out of search.
    Yes,
    /// Something keeps the page out of search, whatever its score.
    No,
    /// Nothing was found that keeps it out, but not everything that could was looked at.
    Unknown,
}

impl SearchState {
    /// The wire word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// Whether the page can appear in search, with the reasons (Searchable).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Searchable")]
pub struct Searchable<T = Phrase> {
    /// The answer.
    pub state: SearchState,
    /// Codes of the findings that decide it; the sentence is about the first.
    pub reasons: Vec<String>,
    /// The answer as one sentence.
    pub text: T,
}

impl Searchable<Phrase> {
    /// As a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> Searchable<String> {
        Searchable { state: self.state, reasons: self.reasons.clone(), text: self.text.in_lang(lang).to_owned() }
    }

    /// The sentence that is said above everything else: only of a page that no search engine can show.
    pub fn alarm(&self, lang: Lang) -> Option<&str> {
        (self.state == SearchState::No).then(|| self.text.in_lang(lang))
    }
}

impl Searchable<String> {
    /// The sentence that is said above everything else: only of a page that no search engine can show.
    pub fn alarm(&self) -> Option<&str> {
        (self.state == SearchState::No).then_some(self.text.as_str())
    }
}
