use std::path::PathBuf;

use model::field_data::FieldScope;
use proptest::prelude::{any, proptest};
use serde_json::json;

use super::*;

/// A small result as Lighthouse 13 writes it, with an audit of each kind.
const RESULT: &str = include_str!("result.json");

/// Whole results, kept beside the checkout; `None`, with a line that says so, where they are not there.
#[expect(clippy::disallowed_methods, reason = "where the shared data lies")]
fn recorded(name: &str) -> Option<Vec<u8>> {
    let root = std::env::var("SITE_AUDIT_SHARED")
        .map_or_else(|_| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let read = std::fs::read(root.join("fixtures").join(name)).ok();
    if read.is_none() {
        println!("passed over: no fixtures/{name} in the shared data (set SITE_AUDIT_SHARED)");
    }
    read
}

fn savings(measured: &Measured) -> Vec<(&str, u32, Option<u64>)> {
    measured.opportunities.iter().map(|one| (one.id.as_str(), one.savings_ms, one.savings_bytes)).collect()
}

fn failed(measured: &Measured) -> Vec<(&str, &str)> {
    measured.failing.iter().map(|one| (one.id.as_str(), one.category.as_str())).collect()
}

#[test]
fn a_result_is_read_by_modes_groups_and_weights() {
    let read = measured(RESULT.as_bytes(), Strategy::Mobile).unwrap();
    assert_eq!(read.version.as_deref(), Some("13.5.0"));
    assert_eq!(read.fetched_at.unwrap().to_string(), "2026-11-20T10:20:30.400Z");
    let scores = LabScores { performance: Some(74), accessibility: Some(88), best_practices: Some(100), seo: None };
    assert_eq!(read.scores, scores);
    assert_eq!(
        savings(&read),
        [
            ("image-delivery-insight", 1200, Some(245_760)),
            ("render-blocking-insight", 600, None),
            ("unused-javascript", 450, Some(88_000)),
            ("redirects", 450, None),
        ]
    );
    assert_eq!(read.opportunities[0].display.as_deref(), Some("Est savings of 240 KiB"));
    assert_eq!(read.opportunities[2].display, None, "an empty text is none");
    // Not the informative, manual, broken, hidden and agentic ones; image-alt counts in SEO only.
    assert_eq!(
        failed(&read),
        [
            ("dom-size-insight", "performance"),
            ("color-contrast", "accessibility"),
            ("image-alt", "seo"),
            ("errors-in-console", "best-practices"),
        ]
    );
    assert_eq!(read.metrics.len(), 7);
    let shift = &read.metrics["cumulative-layout-shift"];
    assert_eq!((shift.value, shift.unit.as_deref(), shift.score), (0.0312, Some("unitless"), Some(1.0)));
    let warnings = "The page redirected once. The tested device seems to have a slower CPU than expected.";
    assert_eq!((read.warnings.as_deref(), read.benchmark_index), (Some(warnings), Some(1320.5)));
    assert_eq!(read.field_data, None);
}

#[test]
fn an_envelope_brings_field_data_of_the_page_or_its_origin() {
    let of = |page: Value, origin: Value| {
        let envelope = json!({"lighthouseResult": serde_json::from_str::<Value>(RESULT).unwrap(),
            "loadingExperience": page, "originLoadingExperience": origin});
        measured(envelope.to_string().as_bytes(), Strategy::Mobile).unwrap().field_data
    };
    let bins = json!([{"min": 0, "max": 10, "proportion": 0.7}, {"proportion": 0.2}, {"proportion": 0.1}]);
    let metrics = json!({"CUMULATIVE_LAYOUT_SHIFT_SCORE": {"percentile": 12, "distributions": bins},
        "INTERACTION_TO_NEXT_PAINT": {"percentile": 180, "distributions": [{}]}});
    let page = of(json!({"metrics": metrics}), json!(null)).unwrap();
    assert_eq!((page.scope, page.form_factor.as_deref()), (FieldScope::Url, Some("PHONE")));
    assert_eq!(page.metrics.len(), 1, "a metric without three shares is left out");
    let shift = page.metrics["cumulative_layout_shift"];
    assert_eq!((shift.p75, shift.good, shift.poor), (0.12, 0.7, 0.1));
    let fallback = of(json!({"metrics": metrics, "origin_fallback": true}), json!(null)).unwrap();
    assert_eq!(fallback.scope, FieldScope::Origin);
    assert_eq!(of(json!({"id": "x"}), json!({"metrics": metrics})).unwrap().scope, FieldScope::Origin);
    assert_eq!(of(json!({"id": "x"}), json!({})), None);
}

#[test]
fn what_is_no_result_is_a_failure() {
    let changed = |change: fn(&mut Value)| {
        let mut result: Value = serde_json::from_str(RESULT).unwrap();
        change(&mut result);
        measured(result.to_string().as_bytes(), Strategy::Mobile).unwrap_err()
    };
    let trouble = Failure::Trouble;
    assert_eq!(measured(b"<!doctype html><title>Hi</title>", Strategy::Mobile), Err(trouble("not_json")));
    assert_eq!(measured(br#"{"lighthouseResult":null}"#, Strategy::Mobile), Err(trouble("no_scores")));
    assert_eq!(measured(b"[]", Strategy::Mobile), Err(trouble("no_scores")));
    assert_eq!(measured(RESULT.as_bytes(), Strategy::Desktop), Err(trouble("other_strategy")));
    let no_score = changed(|result| result["categories"] = json!({"performance": {"score": null}}));
    assert_eq!(no_score, trouble("no_scores"));
    let failed = changed(|result| result["runtimeError"] = json!({"code": "NO_FCP", "message": "…"}));
    assert_eq!(failed, Failure::Page(PageFailure::new("NO_FCP")));
    let mut empty: Value = serde_json::from_str(RESULT).unwrap();
    empty["audits"] = json!({});
    empty["runtimeError"] = json!({"code": "NO_ERROR"});
    let read = measured(empty.to_string().as_bytes(), Strategy::Mobile).unwrap();
    assert!(read.metrics.is_empty() && read.opportunities.is_empty() && read.failing.is_empty());
}

#[test]
fn lists_and_texts_have_limits() {
    let mut result: Value = serde_json::from_str(RESULT).unwrap();
    for n in 0..50 {
        let (insight, binary) = (format!("insight-{n:02}"), format!("binary-{n:02}"));
        result["audits"][&insight] = json!({"title": "é".repeat(900), "score": 0, "scoreDisplayMode": "metricSavings",
            "metricSavings": {"LCP": 1e300}, "details": {"overallSavingsBytes": 1e300}});
        result["audits"][&binary] = json!({"title": 7, "score": 0, "scoreDisplayMode": "binary"});
        for (category, id) in [("performance", insight), ("accessibility", binary)] {
            let references = result["categories"][category]["auditRefs"].as_array_mut().unwrap();
            references.push(json!({"id": id}));
        }
    }
    let read = measured(result.to_string().as_bytes(), Strategy::Mobile).unwrap();
    assert_eq!((read.opportunities.len(), read.failing.len()), (10, 30));
    assert_eq!(read.opportunities[0].title.chars().count(), 300);
    assert_eq!((read.opportunities[0].savings_ms, read.opportunities[0].savings_bytes), (u32::MAX, Some(u64::MAX)));
}

#[test]
fn whole_results_give_the_numbers_of_lighthouse() {
    let (Some(mobile), Some(desktop)) =
        (recorded("lighthouse-result.json"), recorded("lighthouse-result-desktop.json"))
    else {
        return;
    };
    let read = measured(&mobile, Strategy::Mobile).unwrap();
    assert_eq!(
        savings(&read),
        [
            ("cache-insight", 16_400, Some(3_464_126)),
            ("image-delivery-insight", 12_800, Some(2_721_170)),
            ("render-blocking-insight", 3_500, None),
            ("unused-javascript", 2_050, Some(311_670)),
            ("unused-css-rules", 1_350, Some(268_139)),
            ("unminified-javascript", 750, Some(118_923)),
            ("unminified-css", 150, Some(27_018)),
        ]
    );
    let scores = |performance, best_practices| LabScores {
        performance: Some(performance),
        accessibility: Some(21),
        best_practices: Some(best_practices),
        seo: Some(73),
    };
    assert_eq!(read.scores, scores(51, 92));
    assert_eq!(read.metrics["largest-contentful-paint"].value, 18107.5425);
    assert!(!read.failing.is_empty() && read.failing.len() <= 30);
    let read = measured(&desktop, Strategy::Desktop).unwrap();
    assert_eq!(read.scores, scores(74, 96));
    assert_eq!((read.metrics["first-contentful-paint"].value, read.benchmark_index), (895.2529, Some(1936.0)));
    for (bytes, strategy) in [(mobile, Strategy::Mobile), (desktop, Strategy::Desktop)] {
        let (read, own) = (measured(&bytes, strategy).unwrap(), serde_json::from_slice::<Value>(&bytes).unwrap());
        for name in METRICS {
            let (metric, audit) = (&read.metrics[name], &own["audits"][name]);
            let numbers = (audit["numericValue"].as_f64(), audit["score"].as_f64());
            assert_eq!((Some(metric.value), metric.score), numbers, "{name}");
            let texts = (audit["numericUnit"].as_str(), audit["displayValue"].as_str());
            assert_eq!((metric.unit.as_deref(), metric.display.as_deref()), texts, "{name}");
        }
    }
}

#[test]
fn a_whole_envelope_and_a_whole_failure_are_read() {
    let (Some(result), Some(envelope), Some(error)) = (
        recorded("lighthouse-result.json"),
        recorded("psi-envelope.example.json"),
        recorded("lighthouse-result-error.json"),
    ) else {
        return;
    };
    let mut envelope: Value = serde_json::from_slice(&envelope).unwrap();
    envelope["lighthouseResult"] = serde_json::from_slice(&result).unwrap();
    let read = measured(envelope.to_string().as_bytes(), Strategy::Mobile).unwrap();
    let field = read.field_data.unwrap();
    let p75 = |name: &str| field.metrics[name].p75;
    assert_eq!(
        (p75("largest_contentful_paint"), p75("interaction_to_next_paint"), p75("cumulative_layout_shift")),
        (2610.0, 180.0, 0.12)
    );
    assert_eq!((field.scope, field.metrics.len()), (FieldScope::Url, 5));
    let failure = Failure::Page(PageFailure::new("ERRORED_DOCUMENT_REQUEST"));
    assert_eq!(measured(&error, Strategy::Mobile), Err(failure));
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let _read = measured(&bytes, Strategy::Mobile);
    }

    /// Bytes cut, or with a piece replaced by another value, are a result or a failure.
    #[test]
    fn any_broken_result_is_read(at in 0..RESULT.len(), end in 0..400_usize, put in "null|\\[\\]|-1|\"x\"|\\{\\}|1e400") {
        let bytes = RESULT.as_bytes();
        let rest = &bytes[(at + end).min(bytes.len())..];
        let broken = [&bytes[..at], put.as_bytes(), rest].concat();
        let _read = measured(&broken, Strategy::Mobile);
    }
}
