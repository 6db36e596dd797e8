//! Events of followed pages, and the feed of an owner.

use model::id::Owner;
use model::lang::Lang;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::statement::Statement;
use crate::store::Store;

/// An event to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPageEvent {
    /// Its id, unique.
    pub id: String,
    /// Who follows the page.
    pub owner: Owner,
    /// Its kind, a stable word.
    pub kind: &'static str,
    /// The event as JSON, with English texts.
    pub en: String,
    /// The same with Portuguese texts.
    pub pt: String,
    /// When it happened.
    pub created_at: Timestamp,
}

/// A stored event in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageEventRecord {
    /// Its id.
    pub id: String,
    /// The event as JSON.
    pub body: String,
    /// When it happened.
    pub created_at: Timestamp,
}

/// The feed of an owner. Its address holds a token, of which only a digest is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeedRecord {
    /// Its id, which stays when the address is renewed.
    pub id: String,
    /// Whose events it has.
    pub owner: Owner,
    /// When its address was made.
    pub created_at: Timestamp,
}

const INSERT: &str =
    "INSERT INTO page_events (id, owner, kind, body_en, body_pt, created_at) VALUES ($1, $2, $3, $4, $5, $6)";

const SUBSCRIBERS: &str = "SELECT owner FROM feeds WHERE owner = $1 \
    UNION ALL SELECT owner FROM webhooks WHERE owner = $1 AND disabled_at IS NULL LIMIT 1";

const LATEST: &str = "SELECT id, body_en, body_pt, created_at FROM page_events \
    WHERE owner = $1 AND kind <> $2 ORDER BY created_at DESC, id DESC LIMIT $3";

const PURGE: &str = "DELETE FROM page_events WHERE id IN \
    (SELECT id FROM page_events WHERE created_at < $1 ORDER BY created_at, id LIMIT $2) RETURNING id";

const RENEW: &str = "INSERT INTO feeds (owner, id, token_digest, created_at) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (owner) DO UPDATE SET token_digest = excluded.token_digest, created_at = excluded.created_at";

const FEED: &str = "SELECT owner, id, created_at FROM feeds WHERE owner = $1";

const FEED_BY_DIGEST: &str = "SELECT owner, id, created_at FROM feeds WHERE token_digest = $1";

const END_FEED: &str = "DELETE FROM feeds WHERE owner = $1 RETURNING owner";

/// The statement that inserts an event.
pub(crate) fn inserting_event(event: NewPageEvent) -> Statement {
    sqlx::query(INSERT)
        .bind(event.id)
        .bind(event.owner.to_string())
        .bind(event.kind)
        .bind(event.en)
        .bind(event.pt)
        .bind(event.created_at.0)
}

impl Store {
    /// Whether an owner has a feed, or a webhook that is not disabled.
    pub async fn has_subscribers(&self, owner: &Owner) -> Result<bool, StoreError> {
        let statement = sqlx::query(SUBSCRIBERS).bind(owner.to_string());
        Ok(self.db.read("looking for subscribers", statement).await?.is_some())
    }

    /// The newest events of an owner, at most `limit`, without those of the kind `except`, newest first.
    pub async fn page_events_of(
        &self,
        owner: &Owner,
        lang: Lang,
        except: &'static str,
        limit: u32,
    ) -> Result<Vec<PageEventRecord>, StoreError> {
        let subject = "listing events";
        let statement = sqlx::query(LATEST).bind(owner.to_string()).bind(except).bind(i64::from(limit));
        let rows = self.db.read_all(subject, statement).await?;
        let event = |row: &AnyRow| {
            Ok(PageEventRecord {
                id: row.try_get("id")?,
                body: row.try_get(body_column(lang))?,
                created_at: Timestamp(row.try_get("created_at")?),
            })
        };
        let events = rows.iter().map(event).collect::<Result<_, sqlx::Error>>();
        events.map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Deletes at most `batch` events from before `before`, with their deliveries; how many. Call again until 0.
    pub async fn purge_events(&self, before: Timestamp, batch: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(PURGE).bind(before.0).bind(i64::from(batch));
        Ok(self.db.write("purging events", statement).await?.len() as u64)
    }

    /// Makes the feed of an owner, or gives it another token: the one before opens nothing any more.
    pub async fn renew_feed(&self, feed: &FeedRecord, token_digest: &[u8; 32]) -> Result<(), StoreError> {
        let statement = sqlx::query(RENEW)
            .bind(feed.owner.to_string())
            .bind(feed.id.clone())
            .bind(token_digest.to_vec())
            .bind(feed.created_at.0);
        self.db.write("renewing a feed", statement).await.map(drop)
    }

    /// The feed of an owner, if there is one.
    pub async fn feed_of(&self, owner: &Owner) -> Result<Option<FeedRecord>, StoreError> {
        let subject = "reading a feed";
        self.db
            .read(subject, sqlx::query(FEED).bind(owner.to_string()))
            .await?
            .map(|row| feed(subject, &row))
            .transpose()
    }

    /// The feed whose token has this digest; [`StoreError::NotFound`] for an unknown one.
    pub async fn feed_by_digest(&self, token_digest: &[u8; 32]) -> Result<FeedRecord, StoreError> {
        let subject = "looking up a feed";
        let row = self.db.read(subject, sqlx::query(FEED_BY_DIGEST).bind(token_digest.to_vec())).await?;
        feed(subject, &row.ok_or(StoreError::NotFound { subject })?)
    }

    /// Deletes the feed of an owner, if there is one. Idempotent.
    pub async fn delete_feed(&self, owner: &Owner) -> Result<(), StoreError> {
        self.db.write("deleting a feed", sqlx::query(END_FEED).bind(owner.to_string())).await.map(drop)
    }
}

/// The column with an event in this language.
pub(crate) fn body_column(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "body_en",
        Lang::PtBr => "body_pt",
    }
}

fn feed(subject: &'static str, row: &AnyRow) -> Result<FeedRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let owner: String = row.try_get("owner").map_err(failed)?;
    Ok(FeedRecord {
        id: row.try_get("id").map_err(failed)?,
        owner: Owner::parse(&owner).ok_or_else(|| StoreError::corrupt(subject, "its owner can't be read"))?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
    })
}
