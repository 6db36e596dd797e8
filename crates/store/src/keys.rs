//! API keys: what programs of an account or an organization call with.

use model::id::{AccountId, ApiKeyId, Owner};
use model::time::Timestamp;
use sqlx::Row;

use crate::{Store, StoreError};

/// A live API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// The account or organization that it acts as.
    pub owner: Owner,
    /// The account that made it.
    pub created_by: AccountId,
    /// When it was last noted that it was used.
    pub last_used_at: Option<Timestamp>,
    /// When the trial of the owning account began; none for an organization.
    pub trial_started_at: Option<Timestamp>,
}

const SELECT: &str = "SELECT api_keys.id, owner, created_by, last_used_at, accounts.trial_started_at FROM api_keys \
    LEFT JOIN accounts ON api_keys.owner = 'account:' || accounts.id \
    WHERE token_digest = $1 AND product = $2 AND revoked_at IS NULL \
    AND (accounts.id IS NULL AND owner NOT LIKE 'account:%' OR accounts.status = 'active')";

const TOUCH: &str =
    "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";

impl Store {
    /// The live key of `product` whose token has this digest, if any; none of an account that is not active.
    pub async fn key_by_digest(&self, digest: &[u8; 32], product: &str) -> Result<Option<ApiKey>, StoreError> {
        let subject = "looking up an API key";
        let statement = sqlx::query(SELECT).bind(digest.to_vec()).bind(product.to_owned());
        let Some(row) = self.db.read(subject, statement).await? else { return Ok(None) };
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let instant = |name: &str| row.try_get::<Option<i64>, _>(name).map(|at| at.map(Timestamp)).map_err(failed);
        let owner: String = row.try_get("owner").map_err(failed)?;
        Ok(Some(ApiKey {
            id: ApiKeyId(row.try_get("id").map_err(failed)?),
            owner: Owner::parse(&owner).ok_or_else(|| StoreError::corrupt(subject, "its owner can't be read"))?,
            created_by: AccountId(row.try_get("created_by").map_err(failed)?),
            last_used_at: instant("last_used_at")?,
            trial_started_at: instant("trial_started_at")?,
        }))
    }

    /// Notes that a key was used.
    pub async fn touch_key(&self, id: &ApiKeyId, now: Timestamp) -> Result<(), StoreError> {
        let statement = sqlx::query(TOUCH).bind(id.0.clone()).bind(now.0);
        self.db.write("noting that an API key was used", statement).await.map(drop)
    }
}
