//! The one door to either database: a statement goes in, its rows come out.
//!
//! Every write of the store is one statement, atomic by itself, so that on SQLite many of them can share a commit
//! (see [`crate::sqlite`]) and on PostgreSQL each costs one round trip.

use std::time::Duration;

use sqlx::AnyPool;
use sqlx::any::{Any, AnyArguments, AnyRow};
use sqlx::query::Query;

use crate::error::StoreError;
use crate::sqlite::Writer;
use crate::{postgres, sqlite};

/// How long a caller waits for a statement, queueing included. Chosen: as long as PostgreSQL may run one, so
/// that a silent server fails like a slow one.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// One SQL statement with its values. Bind owned `String`s: the driver's SQLite half can't take shared slices.
pub(crate) type Statement = Query<'static, Any, AnyArguments>;

/// An open database.
pub(crate) enum Db {
    /// Writes queue up for one connection; readers have their own.
    Sqlite { writer: Writer, readers: AnyPool },
    /// The server does the queueing.
    Postgres { pool: AnyPool },
}

impl Db {
    /// Opens `database_url` (`sqlite://…` or `postgres://…`) and brings its tables up to date.
    pub(crate) async fn open(database_url: &str) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        if let Some(path) = database_url.strip_prefix("sqlite://") {
            let (writer, readers) = sqlite::open(path).await?;
            Ok(Self::Sqlite { writer, readers })
        } else if database_url.starts_with("postgres://") || database_url.starts_with("postgresql://") {
            Ok(Self::Postgres { pool: postgres::open(database_url).await? })
        } else {
            Err(StoreError::unavailable("opening the database", "its address starts with sqlite:// or postgres://"))
        }
    }

    /// Runs a statement that changes nothing; its first row, if any.
    pub(crate) async fn read(&self, subject: &'static str, statement: Statement) -> Result<Option<AnyRow>, StoreError> {
        let pool = match self {
            Self::Sqlite { readers, .. } => readers,
            Self::Postgres { pool } => pool,
        };
        in_time(subject, async {
            statement.fetch_optional(pool).await.map_err(|error| StoreError::of_driver(subject, error))
        })
        .await
    }

    /// Runs a statement that changes something and answers once that is durable: the rows it returns.
    pub(crate) async fn write(&self, subject: &'static str, statement: Statement) -> Result<Vec<AnyRow>, StoreError> {
        in_time(subject, async {
            match self {
                Self::Sqlite { writer, .. } => writer.write(subject, statement).await,
                Self::Postgres { pool } => {
                    statement.fetch_all(pool).await.map_err(|error| StoreError::of_driver(subject, error))
                }
            }
        })
        .await
    }

    /// Finishes the writes that were accepted and closes all connections.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite { writer, readers } => {
                // Readers first: the last connection to leave folds the log back into the database file.
                readers.close().await;
                writer.close().await;
            }
            Self::Postgres { pool } => pool.close().await,
        }
    }
}

async fn in_time<T>(subject: &'static str, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    tokio::time::timeout(ANSWER_WITHIN, work).await.unwrap_or(Err(StoreError::Busy { subject, source: None }))
}
