//! Comparison of two runs of a page: by finding code, limited to checks that both measured.

use std::collections::BTreeMap;

use audit::compare::{Side, compare, points};
use model::change::Change;
use model::finding::{Finding, Severity};
use model::lab::LabTests;
use model::lang::Lang;
use model::report::{Coverage, Report};
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use store::{RunFindings, StoredReport};

use super::lab_change::{LabChange, lab_changes};
use super::words::{Word, words};

/// The findings of a run, in one language.
#[derive(Debug)]
pub struct Judgement {
    /// `None` where the page could not be reached.
    pub score: Option<u32>,
    issues: Vec<Finding<String>>,
    coverage: Coverage,
}

impl Judgement {
    /// Of a stored run.
    pub fn of(judged: RunFindings, failed: bool, lang: Lang) -> Self {
        Self {
            score: (!failed).then_some(judged.score),
            issues: judged.findings.iter().map(|finding| finding.in_lang(lang)).collect(),
            coverage: judged.coverage,
        }
    }

    /// Of a new run.
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

/// Comparison of two audits: two runs of a page, or two pages.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Compared {
    /// The earlier one, as it was asked for.
    pub before: ComparedRun,
    /// The later one.
    pub after: ComparedRun,
    /// What changed.
    pub change: Change,
    /// Findings of both.
    pub unchanged: Vec<Unchanged>,
    /// Codes that only one of them measured, with the reason of the other.
    pub not_compared: BTreeMap<String, String>,
    /// Lab tests that both have.
    pub lab: Vec<LabChange>,
}

/// One of the two.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ComparedRun {
    /// The same as `audit_id`.
    pub id: String,
    /// The stored audit.
    pub audit_id: String,
    /// The audited page, as it was asked for.
    pub url: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// 0 to 100; null when the page could not be reached.
    pub score: Option<u32>,
}

/// A finding of both runs.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Unchanged {
    /// Its code.
    pub code: String,
    /// How bad it is now.
    pub severity: Severity,
    /// What the earlier run said.
    pub before: String,
    /// What the later run said.
    pub after: String,
    /// Both, word by word.
    #[serde(skip)]
    #[schemars(skip)]
    pub words: Vec<Word>,
}

impl Compared {
    /// Of two stored runs.
    pub fn of(before: &StoredReport, after: &StoredReport, lang: Lang) -> Self {
        // Only a run of an unreachable page has no summary.
        let judgement = |run: &StoredReport| Judgement::of_report(&run.report, run.report.summary.is_none(), lang);
        let run = |run: &StoredReport, judgement: &Judgement| ComparedRun {
            id: run.id.0.clone(),
            audit_id: run.id.0.clone(),
            url: run.requested_url.clone(),
            created_at: run.created_at,
            score: judgement.score,
        };
        let (old, new) = (judgement(before), judgement(after));
        let unchanged = new.issues.iter().filter_map(|now| {
            let then = old.issues.iter().find(|then| then.code == now.code)?;
            Some(Unchanged {
                code: now.code.clone(),
                severity: now.severity,
                before: then.message.clone(),
                after: now.message.clone(),
                words: words(&then.message, &now.message),
            })
        });
        Self {
            unchanged: unchanged.collect(),
            not_compared: compare(old.side(), new.side()).not_compared,
            lab: lab_changes(lab_of(before), lab_of(after)),
            change: between(&old, &new),
            before: run(before, &old),
            after: run(after, &new),
        }
    }
}

/// The lab tests of a run.
fn lab_of(run: &StoredReport) -> Option<&LabTests> {
    run.report.summary.as_ref()?.lab.as_ref()
}

/// What changed from `before` to `after`.
pub fn between(before: &Judgement, after: &Judgement) -> Change {
    let (from, to) = (before.score, after.score);
    let comparison = compare(before.side(), after.side());
    Change {
        score: from.and(to).map(|_| points(before.side(), after.side())),
        from,
        to,
        broke: comparison.broke,
        fixed: comparison.fixed,
        revealed: comparison.revealed,
    }
}

#[cfg(test)]
mod tests {
    use audit::supplied::Supplied;
    use lab::outcome;
    use model::id::AuditId;
    use model::lab::{LabScores, LabTest, Strategy};

    use super::*;

    /// A run of a page with many findings.
    fn run() -> StoredReport {
        let url = "https://example.com/";
        let page = Supplied::page(url.parse().unwrap(), b"<p>a".to_vec());
        StoredReport {
            id: AuditId("a run".to_owned()),
            requested_url: url.to_owned(),
            created_at: Timestamp(0),
            share_slug: None,
            report: audit::report(&page.capture(Timestamp(0))),
        }
    }

    #[test]
    fn what_both_found_is_compared_by_its_code() {
        let compared = Compared::of(&run(), &run(), Lang::En);
        let codes: Vec<&str> = compared.unchanged.iter().map(|both| &*both.code).collect();
        let found: Vec<String> = run().report.issues_in(Lang::En).into_iter().map(|issue| issue.code).collect();
        assert!(codes.len() > 2 && codes == found, "{codes:?} {found:?}");
        for both in &compared.unchanged {
            assert_eq!(both.before, both.after, "{}", both.code);
        }
    }

    #[test]
    fn lab_tests_of_both_are_compared() {
        let measured = |performance| {
            let mut run = run();
            let scores = Some(LabScores { performance: Some(performance), ..LabScores::default() });
            let test = LabTest { scores, ..outcome::running(Strategy::Desktop, Timestamp(0), None) };
            run.report.summary.as_mut().unwrap().lab = Some(LabTests { mobile: None, desktop: Some(test) });
            run
        };
        let compared = Compared::of(&measured(40), &measured(60), Lang::En);
        let scores: Vec<_> =
            compared.lab.iter().map(|both| (both.before.performance, both.after.performance)).collect();
        assert_eq!(scores, [(Some(40), Some(60))]);
        assert!(Compared::of(&run(), &measured(60), Lang::En).lab.is_empty());
    }
}
