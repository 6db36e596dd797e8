//! What changed from one run of a page to the next: by code, and only of what both measured.

use audit::compare::{Side, compare, points};
use model::change::Change;
use model::finding::Finding;
use model::lang::Lang;
use model::report::{Coverage, Report};
use store::Judged;

/// What a run found, in one language.
#[derive(Debug)]
pub(crate) struct Judgement {
    /// `None` where the page could not be reached.
    pub(crate) score: Option<u32>,
    issues: Vec<Finding<String>>,
    coverage: Coverage,
}

impl Judgement {
    /// Of a stored run.
    pub(crate) fn of(judged: Judged, failed: bool, lang: Lang) -> Self {
        Self {
            score: (!failed).then_some(judged.score),
            issues: judged.findings.iter().map(|finding| finding.in_lang(lang)).collect(),
            coverage: judged.coverage,
        }
    }

    /// Of a run that was just made.
    pub(crate) fn of_report(report: &Report, failed: bool, lang: Lang) -> Self {
        Self {
            score: (!failed).then_some(report.score),
            issues: report.issues_in(lang),
            coverage: report.coverage.clone(),
        }
    }

    fn side(&self) -> Side<'_> {
        Side { issues: &self.issues, coverage: &self.coverage }
    }
}

/// What changed from `before` to `after`.
pub(crate) fn between(before: &Judgement, after: &Judgement) -> Change {
    let (from, to) = (before.score, after.score);
    let comparison = compare(before.side(), after.side());
    Change {
        score: from.and(to).map(|_| points(before.side(), after.side())),
        from,
        to,
        broke: comparison.broke,
        fixed: comparison.fixed,
    }
}
