//! SARIF 2.1.0 (OASIS), for code scanning.

use std::collections::HashSet;

use audit::check::Check;
use audit::checks;
use model::finding::{Finding, Place, Severity};
use model::fix::Fix;
use model::lang::Lang;
use percent_encoding::percent_encode_byte;
use serde_json::{Map, Value, json};
use url::{Position, Url};

use super::json::compact;
use super::outcome::{PageOutcome, Unaudited};

/// One run over all pages, since code scanning takes one run of a tool a file: the checks that found something as its rules, a
/// result for each finding, a notification for each page that could not be audited.
pub(super) fn render(outcomes: &[PageOutcome], lang: Lang) -> serde_json::Result<String> {
    let used = used(outcomes);
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    let (mut scores, mut searchable) = (Map::new(), Map::new());
    for outcome in outcomes {
        match &outcome.result {
            Ok(report) => {
                let findings = report.findings.iter().zip(&report.fixes);
                let page = outcome.file.as_deref().map_or_else(|| uri(&report.url), file_uri);
                results.extend(findings.map(|(finding, fix)| result(&page, finding, fix, &used, lang)));
                scores.insert(uri(&report.url), report.score.into());
                searchable.insert(uri(&report.url), json!(report.searchable_in(lang)));
            }
            Err(error) => notifications.push(notification(&outcome.url, error, lang)),
        }
    }
    let mut invocation =
        json!({"executionSuccessful": notifications.is_empty(), "toolExecutionNotifications": notifications});
    let begun = outcomes.iter().map(|outcome| outcome.at).min();
    if let (Some(begun), Some(fields)) = (begun, invocation.as_object_mut()) {
        fields.insert("startTimeUtc".to_owned(), begun.to_string().into());
    }
    compact(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {"name": "Site Audit", "version": env!("CARGO_PKG_VERSION"), "rules": rules(&used, lang)}},
            "language": lang.tag(),
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "results": results,
            "properties": {"scores": scores, "searchable": searchable},
        }],
    }))
}

/// The checks that found something, in catalog order.
fn used(outcomes: &[PageOutcome]) -> Vec<&'static Check> {
    let findings =
        outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok()).flat_map(|report| &report.findings);
    let codes: HashSet<&str> = findings.map(|finding| &*finding.code).collect();
    checks::all().filter(|check| codes.contains(check.code)).collect()
}

fn rules(used: &[&Check], lang: Lang) -> Vec<Value> {
    let rule = |check: &&Check| {
        json!({
            "id": check.code,
            "shortDescription": {"text": message(check.title.in_lang(lang))},
            "fullDescription": {"text": message(check.why.in_lang(lang))},
            "help": {"text": message(check.how.in_lang(lang))},
            "helpUri": check.reference,
            "defaultConfiguration": {"level": level(check.severity)},
        })
    };
    used.iter().map(rule).collect()
}

fn result(page: &str, finding: &Finding, fix: &Fix, used: &[&Check], lang: Lang) -> Value {
    let mut locations: Vec<Value> = finding.evidence.iter().map(|place| location(page, place)).collect();
    if locations.is_empty() {
        locations.push(location(page, &Place::default()));
    }
    json!({
        "ruleId": finding.code,
        "ruleIndex": used.iter().position(|check| check.code == finding.code),
        "level": level(finding.severity),
        "message": {"text": message(finding.message.in_lang(lang))},
        "locations": locations,
        "properties": {
            "fix": fix.in_lang(lang),
            "impact": finding.impact,
            "points": finding.points,
            "partOf": finding.part_of,
        },
    })
}

/// A place in the page of that URI, or in what else the place names.
fn location(page: &str, place: &Place) -> Value {
    let uri = place.url.as_deref().map_or_else(|| page.to_owned(), uri);
    let mut physical = json!({"artifactLocation": {"uri": uri}});
    if let (Some(line), Some(fields)) = (place.line, physical.as_object_mut()) {
        let mut region = json!({"startLine": line});
        let numbers = [("startColumn", place.column), ("endLine", place.end_line), ("endColumn", place.end_column)];
        if let Some(region) = region.as_object_mut() {
            region.extend(numbers.iter().filter_map(|(name, number)| Some(((*name).to_owned(), json!((*number)?)))));
            if let Some(snippet) = &place.snippet {
                region.insert("snippet".to_owned(), json!({"text": snippet}));
            }
        }
        fields.insert("region".to_owned(), region);
    }
    let mut location = json!({"physicalLocation": physical});
    if let (Some(selector), Some(fields)) = (&place.selector, location.as_object_mut()) {
        let element = json!([{"fullyQualifiedName": selector, "kind": "element"}]);
        fields.insert("logicalLocations".to_owned(), element);
    }
    location
}

