//! Counts by day and hour, visitor sketches, and healthy minutes.

use std::sync::Arc;

use model::time::{Day, Timestamp};
use sqlx::{AssertSqlSafe, Row as _};

use crate::error::StoreError;
use crate::statement::Statement;
use crate::store::Store;
use crate::transaction::Transaction;

/// Rows of one inserting statement: four values each, within the 32,766 that SQLite takes
/// (<https://sqlite.org/limits.html>, section 9).
const ROWS: usize = 8_000;
/// Rows that one read gives at most: 31 days of a thousand names.
const READ_ROWS: i64 = 31_000;

/// The span over which a number is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CountSpan {
    /// A UTC day, counted from 1970-01-01.
    Day(i64),
    /// An hour, counted from 1970-01-01T00:00Z.
    Hour(i64),
}

/// A number to add.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CountRow {
    /// When.
    pub span: CountSpan,
    /// What is counted.
    pub kind: &'static str,
    /// Which of them.
    pub name: String,
    /// How many.
    pub n: u64,
}

/// Numbers that are added together, once.
#[derive(Debug)]
pub struct CountBatch {
    /// Its id, unique: a batch that is added again changes nothing.
    pub id: String,
    /// Time of creation.
    pub made_at: Timestamp,
    /// Numbers, one for each span, kind and name.
    pub counts: Vec<CountRow>,
    /// Sketches of visitors by day and kind of reader.
    pub sketches: Vec<(Day, &'static str, Vec<u8>)>,
    /// The newest of what was counted, by its place.
    pub cursors: Vec<(&'static str, Timestamp)>,
}

/// Joins two sketches; the second is ours, and wins where the first can't be read.
pub type MergeSketches = fn(&[u8], &[u8]) -> Vec<u8>;

/// A number as it was counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counted {
    /// The day or hour, as it was asked for.
    pub since: i64,
    /// What is counted.
    pub kind: String,
    /// Which of them.
    pub name: String,
    /// How many.
    pub n: u64,
}

const REMEMBER: &str = "INSERT INTO count_batches (id, added_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id";

// The update changes nothing: it makes `RETURNING` give the row, locked.
const OFFER_SKETCH: &str = "INSERT INTO visitor_sketches (day, reader, sketch) VALUES ($1, $2, $3) \
    ON CONFLICT (day, reader) DO UPDATE SET sketch = visitor_sketches.sketch RETURNING sketch";

const SET_SKETCH: &str = "UPDATE visitor_sketches SET sketch = $3 WHERE day = $1 AND reader = $2";

const MOVE_CURSOR: &str = "INSERT INTO count_cursors (name, counted_at) VALUES ($1, $2) \
    ON CONFLICT (name) DO UPDATE SET counted_at = excluded.counted_at \
    WHERE count_cursors.counted_at < excluded.counted_at";

const DAY_COUNTS: &str = "SELECT day AS since, kind, name, n FROM day_counts \
    WHERE day >= $1 AND day <= $2 AND kind = $3 ORDER BY day, kind, name LIMIT $4";

const HOUR_COUNTS: &str = "SELECT hour AS since, kind, name, n FROM hour_counts \
    WHERE hour >= $1 AND hour <= $2 AND kind = $3 ORDER BY hour, kind, name LIMIT $4";

const SKETCHES: &str = "SELECT day, reader, sketch FROM visitor_sketches \
    WHERE day >= $1 AND day <= $2 AND reader = $3 ORDER BY day, reader LIMIT $4";

const CURSORS: &str = "SELECT name, counted_at FROM count_cursors ORDER BY name LIMIT $1";

const HEALTHY: &str = "INSERT INTO healthy_minutes (minute) VALUES ($1) ON CONFLICT DO NOTHING";

const FORGET: [(&str, i64); 4] = [
    ("DELETE FROM hour_counts WHERE hour < $1 / 3600000 RETURNING hour", 3),
    ("DELETE FROM count_batches WHERE added_at < $1 RETURNING added_at", 3),
    ("DELETE FROM healthy_minutes WHERE minute < $1 / 60000 RETURNING minute", 33),
    ("DELETE FROM visitor_sketches WHERE day < $1 / 86400000 RETURNING day", 33),
];

impl Store {
    /// Adds a batch of counts; `false` where it was added before. `merge` joins its sketches with the stored ones.
    pub async fn add_counts(&self, batch: Arc<CountBatch>, merge: MergeSketches) -> Result<bool, StoreError> {
        self.db
            .transact("adding counts", move |transaction| {
                let batch = Arc::clone(&batch);
                Box::pin(async move { add(transaction, &batch, merge).await })
            })
            .await
    }

    /// Numbers of one kind, of the days `from` to `to`, in order of day and name.
    pub async fn day_counts(&self, from: Day, to: Day, kind: &str) -> Result<Vec<Counted>, StoreError> {
        self.counts("reading counts of days", DAY_COUNTS, (from.0, to.0), kind).await
    }

    /// Numbers of one kind, of the hours `from` to `to`, in order of hour and name.
    pub async fn hour_counts(&self, from: i64, to: i64, kind: &str) -> Result<Vec<Counted>, StoreError> {
        self.counts("reading counts of hours", HOUR_COUNTS, (from, to), kind).await
    }

