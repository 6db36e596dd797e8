//! A finding of a site audit as it is listed.

use model::finding::Severity;
use model::lang::Lang;
use schemars::JsonSchema;
use serde::Serialize;
use site::{CaseView, FoldedFinding, Scope, SiteFinding};

/// A finding of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteFinding")]
pub struct SiteFindingListed {
    /// Its code.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, as a heading.
    pub title: String,
    /// Where it is, and where to fix it.
    pub message: String,
    /// How to fix it, Markdown.
    pub fix: String,
    /// Where it is fixed: `between_pages` for what shows only across pages; `site`, `template` or `pages` for findings of
    /// pages.
    pub scope: &'static str,
    /// The template, where it is fixed in one.
    pub template: Option<String>,
    /// Number of cases, or of pages that have it.
    pub total: usize,
    /// Points that the score of the site gains without it.
    pub gain: f64,
    /// Addresses concerned: the first 5, or with `code` at most 1,000.
    pub cases: Vec<SiteCaseListed>,
}

/// An address that a finding concerns.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteCase")]
pub struct SiteCaseListed {
    /// The address.
    pub url: String,
    /// What is the matter with it, where that differs from address to address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Number of pages to change.
    pub total: usize,
    /// Pages to change, each with what to look for there, where these are others: the first 5, or with `code` all that are kept.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pages: Vec<SiteSource>,
}

/// A page to change.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteSource")]
pub struct SiteSource {
    /// Its address.
    pub url: String,
    /// What to look for there: the text of a link, a value.
    pub detail: String,
}

/// A finding of a site, before it is written in a language.
pub(super) enum FoundOnSite<'r> {
    /// It shows only across pages.
    Between(&'r SiteFinding),
    /// One of its pages, told once.
    OnPages(&'r FoldedFinding),
}

impl FoundOnSite<'_> {
    pub(super) fn severity(&self) -> Severity {
        match self {
            Self::Between(finding) => finding.severity,
            Self::OnPages(finding) => finding.severity,
        }
    }

    pub(super) fn gain(&self) -> f64 {
        match self {
            Self::Between(finding) => finding.gain,
            Self::OnPages(finding) => finding.gain,
        }
    }

    /// In a language, with `most` of its addresses, and of the pages of each.
    pub(super) fn listed(&self, lang: Lang, most: usize) -> SiteFindingListed {
        match self {
            Self::Between(finding) => of_the_site(finding, lang, most),
            Self::OnPages(finding) => of_its_pages(finding, lang, most),
        }
    }
}

fn of_the_site(finding: &SiteFinding, lang: Lang, most: usize) -> SiteFindingListed {
    let source = |(url, detail): &(String, String)| SiteSource { url: url.clone(), detail: detail.clone() };
    let case = |case: &CaseView| SiteCaseListed {
        url: case.url.clone(),
        note: Some(case.note.in_lang(lang).to_owned()),
        total: case.total,
        pages: case.pages.iter().take(most).map(source).collect(),
    };
    SiteFindingListed {
        code: finding.code.to_owned(),
        severity: finding.severity,
        title: finding.title.in_lang(lang).to_owned(),
        message: finding.message.in_lang(lang).to_owned(),
        fix: finding.fix.in_lang(lang).to_owned(),
        scope: "between_pages",
        template: None,
        total: finding.total,
        gain: finding.gain,
        cases: finding.cases.iter().take(most).map(case).collect(),
    }
}

fn of_its_pages(finding: &FoldedFinding, lang: Lang, most: usize) -> SiteFindingListed {
    let (scope, template) = match &finding.scope {
        Scope::Site => ("site", None),
        Scope::Template(name) => ("template", Some(name.clone())),
        Scope::Pages => ("pages", None),
    };
    let case = |url: &String| SiteCaseListed { url: url.clone(), note: None, total: 1, pages: Vec::new() };
    SiteFindingListed {
        code: finding.code.clone(),
        severity: finding.severity,
        title: finding.title.in_lang(lang).to_owned(),
        message: finding.message.in_lang(lang).to_owned(),
        fix: finding.fix.in_lang(lang).to_owned(),
        scope,
        template,
        total: finding.total,
        gain: finding.gain,
        cases: finding.pages.iter().take(most).map(case).collect(),
    }
}
