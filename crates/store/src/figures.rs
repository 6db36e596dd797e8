//! Figures of the service as it stands, for its statistics; and the published ones.

use std::collections::BTreeMap;

use model::time::{DAY_MS, Day, Timestamp};
use sqlx::Row as _;

use crate::error::StoreError;
use crate::statement::Statement;
use crate::store::Store;

/// Rows of one read at most.
const ROWS: i64 = 1_000;

/// The published statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// When.
    pub published_at: Timestamp,
    /// JSON.
    pub body: String,
}

/// Jobs of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneFigures {
    /// The lane.
    pub lane: String,
    /// Jobs that are due or will be.
    pub waiting: u64,
    /// When the oldest of them was due.
    pub oldest_due_at: Option<Timestamp>,
    /// Failed jobs.
    pub failed: u64,
}

// $1 is seven days ago.
const STANDING: &str = "SELECT 'guests' AS name, COUNT(*) AS n FROM guests \
    UNION ALL SELECT 'guests_7d', COUNT(*) FROM guests WHERE last_seen_at >= $1 \
    UNION ALL SELECT 'accounts', COUNT(*) FROM accounts \
    UNION ALL SELECT 'accounts_7d', COUNT(*) FROM accounts WHERE created_at >= $1 \
    UNION ALL SELECT 'organizations', COUNT(*) FROM organizations \
    UNION ALL SELECT 'tabs', COUNT(*) FROM tabs \
    UNION ALL SELECT 'watched', COUNT(*) FROM tabs WHERE monitor = 1 \
    UNION ALL SELECT 'shares', COUNT(*) FROM shares WHERE revoked_at IS NULL \
    UNION ALL SELECT 'audits', CAST(COALESCE(SUM(n), 0) AS BIGINT) FROM day_counts WHERE kind = 'event' AND name = 'audit'";

const MONEY: &str = "SELECT state AS name, COUNT(*) AS n FROM payments \
        WHERE updated_at >= $1 AND state IN ('settled', 'unclear', 'lapsed') GROUP BY state \
    UNION ALL SELECT 'sold', CAST(COALESCE(SUM(amount_micros), 0) AS BIGINT) FROM credit_movements \
        JOIN credits ON credits.id = credit_id \
        WHERE kind IN ('purchase', 'pix') AND is_dev = 0 AND credit_movements.created_at >= $1 \
    UNION ALL SELECT 'spent', CAST(COALESCE(-SUM(amount_micros), 0) AS BIGINT) FROM credit_movements \
        JOIN credits ON credits.id = credit_id \
        WHERE kind IN ('debit', 'reversal') AND is_dev = 0 AND credit_movements.created_at >= $1 \
    UNION ALL SELECT 'pix', COUNT(*) FROM pix_requests WHERE state = 'pending' AND created_at >= $1";

const INCOME: &str = "SELECT CAST(day AS TEXT) AS name, CAST(SUM(amount_micros) AS BIGINT) AS n \
    FROM (SELECT created_at / 86400000 AS day, amount_micros FROM revenue WHERE created_at >= $1 \
    UNION ALL SELECT credit_movements.created_at / 86400000, amount_micros FROM credit_movements \
        JOIN credits ON credits.id = credit_id \
        WHERE kind IN ('purchase', 'pix') AND is_dev = 0 AND credit_movements.created_at >= $1) AS received GROUP BY day";

const HEALTHY_DAYS: &str = "SELECT CAST(minute / 1440 AS TEXT) AS name, COUNT(*) AS n FROM healthy_minutes \
    WHERE minute >= $1 GROUP BY minute / 1440";

const FIRST_MINUTE: &str = "SELECT MIN(minute) AS first FROM healthy_minutes";

const FIRST_DAY: &str = "SELECT MIN(day) AS first FROM day_counts WHERE kind = 'calls'";

const LANES: &str = "SELECT lane, SUM(CASE WHEN state = 'waiting' THEN 1 ELSE 0 END) AS waiting, \
    MIN(CASE WHEN state = 'waiting' THEN run_at END) AS oldest, \
    SUM(CASE WHEN state = 'dead' THEN 1 ELSE 0 END) AS failed \
    FROM jobs WHERE state <> 'done' GROUP BY lane ORDER BY lane LIMIT $1";

// An hour further ahead than the next one was published before the clock was set back.
const PUBLISH: &str = "INSERT INTO showcase (id, hour, published_at, body) VALUES (1, $1, $2, $3) \
    ON CONFLICT (id) DO UPDATE SET hour = excluded.hour, published_at = excluded.published_at, body = excluded.body \
    WHERE showcase.hour <= excluded.hour OR showcase.hour > excluded.hour + 1";

const PUBLISHED: &str = "SELECT published_at, body FROM showcase WHERE id = 1";

const KEEP_PEER: &str = "INSERT INTO showcase_peers (base_url, read_at, body) VALUES ($1, $2, $3) \
    ON CONFLICT (base_url) DO UPDATE SET read_at = excluded.read_at, body = excluded.body";

const PEERS: &str = "SELECT base_url, read_at AS published_at, body FROM showcase_peers ORDER BY base_url LIMIT $1";

impl Store {
    /// How many there are now: `guests`, `accounts`, `organizations`, `tabs`, `watched` ones, `shares` in force, `audits` ever
    /// made; `guests_7d` that were seen and `accounts_7d` that were made within seven days.
    pub async fn standing(&self, now: Timestamp) -> Result<BTreeMap<String, u64>, StoreError> {
        self.named("counting what there is", sqlx::query(STANDING).bind(now.plus_ms(-7 * DAY_MS).0)).await
    }

