//! What a report of a site is read with: when the run was, what changed since another, and which bars it failed.

use model::finding::Severity;
use model::lang::{Lang, Phrase, Text, text};
use model::time::Timestamp;
use serde::Serialize;

/// A run besides its report.
#[derive(Debug, Clone, PartialEq)]
pub struct RunNotes {
    /// When the run began.
    pub started_at: Timestamp,
    /// What changed since the baseline; `None` without one.
    pub changes: Option<SiteChanges>,
    /// The bars that the run failed, a sentence each.
    pub failed_bars: Vec<Phrase>,
}

/// What changed between two runs, the most severe first.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SiteChanges<T = Phrase> {
    /// Findings that only the later run has.
    pub broke: Vec<SiteChange<T>>,
    /// Findings that only the earlier run had.
    pub fixed: Vec<SiteChange<T>>,
}

/// A finding at an address, in one of two runs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SiteChange<T = Phrase> {
    /// How bad it is.
    pub severity: Severity,
    /// Its code.
    pub code: String,
    /// The address concerned.
    pub url: String,
    /// What is wrong, as a heading.
    pub title: T,
}

/// The heading of what broke.
pub(super) const BROKE: Text = text("Broke", "Quebrou");
/// The heading of what was fixed.
pub(super) const FIXED: Text = text("Fixed", "Corrigido");
/// Where nothing changed.
pub(super) const UNCHANGED: Text = text("Nothing was fixed and nothing broke.", "Nada foi corrigido e nada quebrou.");

impl SiteChanges {
    /// In one language.
    pub fn in_lang(&self, lang: Lang) -> SiteChanges<String> {
        let change = |change: &SiteChange| SiteChange {
            severity: change.severity,
            code: change.code.clone(),
            url: change.url.clone(),
            title: change.title.in_lang(lang).to_owned(),
        };
        SiteChanges { broke: self.broke.iter().map(change).collect(), fixed: self.fixed.iter().map(change).collect() }
    }
}
