//! The error of calls on accounts while the database is away.

use crate::database::Trouble;
use crate::error::{Code, ServiceError};

/// The refusal of a call that only the database of accounts can answer.
pub(crate) fn unavailable(trouble: Trouble) -> ServiceError {
    match trouble {
        Trouble::Down => ServiceError::new(Code::AuthUnavailable).retry_after(5),
        other => other.into(),
    }
}