/// A page that could not be audited (SARIF §3.58).
fn notification(url: &str, error: &Unaudited, lang: Lang) -> Value {
    json!({
        "descriptor": {"id": error.code},
        "level": "error",
        "message": {"text": message(error.message(lang))},
        "locations": [location(&uri(url), &Place::default())],
    })
}

pub(crate) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    }
}

/// Text as a message string: braces are placeholders and brackets links there, unless written so (SARIF §3.11.5, §3.11.6).
pub(crate) fn message(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' | '[' | ']' => out.push('\\'),
            '{' | '}' => out.push(character),
            _ => {}
        }
        out.push(character);
    }
    out
}

/// The path of a file as a URI reference: code scanning shows results beside the lines of files in a repository.
fn file_uri(path: &str) -> String {
    match Url::from_file_path(path) {
        Ok(url) => url.into(),
        Err(()) => uri(&path.trim_start_matches("./").replace(std::path::MAIN_SEPARATOR, "/")),
    }
}

/// Found text as a URI reference (RFC 3986): what has no place in one is percent-encoded.
pub(crate) fn uri(text: &str) -> String {
    let url = Url::parse(text).ok();
    // Brackets are right around an IPv6 host and nowhere else.
    let authority = url.as_ref().map_or("", |url| &url[..Position::BeforePath]);
    let rest = url.as_ref().map_or(text, |url| &url[Position::BeforePath..]);
    let mut out = authority.to_owned();
    let mut is_fragment = false;
    for (index, byte) in rest.bytes().enumerate() {
        let fits = match byte {
            b'#' => !std::mem::replace(&mut is_fragment, true),
            b'%' => {
                let digits = rest.as_bytes().get(index + 1..index + 3);
                digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            }
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?@!$&'()*+,;=".contains(&byte),
        };
        if fits {
            out.push(char::from(byte));
        } else {
            out.push_str(percent_encode_byte(byte));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::{audited, blocked};
    use super::*;

    fn run(outcomes: &[PageOutcome]) -> Value {
        let mut log: Value = serde_json::from_str(&render(outcomes, Lang::En).unwrap()).unwrap();
        assert_eq!(log["runs"].as_array().unwrap().len(), 1);
        log["runs"][0].take()
    }

    #[test]
    fn results_name_rules_and_lines_that_exist() {
        let run = run(&[audited()]);
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        let results = run["results"].as_array().unwrap();
        assert!(!results.is_empty());
        let found: HashSet<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
        assert_eq!(rules.len(), found.len(), "a rule without a result");
        for result in results {
            let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(rules[index]["id"], result["ruleId"]);
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            for location in result["locations"].as_array().unwrap() {
                let place = &location["physicalLocation"];
                assert!(place["artifactLocation"]["uri"].as_str().unwrap().starts_with("https://"));
                assert!(place.get("region").is_none_or(|region| region["startLine"].as_u64().unwrap() >= 1));
            }
        }
        assert_eq!(run["invocations"][0]["executionSuccessful"], true);
    }

    #[test]
    fn a_page_that_could_not_be_audited_is_a_notification_and_the_run_a_failed_one() {
        let run = run(&[audited(), blocked()]);
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(invocation["startTimeUtc"], "1970-01-01T00:00:00.000Z");
        let notification = &invocation["toolExecutionNotifications"][0];
        assert_eq!(notification["descriptor"]["id"], "target_blocked");
        let place = &notification["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uri"], "https://example.com/%1B%5B2J%7C%3Cb%3E");
        assert!(run["properties"]["scores"]["https://example.com/"].is_u64());
    }

    #[test]
    fn found_text_is_neither_a_link_nor_a_placeholder() {
        assert_eq!(message("[a](http://b) {0} \\"), "\\[a\\](http://b) {{0}} \\\\");
    }

    #[test]
    fn places_of_a_supplied_page_are_in_its_file() {
        let file = Some("./dist/a b.html".to_owned());
        let run = run(&[PageOutcome { file, ..audited() }]);
        let places =
            run["results"].as_array().unwrap().iter().map(|result| &result["locations"][0]["physicalLocation"]);
        for place in places {
            assert_eq!(place["artifactLocation"]["uri"], "dist/a%20b.html");
        }
        assert!(run["properties"]["scores"]["https://example.com/"].is_u64());
    }

    #[test]
    fn found_addresses_become_uris() {
        for (found, expected) in [
            ("https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
            ("http://[2001:db8::1]:8080/[x]", "http://[2001:db8::1]:8080/%5Bx%5D"),
            ("/a b|é%zz%20#c#d", "/a%20b%7C%C3%A9%25zz%20#c%23d"),
        ] {
            assert_eq!(uri(found), expected);
        }
    }
}
