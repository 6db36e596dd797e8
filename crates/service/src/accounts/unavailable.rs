//! The error of calls on accounts while the database is away.

use crate::database::Trouble;
use crate::error::{Code, ServiceError};

/// Maps a database error: an outage is [`Code::AuthUnavailable`].
pub(crate) fn unavailable(trouble: Trouble) -> ServiceError {
    match trouble {
        Trouble::Down => ServiceError::new(Code::AuthUnavailable).retry_after(5),
        other => other.into(),
    }
}
