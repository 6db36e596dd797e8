//! Pictures of accounts.

use model::id::AccountId;
use model::time::Timestamp;
use sqlx::Row;

use crate::error::StoreError;
use crate::store::Store;

const SET: &str = "INSERT INTO avatars (account_id, image, changed_at) VALUES ($1, $2, $3) \
    ON CONFLICT (account_id) DO UPDATE SET image = excluded.image, changed_at = excluded.changed_at";

const FIND: &str = "SELECT image FROM avatars WHERE account_id = $1";

const REMOVE: &str = "DELETE FROM avatars WHERE account_id = $1";

impl Store {
    /// Sets an account's picture, WebP.
    pub async fn set_avatar(&self, account: &AccountId, image: Vec<u8>, now: Timestamp) -> Result<(), StoreError> {
        let statement = sqlx::query(SET).bind(account.0.clone()).bind(image).bind(now.0);
        self.db.write("keeping a picture", statement).await.map(drop)
    }

    /// An account's picture, WebP.
    pub async fn avatar(&self, account: &AccountId) -> Result<Option<Vec<u8>>, StoreError> {
        let subject = "reading a picture";
        let row = self.db.read(subject, sqlx::query(FIND).bind(account.0.clone())).await?;
        row.map(|row| row.try_get("image")).transpose().map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Removes an account's picture. Idempotent.
    pub async fn remove_avatar(&self, account: &AccountId) -> Result<(), StoreError> {
        self.db.write("removing a picture", sqlx::query(REMOVE).bind(account.0.clone())).await.map(drop)
    }
}
