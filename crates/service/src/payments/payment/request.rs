//! Idempotency of paid calls: when a call repeats another, and the error of a payment that belongs to another call.

use model::lang::{Text, text};
use store::PaymentState;

use super::times::{IN_PROGRESS_RETRY, LAPSE_MS, UNCLEAR_RETRY};
use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::x402::{self, Priced};

/// The owner of a call's result, as it is stored.
pub(crate) fn owner(cx: &Cx) -> Option<String> {
    cx.caller.owner().map(|owner| owner.to_string())
}

/// Digest of a call, its price and its owner: a repeat has the same.
pub(crate) fn request_hash(cx: &Cx, priced: &Priced) -> [u8; 32] {
    x402::request_hash(priced, owner(cx).as_deref())
}

/// Whether this call is the repeat of that which a stored payment paid: the same call, of the same caller or of the guest
/// that they claimed since.
pub(crate) fn is_repeat(cx: &Cx, priced: &Priced, row: &store::StoredPayment) -> bool {
    let owner = owner(cx);
    let is_owners = owner.is_some() && owner == row.owner;
    row.request_hash == request_hash(cx, priced)
        || (is_owners && row.call_digest == priced.call_digest && row.amount == priced.price)
}

/// The refusal of a payment that an earlier call with another request came with.
pub(crate) fn of_another_request(cx: &Cx, priced: &Priced, row: store::StoredPayment) -> ServiceError {
    if row.call_digest == priced.call_digest && PaymentState::UNFINISHED.contains(&row.state) {
        // Its price or its owner changed meanwhile, and it may still be settled.
        return unsettled_earlier(row.state, row.transaction);
    }
    cx.services.payments().offered(priced, ServiceError::new(Code::PaymentUsed))
}

/// Refuses a call of which an earlier payment may still be settled: a second payment would pay it twice. Callers without a
/// credential can't be told apart, so they are let through.
pub(crate) async fn refuse_second(cx: &Cx, priced: &Priced) -> Result<(), ServiceError> {
    let Some(owner) = owner(cx) else { return Ok(()) };
    let now = cx.services.ports().now();
    let over = now.plus_ms(-LAPSE_MS);
    let database = cx.services.database();
    match database.ask(|store| store.payment_on_its_way(&owner, &priced.call_digest, now, over)).await? {
        Some(earlier) => Err(unsettled_earlier(earlier.state, earlier.transaction)),
        None => Ok(()),
    }
}

/// The refusal while an earlier payment of a call may still be settled; it offers no way to pay.
fn unsettled_earlier(state: PaymentState, transaction: Option<String>) -> ServiceError {
    const EARLIER: Text = text(
        "an earlier payment for this call may still settle; repeat the call with that payment, or try again later",
        "um pagamento anterior desta chamada ainda pode ser liquidado; repita a chamada com esse pagamento ou tente mais tarde",
    );
    let error = match state {
        PaymentState::Claimed | PaymentState::Working => {
            ServiceError::new(Code::PaymentInProgress).retry_after(IN_PROGRESS_RETRY)
        }
        _ => ServiceError::new(Code::SettlementPending).retry_after(UNCLEAR_RETRY),
    };
    transaction
        .into_iter()
        .fold(error, |error, transaction| error.with("transaction", transaction.into()))
        .explained(EARLIER.into())
}
