//! What stands of the checks that found something: which are silenced, and which are part of another finding.

use model::finding::Severity;

use crate::causes::{FoundCheck, Leads};
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
    let leads = Leads::among(&shown);
    let stands = |(check, severity): &FoundCheck| {
        let part_of = leads.lead((check, *severity));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::find;

    fn stands(found: &[(&str, Severity)]) -> Standing {
        standing(found.iter().map(|(code, severity)| (find(code).unwrap(), *severity)).collect())
    }

    /// Codes of the findings with their severities, as the report lists them.
    fn listed(standing: &Standing) -> Vec<(&str, Severity)> {
        standing.findings.iter().map(|stands| (stands.check.code, stands.severity)).collect()
    }

    #[test]
    fn a_part_takes_no_points_and_belongs_to_its_lead() {
        let both = stands(&[("og_title_missing", Severity::Warn), ("og_image_missing", Severity::Warn)]);
        assert_eq!(listed(&both), [("og_title_missing", Severity::Warn), ("og_image_missing", Severity::Info)]);
        let parts = |lead: &str| both.parts(lead).collect::<Vec<_>>();
        assert_eq!(parts("og_title_missing"), ["og_image_missing"]);
        assert_eq!(parts("og_image_missing"), <[&str; 0]>::default());
        assert_eq!((both.taken(), both.score()), (8, 92));
    }

    #[test]
    fn a_silenced_finding_is_none_and_has_its_cause() {
        let both = stands(&[("title_missing", Severity::Error), ("title_multiple", Severity::Warn)]);
        assert_eq!(listed(&both), [("title_missing", Severity::Error)]);
        assert_eq!(both.silenced_by("title_missing").collect::<Vec<_>>(), ["title_multiple"]);
        assert_eq!(both.silenced_by("title_multiple").count(), 0);
        // What was found stays known, for when the cause is gone.
        assert_eq!(both.found.len(), 2);
    }

    #[test]
    fn findings_take_more_points_than_there_are() {
        let errors = ["noindex_meta", "title_missing", "h1_missing", "viewport_missing", "charset_missing"];
        let found: Vec<(&str, Severity)> = errors.iter().map(|code| (*code, Severity::Error)).collect();
        let of = |number: usize| (stands(&found[..number]).taken(), stands(&found[..number]).score());
        assert_eq!([of(0), of(1), of(5)], [(0, 100), (18, 82), (90, 10)]);
        let more = [&found[..], &[("html_lang_missing", Severity::Error)]].concat();
        assert_eq!((stands(&more).taken(), stands(&more).score()), (108, 0));
        // Within one severity what blocks more comes first, whatever the catalog's order.
        let mixed = [("h1_missing", Severity::Warn), ("noindex_meta", Severity::Warn), ("csp_missing", Severity::Info)];
        let first = stands(&mixed).findings.first().map(|stands| stands.check.code);
        assert_eq!(first, Some("noindex_meta"));
    }
}
