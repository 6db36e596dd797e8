//! The move of an SQLite database to PostgreSQL: every row, in the order of references, compared on both sides at the end.
//!
//! A batch of rows is one transaction, which also notes how far its table is. So a move that was interrupted goes on where it
//! was, and nothing is there twice. While that note is there, no server opens the database.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use sqlx::{Any, AnyConnection, AssertSqlSafe, Connection as _, Executor as _, Row as _};

use crate::error::StoreError;
use crate::{backup, migrations, postgres, sqlite};

/// Rows that are read at once: of tables with bytes, which may be megabytes, and of the others.
const ROWS_AT_ONCE: [u32; 2] = [50, 500];
/// Limits of the session in the new database, in milliseconds.
const SESSION: &str = "SET statement_timeout = 60000; SET lock_timeout = 5000";

/// How far each table is. A server does not open a database that has this table (`postgres::is_unfinished`).
const PROGRESS: &str =
    "CREATE TABLE IF NOT EXISTS unfinished_transfer (name TEXT NOT NULL PRIMARY KEY, upto BIGINT NOT NULL)";
const UPTO: &str = "SELECT upto FROM unfinished_transfer WHERE name = $1";
const SET_UPTO: &str = "INSERT INTO unfinished_transfer (name, upto) VALUES ($1, $2) \
    ON CONFLICT (name) DO UPDATE SET upto = EXCLUDED.upto";
const FINISHED: &str = "DROP TABLE unfinished_transfer";

const SUBJECT: &str = "moving the database";

/// What was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferFacts {
    /// Tables, empty ones too.
    pub tables: usize,
    /// Rows of all tables.
    pub rows: u64,
}

/// A step of a move, for whoever waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferStep {
    /// The table.
    pub table: String,
    /// Rows of it that were copied by this call so far, or compared.
    pub rows: u64,
    /// It is compared; before that it is copied.
    pub is_comparing: bool,
}

/// Copies every row of the SQLite database in `file` to the PostgreSQL database at `to`, which must be empty or hold a move
/// that was interrupted, and compares both. No server may have either open: take the lock of the file before. The tables
/// of the file are brought up to date first; nothing else of it changes.
///
/// [`StoreError::Unavailable`] where `to` has other tables, [`StoreError::Corrupt`] where the two differ at the end.
pub async fn transfer(file: &Path, to: &str, mut tell: impl FnMut(TransferStep)) -> Result<TransferFacts, StoreError> {
    sqlx::any::install_default_drivers();
    let mut source = sqlite::connect_writer(&sqlite::options(file, "")?).await?;
    migrations::run(&mut source).await?;
    let mut target = begun(to).await?;
    let tables = ordered_tables(&mut source).await?;
    for table in &tables {
        copy(&mut source, &mut target, table, &mut tell).await?;
    }
    let mut all = 0;
    for table in &tables {
        let rows = compare(&mut source, &mut target, table).await?;
        all += rows;
        if rows > 0 {
            tell(TransferStep { table: table.name.clone(), rows, is_comparing: true });
        }
    }
    target.execute(FINISHED).await.map_err(driver)?;
    target.close().await.map_err(driver)?;
    source.close().await.map_err(driver)?;
    Ok(TransferFacts { tables: tables.len(), rows: all })
}

/// The new database with empty tables, or with those of a move that was interrupted.
async fn begun(to: &str) -> Result<AnyConnection, StoreError> {
    let mut target = postgres::connect(to).await?;
    target.execute(sqlx::raw_sql(SESSION)).await.map_err(driver)?;
    let goes_on = postgres::is_unfinished(&mut target).await?;
    if !goes_on && backup::has_tables(to).await? {
        return Err(StoreError::unavailable(SUBJECT, "the new database already has tables; use an empty one"));
    }
    // Before the first table: what is interrupted from here on is known for a move.
    target.execute(PROGRESS).await.map_err(driver)?;
    migrations::run(&mut target).await?;
    Ok(target)
}

/// What a column holds; both databases have these three kinds only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Bytes,
}

/// A value, equal on both sides.
#[derive(Debug, Hash)]
enum Value {
    Text(Option<String>),
    Number(Option<i64>),
    Bytes(Option<Vec<u8>>),
}

/// A table with its columns in their order.
#[derive(Debug)]
struct Table {
    name: String,
    columns: Vec<(String, Kind)>,
}

impl Table {
    /// Names of the columns, quoted.
    fn names(&self) -> String {
        let names: Vec<String> = self.columns.iter().map(|(name, _)| quoted(name)).collect();
        names.join(", ")
    }

