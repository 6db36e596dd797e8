//! Findings fixed, caused and revealed between two audits of a page, by code.

use std::collections::BTreeMap;

use model::change::{Changed, Comparison};
use model::finding::Finding;
use model::report::Coverage;

use crate::score::score;
use crate::uncover;

/// Findings with what was measured.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The findings, in the reader's language.
    pub issues: &'a [Finding<String>],
    /// What was measured.
    pub coverage: &'a Coverage,
}

impl Side<'_> {
    fn has(&self, code: &str) -> bool {
        self.issues.iter().any(|finding| finding.code == code)
    }

    /// Why a code that is no finding here is not known to be fine; `None` when it is.
    fn unknown(&self, code: &str) -> Option<&str> {
        let is = |codes: &[String]| codes.iter().any(|known| known == code);
        match self.coverage.not_measured.get(code) {
            Some(reason) => Some(reason),
            None if is(&self.coverage.passed) || is(&self.coverage.not_applicable) => None,
            // Of another version of the catalog.
            None => Some("catalog"),
        }
    }
}

/// Findings fixed, caused and revealed between two audits. A code that only one side measured is listed as not compared. A
/// new finding is revealed where a finding that is gone had hidden it.
pub fn compare(before: Side<'_>, after: Side<'_>) -> Comparison {
    let mut not_compared = BTreeMap::new();
    let mut only = |findings: Vec<&Finding<String>>, other: Side<'_>, whose: &str| -> Vec<Changed> {
        let gone = findings.into_iter().filter(|finding| !other.has(&finding.code));
        gone.filter_map(|finding| match other.unknown(&finding.code) {
            Some(reason) => {
                not_compared.insert(finding.code.clone(), format!("{whose}{reason}"));
                None
            }
            None => Some(Changed::of(finding)),
        })
        .collect()
    };
    let (revealed, seen): (Vec<_>, Vec<_>) =
        after.issues.iter().partition(|finding| is_revealed(&finding.code, before, after));
    let fixed = only(before.issues.iter().collect(), after, "");
    let broke = only(seen, before, "before:");
    Comparison { fixed, broke, revealed: revealed.into_iter().map(Changed::of).collect(), not_compared }
}

/// Whether a finding of `after` was hidden in `before` by one that is gone.
fn is_revealed(code: &str, before: Side<'_>, after: Side<'_>) -> bool {
    let is_gone = |cause: &str| before.has(cause) && !after.has(cause) && after.unknown(cause).is_none();
    let silencer = before.coverage.silenced_by.get(code);
    let reason = before.coverage.not_measured.get(code);
    let may_hide = |cause: &str| uncover::may_bring(cause, code, reason.map(String::as_str));
    let mut causes = before.issues.iter().filter(|finding| may_hide(&finding.code));
    !before.has(code) && (silencer.is_some_and(|cause| is_gone(cause)) || causes.any(|finding| is_gone(&finding.code)))
}

