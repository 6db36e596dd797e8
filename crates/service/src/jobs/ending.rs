//! How a job ended: done, or to be retried, or given up.

use store::StoreError;

/// How a job ended.
#[derive(Debug)]
pub(super) enum Ending {
    /// It is done, which is yet to be written.
    Done,
    /// It is done, which was written together with what it did.
    Written,
    /// The right to it was another's by then; nothing was written.
    Late,
}

/// Why a job is not done.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// It may be done later.
    Later(String),
    /// It never will be.
    Never(String),
}

impl From<StoreError> for Unfinished {
    fn from(error: StoreError) -> Self {
        Self::Later(error.to_string())
    }
}
