//! Throttling of failures: the next attempt has to wait.

use model::time::Timestamp;
use sqlx::Row;

use crate::error::StoreError;
use crate::store::Store;
use crate::transaction::Transaction;

/// A throttle: how failures of a scope delay the next attempt.
#[derive(Debug, Clone, Copy)]
pub struct Throttle {
    /// Its scope, a stable word.
    pub scope: &'static str,
    /// Number of the failure from which on attempts are delayed.
    pub free: u32,
    /// Window in milliseconds after which failures are forgotten.
    pub window_ms: i64,
    /// The first delay in milliseconds; it doubles with each further failure.
    pub first_wait_ms: i64,
    /// The longest delay in milliseconds.
    pub last_wait_ms: i64,
}

const BLOCKED: &str = "SELECT blocked_until FROM throttles WHERE scope = $1 AND key_digest = $2 AND blocked_until > $3";

// Nothing while the key is blocked. The row is locked until the transaction ends, so that parallel attempts follow each
// other.
const COUNT: &str = "INSERT INTO throttles (scope, key_digest, window_start, failures, blocked_until) \
    VALUES ($1, $2, $3, 1, 0) ON CONFLICT (scope, key_digest) DO UPDATE SET \
    failures = CASE WHEN throttles.window_start <= $3 - $4 THEN 1 ELSE throttles.failures + 1 END, \
    window_start = CASE WHEN throttles.window_start <= $3 - $4 THEN $3 ELSE throttles.window_start END \
    WHERE throttles.blocked_until <= $3 RETURNING failures";

const BLOCK: &str = "UPDATE throttles SET blocked_until = $3 WHERE scope = $1 AND key_digest = $2";

// The attempt was not blocked when it began, so neither is the next one once it is taken back.
const TAKE_BACK: &str = "UPDATE throttles SET failures = failures - 1, blocked_until = 0 \
    WHERE scope = $1 AND key_digest = $2 AND failures > 0";

/// Outcome of beginning an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempted {
    /// It is counted as a failure of each key; the failures in the window, in the order of the keys.
    Counted([u32; 2]),
    /// A key is blocked, and nothing was counted.
    Blocked {
        /// Scope of that key.
        scope: &'static str,
        /// Until when.
        until: Timestamp,
    },
}

/// Why an attempt was not counted.
enum NotCounted {
    Blocked(&'static str, Timestamp),
    Failed(StoreError),
}

impl From<StoreError> for NotCounted {
    fn from(error: StoreError) -> Self {
        Self::Failed(error)
    }
}

impl Throttle {
    /// The delay after so many failures, in milliseconds.
    fn wait_ms(&self, failures: u32) -> i64 {
        match failures.checked_sub(self.free) {
            Some(over) => self.first_wait_ms.saturating_mul(1 << over.min(20)).min(self.last_wait_ms),
            None => 0,
        }
    }
}

impl Store {
    /// Until when attempts of `key` are delayed; `None`: they are not.
    pub async fn blocked_until(
        &self,
        throttle: Throttle,
        key: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        let subject = "looking up failures";
        let statement = sqlx::query(BLOCKED).bind(throttle.scope).bind(key.to_vec()).bind(now.0);
        let row = self.db.read(subject, statement).await?;
        let until = row.map(|row| row.try_get("blocked_until").map(Timestamp)).transpose();
        until.map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Begins an attempt at two keys (network and account): counts it as a failure of both, or of neither where one is
    /// blocked. Parallel attempts are counted one after the other.
    pub async fn begin_attempt(
        &self,
        keys: [(Throttle, [u8; 32]); 2],
        now: Timestamp,
    ) -> Result<Attempted, StoreError> {
        let counted = self.db.transact("beginning an attempt", move |transaction| {
            Box::pin(async move {
                let mut failures = [0; 2];
                for ((throttle, key), failures) in keys.iter().zip(&mut failures) {
                    *failures = count(transaction, *throttle, key, now).await?;
                }
                Ok(failures)
            })
        });
        match counted.await {
            Ok(failures) => Ok(Attempted::Counted(failures)),
            Err(NotCounted::Blocked(scope, until)) => Ok(Attempted::Blocked { scope, until }),
            Err(NotCounted::Failed(error)) => Err(error),
        }
    }

    /// Takes a counted attempt back.
    pub async fn take_back_attempt(&self, keys: [(Throttle, [u8; 32]); 2]) -> Result<(), StoreError> {
        self.db
            .transact("taking an attempt back", move |transaction| {
                Box::pin(async move {
                    for (throttle, key) in keys {
                        transaction.run(sqlx::query(TAKE_BACK).bind(throttle.scope).bind(key.to_vec())).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}

/// Counts a failure of `key`, and blocks it where it has had too many; how many there are in the window.
async fn count(
    transaction: &mut Transaction<'_>,
    throttle: Throttle,
    key: &[u8; 32],
    now: Timestamp,
) -> Result<u32, NotCounted> {
    let subject = "counting an attempt";
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let statement = sqlx::query(COUNT).bind(throttle.scope).bind(key.to_vec()).bind(now.0).bind(throttle.window_ms);
    let Some(row) = transaction.first(statement).await? else {
        let blocked = sqlx::query(BLOCKED).bind(throttle.scope).bind(key.to_vec()).bind(now.0);
        let row = transaction.first(blocked).await?.ok_or(StoreError::NotFound { subject })?;
        return Err(NotCounted::Blocked(throttle.scope, Timestamp(row.try_get("blocked_until").map_err(failed)?)));
    };
    let failures: i64 = row.try_get("failures").map_err(failed)?;
    let failures = u32::try_from(failures).unwrap_or(u32::MAX);
    let wait_ms = throttle.wait_ms(failures);
    if wait_ms > 0 {
        let until = now.plus_ms(wait_ms);
        transaction.run(sqlx::query(BLOCK).bind(throttle.scope).bind(key.to_vec()).bind(until.0)).await?;
    }
    Ok(failures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_begin_after_the_free_failures_and_double() {
        let throttle = Throttle { scope: "t", free: 10, window_ms: 1, first_wait_ms: 60_000, last_wait_ms: 3_600_000 };
        for (failures, minutes) in [(0, 0), (9, 0), (10, 1), (11, 2), (15, 32), (16, 60), (1_000, 60)] {
            assert_eq!(throttle.wait_ms(failures), minutes * 60_000, "{failures}");
        }
    }
}
