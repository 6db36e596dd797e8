//! Deliveries of webhooks. One job for each endpoint works through them, so that an endpoint gets one at a time.

use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::events::{NewPageEvent, body_column, inserting_event};
use crate::jobs::{JobLease, NewJob};
use crate::store::Store;
use crate::transaction::Transaction;
use crate::webhooks::{WebhookRecord, webhook_columns, webhook_record};

/// Error of a delivery that was not queued, as too many wait for its endpoint.
const QUEUE_FULL: &str = "queue_full";
/// Error of deliveries that waited when their endpoint was disabled.
const DISABLED: &str = "endpoint_disabled";

/// A delivery to queue, and the job that works through the deliveries of its webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewDelivery {
    /// Its id, unique.
    pub id: String,
    /// The webhook's id.
    pub webhook: String,
    /// The job, whose id is the webhook's.
    pub job: NewJob,
}

/// A delivery that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    /// Its id.
    pub id: String,
    /// Tries so far.
    pub attempts: u32,
    /// Id of the event.
    pub event: String,
    /// The event as JSON, in the language of the webhook.
    pub body: String,
    /// Where it goes.
    pub webhook: WebhookRecord,
}

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// To be tried, or tried again.
    Waiting,
    /// The receiver took it.
    Delivered,
    /// Given up.
    Failed,
}

/// A delivery as its owner sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRecord {
    /// Its id.
    pub id: String,
    /// Id of the event, which receivers get as `webhook-id`.
    pub event: String,
    /// Kind of the event.
    pub kind: String,
    /// Its state.
    pub state: DeliveryState,
    /// Tries so far.
    pub attempts: u32,
    /// When the next try is due, while it waits.
    pub next_at: Option<Timestamp>,
    /// HTTP status of the last answer.
    pub status: Option<u16>,
    /// Why the last try failed, a stable word.
    pub last_error: Option<String>,
    /// When it was queued.
    pub created_at: Timestamp,
    /// When it was delivered or given up.
    pub ended_at: Option<Timestamp>,
}

/// What becomes of a delivery after a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterTry {
    /// It was delivered.
    Delivered,
    /// It is tried again then.
    Again(Timestamp),
    /// It is given up.
    GivenUp,
}

/// The end of a try.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EndedTry {
    /// The delivery.
    pub delivery: String,
    /// Its webhook.
    pub webhook: String,
    /// Number of the try, from 1. Nothing is written where a later one has begun.
    pub attempt: u32,
    /// HTTP status of the answer.
    pub status: Option<u16>,
    /// Why it failed, a stable word.
    pub error: Option<&'static str>,
    /// What becomes of the delivery.
    pub after: AfterTry,
    /// A webhook that has failed since then, or for longer, is disabled. `None` disables it at once.
    pub failing_too_long: Option<Timestamp>,
    /// Now.
    pub now: Timestamp,
}

impl DeliveryState {
    fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }

    fn of(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Delivered, Self::Failed].into_iter().find(|state| state.word() == word)
    }
}

const IS_THERE: &str = "SELECT id FROM webhooks WHERE id = $1";

const WAITING: &str = "SELECT COUNT(*) AS n FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'waiting'";

const INSERT: &str = "INSERT INTO webhook_deliveries (id, webhook_id, event_id, state, attempts, next_at, last_error, \
    created_at, ended_at) VALUES ($1, $2, $3, $4, 0, $5, $6, $5, $7)";

// The job of an endpoint is the same row each time. While it runs it stays locked, and looks for more before it ends.
const WAKE: &str = "INSERT INTO jobs (id, lane, payload, state, run_at, attempts, locked_until, fence, created_at, \
    traceparent) VALUES ($1, $2, $3, 'waiting', $4, 0, 0, 0, $4, $5) ON CONFLICT (id) DO UPDATE SET \
    run_at = CASE WHEN jobs.state = 'waiting' AND jobs.run_at < excluded.run_at THEN jobs.run_at ELSE excluded.run_at END, \
    attempts = CASE WHEN jobs.state = 'waiting' THEN jobs.attempts ELSE 0 END, \
    locked_until = CASE WHEN jobs.state = 'waiting' THEN jobs.locked_until ELSE 0 END, \
    payload = excluded.payload, traceparent = excluded.traceparent, state = 'waiting', ended_at = NULL, last_error = NULL";

const DUE: &str = concat!(
    "SELECT d.id AS delivery_id, d.attempts, d.event_id, e.body_en, e.body_pt, ",
    webhook_columns!(),
    " FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id JOIN page_events e ON e.id = d.event_id \
     WHERE d.webhook_id = $1 AND d.state = 'waiting' AND d.next_at <= $2 ORDER BY d.next_at, d.id LIMIT 1"
);

const BEGIN: &str = "UPDATE webhook_deliveries SET attempts = attempts + 1, next_at = $3 \
    WHERE id = $1 AND attempts = $2 AND state = 'waiting' RETURNING id";

const END: &str = "UPDATE webhook_deliveries SET state = $3, next_at = COALESCE($4, next_at), status = $5, \
    last_error = $6, ended_at = $7 WHERE id = $1 AND attempts = $2 AND state = 'waiting'";

