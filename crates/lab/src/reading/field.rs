//! Field data in the answer of the PageSpeed Insights API: the same visits as in the Chrome UX Report, in another shape.

use std::collections::BTreeMap;

use model::field_data::{FieldData, FieldMetric, FieldScope};
use model::lab::Strategy;
use serde_json::Value;

use super::number;

/// Names of the metrics in the answer and in the Chrome UX Report, and by what a percentile is divided: layout shifts are
/// given as hundredths.
const METRICS: [(&str, &str, f64); 5] = [
    ("LARGEST_CONTENTFUL_PAINT_MS", "largest_contentful_paint", 1.0),
    ("INTERACTION_TO_NEXT_PAINT", "interaction_to_next_paint", 1.0),
    ("CUMULATIVE_LAYOUT_SHIFT_SCORE", "cumulative_layout_shift", 100.0),
    ("FIRST_CONTENTFUL_PAINT_MS", "first_contentful_paint", 1.0),
    ("EXPERIMENTAL_TIME_TO_FIRST_BYTE", "experimental_time_to_first_byte", 1.0),
];

/// Field data of the page, else of its origin; `None` where too few visitors were measured.
pub(super) fn field_data(answer: &Value, strategy: Strategy) -> Option<FieldData> {
    let (page, origin) = (answer.get("loadingExperience"), answer.get("originLoadingExperience"));
    let is_fallback = page.and_then(|page| page.get("origin_fallback")?.as_bool()).unwrap_or(false);
    let scope_of_page = if is_fallback { FieldScope::Origin } else { FieldScope::Url };
    [(page, scope_of_page), (origin, FieldScope::Origin)].into_iter().find_map(|(experience, scope)| {
        let metrics = metrics(experience?.get("metrics")?);
        (!metrics.is_empty()).then(|| FieldData {
            scope,
            form_factor: Some(form_factor(strategy).to_owned()),
            metrics,
            collection_period: None,
        })
    })
}

/// The visits that the API compares a strategy with, by the name of the Chrome UX Report.
fn form_factor(strategy: Strategy) -> &'static str {
    match strategy {
        Strategy::Mobile => "PHONE",
        Strategy::Desktop => "DESKTOP",
    }
}

fn metrics(of: &Value) -> BTreeMap<String, FieldMetric> {
    METRICS
        .iter()
        .filter_map(|(theirs, ours, divisor)| {
            let metric = of.get(theirs)?;
            let [good, needs_improvement, poor] = metric.get("distributions")?.as_array()?.as_slice() else {
                return None;
            };
            let share = |bin: &Value| number(bin, "proportion").unwrap_or_default();
            let read = FieldMetric {
                p75: number(metric, "percentile").filter(|percentile| *percentile >= 0.0)? / divisor,
                good: share(good),
                needs_improvement: share(needs_improvement),
                poor: share(poor),
            };
            Some(((*ours).to_owned(), read))
        })
        .collect()
}
