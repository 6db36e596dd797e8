//! Score, counts and order of findings.

use model::finding::{Counts, Finding, Severity};

/// Version of the weights below. Stored with each score; a stored score never changes.
pub const WEIGHTS: u32 = 1;
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
