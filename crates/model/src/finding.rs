//! Findings: what a check saw on a page.
//!
//! Types with a text parameter `T` exist twice: with [`Phrase`] as the core makes and the store keeps them (both
//! languages), and with `String` as a caller reads them (one language).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lang::{Lang, Phrase, Text, Value, text};

/// How bad a finding is. Ordered from most to least severe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Stops indexing or correct display, exposes the site, or is invalid so that consumers drop it. Takes 18 points.
    Error,
    /// A measurable loss. Takes 8 points.
    Warn,
    /// Advice or a fact to know. Takes nothing.
    Info,
}

impl Severity {
    /// The wire word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
        }
    }

    /// Its name for people.
    pub fn name(self) -> Text {
        match self {
            Self::Error => text("Error", "Erro"),
            Self::Warn => text("Warning", "Aviso"),
            Self::Info => text("Note", "Observação"),
        }
    }
}

/// What a finding blocks. Ordered from what is fixed first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Impact {
    /// Whether search engines fetch the page, index it, and under which address.
    Indexing,
    /// Whether browsers and crawlers build the page as it is meant: encoding, layout, scripts, pictures.
    Rendering,
    /// How its result looks: rich results, snippet, icon.
    RichResult,
    /// How a shared link looks.
    Sharing,
    /// How well people can use it: accessibility, links, speed, safety.
    Use,
    /// Nothing: advice. The impact of every finding that takes no points.
    Hygiene,
}

impl Impact {
    /// The wire word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Indexing => "indexing",
            Self::Rendering => "rendering",
            Self::RichResult => "rich_result",
            Self::Sharing => "sharing",
            Self::Use => "use",
            Self::Hygiene => "hygiene",
        }
    }
}

/// One finding (Achado). At most one per code and audit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Achado")]
pub struct Finding<T = Phrase> {
    /// Severity.
    pub severity: Severity,
    /// Stable check code; findings are filtered and compared by it.
    pub code: String,
    /// One sentence for a person, with the measured values.
    pub message: T,
    /// The measured values by name, as a program reads them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Value>,
    /// Where on the page; at most 10.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Place>,
    /// What it blocks; absent in audits made before 2026-11-22.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub impact: Option<Impact>,
    /// What it takes from the score: 18, 8 or 0 by its severity, even where other findings alone take all 100. In audits
    /// made before 2026-11-22: what the score gained without it.
    #[serde(default)]
    pub points: i32,
    /// Codes that would be findings too, were this one not their cause. `coverage.silencedBy` says the same from their
    /// side.
    #[serde(default)]
    pub causes: Vec<String>,
    /// The finding that has the same cause and takes the points for both; this one is `info` then.
    #[serde(default, rename = "partOf", skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// The findings that have the same cause as this one and take no points of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
}

/// One place where a finding shows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Evidence")]
pub struct Place {
    /// CSS path of the element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// The file or address concerned, if it is not an element of the page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// As found, at most 160 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// 1-based line in the page or file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// 1-based column of the page, in characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Line at which the place ends.
    #[serde(default, rename = "endLine", skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// Column right after the place.
    #[serde(default, rename = "endColumn", skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
    /// Bytes of the page, decoded to UTF-8, before the place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<usize>,
    /// Bytes that the place takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
}

/// Findings per severity (ContagemAchados).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ContagemAchados")]
pub struct Counts {
    /// Number of `error` findings.
    pub errors: u32,
    /// Number of `warn` findings.
    pub warnings: u32,
    /// Number of `info` findings.
    pub info: u32,
}

impl Counts {
    /// Counts one more finding.
    pub fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Error => self.errors += 1,
            Severity::Warn => self.warnings += 1,
            Severity::Info => self.info += 1,
        }
    }
}

/// Findings of severity `info`, which take no points: what could be tidier, beside the score (Hygiene). Those that are
/// part of another finding are not counted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Hygiene")]
pub struct Hygiene {
    /// Total.
    pub total: u32,
    /// How many there are of each category of the catalog; categories without any are left out.
    pub categories: BTreeMap<String, u32>,
}

impl Finding<Phrase> {
    /// The finding as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> Finding<String> {
        Finding {
            severity: self.severity,
            code: self.code.clone(),
            message: self.message.in_lang(lang).to_owned(),
            values: self.values.clone(),
            evidence: self.evidence.clone(),
            impact: self.impact,
            points: self.points,
            causes: self.causes.clone(),
            part_of: self.part_of.clone(),
            parts: self.parts.clone(),
        }
    }
}
