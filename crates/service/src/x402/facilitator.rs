//! The facilitator: who verifies payments and sends them to the chain for us (`specs/x402.md` §4).

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fetch::{Fetcher, ServiceQuestion};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use super::chain::Chain;
use crate::config::Secret;

/// How long a facilitator that refused us is left alone.
const RETRY: Duration = Duration::from_secs(super::FACILITATOR_RETRY as u64);
/// For an answer to `/verify` and `/supported`.
const VERIFY_WITHIN: Duration = Duration::from_secs(10);
/// For an answer to `/settle`: it waits for the chain.
pub(crate) const SETTLE_WITHIN: Duration = Duration::from_secs(60);
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
/// How the reasons of the specifications begin that find fault with a payment.
const FAULTS: [&str; 3] = ["insufficient_", "invalid_", "unsupported_"];
/// What such a reason has in it where the payment, or another broadcast of it, may have been on its way all the same: it was
/// used already, or a transaction (or the trial of one) failed.
const MAYBE_SENT: [&str; 3] = ["already_used", "transaction", "transfer_event"];
/// The transaction was on the chain, and reverted.
pub(crate) const REVERTED: &str = "invalid_exact_evm_transaction_failed";
/// The transaction was sent, and is not on the chain yet.
pub(crate) const PENDING: &str = "settlement_pending";
/// Words of [`fetch::NoAnswer`] for a connection that brought no answer, or took too long. What one payment asks for may do
/// that: the verdict on a smart wallet's signature is the wallet's own code.
const OF_ONE_CALL: [&str; 2] = ["protocol", "time"];

/// A facilitator, and how it was when it was last asked.
#[derive(Debug)]
pub struct Facilitator {
    url: Url,
    authorization: Option<Secret>,
    known: Mutex<Known>,
    /// Told when a call gives reason to ask how it is.
    doubted: Notify,
}

/// What is known of a facilitator.
#[derive(Debug, Clone, Copy)]
struct Known {
    standing: Standing,
    /// How often it was found up when it was asked how it is. A call that began before the last time tells nothing new.
    good_checks: u64,
    /// When it last refused a call of ours for who we are, unless it has taken one since. How it is when it is asked says
    /// nothing of that: anybody may ask.
    refused_us_at: Option<Instant>,
}

/// How the facilitator was when it was last asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
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
pub enum Verified {
    /// It would settle now.
    Valid,
    /// It would not, for this reason.
    Invalid(String),
    /// No answer, or none that can be read.
    Unanswered,
}

/// An answer; null where it is no object in JSON.
struct Answer {
    status: u16,
    json: Value,
}

impl Answer {
    /// Whether it finds fault with the question, so that it tells nothing of others.
    fn is_of_question(&self) -> bool {
        (400..500).contains(&self.status)
    }
}

/// What `/settle` said, by what is to be done.
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
        /// What was said, or why nothing was.
        reason: String,
        /// The transaction, where one was named.
        transaction: Option<String>,
    },
}

impl Facilitator {
    /// The facilitator at an address.
    pub fn new(url: Url, authorization: Option<Secret>) -> Self {
        let known = Known { standing: Standing::Unasked, good_checks: 0, refused_us_at: None };
        Self { url, authorization, known: Mutex::new(known), doubted: Notify::new() }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }

    /// How it was when it was last asked.
    pub fn standing(&self) -> Standing {
        let known = self.known();
        if known.refused_us_at.is_some() { Standing::Down } else { known.standing }
    }

    /// Whether a payment may be brought to it: not while it is known to be down, but for one try now and then where only a
    /// call can tell.
    pub(crate) fn takes_payments(&self) -> bool {
        let known = self.known();
        let rests = known.refused_us_at.is_some_and(|at| at.elapsed() < RETRY);
        !rests && !matches!(known.standing, Standing::Down | Standing::Unfit)
    }

