//! The cheapest path: which ready fixes bring a page to which score.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A set of ready fixes, and the score with them (PathStep). Each step holds the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PathStep")]
pub struct PathStep {
    /// Codes of the fixes to apply, those of the steps before first.
    pub codes: Vec<String>,
    /// Score after them, by the same checks.
    pub score_after: u32,
    /// Number of tags, edits and files that change.
    pub effort: u32,
}

/// How far the fixes of a patch with a target score go (PatchTarget).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PatchTarget")]
pub struct PatchTarget {
    /// The requested score, 0 to 100.
    pub score: u32,
    /// Whether the ready fixes reach the requested score.
    #[serde(rename = "reached")]
    pub is_reached: bool,
    /// The score with the ready fixes. If it is lower than requested, the rest needs templates and decisions.
    pub score_after: u32,
    /// Codes of the findings that they fix.
    pub codes: Vec<String>,
    /// Number of tags, edits and files that change.
    pub effort: u32,
}
