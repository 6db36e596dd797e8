//! Paying a call with x402 (`specs/x402.md` §6): claimed, verified, worked, then settled; the caller never sees a result
//! whose charge is not final.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use model::lang::{Text, text};
use model::money::Micros;
use model::time::Timestamp;
use serde_json::{Map, Value, json};
use store::{Claim, Lease, NewPayment, PaymentState, Purchase, Unsettled};

use super::facilitator::Verified;
use super::payload::{Asked, Payment};
use super::settling::{self, Charge, Due, LAPSE_MS, SETTLE_LEASE_MS};
use super::{Payments, Priced, kept};
use crate::app::App;
use crate::error::{ApiError, Code};
use crate::operation::{Cx, Operation, Reply};

/// For the work that is paid: the longest wait for a place, the longest audit, and a margin.
pub(crate) const WORK_TIME: Duration = Duration::from_secs(30);
/// Seconds of an authorization's life that verifying takes before the work.
const VERIFY_SECONDS: u64 = 10;
/// Seconds after which a caller asks again about an unclear payment.
const ASK_AGAIN: u32 = 5;
/// A claim lasts for verifying, the work, and keeping its result, in milliseconds.
const CLAIM_LEASE_MS: i64 = 60_000;

/// A payment that was judged, and what it pays.
#[derive(Debug)]
pub(crate) struct Judged {
    payment: Payment,
    requirements: Value,
    payload: Value,
}

impl Judged {
    /// Version in which the caller speaks.
    pub(super) fn version(&self) -> i64 {
        self.payment.version.into()
    }

    /// Who pays.
    pub(super) fn payer(&self) -> &str {
        &self.payment.authorization.from
    }

    /// It, as it is to be settled.
    pub(super) fn due(&self, app: &App, lease: Lease, amount: Micros) -> Due {
        Due {
            lease,
            payload: self.payload.clone(),
            requirements: self.requirements.clone(),
            key: self.payment.key(app.payments().chain),
            amount,
            claimed_at: app.ports().now(),
            valid_before: None,
            transaction: None,
        }
    }
}

/// What an earlier call with the same payment came to, if there was one that may not be tried again.
pub(crate) async fn earlier(
    cx: &Cx,
    priced: &Priced,
    request_hash: &[u8; 32],
) -> Result<Option<Result<Reply, ApiError>>, ApiError> {
    match known(cx).await? {
        Some(known) => Ok(Some(replay(cx, priced, request_hash, known).await)),
        None => Ok(None),
    }
}

/// The payment that came along, if it came before and may not be tried again.
pub(super) async fn known(cx: &Cx) -> Result<Option<store::Payment>, ApiError> {
    let Some(Ok(payment)) = &cx.brought.payment else { return Ok(None) };
    let (app, now) = (&cx.app, cx.app.ports().now());
    let key = payment.key(app.payments().chain);
    let known = app.database().ask(|store| store.payment(&key)).await?;
    Ok(known.filter(|known| !is_free_again(known, now)))
}

/// Whether nothing was broadcast of a payment, and nobody works on it.
fn is_free_again(payment: &store::Payment, now: Timestamp) -> bool {
    match payment.state {
        PaymentState::Released => true,
        PaymentState::Claimed | PaymentState::Working => payment.leased_until <= now,
        _ => false,
    }
}

/// Answers a payment that came before.
pub(crate) async fn replay(
    cx: &Cx,
    priced: &Priced,
    request_hash: &[u8; 32],
    known: store::Payment,
) -> Result<Reply, ApiError> {
    let app = &cx.app;
    // The header is public once settled: it proves nothing about who asks, so the request must be the same too.
    if !is_same_request(cx, priced, request_hash, &known) {
        return Err(of_another_request(app, priced, known));
    }
    let charge = outcome(app, priced, &known).await?;
    let receipt = charged(app, priced, known.wire_version, &known.key.payer, charge)?;
    let kept = known.answer.ok_or_else(|| app.payments().offered(priced, ApiError::new(Code::PaymentUsed)))?;
    let mut reply = kept::unpack(kept)?;
    reply.headers.extend(receipt);
    Ok(reply)
}

