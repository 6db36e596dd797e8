//! What the caller is told of a payment's state: a receipt of the settlement, or a refusal.

use serde_json::json;

use super::state::{Good, Payment, RefusedBy, State, Terms};
use super::times::{IN_PROGRESS_RETRY, UNCLEAR_RETRY};
use crate::error::{Code, Receipt, ServiceError};
use crate::services::Services;
use crate::x402::Priced;

/// The receipt of a settled payment with what it bought, or the refusal of any other state.
pub(crate) fn receipt(services: &Services, priced: &Priced, payment: Payment) -> Result<(Receipt, Good), ServiceError> {
    let payments = services.payments();
    let uncharged = |reason: &str| payments.refused(priced, reason).with("charged", false.into());
    let Payment { terms, good, state } = payment;
    Err(match state {
        State::Settled(transaction) => return Ok((receipt_of(services, &terms, Ok(&transaction)), good)),
        State::Refused { reason, by: RefusedBy::Settle } | State::Lapsed(reason) => {
            uncharged(&reason).with_receipt(receipt_of(services, &terms, Err(&reason)))
        }
        State::Refused { reason, by: RefusedBy::Verify } => uncharged(&reason),
        State::Refused { reason, by: RefusedBy::EarlierCall } => payments.refused(priced, &reason),
        State::Unclear(transaction) => {
            let error = ServiceError::new(Code::SettlementPending).retry_after(UNCLEAR_RETRY);
            match transaction {
                Some(transaction) => error.with("transaction", transaction.into()),
                None => error,
            }
        }
        State::Released(error) | State::Interrupted(error) => error,
        State::InProgress
        | State::Judged(_)
        | State::Known(_)
        | State::Claimed(_)
        | State::Verified(_)
        | State::Worked(_)
        | State::Abandoned(_)
        | State::Unreadable(_) => ServiceError::new(Code::PaymentInProgress).retry_after(IN_PROGRESS_RETRY),
    })
}

/// The receipt in the version of its caller: the transaction, or why there is none.
fn receipt_of(services: &Services, terms: &Terms, settled: Result<&str, &str>) -> Receipt {
    let chain = services.payments().chain();
    let (version, payer) = (terms.wire_version, &terms.key.payer);
    let network = if version == 1 { chain.name } else { chain.caip2 };
    let content = match settled {
        Ok(transaction) => {
            json!({"success": true, "transaction": transaction, "network": network, "payer": payer})
        }
        Err(reason) => json!({
            "success": false, "errorReason": reason, "transaction": "", "network": network, "payer": payer,
        }),
    };
    Receipt { version, content }
}
