//! Pix requests: a buyer sends a receipt, and an operator releases or refuses the credit once.

use model::credit::{MovementKind, PixState};
use model::money::Micros;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::columns::{pix_state, signed};
use crate::credits::{self, BalanceChange, NewCredit, add};
use crate::error::StoreError;
use crate::statement::of_id;
use crate::store::Store;
use crate::transaction::Transaction;

/// A Pix request with its receipt.
#[derive(Debug, Clone)]
pub struct NewPixRequest {
    /// Its id, unguessable: who knows it may see its state.
    pub id: String,
    /// The credit, empty until the decision.
    pub credit: NewCredit,
    /// Whole dollars of credit.
    pub usd: u32,
    /// The price in centavos.
    pub brl_centavos: i64,
    /// The configured exchange rate of that price.
    pub brl_per_usd: String,
    /// SHA-256 of the receipt.
    pub receipt_digest: [u8; 32],
    /// The receipt.
    pub receipt: ReceiptFile,
    /// As entered by the buyer.
    pub name: Option<String>,
    /// As entered by the buyer.
    pub email: Option<String>,
    /// Limit of pending requests in all.
    pub queue: u32,
    /// Now.
    pub now: Timestamp,
}

/// A receipt of a payment.
#[derive(Clone, PartialEq, Eq)]
pub struct ReceiptFile {
    /// Its media type, detected from its first bytes.
    pub media_type: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Without the file, which is personal data.
impl std::fmt::Debug for ReceiptFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Receipt").field("media_type", &self.media_type).field("bytes", &self.bytes.len()).finish()
    }
}

/// Outcome of a Pix request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requested {
    /// It is pending.
    Accepted,
    /// The limit of pending requests is reached.
    QueueFull,
    /// A request with the same receipt exists.
    Duplicate {
        /// The id of the first request with it.
        first: String,
    },
}

/// A Pix request as its buyer sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PixSummary {
    /// Its id.
    pub id: String,
    /// Its state.
    pub state: PixState,
    /// Whole dollars of credit.
    pub usd: u32,
    /// The price in centavos.
    pub brl_centavos: i64,
    /// Time of creation.
    pub created_at: Timestamp,
    /// When it was enqueued.
    pub decided_at: Option<Timestamp>,
}

/// A Pix request as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PixRequest {
    /// The buyer's view of it.
    pub summary: PixSummary,
    /// The rate.
    pub brl_per_usd: String,
    /// As entered by the buyer.
    pub name: Option<String>,
    /// As entered by the buyer.
    pub email: Option<String>,
    /// The bank's id of the payment, once released.
    pub end_to_end_id: Option<String>,
    /// The receipt; `None` once forgotten.
    pub receipt: Option<ReceiptFile>,
}

/// An operator's decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PixDecision {
    /// The money came in: the bank's id of the payment, unique.
    Release {
        /// `E` and 31 letters and digits.
        end_to_end_id: String,
    },
    /// No money came in.
    Refuse,
}

// Locks the queue: serializes new requests.
const LOCK: &str = "UPDATE pix_queue SET id = id";

const QUEUED: &str = "SELECT COUNT(*) AS many FROM pix_requests WHERE state = 'pending'";

const FIRST_WITH: &str = "SELECT id FROM pix_requests WHERE receipt_digest = $1";

const INSERT: &str = "INSERT INTO pix_requests (id, credit_id, usd, brl_centavos, brl_per_usd, receipt_digest, \
    media_type, receipt, name, email, state, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending', $11)";

const SUMMARY: &str = "SELECT id, state, usd, brl_centavos, created_at, decided_at FROM pix_requests WHERE id = $1";

const PENDING: &str = "SELECT id, state, usd, brl_centavos, created_at, decided_at FROM pix_requests \
    WHERE state = 'pending' ORDER BY created_at, id LIMIT $1";

const WHOLE: &str = "SELECT id, state, usd, brl_centavos, created_at, decided_at, brl_per_usd, name, email, \
    end_to_end_id, media_type, receipt FROM pix_requests WHERE id = $1";

const DECIDE: &str = "UPDATE pix_requests SET state = $2, end_to_end_id = $3, decided_at = $4 \
    WHERE id = $1 AND state = 'pending' RETURNING credit_id, usd";

const FORGET: &str = "UPDATE pix_requests SET receipt = NULL, name = NULL, email = NULL WHERE id IN \
    (SELECT id FROM pix_requests WHERE receipt IS NOT NULL AND decided_at < $1 ORDER BY decided_at, id LIMIT $2) \
    RETURNING id";

impl Store {
    /// Number of pending requests.
    pub async fn waiting_pix(&self) -> Result<u64, StoreError> {
        let subject = "counting requests for credit";
        let row = self.db.read(subject, sqlx::query(QUEUED)).await?.ok_or(StoreError::NotFound { subject })?;
        let many: i64 = row.try_get("many").map_err(|error| StoreError::of_driver(subject, error))?;
        Ok(many.unsigned_abs())
    }

    /// Stores a request and makes its credit, which is empty.
    pub async fn request_pix(&self, new: NewPixRequest) -> Result<Requested, StoreError> {
        self.db
            .transact("keeping a request for credit", move |transaction| {
                let new = new.clone();
                Box::pin(async move { request(transaction, new).await })
            })
            .await
    }

