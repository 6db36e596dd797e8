//! Score, counts and order of findings.

use std::cmp::Reverse;

use model::finding::{Counts, Finding, Hygiene, Impact, Severity};
use model::fix::{Fix, FixClass};

use crate::checks::FAMILIES;
use crate::searchable;

/// Version of the score: of the weights below and of what takes them. Stored with each score; a stored score never
/// changes.
pub const WEIGHTS: u32 = 2;
/// Points of a page without errors and warnings.
pub const FULL: u32 = 100;

/// Points that one finding takes.
pub fn weight(severity: Severity) -> u32 {
    match severity {
        Severity::Error => 18,
        Severity::Warn => 8,
        Severity::Info => 0,
    }
}

/// 0 to 100, by the severities of all findings.
pub fn score(findings: impl Iterator<Item = Severity>) -> u32 {
    findings.fold(FULL, |left, severity| left.saturating_sub(weight(severity)))
}

/// What a finding blocks on a page where it has this severity.
pub fn impact(of_check: Impact, severity: Severity) -> Impact {
    if severity == Severity::Info { Impact::Hygiene } else { of_check }
}

/// The place of a finding among what to fix first: by what it blocks, where what keeps the page out of search comes before
/// all else, then by what it takes, then the readiest fix. An audit that has no impacts is ordered by severity.
fn urgency<T>(finding: &Finding<T>, fix: &Fix<T>) -> (Option<Impact>, Reverse<bool>, Reverse<u32>, FixClass) {
    let excludes = finding.impact.is_some() && searchable::excludes(&finding.code);
    (finding.impact, Reverse(excludes), Reverse(weight(finding.severity)), fix.class)
}

/// Findings with their fixes, the most urgent first.
pub fn most_urgent<'r, T>(
    findings: &'r [Finding<T>],
    fixes: &'r [Fix<T>],
) -> impl Iterator<Item = (&'r Finding<T>, &'r Fix<T>)> {
    let mut all: Vec<_> = findings.iter().zip(fixes).collect();
    // Stable: what is equally urgent stays in the order of the report.
    all.sort_by_key(|(finding, fix)| urgency(finding, fix));
    all.into_iter()
}

/// Findings that take no points and are no part of another, by the category of their check.
pub fn hygiene(findings: &[Finding]) -> Hygiene {
    let mut hygiene = Hygiene::default();
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Info && finding.part_of.is_none()) {
        let family = FAMILIES.iter().find(|family| family.checks.iter().any(|check| check.code == finding.code));
        hygiene.total += 1;
        *hygiene.categories.entry(family.map_or("", |family| family.category.word()).to_owned()).or_default() += 1;
    }
    hygiene
}

/// Findings per severity.
pub fn counts(findings: &[Finding]) -> Counts {
    let mut counts = Counts::default();
    for finding in findings {
        counts.add(finding.severity);
    }
    counts
}

#[cfg(test)]
mod tests {
    use model::fix::FixTarget;
    use model::lang::Phrase;

    use super::*;

    fn finding(code: &str, severity: Severity, impact: Option<Impact>) -> Finding {
        Finding {
            severity,
            code: code.to_owned(),
            message: Phrase::default(),
            values: Default::default(),
            evidence: Vec::new(),
            impact,
            points: weight(severity).cast_signed(),
            causes: Vec::new(),
            part_of: None,
            parts: Vec::new(),
        }
    }

    fn fix(class: FixClass) -> Fix {
        Fix {
            code: String::new(),
            severity: Severity::Info,
            class,
            target: FixTarget::Head,
            snippet: None,
            file: None,
            origin: None,
            note: None,
            place: None,
            edits: Vec::new(),
        }
    }

    #[test]
    fn counts_are_per_severity() {
        let severities = [(Severity::Error, 1), (Severity::Warn, 2), (Severity::Info, 3)];
        let findings: Vec<Finding> = severities
            .into_iter()
            .flat_map(|(severity, times)| std::iter::repeat_n(finding("title_missing", severity, None), times))
            .collect();
        let Counts { errors, warnings, info } = counts(&findings);
        assert_eq!((errors, warnings, info), (1, 2, 3));
    }

    #[test]
    fn notes_that_are_no_part_count_as_hygiene_by_category() {
        let part = Finding {
            part_of: Some("og_title_missing".to_owned()),
            ..finding("og_image_missing", Severity::Info, None)
        };
        let findings = [
            finding("csp_missing", Severity::Info, None),
            finding("hsts_missing", Severity::Info, None),
            finding("title_too_long", Severity::Info, None),
            finding("h1_missing", Severity::Warn, None),
            part,
        ];
        let Hygiene { total, categories } = hygiene(&findings);
        let shown: Vec<(&str, u32)> = categories.iter().map(|(name, count)| (name.as_str(), *count)).collect();
        assert_eq!((total, shown.iter().map(|(_, count)| count).sum::<u32>(), shown.len()), (3, 3, 2), "{shown:?}");
    }

    #[test]
    fn the_most_urgent_blocks_most_then_costs_most_then_is_readiest() {
        let findings = [
            finding("h1_missing", Severity::Warn, Some(Impact::Use)),
            finding("title_missing", Severity::Error, Some(Impact::Use)),
            finding("html_lang_missing", Severity::Warn, Some(Impact::Use)),
            finding("canonical_other_page", Severity::Error, Some(Impact::Indexing)),
            finding("http_status_no_content", Severity::Warn, Some(Impact::Indexing)),
        ];
        let classes = [
            FixClass::Template,
            FixClass::Template,
            FixClass::Deterministic,
            FixClass::Deterministic,
            FixClass::Instruction,
        ];
        let fixes = classes.map(fix);
        let order: Vec<&str> = most_urgent(&findings, &fixes).map(|(finding, _)| finding.code.as_str()).collect();
        // A page with this status is in no index: what else blocks indexing there comes later.
        let wanted =
            ["http_status_no_content", "canonical_other_page", "title_missing", "html_lang_missing", "h1_missing"];
        assert_eq!(order, wanted);
    }

    #[test]
    fn a_note_is_hygiene_whatever_its_check_blocks() {
        assert_eq!(impact(Impact::Indexing, Severity::Info), Impact::Hygiene);
        assert_eq!(impact(Impact::Indexing, Severity::Warn), Impact::Indexing);
        assert_eq!([Severity::Error, Severity::Warn, Severity::Info].map(weight), [18, 8, 0]);
        assert_eq!(score(std::iter::repeat_n(Severity::Error, 6)), 0);
    }
}
