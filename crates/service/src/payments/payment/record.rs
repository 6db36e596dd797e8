//! Recording the outcome of a settlement: settled, refused, lapsed, or unclear.

use std::time::Duration;

use model::time::Timestamp;
use store::{PaymentState, Store, StoreError, Unsettled};
use tokio::time::Instant;

use super::settling::{Doubt, Settling};
use super::state::{PaymentStage, RefusedBy};
use super::times::LAPSE_MS;
use crate::services::Services;

/// How long a write that fails is retried.
const RETRY_WITHIN: Duration = Duration::from_secs(60);
/// Between two tries.
const RETRY_EVERY: Duration = Duration::from_secs(1);
/// Retry interval of an unclear payment at least, in milliseconds.
const SHORTEST_WAIT_MS: i64 = 2_000;
/// The same at most.
const LONGEST_WAIT_MS: i64 = 60_000;
/// The same once the authorization has expired: only the operator, or a node that is back, can tell.
const EXPIRED_WAIT_MS: i64 = 3_600_000;

/// Records that the money came in.
pub(super) async fn record_settled(settling: &Settling<'_>, transaction: String) -> PaymentStage {
    let Settling { services, terms, lease, .. } = settling;
    let now = services.ports().now();
    let recorded = insist(services, |store| async {
        if store.settle_payment(&lease.id, &transaction, now).await? {
            return Ok(Some(transaction.clone()));
        }
        // Perhaps by a try whose response was lost, or by whoever took the payment over.
        let row = store.payment(&terms.key).await?.filter(|row| row.state == PaymentState::Settled);
        Ok(row.and_then(|row| row.transaction))
    });
    match recorded.await {
        Some(Some(transaction)) => PaymentStage::Settled(transaction),
        Some(None) => {
            tracing::error!(payment.id = %lease.id, transaction, "a payment that had lapsed was settled after all");
            PaymentStage::InProgress
        }
        None => {
            tracing::error!(payment.id = %lease.id, transaction, "a settled payment could not be recorded");
            PaymentStage::Unclear(Some(transaction))
        }
    }
}

/// Records that the facilitator did not settle it, and that nothing was broadcast.
pub(super) async fn record_refused(settling: &Settling<'_>, reason: String) -> PaymentStage {
    let end = Unsettled::Refused(reason.clone());
    record_end(settling, end, PaymentStage::Refused { reason, by: RefusedBy::Settle }).await
}

/// Records that its transfer can't come any more.
pub(super) async fn record_lapsed(settling: &Settling<'_>, reason: &str) -> PaymentStage {
    record_end(settling, Unsettled::Lapsed(reason.to_owned()), PaymentStage::Lapsed(reason.to_owned())).await
}

/// Records an end without money.
async fn record_end(settling: &Settling<'_>, end: Unsettled, state: PaymentStage) -> PaymentStage {
    let Settling { services, terms, lease, .. } = settling;
    let now = services.ports().now();
    match insist(services, |store| store.leave_payment(lease, end.clone(), now)).await {
        Some(true) => state,
        Some(false) => PaymentStage::InProgress,
        None => PaymentStage::Unclear(terms.transaction.clone()),
    }
}

/// Leaves a payment unclear, for the worker to settle again after the retry interval.
pub(super) async fn pause(settling: &Settling<'_>, doubt: Doubt) -> PaymentStage {
    let Settling { services, lease, .. } = settling;
    let now = services.ports().now();
    let Doubt { reason, transaction, .. } = doubt;
    tracing::warn!(payment.id = %lease.id, reason, "the outcome of a settlement is unknown");
    let again_at = now.plus_ms(retry_interval(settling, now));
    let pause = Unsettled::Unclear { reason, transaction: transaction.clone(), again_at };
    let recorded = services.database().write(|store| store.leave_payment(lease, pause, now)).await;
    services.payments().wake_worker();
    match recorded {
        Ok(false) => PaymentStage::InProgress,
        Ok(true) | Err(_) => PaymentStage::Unclear(transaction),
    }
}

/// Milliseconds until the next settle call: as long as it has been unclear already.
fn retry_interval(settling: &Settling<'_>, now: Timestamp) -> i64 {
    match is_expired(settling, now) {
        true => EXPIRED_WAIT_MS,
        false => now.0.saturating_sub(settling.since.0).clamp(SHORTEST_WAIT_MS, LONGEST_WAIT_MS),
    }
}

/// Whether the authorization has expired by our clock, and the chain has had time to show its use.
pub(super) fn is_expired(settling: &Settling<'_>, now: Timestamp) -> bool {
    settling.terms.valid_before.is_some_and(|valid_before| now >= valid_before.plus_ms(LAPSE_MS))
}

/// Writes what the facilitator may not tell again, with retries; `None` when the database stays away.
#[expect(clippy::disallowed_methods, reason = "the interval between tries while the database is away")]
async fn insist<'a, T, F>(services: &'a Services, write: impl Fn(&'a Store) -> F) -> Option<T>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let until = Instant::now() + RETRY_WITHIN;
    loop {
        if let Ok(written) = services.database().insist(&write).await {
            return Some(written);
        }
        if Instant::now() >= until {
            return None;
        }
        tokio::time::sleep(RETRY_EVERY).await;
    }
}
