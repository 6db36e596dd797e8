//! SQLite: the setup of the file and its connections, and the group commit.
//!
//! One connection writes, in WAL mode with `synchronous=FULL`. Writes that arrive while a commit is under way share
//! the next one, so that durability costs one flush for up to [`writer::BATCH`] of them.

mod writer;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, AnyPool, ConnectOptions, Executor, Row};

pub(crate) use self::writer::WriterQueue;
use crate::error::StoreError;
use crate::migrations;
use crate::place::OpenedFile;

/// Read connections. Chosen.
const READERS: u32 = 4;

/// Timeout of the wait for one of them, well inside that of a statement, so that a full pool fails before its caller
/// does.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

/// Settings of the writer. WAL with `synchronous=FULL` makes every commit durable; a foreign lock is waited for 2,000 ms.
/// The page size, in bytes, counts only for a new file and must precede WAL; the log is cut back to 64 MiB after a
/// checkpoint.
const WRITER: &str = "PRAGMA busy_timeout = 2000; \
    PRAGMA page_size = 8192; \
    PRAGMA journal_mode = WAL; \
    PRAGMA synchronous = FULL; \
    PRAGMA foreign_keys = ON; \
    PRAGMA trusted_schema = OFF; \
    PRAGMA journal_size_limit = 67108864";

/// Settings of a reader.
const READER: &str = "PRAGMA busy_timeout = 2000; \
    PRAGMA query_only = ON; \
    PRAGMA trusted_schema = OFF";

/// `PRAGMA synchronous` as SQLite answers it for FULL.
const SYNCHRONOUS_FULL: i64 = 2;

/// Opens the file at `path`, creating it and its folder when absent; checks it and migrates it.
pub(crate) async fn open(path: &str) -> Result<(WriterQueue, AnyPool, OpenedFile), StoreError> {
    let subject = "opening the SQLite database";
    let file = create(path).await?;
    let options = options(&file, "")?;

    let mut connection = connect_writer(&options).await?;
    quick_check(&mut connection).await?;
    migrations::run(&mut connection).await?;

    let readers = AnyPoolOptions::new()
        .max_connections(READERS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(|connection, _| {
            Box::pin(async move { connection.execute(sqlx::raw_sql(READER)).await.map(drop) })
        })
        .connect_with(options.clone())
        .await
        .map_err(|error| StoreError::of_driver(subject, error))?;
    let opened = OpenedFile::of(&file).map_err(|error| StoreError::unavailable(subject, error))?;
    Ok((WriterQueue::start(options, connection, opened.clone()), readers, opened))
}

/// Connects with the writer's settings and verifies the two that make a commit durable.
pub(crate) async fn connect_writer(options: &AnyConnectOptions) -> Result<AnyConnection, StoreError> {
    let subject = "connecting to the SQLite database";
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let mut connection = options.connect().await.map_err(failed)?;
    connection.execute(sqlx::raw_sql(WRITER)).await.map_err(failed)?;

    let row = connection.fetch_one("PRAGMA journal_mode").await.map_err(failed)?;
    if row.try_get::<String, _>(0).map_err(failed)? != "wal" {
        return Err(StoreError::unavailable(subject, "its file system does not support WAL; keep it on a local disk"));
    }
    let row = connection.fetch_one("PRAGMA synchronous").await.map_err(failed)?;
    if row.try_get::<i64, _>(0).map_err(failed)? != SYNCHRONOUS_FULL {
        return Err(StoreError::unavailable(subject, "it does not accept synchronous=FULL"));
    }
    Ok(connection)
}

/// Refuses a file whose structure is damaged, before anything is written to it.
pub(crate) async fn quick_check(connection: &mut AnyConnection) -> Result<(), StoreError> {
    let subject = "checking the SQLite database";
    let verdict: String = connection
        .fetch_one("PRAGMA quick_check(1)")
        .await
        .and_then(|row| row.try_get(0))
        .map_err(|error| StoreError::of_driver(subject, error))?;
    if verdict == "ok" { Ok(()) } else { Err(StoreError::corrupt(subject, verdict)) }
}

/// Creates the folder and the file where absent, readable by their owner only; the absolute path of the file. SQLite
/// gives its log files the same permissions.
pub(crate) async fn create(path: &str) -> Result<PathBuf, StoreError> {
    let subject = "creating the SQLite database";
    let failed = |error: std::io::Error| StoreError::unavailable(subject, error);
    if path.is_empty() || path.starts_with(":memory:") || path.contains('?') {
        return Err(StoreError::unavailable(subject, "sqlite:// takes the path of a file and no options"));
    }
    let file = std::path::absolute(path).map_err(failed)?;
    if let Some(folder) = file.parent() {
        let mut builder = tokio::fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        builder.mode(0o700);
        builder.create(folder).await.map_err(failed)?;
    }
    let mut creation = tokio::fs::OpenOptions::new();
    creation.write(true).create(true).truncate(false);
    #[cfg(unix)]
    creation.mode(0o600);
    creation.open(&file).await.map_err(failed)?;
    Ok(file)
}

/// The database URL of `file`, escaped, with the driver's options in `query`: none, or from the question mark on.
pub(crate) fn options(file: &Path, query: &str) -> Result<AnyConnectOptions, StoreError> {
    let subject = "opening the SQLite database";
    let address = url::Url::from_file_path(file)
        .map_err(|()| StoreError::unavailable(subject, "its path can't be written as an address"))?;
    let address = address.as_str().replacen("file:", "sqlite:", 1) + query;
    address.parse().map_err(|error: sqlx::Error| StoreError::of_driver(subject, error))
}
