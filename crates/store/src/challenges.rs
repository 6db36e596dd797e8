//! Human verification: which challenges were solved already.

use model::time::Timestamp;

use crate::error::StoreError;
use crate::store::Store;

/// Rows that one purging statement deletes at most, so that it never holds up other writes for long.
const PURGE_BATCH: i64 = 1000;

const USE: &str = "INSERT INTO used_challenges (digest, expires_at) VALUES ($1, $2) ON CONFLICT (digest) DO NOTHING RETURNING expires_at";

const PURGE: &str = "DELETE FROM used_challenges WHERE digest IN \
    (SELECT digest FROM used_challenges WHERE expires_at <= $1 ORDER BY expires_at, digest LIMIT $2) RETURNING expires_at";

impl Store {
    /// Marks a challenge as used until `expires_at`; `false` when it was used before. One statement, so that of several
    /// servers one gets `true`.
    pub async fn use_challenge(&self, digest: &[u8; 32], expires_at: Timestamp) -> Result<bool, StoreError> {
        let statement = sqlx::query(USE).bind(digest.to_vec()).bind(expires_at.0);
        Ok(!self.db.write("using a challenge", statement).await?.is_empty())
    }

    /// Deletes used challenges that have expired; how many.
    pub async fn purge_used_challenges(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut purged = 0;
        loop {
            let purge = sqlx::query(PURGE).bind(now.0).bind(PURGE_BATCH);
            let gone = self.db.write("purging used challenges", purge).await?;
            if gone.is_empty() {
                return Ok(purged);
            }
            purged += gone.len() as u64;
        }
    }
}
