//! Findings by code, over the audits of a window.

use std::cmp::Reverse;

use model::time::Day;
use schemars::JsonSchema;
use serde::Serialize;

use super::days::sums;
use crate::counting::kind;
use crate::database::{Database, DatabaseError};

/// Findings over the audits of the last 30 days. No address and no owner is in it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "Findings")]
pub struct FindingFigures {
    /// Audits in all.
    pub audits: u64,
    /// Findings by code, most frequent first.
    #[serde(rename = "por_codigo")]
    pub by_code: Vec<CodeFigures>,
}

/// A code among the findings.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "FindingsOfCode")]
pub struct CodeFigures {
    /// Code of the check.
    pub code: String,
    /// Findings.
    pub n: u64,
    /// Audits that have it.
    pub audits: u64,
    /// Share of all audits, 0 to 1, with four digits.
    #[serde(rename = "fracao_audits")]
    pub share: f64,
}

/// Findings of the audits from `from` to `to`.
pub async fn findings(database: &Database, from: Day, to: Day) -> Result<FindingFigures, DatabaseError> {
    let audits = sums(database, kind::EVENT, from, to).await?.get("audit_read").copied().unwrap_or_default();
    let with = sums(database, kind::AUDIT_WITH, from, to).await?;
    let mut by_code: Vec<CodeFigures> = sums(database, kind::FINDING, from, to)
        .await?
        .into_iter()
        .map(|(code, n)| {
            let with = with.get(&code).copied().unwrap_or_default();
            CodeFigures { n, audits: with, share: share(with, audits).unwrap_or_default(), code }
        })
        .collect();
    by_code.sort_by(|a, b| (Reverse(a.n), &a.code).cmp(&(Reverse(b.n), &b.code)));
    Ok(FindingFigures { audits, by_code })
}

/// A part of a whole with four digits; `None` of nothing.
#[expect(clippy::cast_precision_loss, reason = "a share of a number of events")]
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| ((part as f64 / whole as f64).min(1.0) * 10_000.0).round() / 10_000.0)
}
