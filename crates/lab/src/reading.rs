//! Reads a Lighthouse result, alone or in the envelope of the PageSpeed Insights API (version 5).
//!
//! Lenient: every member is optional, unknown ones are passed over, and texts and lists are cut to their limits. No audit is
//! looked up by a name that another version of Lighthouse may not have: roles are read from categories, groups and modes.

mod audits;
mod field;
mod filmstrip;
mod rendered;

use std::collections::BTreeMap;

use model::field_data::FieldData;
use model::lab::{FailingAudit, LabFrame, LabMetric, LabOpportunity, LabScores, Strategy};
use model::time::Timestamp;
use serde_json::Value;

use crate::failure::{Failure, PageFailure};
pub use rendered::RenderedPage;

/// Metrics of the performance score (Lighthouse 10 and later), and two that explain them.
const METRICS: [&str; 7] = [
    "first-contentful-paint",
    "largest-contentful-paint",
    "total-blocking-time",
    "cumulative-layout-shift",
    "speed-index",
    "interactive",
    "server-response-time",
];

/// Characters of a title or displayed value. The longest of Lighthouse have about 200.
const TEXT_CHARS: usize = 300;
/// Characters of all warnings together.
const WARNING_CHARS: usize = 1_000;

/// What is kept of a Lighthouse result.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Version of Lighthouse.
    pub version: Option<String>,
    /// When the page was loaded.
    pub fetched_at: Option<Timestamp>,
    /// Scores; at least one is known.
    pub scores: LabScores,
    /// Metrics that were measured, by Lighthouse's names.
    pub metrics: BTreeMap<String, LabMetric>,
    /// The biggest savings first, at most 10.
    pub opportunities: Vec<LabOpportunity>,
    /// Failed audits that are no opportunity, at most 30.
    pub failing: Vec<FailingAudit>,
    /// What Lighthouse warns of, in the language of the request.
    pub warnings: Option<String>,
    /// Speed of the machine that measured.
    pub benchmark_index: Option<f64>,
    /// Field data that came in the envelope, of the page or else of its origin.
    pub field_data: Option<FieldData>,
    /// Pictures of the page while it loads, where the provider gives them; at most 10. Not stored.
    pub frames: Vec<LabFrame>,
    /// The rendered page, where our own program was asked for it. Not stored.
    pub rendered: Option<RenderedPage>,
}

/// Reads the answer to a request for `strategy`. [`Failure::Page`] where Lighthouse could not measure the page,
/// [`Failure::Trouble`] where the bytes are no result, have no score, or are of the other strategy.
pub fn measured(answer: &[u8], strategy: Strategy) -> Result<Measured, Failure> {
    let answer: Value = serde_json::from_slice(answer).map_err(|_| Failure::Trouble("not_json"))?;
    let enveloped = answer.get("lighthouseResult");
    let result = enveloped.unwrap_or(&answer);
    if let Some(code) = text(result.get("runtimeError"), "code").filter(|code| *code != "NO_ERROR") {
        return Err(Failure::Page(PageFailure::new(code)));
    }
    let form_factor = result.get("configSettings").and_then(|settings| text(Some(settings), "formFactor"));
    if form_factor.is_some_and(|form_factor| form_factor != strategy.name()) {
        return Err(Failure::Trouble("other_strategy"));
    }
    let scores = scores(result);
    if scores == LabScores::default() {
        return Err(Failure::Trouble("no_scores"));
    }
    let time = text(Some(result), "fetchTime").or_else(|| text(Some(&answer), "analysisUTCTimestamp"));
    let opportunities = audits::opportunities(result);
    Ok(Measured {
        version: text(Some(result), "lighthouseVersion").map(cut),
        fetched_at: time.and_then(Timestamp::parse),
        scores,
        metrics: METRICS.iter().filter_map(|name| Some(((*name).to_owned(), metric(result, name)?))).collect(),
        failing: audits::failing(result, &opportunities),
        opportunities,
        warnings: warnings(result),
        benchmark_index: result.get("environment").and_then(|of| number(of, "benchmarkIndex")),
        field_data: enveloped.and_then(|_| field::field_data(&answer, strategy)),
        frames: filmstrip::frames(result),
        rendered: rendered::rendered(result),
    })
}

fn scores(result: &Value) -> LabScores {
    let score = |category: &str| {
        let score = number(result.get("categories")?.get(category)?, "score")?;
        // Between 0 and 100, so no cast loses anything.
        (0.0..=1.0).contains(&score).then(|| (score * 100.0).round() as u8)
    };
    LabScores {
        performance: score("performance"),
        accessibility: score("accessibility"),
        best_practices: score("best-practices"),
        seo: score("seo"),
    }
}

/// A metric that was measured.
fn metric(result: &Value, name: &str) -> Option<LabMetric> {
    let audit = result.get("audits")?.get(name)?;
    Some(LabMetric {
        value: number(audit, "numericValue").filter(|value| *value >= 0.0)?,
        unit: text(Some(audit), "numericUnit").map(cut),
        display: text(Some(audit), "displayValue").map(cut),
        score: number(audit, "score"),
    })
}

/// All warnings of the run as one text.
fn warnings(result: &Value) -> Option<String> {
    let warnings = result.get("runWarnings")?.as_array()?;
    let joined = warnings.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ");
    (!joined.is_empty()).then(|| joined.chars().take(WARNING_CHARS).collect())
}

/// A member that is a text.
fn text<'v>(of: Option<&'v Value>, name: &str) -> Option<&'v str> {
    of?.get(name)?.as_str()
}

/// A member that is a finite number.
fn number(of: &Value, name: &str) -> Option<f64> {
    of.get(name)?.as_f64().filter(|number| number.is_finite())
}

/// A text cut to its limit.
fn cut(text: &str) -> String {
    text.chars().take(TEXT_CHARS).collect()
}

#[cfg(test)]
mod tests;
