//! SARIF 2.1.0 (OASIS), for code scanning.

use anyhow::Result;
use audit::checks;
use model::finding::{Finding, Severity};
use model::lang::Lang;
use model::report::Report;
use serde_json::{Value, json};

/// A run for each page, with the whole catalog as its rules and a result for each finding.
pub(super) fn render(reports: &[&Report], lang: Lang) -> Result<String> {
    let rules: Vec<Value> = checks::all()
        .map(|check| {
            json!({
                "id": check.code,
                "shortDescription": {"text": check.title.in_lang(lang)},
                "fullDescription": {"text": check.why.in_lang(lang)},
                "help": {"text": check.how.in_lang(lang), "markdown": check.how.in_lang(lang)},
                "helpUri": check.reference,
                "defaultConfiguration": {"level": level(check.severity)},
            })
        })
        .collect();
    let runs: Vec<Value> = reports.iter().map(|report| run(report, &rules, lang)).collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": runs,
    });
    Ok(serde_json::to_string_pretty(&log)? + "\n")
}

fn run(report: &Report, rules: &[Value], lang: Lang) -> Value {
    let results: Vec<Value> = report.findings.iter().map(|finding| result(report, finding, lang)).collect();
    json!({
        "tool": {"driver": {"name": "Site Audit", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"score": report.score},
    })
}

fn result(report: &Report, finding: &Finding, lang: Lang) -> Value {
    let mut locations: Vec<Value> = finding
        .evidence
        .iter()
        .map(|place| {
            let uri = place.url.as_deref().unwrap_or(&report.url);
            let mut physical = json!({"artifactLocation": {"uri": uri}});
            if let (Some(line), Some(fields)) = (place.line, physical.as_object_mut()) {
                let snippet = place.snippet.as_deref().unwrap_or_default();
                fields.insert("region".to_owned(), json!({"startLine": line, "snippet": {"text": snippet}}));
            }
            json!({"physicalLocation": physical})
        })
        .collect();
    if locations.is_empty() {
        locations.push(json!({"physicalLocation": {"artifactLocation": {"uri": report.url}}}));
    }
    json!({
        "ruleId": finding.code,
        "ruleIndex": checks::all().position(|check| check.code == finding.code),
        "level": level(finding.severity),
        "message": {"text": finding.message.in_lang(lang)},
        "locations": locations,
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::report;
    use super::*;

    #[test]
    fn results_name_rules_and_lines_that_exist() {
        let log: Value = serde_json::from_str(&render(&[&report()], Lang::En).unwrap()).unwrap();
        let run = &log["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        for result in run["results"].as_array().unwrap() {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            for location in result["locations"].as_array().unwrap() {
                let place = &location["physicalLocation"];
                assert!(place["artifactLocation"]["uri"].as_str().unwrap().starts_with("https://"));
                assert!(place.get("region").is_none_or(|region| region["startLine"].as_u64().unwrap() >= 1));
            }
        }
    }
}