    /// Asks whether it takes payments on our network.
    pub async fn check(&self, fetcher: &Fetcher, chain: &Chain) -> Standing {
        let standing = match self.ask(fetcher, "supported", None, VERIFY_WITHIN).await {
            Ok(Answer { status: 200..300, json }) if supports(&json, chain) => Standing::Up,
            Ok(Answer { status: 200..300, json: Value::Object(_) }) => {
                if self.known().standing != Standing::Unfit {
                    tracing::error!(
                        facilitator = self.url(),
                        network = chain.caip2,
                        "the facilitator does not take payments on this network"
                    );
                }
                Standing::Unfit
            }
            // Too many questions: that says nothing of payments.
            Ok(Answer { status: 429, .. }) => self.known().standing,
            Ok(Answer { status, .. }) => {
                tracing::warn!(status, "the facilitator does not say what it supports");
                Standing::Down
            }
            Err(_) => Standing::Down,
        };
        self.change(|known| {
            known.standing = standing;
            known.good_checks += u64::from(standing == Standing::Up);
        });
        standing
    }

    /// Waits until a call gives reason to [check](Self::check), or did since the last wait.
    pub(crate) async fn doubted(&self) {
        self.doubted.notified().await;
    }

    /// Whether a payment would settle now. Reserves nothing.
    pub async fn verify(&self, fetcher: &Fetcher, payload: &Value, requirements: &Value) -> Verified {
        let asked = self.ask_of("verify", "isValid", fetcher, question(payload, requirements), VERIFY_WITHIN).await;
        let json = asked.unwrap_or_default();
        match json.get("isValid").and_then(Value::as_bool) {
            Some(true) => Verified::Valid,
            Some(false) => Verified::Invalid(reason(&json, "invalidReason")),
            None => Verified::Unanswered,
        }
    }

    /// Sends a payment to the chain. `is_first`: it was never sent before, so that a refusal means that nothing moved.
    pub async fn settle(&self, fetcher: &Fetcher, payload: &Value, requirements: &Value, is_first: bool) -> Settlement {
        match self.ask_of("settle", "success", fetcher, question(payload, requirements), SETTLE_WITHIN).await {
            Ok(json) => settlement(&json, is_first),
            Err(why) => Settlement::Unknown { reason: why.to_owned(), transaction: None },
        }
    }

    /// Asks about a payment, and notes what that tells of the facilitator. `verdict`: the field that every answer has.
    ///
    /// It is down where it can't be reached at all. A single answer that fails to come may be that payment's doing, and is
    /// a reason to ask how it is.
    async fn ask_of(
        &self,
        what: &str,
        verdict: &str,
        fetcher: &Fetcher,
        json: String,
        within: Duration,
    ) -> Result<Value, &'static str> {
        let checks_before = self.known().good_checks;
        let answer = self.ask(fetcher, what, Some(json), within).await;
        match &answer {
            Ok(answer) if answer.json.get(verdict).is_some_and(Value::is_boolean) => self.note_answer(),
            // No payment can bring that about.
            Ok(Answer { status: 401 | 403, .. }) => {
                tracing::error!(facilitator = self.url(), "the facilitator refuses us; see payments.facilitator_auth");
                self.change(|known| known.refused_us_at = Some(Instant::now()));
            }
            Ok(answer) if answer.is_of_question() => {}
            Ok(_) => self.doubted.notify_one(),
            Err(why) => {
                if !OF_ONE_CALL.contains(why) {
                    self.note_unreachable(checks_before);
                }
                self.doubted.notify_one();
            }
        }
        answer.map(|answer| answer.json)
    }

    /// An answer in JSON, whatever its status: a pending settlement comes as 500, 202 or 200.
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
            error.0
        })?;
        let json = match serde_json::from_slice(&answer.body) {
            Ok(json @ Value::Object(_)) => json,
            _ => {
                tracing::warn!(status = answer.status, what, "the facilitator's answer can't be read");
                Value::Null
            }
        };
        Ok(Answer { status: answer.status, json })
    }

    /// It answers. Whether it takes our network is what only a check can tell.
    fn note_answer(&self) {
        self.change(|known| {
            known.refused_us_at = None;
            match known.standing {
                Standing::Unfit => self.doubted.notify_one(),
                _ => known.standing = Standing::Up,
            }
        });
    }

    /// A call that began after so many good checks could not reach it.
    fn note_unreachable(&self, checks_before: u64) {
        self.change(|known| {
            if known.good_checks == checks_before {
                known.standing = Standing::Down;
            }
        });
    }

    fn known(&self) -> Known {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner));
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
    let said = answer.get(field).and_then(Value::as_str).unwrap_or("unknown");
    // PostgreSQL keeps no NUL, and a terminal obeys some of the others.
    said.chars().filter(|char| !char.is_control()).take(REASON_CHARS).collect()
}

