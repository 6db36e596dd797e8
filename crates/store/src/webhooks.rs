//! Webhooks: endpoints that are told of the runs of followed pages.

use model::id::Owner;
use model::lang::Lang;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::store::Store;

/// Webhooks of one owner at most that a list reads; above every limit on their number.
const MOST_LISTED: i64 = 100;

/// A webhook as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRecord {
    /// Its id.
    pub id: String,
    /// Whose events it gets.
    pub owner: Owner,
    /// The shape that its receiver takes, a stable word.
    pub kind: String,
    /// The address, encrypted.
    pub address: Vec<u8>,
    /// The part of the address that is shown.
    pub shown: String,
    /// The signing secret, encrypted.
    pub secret: Vec<u8>,
    /// The secret before, encrypted, and until when it signs too.
    pub old_secret: Option<(Vec<u8>, Timestamp)>,
    /// Kinds of events that it gets, words with a space between them.
    pub events: String,
    /// Language of its texts.
    pub lang: Lang,
    /// When it was made.
    pub created_at: Timestamp,
    /// Since when every try failed; `None` while the last one succeeded.
    pub failing_since: Option<Timestamp>,
    /// Since when it gets no events.
    pub disabled_at: Option<Timestamp>,
}

macro_rules! webhook_columns {
    () => {
        "w.id, w.owner, w.kind, w.address, w.shown, w.secret, w.old_secret, w.old_until, w.events, w.locale, \
         w.created_at, w.failing_since, w.disabled_at"
    };
}
pub(crate) use webhook_columns;

// Locks the owner: serializes the adding of webhooks.
const LOCK: &str =
    "INSERT INTO workspaces (owner) VALUES ($1) ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner";

const COUNT: &str = "SELECT COUNT(*) AS n FROM webhooks WHERE owner = $1";

const INSERT: &str = "INSERT INTO webhooks (id, owner, kind, address, shown, secret, events, locale, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const LIST: &str =
    concat!("SELECT ", webhook_columns!(), " FROM webhooks w WHERE w.owner = $1 ORDER BY w.created_at, w.id LIMIT $2");

const FIND: &str = concat!("SELECT ", webhook_columns!(), " FROM webhooks w WHERE w.owner = $1 AND w.id = $2");

// The expressions on the right see the row as it was.
const ROTATE: &str = "UPDATE webhooks SET old_secret = secret, old_until = $4, secret = $3 \
    WHERE owner = $1 AND id = $2 RETURNING id";

const DELETE: &str = "DELETE FROM webhooks WHERE owner = $1 AND id = $2 RETURNING id";

const END_JOB: &str = "DELETE FROM jobs WHERE id = $1";

impl Store {
    /// Stores a webhook, unless its owner has `most` already; whether it was stored.
    pub async fn add_webhook(&self, webhook: WebhookRecord, most: u32) -> Result<bool, StoreError> {
        let subject = "adding a webhook";
        self.db
            .transact(subject, move |transaction| {
                let webhook = webhook.clone();
                Box::pin(async move {
                    let owner = webhook.owner.to_string();
                    transaction.run(sqlx::query(LOCK).bind(owner.clone())).await?;
                    let counted = transaction.first(sqlx::query(COUNT).bind(owner.clone())).await?;
                    let count = counted.map(|row| row.try_get::<i64, _>("n")).transpose();
                    let count = count.map_err(|error| StoreError::of_driver(subject, error))?;
                    if count.unwrap_or_default() >= i64::from(most) {
                        return Ok(false);
                    }
                    let insert = sqlx::query(INSERT)
                        .bind(webhook.id)
                        .bind(owner)
                        .bind(webhook.kind)
                        .bind(webhook.address)
                        .bind(webhook.shown)
                        .bind(webhook.secret)
                        .bind(webhook.events)
                        .bind(webhook.lang.tag())
                        .bind(webhook.created_at.0);
                    transaction.run(insert).await?;
                    Ok(true)
                })
            })
            .await
    }

    /// The webhooks of an owner, oldest first.
    pub async fn webhooks_of(&self, owner: &Owner) -> Result<Vec<WebhookRecord>, StoreError> {
        let subject = "listing webhooks";
        let rows = self.db.read_all(subject, sqlx::query(LIST).bind(owner.to_string()).bind(MOST_LISTED)).await?;
        rows.iter().map(|row| webhook_record(subject, row)).collect()
    }

    /// A webhook of an owner; [`StoreError::NotFound`] also when it is someone else's.
    pub async fn webhook_of(&self, owner: &Owner, id: &str) -> Result<WebhookRecord, StoreError> {
        let subject = "reading a webhook";
        let row = self.db.read(subject, sqlx::query(FIND).bind(owner.to_string()).bind(id.to_owned())).await?;
        webhook_record(subject, &row.ok_or(StoreError::NotFound { subject })?)
    }

    /// Gives a webhook a new secret, encrypted; the one before signs too until `old_until`. [`StoreError::NotFound`] as
    /// for [`Store::webhook_of`].
    pub async fn rotate_webhook(
        &self,
        owner: &Owner,
        id: &str,
        secret: Vec<u8>,
        old_until: Timestamp,
    ) -> Result<(), StoreError> {
        let subject = "rotating the secret of a webhook";
        let statement = sqlx::query(ROTATE).bind(owner.to_string()).bind(id.to_owned()).bind(secret).bind(old_until.0);
        let rows = self.db.write(subject, statement).await?;
        rows.first().map(drop).ok_or(StoreError::NotFound { subject })
    }

    /// Deletes a webhook with its deliveries and its job. [`StoreError::NotFound`] as for [`Store::webhook_of`].
    pub async fn delete_webhook(&self, owner: &Owner, id: &str) -> Result<(), StoreError> {
        let subject = "deleting a webhook";
        let (owner, id) = (owner.to_string(), id.to_owned());
        self.db
            .transact(subject, move |transaction| {
                let (owner, id) = (owner.clone(), id.clone());
                Box::pin(async move {
                    let delete = sqlx::query(DELETE).bind(owner).bind(id.clone());
                    transaction.first(delete).await?.ok_or(StoreError::NotFound { subject })?;
                    transaction.run(sqlx::query(END_JOB).bind(id)).await.map(drop)
                })
            })
            .await
    }
}

/// Reads a row with [`webhook_columns`].
pub(crate) fn webhook_record(subject: &'static str, row: &AnyRow) -> Result<WebhookRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let owner: String = row.try_get("owner").map_err(failed)?;
    let locale: String = row.try_get("locale").map_err(failed)?;
    let time = |column: &str| row.try_get::<Option<i64>, _>(column).map(|at| at.map(Timestamp)).map_err(failed);
    let old_secret: Option<Vec<u8>> = row.try_get("old_secret").map_err(failed)?;
    Ok(WebhookRecord {
        id: row.try_get("id").map_err(failed)?,
        owner: Owner::parse(&owner).ok_or_else(|| StoreError::corrupt(subject, "its owner can't be read"))?,
        kind: row.try_get("kind").map_err(failed)?,
        address: row.try_get("address").map_err(failed)?,
        shown: row.try_get("shown").map_err(failed)?,
        secret: row.try_get("secret").map_err(failed)?,
        old_secret: old_secret.zip(time("old_until")?),
        events: row.try_get("events").map_err(failed)?,
        lang: Lang::from_tag(&locale).unwrap_or_default(),
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        failing_since: time("failing_since")?,
        disabled_at: time("disabled_at")?,
    })
}
