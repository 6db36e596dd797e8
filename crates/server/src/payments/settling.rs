//! Settling a payment whose result is kept: at once, again by a caller who asks again, or by the worker.

use model::money::Micros;
use model::time::Timestamp;
use serde_json::Value;
use store::{Lease, PaymentKey, Unsettled};

use super::chain::{Seen, Sought};
use super::facilitator::{Settlement, is_refusal};
use crate::app::App;

/// A lease for settling lasts for two calls of the facilitator and a look at the chain, in milliseconds.
pub(super) const SETTLE_LEASE_MS: i64 = 150_000;
/// Between two tries to settle at most, in milliseconds (`specs/x402.md` §6).
const LONGEST_WAIT_MS: i64 = 60_000;
/// The same for a payment whose authorization is over: only the operator, or a node that comes back, can tell.
const WAIT_WHEN_OVER_MS: i64 = 3_600_000;
/// After the end of an authorization the chain is given so long to show it, in milliseconds.
const LAPSE_MS: i64 = 600_000;

/// A payment that is to be settled.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) lease: Lease,
    pub(super) payload: Value,
    pub(super) requirements: Value,
    pub(super) key: PaymentKey,
    pub(super) amount: Micros,
    pub(super) claimed_at: Timestamp,
    /// When the authorization ends; `None`: not soon.
    pub(super) valid_before: Option<Timestamp>,
    /// The transaction that an earlier call named, if one did.
    pub(super) transaction: Option<String>,
}

/// What became of it.
#[derive(Debug)]
pub(super) enum Charge {
    /// Final: paid, in this transaction.
    Settled(String),
    /// Final: nothing was charged, for this reason.
    Refused(String),
    /// The money may move still, perhaps in this transaction.
    Unclear(Option<String>),
    /// Somebody else is at it.
    Elsewhere,
}

/// Settles a payment that was taken over.
pub(super) async fn settle(app: &App, payment: &store::Payment) -> Charge {
    let json = |text: &str| serde_json::from_str(text).unwrap_or_default();
    let due = Due {
        lease: payment.lease.clone(),
        payload: json(&payment.payload),
        requirements: json(&payment.requirements),
        key: payment.key.clone(),
        amount: payment.amount,
        claimed_at: payment.created_at,
        valid_before: Some(payment.valid_before),
        transaction: payment.transaction.clone(),
    };
    charge(app, due).await
}

/// Tells the facilitator to settle, twice where once tells nothing, and keeps what it says.
pub(super) async fn charge(app: &App, due: Due) -> Charge {
    let said = match call(app, &due).await {
        Ok(said) => said,
        Err(charge) => return charge,
    };
    let has_reverted = matches!(said, Settlement::Reverted(_));
    let said = match said {
        Settlement::Pending(_) | Settlement::Reverted(_) => match call(app, &due).await {
            Ok(said) => said,
            Err(charge) => return charge,
        },
        said => said,
    };
    match said {
        Settlement::Settled(transaction) => settled(app, &due, transaction).await,
        Settlement::Refused(reason) => refused(app, &due, reason).await,
        // What reverted moved nothing. Refused for another reason than that it was used, it was not sent by others either.
        Settlement::Unknown { reason, transaction: None } if has_reverted && is_refusal(&reason) => {
            refused(app, &due, reason).await
        }
        Settlement::Pending(transaction) => look(app, &due, "settlement_pending".to_owned(), Some(transaction)).await,
        Settlement::Reverted(reason) => look(app, &due, reason, None).await,
        Settlement::Unknown { reason, transaction } => look(app, &due, reason, transaction).await,
    }
}

/// One call, noted before it is made.
async fn call(app: &App, due: &Due) -> Result<Settlement, Charge> {
    let now = app.ports().now();
    let noted = app.database().ask(|store| store.begin_settling(&due.lease, now.plus_ms(SETTLE_LEASE_MS), now)).await;
    let calls = match noted {
        Ok(Some(calls)) => calls,
        Ok(None) => return Err(Charge::Elsewhere),
        // Whatever was noted, nothing is sent; whoever comes next goes on from what the row says.
        Err(_) => return Err(Charge::Unclear(None)),
    };
    let Some(facilitator) = app.payments().facilitator() else { return Err(Charge::Unclear(None)) };
    let said = facilitator.settle(app.engine().fetcher(), &due.payload, &due.requirements, calls == 1).await;
    tracing::info!(payment.id = %due.lease.id, ?said, calls, "asked to settle");
    Ok(said)
}

/// Notes that the money came in. Where that can't be noted the payment stays unclear, and is asked about again.
async fn settled(app: &App, due: &Due, transaction: String) -> Charge {
    let now = app.ports().now();
    match app.database().ask(|store| store.settle_payment(&due.lease, &transaction, now)).await {
        Ok(true) => Charge::Settled(transaction),
        Ok(false) => Charge::Elsewhere,
        Err(_) => Charge::Unclear(Some(transaction)),
    }
}

async fn refused(app: &App, due: &Due, reason: String) -> Charge {
    end(app, due, Unsettled::Refused(reason.clone()), Charge::Refused(reason)).await
}

/// Looks at the chain, where that can be done, for a payment of which the facilitator does not know.
async fn look(app: &App, due: &Due, reason: String, transaction: Option<String>) -> Charge {
    let now = app.ports().now();
    let transaction = transaction.or_else(|| due.transaction.clone());
    let seen = match app.payments().node() {
        None => Seen::Unknown,
        Some(node) => {
            let sought = Sought {
                asset: app.payments().chain().asset,
                payer: &due.key.payer,
                nonce: &due.key.nonce,
                // Of then: an operator may be paid elsewhere since.
                pay_to: due.requirements.get("payTo").and_then(Value::as_str).unwrap_or_default(),
                amount: due.amount.0,
                age_ms: u64::try_from(now.0.saturating_sub(due.claimed_at.0)).unwrap_or_default(),
                transaction: transaction.as_deref(),
            };
            node.look(app.engine().fetcher(), &sought).await
        }
    };
    let is_over = due.valid_before.is_some_and(|valid_before| now >= valid_before.plus_ms(LAPSE_MS));
    match seen {
        Seen::Transfer(transaction) => settled(app, due, transaction).await,
        Seen::Nothing if is_over => end(app, due, Unsettled::Lapsed, Charge::Refused("expired".to_owned())).await,
        Seen::Nothing | Seen::Unknown => {
            tracing::warn!(payment.id = %due.lease.id, reason, "it is not clear whether a payment settled");
            let again_at = now.plus_ms(wait(now, due, is_over));
            let how = Unsettled::Unclear { reason, transaction: transaction.clone(), again_at };
            end(app, due, how, Charge::Unclear(transaction)).await
        }
    }
}

/// Milliseconds until it is asked about again: as long as it has been unclear already.
fn wait(now: Timestamp, due: &Due, is_over: bool) -> i64 {
    const SHORTEST_MS: i64 = 2_000;
    match is_over {
        true => WAIT_WHEN_OVER_MS,
        false => now.0.saturating_sub(due.claimed_at.0).clamp(SHORTEST_MS, LONGEST_WAIT_MS),
    }
}

/// Notes how a payment ended or pauses.
async fn end(app: &App, due: &Due, how: Unsettled, charge: Charge) -> Charge {
    let now = app.ports().now();
    match app.database().ask(|store| store.leave_payment(&due.lease, how, now)).await {
        Ok(true) => charge,
        Ok(false) => Charge::Elsewhere,
        Err(_) => Charge::Unclear(None),
    }
}