    async fn counts(
        &self,
        subject: &'static str,
        sql: &'static str,
        (from, to): (i64, i64),
        kind: &str,
    ) -> Result<Vec<Counted>, StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let statement = sqlx::query(sql).bind(from).bind(to).bind(kind.to_owned()).bind(READ_ROWS);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter()
            .map(|row| {
                let n: i64 = row.try_get("n").map_err(failed)?;
                Ok(Counted {
                    since: row.try_get("since").map_err(failed)?,
                    kind: row.try_get("kind").map_err(failed)?,
                    name: row.try_get("name").map_err(failed)?,
                    n: u64::try_from(n).map_err(|error| StoreError::corrupt(subject, error))?,
                })
            })
            .collect()
    }

    /// Sketches of one kind of reader, by day.
    pub async fn visitor_sketches(&self, from: Day, to: Day, reader: &str) -> Result<Vec<(Day, Vec<u8>)>, StoreError> {
        let subject = "reading visitors";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let statement = sqlx::query(SKETCHES).bind(from.0).bind(to.0).bind(reader.to_owned()).bind(READ_ROWS);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter()
            .map(|row| Ok((Day(row.try_get("day").map_err(failed)?), row.try_get("sketch").map_err(failed)?)))
            .collect()
    }

    /// When the newest of what was counted happened, by its place.
    pub async fn count_cursors(&self) -> Result<Vec<(String, Timestamp)>, StoreError> {
        let subject = "reading the newest counts";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let rows = self.db.read_all(subject, sqlx::query(CURSORS).bind(READ_ROWS)).await?;
        rows.iter()
            .map(|row| {
                let at = Timestamp(row.try_get("counted_at").map_err(failed)?);
                Ok((row.try_get("name").map_err(failed)?, at))
            })
            .collect()
    }

    /// Notes that some server answered its health check in the minute of `now`.
    pub async fn note_healthy_minute(&self, now: Timestamp) -> Result<(), StoreError> {
        let statement = sqlx::query(HEALTHY).bind(now.0.div_euclid(60_000));
        self.db.write("noting a healthy minute", statement).await.map(drop)
    }

    /// Deletes what no statistic reads any more: hours after 3 days, minutes and sketches after 33; how many rows.
    pub async fn forget_counts(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut gone = 0;
        for (sql, days) in FORGET {
            let before = now.plus_ms(-days * model::time::DAY_MS);
            gone += self.db.write("forgetting counts", sqlx::query(sql).bind(before.0)).await?.len() as u64;
        }
        Ok(gone)
    }
}

async fn add(transaction: &mut Transaction<'_>, batch: &CountBatch, merge: MergeSketches) -> Result<bool, StoreError> {
    let remember = sqlx::query(REMEMBER).bind(batch.id.clone()).bind(batch.made_at.0);
    if transaction.all(remember).await?.is_empty() {
        return Ok(false);
    }
    // In one order on every server: two that add to the same rows wait for each other, and never both.
    let (mut days, mut hours): (Vec<&CountRow>, Vec<&CountRow>) =
        batch.counts.iter().partition(|row| matches!(row.span, CountSpan::Day(_)));
    days.sort();
    hours.sort();
    for (table, span, rows) in [("day_counts", "day", days), ("hour_counts", "hour", hours)] {
        for rows in rows.chunks(ROWS) {
            transaction.run(adding(table, span, rows)).await?;
        }
    }
    for (day, reader, sketch) in &batch.sketches {
        let offer = sqlx::query(OFFER_SKETCH).bind(day.0).bind((*reader).to_owned()).bind(sketch.clone());
        let Some(row) = transaction.first(offer).await? else { continue };
        let stored: Vec<u8> =
            row.try_get("sketch").map_err(|error| StoreError::of_driver("joining visitors", error))?;
        if stored != *sketch {
            let joined = merge(&stored, sketch);
            transaction.run(sqlx::query(SET_SKETCH).bind(day.0).bind((*reader).to_owned()).bind(joined)).await?;
        }
    }
    for (name, at) in &batch.cursors {
        transaction.run(sqlx::query(MOVE_CURSOR).bind((*name).to_owned()).bind(at.0)).await?;
    }
    Ok(true)
}

/// The statement that adds `rows` to a table. Its text holds names of our own only.
fn adding(table: &str, span: &str, rows: &[&CountRow]) -> Statement {
    let values: Vec<String> = (0..rows.len())
        .map(|row| row * 4)
        .map(|at| format!("(${}, ${}, ${}, ${})", at + 1, at + 2, at + 3, at + 4))
        .collect();
    let sql = format!(
        "INSERT INTO {table} ({span}, kind, name, n) VALUES {} \
         ON CONFLICT ({span}, kind, name) DO UPDATE SET n = {table}.n + excluded.n",
        values.join(", ")
    );
    // Each number of rows is a text of its own, which no connection has to remember.
    let mut statement = sqlx::query(AssertSqlSafe(sql)).persistent(false);
    for row in rows {
        let (CountSpan::Day(since) | CountSpan::Hour(since)) = row.span;
        let n = i64::try_from(row.n).unwrap_or(i64::MAX);
        statement = statement.bind(since).bind(row.kind.to_owned()).bind(row.name.clone()).bind(n);
    }
    statement
}
