//! The facilitator, which verifies payments and sends them to the chain: its endpoints `/verify`, `/settle` and `/supported`
//! (x402 specification, version 2), and whether it is up.

mod settlement;

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use fetch::{Fetcher, ServiceBody, ServiceQuestion};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;
use url::Url;

use super::chain::Chain;
use crate::config::SecretText;

pub use settlement::is_transaction;
pub(crate) use settlement::{PENDING, REVERTED, Settlement};
use settlement::{reason, settlement};

/// Retry interval of a facilitator that refused us.
const RETRY: Duration = Duration::from_secs(super::FACILITATOR_RETRY as u64);
/// For an answer to `/verify` and `/supported`.
const VERIFY_WITHIN: Duration = Duration::from_secs(10);
/// For an answer to `/settle`: it waits for the chain.
pub(crate) const SETTLE_WITHIN: Duration = Duration::from_secs(60);
/// Bytes of an answer.
const ANSWER_BYTES: usize = 64 * 1024;

/// Words of [`fetch::NoAnswer`] for a connection that brought no answer, or took too long. What one payment asks for may do
/// that: the verdict on a smart wallet's signature is the wallet's own code.
const OF_ONE_CALL: [&str; 2] = ["protocol", "time"];

/// A facilitator and its health.
#[derive(Debug)]
pub struct Facilitator {
    url: Url,
    authorization: Option<SecretText>,
    known: Mutex<FacilitatorHealth>,
    /// Wakes the health check when a call casts doubt on the facilitator.
    doubted: Notify,
}

/// The health of a facilitator.
#[derive(Debug, Clone, Copy)]
struct FacilitatorHealth {
    standing: FacilitatorState,
    /// Health checks that found it up. The failure of a call that began before the last of them is out of date.
    good_checks: u64,
    /// When it last refused our credential (401, 403), unless it has accepted it since. Health checks don't tell: they need
    /// no credential.
    refused_us_at: Option<Instant>,
}

/// The result of the last health check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FacilitatorState {
    /// There was none yet.
    Unasked,
    /// It answers, and takes payments on our network.
    Up,
    /// It answers, but not for our network.
    Unfit,
    /// It does not respond.
    Down,
}

/// The response of `/verify`.
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
struct FacilitatorAnswer {
    status: u16,
    json: Value,
}

impl FacilitatorAnswer {
    /// Whether it refuses this request alone, so that it tells nothing of others.
    fn is_client_error(&self) -> bool {
        (400..500).contains(&self.status)
    }
}

impl Facilitator {
    /// The facilitator at an address.
    pub fn new(url: Url, authorization: Option<SecretText>) -> Self {
        let known = FacilitatorHealth { standing: FacilitatorState::Unasked, good_checks: 0, refused_us_at: None };
        Self { url, authorization, known: Mutex::new(known), doubted: Notify::new() }
    }

    /// Its address.
    pub fn url(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }

    /// Its health.
    pub fn standing(&self) -> FacilitatorState {
        let known = self.known();
        if known.refused_us_at.is_some() { FacilitatorState::Down } else { known.standing }
    }

    /// Whether a payment may be brought to it: not while it is known to be down, but for one try now and then where only a
    /// call can tell.
    pub(crate) fn takes_payments(&self) -> bool {
        let known = self.known();
        let rests = known.refused_us_at.is_some_and(|at| at.elapsed() < RETRY);
        !rests && !matches!(known.standing, FacilitatorState::Down | FacilitatorState::Unfit)
    }

    /// Health check: whether it supports our network.
    pub async fn check(&self, fetcher: &Fetcher, chain: &Chain) -> FacilitatorState {
        let standing = match self.ask(fetcher, "supported", None, VERIFY_WITHIN).await {
            Ok(FacilitatorAnswer { status: 200..300, json }) if supports(&json, chain) => FacilitatorState::Up,
            Ok(FacilitatorAnswer { status: 200..300, json: Value::Object(_) }) => {
                if self.known().standing != FacilitatorState::Unfit {
                    tracing::error!(
                        facilitator = self.url(),
                        network = chain.caip2,
                        "the facilitator does not accept payments on this network"
                    );
                }
                FacilitatorState::Unfit
            }
            // Rate limited: that says nothing of payments.
            Ok(FacilitatorAnswer { status: 429, .. }) => self.known().standing,
            Ok(FacilitatorAnswer { status, .. }) => {
                tracing::warn!(status, "the facilitator does not list what it supports");
                FacilitatorState::Down
            }
            Err(_) => FacilitatorState::Down,
        };
        self.change(|known| {
            known.standing = standing;
            known.good_checks += u64::from(standing == FacilitatorState::Up);
        });
        standing
    }

