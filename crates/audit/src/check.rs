//! Checks and families of checks, and how a check reports a problem.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use model::finding::{Impact, Place, Severity};
use model::fix::{FixClass, FixTarget};
use model::lang::{Phrase, Text, Value};

use crate::facts::Facts;
pub use crate::facts::NotMeasured;
use crate::facts::document::Element;
use crate::fix::FixDraft;

/// A family of checks: one subject, one file, one tool page.
#[derive(Debug)]
pub struct Family {
    /// Name in addresses: `/tools/canonical`. Also the name of its file.
    pub slug: &'static str,
    /// Its group in the catalog.
    pub category: Category,
    /// What its tool page says besides its checks.
    pub landing: Landing,
    /// Its checks, in the order in which a reader wants them.
    pub checks: &'static [Check],
}

/// The texts of a family's tool page; what it checks and how to fix it are read from its checks.
#[derive(Debug)]
pub struct Landing {
    /// Title of the document, and name of the tool in lists: what a person would search for, at most 60 characters.
    pub title: Text,
    /// The heading: the question that the tool answers.
    pub h1: Text,
    /// Meta description, 70 to 160 characters.
    pub description: Text,
    /// First paragraph: what it is for and why it matters, two or three sentences.
    pub lead: Text,
    /// A page on which the family fires, as source: the worked example. One of the family's fixtures.
    pub example: &'static str,
}

/// One check: everything known about it.
#[derive(Debug)]
pub struct Check {
    /// Stable for ever, never reused: `canonical_missing`.
    pub code: &'static str,
    /// How bad it is at its full extent; constant within a catalog version. See [`Problem::minor`].
    pub severity: Severity,
    /// What it blocks; [`Impact::Hygiene`] where it takes no points, and nowhere else.
    pub impact: Impact,
    /// What is wrong, as a heading.
    pub title: Text,
    /// What it costs the owner: one paragraph.
    pub why: Text,
    /// How to fix it, Markdown.
    pub how: Text,
    /// The standard or vendor page that says so.
    pub reference: &'static str,
    /// The exact rule in words, with its limits and what it leaves alone: `Fails when …`.
    pub rule: Text,
    /// The numbers of the rule, for programs.
    pub thresholds: &'static [Threshold],
    /// The best fix that there can be; a page that lacks the values gets less.
    pub remedy: Remedy,
    /// Catalog version that brought it.
    pub since: &'static str,
    /// The rule. Pure.
    pub run: fn(&Facts<'_>) -> Verdict,
}

/// A number that a rule compares with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threshold {
    /// What it bounds: `title_width`.
    pub name: &'static str,
    /// The number, from the constant that the rule uses.
    pub value: u64,
    /// What it counts: `bytes`, `pixels`, `ms`, `words`, `percent`.
    pub unit: &'static str,
}

/// A number of a rule, as the catalog tells it.
pub const fn threshold(name: &'static str, value: u64, unit: &'static str) -> Threshold {
    Threshold { name, value, unit }
}

/// What a fix of a check can be at best, and where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Remedy {
    /// How ready.
    pub class: FixClass,
    /// Where.
    pub target: FixTarget,
}

/// The best fix of a check.
pub const fn remedy(class: FixClass, target: FixTarget) -> Remedy {
    Remedy { class, target }
}

/// The first catalog version.
pub const FIRST: &str = "2026-11-20";
/// The version that made the catalog whole.
pub const WHOLE: &str = "2026-11-21";
/// The version that weighs a finding by its extent.
pub const PRECISION: &str = "2026-11-22";
/// The version that finds what a second reading of real pages missed.
pub const SECOND_READING: &str = "2026-11-23";
/// The version in which a page that nothing describes, neither for search results nor for shared links, has one cause for it.
pub const ONE_DESCRIPTION: &str = "2026-11-24";

/// `Ok(None)`: measured and fine. `Err`: could not be looked at, or has nothing to look at; yields no finding. A problem is in
/// a box because most checks find none, and a verdict is moved several times.
pub type Verdict = Result<Option<Box<Problem>>, NotMeasured>;

/// Measured and fine.
pub const PASS: Verdict = Ok(None);

/// What a check saw. Code and severity come from the [`Check`].
#[derive(Debug)]
pub struct Problem {
    /// The sentence, with its values filled in.
    pub message: Phrase,
    /// The values, for programs.
    pub values: BTreeMap<String, Value>,
    /// What makes it go away.
    pub fix: FixDraft,
    /// Where; at most [`MAX_PLACES`].
    pub places: Vec<Place>,
    /// Too little of the page is concerned for it to take points.
    pub is_minor: bool,
}

/// Places kept of one finding: more would only lengthen a report.
pub const MAX_PLACES: usize = 10;

/// A problem: its message with the values, and the fix. Places are added with [`Problem::on`] and [`Problem::at`], and
/// [`Problem::fail`] makes it the verdict.
pub fn problem(message: Text, values: &[(&str, Value)], fix: FixDraft) -> Problem {
    Problem {
        message: message.phrase(values),
        values: values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
        fix,
        places: Vec::new(),
        is_minor: false,
    }
}

