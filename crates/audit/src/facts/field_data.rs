//! Field data as the CrUX API answers it (`records:queryRecord`).

use std::collections::BTreeMap;

use model::field_data::{CollectionPeriod, FieldData, FieldMetric, FieldScope};
use serde::Deserialize;

/// Metrics that are kept: the report has about ten.
const MOST_METRICS: usize = 32;

#[derive(Deserialize)]
struct CruxAnswer {
    record: Record,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    key: CruxKey,
    metrics: BTreeMap<String, Metric>,
    collection_period: Option<Period>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CruxKey {
    url: Option<String>,
    form_factor: Option<String>,
}

/// Metrics of other kinds, such as shares of form factors, have neither.
#[derive(Deserialize)]
struct Metric {
    percentiles: Option<Percentiles>,
    #[serde(default)]
    histogram: Vec<Bin>,
}

#[derive(Deserialize)]
struct Percentiles {
    p75: serde_json::Value,
}

#[derive(Deserialize)]
struct Bin {
    /// Left out where nobody is in it.
    density: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Period {
    first_date: Date,
    last_date: Date,
}

#[derive(Deserialize)]
struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    fn text(&self) -> String {
        format!("{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

/// Reads an answer; `None` where it is none, or has no metric of three bins and a percentile. Total on any bytes.
pub fn field_data(bytes: &[u8]) -> Option<FieldData> {
    let record = serde_json::from_slice::<CruxAnswer>(bytes).ok()?.record;
    let metrics: BTreeMap<String, FieldMetric> = record
        .metrics
        .into_iter()
        .filter_map(|(name, metric)| Some((name, metric.read()?)))
        .take(MOST_METRICS)
        .collect();
    let scope = if record.key.url.is_some() { FieldScope::Url } else { FieldScope::Origin };
    let period = record
        .collection_period
        .map(|period| CollectionPeriod { first_date: period.first_date.text(), last_date: period.last_date.text() });
    let data = FieldData { scope, form_factor: record.key.form_factor, metrics, collection_period: period };
    (!data.metrics.is_empty()).then_some(data)
}

impl Metric {
    fn read(self) -> Option<FieldMetric> {
        // A layout shift is written as text, "0.05"; durations are numbers.
        let p75 = match self.percentiles?.p75 {
            serde_json::Value::Number(number) => number.as_f64()?,
            serde_json::Value::String(text) => text.trim().parse().ok()?,
            _ => return None,
        };
        let [good, needs_improvement, poor] = self.histogram.as_slice() else { return None };
        let share = |bin: &Bin| bin.density.unwrap_or_default();
        let metric =
            FieldMetric { p75, good: share(good), needs_improvement: share(needs_improvement), poor: share(poor) };
        (metric.p75.is_finite() && metric.p75 >= 0.0).then_some(metric)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_is_read_with_text_percentiles_and_missing_bins() {
        let read = field_data(
            br#"{"record":{"key":{"url":"https://example.com/","formFactor":"PHONE"},"metrics":{
            "cumulative_layout_shift":{"histogram":[{"start":"0.00","end":"0.10","density":0.9},{"start":"0.10"},{"start":"0.25","density":0.1}],
              "percentiles":{"p75":"0.05"}},
            "largest_contentful_paint":{"histogram":[{"density":0.5},{"density":0.3},{"density":0.2}],"percentiles":{"p75":2600}},
            "form_factors":{"fractions":{"phone":1.0}}},
            "collectionPeriod":{"firstDate":{"year":2026,"month":10,"day":5},"lastDate":{"year":2026,"month":11,"day":1}}},
            "urlNormalizationDetails":{}}"#,
        )
        .unwrap();
        assert_eq!((read.scope, read.form_factor.as_deref()), (FieldScope::Url, Some("PHONE")));
        let shift = read.metrics.get("cumulative_layout_shift").unwrap();
        assert_eq!((shift.p75, shift.needs_improvement, shift.poor), (0.05, 0.0, 0.1));
        assert_eq!(read.metrics.len(), 2);
        assert_eq!(read.collection_period.unwrap().first_date, "2026-10-05");
    }

    #[test]
    fn what_is_no_record_is_none() {
        for none in [
            "",
            "[]",
            r#"{"error":{"code":404,"message":"chrome ux report data not found"}}"#,
            r#"{"record":{"key":{"origin":"https://example.com"},"metrics":{}}}"#,
            r#"{"record":{"key":{},"metrics":{"a":{"percentiles":{"p75":[]},"histogram":[{},{},{}]}}}}"#,
            r#"{"record":{"key":{},"metrics":{"a":{"percentiles":{"p75":"NaN"},"histogram":[{},{},{}]}}}}"#,
        ] {
            assert_eq!(field_data(none.as_bytes()), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _read = field_data(&bytes);
        }
    }
}