    /// The buyer's view of a request.
    pub async fn pix_summary(&self, id: &str) -> Result<Option<PixSummary>, StoreError> {
        let subject = "reading a request for credit";
        let row = self.db.read(subject, of_id(SUMMARY, id)).await?;
        row.map(|row| summary(subject, &row)).transpose()
    }

    /// Pending requests, oldest first, at most `limit`.
    pub async fn pending_pix(&self, limit: u32) -> Result<Vec<PixSummary>, StoreError> {
        let subject = "listing requests for credit";
        let rows = self.db.read_all(subject, sqlx::query(PENDING).bind(i64::from(limit))).await?;
        rows.iter().map(|row| summary(subject, row)).collect()
    }

    /// A request with its receipt.
    pub async fn pix_request(&self, id: &str) -> Result<Option<PixRequest>, StoreError> {
        let subject = "reading a request for credit";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let Some(row) = self.db.read(subject, of_id(WHOLE, id)).await? else { return Ok(None) };
        let bytes: Option<Vec<u8>> = row.try_get("receipt").map_err(failed)?;
        let media_type: String = row.try_get("media_type").map_err(failed)?;
        Ok(Some(PixRequest {
            summary: summary(subject, &row)?,
            brl_per_usd: row.try_get("brl_per_usd").map_err(failed)?,
            name: row.try_get("name").map_err(failed)?,
            email: row.try_get("email").map_err(failed)?,
            end_to_end_id: row.try_get("end_to_end_id").map_err(failed)?,
            receipt: bytes.map(|bytes| ReceiptFile { media_type, bytes }),
        }))
    }

    /// Decides a pending request, once; a release adds the balance to its credit. `false` when there is no pending
    /// request with this id; [`StoreError::Conflict`] when the payment released another request.
    pub async fn decide_pix(&self, id: &str, decision: PixDecision, now: Timestamp) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.db
            .transact("deciding a request for credit", move |transaction| {
                let (id, decision) = (id.clone(), decision.clone());
                Box::pin(async move { decide(transaction, id, decision, now).await })
            })
            .await
    }

    /// Deletes receipts, names and e-mail addresses of requests decided before `before`, at most `limit`; how many.
    pub async fn forget_receipts(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(FORGET).bind(before.0).bind(i64::from(limit));
        Ok(self.db.write("forgetting receipts", statement).await?.len() as u64)
    }
}

async fn request(transaction: &mut Transaction<'_>, new: NewPixRequest) -> Result<Requested, StoreError> {
    let subject = "keeping a request for credit";
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    transaction.run(sqlx::query(LOCK)).await?;
    if let Some(row) = transaction.first(sqlx::query(FIRST_WITH).bind(new.receipt_digest.to_vec())).await? {
        return Ok(Requested::Duplicate { first: row.try_get("id").map_err(failed)? });
    }
    let queued = transaction.first(sqlx::query(QUEUED)).await?.ok_or(StoreError::NotFound { subject })?;
    if queued.try_get::<i64, _>("many").map_err(failed)? >= i64::from(new.queue) {
        return Ok(Requested::QueueFull);
    }
    let credit_id = new.credit.id.clone();
    credits::insert(transaction, new.credit).await?;
    let statement = sqlx::query(INSERT)
        .bind(new.id)
        .bind(credit_id)
        .bind(i64::from(new.usd))
        .bind(new.brl_centavos)
        .bind(new.brl_per_usd)
        .bind(new.receipt_digest.to_vec())
        .bind(new.receipt.media_type)
        .bind(new.receipt.bytes)
        .bind(new.name)
        .bind(new.email)
        .bind(new.now.0);
    transaction.run(statement).await?;
    Ok(Requested::Accepted)
}

async fn decide(
    transaction: &mut Transaction<'_>,
    id: String,
    decision: PixDecision,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let subject = "deciding a request for credit";
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let (state, end_to_end_id) = match decision {
        PixDecision::Release { end_to_end_id } => (PixState::Released, Some(end_to_end_id)),
        PixDecision::Refuse => (PixState::Refused, None),
    };
    let statement = of_id(DECIDE, &id).bind(state.name()).bind(end_to_end_id).bind(now.0);
    let Some(row) = transaction.first(statement).await? else { return Ok(false) };
    if state == PixState::Released {
        let credit: String = row.try_get("credit_id").map_err(failed)?;
        let usd: i64 = row.try_get("usd").map_err(failed)?;
        let micros = signed(Micros::of_dollars(dollars(subject, usd)?))?;
        add(transaction, BalanceChange { credit, kind: MovementKind::Pix, micros, reference: id }, now).await?;
    }
    Ok(true)
}

fn summary(subject: &'static str, row: &AnyRow) -> Result<PixSummary, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let read: String = row.try_get("state").map_err(failed)?;
    Ok(PixSummary {
        id: row.try_get("id").map_err(failed)?,
        state: pix_state(subject, &read)?,
        usd: dollars(subject, row.try_get("usd").map_err(failed)?)?,
        brl_centavos: row.try_get("brl_centavos").map_err(failed)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        decided_at: row.try_get::<Option<i64>, _>("decided_at").map_err(failed)?.map(Timestamp),
    })
}

fn dollars(subject: &'static str, stored: i64) -> Result<u32, StoreError> {
    u32::try_from(stored).map_err(|error| StoreError::corrupt(subject, error))
}
