//! SARIF 2.1.0 (OASIS) of a site: a result for each case of a finding of the site, and one for each folded finding of pages.

use std::collections::BTreeSet;

use model::finding::Severity;
use model::lang::Lang;
use serde_json::{Value, json};
use site::SiteReport;

use super::run::RunNotes;
use crate::format::compact;
use crate::format::sarif::{level, message, uri};

/// Locations of one result: more would only lengthen the file.
const MOST_LOCATIONS: usize = 10;

/// The log, one run. What changed since another run is in the properties of the run, and no result is marked by `baselineState`:
/// code scanning keeps its own state of results, and would take what is gone for an alert.
pub fn sarif(report: &SiteReport, notes: &RunNotes, lang: Lang) -> serde_json::Result<String> {
    let report = report.in_lang(lang);
    let mut results = Vec::new();
    for finding in &report.findings {
        for case in &finding.cases {
            let pages = case.pages.iter().map(|(url, _)| url.as_str());
            let text = format!("{}. {}: {}", finding.title, case.url, case.note);
            results.push(result(finding.code, finding.severity, &text, [case.url.as_str()].into_iter().chain(pages)));
        }
    }
    for finding in &report.page_findings {
        let text = format!("{}. {}", finding.title, finding.message);
        results.push(result(&finding.code, finding.severity, &text, finding.pages.iter().map(String::as_str)));
    }
    let of_site: BTreeSet<&str> = report.findings.iter().map(|finding| finding.code).collect();
    let of_pages: BTreeSet<&str> = report.page_findings.iter().map(|finding| finding.code.as_str()).collect();
    let rule = |id: &str, title: &str, why: &str, how: &str, reference: &str, severity: Severity| {
        json!({
            "id": id,
            "shortDescription": {"text": message(title)},
            "fullDescription": {"text": message(why)},
            "help": {"text": message(how)},
            "helpUri": reference,
            "defaultConfiguration": {"level": level(severity)},
        })
    };
    let site_rules = of_site.iter().filter_map(|code| site::checks::find(code)).map(|check| {
        let words = [check.title, check.why, check.how].map(|text| text.in_lang(lang));
        rule(check.code, words[0], words[1], words[2], check.reference, check.severity)
    });
    let page_rules = of_pages.iter().filter_map(|code| audit::checks::find(code)).map(|check| {
        let words = [check.title, check.why, check.how].map(|text| text.in_lang(lang));
        rule(check.code, words[0], words[1], words[2], check.reference, check.severity)
    });
    let rules: Vec<Value> = site_rules.chain(page_rules).collect();
    let mut properties = json!({"score": report.score, "complete": report.complete});
    if let (Some(changes), Some(fields)) = (&notes.changes, properties.as_object_mut()) {
        fields.insert("changes".to_owned(), serde_json::to_value(changes.in_lang(lang))?);
    }
    compact(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "Site Audit", "version": env!("CARGO_PKG_VERSION"), "rules": rules}},
            "language": lang.tag(),
            "invocations": [{"executionSuccessful": report.score.is_some()}],
            "results": results,
            "properties": properties,
        }],
    }))
}

fn result<'u>(code: &str, severity: Severity, text: &str, urls: impl Iterator<Item = &'u str>) -> Value {
    let location = |url: &str| json!({"physicalLocation": {"artifactLocation": {"uri": uri(url)}}});
    let locations: Vec<Value> = urls.take(MOST_LOCATIONS).map(location).collect();
    json!({"ruleId": code, "level": level(severity), "message": {"text": message(text)}, "locations": locations})
}
