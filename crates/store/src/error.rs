//! Errors of the store, by what a caller does about them.

use std::error::Error;
use std::sync::Arc;

use sqlx::error::DatabaseError;
use sqlx::postgres::PgDatabaseError;

/// The underlying error; shared, because one failed commit answers every write that waited for it.
pub type Cause = Arc<dyn Error + Send + Sync>;

/// An error of the store. `subject` names the operation, for the log.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// No such row, or not this owner's.
    #[error("{subject}: no such row")]
    NotFound {
        /// The operation.
        subject: &'static str,
    },
    /// A row with this key exists.
    #[error("{subject}: the key is taken")]
    Conflict {
        /// The operation.
        subject: &'static str,
        /// The database's error.
        #[source]
        source: Cause,
    },
    /// The database is busy; a retry may succeed. After `Busy` a write may or may not have happened.
    #[error("{subject}: the database is busy")]
    Busy {
        /// The operation.
        subject: &'static str,
        /// The database's error; `None` for a timeout.
        #[source]
        source: Option<Cause>,
    },
    /// The database can't be reached, opened or written. After `Unavailable` a write may or may not have happened.
    #[error("{subject}: the database is not available")]
    Unavailable {
        /// The operation.
        subject: &'static str,
        /// The error of the database or the operating system.
        #[source]
        source: Cause,
    },
    /// The disk takes no more writes: it is full, over its quota or read-only. Reads work. After `Full` a write may or
    /// may not have happened.
    #[error("{subject}: the disk of the database is full or takes no writes")]
    Full {
        /// The operation.
        subject: &'static str,
        /// The database's error.
        #[source]
        source: Cause,
    },
    /// Stored data is damaged.
    #[error("{subject}: the stored data is damaged")]
    Corrupt {
        /// The operation.
        subject: &'static str,
        /// What is wrong with it.
        #[source]
        source: Cause,
    },
    /// The database works and rejects this statement or its values: a defect of this program, or a foreign schema.
    /// Nothing was written.
    #[error("{subject}: the database refuses the statement")]
    Refused {
        /// The operation.
        subject: &'static str,
        /// The database's error.
        #[source]
        source: Cause,
    },
}

/// An error of the driver, whose text includes its sources: it has no source of its own, so that a printed chain says
/// everything once.
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

    /// Whether it concerns its own statement only: SQLite rolls that statement back and keeps the transaction, whereas
    /// a full disk, an interrupt or an I/O error may end the transaction (<https://sqlite.org/lang_transaction.html>,
    /// section 3).
    pub(crate) fn is_of_statement(&self) -> bool {
        matches!(self, Self::Conflict { .. } | Self::Refused { .. })
    }

    /// Classifies an error of the driver.
    pub(crate) fn of_driver(subject: &'static str, error: impl Into<Arc<sqlx::Error>>) -> Self {
        let error: Arc<sqlx::Error> = error.into();
        let class = ErrorClass::of(&error);
        let source: Cause = Arc::new(Whole(error));
        match class {
            ErrorClass::Conflict => Self::Conflict { subject, source },
            ErrorClass::Busy => Self::Busy { subject, source: Some(source) },
            ErrorClass::Unavailable => Self::Unavailable { subject, source },
            ErrorClass::Full => Self::Full { subject, source },
            ErrorClass::Corrupt => Self::Corrupt { subject, source },
            ErrorClass::Refused => Self::Refused { subject, source },
        }
    }
}

#[derive(Debug, PartialEq, Eq)]
enum ErrorClass {
    Conflict,
    Busy,
    Unavailable,
    Full,
    Corrupt,
    Refused,
}

impl ErrorClass {
    fn of(error: &sqlx::Error) -> Self {
        use sqlx::Error;
        match error {
            Error::Database(error) if error.is_unique_violation() => Self::Conflict,
            Error::Database(error) if is_of_files(error.as_ref()) => Self::Unavailable,
            // An error without a code: the next statement may fail like this one.
            Error::Database(error) => error.code().map_or(Self::Unavailable, |code| Self::of_code(&code)),
            Error::PoolTimedOut => Self::Busy,
            Error::ColumnDecode { .. } | Error::ColumnNotFound(_) | Error::Decode(_) => Self::Corrupt,
            Error::Encode(_) | Error::InvalidArgument(_) | Error::TypeNotFound { .. } => Self::Refused,
            Error::ColumnIndexOutOfBounds { .. } | Error::RowNotFound | Error::AnyDriverError(_) => Self::Refused,
            _ => Self::Unavailable,
        }
    }

