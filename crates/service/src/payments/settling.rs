//! Settling a payment whose result is kept: at once, again by a caller who asks again, or by the worker.

use std::time::Duration;

use model::money::Micros;
use model::time::Timestamp;
use serde_json::Value;
use store::{Lease, PaymentKey, PaymentState, Store, StoreError, Unsettled};
use tokio::time::Instant;

use crate::services::Services;
use crate::x402::{Facilitator, PENDING, REVERTED, SETTLE_LEASE_MS, Seen, Settlement, Sought};

/// So long a database that does not answer is told of an end again.
const KEEP_WITHIN: Duration = Duration::from_secs(60);
/// Between two such tries.
const KEEP_EVERY: Duration = Duration::from_secs(1);
/// Why a payment lapsed: its authorization was used for another transfer, or its payer cancelled it.
const SPENT: &str = "authorization_used_or_canceled";
/// Why a payment lapsed: its authorization is over, and was never used.
const EXPIRED: &str = "expired";
/// Between two tries to settle at most, in milliseconds (`specs/x402.md` §6).
const LONGEST_WAIT_MS: i64 = 60_000;
/// The same for a payment whose authorization is over: only the operator, or a node that comes back, can tell.
const WAIT_WHEN_OVER_MS: i64 = 3_600_000;
/// After the end of an authorization the chain is given so long to show it, in milliseconds.
pub(super) const LAPSE_MS: i64 = 600_000;

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
pub(super) async fn settle(app: &Services, payment: &store::Payment) -> Charge {
    let json = |text: &str| serde_json::from_str(text).ok();
    let read = json(&payment.payload).zip(json(&payment.requirements));
    let is_whole = read.is_some();
    let (payload, requirements) = read.unwrap_or_default();
    let due = Due {
        lease: payment.lease.clone(),
        payload,
        requirements,
        key: payment.key.clone(),
        amount: payment.amount,
        claimed_at: payment.created_at,
        valid_before: Some(payment.valid_before),
        transaction: payment.transaction.clone(),
    };
    if !is_whole {
        tracing::error!(payment.id = %due.lease.id, "a payment as it is kept can't be read; this is a defect");
        return pause(app, &due, Said::in_doubt("what is kept of it can't be read")).await;
    }
    charge(app, due).await
}

/// What was said of a payment of which it is not clear whether it settled.
#[derive(Debug)]
struct Said {
    reason: String,
    /// The transaction, where one was named.
    transaction: Option<String>,
    /// It would not be sent, and the only transaction that ever was has failed.
    is_final: bool,
}

impl Said {
    fn in_doubt(reason: &str) -> Self {
        Self { reason: reason.to_owned(), transaction: None, is_final: false }
    }
}

/// Tells the facilitator to settle, twice where once tells nothing, and keeps what it says.
pub(super) async fn charge(app: &Services, due: Due) -> Charge {
    let Some(facilitator) = app.payments().facilitator() else {
        return pause(app, &due, Said::in_doubt("there is no facilitator to ask")).await;
    };
    if due.key.network != app.payments().chain().caip2 {
        return pause(app, &due, Said::in_doubt("payments.network is another one now")).await;
    }
    let (calls, said) = match call(app, facilitator, &due).await {
        Ok(said) => said,
        Err(charge) => return charge,
    };
    // Of a payment that was called for before, another transaction may be on its way.
    let has_all_reverted = calls == 1 && matches!(said, Settlement::Reverted(_));
    let doubt = |reason: String, transaction: Option<String>, is_final| Said { reason, transaction, is_final };
    let (said, named) = match said {
        Settlement::Pending(named) | Settlement::Reverted(named) => match call(app, facilitator, &due).await {
            Ok((_, said)) => (said, Some(named)),
            // Not asked again, as that could not be noted; but what was named is.
            Err(Charge::Unclear(_)) => return pause(app, &due, doubt(PENDING.to_owned(), Some(named), false)).await,
            Err(charge) => return charge,
        },
        said => (said, None),
    };
    let said = match said {
        Settlement::Settled(transaction) => return settled(app, &due, transaction).await,
        Settlement::Refused(reason) => return refused(app, &due, reason).await,
        Settlement::Declined(reason) => doubt(reason, named, has_all_reverted),
        Settlement::Reverted(transaction) => doubt(REVERTED.to_owned(), Some(transaction), has_all_reverted),
        Settlement::Pending(transaction) => doubt(PENDING.to_owned(), Some(transaction), false),
        Settlement::Unknown { reason, transaction } => doubt(reason, transaction.or(named), false),
    };
    look(app, &due, said).await
}

/// One call, noted before it is made; how many it were with it, and what was said.
async fn call(app: &Services, facilitator: &Facilitator, due: &Due) -> Result<(i64, Settlement), Charge> {
    let now = app.ports().now();
    let noted = app.database().ask(|store| store.begin_settling(&due.lease, now.plus_ms(SETTLE_LEASE_MS), now)).await;
    let calls = match noted {
        Ok(Some(calls)) => calls,
        Ok(None) => return Err(Charge::Elsewhere),
        // Whatever was noted, nothing is sent; whoever comes next goes on from what the row says.
        Err(_) => return Err(Charge::Unclear(due.transaction.clone())),
    };
    let said = facilitator.settle(app.engine().fetcher(), &due.payload, &due.requirements, calls == 1).await;
    tracing::info!(payment.id = %due.lease.id, ?said, calls, "asked to settle");
    Ok((calls, said))
}