/// Whether a payment came before with this request: the same call, of the same caller or of the guest that they claimed since.
pub(super) fn is_same_request(cx: &Cx, priced: &Priced, request_hash: &[u8; 32], known: &store::Payment) -> bool {
    let owner = cx.caller.owner().map(|owner| owner.to_string());
    let is_owners = owner.is_some() && owner == known.owner;
    known.request_hash == *request_hash
        || (is_owners && known.call_digest == priced.call_digest && known.amount == priced.price)
}

/// What is said of a payment that came before with another request.
pub(super) fn of_another_request(app: &App, priced: &Priced, known: store::Payment) -> ApiError {
    if known.call_digest == priced.call_digest && PaymentState::UNFINISHED.contains(&known.state) {
        // Its price or its owner changed meanwhile, and it may land still.
        return on_its_way(known.state, known.transaction);
    }
    app.payments().offered(priced, ApiError::new(Code::PaymentUsed))
}

/// Refuses a call of which an earlier payment may still land: who was asked for another one would pay twice. Callers without
/// a credential can't be told apart, so they are not asked about.
pub(crate) async fn none_on_its_way(cx: &Cx, priced: &Priced) -> Result<(), ApiError> {
    let Some(owner) = cx.caller.owner().map(|owner| owner.to_string()) else { return Ok(()) };
    let now = cx.app.ports().now();
    let over = now.plus_ms(-LAPSE_MS);
    let database = cx.app.database();
    match database.ask(|store| store.payment_on_its_way(&owner, &priced.call_digest, now, over)).await? {
        Some(earlier) => Err(on_its_way(earlier.state, earlier.transaction)),
        None => Ok(()),
    }
}

/// What is said while an earlier payment of a call may still land; it offers nothing to pay.
fn on_its_way(state: PaymentState, transaction: Option<String>) -> ApiError {
    const EARLIER: Text = text(
        "an earlier payment of this call may still settle; repeat the call with that payment, or ask again later",
        "um pagamento anterior desta chamada ainda pode ser liquidado; repita a chamada com esse pagamento ou pergunte de novo depois",
    );
    let error = match state {
        PaymentState::Claimed | PaymentState::Working => ApiError::new(Code::PaymentInProgress).retry_after(2),
        _ => ApiError::new(Code::SettlementPending).retry_after(ASK_AGAIN),
    };
    transaction
        .into_iter()
        .fold(error, |error, transaction| error.with("transaction", transaction.into()))
        .explained(EARLIER.into())
}

/// What became of a payment that came before; one that nobody is at is settled now.
pub(super) async fn outcome(app: &App, priced: &Priced, known: &store::Payment) -> Result<Charge, ApiError> {
    match known.state {
        PaymentState::Claimed | PaymentState::Working | PaymentState::Released => Ok(Charge::Elsewhere),
        PaymentState::Worked | PaymentState::Settling | PaymentState::Unclear => {
            let now = app.ports().now();
            let until = now.plus_ms(SETTLE_LEASE_MS);
            match app.database().ask(|store| store.take_payment(&known.lease.id, now, until)).await? {
                Some(taken) => {
                    let settled = app.clone();
                    app.payments().ongoing().off_the_call(async move { settling::settle(&settled, &taken).await }).await
                }
                None if known.state == PaymentState::Unclear => Ok(Charge::Unclear(known.transaction.clone())),
                None => Ok(Charge::Elsewhere),
            }
        }
        PaymentState::Settled => Ok(Charge::Settled(known.transaction.clone().unwrap_or_default())),
        PaymentState::Refused | PaymentState::Lapsed => {
            Err(app.payments().refused(priced, known.reason.as_deref().unwrap_or("expired")))
        }
    }
}

