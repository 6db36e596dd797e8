//! The facilitator: who verifies payments and sends them to the chain for us (`specs/x402.md` §4).

use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use fetch::{Fetcher, ServiceQuestion};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use super::chain::Chain;
use crate::config::Secret;

/// For an answer to `/verify` and `/supported`.
const VERIFY_WITHIN: Duration = Duration::from_secs(10);
/// For an answer to `/settle`: it waits for the chain.
pub(super) const SETTLE_WITHIN: Duration = Duration::from_secs(60);
/// Bytes of an answer.
const ANSWER_BYTES: usize = 64 * 1024;

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
/// The transaction was on the chain, and reverted.
const REVERTED: &str = "invalid_exact_evm_transaction_failed";
/// The transaction was sent, and is not on the chain yet.
const PENDING: &str = "settlement_pending";

/// A facilitator, and how it was when it was last asked.
#[derive(Debug)]
pub(crate) struct Facilitator {
    url: Url,
    authorization: Option<Secret>,
    standing: AtomicU8,
    /// Told when a call finds it down.
    went_down: Notify,
}

/// How the facilitator was when it was last asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It was not asked yet.
    Unasked,
    /// It answers, and takes payments on our network.
    Up,
    /// It answers, but not for our network.
    Unfit,
    /// It does not answer.
    Down,
}

/// What `/verify` said.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verified {
    /// It would settle now.
    Valid,
    /// It would not, for this reason.
    Invalid(String),
    /// No answer, or none that can be read.
    Unanswered,
}

/// An answer in JSON.
struct Answer {
    status: u16,
    json: Value,
}

/// What `/settle` said, by what is to be done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Settlement {
    /// The money moved, in this transaction.
    Settled(String),
    /// Nothing moved, and nothing will.
    Refused(String),
    /// The transaction failed on the chain.
    Reverted(String),
    /// The transaction was sent.
    Pending(String),
    /// Anything else: the money may move.
    Unknown {
        /// What was said, or why nothing was.
        reason: String,
        /// The transaction, where one was named.
        transaction: Option<String>,
    },
}

impl Facilitator {
    /// The facilitator at an address.
    pub(super) fn new(url: Url, authorization: Option<Secret>) -> Self {
        Self { url, authorization, standing: AtomicU8::new(Standing::Unasked as u8), went_down: Notify::new() }
    }

    /// Its address.
    pub(super) fn url(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }

    /// How it was when it was last asked.
    pub(crate) fn standing(&self) -> Standing {
        let standing = self.standing.load(Ordering::Relaxed);
        [Standing::Unasked, Standing::Up, Standing::Unfit, Standing::Down]
            .into_iter()
            .find(|known| *known as u8 == standing)
            .unwrap_or(Standing::Unasked)
    }

    /// Asks whether it takes payments on our network.
    pub(super) async fn check(&self, fetcher: &Fetcher, chain: &Chain) -> Standing {
        let answer = self.ask(fetcher, "supported", None, VERIFY_WITHIN).await;
        let standing = match answer {
            Ok(answer) if supports(&answer.json, chain) => Standing::Up,
            Ok(_) => {
                tracing::error!(
                    facilitator = self.url(),
                    network = chain.caip2,
                    "the facilitator does not take payments on this network"
                );
                Standing::Unfit
            }
            Err(_) => Standing::Down,
        };
        self.note(standing);
        standing
    }

    /// Whether a payment would settle now. Reserves nothing.
    pub(super) async fn verify(&self, fetcher: &Fetcher, payload: &Value, requirements: &Value) -> Verified {
        let answer = self.ask(fetcher, "verify", Some(question(payload, requirements)), VERIFY_WITHIN).await;
        let Ok(Answer { status, json }) = answer else { return Verified::Unanswered };
        match json.get("isValid").and_then(Value::as_bool) {
            Some(true) => Verified::Valid,
            Some(false) => Verified::Invalid(reason(&json, "invalidReason")),
            None => {
                self.note_refusal(status);
                Verified::Unanswered
            }
        }
    }

    /// Sends a payment to the chain. `is_first`: it was never sent before, so that a refusal means that nothing moved.
    pub(super) async fn settle(
        &self,
        fetcher: &Fetcher,
        payload: &Value,
        requirements: &Value,
        is_first: bool,
    ) -> Settlement {
        match self.ask(fetcher, "settle", Some(question(payload, requirements)), SETTLE_WITHIN).await {
            Ok(answer) => settlement(&answer.json, is_first),
            Err(why) => Settlement::Unknown { reason: why.to_owned(), transaction: None },
        }
    }

