//! Why a hop failed.

use std::io;

use model::capture::FailureKind;

/// Error numbers of a process, and of a machine, without a file descriptor left (`EMFILE`, `ENFILE`): the same on Linux, macOS
/// and the BSDs. The standard library has no kind for them.
const NO_DESCRIPTOR: [i32; 2] = [24, 23];

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

/// The failure of a connection by the system's error: of this machine where it has no file descriptor left, else `usual`.
pub(crate) fn of_system(error: &io::Error, usual: HopFailure) -> HopFailure {
    let is_ours = cfg!(unix) && error.raw_os_error().is_some_and(|number| NO_DESCRIPTOR.contains(&number));
    if is_ours { HopFailure { kind: FailureKind::OwnLimit, reason: "descriptors" } } else { usual }
}