/// Notes that the money came in.
async fn settled(app: &Services, due: &Due, transaction: String) -> Charge {
    let now = app.ports().now();
    let noted = keep(app, |store| async {
        if store.settle_payment(&due.lease.id, &transaction, now).await? {
            return Ok(Some(transaction.clone()));
        }
        // Perhaps a try whose answer was lost has done it, or somebody else who knows.
        let known = store.payment(&due.key).await?.filter(|known| known.state == PaymentState::Settled);
        Ok(known.and_then(|known| known.transaction))
    });
    match noted.await {
        Some(Some(transaction)) => Charge::Settled(transaction),
        Some(None) => {
            tracing::error!(payment.id = %due.lease.id, transaction, "money came in for a payment that had ended without");
            Charge::Elsewhere
        }
        None => {
            tracing::error!(payment.id = %due.lease.id, transaction, "that a payment settled could not be kept");
            Charge::Unclear(Some(transaction))
        }
    }
}

async fn refused(app: &Services, due: &Due, reason: String) -> Charge {
    end(app, due, Unsettled::Refused(reason.clone()), Charge::Refused(reason)).await
}

async fn lapsed(app: &Services, due: &Due, reason: &str) -> Charge {
    end(app, due, Unsettled::Lapsed(reason.to_owned()), Charge::Refused(reason.to_owned())).await
}

/// Looks at the chain, where that can be done, for a payment of which the facilitator does not know.
async fn look(app: &Services, due: &Due, said: Said) -> Charge {
    let now = app.ports().now();
    let said = Said { transaction: said.transaction.or_else(|| due.transaction.clone()), ..said };
    let seen = match app.payments().node() {
        None => None,
        Some(node) => {
            let sought = Sought {
                asset: &due.key.asset,
                payer: &due.key.payer,
                nonce: &due.key.nonce,
                // Of then: an operator may be paid elsewhere since.
                pay_to: due.requirements.get("payTo").and_then(Value::as_str).unwrap_or_default(),
                amount: due.amount.0,
                age_ms: u64::try_from(now.0.saturating_sub(due.claimed_at.0)).unwrap_or_default(),
                transaction: said.transaction.as_deref(),
            };
            Some(node.look(app.engine().fetcher(), &sought).await)
        }
    };
    match seen {
        Some(Seen::Transfer(transaction)) => settled(app, due, transaction).await,
        Some(Seen::Spent) => lapsed(app, due, SPENT).await,
        Some(Seen::Nothing { at }) if is_over(due, now) && is_over_at(due, at) => lapsed(app, due, EXPIRED).await,
        Some(Seen::Nothing { .. }) | None if said.is_final => refused(app, due, said.reason).await,
        Some(Seen::Nothing { .. } | Seen::Unknown) | None => pause(app, due, said).await,
    }
}

/// Whether the authorization is over by our clock, and the chain has had time to show it.
fn is_over(due: &Due, now: Timestamp) -> bool {
    due.valid_before.is_some_and(|valid_before| now >= valid_before.plus_ms(LAPSE_MS))
}

/// Whether the authorization is over by the chain's own clock, `at` seconds since 1970: our clock may be ahead of it, and
/// a node may be behind. The token takes an authorization in blocks before its end only (EIP-3009).
fn is_over_at(due: &Due, at: u64) -> bool {
    let at_ms = i64::try_from(at).unwrap_or(i64::MAX).saturating_mul(1_000);
    due.valid_before.is_some_and(|valid_before| at_ms >= valid_before.0)
}

/// Leaves a payment unclear, to be asked about again.
async fn pause(app: &Services, due: &Due, said: Said) -> Charge {
    let now = app.ports().now();
    let Said { reason, transaction, .. } = said;
    tracing::warn!(payment.id = %due.lease.id, reason, "it is not clear whether a payment settled");
    let again_at = now.plus_ms(wait(now, due));
    let how = Unsettled::Unclear { reason, transaction: transaction.clone(), again_at };
    let left = app.database().ask(|store| store.leave_payment(&due.lease, how, now)).await;
    app.payments().leave_unclear();
    match left {
        Ok(false) => Charge::Elsewhere,
        Ok(true) | Err(_) => Charge::Unclear(transaction),
    }
}

/// Milliseconds until it is asked about again: as long as it has been unclear already.
fn wait(now: Timestamp, due: &Due) -> i64 {
    const SHORTEST_MS: i64 = 2_000;
    match is_over(due, now) {
        true => WAIT_WHEN_OVER_MS,
        false => now.0.saturating_sub(due.claimed_at.0).clamp(SHORTEST_MS, LONGEST_WAIT_MS),
    }
}

/// Notes how a payment ended without money.
async fn end(app: &Services, due: &Due, how: Unsettled, charge: Charge) -> Charge {
    let now = app.ports().now();
    match keep(app, |store| store.leave_payment(&due.lease, how.clone(), now)).await {
        Some(true) => charge,
        Some(false) => Charge::Elsewhere,
        None => Charge::Unclear(due.transaction.clone()),
    }
}

/// Writes what the facilitator may not tell again, as often as it takes; `None` when the database stays away.
async fn keep<'a, T, F>(app: &'a Services, write: impl Fn(&'a Store) -> F) -> Option<T>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let until = Instant::now() + KEEP_WITHIN;
    loop {
        if let Ok(kept) = app.database().insist(&write).await {
            return Some(kept);
        }
        if Instant::now() >= until {
            return None;
        }
        tokio::time::sleep(KEEP_EVERY).await;
    }
}
