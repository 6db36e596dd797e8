//! The error of calls on accounts while the database is away.

use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};

/// Maps a database error: an outage is [`Code::AuthUnavailable`].
pub(crate) fn unavailable(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::Down => ServiceError::new(Code::AuthUnavailable).retry_after(5),
        other => other.into(),
    }
}
