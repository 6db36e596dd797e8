//! Backups of an SQLite database: whole copies that are made while a server writes, and their return.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, Row as _};

use crate::error::StoreError;
use crate::migrations;
use crate::sqlite;

/// What the name of a copy ends with before it is whole.
const PARTIAL: &str = ".partial";
/// What the names of the two files end with that SQLite keeps beside a database.
const LOG: &str = "-wal";
const LOG_INDEX: &str = "-shm";

/// Settings of the connection that copies: as those of a reader, but it may write the copy.
const COPIER: &str = "PRAGMA busy_timeout = 2000; PRAGMA trusted_schema = OFF";

/// Names of the tables of an SQLite database, without those of SQLite and of migrations.
pub(crate) const TABLES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' \
    AND name NOT LIKE '~_sqlx~_%' ESCAPE '~' ORDER BY name";

pub(crate) const VERSION: &str = "SELECT MAX(version) FROM _sqlx_migrations";

const SERVER_TABLES: &str =
    "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = ANY (current_schemas(false))";

/// What a checked copy holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BackupFacts {
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Newest migration of its tables.
    pub version: i64,
    /// Rows of all tables.
    pub rows: u64,
}

/// Copies the database in the file `database`, as it is at one moment, to `to`, which must not exist. Servers write on
/// meanwhile. The copy is one file, readable by its owner only, checked whole, and durable when this returns.
pub async fn back_up(database: &Path, to: &Path) -> Result<BackupFacts, StoreError> {
    let subject = "backing up the database";
    let failed = |error: std::io::Error| StoreError::unavailable(subject, error);
    if to.exists() {
        return Err(StoreError::unavailable(subject, format!("{} already exists", to.display())));
    }
    let partial = with_ending(to, PARTIAL);
    // One that is there was left by a backup that was stopped. SQLite copies into a file that is empty.
    make_private(&partial).map(drop).map_err(failed)?;
    let facts = match copy(database, &partial).await {
        Ok(()) => check_backup(&partial).await,
        Err(error) => Err(error),
    };
    let facts = facts.and_then(|facts| {
        let durable = OpenOptions::new().write(true).open(&partial).and_then(|copy| copy.sync_all());
        durable.and_then(|()| std::fs::rename(&partial, to)).and_then(|()| folder_is_durable(to)).map_err(failed)?;
        Ok(facts)
    });
    if facts.is_err() {
        // The error before is what is told.
        let _removed = std::fs::remove_file(&partial);
    }
    facts
}

/// Copies a database into an empty file.
async fn copy(database: &Path, to: &Path) -> Result<(), StoreError> {
    let driver = |error: sqlx::Error| StoreError::of_driver("copying the database", error);
    sqlx::any::install_default_drivers();
    let mut connection = sqlite::options(database, "")?.connect().await.map_err(driver)?;
    connection.execute(sqlx::raw_sql(COPIER)).await.map_err(driver)?;
    let copy = sqlx::query("VACUUM INTO $1").bind(to.display().to_string());
    copy.execute(&mut connection).await.map_err(driver)?;
    connection.close().await.map_err(driver)
}

/// Reads a copy from its first page to its last: its structure, its references, and its tables.
/// [`StoreError::Corrupt`] where it is damaged, [`StoreError::Refused`] where it is no database of this program.
pub async fn check_backup(file: &Path) -> Result<BackupFacts, StoreError> {
    let subject = "checking the backup";
    let driver = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let bytes = std::fs::metadata(file).map_err(|error| StoreError::unavailable(subject, error))?.len();
    sqlx::any::install_default_drivers();
    // Nobody writes the file: nothing is made beside it.
    let mut connection = sqlite::options(file, "?mode=ro&immutable=true")?.connect().await.map_err(driver)?;
    let verdict: String = one(&mut connection, "PRAGMA integrity_check(1)", subject).await?;
    if verdict != "ok" {
        return Err(StoreError::corrupt(subject, verdict));
    }
    let dangling = connection.fetch_optional("PRAGMA foreign_key_check").await.map_err(driver)?;
    if dangling.is_some() {
        return Err(StoreError::corrupt(subject, "a row refers to one that is missing"));
    }
    let version: i64 = one(&mut connection, VERSION, subject).await?;
    let tables = connection.fetch_all(TABLES).await.map_err(driver)?;
    let mut rows = 0;
    for table in &tables {
        let name: String = table.try_get(0).map_err(driver)?;
        // A name of a table can't be bound; a quotation mark in it is doubled.
        let count = AssertSqlSafe(format!("SELECT COUNT(*) FROM \"{}\"", name.replace('"', "\"\"")));
        let row: AnyRow = connection.fetch_one(count).await.map_err(driver)?;
        rows += u64::try_from(row.try_get::<i64, _>(0).map_err(driver)?).unwrap_or_default();
    }
    // Nothing is lost with a connection that has only read.
    let _closed = connection.close().await;
    Ok(BackupFacts { bytes, version, rows })
}

