//! Payments by x402: one row per signed authorization, and its state machine.
//!
//! A worker holds a lease with a fencing token (`fence`); a transition with an older token changes nothing. That the
//! money came in is a fact: it may be written without a lease. What must become final together (the charge, the answer,
//! the credit that was bought) is one transaction.

mod ending;
mod on_its_way;
mod overview;
mod record;
mod row;

use model::time::Timestamp;
use sqlx::Row;

use crate::answers::PaidAnswer;
use crate::columns::signed;
use crate::error::StoreError;
use crate::statement::{Statement, of_id};
use crate::store::Store;
use crate::transaction::Transaction;
use crate::withheld;
pub use ending::{PaymentDecision, Unsettled};
pub use on_its_way::OnItsWay;
pub use record::{ClaimOutcome, CreditPurchase, Lease, NewPayment, PaymentKey, PaymentState, StoredPayment};
use row::{of_lease, payment};

// A payment without a valid lease that was never sent to be settled may be claimed again.
const CLAIM: &str = "INSERT INTO payments \
    (id, network, asset, payer, nonce, request_hash, operation, amount_micros, payload, requirements, wire_version, \
    owner, credit_id, credit_digest, key_digest, state, valid_before, settle_calls, fence, leased_until, created_at, \
    updated_at, call_digest) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 'claimed', $16, 0, 1, $17, $18, $18, $19) \
    ON CONFLICT (network, asset, payer, nonce) DO UPDATE SET request_hash = $6, operation = $7, amount_micros = $8, \
    payload = $9, requirements = $10, wire_version = $11, owner = $12, credit_id = $13, credit_digest = $14, \
    key_digest = $15, state = 'claimed', reason = NULL, valid_before = $16, fence = payments.fence + 1, \
    leased_until = $17, updated_at = $18, call_digest = $19 \
    WHERE payments.state = 'released' OR (payments.state IN ('claimed', 'working') AND payments.leased_until <= $18) \
    RETURNING id, fence";

/// The columns of a [`StoredPayment`]. A macro, as `concat!` takes literals only.
macro_rules! columns {
    () => {
        "id, network, asset, payer, nonce, request_hash, call_digest, owner, operation, amount_micros, payload, \
        requirements, wire_version, credit_id, credit_digest, key_digest, state, tx_hash, reason, answer_head, answer_body, \
        valid_before, settle_calls, fence, leased_until, created_at"
    };
}

const SELECT: &str =
    concat!("SELECT ", columns!(), " FROM payments WHERE network = $1 AND asset = $2 AND payer = $3 AND nonce = $4");

/// Longer than any lease and any retry interval, which are an hour at most, in milliseconds: a payment that is due
/// later was scheduled by a clock that was ahead, and is due now.
const TOO_FAR_MS: i64 = 2 * 3_600_000;

// Both conditions twice: PostgreSQL checks a row that another worker had locked again by the outer ones only, and a
// payment that this worker ended must not be taken.
const TAKE: &str = concat!(
    "UPDATE payments SET fence = fence + 1, leased_until = $2, updated_at = $3 WHERE id = \
    (SELECT id FROM payments WHERE state IN ('claimed', 'working', 'worked', 'settling', 'unclear') \
    AND (leased_until <= $1 OR leased_until > $4) ORDER BY leased_until, id LIMIT 1) \
    AND state IN ('claimed', 'working', 'worked', 'settling', 'unclear') \
    AND (leased_until <= $1 OR leased_until > $4) RETURNING ",
    columns!()
);

const TAKE_ONE: &str = concat!(
    "UPDATE payments SET fence = fence + 1, leased_until = $3, updated_at = $2 WHERE id = $1 \
    AND state IN ('worked', 'settling', 'unclear') AND (leased_until <= $2 OR leased_until > $4) RETURNING ",
    columns!()
);

const NEXT_DUE: &str = "SELECT MIN(leased_until) AS next_due FROM payments \
    WHERE state IN ('claimed', 'working', 'worked', 'settling', 'unclear')";

const UNCLEAR: &str =
    concat!("SELECT ", columns!(), " FROM payments WHERE state = 'unclear' ORDER BY created_at, id LIMIT $1");

