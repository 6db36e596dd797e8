//! Opportunities and failed audits of a Lighthouse result.
//!
//! Lighthouse 13 replaced most opportunity audits by insights, which have no `overallSavingsMs`: their time is in
//! `metricSavings`, per metric, and their bytes in the details. Both kinds are read here by the same rule.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use model::lab::{FailingAudit, LabOpportunity};
use serde_json::Value;

use super::{cut, number, text};

/// Opportunities that are kept.
const MOST_OPPORTUNITIES: usize = 10;
/// Failed audits that are kept.
const MOST_FAILING: usize = 30;
/// A score from which on an audit passes (Lighthouse's own limit for its green mark).
const PASSES: f64 = 0.9;
/// Metrics of `metricSavings` in milliseconds; a layout shift has no unit.
const TIMED: [&str; 4] = ["FCP", "LCP", "TBT", "INP"];
/// Categories whose audits are judged, in the order of the scores.
const CATEGORIES: [&str; 4] = ["performance", "accessibility", "best-practices", "seo"];

/// An audit as a category refers to it.
struct Referred<'r> {
    id: &'r str,
    category: &'static str,
    weight: f64,
    audit: &'r Value,
    score: f64,
    mode: &'r str,
}

/// Audits of the judged categories that were measured and did not pass, without metrics and hidden ones, in the order of
/// the categories.
fn not_passed(result: &Value) -> Vec<Referred<'_>> {
    let audits = result.get("audits");
    let mut found = Vec::new();
    for category in CATEGORIES {
        let references = result.get("categories").and_then(|all| all.get(category)?.get("auditRefs")?.as_array());
        for reference in references.into_iter().flatten() {
            if matches!(text(Some(reference), "group"), Some("metrics" | "hidden")) {
                continue;
            }
            let Some(id) = text(Some(reference), "id") else { continue };
            let Some(audit) = audits.and_then(|audits| audits.get(id)) else { continue };
            // Informative audits may carry a score, and those that failed to run have none: the mode decides.
            let mode = text(Some(audit), "scoreDisplayMode").unwrap_or_default();
            let Some(score) = number(audit, "score").filter(|score| *score < PASSES) else { continue };
            if matches!(mode, "binary" | "numeric" | "metricSavings") {
                let weight = number(reference, "weight").unwrap_or_default();
                found.push(Referred { id, category, weight, audit, score, mode });
            }
        }
    }
    found
}

/// What changes would save, the biggest first.
pub(super) fn opportunities(result: &Value) -> Vec<LabOpportunity> {
    let mut found: Vec<LabOpportunity> = not_passed(result)
        .into_iter()
        .filter(|referred| referred.category == "performance" && referred.weight == 0.0)
        .filter_map(|referred| opportunity(&referred))
        .collect();
    found.sort_by_cached_key(|one| (Reverse(one.savings_ms), Reverse(one.savings_bytes), one.id.clone()));
    found.dedup_by(|a, b| a.id == b.id);
    found.truncate(MOST_OPPORTUNITIES);
    found
}

/// The savings of an audit; `None` where it names none.
fn opportunity(referred: &Referred<'_>) -> Option<LabOpportunity> {
    let (audit, details) = (referred.audit, referred.audit.get("details"));
    if referred.mode != "metricSavings" && text(details, "type") != Some("opportunity") {
        return None;
    }
    let by_metric = audit.get("metricSavings");
    let times = TIMED.iter().filter_map(|metric| number(by_metric?, metric));
    let ms = times.chain(details.and_then(|details| number(details, "overallSavingsMs"))).fold(0.0, f64::max);
    let bytes = details.and_then(|details| {
        number(details, "overallSavingsBytes").or_else(|| number(details.get("debugData")?, "wastedBytes"))
    });
    let savings_bytes = bytes.filter(|bytes| *bytes >= 1.0).map(|bytes| bytes.round() as u64);
    // A cast of a float to an integer saturates.
    let savings_ms = ms.round() as u32;
    (savings_ms > 0 || savings_bytes.is_some()).then(|| LabOpportunity {
        id: cut(referred.id),
        title: title(audit),
        savings_ms,
        savings_bytes,
        display: text(Some(audit), "displayValue").filter(|display| !display.is_empty()).map(cut),
    })
}

/// Audits that failed and are none of `opportunities`.
pub(super) fn failing(result: &Value, opportunities: &[LabOpportunity]) -> Vec<FailingAudit> {
    let candidates = not_passed(result);
    let mut seen: BTreeSet<&str> = opportunities.iter().map(|opportunity| opportunity.id.as_str()).collect();
    let mut found = Vec::new();
    for referred in &candidates {
        if !seen.insert(referred.id) {
            continue;
        }
        // The first category whose score it counts in, else the first that lists it.
        let weighed = candidates.iter().find(|other| other.id == referred.id && other.weight > 0.0);
        found.push(FailingAudit {
            id: cut(referred.id),
            title: title(referred.audit),
            category: weighed.unwrap_or(referred).category.to_owned(),
            score: referred.score,
        });
        if found.len() == MOST_FAILING {
            break;
        }
    }
    found
}

fn title(audit: &Value) -> String {
    text(Some(audit), "title").map(cut).unwrap_or_default()
}
