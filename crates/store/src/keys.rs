//! API keys of accounts and organizations.

use model::id::{AccountId, ApiKeyId, OrganizationId, Owner};
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::jobs::NewJob;
use crate::steps::{NewEvent, note};
use crate::store::Store;

/// Keys that a list returns at most, live ones first.
const LISTED: i64 = 200;

/// A live API key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// Its id.
    pub id: ApiKeyId,
    /// The account or organization that it acts as.
    pub owner: Owner,
    /// The account that made it.
    pub created_by: AccountId,
    /// When it was last used, to the hour.
    pub last_used_at: Option<Timestamp>,
    /// When the trial of the owning account began; none for an organization.
    pub trial_started_at: Option<Timestamp>,
}

/// A key to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewKey {
    /// Its id, unique.
    pub id: ApiKeyId,
    /// The organization that it acts as; `None`: the account that makes it.
    pub organization: Option<OrganizationId>,
    /// Its product.
    pub product: String,
    /// The account that makes it.
    pub created_by: AccountId,
    /// Its name.
    pub name: String,
    /// SHA-256 of the key.
    pub token_digest: [u8; 32],
    /// Its last four characters.
    pub last4: String,
    /// When.
    pub created_at: Timestamp,
}

impl NewKey {
    fn owner(&self) -> Owner {
        match &self.organization {
            Some(id) => Owner::Organization(id.clone()),
            None => Owner::Account(self.created_by.clone()),
        }
    }
}

/// Outcome of creating a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyMade {
    /// It is live.
    Made,
    /// The owner has reached its limit of live keys.
    LimitReached,
    /// The account may not create keys for this organization.
    Forbidden,
}

/// A key as its managers see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its id.
    pub id: ApiKeyId,
    /// Its name.
    pub name: String,
    /// The organization that it acts as; `None`: the account.
    pub organization: Option<OrganizationId>,
    /// Its last four characters.
    pub last4: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// When it was last used, to the hour.
    pub last_used_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
}

// An organization's key is inactive while the organization waits for its removal or has the product switched off.
const SELECT: &str = "SELECT api_keys.id, owner, created_by, last_used_at, accounts.trial_started_at FROM api_keys \
    LEFT JOIN accounts ON api_keys.owner = 'account:' || accounts.id AND accounts.status = 'active' \
    LEFT JOIN organizations ON api_keys.owner = 'organization:' || organizations.id AND organizations.delete_after IS NULL \
        AND EXISTS (SELECT 1 FROM organization_products \
        WHERE organization_id = organizations.id AND organization_products.product = $2) \
    WHERE token_digest = $1 AND product = $2 AND revoked_at IS NULL \
    AND (accounts.id IS NOT NULL OR organizations.id IS NOT NULL)";

const LIVE: &str = "SELECT name FROM api_keys WHERE owner = $1 AND revoked_at IS NULL \
    ORDER BY created_at, id LIMIT 1000";

const TOUCH: &str =
    "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)";

// Locks the owner: serializes the creation of its keys, so that each counts the others.
const LOCK_ACCOUNT: &str = "UPDATE accounts SET name = name WHERE id = $1 AND status = 'active'";
const LOCK_ORGANIZATION: &str = "UPDATE organizations SET name = name WHERE id = $1 AND delete_after IS NULL";

/// Whether an account may manage the keys of an organization for a product.
const MANAGES: &str = "SELECT 1 FROM members JOIN organizations ON organizations.id = members.organization_id \
    JOIN organization_products ON organization_products.organization_id = organizations.id \
    WHERE members.organization_id = $1 AND account_id = $2 AND role IN ('owner', 'admin') AND product = $3 \
    AND organizations.delete_after IS NULL";

const COUNT: &str = "SELECT COUNT(*) AS live FROM api_keys WHERE owner = $1 AND product = $2 AND revoked_at IS NULL";

const INSERT: &str = "INSERT INTO api_keys (id, owner, product, created_by, name, token_digest, last4, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