const WORKING: &str = "UPDATE payments SET state = 'working', leased_until = $3, updated_at = $4 \
    WHERE id = $1 AND fence = $2 AND state = 'claimed' RETURNING id";

const WORKED: &str = "UPDATE payments SET state = 'worked', answer_head = $3, answer_body = $4, updated_at = $5 \
    WHERE id = $1 AND fence = $2 AND state = 'working' RETURNING id";

// A purchase of credit goes from claimed to settling without work.
const SETTLING: &str = "UPDATE payments SET state = 'settling', settle_calls = settle_calls + 1, leased_until = $3, \
    updated_at = $4 WHERE id = $1 AND fence = $2 AND (state IN ('worked', 'settling', 'unclear') \
    OR (state = 'claimed' AND credit_id IS NOT NULL)) RETURNING settle_calls";

const BREAK: &str = "UPDATE payments SET leased_until = $1 \
    WHERE state IN ('claimed', 'working', 'worked', 'settling') AND leased_until > $1";

// An authorization may be valid for ever at the caller's wish. One that is valid for more than a day is kept from its
// last change on.
const FORGET: &str = "UPDATE payments SET payload = NULL, requirements = NULL, answer_head = NULL, answer_body = NULL \
    WHERE id IN (SELECT id FROM payments WHERE state = 'settled' AND payload IS NOT NULL AND updated_at < $1 \
    AND (valid_before < $1 OR valid_before > updated_at + 86400000) ORDER BY updated_at, id LIMIT $2) RETURNING id";

impl Store {
    /// Claims an authorization before any work, unless it is known and may not be retried.
    pub async fn claim_payment(&self, new: NewPayment) -> Result<ClaimOutcome, StoreError> {
        self.db
            .transact("claiming a payment", move |transaction| {
                let new = new.clone();
                Box::pin(async move { claim(transaction, new).await })
            })
            .await
    }

    /// The payment with this authorization, if any.
    pub async fn payment(&self, key: &PaymentKey) -> Result<Option<StoredPayment>, StoreError> {
        let subject = "looking up a payment";
        let row = self.db.read(subject, of_key(key)).await?;
        row.map(|row| payment(subject, &row)).transpose()
    }

    /// Records that the work runs, until `leased_until` at most; `false` when the lease was lost.
    pub async fn begin_paid_work(
        &self,
        lease: &Lease,
        leased_until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let statement = of_lease(WORKING, lease).bind(leased_until.0).bind(now.0);
        self.changes("beginning paid work", statement).await
    }

    /// Stores the answer, hidden until the payment is settled; `false` when the lease was lost.
    pub async fn end_paid_work(&self, lease: &Lease, answer: &PaidAnswer, now: Timestamp) -> Result<bool, StoreError> {
        let statement = of_lease(WORKED, lease).bind(answer.head.clone()).bind(answer.packed()?).bind(now.0);
        self.changes("keeping a paid answer", statement).await
    }

