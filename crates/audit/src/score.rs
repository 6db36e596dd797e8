//! Score, counts and order of findings.

use std::cmp::Reverse;

use model::finding::{Counts, Finding, Hygiene, Impact, Severity};
use model::fix::{Fix, FixClass};

use crate::checks::FAMILIES;

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

/// The place of a finding among what to fix first: by what it blocks, then by what it takes, then the readiest fix. An audit
/// that has no impacts is ordered by severity.
fn urgency<T>(finding: &Finding<T>, fix: &Fix<T>) -> (Option<Impact>, Reverse<u32>, FixClass) {
    (finding.impact, Reverse(weight(finding.severity)), fix.class)
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
        match finding.severity {
            Severity::Error => counts.errors += 1,
            Severity::Warn => counts.warnings += 1,
            Severity::Info => counts.info += 1,
        }
    }
    counts
}