    /// An answer in JSON, whatever its status: a pending settlement comes as 500, 202 or 200. Notes how the facilitator is.
    async fn ask(
        &self,
        fetcher: &Fetcher,
        what: &str,
        json: Option<String>,
        within: Duration,
    ) -> Result<Answer, &'static str> {
        let url = Url::parse(&format!("{}/{what}", self.url())).map_err(|_| "address")?;
        let authorization = self.authorization.as_ref().map(Secret::expose);
        let question = ServiceQuestion { url: &url, json, authorization, answer_bytes: ANSWER_BYTES };
        let answer = fetcher.ask_service(question, Instant::now() + within).await.map_err(|error| {
            tracing::warn!(%error, what, "the facilitator does not answer");
            self.note(Standing::Down);
            error.0
        })?;
        match serde_json::from_slice(&answer.body) {
            Ok(json @ Value::Object(_)) => {
                self.note_answer();
                Ok(Answer { status: answer.status, json })
            }
            _ => {
                tracing::warn!(status = answer.status, what, "the facilitator's answer can't be read");
                self.note_refusal(answer.status);
                Err("answer")
            }
        }
    }

    /// It answers: what was known of its networks stays.
    fn note_answer(&self) {
        if self.standing() != Standing::Unfit {
            self.note(Standing::Up);
        }
    }

    /// It answers, but not what it was asked: it is down, unless it finds fault with the question. Else one payment that it
    /// can't read would keep all others out.
    fn note_refusal(&self, status: u16) {
        let is_of_question = (400..500).contains(&status) && !matches!(status, 401 | 403);
        if !is_of_question {
            self.note(Standing::Down);
        }
    }

    fn note(&self, standing: Standing) {
        let before = self.standing.swap(standing as u8, Ordering::Relaxed);
        if standing == Standing::Down && before != standing as u8 {
            self.went_down.notify_one();
        }
    }

    /// Waits until it is found down, or was since the last wait.
    pub(super) async fn went_down(&self) {
        self.went_down.notified().await;
    }
}

fn question(payload: &Value, requirements: &Value) -> String {
    json!({"x402Version": 2, "paymentPayload": payload, "paymentRequirements": requirements}).to_string()
}

fn supports(answer: &Value, chain: &Chain) -> bool {
    let kinds = answer.get("kinds").and_then(Value::as_array);
    kinds.into_iter().flatten().any(|kind| {
        let is = |name: &str, wanted: &Value| kind.get(name) == Some(wanted);
        is("x402Version", &2.into()) && is("scheme", &"exact".into()) && is("network", &chain.caip2.into())
    })
}

fn reason(answer: &Value, field: &str) -> String {
    answer.get(field).and_then(Value::as_str).unwrap_or("unknown").chars().take(REASON_CHARS).collect()
}

/// Characters of a facilitator's reason that are kept and shown.
const REASON_CHARS: usize = 200;

/// The class of an answer to `/settle`.
fn settlement(answer: &Value, is_first: bool) -> Settlement {
    let named = answer.get("transaction").and_then(Value::as_str).unwrap_or_default();
    let transaction = Some(named).filter(|text| is_hash(text)).map(str::to_owned);
    let said = reason(answer, "errorReason");
    match (answer.get("success").and_then(Value::as_bool), transaction) {
        (Some(true), Some(transaction)) => Settlement::Settled(transaction),
        (Some(false), Some(transaction)) if said == PENDING => Settlement::Pending(transaction),
        (Some(false), Some(_)) if said == REVERTED => Settlement::Reverted(said),
        (Some(false), None) if is_first && named.is_empty() && REFUSED.contains(&said.as_str()) => {
            Settlement::Refused(said)
        }
        (_, transaction) => Settlement::Unknown { reason: said, transaction },
    }
}

/// Whether a refusal is one of those that a payment which was never sent gets.
pub(super) fn is_refusal(reason: &str) -> bool {
    REFUSED.contains(&reason)
}

fn is_hash(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_sorted_by_what_is_to_be_done() {
        let hash = format!("0x{}", "a".repeat(64));
        let said = |success: bool, reason: &str, transaction: &str| json!({"success": success, "errorReason": reason, "transaction": transaction, "network": "eip155:84532"});
        let unknown = |reason: &str, transaction: Option<&String>| Settlement::Unknown {
            reason: reason.to_owned(),
            transaction: transaction.cloned(),
        };
        for (answer, is_first, wanted) in [
            (json!({"success": true, "transaction": hash}), true, Settlement::Settled(hash.clone())),
            (json!({"success": true, "transaction": ""}), true, unknown("unknown", None)),
            (said(false, PENDING, &hash), true, Settlement::Pending(hash.clone())),
            (said(false, PENDING, ""), true, unknown(PENDING, None)),
            (said(false, REVERTED, &hash), true, Settlement::Reverted(REVERTED.to_owned())),
            (said(false, REVERTED, ""), true, unknown(REVERTED, None)),
            (said(false, "insufficient_funds", ""), true, Settlement::Refused("insufficient_funds".to_owned())),
            (said(false, "insufficient_funds", ""), false, unknown("insufficient_funds", None)),
            (said(false, "insufficient_funds", &hash), true, unknown("insufficient_funds", Some(&hash))),
            (said(false, "something broke", ""), true, unknown("something broke", None)),
            (
                said(false, "invalid_exact_evm_nonce_already_used", ""),
                true,
                unknown("invalid_exact_evm_nonce_already_used", None),
            ),
            (json!({}), true, unknown("unknown", None)),
        ] {
            assert_eq!(settlement(&answer, is_first), wanted, "{answer}");
        }
    }

    #[test]
    fn a_facilitator_is_fit_for_the_networks_it_lists() {
        let chain = Chain::of(crate::config::PaymentNetwork::BaseSepolia);
        let kinds = |version: u32, network: &str| json!({"kinds": [{"x402Version": version, "scheme": "exact", "network": network, "extra": {}}]});
        assert!(supports(&kinds(2, "eip155:84532"), chain));
        assert!(!supports(&kinds(1, "eip155:84532"), chain));
        assert!(!supports(&kinds(2, "eip155:8453"), chain));
        assert!(!supports(&json!({}), chain));
    }
}
