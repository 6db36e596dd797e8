//! What is found of one part of a deployment.

use serde::Serialize;

/// How a part is.
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

/// What was found of one part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnosis {
    /// The part: `database`, `mail`, `dns`, `clock` and so on.
    pub area: &'static str,
    /// How it is.
    pub verdict: Condition,
    /// What was found, a sentence.
    pub found: String,
    /// What to do, a sentence; `None` where nothing is to be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

impl Diagnosis {
    pub(super) fn ok(area: &'static str, found: impl Into<String>) -> Self {
        Self { area, verdict: Condition::Ok, found: found.into(), remedy: None }
    }

    pub(super) fn off(area: &'static str, found: impl Into<String>) -> Self {
        Self { area, verdict: Condition::Off, found: found.into(), remedy: None }
    }

    pub(super) fn warning(area: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { area, verdict: Condition::Warning, found: found.into(), remedy: Some(remedy.into()) }
    }

    pub(super) fn problem(area: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { area, verdict: Condition::Problem, found: found.into(), remedy: Some(remedy.into()) }
    }
}
