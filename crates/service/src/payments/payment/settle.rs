//! The transition of a payment whose result is stored: the facilitator is told to settle, in the call, by a repeated call,
//! or by the worker.

use store::Lease;

use super::record::{pause, record_refused, record_settled};
use super::search::search;
use super::settling::{Doubt, Settling};
use super::state::{PaymentStage, PaymentTerms};
use crate::services::Services;
use crate::x402::{Facilitator, PENDING, REVERTED, SETTLE_LEASE_MS, Settlement};

/// Leaves a payment unclear whose row is damaged: there is nothing to send to the facilitator.
pub(super) async fn pause_unreadable(services: &Services, terms: &PaymentTerms, lease: &Lease) -> PaymentStage {
    tracing::error!(payment.id = %lease.id, "a stored payment can't be read; this is a defect");
    pause(&Settling::new(services, terms, lease), Doubt::of("a stored run can't be read")).await
}

/// Tells the facilitator to settle, a second time where its first response leaves that open, and records the result.
pub(super) async fn settle(services: &Services, terms: &PaymentTerms, lease: &Lease) -> PaymentStage {
    let settling = Settling::new(services, terms, lease);
    let Some(facilitator) = services.payments().facilitator() else {
        return pause(&settling, Doubt::of("there is no facilitator to ask")).await;
    };
    if terms.key.network != services.payments().chain().caip2 {
        return pause(&settling, Doubt::of("payments.network is another one now")).await;
    }
    let (calls, first) = match call(&settling, facilitator).await {
        Ok(response) => response,
        Err(state) => return state,
    };
    // Of a payment with earlier settle calls, another transaction may be pending.
    let has_all_reverted = calls == 1 && matches!(first, Settlement::Reverted(_));
    let doubt = |reason: String, transaction: Option<String>, is_final| Doubt { reason, transaction, is_final };
    let (response, named) = match first {
        Settlement::Pending(named) | Settlement::Reverted(named) => match call(&settling, facilitator).await {
            Ok((_, second)) => (second, Some(named)),
            // The second call could not be recorded, so it was not made; but the transaction of the first is.
            Err(PaymentStage::Unclear(_)) => {
                return pause(&settling, doubt(PENDING.to_owned(), Some(named), false)).await;
            }
            Err(state) => return state,
        },
        first => (first, None),
    };
    let doubt = match response {
        Settlement::Settled(transaction) => return record_settled(&settling, transaction).await,
        Settlement::Refused(reason) => return record_refused(&settling, reason).await,
        Settlement::Declined(reason) => doubt(reason, named, has_all_reverted),
        Settlement::Reverted(transaction) => doubt(REVERTED.to_owned(), Some(transaction), has_all_reverted),
        Settlement::Pending(transaction) => doubt(PENDING.to_owned(), Some(transaction), false),
        Settlement::Unknown { reason, transaction } => doubt(reason, transaction.or(named), false),
    };
    search(&settling, doubt).await
}

/// One settle call, recorded before it is made: the number of calls with it, and the response; or the state, where
/// it could not be recorded, and nothing was sent.
async fn call(settling: &Settling<'_>, facilitator: &Facilitator) -> Result<(i64, Settlement), PaymentStage> {
    let Settling { services, terms, lease, .. } = settling;
    let now = services.ports().now();
    let until = now.plus_ms(SETTLE_LEASE_MS);
    let calls = match services.database().write(|store| store.begin_settling(lease, until, now)).await {
        Ok(Some(calls)) => calls,
        Ok(None) => return Err(PaymentStage::InProgress),
        // It may have been recorded all the same: whoever takes the payment over goes on from its row.
        Err(_) => return Err(PaymentStage::Unclear(terms.transaction.clone())),
    };
    let fetcher = services.engine().fetcher();
    let response = facilitator.settle(fetcher, &terms.payload, &terms.requirements, calls == 1).await;
    tracing::info!(payment.id = %lease.id, said = ?response, calls, "asked to settle");
    Ok((calls, response))
}
