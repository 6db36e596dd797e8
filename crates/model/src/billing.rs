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
    /// Free audits per day.
    pub free_allowance: u32,
    /// Free audits left today.
    pub free_remaining: u32,
    /// Whether the next audit must be paid.
    pub needs_payment: bool,
    /// Human verification is configured: a browser that spends the free allowance on a page of ours solves a challenge first.
    /// Calls of the API never do.
    pub configured: bool,
    /// Until when this browser is verified, in seconds since 1970-01-01 (UTC); null: it is not.
    pub verified_until: Option<i64>,
    /// This browser's next free audit on a page of ours needs a challenge.
    pub needs_verification: bool,
    /// Public key for the widget of the configured verification service; null where this server makes the challenge, or where
    /// there is none.
    pub sitekey: Option<String>,
}
