//! The reply for a payment's state: a receipt of the settlement, or an error.

use serde_json::json;

use super::state::{Good, PaymentStage, PaymentTerms, RefusedBy, X402Payment};
use super::times::{IN_PROGRESS_RETRY, UNCLEAR_RETRY};
use crate::error::{Code, PaymentReceipt, ServiceError};
use crate::services::Services;
use crate::x402::Priced;

/// The receipt of a settled payment with what it bought, or the refusal of any other state.
pub(crate) fn receipt(
    services: &Services,
    priced: &Priced,
    payment: X402Payment,
) -> Result<(PaymentReceipt, Good), ServiceError> {
    let payments = services.payments();
    let uncharged = |reason: &str| payments.refused(priced, reason).with("charged", false.into());
    let X402Payment { terms, good, state } = payment;
    Err(match state {
        PaymentStage::Settled(transaction) => return Ok((receipt_of(services, &terms, Ok(&transaction)), good)),
        PaymentStage::Refused { reason, by: RefusedBy::Settle } | PaymentStage::Lapsed(reason) => {
            uncharged(&reason).with_receipt(receipt_of(services, &terms, Err(&reason)))
        }
        PaymentStage::Refused { reason, by: RefusedBy::Verify } => uncharged(&reason),
        PaymentStage::Refused { reason, by: RefusedBy::EarlierCall } => payments.refused(priced, &reason),
        PaymentStage::Unclear(transaction) => {
            let error = ServiceError::new(Code::SettlementPending).retry_after(UNCLEAR_RETRY);
            match transaction {
                Some(transaction) => error.with("transaction", transaction.into()),
                None => error,
            }
        }
        PaymentStage::Released(error) | PaymentStage::Interrupted(error) => error,
        PaymentStage::InProgress
        | PaymentStage::Judged(_)
        | PaymentStage::Known(_)
        | PaymentStage::Claimed(_)
        | PaymentStage::Verified(_)
        | PaymentStage::Worked(_)
        | PaymentStage::Abandoned(_)
        | PaymentStage::Unreadable(_) => ServiceError::new(Code::PaymentInProgress).retry_after(IN_PROGRESS_RETRY),
    })
}

/// The receipt in the version of its caller: the transaction, or why there is none.
fn receipt_of(services: &Services, terms: &PaymentTerms, settled: Result<&str, &str>) -> PaymentReceipt {
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
    PaymentReceipt { version, content }
}