/// Characters of a facilitator's reason that are kept and shown.
const REASON_CHARS: usize = 200;

/// The class of an answer to `/settle`.
fn settlement(answer: &Value, is_first: bool) -> Settlement {
    let named = answer.get("transaction").and_then(Value::as_str).unwrap_or_default();
    let transaction = Some(named).filter(|text| is_transaction(text)).map(str::to_owned);
    let said = reason(answer, "errorReason");
    match (answer.get("success").and_then(Value::as_bool), transaction) {
        (Some(true), Some(transaction)) => Settlement::Settled(transaction),
        (Some(false), Some(transaction)) if said == PENDING => Settlement::Pending(transaction),
        (Some(false), Some(transaction)) if said == REVERTED => Settlement::Reverted(transaction),
        (Some(false), None) if named.is_empty() && is_first && REFUSED.contains(&said.as_str()) => {
            Settlement::Refused(said)
        }
        (Some(false), None) if named.is_empty() && is_fault(&said) => Settlement::Declined(said),
        (_, transaction) => Settlement::Unknown { reason: said, transaction },
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
            (said(false, REVERTED, &hash), true, Settlement::Reverted(hash.clone())),
            (said(false, REVERTED, ""), true, unknown(REVERTED, None)),
            (said(false, "insufficient_funds", ""), true, Settlement::Refused("insufficient_funds".to_owned())),
            (said(false, "insufficient_funds", ""), false, Settlement::Declined("insufficient_funds".to_owned())),
            (said(false, "insufficient_funds", "soon"), false, unknown("insufficient_funds", None)),
            // One of the day after tomorrow.
            (said(false, "invalid_new", ""), true, Settlement::Declined("invalid_new".to_owned())),
            (said(false, "invalid response", ""), true, unknown("invalid response", None)),
            (said(false, "unexpected_settle_error", ""), true, unknown("unexpected_settle_error", None)),
            (
                said(false, "invalid_exact_evm_transaction_simulation_failed", ""),
                false,
                unknown("invalid_exact_evm_transaction_simulation_failed", None),
            ),
            (said(false, "some\u{0}\u{1b}[2Jthing", ""), true, unknown("some[2Jthing", None)),
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

    #[tokio::test(start_paused = true)]
    async fn a_call_that_began_before_a_good_check_says_nothing_against_it() {
        let facilitator = Facilitator::new("http://127.0.0.1:1/".parse().unwrap(), None);
        facilitator.change(|known| *known = Known { standing: Standing::Up, good_checks: 1, ..*known });
        facilitator.note_unreachable(0);
        assert_eq!(facilitator.standing(), Standing::Up);
        facilitator.note_unreachable(1);
        assert_eq!(facilitator.standing(), Standing::Down);
        // Who refuses us is down until it takes a call of ours, whatever it says when it is asked.
        facilitator.note_answer();
        assert!(facilitator.takes_payments());
        facilitator.change(|known| known.refused_us_at = Some(Instant::now()));
        assert!(!facilitator.takes_payments());
        assert_eq!(facilitator.standing(), Standing::Down);
        tokio::time::advance(RETRY).await;
        assert!(facilitator.takes_payments());
        assert_eq!(facilitator.standing(), Standing::Down);
        facilitator.note_answer();
        assert_eq!(facilitator.standing(), Standing::Up);
        facilitator.note_unreachable(1);
        // An answer says that it is there, but not that it takes our network.
        facilitator.note_answer();
        assert_eq!(facilitator.standing(), Standing::Up);
        facilitator.change(|known| known.standing = Standing::Unfit);
        facilitator.note_answer();
        assert_eq!(facilitator.standing(), Standing::Unfit);
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
