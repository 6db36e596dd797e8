//! What changed between two audits. Comparison is by code, never by message.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Severity};

/// A finding that appeared or disappeared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MudancaAchado")]
pub struct Changed {
    /// Its code.
    pub code: String,
    /// Severity.
    pub severity: Severity,
    /// Its message, from the run that has the finding.
    pub message: String,
}

impl Changed {
    /// Of a finding.
    pub fn of(finding: &Finding<String>) -> Self {
        Self { code: finding.code.clone(), severity: finding.severity, message: finding.message.clone() }
    }
}

/// What changed from one run to the next (Mudanca).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Mudanca")]
pub struct Change {
    /// Points by which the score changed, of what both runs measured; positive is better. Null when a run has none.
    pub score: Option<i32>,
    /// Score of the earlier run.
    pub from: Option<u32>,
    /// Score of the later run.
    pub to: Option<u32>,
    /// New findings: measured and passed before.
    pub broke: Vec<Changed>,
    /// Fixed findings: measured again and passed.
    pub fixed: Vec<Changed>,
    /// Findings that were there before, behind one that is fixed now: what a block of data says once it can be read, or
    /// what a fixed finding had silenced. They count neither as broken nor in `score`.
    #[serde(default)]
    pub revealed: Vec<Changed>,
}

/// Two audits of one page beside each other.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// Findings that are gone: measured again, and fine.
    pub fixed: Vec<Changed>,
    /// Findings that are new: measured before, and fine then.
    pub broke: Vec<Changed>,
    /// Findings that were there before, behind one that is gone now.
    #[serde(default)]
    pub revealed: Vec<Changed>,
    /// Codes that are findings on one side and were not measured on the other, with the reason; that of the earlier
    /// side after `before:`.
    pub not_compared: BTreeMap<String, String>,
}
