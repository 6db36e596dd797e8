//! What stands of the checks that found something: which are silenced, and which are part of another finding.

use model::finding::Severity;

use crate::causes::{self, FoundCheck};
use crate::check::Check;
use crate::score::{impact, score, weight};
use crate::silence;

/// A check that found something and is not silenced.
#[derive(Clone, Copy)]
pub(crate) struct Stands {
    pub(crate) check: &'static Check,
    /// How bad its finding is beside the others.
    pub(crate) severity: Severity,
    /// The code that has the same cause.
    pub(crate) part_of: Option<&'static str>,
}

/// All that was found, as it stands together.
pub(crate) struct Standing {
    /// What was found, in the order of the catalog.
    pub(crate) found: Vec<FoundCheck>,
    /// In the order of a report: by severity, then impact, then the order in which they were found.
    pub(crate) findings: Vec<Stands>,
    /// With the code of the cause.
    pub(crate) silenced: Vec<(&'static Check, &'static str)>,
}

/// What stands of what was found, which comes in the order of the catalog.
pub(crate) fn standing(found: Vec<FoundCheck>) -> Standing {
    let fired: Vec<&'static Check> = found.iter().map(|(check, _)| *check).collect();
    let silenced = silence::silenced(&fired);
    let shown: Vec<FoundCheck> =
        found.iter().copied().filter(|(check, _)| silenced.iter().all(|(other, _)| other.code != check.code)).collect();
    let stands = |(check, severity): &FoundCheck| {
        let part_of = causes::lead((check, *severity), &shown);
        Stands { check, severity: if part_of.is_some() { Severity::Info } else { *severity }, part_of }
    };
    let mut findings: Vec<Stands> = shown.iter().map(stands).collect();
    // Stable: within one severity and impact the order of the catalog stays.
    findings.sort_by_key(|stands| (stands.severity, impact(stands.check.impact, stands.severity)));
    Standing { found, findings, silenced }
}

impl Standing {
    /// The score of a page on which this stands.
    pub(crate) fn score(&self) -> u32 {
        score(self.findings.iter().map(|stands| stands.severity))
    }

    /// Points that its findings take, more than there are included.
    pub(crate) fn taken(&self) -> u32 {
        self.findings.iter().map(|stands| weight(stands.severity)).sum()
    }

    /// The codes that a finding silences.
    pub(crate) fn silenced_by(&self, cause: &str) -> impl Iterator<Item = &'static str> {
        self.silenced.iter().filter(move |(_, of)| *of == cause).map(|(check, _)| check.code)
    }

    /// The codes that are part of a finding.
    pub(crate) fn parts(&self, lead: &str) -> impl Iterator<Item = &'static str> {
        self.findings.iter().filter(move |stands| stands.part_of == Some(lead)).map(|stands| stands.check.code)
    }
}
