//! Why a change of an organization was denied.

use crate::error::StoreError;

/// Why a change of an organization was denied. Nothing of it was stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// The account has no such organization, or the organization no such thing.
    Missing,
    /// Their role does not allow it.
    Forbidden,
    /// No owner would be left.
    LastOwner,
    /// A limit is reached.
    Full,
    /// It exists already.
    Taken,
}

/// Why a change was rolled back.
pub(crate) enum ChangeError {
    Denied(Denied),
    Store(StoreError),
}

impl From<StoreError> for ChangeError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Denied> for ChangeError {
    fn from(denied: Denied) -> Self {
        Self::Denied(denied)
    }
}

/// Separates a denial, which is an answer, from a failure.
pub(crate) fn outcome<T>(done: Result<T, ChangeError>) -> Result<Result<T, Denied>, StoreError> {
    match done {
        Ok(value) => Ok(Ok(value)),
        Err(ChangeError::Denied(denied)) => Ok(Err(denied)),
        Err(ChangeError::Store(error)) => Err(error),
    }
}
