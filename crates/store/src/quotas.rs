//! Quotas: uses of the free daily allowance and of hourly rate limits.
//!
//! Networks and buckets are opaque keys: the caller hashes addresses. Each use is one statement, so that concurrent
//! callers and servers never exceed a limit.

use model::time::{Day, Timestamp};
use sqlx::Row;

use crate::error::StoreError;
use crate::store::Store;
use crate::transaction::Transaction;

/// Milliseconds of an hour.
const HOUR_MS: i64 = 3_600_000;

/// Rows that one purging statement deletes at most, so that it never holds up other writes for long.
const PURGE_BATCH: i64 = 1000;

/// Outcome of a use of the daily allowance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DailySpend {
    /// One use was spent.
    Granted {
        /// Uses left today.
        remaining: u32,
    },
    /// The allowance is used up; nothing was spent.
    Exhausted,
}

/// Outcome of a use under an hourly rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HourlySpend {
    /// One use was spent.
    Granted,
    /// The rate limit is reached; nothing was spent.
    Refused {
        /// Seconds until the next use is allowed, 1 to 3,600.
        retry_after_s: u32,
    },
}

const SPEND_DAILY: &str = "INSERT INTO daily_counters (network, sku, day, used) VALUES ($1, $2, $3, 1) \
    ON CONFLICT (network, sku, day) DO UPDATE SET used = daily_counters.used + 1 \
    WHERE daily_counters.used < $4 RETURNING used";

const RELEASE_DAILY: &str = "UPDATE daily_counters SET used = used - 1 \
    WHERE network = $1 AND sku = $2 AND day = $3 AND used > 0";

const DAILY_USED: &str = "SELECT used FROM daily_counters WHERE network = $1 AND sku = $2 AND day = $3";

// $2 is now, $3 the interval, $4 the tolerance, $5 an hour. Never more than an hour is owed: a mark further away was
// written before the clock was set back, and counts as paid.
const SPEND_HOURLY: &str = "INSERT INTO hourly_counters (bucket, spent_until) VALUES ($1, $2 + $3) \
    ON CONFLICT (bucket) DO UPDATE SET spent_until = $3 + CASE \
        WHEN hourly_counters.spent_until > $2 AND hourly_counters.spent_until <= $2 + $5 \
        THEN hourly_counters.spent_until ELSE $2 END \
    WHERE hourly_counters.spent_until <= $2 + $4 OR hourly_counters.spent_until > $2 + $5 \
    RETURNING spent_until";

const RELEASE_HOURLY: &str = "UPDATE hourly_counters SET spent_until = spent_until - $2 WHERE bucket = $1";

const SPENT_UNTIL: &str = "SELECT spent_until FROM hourly_counters WHERE bucket = $1";

const PURGE_DAILY: &str = "DELETE FROM daily_counters WHERE (network, sku, day) IN \
    (SELECT network, sku, day FROM daily_counters WHERE day < $1 ORDER BY day, network, sku LIMIT $2) RETURNING day";

const PURGE_HOURLY: &str = "DELETE FROM hourly_counters WHERE bucket IN \
    (SELECT bucket FROM hourly_counters WHERE spent_until < $1 ORDER BY bucket LIMIT $2) RETURNING spent_until";

/// One hourly use, to be spent in a transaction with what it is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnTheHour<'b> {
    pub(crate) bucket: &'b str,
    pub(crate) now: Timestamp,
    pub(crate) per_hour: u32,
}