/// Owners whose keys an account, `$1`, manages: itself, and the organizations that it administers. A macro, as `concat!`
/// takes literals only.
macro_rules! managed {
    () => {
        "(SELECT 'account:' || id FROM accounts WHERE id = $1 UNION ALL \
        SELECT 'organization:' || organization_id FROM members WHERE account_id = $1 AND role IN ('owner', 'admin'))"
    };
}

const LIST: &str = concat!(
    "SELECT id, owner, name, last4, created_at, last_used_at, revoked_at FROM api_keys WHERE product = $2 AND owner IN ",
    managed!(),
    " ORDER BY CASE WHEN revoked_at IS NULL THEN 0 ELSE 1 END, created_at DESC, id DESC LIMIT $3"
);

const FIND: &str = concat!("SELECT id FROM api_keys WHERE id = $2 AND product = $3 AND owner IN ", managed!());

const REVOKE: &str = concat!(
    "UPDATE api_keys SET revoked_at = $4 WHERE id = $2 AND product = $3 AND revoked_at IS NULL AND owner IN ",
    managed!()
);

impl Store {
    /// The live key of `product` whose token has this digest, if any; none of an account that is not active, nor of an
    /// organization that waits for its removal or has the product switched off.
    pub async fn key_by_digest(&self, digest: &[u8; 32], product: &str) -> Result<Option<ApiKey>, StoreError> {
        let subject = "looking up an API key";
        let statement = sqlx::query(SELECT).bind(digest.to_vec()).bind(product.to_owned());
        let Some(row) = self.db.read(subject, statement).await? else { return Ok(None) };
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        Ok(Some(ApiKey {
            id: ApiKeyId(row.try_get("id").map_err(failed)?),
            owner: owner(subject, &row)?,
            created_by: AccountId(row.try_get("created_by").map_err(failed)?),
            last_used_at: instant(&row, "last_used_at").map_err(failed)?,
            trial_started_at: instant(&row, "trial_started_at").map_err(failed)?,
        }))
    }

    /// The names of an account's live keys, oldest first.
    pub async fn live_key_names(&self, account: &AccountId) -> Result<Vec<String>, StoreError> {
        let subject = "listing API keys";
        let owner = Owner::Account(account.clone()).to_string();
        let rows = self.db.read_all(subject, sqlx::query(LIVE).bind(owner)).await?;
        let names = rows.iter().map(|row| row.try_get("name")).collect::<Result<_, sqlx::Error>>();
        names.map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Records the use of a key.
    pub async fn touch_key(&self, id: &ApiKeyId, now: Timestamp) -> Result<(), StoreError> {
        let statement = sqlx::query(TOUCH).bind(id.0.clone()).bind(now.0);
        self.db.write("noting that an API key was used", statement).await.map(drop)
    }

    /// Whether an account may manage the keys of an organization for a product.
    pub async fn manages_keys(
        &self,
        account: &AccountId,
        organization: &OrganizationId,
        product: &str,
    ) -> Result<bool, StoreError> {
        let statement =
            sqlx::query(MANAGES).bind(organization.0.clone()).bind(account.0.clone()).bind(product.to_owned());
        Ok(self.db.read("asking who manages keys", statement).await?.is_some())
    }

    /// Creates a key unless its owner has `limit` live ones for the product, also under concurrent calls. Records the
    /// event and queues `jobs`.
    pub async fn create_key(
        &self,
        key: NewKey,
        limit: u32,
        noted: NewEvent,
        jobs: Vec<NewJob>,
    ) -> Result<KeyMade, StoreError> {
        let subject = "making an API key";
        self.db
            .transact(subject, move |transaction| {
                let (key, noted, jobs) = (key.clone(), noted.clone(), jobs.clone());
                Box::pin(async move {
                    let owner = key.owner().to_string();
                    let by = key.created_by.0.clone();
                    let lock = match &key.organization {
                        Some(id) => sqlx::query(LOCK_ORGANIZATION).bind(id.0.clone()),
                        None => sqlx::query(LOCK_ACCOUNT).bind(by.clone()),
                    };
                    if transaction.run(lock).await? == 0 {
                        return Ok(KeyMade::Forbidden);
                    }
                    if let Some(id) = &key.organization {
                        let manages =
                            sqlx::query(MANAGES).bind(id.0.clone()).bind(by.clone()).bind(key.product.clone());
                        if transaction.first(manages).await?.is_none() {
                            return Ok(KeyMade::Forbidden);
                        }
                    }
                    let count = sqlx::query(COUNT).bind(owner.clone()).bind(key.product.clone());
                    let live: i64 = match transaction.first(count).await? {
                        Some(row) => row.try_get("live").map_err(|error| StoreError::of_driver(subject, error))?,
                        None => 0,
                    };
                    if live >= i64::from(limit) {
                        return Ok(KeyMade::LimitReached);
                    }
                    let insert = sqlx::query(INSERT)
                        .bind(key.id.0)
                        .bind(owner)
                        .bind(key.product)
                        .bind(by)
                        .bind(key.name)
                        .bind(key.token_digest.to_vec())
                        .bind(key.last4)
                        .bind(key.created_at.0);
                    transaction.run(insert).await?;
                    note(transaction, noted, key.created_at).await?;
                    for job in &jobs {
                        transaction.enqueue(job).await?;
                    }
                    Ok(KeyMade::Made)
                })
            })
            .await
    }

    /// The keys of `product` that an account manages, its own and those of organizations that it administers: the live
    /// ones first, then the newest; at most 200.
    pub async fn keys(&self, account: &AccountId, product: &str) -> Result<Vec<KeyRecord>, StoreError> {
        let subject = "listing API keys";
        let statement = sqlx::query(LIST).bind(account.0.clone()).bind(product.to_owned()).bind(LISTED);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| record(subject, row)).collect()
    }