/// Puts a checked copy of `backup` in the place of `database`. A database that is there stays beside it, its name ending
/// with `aside`; its path is in the answer. No server may have it open: take its lock before. When this returns, the copy
/// is durable, and a program of the same or a newer version can open it.
pub async fn restore(
    backup: &Path,
    database: &Path,
    aside: &str,
) -> Result<(BackupFacts, Option<PathBuf>), StoreError> {
    let subject = "restoring the database";
    let failed = |error: std::io::Error| StoreError::unavailable(subject, error);
    let facts = check_backup(backup).await?;
    if facts.version > migrations::newest() {
        let newer = "the backup is of a newer version of this program; install that one first";
        return Err(StoreError::unavailable(subject, newer));
    }
    let partial = with_ending(database, PARTIAL);
    let mut copy = make_private(&partial).map_err(failed)?;
    let copied = File::open(backup).and_then(|mut backup| std::io::copy(&mut backup, &mut copy));
    let placed = copied.and_then(|_| copy.sync_all()).and_then(|()| put_in_place(&partial, database, aside));
    if placed.is_err() {
        // The error before is what is told.
        let _removed = std::fs::remove_file(&partial);
    }
    Ok((facts, placed.map_err(failed)?))
}

/// Puts a file in the place of a database that nobody has open. A database that is there stays beside it, its name ending with
/// `aside`; its path is the answer. After an error it is where it was.
fn put_in_place(new: &Path, database: &Path, aside: &str) -> std::io::Result<Option<PathBuf>> {
    let place = with_ending(database, aside);
    let (log, log_aside) = (with_ending(database, LOG), with_ending(&place, LOG));
    let is_replaced = database.exists();
    if is_replaced {
        std::fs::rename(database, &place)?;
    }
    // The newest commits may be in the write-ahead log only, so it is moved too. SQLite rebuilds the index of the log.
    let moved = if is_replaced { move_if_there(&log, &log_aside) } else { remove_if_there(&log) };
    let cleared = moved.and_then(|()| remove_if_there(&with_ending(database, LOG_INDEX)));
    if let Err(error) = cleared.and_then(|()| std::fs::rename(new, database)) {
        // Without this there would be no database, and a server would make an empty one.
        if is_replaced {
            std::fs::rename(&place, database)?;
            move_if_there(&log_aside, &log)?;
        }
        return Err(error);
    }
    folder_is_durable(database)?;
    Ok(is_replaced.then_some(place))
}

/// Whether a database on a server has tables already.
pub async fn has_tables(database_url: &str) -> Result<bool, StoreError> {
    let subject = "looking into the database";
    let driver = |error: sqlx::Error| StoreError::of_driver(subject, error);
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(database_url).await.map_err(driver)?;
    let tables: i64 = one(&mut connection, SERVER_TABLES, subject).await?;
    let _closed = connection.close().await;
    Ok(tables > 0)
}

