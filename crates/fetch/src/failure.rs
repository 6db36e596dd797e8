//! Why a hop failed.

use model::capture::FailureKind;

/// A failure of one hop: its kind, and the word that its report has for it. It never names an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct HopFailure {
    pub(crate) kind: FailureKind,
    pub(crate) reason: &'static str,
}

/// A failure with the server or on the way to it.
pub(crate) const fn unreachable(reason: &'static str) -> HopFailure {
    HopFailure { kind: FailureKind::Unreachable, reason }
}

/// A timeout of `phase`.
pub(crate) const fn timeout(phase: &'static str) -> HopFailure {
    HopFailure { kind: FailureKind::Timeout, reason: phase }
}
