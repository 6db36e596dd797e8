//! Outcome of a job: done, to be retried, or given up.

use std::time::Duration;

use store::StoreError;

/// Outcome of a job that ran.
#[derive(Debug)]
pub(super) enum Ending {
    /// Done, still to be recorded.
    Done,
    /// Done, and recorded in the same transaction as its effects.
    Written,
    /// A part is done; the rest is due after this wait.
    Continued(Duration),
    /// The lease had expired; nothing was written.
    Late,
}

/// Why a job failed.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// Retry later.
    Later(String),
    /// Retry after a wait of the job's own choice.
    After {
        /// Why.
        why: String,
        /// How long.
        wait: Duration,
    },
    /// Give up.
    Never(String),
}

impl From<StoreError> for Unfinished {
    fn from(error: StoreError) -> Self {
        Self::Later(error.to_string())
    }
}
