//! Responses of `/settle`, classified by their consequence.

use serde_json::Value;

/// Reasons that say nothing was sent to the chain, where they answer the first settle call of a payment. Spellings of the
/// specifications of both versions and of the published packages.
const REFUSED: &[&str] = &[
    "insufficient_funds",
    "invalid_exact_evm_eip3009_not_supported",
    "invalid_exact_evm_insufficient_balance",
    "invalid_exact_evm_missing_eip712_domain",
    "invalid_exact_evm_network_mismatch",
    "invalid_exact_evm_payload_authorization_valid_after",
    "invalid_exact_evm_payload_authorization_valid_before",
    "invalid_exact_evm_payload_authorization_value",
    "invalid_exact_evm_payload_authorization_value_mismatch",
    "invalid_exact_evm_payload_recipient_mismatch",
    "invalid_exact_evm_payload_signature",
    "invalid_exact_evm_payload_undeployed_smart_wallet",
    "invalid_exact_evm_recipient_mismatch",
    "invalid_exact_evm_scheme",
    "invalid_exact_evm_signature",
    "invalid_exact_evm_token_name_mismatch",
    "invalid_exact_evm_token_version_mismatch",
    "invalid_exact_evm_undeployed_smart_wallet",
    "invalid_network",
    "invalid_payload",
    "invalid_payment_requirements",
    "invalid_scheme",
    "invalid_x402_version",
    "unsupported_scheme",
];
/// Prefixes of the specification's reasons for an invalid payment.
const FAULTS: [&str; 3] = ["insufficient_", "invalid_", "unsupported_"];
/// Parts of such reasons after which the payment may still have been broadcast: it was used already, or a transaction (or its
/// simulation) failed.
const MAYBE_SENT: [&str; 3] = ["already_used", "transaction", "transfer_event"];
/// The transaction was on the chain, and reverted.
pub(crate) const REVERTED: &str = "invalid_exact_evm_transaction_failed";
/// The transaction was sent, and is not on the chain yet.
pub(crate) const PENDING: &str = "settlement_pending";
/// Characters of a facilitator's reason that are kept and shown.
const REASON_CHARS: usize = 200;

/// The class of a response of `/settle`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// The money moved, in this transaction.
    Settled(String),
    /// Nothing moved, and nothing will.
    Refused(String),
    /// It would not send this payment; whether an earlier call did is another matter.
    Declined(String),
    /// This transaction failed on the chain.
    Reverted(String),
    /// The transaction was sent.
    Pending(String),
    /// Anything else: the money may move.
    Unknown {
        /// The reason in the response, or why there was none.
        reason: String,
        /// The transaction, where one was named.
        transaction: Option<String>,
    },
}

/// The reason in an answer, `unknown` without one.
pub(super) fn reason(answer: &Value, field: &str) -> String {
    let reason = answer.get(field).and_then(Value::as_str).unwrap_or("unknown");
    // PostgreSQL keeps no NUL, and a terminal obeys some of the others.
    reason.chars().filter(|char| !char.is_control()).take(REASON_CHARS).collect()
}

/// The class of an answer to `/settle`.
pub(super) fn settlement(answer: &Value, is_first: bool) -> Settlement {
    let named = answer.get("transaction").and_then(Value::as_str).unwrap_or_default();
    let transaction = Some(named).filter(|text| is_transaction(text)).map(str::to_owned);
    let reason = reason(answer, "errorReason");
    match (answer.get("success").and_then(Value::as_bool), transaction) {
        (Some(true), Some(transaction)) => Settlement::Settled(transaction),
        (Some(false), Some(transaction)) if reason == PENDING => Settlement::Pending(transaction),
        (Some(false), Some(transaction)) if reason == REVERTED => Settlement::Reverted(transaction),
        (Some(false), None) if named.is_empty() && is_first && REFUSED.contains(&reason.as_str()) => {
            Settlement::Refused(reason)
        }
        (Some(false), None) if named.is_empty() && is_fault(&reason) => Settlement::Declined(reason),
        (_, transaction) => Settlement::Unknown { reason, transaction },
    }
}

/// Whether a reason finds fault with the payment itself, in the spelling of the specifications, and not with what became
/// of it.
fn is_fault(reason: &str) -> bool {
    FAULTS.iter().any(|fault| reason.starts_with(fault))
        && reason.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
        && !MAYBE_SENT.iter().any(|word| reason.contains(word))
}

/// Whether a text names a transaction of the chain: 0x and 64 hex digits.
pub fn is_transaction(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_answer_is_sorted_by_what_is_to_be_done() {
        let hash = format!("0x{}", "a".repeat(64));
        let response = |success: bool, reason: &str, transaction: &str| json!({"success": success, "errorReason": reason, "transaction": transaction, "network": "eip155:84532"});
        let unknown = |reason: &str, transaction: Option<&String>| Settlement::Unknown {
            reason: reason.to_owned(),
            transaction: transaction.cloned(),
        };
        for (answer, is_first, wanted) in [
            (json!({"success": true, "transaction": hash}), true, Settlement::Settled(hash.clone())),
            (json!({"success": true, "transaction": ""}), true, unknown("unknown", None)),
            (response(false, PENDING, &hash), true, Settlement::Pending(hash.clone())),
            (response(false, PENDING, ""), true, unknown(PENDING, None)),
            (response(false, REVERTED, &hash), true, Settlement::Reverted(hash.clone())),
            (response(false, REVERTED, ""), true, unknown(REVERTED, None)),
            (response(false, "insufficient_funds", ""), true, Settlement::Refused("insufficient_funds".to_owned())),
            (response(false, "insufficient_funds", ""), false, Settlement::Declined("insufficient_funds".to_owned())),
            (response(false, "insufficient_funds", "soon"), false, unknown("insufficient_funds", None)),
            // One of the day after tomorrow.
            (response(false, "invalid_new", ""), true, Settlement::Declined("invalid_new".to_owned())),
            (response(false, "invalid response", ""), true, unknown("invalid response", None)),
            (response(false, "unexpected_settle_error", ""), true, unknown("unexpected_settle_error", None)),
            (
                response(false, "invalid_exact_evm_transaction_simulation_failed", ""),
                false,
                unknown("invalid_exact_evm_transaction_simulation_failed", None),
            ),
            (response(false, "some\u{0}\u{1b}[2Jthing", ""), true, unknown("some[2Jthing", None)),
            (response(false, "insufficient_funds", &hash), true, unknown("insufficient_funds", Some(&hash))),
            (response(false, "something broke", ""), true, unknown("something broke", None)),
            (
                response(false, "invalid_exact_evm_nonce_already_used", ""),
                true,
                unknown("invalid_exact_evm_nonce_already_used", None),
            ),
            (json!({}), true, unknown("unknown", None)),
        ] {
            assert_eq!(settlement(&answer, is_first), wanted, "{answer}");
        }
    }
}
