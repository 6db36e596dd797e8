//! What a caller may do for free, and what costs what.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The allowance of a network (Gate).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Gate {
    /// The network, masked.
    pub ip: String,
    /// Seconds since 1970-01-01 (UTC).
    pub now: i64,
    /// Free audits a day.
    pub free_allowance: u32,
    /// Of them left today.
    pub free_remaining: u32,
    /// The next audit must be paid.
    pub needs_payment: bool,
    /// A human-verification challenge is set up.
    pub configured: bool,
}
