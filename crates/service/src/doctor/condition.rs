//! Diagnosis of one part of a deployment.

use serde::Serialize;

/// Condition of a part of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    /// As it should be.
    Ok,
    /// Off, and so not examined.
    Off,
    /// It works, and something is worth changing.
    Warning,
    /// It does not work, or is not safe.
    Problem,
}

/// Diagnosis of one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// The part: `database`, `mail`, `dns`, `clock` and so on.
    pub area: &'static str,
    /// Its condition.
    pub condition: Condition,
    /// What was found, a sentence.
    pub found: String,
    /// What to do, a sentence; `None` where nothing is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Diagnosis {
    pub(super) fn ok(area: &'static str, found: impl Into<String>) -> Self {
        Self { area, condition: Condition::Ok, found: found.into(), remedy: None }
    }

    pub(super) fn off(area: &'static str, found: impl Into<String>) -> Self {
        Self { area, condition: Condition::Off, found: found.into(), remedy: None }
    }

    pub(super) fn warning(area: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { area, condition: Condition::Warning, found: found.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn problem(area: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { area, condition: Condition::Problem, found: found.into(), remedy: Some(remedy.into()) }
    }
}
