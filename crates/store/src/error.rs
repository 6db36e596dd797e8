//! What can go wrong with a database, by what a caller does about it.

use std::error::Error;
use std::sync::Arc;

use sqlx::error::ErrorKind;

/// The underlying error; shared, because one failed commit answers every write that waited for it.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// Why the store did not do what was asked. `subject` names what was being done, for the log.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// No such row, or not this owner's.
    #[error("{subject}: no such row")]
    NotFound {
        /// What was being done.
        subject: &'static str,
    },
    /// A row with this key is there already.
    #[error("{subject}: the key is taken")]
    Conflict {
        /// What was being done.
        subject: &'static str,
        /// What the database said.
        #[source]
        source: Cause,
    },
    /// The database is at work on something else; the same call may succeed in a moment. After `Busy` a write may or
    /// may not have happened.
    #[error("{subject}: the database is busy")]
    Busy {
        /// What was being done.
        subject: &'static str,
        /// What the database said; `None` when it said nothing in time.
        #[source]
        source: Option<Cause>,
    },
    /// The database can't be reached, opened or written. After `Unavailable` a write may or may not have happened.
    #[error("{subject}: the database is not available")]
    Unavailable {
        /// What was being done.
        subject: &'static str,
        /// What the database or the operating system said.
        #[source]
        source: Cause,
    },
    /// What is stored is not what was written.
    #[error("{subject}: the stored data is damaged")]
    Corrupt {
        /// What was being done.
        subject: &'static str,
        /// What does not fit.
        #[source]
        source: Cause,
    },
}

impl StoreError {
    /// [`StoreError::Unavailable`] for something that is not the driver's.
    pub(crate) fn unavailable(subject: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unavailable { subject, source: Arc::from(source.into()) }
    }

    /// [`StoreError::Corrupt`] for something that is not the driver's.
    pub(crate) fn corrupt(subject: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Corrupt { subject, source: Arc::from(source.into()) }
    }

    /// Sorts an error of the driver by what its caller can do about it.
    pub(crate) fn of_driver(subject: &'static str, error: impl Into<Arc<sqlx::Error>>) -> Self {
        let error: Arc<sqlx::Error> = error.into();
        let kind = Kind::of(&error);
        let source: Cause = error;
        match kind {
            Kind::Conflict => Self::Conflict { subject, source },
            Kind::Busy => Self::Busy { subject, source: Some(source) },
            Kind::Unavailable => Self::Unavailable { subject, source },
            Kind::Corrupt => Self::Corrupt { subject, source },
        }
    }
}

/// Whether `error` concerns its own statement only: SQLite undoes that statement and keeps the transaction, where a
/// full disk or an I/O error may have ended the transaction itself.
pub(crate) fn is_constraint(error: &sqlx::Error) -> bool {
    error.as_database_error().is_some_and(|error| !matches!(error.kind(), ErrorKind::Other))
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Conflict,
    Busy,
    Unavailable,
    Corrupt,
}

impl Kind {
    fn of(error: &sqlx::Error) -> Self {
        match error {
            sqlx::Error::Database(error) if error.is_unique_violation() => Self::Conflict,
            sqlx::Error::Database(error) => error.code().map_or(Self::Unavailable, |code| Self::of_code(&code)),
            sqlx::Error::PoolTimedOut => Self::Busy,
            sqlx::Error::ColumnDecode { .. } | sqlx::Error::ColumnNotFound(_) | sqlx::Error::Decode(_) => Self::Corrupt,
            _ => Self::Unavailable,
        }
    }

    /// A five-character SQLSTATE of PostgreSQL, or an extended result code of SQLite in decimal.
    fn of_code(code: &str) -> Self {
        match code {
            // Serialization failure, deadlock, no lock in time, statement timeout, too many connections.
            "40001" | "40P01" | "55P03" | "57014" | "53300" => Self::Busy,
            // Data corrupted, index corrupted.
            "XX001" | "XX002" => Self::Corrupt,
            // The primary code of SQLite is the low byte of the extended one.
            _ => match code.parse::<u32>().ok().filter(|_| code.len() < 5).map(|code| code & 0xff) {
                // SQLITE_BUSY, SQLITE_LOCKED.
                Some(5 | 6) => Self::Busy,
                // SQLITE_CORRUPT, SQLITE_NOTADB.
                Some(11 | 26) => Self::Corrupt,
                _ => Self::Unavailable,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_databases_are_sorted_by_what_a_caller_does() {
        for (code, kind) in [
            ("5", Kind::Busy),
            ("517", Kind::Busy),
            ("262", Kind::Busy),
            ("11", Kind::Corrupt),
            ("26", Kind::Corrupt),
            ("13", Kind::Unavailable),
            ("522", Kind::Unavailable),
            ("40P01", Kind::Busy),
            ("57014", Kind::Busy),
            ("57P01", Kind::Unavailable),
            ("XX001", Kind::Corrupt),
            ("53100", Kind::Unavailable),
        ] {
            assert_eq!(Kind::of_code(code), kind, "{code}");
        }
    }

    #[test]
    fn a_pool_without_a_free_connection_is_busy() {
        assert!(matches!(StoreError::of_driver("reading", sqlx::Error::PoolTimedOut), StoreError::Busy { .. }));
    }
}