/// The receipt of a charge that is final, or the refusal that fits the others.
pub(super) fn charged(
    app: &App,
    priced: &Priced,
    version: i64,
    payer: &str,
    charge: Charge,
) -> Result<Option<(HeaderName, HeaderValue)>, ApiError> {
    let payments = app.payments();
    match charge {
        Charge::Settled(transaction) => Ok(receipt(payments, version, Ok(&transaction), payer)),
        Charge::Refused(reason) => {
            let error = payments.refused(priced, &reason).with("charged", false.into());
            let receipt = receipt(payments, version, Err(&reason), payer);
            Err(receipt.into_iter().fold(error, |error, (name, value)| error.header(name, value)))
        }
        Charge::Unclear(transaction) => {
            let error = ApiError::new(Code::SettlementPending).retry_after(ASK_AGAIN);
            Err(match transaction {
                Some(transaction) => error.with("transaction", transaction.into()),
                None => error,
            })
        }
        Charge::Elsewhere => Err(ApiError::new(Code::PaymentInProgress).retry_after(2)),
    }
}

/// Judges the payment that came along without asking anybody; `None` when none came.
pub(crate) fn judge(cx: &Cx, priced: &Priced, work: Duration) -> Result<Option<Judged>, ApiError> {
    let payments = cx.app.payments();
    let payment = match &cx.brought.payment {
        None => return Ok(None),
        Some(Err(reason)) => return Err(payments.refused(priced, reason)),
        Some(Ok(payment)) => payment,
    };
    let requirements = payments.requirements(priced.price);
    let asked = Asked {
        chain: payments.chain,
        pay_to: payments.pay_to().unwrap_or_default(),
        price: priced.price,
        requirements: &requirements,
        now: u64::try_from(cx.app.ports().now().seconds()).unwrap_or_default(),
        work: VERIFY_SECONDS + work.as_secs(),
    };
    payment.judge(&asked).map_err(|reason| payments.refused(priced, reason))?;
    let payload = payment.for_facilitator(&priced.resource, &requirements);
    Ok(Some(Judged { payment: payment.clone(), requirements, payload }))
}

/// Spends one of the payments that a network may bring in an hour, besides those for audits, which the hour of audits
/// counts: each makes us ask the facilitator and keep a row. [`Code::RateLimited`] past them.
pub(crate) async fn admit(cx: &Cx) -> Result<(), ApiError> {
    let (app, per_hour) = (&cx.app, cx.app.config().limits.audits_per_hour);
    app.allowance().spend_hourly_widely(app.database(), app.ports(), cx.caller.network, "payments", per_hour).await
}

/// Claims a judged payment before anything is done for it.
pub(crate) async fn claim(
    cx: &Cx,
    priced: &Priced,
    judged: &Judged,
    request_hash: [u8; 32],
    purchase: Option<Purchase>,
) -> Result<Claim, ApiError> {
    let app = &cx.app;
    app.payments().can_settle()?;
    let now = app.ports().now();
    let new = NewPayment {
        id: app.ports().id(),
        key: judged.payment.key(app.payments().chain),
        request_hash,
        call_digest: priced.call_digest,
        operation: priced.operation,
        amount: priced.price,
        payload: judged.payload.to_string(),
        requirements: judged.requirements.to_string(),
        wire_version: judged.payment.version,
        owner: cx.caller.owner().map(|owner| owner.to_string()),
        purchase,
        key_digest: cx.brought.key_digest,
        valid_before: Timestamp(i64::try_from(judged.payment.valid_before()).unwrap_or(i64::MAX).saturating_mul(1000)),
        leased_until: now.plus_ms(CLAIM_LEASE_MS),
        now,
    };
    Ok(app.database().ask(|store| store.claim_payment(new)).await?)
}

/// Does a call whose payment is claimed and settles it, in a task of its own: a caller that hangs up changes nothing.
pub(crate) async fn run(
    mut cx: Cx,
    operation: &Operation,
    input: Map<String, Value>,
    priced: Priced,
    judged: Judged,
    lease: Lease,
) -> Result<Reply, ApiError> {
    cx.withheld = Some(Arc::from(lease.id.as_str()));
    let (app, operation) = (cx.app.clone(), operation.clone());
    let paid = async move { paid(cx, &operation, input, &priced, &judged, lease).await };
    app.payments().ongoing().off_the_call(paid).await?
}