async fn one<T>(connection: &mut AnyConnection, sql: &'static str, subject: &'static str) -> Result<T, StoreError>
where
    T: for<'r> sqlx::Decode<'r, sqlx::Any> + sqlx::Type<sqlx::Any>,
{
    let row = connection.fetch_one(sql).await.and_then(|row| row.try_get(0));
    row.map_err(|error| StoreError::of_driver(subject, error))
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Makes an empty file that only its owner may read.
fn make_private(path: &Path) -> std::io::Result<File> {
    remove_if_there(path)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn remove_if_there(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn move_if_there(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::fs::rename(from, to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// The name of a file is durable once its folder is.
fn folder_is_durable(file: &Path) -> std::io::Result<()> {
    match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;
    use model::id::GuestId;
    use model::time::Timestamp;

    async fn opened(path: &Path) -> Store {
        Store::open(&format!("sqlite://{}", path.display())).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_database_comes_back_as_it_was_and_what_it_replaces_stays() {
        let folder = tempfile::tempdir().unwrap();
        let (database, backup) = (folder.path().join("x.db"), folder.path().join("copies ' of.db"));
        let store = opened(&database).await;
        let guest = async |n: u8| {
            let id = GuestId(format!("guest {n}"));
            store.create_guest(id, &[n; 32], Timestamp(i64::from(n))).await.unwrap();
        };
        guest(1).await;
        let facts = back_up(&database, &backup).await.unwrap();
        assert_eq!(facts.version, migrations::newest());
        guest(2).await;
        store.close().await;
        assert!(back_up(&database, &backup).await.is_err(), "a backup is never written over");

        let (restored, aside) = restore(&backup, &database, ".before").await.unwrap();
        assert_eq!(restored, facts);
        let aside = aside.unwrap();
        assert_eq!(aside, folder.path().join("x.db.before"));
        let rows = async |path: &Path| {
            opened(path).await.close().await;
            let copy = folder.path().join("counted.db");
            let rows = back_up(path, &copy).await.unwrap().rows;
            std::fs::remove_file(copy).unwrap();
            rows
        };
        assert_eq!((rows(&database).await, rows(&aside).await), (facts.rows, facts.rows + 1));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_no_backup_is_refused_and_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (database, backup) = (folder.path().join("x.db"), folder.path().join("copy.db"));
        opened(&database).await.close().await;
        back_up(&database, &backup).await.unwrap();
        let mut bytes = std::fs::read(&backup).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 8192].fill(0x5a);
        let broken = folder.path().join("broken.db");
        std::fs::write(&broken, &bytes).unwrap();
        let text = folder.path().join("notes.txt");
        std::fs::write(&text, "not a database, but more than a hundred bytes of text".repeat(9)).unwrap();
        let empty = folder.path().join("empty.db");
        std::fs::write(&empty, "").unwrap();
        let before = std::fs::read(&database).unwrap();
        for file in [&broken, &text, &empty, &folder.path().join("none.db")] {
            assert!(restore(file, &database, ".before").await.is_err(), "{}", file.display());
        }
        // A damaged index is no reason: the copy gets a new one.
        for file in [&text, &empty, &folder.path().join("none.db")] {
            assert!(back_up(file, &folder.path().join("never.db")).await.is_err(), "{}", file.display());
        }
        assert_eq!(std::fs::read(&database).unwrap(), before);
        let left: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains("never") || name.contains("before") || name.ends_with(PARTIAL))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
    #[tokio::test(flavor = "multi_thread")]
    async fn a_restore_that_fails_in_the_middle_leaves_the_database_in_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let (database, backup) = (folder.path().join("x.db"), folder.path().join("copy.db"));
        opened(&database).await.close().await;
        back_up(&database, &backup).await.unwrap();
        let before = std::fs::read(&database).unwrap();
        // The log can't be moved aside: a folder is in its place.
        std::fs::write(folder.path().join("x.db-wal"), "").unwrap();
        std::fs::create_dir(folder.path().join("x.db.before-wal")).unwrap();
        assert!(restore(&backup, &database, ".before").await.is_err());
        assert_eq!(std::fs::read(&database).unwrap(), before);
        assert!(!folder.path().join("x.db.before").exists() && !with_ending(&database, PARTIAL).exists());
    }
}
