//! Lab tests: what one simulated visit of a page measured, as Lighthouse reports it.
#![expect(missing_docs, reason = "the fields are the contract's own names; each struct says what it holds")]

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::lang::{Lang, Phrase};

/// The device that a lab test simulates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// A phone on a slow network.
    #[default]
    Mobile,
    /// A desktop computer.
    Desktop,
}

impl Strategy {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Mobile, Self::Desktop];

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mobile => "mobile",
            Self::Desktop => "desktop",
        }
    }

    /// Reads a name; `None` for any other text.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|strategy| strategy.name() == name)
    }
}

/// The latest lab test of each strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LabTestes")]
pub struct LabTests<T = Phrase> {
    pub mobile: Option<LabTest<T>>,
    pub desktop: Option<LabTest<T>>,
}

impl<T> Default for LabTests<T> {
    fn default() -> Self {
        Self { mobile: None, desktop: None }
    }
}

impl<T> LabTests<T> {
    /// The test of a strategy.
    pub fn of(&self, strategy: Strategy) -> Option<&LabTest<T>> {
        match strategy {
            Strategy::Mobile => self.mobile.as_ref(),
            Strategy::Desktop => self.desktop.as_ref(),
        }
    }

    /// Sets the test of its strategy.
    pub fn set(&mut self, test: LabTest<T>) {
        match test.strategy {
            Strategy::Mobile => self.mobile = Some(test),
            Strategy::Desktop => self.desktop = Some(test),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.mobile.is_none() && self.desktop.is_none()
    }
}

impl LabTests {
    /// The tests as a reader of `lang` gets them.
    pub fn in_lang(&self, lang: Lang) -> LabTests<String> {
        let one = |test: &Option<LabTest>| test.as_ref().map(|test| test.in_lang(lang));
        LabTests { mobile: one(&self.mobile), desktop: one(&self.desktop) }
    }
}

/// One lab test (LabTeste). Everything but status, strategy and start is absent while it runs; a failed one has a message and
/// no measurements. Titles and displayed values are in the language in which the test was started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "LabTeste")]
pub struct LabTest<T = Phrase> {
    pub status: LabStatus,
    pub strategy: Strategy,
    /// RFC 3339, UTC.
    pub started_at: String,
    /// When the page was loaded; RFC 3339, UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fetched_at: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lighthouse_version: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scores: Option<LabScores>,
    /// By Lighthouse's names: `largest-contentful-paint`, `total-blocking-time` and so on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metrics: BTreeMap<String, LabMetric>,
    /// The biggest savings first, at most 10. They overlap: their sum means nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub opportunities: Vec<LabOpportunity>,
    /// Failed audits of Lighthouse that are no opportunity, at most 30.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failing: Vec<FailingAudit>,
    /// Why the test failed, or what Lighthouse warns of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<T>,
    /// Who measured: results of different sources don't compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<LabSource>,
    /// Speed of the machine that measured, by Lighthouse's own benchmark: about 500 for a cheap phone, 1,500 and more for a
    /// computer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark_index: Option<f64>,
}

impl<T> LabTest<T> {
    /// Whether it has not ended.
    pub fn is_running(&self) -> bool {
        self.status == LabStatus::Running
    }
}

impl LabTest {
    /// The test as a reader of `lang` gets it.
    pub fn in_lang(&self, lang: Lang) -> LabTest<String> {
        let test = self.clone();
        LabTest {
            message: self.message.as_ref().map(|message| message.in_lang(lang).to_owned()),
            status: test.status,
            strategy: test.strategy,
            started_at: test.started_at,
            fetched_at: test.fetched_at,
            lighthouse_version: test.lighthouse_version,
            scores: test.scores,
            metrics: test.metrics,
            opportunities: test.opportunities,
            failing: test.failing,
            source: test.source,
            benchmark_index: test.benchmark_index,
        }
    }
}

/// State of a lab test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LabStatus {
    /// Running.
    Running,
    /// Finished with measurements.
    Finished,
    /// Failed; the message says why.
    Failed,
}

/// Who ran Lighthouse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LabSource {
    /// The PageSpeed Insights API, or a server that speaks the same JSON.
    PageSpeed,
    /// A program on this server's machine.
    Local,
}

/// Category scores, 0 to 100; null where a category was not measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabScores {
    pub performance: Option<u8>,
    pub accessibility: Option<u8>,
    pub best_practices: Option<u8>,
    pub seo: Option<u8>,
}

/// One metric: its value in `unit` (`millisecond`, `unitless`), as Lighthouse shows it, and its score of 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LabMetric {
    pub value: f64,
    pub unit: Option<String>,
    pub display: Option<String>,
    pub score: Option<f64>,
}

/// One audit of Lighthouse that estimates what a change would save.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LabOpportunity {
    pub id: String,
    pub title: String,
    /// Milliseconds of the metric that gains most.
    pub savings_ms: u32,
    pub savings_bytes: Option<u64>,
    pub display: Option<String>,
}

/// One failed audit of Lighthouse. `score` is 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FailingAudit {
    pub id: String,
    pub title: String,
    /// `performance`, `accessibility`, `best-practices` or `seo`.
    pub category: String,
    pub score: f64,
}

/// One picture of the page while it loads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabFrame {
    /// Milliseconds after the start of the load.
    pub at_ms: u32,
    /// A JPEG as a `data:` URL.
    pub image: String,
}
