//! Runs the checks over facts.

use std::panic::{AssertUnwindSafe, catch_unwind};

use model::capture::Capture;

use crate::check::{Check, NotMeasured, Verdict};
use crate::facts::Facts;
use crate::facts::site_files::SiteFiles;
use crate::facts::walk::Page;
use crate::{checks, silence};

/// What a check came to, without its problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckOutcome {
    /// It found a problem.
    Fired,
    /// It was measured, and is fine or has nothing to look at.
    Fine,
    /// It could not be measured.
    Unknown,
}

impl CheckOutcome {
    /// Of a verdict.
    pub(crate) fn of(verdict: &Verdict) -> Self {
        match verdict {
            Ok(Some(_)) => Self::Fired,
            Ok(None) | Err(NotMeasured::Absent) => Self::Fine,
            Err(_) => Self::Unknown,
        }
    }
}

/// Runs one check. A check that panics is a defect of ours: it is not measured, and the audit goes on.
pub(crate) fn run(check: &Check, facts: &Facts<'_>) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| (check.run)(facts))).unwrap_or(Err(NotMeasured::Defect))
}

/// Codes of the findings of a capture, in catalog order: what a report says of it, without fixes and without their proof.
pub fn codes(capture: &Capture) -> Vec<&'static str> {
    let page = Page::read(capture);
    let files = SiteFiles::read(capture, &page);
    let facts = Facts::new(capture, &page, &files);
    let fired: Vec<&'static Check> = checks::all().filter(|check| matches!(run(check, &facts), Ok(Some(_)))).collect();
    let silenced = silence::silenced(&fired);
    let is_told = |check: &&'static Check| silenced.iter().all(|(other, _)| other.code != check.code);
    fired.iter().copied().filter(is_told).map(|check| check.code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::page;

    #[test]
    fn codes_are_those_of_a_report() {
        let source = "<!doctype html><html><head><title></title><title></title></head><body><h1>Rye</h1></body></html>";
        let capture = page("https://example.com/page", source);
        let report = crate::report::report(&capture);
        assert!(!report.coverage.silenced_by.is_empty());
        let mut reported: Vec<&str> = report.findings.iter().map(|finding| finding.code.as_str()).collect();
        reported.sort_unstable();
        let mut codes = codes(&capture);
        codes.sort_unstable();
        assert_eq!(codes, reported);
    }

    #[test]
    fn what_a_verdict_comes_to() {
        assert_eq!(CheckOutcome::of(&Ok(None)), CheckOutcome::Fine);
        assert_eq!(CheckOutcome::of(&Err(NotMeasured::Absent)), CheckOutcome::Fine);
        assert_eq!(CheckOutcome::of(&Err(NotMeasured::Defect)), CheckOutcome::Unknown);
    }
}