    /// Revokes a key that an account manages, records the event and queues `jobs`. Idempotent. [`StoreError::NotFound`]
    /// when the account manages no such key.
    pub async fn revoke_key(
        &self,
        account: &AccountId,
        id: &ApiKeyId,
        product: &str,
        now: Timestamp,
        noted: NewEvent,
        jobs: Vec<NewJob>,
    ) -> Result<(), StoreError> {
        let subject = "revoking an API key";
        let (account, id, product) = (account.0.clone(), id.0.clone(), product.to_owned());
        self.db
            .transact(subject, move |transaction| {
                let (account, id, product) = (account.clone(), id.clone(), product.clone());
                let (noted, jobs) = (noted.clone(), jobs.clone());
                Box::pin(async move {
                    let find = sqlx::query(FIND).bind(account.clone()).bind(id.clone()).bind(product.clone());
                    if transaction.first(find).await?.is_none() {
                        return Err(StoreError::NotFound { subject });
                    }
                    let revoke = sqlx::query(REVOKE).bind(account).bind(id).bind(product).bind(now.0);
                    if transaction.run(revoke).await? == 0 {
                        return Ok(());
                    }
                    note(transaction, noted, now).await?;
                    for job in &jobs {
                        transaction.enqueue(job).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}

fn record(subject: &'static str, row: &AnyRow) -> Result<KeyRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let organization = match owner(subject, row)? {
        Owner::Organization(id) => Some(id),
        Owner::Account(_) | Owner::Guest(_) => None,
    };
    Ok(KeyRecord {
        id: ApiKeyId(row.try_get("id").map_err(failed)?),
        name: row.try_get("name").map_err(failed)?,
        organization,
        last4: row.try_get("last4").map_err(failed)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        last_used_at: instant(row, "last_used_at").map_err(failed)?,
        revoked_at: instant(row, "revoked_at").map_err(failed)?,
    })
}

fn owner(subject: &'static str, row: &AnyRow) -> Result<Owner, StoreError> {
    let owner: String = row.try_get("owner").map_err(|error| StoreError::of_driver(subject, error))?;
    Owner::parse(&owner).ok_or_else(|| StoreError::corrupt(subject, "its owner can't be read"))
}

fn instant(row: &AnyRow, name: &str) -> Result<Option<Timestamp>, sqlx::Error> {
    row.try_get::<Option<i64>, _>(name).map(|at| at.map(Timestamp))
}
