//! One check in words, in the caller's language.

use audit::check::Threshold;
use model::finding::{Impact, Severity};
use model::fix::{FixClass, FixTarget};
use model::lang::Lang;
use schemars::JsonSchema;
use serde::Serialize;

use super::{CatalogEntry, conditions};
use crate::reason::in_words;

/// A check, as programs read it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Explained {
    /// Stable code, never reused.
    pub code: &'static str,
    /// Severity at full extent; a finding that affects little of a page is `info`.
    pub severity: Severity,
    /// What it blocks; `hygiene` if it costs no points.
    pub impact: Impact,
    /// Group of the catalog.
    pub category: &'static str,
    /// Slug of the tool that it belongs to.
    pub family: &'static str,
    /// What is wrong, as a heading.
    pub title: &'static str,
    /// Why it matters.
    pub why: &'static str,
    /// How to fix it, Markdown.
    pub how: &'static str,
    /// The exact rule, with its limits and what it leaves alone.
    pub rule: &'static str,
    /// The numbers of the rule.
    pub thresholds: Vec<CheckBound>,
    /// The standard or vendor page it is based on.
    pub reference: &'static str,
    /// The best possible fix; a page that lacks the values gets a lesser one.
    pub fix: CheckRemedy,
    /// When it is not measured, as far as known in advance; sorted by reason.
    pub not_measured: Vec<Reason>,
    /// Catalog version that added it.
    pub since: &'static str,
}

/// A reason why a check is not measured.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "NotMeasuredReason")]
pub struct Reason {
    /// The word of `coverage.notMeasured`; `absent`: one of `coverage.notApplicable`.
    pub reason: &'static str,
    /// The same in words.
    pub text: String,
}

/// A number that a rule compares with.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Threshold")]
pub struct CheckBound {
    /// What the number limits.
    pub name: &'static str,
    /// The number.
    pub value: u64,
    /// Unit of the number.
    pub unit: &'static str,
}

/// What a fix can be at best, and where it goes.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "BestFix")]
pub struct CheckRemedy {
    /// How ready.
    #[serde(rename = "classe")]
    pub class: FixClass,
    /// Where.
    #[serde(rename = "alvo")]
    pub target: FixTarget,
}

impl Explained {
    /// The check in a language. The first call takes some milliseconds, since it tries out when checks are not measured.
    pub fn new((family, check): CatalogEntry, lang: Lang) -> Self {
        Self {
            code: check.code,
            severity: check.severity,
            impact: check.impact,
            category: family.category.word(),
            family: family.slug,
            title: check.title.in_lang(lang),
            why: check.why.in_lang(lang),
            how: check.how.in_lang(lang),
            rule: check.rule.in_lang(lang),
            thresholds: check.thresholds.iter().map(CheckBound::from).collect(),
            reference: check.reference,
            fix: CheckRemedy { class: check.remedy.class, target: check.remedy.target },
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

impl From<&Threshold> for CheckBound {
    fn from(threshold: &Threshold) -> Self {
        Self { name: threshold.name, value: threshold.value, unit: threshold.unit }
    }
}
