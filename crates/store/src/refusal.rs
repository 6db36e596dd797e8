//! Why a change of an account was refused.

/// Why a change was refused. Nothing of it was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The link was used, replaced, or has expired.
    Link,
    /// The address has an account, or the account has this already.
    Taken,
    /// The challenge was used or has expired.
    Challenge,
    /// The code was used, or a later one was.
    Code,
    /// It changed in the meantime.
    Stale,
    /// The account has no such thing.
    Missing,
}