const SUCCEED: &str = "UPDATE webhooks SET failing_since = NULL, disabled_at = NULL WHERE id = $1";

const FAIL: &str = "UPDATE webhooks SET failing_since = COALESCE(failing_since, $2) WHERE id = $1";

const DISABLE: &str = "UPDATE webhooks SET disabled_at = $2 \
    WHERE id = $1 AND disabled_at IS NULL AND failing_since <= $3 RETURNING id";

const DROP: &str = "UPDATE webhook_deliveries SET state = 'failed', last_error = $2, ended_at = $3 \
    WHERE webhook_id = $1 AND state = 'waiting'";

// Locks the job, so that what is queued from now on wakes it again.
const RELEASE: &str = "UPDATE jobs SET locked_until = 0, attempts = 0 \
    WHERE id = $1 AND fence = $2 AND state = 'waiting' RETURNING id";

const NEXT: &str = "SELECT MIN(next_at) AS next_at FROM webhook_deliveries WHERE webhook_id = $1 AND state = 'waiting'";

const WAIT: &str = "UPDATE jobs SET run_at = $2 WHERE id = $1";

const LIST: &str = "SELECT d.id, d.event_id, e.kind, d.state, d.attempts, d.next_at, d.status, d.last_error, \
    d.created_at, d.ended_at FROM webhook_deliveries d JOIN page_events e ON e.id = d.event_id \
    WHERE d.webhook_id = $1 ORDER BY d.created_at DESC, d.id DESC LIMIT $2";

impl Store {
    /// Stores an event and queues its deliveries, in one transaction with the end of the job of `lease`, where there is one.
    /// A delivery for which `most_waiting` wait already is stored as failed; one whose webhook is gone is not stored.
    /// `false`: the lease was lost, and nothing was stored.
    pub async fn tell(
        &self,
        lease: Option<JobLease>,
        event: NewPageEvent,
        deliveries: Vec<NewDelivery>,
        most_waiting: u32,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.db
            .transact("telling of an event", move |transaction| {
                let (lease, event, deliveries) = (lease.clone(), event.clone(), deliveries.clone());
                Box::pin(async move {
                    if let Some(lease) = lease
                        && !transaction.finish_job(&lease, now).await?
                    {
                        return Ok(false);
                    }
                    let id = event.id.clone();
                    transaction.run(inserting_event(event)).await?;
                    for delivery in deliveries {
                        queue(transaction, &id, delivery, most_waiting, now).await?;
                    }
                    Ok(true)
                })
            })
            .await
    }

    /// The delivery of a webhook that has been due longest; `None` where none is due.
    pub async fn due_delivery(&self, webhook: &str, now: Timestamp) -> Result<Option<DueDelivery>, StoreError> {
        let subject = "looking for a delivery";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let Some(row) = self.db.read(subject, sqlx::query(DUE).bind(webhook.to_owned()).bind(now.0)).await? else {
            return Ok(None);
        };
        let webhook = webhook_record(subject, &row)?;
        Ok(Some(DueDelivery {
            id: row.try_get("delivery_id").map_err(failed)?,
            attempts: count(subject, &row, "attempts")?,
            event: row.try_get("event_id").map_err(failed)?,
            body: row.try_get(body_column(webhook.lang)).map_err(failed)?,
            webhook,
        }))
    }

    /// Begins a try: counts it, and sets when the next one is due should this server end in the middle. `false`: another
    /// server began one.
    pub async fn begin_try(&self, delivery: &DueDelivery, next_at: Timestamp) -> Result<bool, StoreError> {
        let statement = sqlx::query(BEGIN).bind(delivery.id.clone()).bind(i64::from(delivery.attempts)).bind(next_at.0);
        Ok(!self.db.write("beginning a delivery", statement).await?.is_empty())
    }

    /// Records the end of a try, and what it says about the webhook; whether the webhook was disabled.
    pub async fn end_try(&self, ended: EndedTry) -> Result<bool, StoreError> {
        self.db
            .transact("ending a delivery", move |transaction| {
                let ended = ended.clone();
                Box::pin(async move { end(transaction, ended).await })
            })
            .await
    }

    /// Ends the job of a webhook, or has it wait for the next delivery that is due. `false`: the lease was lost.
    pub async fn rest_deliveries(&self, lease: &JobLease, webhook: &str, now: Timestamp) -> Result<bool, StoreError> {
        let subject = "ending the deliveries of a webhook";
        let (lease, webhook) = (lease.clone(), webhook.to_owned());
        self.db
            .transact(subject, move |transaction| {
                let (lease, webhook) = (lease.clone(), webhook.clone());
                Box::pin(async move {
                    let release = sqlx::query(RELEASE).bind(lease.id().to_owned()).bind(lease.fence());
                    if transaction.first(release).await?.is_none() {
                        return Ok(false);
                    }
                    let next = transaction.first(sqlx::query(NEXT).bind(webhook)).await?;
                    let next = next.map(|row| row.try_get::<Option<i64>, _>("next_at")).transpose();
                    match next.map_err(|error| StoreError::of_driver(subject, error))?.flatten() {
                        Some(at) => transaction.run(sqlx::query(WAIT).bind(lease.id().to_owned()).bind(at)).await?,
                        None => u64::from(transaction.finish_job(&lease, now).await?),
                    };
                    Ok(true)
                })
            })
            .await
    }

