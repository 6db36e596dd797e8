//! What scripts change of a page: the rendered page beside the HTML as received.
#![expect(missing_docs, reason = "the fields are the contract's own names; each struct says what it holds")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Severity;
use crate::lang::{Lang, Phrase};

/// The rendered page of a lab test, compared with the HTML that was audited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PaginaRenderizada")]
#[serde(rename_all = "camelCase", bound(deserialize = "T: serde::de::DeserializeOwned"))]
pub struct Rendered<T = Phrase> {
    /// Where the browser ended up.
    pub url: String,
    /// Empty where scripts change nothing of this.
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
    /// The address, where scripts lead to another one.
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
#[serde(bound(deserialize = "T: serde::de::DeserializeOwned"))]
pub struct RenderedFinding<T = Phrase> {
    pub code: String,
    pub severity: Severity,
    pub message: T,
    pub why: T,
    pub fix: T,
}
