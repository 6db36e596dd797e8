//! Debits of credits by paid calls: held before the work, then charged with its result, or reversed.

use model::credit::MovementKind;
use model::money::Micros;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::answers::PaidAnswer;
use crate::columns::{digest, micros, signed};
use crate::credits::{BalanceChange, add};
use crate::error::StoreError;
use crate::statement::of_id;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::withheld;

/// A debit to hold.
#[derive(Debug, Clone)]
pub struct NewDebit {
    /// Its id, unique.
    pub id: String,
    /// The credit.
    pub credit_id: String,
    /// The amount.
    pub amount: Micros,
    /// Name of the operation.
    pub operation: &'static str,
    /// Digest of the request; a replay has the same.
    pub request_hash: [u8; 32],
    /// Digest of the caller's `Idempotency-Key`.
    pub key_digest: Option<[u8; 32]>,
    /// Owner of the result.
    pub owner: Option<String>,
    /// When it is reversed unless it is charged before.
    pub deadline: Timestamp,
    /// Now.
    pub now: Timestamp,
}

/// Outcome of holding a debit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Holding {
    /// The amount is held.
    Held,
    /// The balance is too low; nothing is held.
    Insufficient {
        /// The balance.
        balance: Micros,
    },
    /// A call with the same `Idempotency-Key` came before; nothing is held.
    Repeated(Repeated),
}

/// A stored call with the same `Idempotency-Key`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repeated {
    /// Digest of its request.
    pub request_hash: [u8; 32],
    /// Its answer; `None` while it runs.
    pub answer: Option<PaidAnswer>,
}

const INSERT: &str = "INSERT INTO debits \
    (id, credit_id, amount_micros, operation, request_hash, key_digest, owner, state, deadline, created_at) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, 'held', $8, $9)";

// Locks the credit: serializes its holds.
const LOCK: &str = "UPDATE credits SET balance_micros = balance_micros WHERE id = $1 RETURNING balance_micros";

const BY_KEY: &str = "SELECT request_hash, answer_head, answer_body FROM debits \
    WHERE credit_id = $1 AND key_digest = $2";

const CHARGE: &str = "UPDATE debits SET state = 'charged', answer_head = $2, answer_body = $3 \
    WHERE id = $1 AND state = 'held' RETURNING owner";

const IS_CHARGED: &str = "SELECT 1 AS one FROM debits WHERE id = $1 AND state = 'charged'";

const REVERSE: &str = "UPDATE debits SET state = 'reversed', key_digest = NULL \
    WHERE id = $1 AND state = 'held' RETURNING credit_id, amount_micros";

const OVERDUE: &str = "SELECT id FROM debits WHERE state = 'held' AND deadline <= $1 ORDER BY deadline, id LIMIT $2";

const BREAK: &str = "UPDATE debits SET deadline = $1 WHERE state = 'held' AND deadline > $1";

// The key is forgotten with its answer: without it a replay would seem to be running for ever.
const FORGET: &str = "UPDATE debits SET answer_head = NULL, answer_body = NULL, key_digest = NULL WHERE id IN \
    (SELECT id FROM debits WHERE answer_head IS NOT NULL AND created_at < $1 ORDER BY created_at, id LIMIT $2) \
    RETURNING id";

impl Store {
    /// Holds an amount of a credit before the work that it pays, unless a call with the same `Idempotency-Key` came
    /// before.
    pub async fn hold_debit(&self, new: NewDebit) -> Result<Holding, StoreError> {
        self.db
            .transact("holding a debit", move |transaction| {
                let new = new.clone();
                Box::pin(async move { hold(transaction, new).await })
            })
            .await
    }

    /// An earlier call of a credit with this `Idempotency-Key`, unless it was reversed.
    pub async fn repeated(&self, credit_id: &str, key_digest: &[u8; 32]) -> Result<Option<Repeated>, StoreError> {
        let subject = "looking for a repeated call";
        let row = self.db.read(subject, of_id(BY_KEY, credit_id).bind(key_digest.to_vec())).await?;
        row.map(|row| repeated(subject, &row)).transpose()
    }

