//! Times shared by several transitions.

/// A claim's lease: for verifying, the work, and storing its result, in milliseconds.
pub(super) const CLAIM_LEASE_MS: i64 = 60_000;
/// Time that the chain is given after an authorization expired to show its use, in milliseconds.
pub(super) const LAPSE_MS: i64 = 600_000;
/// Seconds after which a caller asks again about an unclear payment.
pub(super) const UNCLEAR_RETRY: u32 = 5;
/// Seconds after which a caller asks again about a payment whose lease another call holds.
pub(super) const IN_PROGRESS_RETRY: u32 = 2;
