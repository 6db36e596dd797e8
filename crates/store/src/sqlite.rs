//! SQLite: the setup of the file and its connections, and the group commit.
//!
//! One connection writes, in WAL mode with `synchronous=FULL`. Writes that arrive while a commit is under way share
//! the next one, so that durability costs one flush for up to [`writer::BATCH`] of them.

mod writer;

#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, ConnectOptions, Executor, Row};

pub(crate) use self::writer::WriterQueue;
use crate::blocking::off_worker;
use crate::error::StoreError;
use crate::migrations;
use crate::place::OpenedFile;
use crate::readers::QueryConnections;

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

/// Size in bytes up to which a file is checked whole before it is used. Chosen: it takes less than half a second. A larger
/// one is checked beside its use, as a start must not wait for gigabytes to be read.
const CHECKED_FIRST: u64 = 256 * 1024 * 1024;

/// Opens the file at `path`, creating it and its folder when absent; checks it and migrates it.
pub(crate) async fn open(path: &str) -> Result<(WriterQueue, QueryConnections, OpenedFile), StoreError> {
    open_checking(path, CHECKED_FIRST).await
}

async fn open_checking(
    path: &str,
    checked_first: u64,
) -> Result<(WriterQueue, QueryConnections, OpenedFile), StoreError> {
    let subject = "opening the SQLite database";
    let (file, size) = create(path).await?;
    let options = options(&file, "")?;

    let mut connection = connect_writer(&options).await?;
    // Before anything is written: what replaces the file from here on is noticed.
    let opened = OpenedFile::of(&file).map_err(|error| StoreError::unavailable(subject, error))?;
    let prepared = async {
        if size <= checked_first {
            quick_check(&mut connection).await?;
        }
        migrate(&mut connection).await
    };
    let readers = AnyPoolOptions::new()
        .max_connections(READERS)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .after_connect(|connection, _| {
            Box::pin(async move { connection.execute(sqlx::raw_sql(READER)).await.map(drop) })
        })
        .connect_with(options.clone());
    // Each connection has a thread of its own, so the first reader is opened meanwhile. Nothing reads before the tables are up to date.
    let (prepared, readers) = tokio::join!(prepared, readers);
    prepared?;
    let readers = readers.map_err(|error| StoreError::of_driver(subject, error))?;
    if size > checked_first {
        check_beside_use(options.clone(), opened.clone());
    }
    Ok((WriterQueue::start(options, connection, opened.clone()), QueryConnections::new(readers), opened))
}

/// Brings the tables up to date. A migration is not flushed by itself: in WAL mode the next commit with
/// `synchronous=FULL`, which is the first that anybody is told of, flushes all before it, and a power cut before that
/// leaves a whole file whose migrations run again (<https://sqlite.org/pragma.html#pragma_synchronous>). A flush for each
/// took most of the first start.
async fn migrate(connection: &mut AnyConnection) -> Result<(), StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver("setting up the SQLite database", error);
    connection.execute(sqlx::raw_sql("PRAGMA synchronous = NORMAL")).await.map_err(failed)?;
    let migrated = migrations::run(connection).await;
    connection.execute(sqlx::raw_sql("PRAGMA synchronous = FULL")).await.map_err(failed)?;
    migrated
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

/// Checks a file while it is used: once it is found damaged, every write is refused as that.
#[expect(clippy::disallowed_methods, reason = "it ends by itself, and what it finds is an answer to every later write")]
fn check_beside_use(options: AnyConnectOptions, file: OpenedFile) {
    tokio::spawn(async move {
        let checked = async {
            let failed = |error: sqlx::Error| StoreError::of_driver("checking the SQLite database", error);
            let mut connection = options.connect().await.map_err(failed)?;
            connection.execute(sqlx::raw_sql(READER)).await.map_err(failed)?;
            quick_check(&mut connection).await
        };
        match checked.await {
            Ok(()) => tracing::info!("the SQLite database is whole"),
            Err(error @ StoreError::Corrupt { .. }) => {
                tracing::error!(%error, "the SQLite database is damaged: it takes no more writes; restore it from a backup");
                file.note_damage(error);
            }
            Err(error) => tracing::warn!(%error, "the SQLite database could not be checked"),
        }
    });
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

/// Creates the folder and the file where absent, readable by their owner only; the absolute path of the file, and its size in
/// bytes. SQLite gives its log files the same permissions.
pub(crate) async fn create(path: &str) -> Result<(PathBuf, u64), StoreError> {
    let subject = "creating the SQLite database";
    let failed = move |error: std::io::Error| StoreError::unavailable(subject, error);
    if path.is_empty() || path.starts_with(":memory:") || path.contains('?') {
        return Err(StoreError::unavailable(subject, "sqlite:// takes the path of a file and no options"));
    }
    let file = std::path::absolute(path).map_err(failed)?;
    // In one go: each way to another thread and back takes longer than what is done there.
    off_worker(subject, move || {
        if let Some(folder) = file.parent() {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            builder.mode(0o700);
            builder.create(folder).map_err(failed)?;
        }
        let mut creation = std::fs::OpenOptions::new();
        creation.write(true).create(true).truncate(false);
        #[cfg(unix)]
        creation.mode(0o600);
        let size = creation.open(&file).and_then(|opened| opened.metadata()).map_err(failed)?.len();
        Ok((file, size))
    })
    .await
}

/// The database URL of `file`, escaped, with the driver's options in `query`: none, or from the question mark on.
pub(crate) fn options(file: &Path, query: &str) -> Result<AnyConnectOptions, StoreError> {
    let subject = "opening the SQLite database";
    let address = url::Url::from_file_path(file)
        .map_err(|()| StoreError::unavailable(subject, "its path can't be written as an address"))?;
    let address = address.as_str().replacen("file:", "sqlite:", 1) + query;
    address.parse().map_err(|error: sqlx::Error| StoreError::of_driver(subject, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::TestDatabase;

    #[tokio::test]
    async fn a_large_file_is_checked_while_it_is_used_and_takes_no_writes_once_found_damaged() {
        sqlx::any::install_default_drivers();
        let database = TestDatabase::sqlite();
        let path = database.url().strip_prefix("sqlite://").unwrap().to_owned();
        let write =
            || sqlx::query("INSERT INTO hourly_counters (bucket, spent_until) VALUES ('a', 0) RETURNING bucket");
        let (writer, readers, _) = open(&path).await.unwrap();
        readers.close().await;
        writer.close().await;
        let mut bytes = std::fs::read(&path).unwrap();
        // The kind of the last page, which is the root of a table or an index.
        let last = bytes.len() - 8192;
        bytes[last] = 0xee;
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(open(&path).await, Err(StoreError::Corrupt { .. })));
        let (writer, readers, file) = open_checking(&path, 0).await.unwrap();
        while file.check("t").is_ok() {
            tokio::task::yield_now().await;
        }
        assert!(matches!(writer.write("t", write()).await, Err(StoreError::Corrupt { .. })));
        readers.close().await;
        writer.close().await;
    }
}