/// Points that the score gained from one side to the other, by the codes that both measured. What was revealed was not
/// measured before.
pub fn points(before: Side<'_>, after: Side<'_>) -> i32 {
    let is_comparable = |code: &str, other: Side<'_>| other.has(code) || other.unknown(code).is_none();
    let lost = before.issues.iter().filter(|finding| is_comparable(&finding.code, after));
    let left = after.issues.iter().filter(|finding| is_comparable(&finding.code, before));
    let left = left.filter(|finding| !is_revealed(&finding.code, before, after));
    let [lost, left] = [lost.map(|one| one.severity).collect::<Vec<_>>(), left.map(|one| one.severity).collect()];
    score(left.into_iter()).cast_signed() - score(lost.into_iter()).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks;
    use crate::score::weight;
    use model::capture::{Body, Capture, Exchange, Fetched, Source, Timing};
    use model::finding::Severity;
    use model::lang::Lang;
    use model::report::Report;
    use model::time::Timestamp;

    fn report_of(page: &str) -> Report {
        let url = "https://example.com/page".to_owned();
        let exchange = Exchange {
            hops: Vec::new(),
            url: url.clone(),
            status: 200,
            headers: Vec::new(),
            body: Body { bytes: page.into(), ..Body::default() },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        };
        crate::report(&Capture {
            requested_url: url,
            started_at: Timestamp(0),
            nonce: String::new(),
            source: Source::Supplied,
            page: Fetched::Response(exchange),
            extras: Vec::new(),
            field_data: None,
        })
    }

    fn compared(before: &str, after: &str) -> (Vec<String>, Vec<String>, BTreeMap<String, String>) {
        let [before, after] = [before, after].map(report_of);
        let issues = [&before, &after].map(|report| report.issues_in(Lang::En));
        let [old, new] = &issues;
        let found =
            compare(Side { issues: old, coverage: &before.coverage }, Side { issues: new, coverage: &after.coverage });
        let codes = |changed: Vec<Changed>| changed.into_iter().map(|one| one.code).collect();
        (codes(found.fixed), codes(found.broke), found.not_compared)
    }

    #[test]
    fn what_went_is_mended_and_what_came_is_broken() {
        let good = "<!doctype html><html lang=en><title>A good title for it</title><h1>A</h1>";
        let bad = "<!doctype html><html><title>A good title for it</title><h1>A</h1>";
        let (fixed, broke, not_compared) = compared(bad, good);
        assert_eq!((fixed, broke, not_compared), (vec!["html_lang_missing".to_owned()], Vec::new(), BTreeMap::new()));
        assert_eq!(compared(good, bad).1, ["html_lang_missing"]);
        assert_eq!(compared(good, good), (Vec::new(), Vec::new(), BTreeMap::new()));
    }

    #[test]
    fn what_was_hidden_before_is_revealed() {
        let page = |data: &str| {
            report_of(&format!(
                "<!doctype html><html lang=en><title>A good title for it</title><h1>A</h1>\
                 <script type=application/ld+json>{data}</script>"
            ))
        };
        let [before, after] = [
            page(r#"{"@context":"https://schema.org","@type":"Product","name":"Bread",}"#),
            page(r#"{"@context":"https://schema.org","@type":"Product","name":"Bread"}"#),
        ];
        let issues = [&before, &after].map(|report| report.issues_in(Lang::En));
        let [old, new] = [(&issues[0], &before), (&issues[1], &after)]
            .map(|(issues, report)| Side { issues, coverage: &report.coverage });
        let found = compare(old, new);
        let codes = |changed: &[Changed]| changed.iter().map(|one| one.code.clone()).collect::<Vec<_>>();
        assert_eq!(codes(&found.fixed), ["jsonld_syntax_error"]);
        assert!(found.broke.is_empty(), "{:?}", found.broke);
        assert!(codes(&found.revealed).iter().any(|code| code.starts_with("jsonld_")), "{:?}", found.revealed);
        // Backwards it is a page that broke, and nothing is revealed.
        let back = compare(new, old);
        assert_eq!((codes(&back.broke), codes(&back.revealed)), (vec!["jsonld_syntax_error".to_owned()], Vec::new()));
        let mended = codes(&found.fixed)
            .iter()
            .map(|code| checks::find(code).map_or(0, |check| weight(check.severity)))
            .sum::<u32>();
        assert_eq!(points(old, new), mended.cast_signed());
    }

    #[test]
    fn what_one_side_did_not_measure_is_not_compared() {
        let empty = Coverage::default();
        let finding = Finding {
            severity: Severity::Warn,
            code: "title_missing".to_owned(),
            message: "a".to_owned(),
            values: BTreeMap::new(),
            evidence: Vec::new(),
            impact: None,
            points: 8,
            causes: Vec::new(),
            part_of: None,
            parts: Vec::new(),
        };
        let with = Side { issues: std::slice::from_ref(&finding), coverage: &empty };
        let without = Side { issues: &[], coverage: &empty };
        let reason = |found: Comparison| found.not_compared.get("title_missing").cloned();
        assert_eq!((points(with, without), points(without, with)), (0, 0));
        assert_eq!(reason(compare(with, without)).as_deref(), Some("catalog"));
        assert_eq!(reason(compare(without, with)).as_deref(), Some("before:catalog"));
        let fine = Coverage { passed: vec!["title_missing".to_owned()], ..Coverage::default() };
        let fine = Side { issues: &[], coverage: &fine };
        assert_eq!((points(with, fine), points(fine, with)), (8, -8));
        let offline = Coverage {
            not_measured: BTreeMap::from([("title_missing".to_owned(), "offline".to_owned())]),
            ..Coverage::default()
        };
        let unmeasured = Side { issues: &[], coverage: &offline };
        let found = compare(with, unmeasured);
        assert!(found.fixed.is_empty() && found.broke.is_empty());
        assert_eq!(reason(found).as_deref(), Some("offline"));
    }
}
