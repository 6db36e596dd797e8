//! Public keys that signed receipts.

use model::time::Timestamp;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::store::Store;

/// Keys that are read at most. A server gets one for each replacement of its secret.
const MOST_KEYS: i64 = 100;

/// A public key that signed receipts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptKeyRecord {
    /// Its thumbprint (RFC 7638).
    pub id: String,
    /// Its 32 bytes (RFC 8032 §5.1.5).
    pub public_key: [u8; 32],
    /// When it was used first.
    pub created_at: Timestamp,
}

const FIND: &str = "SELECT id FROM receipt_keys WHERE id = $1";

const INSERT: &str =
    "INSERT INTO receipt_keys (id, public_key, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING";

const ALL: &str = "SELECT id, public_key, created_at FROM receipt_keys ORDER BY created_at DESC, id DESC LIMIT $1";

const FORGET: &str = "DELETE FROM receipt_keys WHERE id = $1 RETURNING id";

impl Store {
    /// Stores a key, unless it is there. Idempotent.
    pub async fn keep_receipt_key(&self, key: &ReceiptKeyRecord) -> Result<(), StoreError> {
        let statement = sqlx::query(INSERT).bind(key.id.clone()).bind(key.public_key.to_vec()).bind(key.created_at.0);
        self.db.write("keeping a receipt key", statement).await.map(drop)
    }

    /// Whether a key is stored.
    pub async fn has_receipt_key(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.db.read("looking for a receipt key", sqlx::query(FIND).bind(id.to_owned())).await?.is_some())
    }

    /// The keys, newest first, at most 100.
    pub async fn receipt_keys(&self) -> Result<Vec<ReceiptKeyRecord>, StoreError> {
        let subject = "listing receipt keys";
        let rows = self.db.read_all(subject, sqlx::query(ALL).bind(MOST_KEYS)).await?;
        rows.iter().map(|row| record(subject, row)).collect()
    }

    /// Deletes a key, so that receipts it signed are no longer verified; whether it was there.
    pub async fn forget_receipt_key(&self, id: &str) -> Result<bool, StoreError> {
        let statement = sqlx::query(FORGET).bind(id.to_owned());
        Ok(!self.db.write("forgetting a receipt key", statement).await?.is_empty())
    }
}

fn record(subject: &'static str, row: &AnyRow) -> Result<ReceiptKeyRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let public_key: Vec<u8> = row.try_get("public_key").map_err(failed)?;
    let public_key =
        <[u8; 32]>::try_from(public_key).map_err(|_| StoreError::corrupt(subject, "a key has not 32 bytes"))?;
    Ok(ReceiptKeyRecord {
        id: row.try_get("id").map_err(failed)?,
        public_key,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
    })
}