    /// Charges a held debit, stores the answer that it paid, and hands what it withheld to its owner. Idempotent;
    /// `false` when it was reversed before.
    pub async fn charge_debit(&self, id: &str, answer: PaidAnswer) -> Result<bool, StoreError> {
        let (id, packed) = (id.to_owned(), answer.packed()?);
        self.db
            .transact("charging a debit", move |transaction| {
                let (id, head, packed) = (id.clone(), answer.head.clone(), packed.clone());
                Box::pin(async move {
                    let Some(row) = transaction.first(of_id(CHARGE, &id).bind(head).bind(packed)).await? else {
                        return Ok(transaction.first(of_id(IS_CHARGED, &id)).await?.is_some());
                    };
                    let owner =
                        row.try_get("owner").map_err(|error| StoreError::of_driver("charging a debit", error))?;
                    withheld::hand_over(transaction, &id, owner).await?;
                    Ok(true)
                })
            })
            .await
    }

    /// Reverses a held debit and deletes what it withheld; `false` when it is final already.
    pub async fn reverse_debit(&self, id: &str, now: Timestamp) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.db
            .transact("reversing a debit", move |transaction| {
                let id = id.clone();
                Box::pin(async move { reverse(transaction, id, now).await })
            })
            .await
    }

    /// Reverses held debits past their deadline, at most `limit`: those of calls that ended without an outcome. How
    /// many.
    pub async fn reverse_overdue_debits(&self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let subject = "looking for overdue debits";
        let rows = self.db.read_all(subject, sqlx::query(OVERDUE).bind(now.0).bind(i64::from(limit))).await?;
        let mut reversed = 0;
        for row in rows {
            let id: String = row.try_get("id").map_err(|error| StoreError::of_driver(subject, error))?;
            reversed += u64::from(self.reverse_debit(&id, now).await?);
        }
        Ok(reversed)
    }

    /// Ends the holds of all debits at the start of the only server of an embedded database: the calls that held them
    /// are gone.
    pub async fn break_holds(&self, now: Timestamp) -> Result<(), StoreError> {
        if !self.db.is_embedded() {
            return Ok(());
        }
        self.db.write("ending holds", sqlx::query(BREAK).bind(now.0)).await.map(drop)
    }

    /// Forgets answers of debits made before `before`, and the keys that named their calls, at most `limit`; how many. The
    /// debits stay.
    pub async fn forget_debit_answers(&self, before: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(FORGET).bind(before.0).bind(i64::from(limit));
        Ok(self.db.write("forgetting answers of paid calls", statement).await?.len() as u64)
    }
}

async fn hold(transaction: &mut Transaction<'_>, new: NewDebit) -> Result<Holding, StoreError> {
    let subject = "holding a debit";
    let row = transaction.first(of_id(LOCK, &new.credit_id)).await?.ok_or(StoreError::NotFound { subject })?;
    let balance = micros(subject, row.try_get("balance_micros"))?;
    if let Some(key) = new.key_digest
        && let Some(row) = transaction.first(of_id(BY_KEY, &new.credit_id).bind(key.to_vec())).await?
    {
        return repeated(subject, &row).map(Holding::Repeated);
    }
    let amount = signed(new.amount)?;
    let change = BalanceChange {
        credit: new.credit_id.clone(),
        kind: MovementKind::Debit,
        micros: -amount,
        reference: new.id.clone(),
    };
    if !add(transaction, change, new.now).await? {
        return Ok(Holding::Insufficient { balance });
    }
    let statement = sqlx::query(INSERT)
        .bind(new.id)
        .bind(new.credit_id)
        .bind(amount)
        .bind(new.operation)
        .bind(new.request_hash.to_vec())
        .bind(new.key_digest.map(|digest| digest.to_vec()))
        .bind(new.owner)
        .bind(new.deadline.0)
        .bind(new.now.0);
    transaction.run(statement).await?;
    Ok(Holding::Held)
}

async fn reverse(transaction: &mut Transaction<'_>, id: String, now: Timestamp) -> Result<bool, StoreError> {
    let subject = "reversing a debit";
    let Some(row) = transaction.first(of_id(REVERSE, &id)).await? else { return Ok(false) };
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let credit = row.try_get("credit_id").map_err(failed)?;
    let micros = row.try_get("amount_micros").map_err(failed)?;
    withheld::forget(transaction, &id).await?;
    add(transaction, BalanceChange { credit, kind: MovementKind::Reversal, micros, reference: id }, now).await
}

fn repeated(subject: &'static str, row: &AnyRow) -> Result<Repeated, StoreError> {
    let hash = row.try_get("request_hash").map_err(|error| StoreError::of_driver(subject, error))?;
    Ok(Repeated { request_hash: digest(subject, hash)?, answer: PaidAnswer::of_row(subject, row)? })
}