/// From a claim to its end.
async fn paid(
    cx: Cx,
    operation: &Operation,
    input: Map<String, Value>,
    priced: &Priced,
    judged: &Judged,
    lease: Lease,
) -> Result<Reply, ApiError> {
    let (app, lang) = (cx.app.clone(), cx.lang);
    verify(&app, priced, judged, &lease).await?;
    let now = app.ports().now();
    let began = app.database().ask(|store| store.begin_paid_work(&lease, now.plus_ms(CLAIM_LEASE_MS), now)).await;
    if !matches!(began, Ok(true)) {
        release(&app, &lease).await;
        return Err(ApiError::new(Code::DatabaseUnavailable).retry_after(5).with("charged", false.into()));
    }
    let done = tokio::time::timeout(WORK_TIME, operation.run(cx, input)).await;
    let done = done.unwrap_or_else(|_| Err(ApiError::new(Code::Overloaded).retry_after(5)));
    let mut reply = match done {
        Ok(reply) => reply,
        Err(error) => {
            release(&app, &lease).await;
            return Err(error.with("charged", false.into()));
        }
    };
    let answer = match kept::pack(&reply, lang) {
        Ok(answer) => answer,
        Err(error) => {
            release(&app, &lease).await;
            return Err(error.with("charged", false.into()));
        }
    };
    let now = app.ports().now();
    if !app.database().ask(|store| store.end_paid_work(&lease, &answer, now)).await? {
        return Err(ApiError::new(Code::Overloaded).retry_after(5));
    }
    let charge = settling::charge(&app, judged.due(&app, lease, priced.price)).await;
    let receipt = charged(&app, priced, judged.version(), judged.payer(), charge)?;
    reply.headers.extend(receipt);
    Ok(reply)
}

/// Asks the facilitator about a claimed payment.
pub(crate) async fn verify(app: &App, priced: &Priced, judged: &Judged, lease: &Lease) -> Result<(), ApiError> {
    let payments = app.payments();
    let facilitator = match payments.can_settle() {
        Ok(facilitator) => facilitator,
        Err(down) => {
            // It went down since the claim.
            release(app, lease).await;
            return Err(down);
        }
    };
    match facilitator.verify(app.engine().fetcher(), &judged.payload, &judged.requirements).await {
        Verified::Valid => Ok(()),
        Verified::Invalid(reason) => {
            leave(app, lease, Unsettled::Refused(reason.clone())).await;
            Err(payments.refused(priced, &reason).with("charged", false.into()))
        }
        Verified::Unanswered => {
            release(app, lease).await;
            Err(ApiError::new(Code::FacilitatorUnavailable).retry_after(super::FACILITATOR_RETRY))
        }
    }
}

async fn release(app: &App, lease: &Lease) {
    leave(app, lease, Unsettled::Released).await;
}

/// Ends a payment of which nothing was broadcast. Where it can't be noted, its lease ends by itself.
pub(crate) async fn leave(app: &App, lease: &Lease, how: Unsettled) {
    let now = app.ports().now();
    let noted =
        app.database().insist(|store| async move { store.leave_payment(lease, how, now).await.map(drop) }).await;
    if noted.is_err() {
        tracing::warn!(payment.id = %lease.id, "the end of a payment could not be noted; its lease will end");
    }
}

/// The header that says what became of a payment, in the version of its caller: the transaction, or why there is none.
fn receipt(
    payments: &Payments,
    version: i64,
    charged: Result<&str, &str>,
    payer: &str,
) -> Option<(HeaderName, HeaderValue)> {
    let (name, network) = if version == 1 {
        ("x-payment-response", payments.chain.name)
    } else {
        ("payment-response", payments.chain.caip2)
    };
    let receipt = match charged {
        Ok(transaction) => {
            json!({"success": true, "transaction": transaction, "network": network, "payer": payer})
        }
        Err(reason) => json!({
            "success": false, "errorReason": reason, "transaction": "", "network": network, "payer": payer,
        }),
    };
    let value = STANDARD.encode(receipt.to_string());
    Some((HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?))
}