    fn rows_at_once(&self) -> u32 {
        let [with_bytes, without] = ROWS_AT_ONCE;
        if self.columns.iter().any(|(_, kind)| *kind == Kind::Bytes) { with_bytes } else { without }
    }

    /// The values of a row, whose columns begin at `from`.
    fn values(&self, row: &AnyRow, from: usize) -> Result<Vec<Value>, StoreError> {
        let value = |(at, (_, kind)): (usize, &(String, Kind))| match kind {
            Kind::Text => row.try_get(from + at).map(Value::Text),
            Kind::Number => row.try_get(from + at).map(Value::Number),
            Kind::Bytes => row.try_get(from + at).map(Value::Bytes),
        };
        self.columns.iter().enumerate().map(value).collect::<Result<_, _>>().map_err(driver)
    }
}

/// All tables, each after those that it refers to.
async fn ordered_tables(source: &mut AnyConnection) -> Result<Vec<Table>, StoreError> {
    let rows = source.fetch_all(backup::TABLES).await.map_err(driver)?;
    let mut left = Vec::new();
    for row in rows {
        let name: String = row.try_get(0).map_err(driver)?;
        let columns = format!("SELECT name, type FROM pragma_table_info({}) ORDER BY cid", text(&name));
        let columns = source.fetch_all(AssertSqlSafe(columns)).await.map_err(driver)?;
        let columns: Result<Vec<_>, StoreError> = columns.iter().map(column).collect();
        let parents = format!("SELECT \"table\" FROM pragma_foreign_key_list({})", text(&name));
        let parents = source.fetch_all(AssertSqlSafe(parents)).await.map_err(driver)?;
        let parents: Result<Vec<String>, _> = parents.iter().map(|row| row.try_get(0)).collect();
        left.push((Table { name, columns: columns? }, parents.map_err(driver)?));
    }
    let mut ordered: Vec<Table> = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let is_ready = |(table, parents): &(Table, Vec<String>)| {
            parents.iter().all(|parent| *parent == table.name || ordered.iter().any(|known| known.name == *parent))
        };
        let Some(next) = left.iter().position(is_ready) else {
            return Err(StoreError::corrupt(SUBJECT, "tables refer to each other in a circle"));
        };
        ordered.push(left.remove(next).0);
    }
    Ok(ordered)
}

/// A column as SQLite describes it.
fn column(row: &AnyRow) -> Result<(String, Kind), StoreError> {
    let (name, kind): (String, String) = (row.try_get(0).map_err(driver)?, row.try_get(1).map_err(driver)?);
    let kind = match kind.as_str() {
        "TEXT" => Kind::Text,
        "BIGINT" => Kind::Number,
        "BYTEA" => Kind::Bytes,
        other => return Err(StoreError::corrupt(SUBJECT, format!("column {name} has the type {other}"))),
    };
    Ok((name, kind))
}

/// Copies the rows of a table that are not in the new database yet.
async fn copy(
    source: &mut AnyConnection,
    target: &mut AnyConnection,
    table: &Table,
    tell: &mut impl FnMut(TransferStep),
) -> Result<(), StoreError> {
    let name = quoted(&table.name);
    let known = sqlx::query(UPTO).bind(table.name.as_str()).fetch_optional(&mut *target).await.map_err(driver)?;
    let mut upto: i64 = match known {
        Some(row) => row.try_get(0).map_err(driver)?,
        None => {
            emptied(target, table).await?;
            i64::MIN
        }
    };
    let read = format!(
        "SELECT rowid, {} FROM {name} WHERE rowid > $1 ORDER BY rowid LIMIT {}",
        table.names(),
        table.rows_at_once()
    );
    let places: Vec<String> = (1..=table.columns.len()).map(|place| format!("${place}")).collect();
    let write = format!("INSERT INTO {name} ({}) VALUES ({})", table.names(), places.join(", "));
    let mut copied = 0;
    loop {
        let read = sqlx::query(AssertSqlSafe(read.clone())).bind(upto);
        let rows = read.fetch_all(&mut *source).await.map_err(driver)?;
        let Some(last) = rows.last() else { return Ok(()) };
        upto = last.try_get(0).map_err(driver)?;
        let mut transaction = target.begin().await.map_err(driver)?;
        for row in &rows {
            let write = sqlx::query(AssertSqlSafe(write.clone()));
            let write = table.values(row, 1)?.into_iter().fold(write, bound);
            write.execute(&mut *transaction).await.map_err(driver)?;
        }
        let progress = sqlx::query(SET_UPTO).bind(table.name.as_str()).bind(upto);
        progress.execute(&mut *transaction).await.map_err(driver)?;
        transaction.commit().await.map_err(driver)?;
        copied += rows.len() as u64;
        tell(TransferStep { table: table.name.clone(), rows: copied, is_comparing: false });
    }
}