impl Transaction<'_> {
    /// The same as [`Store::spend_daily`]; `false` when the allowance is used up.
    pub(crate) async fn spend_daily(
        &mut self,
        network: &str,
        sku: &str,
        day: Day,
        limit: u32,
    ) -> Result<bool, StoreError> {
        if limit == 0 {
            return Ok(false);
        }
        let spend = sqlx::query(SPEND_DAILY).bind(network.to_owned()).bind(sku.to_owned());
        Ok(self.first(spend.bind(day.0).bind(i64::from(limit))).await?.is_some())
    }

    /// The same as [`Store::release_daily`].
    pub(crate) async fn release_daily(&mut self, network: &str, sku: &str, day: Day) -> Result<(), StoreError> {
        self.run(sqlx::query(RELEASE_DAILY).bind(network.to_owned()).bind(sku.to_owned()).bind(day.0)).await.map(drop)
    }

    /// The same as [`Store::spend_hourly`]; it is given back where the transaction is rolled back.
    pub(crate) async fn spend_hourly(
        &mut self,
        subject: &'static str,
        use_of: OnTheHour<'_>,
    ) -> Result<HourlySpend, StoreError> {
        let OnTheHour { bucket, now, per_hour } = use_of;
        let Some(interval) = interval(per_hour) else { return Ok(refused(HOUR_MS)) };
        let tolerance = interval * (i64::from(per_hour) - 1);
        let spend =
            sqlx::query(SPEND_HOURLY).bind(bucket.to_owned()).bind(now.0).bind(interval).bind(tolerance).bind(HOUR_MS);
        if self.first(spend).await?.is_some() {
            return Ok(HourlySpend::Granted);
        }
        let row = self.first(sqlx::query(SPENT_UNTIL).bind(bucket.to_owned())).await?;
        let spent_until = row.map_or(Ok(now.0), |row| row.try_get("spent_until"));
        let spent_until = spent_until.map_err(|error| StoreError::of_driver(subject, error))?;
        Ok(refused(spent_until.saturating_sub(tolerance).saturating_sub(now.0)))
    }
}

impl Store {
    /// Spends one of `limit` uses of `sku` that `network` has on `day`.
    pub async fn spend_daily(&self, network: &str, sku: &str, day: Day, limit: u32) -> Result<DailySpend, StoreError> {
        let subject = "spending of a daily allowance";
        if limit == 0 {
            return Ok(DailySpend::Exhausted);
        }
        let statement =
            sqlx::query(SPEND_DAILY).bind(network.to_owned()).bind(sku.to_owned()).bind(day.0).bind(i64::from(limit));
        let rows = self.db.write(subject, statement).await?;
        let Some(row) = rows.first() else { return Ok(DailySpend::Exhausted) };
        let used = count(subject, row.try_get("used"))?;
        Ok(DailySpend::Granted { remaining: limit.saturating_sub(used) })
    }

    /// Gives back one use of `sku`, if one was spent.
    pub async fn release_daily(&self, network: &str, sku: &str, day: Day) -> Result<(), StoreError> {
        let statement = sqlx::query(RELEASE_DAILY).bind(network.to_owned()).bind(sku.to_owned()).bind(day.0);
        self.db.write("giving back a daily use", statement).await.map(drop)
    }

    /// How many uses of `sku` the `network` has spent on `day`.
    pub async fn daily_used(&self, network: &str, sku: &str, day: Day) -> Result<u32, StoreError> {
        let subject = "reading a daily allowance";
        let statement = sqlx::query(DAILY_USED).bind(network.to_owned()).bind(sku.to_owned()).bind(day.0);
        match self.db.read(subject, statement).await? {
            Some(row) => count(subject, row.try_get("used")),
            None => Ok(0),
        }
    }

    /// Spends one of the `per_hour` uses of `bucket`, by the generic cell rate algorithm: all of them may come at
    /// once, and each comes back after an hour's `per_hour`-th part.
    pub async fn spend_hourly(&self, bucket: &str, now: Timestamp, per_hour: u32) -> Result<HourlySpend, StoreError> {
        let subject = "spending of an hourly allowance";
        let Some(interval) = interval(per_hour) else {
            return Ok(refused(HOUR_MS));
        };
        let tolerance = interval * (i64::from(per_hour) - 1);
        let statement =
            sqlx::query(SPEND_HOURLY).bind(bucket.to_owned()).bind(now.0).bind(interval).bind(tolerance).bind(HOUR_MS);
        if !self.db.write(subject, statement).await?.is_empty() {
            return Ok(HourlySpend::Granted);
        }
        // Already refused; this query only gives the time to wait.
        let spent_until = match self.db.read(subject, sqlx::query(SPENT_UNTIL).bind(bucket.to_owned())).await? {
            Some(row) => row.try_get("spent_until").map_err(|error| StoreError::of_driver(subject, error))?,
            None => now.0,
        };
        Ok(refused(spent_until.saturating_sub(tolerance).saturating_sub(now.0)))
    }

