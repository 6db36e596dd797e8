//! Throttling of failures: the next attempt has to wait.

use model::time::Timestamp;
use sqlx::Row;

use crate::error::StoreError;
use crate::store::Store;

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

const COUNT: &str = "INSERT INTO throttles (scope, key_digest, window_start, failures, blocked_until) \
    VALUES ($1, $2, $3, 1, 0) ON CONFLICT (scope, key_digest) DO UPDATE SET \
    failures = CASE WHEN throttles.window_start <= $3 - $4 THEN 1 ELSE throttles.failures + 1 END, \
    window_start = CASE WHEN throttles.window_start <= $3 - $4 THEN $3 ELSE throttles.window_start END \
    RETURNING failures";

const BLOCK: &str = "UPDATE throttles SET blocked_until = $3 WHERE scope = $1 AND key_digest = $2";

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

    /// Counts a failure of `key`; how many there are in the window.
    pub async fn count_failure(&self, throttle: Throttle, key: &[u8; 32], now: Timestamp) -> Result<u32, StoreError> {
        let subject = "counting a failure";
        let key = key.to_vec();
        self.db
            .transact(subject, move |transaction| {
                let key = key.clone();
                Box::pin(async move {
                    let count =
                        sqlx::query(COUNT).bind(throttle.scope).bind(key.clone()).bind(now.0).bind(throttle.window_ms);
                    let row = transaction.first(count).await?.ok_or(StoreError::NotFound { subject })?;
                    let failures: i64 =
                        row.try_get("failures").map_err(|error| StoreError::of_driver(subject, error))?;
                    let failures = u32::try_from(failures).unwrap_or(u32::MAX);
                    let wait_ms = throttle.wait_ms(failures);
                    if wait_ms > 0 {
                        let until = now.plus_ms(wait_ms);
                        transaction.run(sqlx::query(BLOCK).bind(throttle.scope).bind(key).bind(until.0)).await?;
                    }
                    Ok::<_, StoreError>(failures)
                })
            })
            .await
    }
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
