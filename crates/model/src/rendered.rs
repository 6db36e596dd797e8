//! What scripts change of a page: the rendered page beside the HTML as received.
#![expect(missing_docs, reason = "the fields are the contract's own names; each struct says what it holds")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Severity;
use crate::lab::Strategy;
use crate::lang::{Lang, Phrase};

/// The rendered page of the latest lab test of each strategy; null where there is none. A site may send each
/// device another page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PaginasRenderizadas")]
pub struct RenderedPages<T = Phrase> {
    pub mobile: Option<Rendered<T>>,
    pub desktop: Option<Rendered<T>>,
}

impl<T> Default for RenderedPages<T> {
    fn default() -> Self {
        Self { mobile: None, desktop: None }
    }
}

impl<T> RenderedPages<T> {
    /// The page of a strategy.
    pub fn of(&self, strategy: Strategy) -> Option<&Rendered<T>> {
        match strategy {
            Strategy::Mobile => self.mobile.as_ref(),
            Strategy::Desktop => self.desktop.as_ref(),
        }
    }

    /// Sets the page of a strategy.
    pub fn set(&mut self, strategy: Strategy, page: Rendered<T>) {
        match strategy {
            Strategy::Mobile => self.mobile = Some(page),
            Strategy::Desktop => self.desktop = Some(page),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.mobile.is_none() && self.desktop.is_none()
    }
}

impl RenderedPages {
    /// The pages as a reader of `lang` gets them.
    pub fn in_lang(&self, lang: Lang) -> RenderedPages<String> {
        let one = |page: &Option<Rendered>| page.as_ref().map(|page| page.in_lang(lang));
        RenderedPages { mobile: one(&self.mobile), desktop: one(&self.desktop) }
    }
}

/// The rendered page of a lab test, compared with the HTML that was audited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PaginaRenderizada")]
#[serde(rename_all = "camelCase")]
pub struct Rendered<T = Phrase> {
    /// Final address in the browser.
    pub url: String,
    /// Empty if scripts change none of it.
    pub differences: Vec<RenderedDifference>,
    /// `rendered_differs`, where there is a difference. It takes no points.
    pub finding: Option<RenderedFinding<T>>,
}

impl Rendered {
    /// The comparison as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> Rendered<String> {
        let text = |phrase: &Phrase| phrase.in_lang(lang).to_owned();
        let finding = self.finding.as_ref().map(|finding| RenderedFinding {
            code: finding.code.clone(),
            severity: finding.severity,
            message: text(&finding.message),
            why: text(&finding.why),
            fix: text(&finding.fix),
        });
        Rendered { url: self.url.clone(), differences: self.differences.clone(), finding }
    }
}

/// One part of a page that scripts change. A value is null where the page has none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RenderedDifference {
    pub part: RenderedPart,
    /// In the HTML as received.
    pub source: Option<String>,
    /// After scripts have run.
    pub rendered: Option<String>,
}

/// A part of a page that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum RenderedPart {
    /// The address, if scripts navigate to another one.
    Url,
    /// All robots metas, joined.
    Robots,
    /// The first canonical, resolved.
    Canonical,
    Title,
    MetaDescription,
    /// Texts of all `h1`, joined.
    H1s,
    /// How many links there are, internal and external.
    Links,
    /// Types of structured data, joined.
    StructuredData,
}

/// What the differences mean, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RenderedFinding<T = Phrase> {
    pub code: String,
    pub severity: Severity,
    pub message: T,
    pub why: T,
    pub fix: T,
}
