//! Guests: holders of a token of which only the digest is kept.

use model::id::GuestId;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::store::Store;

const INSERT: &str = "INSERT INTO guests (id, token_digest, created_at, last_seen_at) VALUES ($1, $2, $3, $3)";

const SELECT: &str = "SELECT id, last_seen_at FROM guests WHERE token_digest = $1 AND claimed_by IS NULL";

const TOUCH: &str = "UPDATE guests SET last_seen_at = $2 WHERE id = $1 AND last_seen_at < $2";

/// A guest that was found by its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundGuest {
    /// The guest.
    pub id: GuestId,
    /// When the guest was last seen, as far as was noted.
    pub last_seen_at: Timestamp,
}

impl Store {
    /// Makes a guest. [`StoreError::Conflict`] when the id or the digest is taken.
    pub async fn create_guest(&self, id: GuestId, token_digest: &[u8; 32], now: Timestamp) -> Result<(), StoreError> {
        let statement = sqlx::query(INSERT).bind(id.0).bind(token_digest.to_vec()).bind(now.0);
        self.db.write("making a guest", statement).await.map(drop)
    }

    /// The guest whose token has this digest, if any and if no account has taken it over.
    pub async fn guest_by_digest(&self, token_digest: &[u8; 32]) -> Result<Option<FoundGuest>, StoreError> {
        let subject = "looking up a guest";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let Some(row) = self.db.read(subject, sqlx::query(SELECT).bind(token_digest.to_vec())).await? else {
            return Ok(None);
        };
        found_guest(&row, "id").map(Some).map_err(failed)
    }

    /// Notes that a guest was seen, unless that was noted for a later time.
    pub async fn touch_guest(&self, id: &GuestId, now: Timestamp) -> Result<(), StoreError> {
        self.db.write("noting a guest's visit", sqlx::query(TOUCH).bind(id.0.clone()).bind(now.0)).await.map(drop)
    }
}

/// The guest in a row with `last_seen_at`, and its id in the column `id`.
pub(crate) fn found_guest(row: &AnyRow, id: &str) -> Result<FoundGuest, sqlx::Error> {
    Ok(FoundGuest { id: GuestId(row.try_get(id)?), last_seen_at: Timestamp(row.try_get("last_seen_at")?) })
}
