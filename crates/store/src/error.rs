//! What can go wrong with a database, by what a caller does about it.

use std::error::Error;
use std::sync::Arc;

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
    /// The database works, and refuses this statement or its values: a defect of ours, or tables that are not ours.
    /// Nothing was written.
    #[error("{subject}: the database refuses the statement")]
    Refused {
        /// What was being done.
        subject: &'static str,
        /// What the database said.
        #[source]
        source: Cause,
    },
}

/// An error whose text tells its sources already, as those of the driver do: without a source of its own, so that a
/// chain of errors says everything once.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Whole<E: std::fmt::Display + std::fmt::Debug>(E);

impl StoreError {
    /// [`StoreError::Unavailable`] for something that is not the driver's.
    pub(crate) fn unavailable(subject: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unavailable { subject, source: Arc::from(source.into()) }
    }

    /// [`StoreError::Unavailable`] for an error of the driver that is none of a statement.
    pub(crate) fn unavailable_driver(
        subject: &'static str,
        error: impl std::fmt::Display + std::fmt::Debug + Send + Sync + 'static,
    ) -> Self {
        Self::Unavailable { subject, source: Arc::new(Whole(error)) }
    }

    /// [`StoreError::Corrupt`] for something that is not the driver's.
    pub(crate) fn corrupt(subject: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Corrupt { subject, source: Arc::from(source.into()) }
    }

    /// Whether it concerns its own statement only: SQLite undoes that statement and keeps the transaction, where a
    /// full disk, an interrupt or an I/O error may have ended the transaction itself
    /// (sqlite.org/lang_transaction.html §3).
    pub(crate) fn is_of_statement(&self) -> bool {
        matches!(self, Self::Conflict { .. } | Self::Refused { .. })
    }

    /// Sorts an error of the driver by what its caller can do about it.
    pub(crate) fn of_driver(subject: &'static str, error: impl Into<Arc<sqlx::Error>>) -> Self {
        let error: Arc<sqlx::Error> = error.into();
        let kind = Kind::of(&error);
        let source: Cause = Arc::new(Whole(error));
        match kind {
            Kind::Conflict => Self::Conflict { subject, source },
            Kind::Busy => Self::Busy { subject, source: Some(source) },
            Kind::Unavailable => Self::Unavailable { subject, source },
            Kind::Corrupt => Self::Corrupt { subject, source },
            Kind::Refused => Self::Refused { subject, source },
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Conflict,
    Busy,
    Unavailable,
    Corrupt,
    Refused,
}

impl Kind {
    fn of(error: &sqlx::Error) -> Self {
        use sqlx::Error;
        match error {
            Error::Database(error) if error.is_unique_violation() => Self::Conflict,
            // Not a word on what it is about: nothing says that the next statement fares better.
            Error::Database(error) => error.code().map_or(Self::Unavailable, |code| Self::of_code(&code)),
            Error::PoolTimedOut => Self::Busy,
            Error::ColumnDecode { .. } | Error::ColumnNotFound(_) | Error::Decode(_) => Self::Corrupt,
            Error::Encode(_) | Error::InvalidArgument(_) | Error::TypeNotFound { .. } => Self::Refused,
            Error::ColumnIndexOutOfBounds { .. } | Error::RowNotFound | Error::AnyDriverError(_) => Self::Refused,
            _ => Self::Unavailable,
        }
    }

    /// A five-character SQLSTATE of PostgreSQL, or an extended result code of SQLite in decimal. Only what concerns
    /// every statement is an outage; what concerns one must not keep the others from the database.
    fn of_code(code: &str) -> Self {
        match code.parse::<u32>().ok().filter(|_| code.len() < 5) {
            Some(code) => Self::of_sqlite(code),
            None => Self::of_postgres(code),
        }
    }

    fn of_sqlite(code: u32) -> Self {
        // The primary code is the low byte of the extended one.
        match code & 0xff {
            // SQLITE_BUSY, SQLITE_LOCKED.
            5 | 6 => Self::Busy,
            // SQLITE_CORRUPT, SQLITE_NOTADB.
            11 | 26 => Self::Corrupt,
            // SQLITE_PERM, _NOMEM, _READONLY, _INTERRUPT, _IOERR, _FULL, _CANTOPEN, _PROTOCOL, _NOLFS.
            3 | 7 | 8 | 9 | 10 | 13 | 14 | 15 | 22 => Self::Unavailable,
            _ => Self::Refused,
        }
    }

    fn of_postgres(code: &str) -> Self {
        match code {
            // Serialization failure, deadlock, no lock in time, statement timeout, too many connections.
            "40001" | "40P01" | "55P03" | "57014" | "53300" => Self::Busy,
            // Data corrupted, index corrupted.
            "XX001" | "XX002" => Self::Corrupt,
            // A server that only reads, as after a failover; a session that ended for its idleness.
            "25006" | "25P03" => Self::Unavailable,
            // Connection, authorization of a session, no such database, resources, operator, system.
            _ if ["08", "28", "3D", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => Self::Unavailable,
            _ => Self::Refused,
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
            ("08006", Kind::Unavailable),
            ("58030", Kind::Unavailable),
            ("28P01", Kind::Unavailable),
            ("25006", Kind::Unavailable),
            ("10", Kind::Unavailable),
            ("8", Kind::Unavailable),
            ("22P05", Kind::Refused),
            ("23514", Kind::Refused),
            ("42P01", Kind::Refused),
            ("XX000", Kind::Refused),
            ("1", Kind::Refused),
            ("18", Kind::Refused),
            ("1299", Kind::Refused),
        ] {
            assert_eq!(Kind::of_code(code), kind, "{code}");
        }
    }

    #[test]
    fn a_pool_without_a_free_connection_is_busy() {
        assert!(matches!(StoreError::of_driver("reading", sqlx::Error::PoolTimedOut), StoreError::Busy { .. }));
    }

    #[test]
    fn a_chain_of_errors_says_everything_once() {
        let refused = || std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
        for error in [
            StoreError::of_driver("opening", sqlx::Error::Io(refused())),
            StoreError::unavailable_driver("opening", sqlx::migrate::MigrateError::Execute(sqlx::Error::Io(refused()))),
            StoreError::unavailable("opening", refused()),
        ] {
            let mut chain = error.to_string();
            let mut source = error.source();
            while let Some(next) = source {
                chain = format!("{chain}: {next}");
                source = next.source();
            }
            assert_eq!(chain.matches("connection refused").count(), 1, "{chain}");
        }
    }
}
