//! Messages of the contact form: jobs that take turns by network.

use model::time::Timestamp;
use sqlx::Row as _;

use crate::error::StoreError;
use crate::jobs::NewJob;
use crate::store::Store;
use crate::transaction::Transaction;

/// Turns and limits of contact messages.
#[derive(Debug, Clone, Copy)]
pub struct ContactLimits {
    /// Milliseconds between two messages of a network.
    pub spacing_ms: i64,
    /// Messages of a network that may wait.
    pub per_network: u32,
    /// Messages that may wait in all.
    pub in_all: u32,
}

/// What became of a contact message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactQueued {
    /// It is queued, and due then.
    Accepted {
        /// When its turn is.
        send_at: Timestamp,
    },
    /// As many messages of its network wait as may.
    NetworkFull,
    /// As many messages wait as may.
    QueueFull,
}

// Locks the queue: serializes new messages.
const LOCK: &str = "UPDATE contact_queue SET id = id";

const FORGET: &str = "DELETE FROM contacts WHERE send_at <= $1 AND NOT EXISTS \
    (SELECT 1 FROM jobs WHERE jobs.id = contacts.job_id AND jobs.state = 'waiting')";

const WAITING: &str = "SELECT COUNT(jobs.id) AS waiting, \
    COUNT(CASE WHEN contacts.network IN ($1, $2) THEN jobs.id END) AS of_network, \
    MAX(CASE WHEN contacts.network IN ($1, $2) THEN contacts.send_at END) AS last_turn \
    FROM contacts LEFT JOIN jobs ON jobs.id = contacts.job_id AND jobs.state = 'waiting'";

const INSERT: &str = "INSERT INTO contacts (job_id, network, send_at) VALUES ($1, $2, $3)";

impl Store {
    /// Queues a contact message as `job`, due when the turn of its network is. `network` is any key that stands for it, and
    /// `before` the key that stood for it earlier, if that was another.
    pub async fn queue_contact(
        &self,
        job: NewJob,
        network: String,
        before: Option<String>,
        limits: ContactLimits,
    ) -> Result<ContactQueued, StoreError> {
        self.db
            .transact("queueing a contact message", move |transaction| {
                let (job, network, before) = (job.clone(), network.clone(), before.clone());
                Box::pin(async move { queue(transaction, job, network, before, limits).await })
            })
            .await
    }

    /// Forgets turns that are over: those up to `before` whose message no longer waits.
    pub async fn forget_contact_turns(&self, before: Timestamp) -> Result<(), StoreError> {
        self.db.write("forgetting turns of contact messages", sqlx::query(FORGET).bind(before.0)).await.map(drop)
    }
}

async fn queue(
    transaction: &mut Transaction<'_>,
    mut job: NewJob,
    network: String,
    before: Option<String>,
    limits: ContactLimits,
) -> Result<ContactQueued, StoreError> {
    let subject = "queueing a contact message";
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let now = job.created_at;
    transaction.run(sqlx::query(LOCK)).await?;
    transaction.run(sqlx::query(FORGET).bind(now.plus_ms(-limits.spacing_ms).0)).await?;
    let before = before.unwrap_or_else(|| network.clone());
    let row = transaction.first(sqlx::query(WAITING).bind(network.clone()).bind(before)).await?;
    let row = row.ok_or(StoreError::NotFound { subject })?;
    let (waiting, of_network): (i64, i64) =
        (row.try_get("waiting").map_err(failed)?, row.try_get("of_network").map_err(failed)?);
    if of_network >= i64::from(limits.per_network) {
        return Ok(ContactQueued::NetworkFull);
    }
    if waiting >= i64::from(limits.in_all) {
        return Ok(ContactQueued::QueueFull);
    }
    let last_turn: Option<i64> = row.try_get("last_turn").map_err(failed)?;
    // No turn is further ahead than those that may wait; one that is was taken before the clock was set back.
    let furthest = now.plus_ms(limits.spacing_ms.saturating_mul(i64::from(limits.per_network)));
    let last_turn = last_turn.map(Timestamp).filter(|turn| *turn <= furthest);
    job.run_at = last_turn.map_or(now, |turn| turn.plus_ms(limits.spacing_ms).max(now));
    let send_at = job.run_at;
    transaction.run(sqlx::query(INSERT).bind(job.id.clone()).bind(network).bind(send_at.0)).await?;
    transaction.enqueue(&job).await?;
    Ok(ContactQueued::Accepted { send_at })
}
