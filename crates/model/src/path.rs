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
    /// Tags, edits and files that they change together.
    pub effort: u32,
}

/// How far the fixes of a patch go that was asked for with a score in mind (PatchTarget).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PatchTarget")]
pub struct PatchTarget {
    /// The score that was asked for, 0 to 100.
    pub score: u32,
    /// Whether the ready fixes reach it.
    #[serde(rename = "reached")]
    pub is_reached: bool,
    /// The score with them. Where it is less than asked for, the rest takes templates and decisions.
    pub score_after: u32,
    /// Codes of the findings that they end.
    pub codes: Vec<String>,
    /// Tags, edits and files that they change.
    pub effort: u32,
}
