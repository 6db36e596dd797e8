//! Score, counts and order of findings.

use std::cmp::Reverse;

use model::finding::{Counts, Finding, Impact, Severity};
use model::fix::{Fix, FixClass};

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

/// The place of a finding among what to fix first, for a stable sort of findings in the order of their report: by what it
/// blocks, then by what it takes, then the readiest fix. An audit that has no impacts is ordered by severity.
pub fn urgency<T>(finding: &Finding<T>, fix: &Fix<T>) -> (Option<Impact>, Reverse<u32>, FixClass) {
    (finding.impact, Reverse(weight(finding.severity)), fix.class)
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