    /// Waits until a call gives reason for a [health check](Self::check), or did since the last wait.
    pub(crate) async fn doubted(&self) {
        self.doubted.notified().await;
    }

    /// Whether a payment would settle now. Reserves nothing.
    pub async fn verify(&self, fetcher: &Fetcher, payload: &Value, requirements: &Value) -> Verified {
        let answer = self.ask_of("verify", "isValid", fetcher, question(payload, requirements), VERIFY_WITHIN).await;
        let json = answer.unwrap_or_default();
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

    /// A request about a payment, whose response updates the health. `verdict`: the field that every response has.
    ///
    /// The facilitator is down where it can't be reached at all. A single response that fails to come may be that payment's
    /// doing, and is a reason for a health check.
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
            // That is about our credential: no payment can cause it.
            Ok(FacilitatorAnswer { status: 401 | 403, .. }) => {
                tracing::error!(
                    facilitator = self.url(),
                    "the facilitator rejects our credentials; check payments.facilitator_auth"
                );
                self.change(|known| known.refused_us_at = Some(Instant::now()));
            }
            Ok(answer) if answer.is_client_error() => {}
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

    /// A response in JSON, whatever its status: a pending settlement comes as 500, 202 or 200.
    async fn ask(
        &self,
        fetcher: &Fetcher,
        what: &str,
        json: Option<String>,
        within: Duration,
    ) -> Result<FacilitatorAnswer, &'static str> {
        let url = Url::parse(&format!("{}/{what}", self.url())).map_err(|_| "address")?;
        let authorization = self.authorization.as_ref().map(SecretText::expose);
        let body = json.map(ServiceBody::Json);
        let question = ServiceQuestion { url: &url, body, authorization, answer_bytes: ANSWER_BYTES };
        let answer = fetcher.ask_service(question, Instant::now() + within).await.map_err(|error| {
            tracing::warn!(%error, what, "the facilitator is not responding");
            error.0
        })?;
        let json = match serde_json::from_slice(&answer.body) {
            Ok(json @ Value::Object(_)) => json,
            _ => {
                tracing::warn!(status = answer.status, what, "the facilitator's answer can't be read");
                Value::Null
            }
        };
        Ok(FacilitatorAnswer { status: answer.status, json })
    }

    /// It responds. Whether it supports our network is what only a health check can tell.
    fn note_answer(&self) {
        self.change(|known| {
            known.refused_us_at = None;
            match known.standing {
                FacilitatorState::Unfit => self.doubted.notify_one(),
                _ => known.standing = FacilitatorState::Up,
            }
        });
    }

    /// A call that began after so many successful health checks could not reach it.
    fn note_unreachable(&self, checks_before: u64) {
        self.change(|known| {
            if known.good_checks == checks_before {
                known.standing = FacilitatorState::Down;
            }
        });
    }

    fn known(&self) -> FacilitatorHealth {
        *self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut FacilitatorHealth)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_call_that_began_before_a_good_check_says_nothing_against_it() {
        let facilitator = Facilitator::new("http://127.0.0.1:1/".parse().unwrap(), None);
        facilitator
            .change(|known| *known = FacilitatorHealth { standing: FacilitatorState::Up, good_checks: 1, ..*known });
        facilitator.note_unreachable(0);
        assert_eq!(facilitator.standing(), FacilitatorState::Up);
        facilitator.note_unreachable(1);
        assert_eq!(facilitator.standing(), FacilitatorState::Down);
        // Who refuses us is down until it takes a call of ours, whatever it says when it is asked.
        facilitator.note_answer();
        assert!(facilitator.takes_payments());
        facilitator.change(|known| known.refused_us_at = Some(Instant::now()));
        assert!(!facilitator.takes_payments());
        assert_eq!(facilitator.standing(), FacilitatorState::Down);
        tokio::time::advance(RETRY).await;
        assert!(facilitator.takes_payments());
        assert_eq!(facilitator.standing(), FacilitatorState::Down);
        facilitator.note_answer();
        assert_eq!(facilitator.standing(), FacilitatorState::Up);
        facilitator.note_unreachable(1);
        // An answer says that it is there, but not that it takes our network.
        facilitator.note_answer();
        assert_eq!(facilitator.standing(), FacilitatorState::Up);
        facilitator.change(|known| known.standing = FacilitatorState::Unfit);
        facilitator.note_answer();
        assert_eq!(facilitator.standing(), FacilitatorState::Unfit);
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
