//! What holds of the report of any capture.

use std::collections::HashMap;

use model::capture::Capture;
use model::report::Report;

/// Size limit of a report's JSON in bytes.
const REPORT_BYTES: usize = 1024 * 1024;

/// The report of a capture, after a look at all that must hold of it.
pub(crate) fn reported(capture: &Capture) -> Report {
    let report = audit::report(capture);
    let json = json(&report);
    assert!(json.len() <= REPORT_BYTES, "the report has {} bytes", json.len());
    assert_eq!(json, self::json(&audit::report(capture)), "the same capture gave another report");
    assert!(report.score <= 100, "the score is {}", report.score);
    assert_eq!(report.findings.len(), report.fixes.len(), "not every finding has one fix");
    each_code_has_one_place(&report);
    report
}

fn json(report: &Report) -> Vec<u8> {
    serde_json::to_vec(report).expect("a report is plain data")
}

fn each_code_has_one_place(report: &Report) {
    let coverage = &report.coverage;
    let found = report.findings.iter().map(|finding| &finding.code);
    let codes = found.chain(&coverage.passed).chain(&coverage.not_applicable).chain(coverage.not_measured.keys());
    let mut places: HashMap<&str, usize> = HashMap::new();
    for code in codes {
        *places.entry(code).or_default() += 1;
    }
    for check in audit::checks::all() {
        assert_eq!(places.remove(check.code), Some(1), "{} is not in one place", check.code);
    }
    assert!(places.is_empty(), "codes that no check has: {places:?}");
    // A check that panicked; under the fuzzer the panic itself ends the run.
    let defects: Vec<&String> =
        coverage.not_measured.iter().filter(|(_, reason)| *reason == "defect").map(|(code, _)| code).collect();
    assert!(defects.is_empty(), "checks panicked: {defects:?}");
}
