//! Verification of a supplied page: its report, compared with an earlier audit if there is one.

use std::collections::BTreeMap;

use audit::compare::{Side, compare};
use model::change::{Changed, Comparison};
use model::finding::{Counts, Finding};
use model::fix::Fix;
use model::lang::Lang;
use model::report::{Coverage, Report};
use schemars::JsonSchema;
use serde::Serialize;

/// The report of a supplied page, compared with an earlier audit.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// 0 to 100.
    pub score: u32,
    /// Findings per severity.
    pub counts: Counts,
    /// Findings, most to least severe.
    pub issues: Vec<Finding<String>>,
    /// One fix per finding.
    pub fixes: Vec<Fix<String>>,
    /// Which checks were measured.
    pub coverage: Coverage,
    /// Findings of the audit that are fixed; null without an audit.
    pub fixed: Option<Vec<Changed>>,
    /// New findings; null without an audit.
    pub broke: Option<Vec<Changed>>,
    /// Findings that a now fixed finding had hidden; null without an audit.
    pub revealed: Option<Vec<Changed>>,
    /// Codes that only one of them measured, with the reason, after `before:` that of the audit; null without an audit.
    pub not_compared: Option<BTreeMap<String, String>>,
}

impl Verification {
    /// The verification of a report, compared with the findings of an earlier audit.
    pub fn of(report: &Report, before: Option<Side<'_>>, lang: Lang) -> Self {
        let issues = report.issues_in(lang);
        let compared = before.map(|before| compare(before, Side { issues: &issues, coverage: &report.coverage }));
        let (fixed, broke, revealed, not_compared) = match compared {
            Some(Comparison { fixed, broke, revealed, not_compared }) => {
                (Some(fixed), Some(broke), Some(revealed), Some(not_compared))
            }
            None => (None, None, None, None),
        };
        Self {
            score: report.score,
            counts: report.counts,
            fixes: report.fixes_in(lang),
            coverage: report.coverage.clone(),
            issues,
            fixed,
            broke,
            revealed,
            not_compared,
        }
    }
}