/// Takes out the rows that migrations put into a table: the old database has its own.
async fn emptied(target: &mut AnyConnection, table: &Table) -> Result<(), StoreError> {
    let mut transaction = target.begin().await.map_err(driver)?;
    let empty = AssertSqlSafe(format!("DELETE FROM {}", quoted(&table.name)));
    transaction.execute(empty).await.map_err(driver)?;
    let progress = sqlx::query(SET_UPTO).bind(table.name.as_str()).bind(i64::MIN);
    progress.execute(&mut *transaction).await.map_err(driver)?;
    transaction.commit().await.map_err(driver)
}

fn bound<'q>(query: Query<'q, Any, AnyArguments>, value: Value) -> Query<'q, Any, AnyArguments> {
    match value {
        Value::Text(value) => query.bind(value),
        Value::Number(value) => query.bind(value),
        Value::Bytes(value) => query.bind(value),
    }
}

/// Compares a table on both sides, every row with all its values; how many rows there are.
async fn compare(source: &mut AnyConnection, target: &mut AnyConnection, table: &Table) -> Result<u64, StoreError> {
    let (name, at_once) = (quoted(&table.name), table.rows_at_once());
    let (mut here, mut there) = (Digest::default(), Digest::default());
    let read = format!("SELECT rowid, {} FROM {name} WHERE rowid > $1 ORDER BY rowid LIMIT {at_once}", table.names());
    let mut upto = i64::MIN;
    loop {
        let read = sqlx::query(AssertSqlSafe(read.clone())).bind(upto);
        let rows = read.fetch_all(&mut *source).await.map_err(driver)?;
        let Some(last) = rows.last() else { break };
        upto = last.try_get(0).map_err(driver)?;
        for row in &rows {
            here.add(&table.values(row, 1)?);
        }
    }
    let mut transaction = target.begin().await.map_err(driver)?;
    let open = format!("DECLARE compared NO SCROLL CURSOR FOR SELECT {} FROM {name}", table.names());
    transaction.execute(AssertSqlSafe(open)).await.map_err(driver)?;
    loop {
        let next = AssertSqlSafe(format!("FETCH FORWARD {at_once} FROM compared"));
        let rows = transaction.fetch_all(next).await.map_err(driver)?;
        if rows.is_empty() {
            break;
        }
        for row in &rows {
            there.add(&table.values(row, 0)?);
        }
    }
    transaction.rollback().await.map_err(driver)?;
    if here != there {
        let counts = format!("{} rows in the file, {} in the new database", here.rows, there.rows);
        let cause = format!("the table {} differs ({counts}); empty the new database and begin again", table.name);
        return Err(StoreError::corrupt(SUBJECT, cause));
    }
    Ok(here.rows)
}

/// Rows in any order, by the sums of two hashes of each: an accident changes both.
#[derive(Debug, Default, PartialEq, Eq)]
struct Digest {
    rows: u64,
    sums: [u64; 2],
}

impl Digest {
    fn add(&mut self, values: &[Value]) {
        self.rows += 1;
        for (salt, sum) in self.sums.iter_mut().enumerate() {
            let mut hasher = DefaultHasher::new();
            salt.hash(&mut hasher);
            values.hash(&mut hasher);
            *sum = sum.wrapping_add(hasher.finish());
        }
    }
}

/// A name in SQL; names can't be bound.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in SQL, where a parameter can't stand.
fn text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn driver(error: sqlx::Error) -> StoreError {
    StoreError::of_driver(SUBJECT, error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_has_no_order_and_sees_every_value() {
        let of = |rows: &[(&str, Option<i64>)]| {
            let mut digest = Digest::default();
            for (text, number) in rows {
                digest.add(&[Value::Text(Some((*text).to_owned())), Value::Number(*number)]);
            }
            digest
        };
        assert_eq!(of(&[("a", Some(1)), ("b", None)]), of(&[("b", None), ("a", Some(1))]));
        for other in [&[("a", Some(1)), ("b", Some(0))][..], &[("a", Some(1))], &[("a", None), ("b", Some(1))]] {
            assert_ne!(of(&[("a", Some(1)), ("b", None)]), of(other));
        }
    }
}