    /// What moved since an instant: payments that `settled`, are `unclear` or `lapsed`; millionths of a dollar of credit
    /// that was `sold` and `spent`; `pix` requests that wait.
    pub async fn money_since(&self, since: Timestamp) -> Result<BTreeMap<String, u64>, StoreError> {
        self.named("adding up what moved", sqlx::query(MONEY).bind(since.0)).await
    }

    /// Income by day, in millionths of a dollar, from the day of `since`.
    pub async fn income_by_day(&self, since: Day) -> Result<BTreeMap<Day, u64>, StoreError> {
        let subject = "adding up income by day";
        by_day(subject, self.named(subject, sqlx::query(INCOME).bind(since.start().0)).await?)
    }

    /// Minutes of each day in which some server was healthy, from the day of `since`.
    pub async fn healthy_minutes(&self, since: Day) -> Result<BTreeMap<Day, u64>, StoreError> {
        let subject = "counting healthy minutes";
        by_day(subject, self.named(subject, sqlx::query(HEALTHY_DAYS).bind(since.0.saturating_mul(1440))).await?)
    }

    /// The first minute in which some server was healthy, counted from 1970-01-01.
    pub async fn first_healthy_minute(&self) -> Result<Option<i64>, StoreError> {
        self.first("looking for the first healthy minute", FIRST_MINUTE).await
    }

    /// The first day with a call.
    pub async fn first_counted_day(&self) -> Result<Option<Day>, StoreError> {
        Ok(self.first("looking for the first counted day", FIRST_DAY).await?.map(Day))
    }

    /// Jobs by lane that are not done.
    pub async fn lanes(&self) -> Result<Vec<LaneFigures>, StoreError> {
        let subject = "counting jobs";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let rows = self.db.read_all(subject, sqlx::query(LANES).bind(ROWS)).await?;
        rows.iter()
            .map(|row| {
                Ok(LaneFigures {
                    lane: row.try_get("lane").map_err(failed)?,
                    waiting: row.try_get::<i64, _>("waiting").map_err(failed)?.unsigned_abs(),
                    oldest_due_at: row.try_get::<Option<i64>, _>("oldest").map_err(failed)?.map(Timestamp),
                    failed: row.try_get::<i64, _>("failed").map_err(failed)?.unsigned_abs(),
                })
            })
            .collect()
    }

    /// Publishes the statistics of an hour, unless those of a later one are published.
    pub async fn publish_showcase(&self, hour: i64, publication: &Publication) -> Result<(), StoreError> {
        let statement = sqlx::query(PUBLISH).bind(hour).bind(publication.published_at.0).bind(publication.body.clone());
        self.db.write("publishing statistics", statement).await.map(drop)
    }

    /// The published statistics.
    pub async fn showcase(&self) -> Result<Option<Publication>, StoreError> {
        let subject = "reading the published statistics";
        let row = self.db.read(subject, sqlx::query(PUBLISHED)).await?;
        row.map(|row| publication(subject, &row)).transpose()
    }

    /// Keeps what another installation published.
    pub async fn keep_peer(&self, base_url: &str, publication: &Publication) -> Result<(), StoreError> {
        let statement = sqlx::query(KEEP_PEER)
            .bind(base_url.to_owned())
            .bind(publication.published_at.0)
            .bind(publication.body.clone());
        self.db.write("keeping the statistics of a peer", statement).await.map(drop)
    }

    /// What other installations published, by address, and when it was read.
    pub async fn peers(&self) -> Result<BTreeMap<String, Publication>, StoreError> {
        let subject = "reading the statistics of peers";
        let rows = self.db.read_all(subject, sqlx::query(PEERS).bind(ROWS)).await?;
        rows.iter()
            .map(|row| {
                let base_url = row.try_get("base_url").map_err(|error| StoreError::of_driver(subject, error))?;
                Ok((base_url, publication(subject, row)?))
            })
            .collect()
    }

    async fn named(&self, subject: &'static str, statement: Statement) -> Result<BTreeMap<String, u64>, StoreError> {
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter()
            .map(|row| {
                let n: i64 = row.try_get("n").map_err(failed)?;
                Ok((row.try_get("name").map_err(failed)?, u64::try_from(n).unwrap_or_default()))
            })
            .collect()
    }

    async fn first(&self, subject: &'static str, sql: &'static str) -> Result<Option<i64>, StoreError> {
        let Some(row) = self.db.read(subject, sqlx::query(sql)).await? else { return Ok(None) };
        row.try_get("first").map_err(|error| StoreError::of_driver(subject, error))
    }
}

fn publication(subject: &'static str, row: &sqlx::any::AnyRow) -> Result<Publication, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let published_at = Timestamp(row.try_get("published_at").map_err(failed)?);
    Ok(Publication { published_at, body: row.try_get("body").map_err(failed)? })
}

fn by_day(subject: &'static str, named: BTreeMap<String, u64>) -> Result<BTreeMap<Day, u64>, StoreError> {
    let day = |(name, n): (String, u64)| {
        let day = name.parse().map_err(|error: std::num::ParseIntError| StoreError::corrupt(subject, error))?;
        Ok((Day(day), n))
    };
    named.into_iter().map(day).collect()
}