    /// The newest deliveries of a webhook, at most `limit`, newest first.
    pub async fn deliveries_of(&self, webhook: &str, limit: u32) -> Result<Vec<DeliveryRecord>, StoreError> {
        let subject = "listing deliveries";
        let statement = sqlx::query(LIST).bind(webhook.to_owned()).bind(i64::from(limit));
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| record(subject, row)).collect()
    }
}

/// Queues one delivery of an event, and wakes the job of its webhook.
async fn queue(
    transaction: &mut Transaction<'_>,
    event: &str,
    delivery: NewDelivery,
    most_waiting: u32,
    now: Timestamp,
) -> Result<(), StoreError> {
    let NewDelivery { id, webhook, job } = delivery;
    if transaction.first(sqlx::query(IS_THERE).bind(webhook.clone())).await?.is_none() {
        return Ok(());
    }
    let waiting = transaction.first(sqlx::query(WAITING).bind(webhook.clone())).await?;
    let waiting = waiting.map(|row| row.try_get::<i64, _>("n")).transpose();
    let waiting = waiting.map_err(|error| StoreError::of_driver("queueing a delivery", error))?;
    let is_full = waiting.unwrap_or_default() >= i64::from(most_waiting);
    let state = if is_full { DeliveryState::Failed } else { DeliveryState::Waiting };
    let insert = sqlx::query(INSERT)
        .bind(id)
        .bind(webhook)
        .bind(event.to_owned())
        .bind(state.word())
        .bind(now.0)
        .bind(is_full.then_some(QUEUE_FULL))
        .bind(is_full.then_some(now.0));
    transaction.run(insert).await?;
    if !is_full {
        let wake =
            sqlx::query(WAKE).bind(job.id).bind(job.lane).bind(job.payload).bind(job.run_at.0).bind(job.traceparent);
        transaction.run(wake).await?;
    }
    Ok(())
}

async fn end(transaction: &mut Transaction<'_>, ended: EndedTry) -> Result<bool, StoreError> {
    let EndedTry { delivery, webhook, attempt, status, error, after, failing_too_long, now } = ended;
    let (state, next_at) = match after {
        AfterTry::Delivered => (DeliveryState::Delivered, None),
        AfterTry::Again(at) => (DeliveryState::Waiting, Some(at.0)),
        AfterTry::GivenUp => (DeliveryState::Failed, None),
    };
    let end = sqlx::query(END)
        .bind(delivery)
        .bind(i64::from(attempt))
        .bind(state.word())
        .bind(next_at)
        .bind(status.map(i64::from))
        .bind(error)
        .bind((state != DeliveryState::Waiting).then_some(now.0));
    if transaction.run(end).await? == 0 {
        return Ok(false);
    }
    if after == AfterTry::Delivered {
        transaction.run(sqlx::query(SUCCEED).bind(webhook)).await?;
        return Ok(false);
    }
    transaction.run(sqlx::query(FAIL).bind(webhook.clone()).bind(now.0)).await?;
    let too_long = failing_too_long.unwrap_or(now);
    let disable = sqlx::query(DISABLE).bind(webhook.clone()).bind(now.0).bind(too_long.0);
    let is_disabled = transaction.first(disable).await?.is_some();
    if is_disabled {
        transaction.run(sqlx::query(DROP).bind(webhook).bind(DISABLED).bind(now.0)).await?;
    }
    Ok(is_disabled)
}

fn record(subject: &'static str, row: &AnyRow) -> Result<DeliveryRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let state: String = row.try_get("state").map_err(failed)?;
    let state =
        DeliveryState::of(&state).ok_or_else(|| StoreError::corrupt(subject, format!("unknown state {state}")))?;
    let status: Option<i64> = row.try_get("status").map_err(failed)?;
    let next_at: i64 = row.try_get("next_at").map_err(failed)?;
    Ok(DeliveryRecord {
        id: row.try_get("id").map_err(failed)?,
        event: row.try_get("event_id").map_err(failed)?,
        kind: row.try_get("kind").map_err(failed)?,
        state,
        attempts: count(subject, row, "attempts")?,
        next_at: (state == DeliveryState::Waiting).then_some(Timestamp(next_at)),
        status: status.map(u16::try_from).transpose().map_err(|error| StoreError::corrupt(subject, error))?,
        last_error: row.try_get("last_error").map_err(failed)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        ended_at: row.try_get::<Option<i64>, _>("ended_at").map_err(failed)?.map(Timestamp),
    })
}

fn count(subject: &'static str, row: &AnyRow, column: &str) -> Result<u32, StoreError> {
    let stored: i64 = row.try_get(column).map_err(|error| StoreError::of_driver(subject, error))?;
    u32::try_from(stored).map_err(|error| StoreError::corrupt(subject, error))
}
