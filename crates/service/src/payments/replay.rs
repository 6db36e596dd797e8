//! Repeated calls: what was paid before is answered from storage, and what is unfinished is taken up.

use model::time::Timestamp;
use store::PaymentState;

use super::answer::{self, Answered};
use super::debit;
use super::payment::{Good, X402Payment, advance_detached, is_repeat, of_another_request, receipt};
use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::services::Services;
use crate::x402::{PaymentMeans, Priced, SETTLE_LEASE_MS};

/// The answer of an earlier call that this one repeats: the same credit with the same idempotency key, or the same payment.
/// `None`: it repeats none, or one that may be tried again.
pub async fn replay(cx: &Cx, priced: &Priced) -> Result<Option<Answered>, ServiceError> {
    if !cx.services.payments().is_live() {
        return Ok(None);
    }
    match &cx.payment.means {
        PaymentMeans::Credit(credit, _) => debit::replay(cx, credit, priced).await,
        _ => match known(cx).await? {
            // In a box: few calls repeat a payment, and every call with a price would have room for it.
            Some(row) => Box::pin(replay_payment(cx, priced, row)).await.map(Some),
            None => Ok(None),
        },
    }
}

/// The stored payment with the authorization of this call's, unless it may be claimed again.
pub(super) async fn known(cx: &Cx) -> Result<Option<store::StoredPayment>, ServiceError> {
    let PaymentMeans::X402(signed) = &cx.payment.means else { return Ok(None) };
    let (services, now) = (&cx.services, cx.services.ports().now());
    let key = signed.key(services.payments().chain());
    let row = services.database().ask(|store| store.payment(&key)).await?;
    Ok(row.filter(|row| !is_claimable(row, now)))
}

/// Whether nothing was broadcast of a payment, and nobody holds its lease.
fn is_claimable(row: &store::StoredPayment, now: Timestamp) -> bool {
    match row.state {
        PaymentState::Released => true,
        PaymentState::Claimed | PaymentState::Working => row.leased_until <= now,
        _ => false,
    }
}

/// The stored result of a payment's call. The header is public once the payment is settled, as the chain has all of it: it
/// proves nothing about who calls, so the request must be the same too.
pub(super) async fn replay_payment(
    cx: &Cx,
    priced: &Priced,
    row: store::StoredPayment,
) -> Result<Answered, ServiceError> {
    if !is_repeat(cx, priced, &row) {
        return Err(of_another_request(cx, priced, row));
    }
    let payment = resume(&cx.services, row).await?;
    let (receipt, good) = receipt(&cx.services, priced, payment)?;
    match good {
        Good::Stored(Some(stored)) => Ok(answer::unpack(stored)?.with_receipt(receipt)),
        Good::Stored(None) | Good::Credit(_) | Good::Work(..) | Good::Answer(_) => {
            Err(cx.services.payments().offered(priced, ServiceError::new(Code::PaymentUsed)))
        }
    }
}

/// Takes up a stored payment for a repeated call: settles it now where nobody else is at it.
pub(super) async fn resume(services: &Services, row: store::StoredPayment) -> Result<X402Payment, ServiceError> {
    match row.state {
        PaymentState::Worked | PaymentState::Settling | PaymentState::Unclear => {
            let now = services.ports().now();
            let until = now.plus_ms(SETTLE_LEASE_MS);
            match services.database().write(|store| store.take_payment(&row.lease.id, now, until)).await? {
                Some(taken) => advance_detached(services, X402Payment::taken_over(taken)).await,
                None => Ok(X402Payment::stored(row)),
            }
        }
        _ => Ok(X402Payment::stored(row)),
    }
}
