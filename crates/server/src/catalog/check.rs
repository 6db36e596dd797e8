//! One check in words, in the caller's language.

use audit::check::Threshold;
use model::finding::Severity;
use model::fix::{FixClass, FixTarget};
use model::lang::Lang;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Entry, conditions};
use crate::reason::in_words;

/// A check, as programs read it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Explained {
    /// Stable for ever, never reused.
    pub(crate) code: &'static str,
    /// How bad it is; the same on every page.
    pub(crate) severity: Severity,
    /// Group of the catalog.
    pub(crate) category: &'static str,
    /// Slug of the tool that it belongs to.
    pub(crate) family: &'static str,
    /// What is wrong, as a heading.
    pub(crate) title: &'static str,
    /// What it costs the owner.
    pub(crate) why: &'static str,
    /// How to mend it, Markdown.
    pub(crate) how: &'static str,
    /// The exact rule, with its limits and what it leaves alone.
    pub(crate) rule: &'static str,
    /// The numbers of the rule.
    pub(crate) thresholds: Vec<Bound>,
    /// The standard or vendor page that says so.
    pub(crate) reference: &'static str,
    /// The best fix that there can be; a page that lacks the values gets less.
    pub(crate) fix: Remedy,
    /// When it has no verdict, as far as that can be told beforehand: sorted by reason.
    pub(crate) not_measured: Vec<Reason>,
    /// Catalog version that brought it.
    pub(crate) since: &'static str,
}

/// A reason why a check is not measured.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotMeasuredReason")]
pub(crate) struct Reason {
    /// The word of `coverage.notMeasured`; `absent`: one of `coverage.notApplicable`.
    pub(crate) reason: &'static str,
    /// The same in words.
    pub(crate) text: String,
}

/// A number that a rule compares with.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Threshold")]
pub(crate) struct Bound {
    /// What it bounds.
    pub(crate) name: &'static str,
    /// The number.
    pub(crate) value: u64,
    /// What it counts.
    pub(crate) unit: &'static str,
}

/// What a fix can be at best, and where it goes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BestFix")]
pub(crate) struct Remedy {
    /// How ready.
    #[serde(rename = "classe")]
    pub(crate) class: FixClass,
    /// Where.
    #[serde(rename = "alvo")]
    pub(crate) target: FixTarget,
}

impl Explained {
    /// The check in a language. The first call takes some milliseconds, since it tries out when checks are not measured.
    pub(crate) fn new((family, check): Entry, lang: Lang) -> Self {
        Self {
            code: check.code,
            severity: check.severity,
            category: family.category.word(),
            family: family.slug,
            title: check.title.in_lang(lang),
            why: check.why.in_lang(lang),
            how: check.how.in_lang(lang),
            rule: check.rule.in_lang(lang),
            thresholds: check.thresholds.iter().map(Bound::from).collect(),
            reference: check.reference,
            fix: Remedy { class: check.remedy.class, target: check.remedy.target },
            not_measured: conditions::of(check.code).map(|reason| Reason::new(reason, lang)).collect(),
            since: check.since,
        }
    }
}

impl Reason {
    fn new(reason: &'static str, lang: Lang) -> Self {
        Self { reason, text: in_words(reason).in_lang(lang).to_owned() }
    }
}

impl From<&Threshold> for Bound {
    fn from(threshold: &Threshold) -> Self {
        Self { name: threshold.name, value: threshold.value, unit: threshold.unit }
    }
}
