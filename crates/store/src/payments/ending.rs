//! Final transitions of payments (settled, refused, lapsed), and pauses (released, unclear).

use model::credit::MovementKind;
use model::time::Timestamp;
use sqlx::Row as _;

use super::record::{CreditPurchase, Lease, PaymentState};
use super::row::of_lease;
use super::row::{key, purchase};
use crate::credits::{self, BalanceChange, NewCredit, add};
use crate::error::StoreError;
use crate::statement::of_id;
use crate::store::Store;
use crate::transaction::Transaction;
use crate::withheld;

// Raises the fence, so that a worker loses its lease: an operator has decided.
const TAKE_UNCLEAR: &str = "UPDATE payments SET fence = fence + 1 WHERE id = $1 AND state = 'unclear' RETURNING fence";

// Without the fence: that money came in stays true after the lease has expired. From these states an authorization is
// never claimed again, so the row is still that of the settled call.
const SETTLED: &str = "UPDATE payments SET state = 'settled', tx_hash = $2, reason = NULL, updated_at = $3 \
    WHERE id = $1 AND state IN ('settling', 'unclear') \
    RETURNING network, asset, payer, nonce, operation, amount_micros, owner, credit_id, credit_digest";

const EARNED: &str = "INSERT INTO revenue (payment_id, operation, amount_micros, network, created_at) \
    VALUES ($1, $2, $3, $4, $5)";

// A payment that may have been sent to the facilitator is never released.
const UNSETTLED: &str = "UPDATE payments SET state = $3, reason = $4, tx_hash = COALESCE($5, tx_hash), \
    leased_until = $6, updated_at = $7 WHERE id = $1 AND fence = $2 AND (state IN ('claimed', 'working') \
    OR (state IN ('worked', 'settling', 'unclear') AND $3 <> 'released'))";

const DROP: &str = "UPDATE payments SET payload = NULL, requirements = NULL, answer_head = NULL, answer_body = NULL \
    WHERE id = $1";

/// The end, or pause, of a payment without money.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unsettled {
    /// Nothing was broadcast.
    Released,
    /// No money moved and none will; the reason, a stable word.
    Refused(String),
    /// Whether it settled is unknown; it is looked at again.
    Unclear {
        /// The reason.
        reason: String,
        /// The transaction, if known.
        transaction: Option<String>,
        /// When to look again.
        again_at: Timestamp,
    },
    /// No money moved and none can any more; the reason, a stable word.
    Lapsed(String),
}

/// An operator's verdict on an unclear payment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaymentDecision {
    /// The money came in, in this transaction.
    Settled(String),
    /// It did not, and can't any more; the reason, a stable word.
    Lapsed(String),
}

impl Store {
    /// Settles a payment: records the income, hands the result to its owner, and makes the credit that was bought.
    /// `false` when it was not being settled, or is final already.
    pub async fn settle_payment(&self, id: &str, tx_hash: &str, now: Timestamp) -> Result<bool, StoreError> {
        let (id, tx_hash) = (id.to_owned(), tx_hash.to_owned());
        self.db
            .transact("settling a payment", move |transaction| {
                let (id, tx_hash) = (id.clone(), tx_hash.clone());
                Box::pin(async move { settle(transaction, id, tx_hash, now).await })
            })
            .await
    }

    /// Makes an unclear payment final by an operator's verdict; `false` when no payment of this id is unclear.
    pub async fn decide_payment(&self, id: &str, found: PaymentDecision, now: Timestamp) -> Result<bool, StoreError> {
        let id = id.to_owned();
        self.db
            .transact("deciding a payment", move |transaction| {
                let (id, found) = (id.clone(), found.clone());
                Box::pin(async move { decide(transaction, id, found, now).await })
            })
            .await
    }

    /// Ends or pauses a payment without money, and deletes what it withheld unless it may still settle. `false` when
    /// the lease was lost.
    pub async fn leave_payment(&self, lease: &Lease, how: Unsettled, now: Timestamp) -> Result<bool, StoreError> {
        let lease = lease.clone();
        self.db
            .transact("ending a payment", move |transaction| {
                let (lease, how) = (lease.clone(), how.clone());
                Box::pin(async move { leave(transaction, lease, how, now).await })
            })
            .await
    }
}

async fn settle(
    transaction: &mut Transaction<'_>,
    id: String,
    tx_hash: String,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let subject = "settling a payment";
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let statement = of_id(SETTLED, &id).bind(tx_hash).bind(now.0);
    let Some(row) = transaction.first(statement).await? else { return Ok(false) };
    let owner: Option<String> = row.try_get("owner").map_err(failed)?;
    let micros: i64 = row.try_get("amount_micros").map_err(failed)?;
    let key = key(subject, &row)?;
    match purchase(subject, &row)? {
        Some(CreditPurchase { credit_id, token_digest }) => {
            let new = NewCredit {
                id: credit_id.clone(),
                token_digest,
                owner,
                is_dev: false,
                network: Some(key.network.clone()),
                created_at: now,
            };
            credits::insert(transaction, new).await?;
            let reference = key.to_string();
            let change = BalanceChange { credit: credit_id, kind: MovementKind::Purchase, micros, reference };
            add(transaction, change, now).await?;
        }
        None => {
            let operation: String = row.try_get("operation").map_err(failed)?;
            let earned = of_id(EARNED, &id).bind(operation).bind(micros).bind(key.network).bind(now.0);
            transaction.run(earned).await?;
            withheld::hand_over(transaction, &id, owner).await?;
        }
    }
    Ok(true)
}

async fn leave(
    transaction: &mut Transaction<'_>,
    lease: Lease,
    how: Unsettled,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let is_over = !matches!(how, Unsettled::Unclear { .. });
    let (state, reason, tx_hash, again_at) = match how {
        Unsettled::Released => (PaymentState::Released, None, None, now),
        Unsettled::Refused(reason) => (PaymentState::Refused, Some(reason), None, now),
        Unsettled::Unclear { reason, transaction, again_at } => {
            (PaymentState::Unclear, Some(reason), transaction, again_at)
        }
        Unsettled::Lapsed(reason) => (PaymentState::Lapsed, Some(reason), None, now),
    };
    let statement =
        of_lease(UNSETTLED, &lease).bind(state.name()).bind(reason).bind(tx_hash).bind(again_at.0).bind(now.0);
    if transaction.run(statement).await? == 0 {
        return Ok(false);
    }
    if is_over {
        transaction.run(of_id(DROP, &lease.id)).await?;
        withheld::forget(transaction, &lease.id).await?;
    }
    Ok(true)
}

async fn decide(
    transaction: &mut Transaction<'_>,
    id: String,
    found: PaymentDecision,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let Some(row) = transaction.first(of_id(TAKE_UNCLEAR, &id)).await? else { return Ok(false) };
    let fence = row.try_get("fence").map_err(|error| StoreError::of_driver("deciding a payment", error))?;
    match found {
        PaymentDecision::Settled(tx_hash) => settle(transaction, id, tx_hash, now).await,
        PaymentDecision::Lapsed(reason) => {
            leave(transaction, Lease { id, fence }, Unsettled::Lapsed(reason), now).await
        }
    }
}