    /// Records a settle call before it is sent to the facilitator; how many there were, this one included. `None` when
    /// the lease was lost.
    pub async fn begin_settling(
        &self,
        lease: &Lease,
        leased_until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let subject = "beginning to settle a payment";
        let rows = self.db.write(subject, of_lease(SETTLING, lease).bind(leased_until.0).bind(now.0)).await?;
        let calls = rows.first().map(|row| row.try_get("settle_calls"));
        calls.transpose().map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Takes over an unfinished payment that was due at `due_before`, if any.
    pub async fn take_due_payment(
        &self,
        due_before: Timestamp,
        leased_until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<StoredPayment>, StoreError> {
        let subject = "taking over a payment";
        let too_far = now.plus_ms(TOO_FAR_MS);
        let statement = sqlx::query(TAKE).bind(due_before.0).bind(leased_until.0).bind(now.0).bind(too_far.0);
        let rows = self.db.write(subject, statement).await?;
        rows.first().map(|row| payment(subject, row)).transpose()
    }

    /// When the next unfinished payment is due, if any.
    pub async fn next_due_payment(&self) -> Result<Option<Timestamp>, StoreError> {
        let subject = "looking for the next payment";
        let row = self.db.read(subject, sqlx::query(NEXT_DUE)).await?;
        let row = row.ok_or(StoreError::NotFound { subject })?;
        let next: Option<i64> = row.try_get("next_due").map_err(|error| StoreError::of_driver(subject, error))?;
        Ok(next.map(Timestamp))
    }

    /// Takes over this payment for settling, unless its lease is valid.
    pub async fn take_payment(
        &self,
        id: &str,
        now: Timestamp,
        leased_until: Timestamp,
    ) -> Result<Option<StoredPayment>, StoreError> {
        let subject = "taking over a payment";
        let too_far = now.plus_ms(TOO_FAR_MS);
        let statement = of_id(TAKE_ONE, id).bind(now.0).bind(leased_until.0).bind(too_far.0);
        let rows = self.db.write(subject, statement).await?;
        rows.first().map(|row| payment(subject, row)).transpose()
    }

    /// Unclear payments, oldest first, at most `limit`.
    pub async fn unclear_payments(&self, limit: u32) -> Result<Vec<StoredPayment>, StoreError> {
        let subject = "listing unclear payments";
        let rows = self.db.read_all(subject, sqlx::query(UNCLEAR).bind(i64::from(limit))).await?;
        rows.iter().map(|row| payment(subject, row)).collect()
    }

    /// Ends all leases of payments at the start of the only server of an embedded database: their holders are gone.
    pub async fn break_leases(&self, now: Timestamp) -> Result<(), StoreError> {
        if !self.db.is_embedded() {
            return Ok(());
        }
        self.db.write("ending leases", sqlx::query(BREAK).bind(now.0)).await.map(drop)
    }

    /// Deletes payloads and answers of payments that settled, and whose authorizations expired, before `before`, at
    /// most `limit`; how many. The rows stay, so that an authorization is used once.
    pub async fn forget_payments(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(FORGET).bind(before.0).bind(i64::from(limit));
        Ok(self.db.write("forgetting payments", statement).await?.len() as u64)
    }

    /// Whether a statement with `RETURNING` changed any row.
    async fn changes(&self, subject: &'static str, statement: Statement) -> Result<bool, StoreError> {
        Ok(!self.db.write(subject, statement).await?.is_empty())
    }
}

async fn claim(transaction: &mut Transaction<'_>, new: NewPayment) -> Result<ClaimOutcome, StoreError> {
    let subject = "claiming a payment";
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let key = new.key.clone();
    let (credit_id, credit_digest) = match new.purchase {
        Some(purchase) => (Some(purchase.credit_id), Some(purchase.token_digest.to_vec())),
        None => (None, None),
    };
    let statement = sqlx::query(CLAIM)
        .bind(new.id)
        .bind(new.key.network)
        .bind(new.key.asset)
        .bind(new.key.payer)
        .bind(new.key.nonce)
        .bind(new.request_hash.to_vec())
        .bind(new.operation)
        .bind(signed(new.amount)?)
        .bind(new.payload)
        .bind(new.requirements)
        .bind(i64::from(new.wire_version))
        .bind(new.owner)
        .bind(credit_id)
        .bind(credit_digest)
        .bind(new.key_digest.map(|digest| digest.to_vec()))
        .bind(new.valid_before.0)
        .bind(new.leased_until.0)
        .bind(new.now.0)
        .bind(new.call_digest.to_vec());
    if let Some(row) = transaction.first(statement).await? {
        let lease = Lease { id: row.try_get("id").map_err(failed)?, fence: row.try_get("fence").map_err(failed)? };
        if lease.fence > 1 {
            // What an earlier attempt withheld before its process ended.
            withheld::forget(transaction, &lease.id).await?;
        }
        return Ok(ClaimOutcome::Claimed(lease));
    }
    let row = transaction.first(of_key(&key)).await?.ok_or(StoreError::NotFound { subject })?;
    Ok(ClaimOutcome::Known(Box::new(payment(subject, &row)?)))
}

fn of_key(key: &PaymentKey) -> Statement {
    let PaymentKey { network, asset, payer, nonce } = key.clone();
    sqlx::query(SELECT).bind(network).bind(asset).bind(payer).bind(nonce)
}
