//! Checks of a site as a whole, and how one reports what it saw.

use std::collections::BTreeSet;

use model::finding::Severity;
use model::lang::{Phrase, Text, Value};

use crate::facts::{PageId, SiteFacts};

/// One check of a site: everything known about it.
#[derive(Debug)]
pub struct SiteCheck {
    /// Stable for ever, never reused: `broken_internal_link`.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as a heading.
    pub title: Text,
    /// What it costs the owner.
    pub why: Text,
    /// How to fix it.
    pub how: Text,
    /// The standard or vendor page that says so.
    pub reference: &'static str,
    /// The exact rule in words: `Fails when …`, and when it is not measured.
    pub rule: Text,
    /// What is said of all cases together: `{cases}` is their number, `{pages}` that of the pages concerned.
    pub message: Text,
    /// The rule. Pure.
    pub run: fn(&SiteFacts) -> SiteVerdict,
}

/// Cases that were found, none where all is fine; or why nothing can be said.
pub type SiteVerdict = Result<Vec<Case>, Unmeasured>;

/// One thing that is wrong: one address, or one group of pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// The address that is concerned.
    pub subject: String,
    /// What is the matter with it, in a sentence.
    pub note: Phrase,
    /// The pages to change, in order, each with what to look for there: the text of a link, a language.
    pub places: Vec<CasePlace>,
}

/// A page of a case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CasePlace {
    /// The page.
    pub page: PageId,
    /// What to look for there; may be empty.
    pub detail: String,
}

impl CasePlace {
    /// A page, as a whole.
    pub(crate) fn page(page: PageId) -> Self {
        Self { page, detail: String::new() }
    }
}

/// A case: its note with the values, and its pages.
pub(crate) fn case(
    subject: impl Into<String>,
    note: Text,
    values: &[(&str, Value)],
    places: impl IntoIterator<Item = CasePlace>,
) -> Case {
    Case { subject: subject.into(), note: note.phrase(values), places: places.into_iter().collect() }
}

/// A case of pages as wholes.
pub(crate) fn case_of(
    subject: impl Into<String>,
    note: Text,
    values: &[(&str, Value)],
    pages: impl IntoIterator<Item = PageId>,
) -> Case {
    case(subject, note, values, pages.into_iter().map(CasePlace::page))
}

/// Pages of some cases, each once.
pub(crate) fn pages_of(cases: &[Case]) -> BTreeSet<PageId> {
    cases.iter().flat_map(|case| &case.places).map(|place| place.page).collect()
}

/// Why a check of the site has no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unmeasured {
    /// The site has nothing of the kind.
    Absent,
    /// The limits of the run left addresses out, so that absence can't be claimed.
    Incomplete,
    /// The run did not ask for what the check needs.
    NotAsked,
    /// The sitemaps could not be read to their end.
    Sitemap,
}

impl Unmeasured {
    /// The word in outputs.
    pub fn word(self) -> &'static str {
        match self {
            Self::Absent => "absent",
            Self::Incomplete => "limit",
            Self::NotAsked => "not_asked",
            Self::Sitemap => "sitemap",
        }
    }
}

/// What a file of a check starts with.
pub(crate) mod prelude {
    pub(crate) use model::finding::Severity;
    pub(crate) use model::lang::{Text, text};

    pub(crate) use super::{CasePlace, SiteCheck, SiteVerdict, Unmeasured, case, case_of};
    pub(crate) use crate::facts::{DocumentNode, NodeAnswer, PageId, PageNode, RedirectEnd, SiteFacts};
}