    /// The class of a five-character SQLSTATE of PostgreSQL, or of an extended result code of SQLite in decimal. Only
    /// errors that concern every statement are outages; an error of one statement must not open the breaker for others.
    fn of_code(code: &str) -> Self {
        match code.parse::<u32>().ok().filter(|_| code.len() < 5) {
            Some(code) => Self::of_sqlite(code),
            None => Self::of_postgres(code),
        }
    }

    fn of_sqlite(code: u32) -> Self {
        // SQLITE_IOERR_WRITE is a quota or a limit on the size of files, SQLITE_IOERR_SHMSIZE no room for the index of
        // the log.
        if matches!(code, 778 | 4874) {
            return Self::Full;
        }
        // The primary code is the low byte of the extended one.
        match code & 0xff {
            // SQLITE_BUSY, SQLITE_LOCKED.
            5 | 6 => Self::Busy,
            // SQLITE_CORRUPT, SQLITE_NOTADB.
            11 | 26 => Self::Corrupt,
            // SQLITE_READONLY, SQLITE_FULL.
            8 | 13 => Self::Full,
            // SQLITE_PERM, _NOMEM, _INTERRUPT, _IOERR, _CANTOPEN, _PROTOCOL, _NOLFS.
            3 | 7 | 9 | 10 | 14 | 15 | 22 => Self::Unavailable,
            _ => Self::Refused,
        }
    }

    fn of_postgres(code: &str) -> Self {
        match code {
            // Serialization failure, deadlock, no lock in time, statement timeout, too many connections.
            "40001" | "40P01" | "55P03" | "57014" | "53300" => Self::Busy,
            // Data corrupted, index corrupted.
            "XX001" | "XX002" => Self::Corrupt,
            // Disk full.
            "53100" => Self::Full,
            // A server that only reads, as after a failover; a session that ended for its idleness; a file that may not be
            // written, which is how PostgreSQL reports a file system that only reads.
            "25006" | "25P03" | "42501" => Self::Unavailable,
            // Connection, authorization of a session, no such database, resources, operator, system.
            _ if ["08", "28", "3D", "53", "57", "58"].iter().any(|class| code.starts_with(class)) => Self::Unavailable,
            _ => Self::Refused,
        }
    }
}

/// Whether PostgreSQL could not reach one of its files for a reason that has no SQLSTATE of its own, such as a disk that does
/// not answer in time: then it reports an internal error (`errcode_for_file_access`), from its storage manager (`md.c`) or from
/// its access to files (`fd.c`).
fn is_of_files(error: &dyn DatabaseError) -> bool {
    let Some(error) = error.try_downcast_ref::<PgDatabaseError>() else { return false };
    error.code() == "XX000" && matches!(error.file(), Some("md.c" | "fd.c"))
}

/// Whether an error is of the connection. What was sent over it may be half of a message then, and what comes next the answer to
/// the statement that failed: it would be taken for that of the next one.
pub(crate) fn is_unanswered(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Io(_) | sqlx::Error::Protocol(_) | sqlx::Error::Tls(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_both_databases_are_sorted_by_what_a_caller_does() {
        for (code, kind) in [
            ("5", ErrorClass::Busy),
            ("517", ErrorClass::Busy),
            ("262", ErrorClass::Busy),
            ("11", ErrorClass::Corrupt),
            ("26", ErrorClass::Corrupt),
            ("13", ErrorClass::Full),
            ("778", ErrorClass::Full),
            ("4874", ErrorClass::Full),
            ("522", ErrorClass::Unavailable),
            ("40P01", ErrorClass::Busy),
            ("57014", ErrorClass::Busy),
            ("57P01", ErrorClass::Unavailable),
            ("XX001", ErrorClass::Corrupt),
            ("53100", ErrorClass::Full),
            ("08006", ErrorClass::Unavailable),
            ("58030", ErrorClass::Unavailable),
            ("42501", ErrorClass::Unavailable),
            ("28P01", ErrorClass::Unavailable),
            ("25006", ErrorClass::Unavailable),
            ("10", ErrorClass::Unavailable),
            ("8", ErrorClass::Full),
            ("22P05", ErrorClass::Refused),
            ("23514", ErrorClass::Refused),
            ("42P01", ErrorClass::Refused),
            ("XX000", ErrorClass::Refused),
            ("1", ErrorClass::Refused),
            ("18", ErrorClass::Refused),
            ("1299", ErrorClass::Refused),
        ] {
            assert_eq!(ErrorClass::of_code(code), kind, "{code}");
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