    /// Seconds until `bucket` has one of its `per_hour` uses again, 1 to 3,600; `None` where it has one now. Nothing is
    /// spent.
    pub async fn hourly_wait(&self, bucket: &str, now: Timestamp, per_hour: u32) -> Result<Option<u32>, StoreError> {
        let subject = "reading an hourly allowance";
        let Some(interval) = interval(per_hour) else { return Ok(Some(3_600)) };
        let tolerance = interval * (i64::from(per_hour) - 1);
        let Some(row) = self.db.read(subject, sqlx::query(SPENT_UNTIL).bind(bucket.to_owned())).await? else {
            return Ok(None);
        };
        let spent_until: i64 = row.try_get("spent_until").map_err(|error| StoreError::of_driver(subject, error))?;
        // The condition of `SPEND_HOURLY`, the other way round.
        let is_refused = spent_until > now.0 + tolerance && spent_until <= now.0 + HOUR_MS;
        Ok(is_refused.then(|| seconds(spent_until - tolerance - now.0)))
    }

    /// Gives back one of the `per_hour` uses of `bucket`.
    pub async fn release_hourly(&self, bucket: &str, per_hour: u32) -> Result<(), StoreError> {
        let Some(interval) = interval(per_hour) else { return Ok(()) };
        let statement = sqlx::query(RELEASE_HOURLY).bind(bucket.to_owned()).bind(interval);
        self.db.write("giving back an hourly use", statement).await.map(drop)
    }

    /// Deletes daily counters from before the day of `before`, and hourly ones that were full again by then; how many.
    pub async fn purge_counters(&self, before: Timestamp) -> Result<u64, StoreError> {
        let daily = self.purge_all("purging daily counters", PURGE_DAILY, before.day().0).await?;
        let hourly = self.purge_all("purging hourly counters", PURGE_HOURLY, before.0).await?;
        Ok(daily + hourly)
    }

    async fn purge_all(&self, subject: &'static str, sql: &'static str, before: i64) -> Result<u64, StoreError> {
        let mut purged = 0;
        loop {
            let rows = self.db.write(subject, sqlx::query(sql).bind(before).bind(PURGE_BATCH)).await?;
            if rows.is_empty() {
                return Ok(purged);
            }
            purged += rows.len() as u64;
        }
    }
}

/// Interval of the rate limit in milliseconds; `None` for a limit of zero.
fn interval(per_hour: u32) -> Option<i64> {
    // At least one millisecond: more than 3.6 million uses an hour is no limit worth keeping exactly.
    HOUR_MS.checked_div(i64::from(per_hour)).map(|interval| interval.max(1))
}

fn refused(wait_ms: i64) -> HourlySpend {
    HourlySpend::Refused { retry_after_s: seconds(wait_ms) }
}

/// A wait in whole seconds, 1 to 3,600.
fn seconds(wait_ms: i64) -> u32 {
    let seconds = wait_ms.clamp(1, HOUR_MS).unsigned_abs().div_ceil(1000);
    u32::try_from(seconds).unwrap_or(u32::MAX)
}

fn count(subject: &'static str, stored: Result<i64, sqlx::Error>) -> Result<u32, StoreError> {
    let stored = stored.map_err(|error| StoreError::of_driver(subject, error))?;
    u32::try_from(stored).map_err(|error| StoreError::corrupt(subject, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_whole_seconds_within_an_hour() {
        for (ms, retry_after_s) in [(-5, 1), (0, 1), (1, 1), (1000, 1), (1001, 2), (i64::MAX, 3600)] {
            assert_eq!(refused(ms), HourlySpend::Refused { retry_after_s }, "{ms}");
        }
    }

    #[test]
    fn uses_come_back_evenly_over_an_hour() {
        for (per_hour, ms) in
            [(0, None), (1, Some(HOUR_MS)), (300, Some(12_000)), (7, Some(514_285)), (u32::MAX, Some(1))]
        {
            assert_eq!(interval(per_hour), ms, "{per_hour}");
        }
    }
}