impl Problem {
    /// Adds elements that show it. Those past [`MAX_PLACES`] are not looked at: a place costs a walk.
    pub fn on<'d>(self, elements: impl IntoIterator<Item: Borrow<Element<'d>>>) -> Self {
        self.at(elements.into_iter().map(|element| element.borrow().place()))
    }

    /// Adds places where it shows, as [`Self::on`] does.
    pub fn at(mut self, places: impl IntoIterator<Item = Place>) -> Self {
        let room = MAX_PLACES.saturating_sub(self.places.len());
        self.places.extend(places.into_iter().take(room));
        self
    }

    /// A problem of small extent on this page: its finding is `info`, whatever the severity of the check. The message
    /// says the extent, and the bound is a threshold of the check.
    pub fn minor(self) -> Self {
        Self { is_minor: true, ..self }
    }

    /// The same, where `is_minor`.
    pub fn minor_if(self, is_minor: bool) -> Self {
        Self { is_minor, ..self }
    }

    /// How bad it is on this page.
    pub(crate) fn severity(&self, check: &Check) -> Severity {
        if self.is_minor { Severity::Info } else { check.severity }
    }

    /// The verdict of a check that found it.
    pub fn fail(self) -> Verdict {
        Ok(Some(Box::new(self)))
    }
}

/// Whether `count` of `total` is less than so many percent: too few for a defect to take points.
pub fn is_few(count: usize, total: usize, percent: usize) -> bool {
    count.saturating_mul(100) < total.saturating_mul(percent)
}

/// Groups of the catalog, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the catalog's own; `title` says them in words")]
pub enum Category {
    Http,
    Indexing,
    Crawl,
    Canonical,
    Head,
    Content,
    Links,
    Images,
    StructuredData,
    I18n,
    Social,
    Performance,
    Security,
    Agents,
}

impl Category {
    /// Name in data and folders.
    pub fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Indexing => "indexing",
            Self::Crawl => "crawl",
            Self::Canonical => "canonical",
            Self::Head => "head",
            Self::Content => "content",
            Self::Links => "links",
            Self::Images => "images",
            Self::StructuredData => "structured_data",
            Self::I18n => "i18n",
            Self::Social => "social",
            Self::Performance => "performance",
            Self::Security => "security",
            Self::Agents => "agents",
        }
    }

    /// Name for a person.
    pub fn title(self) -> Text {
        let (en, pt) = match self {
            Self::Http => ("Access and redirects", "Acesso e redirecionamentos"),
            Self::Indexing => ("Index directives", "Diretivas de indexação"),
            Self::Crawl => ("robots.txt and sitemaps", "robots.txt e sitemaps"),
            Self::Canonical => ("Canonical URL", "URL canônica"),
            Self::Head => ("Document head", "Cabeçalho do documento"),
            Self::Content => ("Content and headings", "Conteúdo e títulos"),
            Self::Links => ("Links", "Links"),
            Self::Images => ("Images", "Imagens"),
            Self::StructuredData => ("Structured data", "Dados estruturados"),
            Self::I18n => ("Language and hreflang", "Idioma e hreflang"),
            Self::Social => ("Social cards", "Cartões sociais"),
            Self::Performance => ("Performance", "Desempenho"),
            Self::Security => ("Security", "Segurança"),
            Self::Agents => ("AI agents", "Agentes de IA"),
        };
        Text { en, pt }
    }
}

/// What a family file starts with.
pub mod prelude {
    pub use model::finding::{Impact, Place, Severity};
    pub use model::fix::{FixClass, FixTarget};
    pub use model::lang::{Text, Value, text};

    pub use super::{
        Category, Check, FIRST, Family, Landing, NotMeasured, PASS, PRECISION, Problem, SECOND_READING, Verdict, WHOLE,
        is_few, problem, remedy, threshold,
    };
    pub use crate::escape::{attribute, html_text};
    pub use crate::facts::Facts;
    pub use crate::facts::document::Element;
    pub use crate::fix::FixDraft;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_less_than_so_many_percent() {
        assert!(is_few(1, 11, 10));
        assert!(!is_few(1, 10, 10));
        assert!(!is_few(2, 11, 10));
        assert!(!is_few(0, 0, 10));
        assert!(!is_few(usize::MAX, usize::MAX, 10));
    }

    #[test]
    fn a_problem_of_small_extent_is_a_note() {
        let problem = || problem(text(), &[], FixDraft::instruction(model::fix::FixTarget::Page, text(), &[]));
        let check = crate::checks::find("title_missing").unwrap();
        assert_eq!(problem().severity(check), check.severity);
        assert_eq!(problem().minor().severity(check), Severity::Info);
        assert_eq!(problem().minor_if(true).severity(check), Severity::Info);
        assert_eq!(problem().minor_if(false).severity(check), check.severity);
        assert_eq!(problem().minor().minor_if(false).severity(check), check.severity);
    }

    fn text() -> Text {
        model::lang::text("A sentence.", "Uma frase.")
    }
}
