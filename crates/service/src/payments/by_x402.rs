//! Paying a call with x402 (`specs/x402.md` §6): claimed, verified, worked, then settled; the caller never sees a result
//! whose charge is not final.

use std::sync::Arc;
use std::time::Duration;

use model::lang::{Text, text};
use model::money::Micros;
use model::time::Timestamp;
use serde_json::{Value, json};
use store::{Claim, Lease, NewPayment, PaymentState, Purchase, Unsettled};

use super::answer::{self, Paid, Work};
use super::settling::{self, Charge, Due, LAPSE_MS};
use crate::caller::Cx;
use crate::error::{Code, Receipt, ServiceError};
use crate::services::Services;
use crate::x402::{Asked, BroughtPayment, FACILITATOR_RETRY, Payment, Payments, Priced, SETTLE_LEASE_MS, Verified};

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
pub struct Judged {
    payment: Payment,
    requirements: Value,
    payload: Value,
}

impl Judged {
    /// Version in which the caller speaks.
    pub fn version(&self) -> i64 {
        self.payment.version.into()
    }

    /// Who pays.
    pub fn payer(&self) -> &str {
        &self.payment.authorization.from
    }

    /// It, as it is to be settled.
    pub(crate) fn due(&self, app: &Services, lease: Lease, amount: Micros) -> Due {
        Due {
            lease,
            payload: self.payload.clone(),
            requirements: self.requirements.clone(),
            key: self.payment.key(app.payments().chain()),
            amount,
            claimed_at: app.ports().now(),
            valid_before: None,
            transaction: None,
        }
    }
}

/// What an earlier call with the same payment came to, if there was one that may not be tried again.
pub async fn earlier(
    cx: &Cx,
    priced: &Priced,
    request_hash: &[u8; 32],
) -> Result<Option<Result<Paid, ServiceError>>, ServiceError> {
    match known(cx).await? {
        Some(known) => Ok(Some(replay(cx, priced, request_hash, known).await)),
        None => Ok(None),
    }
}

/// The payment that came along, if it came before and may not be tried again.
pub async fn known(cx: &Cx) -> Result<Option<store::Payment>, ServiceError> {
    let Some(BroughtPayment(Ok(payment))) = &cx.brought.payment else { return Ok(None) };
    let (app, now) = (&cx.services, cx.services.ports().now());
    let key = payment.key(app.payments().chain());
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
pub async fn replay(
    cx: &Cx,
    priced: &Priced,
    request_hash: &[u8; 32],
    known: store::Payment,
) -> Result<Paid, ServiceError> {
    let app = &cx.services;
    // The header is public once settled: it proves nothing about who asks, so the request must be the same too.
    if !is_same_request(cx, priced, request_hash, &known) {
        return Err(of_another_request(app, priced, known));
    }
    let charge = outcome(app, priced, &known).await?;
    let receipt = charged(app, priced, known.wire_version, &known.key.payer, charge)?;
    let kept = known.answer.ok_or_else(|| app.payments().offered(priced, ServiceError::new(Code::PaymentUsed)))?;
    Ok(answer::unpack(kept)?.with_receipt(receipt))
}

/// Whether a payment came before with this request: the same call, of the same caller or of the guest that they claimed since.
pub(crate) fn is_same_request(cx: &Cx, priced: &Priced, request_hash: &[u8; 32], known: &store::Payment) -> bool {
    let owner = cx.caller.owner().map(|owner| owner.to_string());
    let is_owners = owner.is_some() && owner == known.owner;
    known.request_hash == *request_hash
        || (is_owners && known.call_digest == priced.call_digest && known.amount == priced.price)
}

/// What is said of a payment that came before with another request.
pub(crate) fn of_another_request(app: &Services, priced: &Priced, known: store::Payment) -> ServiceError {
    if known.call_digest == priced.call_digest && PaymentState::UNFINISHED.contains(&known.state) {
        // Its price or its owner changed meanwhile, and it may land still.
        return on_its_way(known.state, known.transaction);
    }
    app.payments().offered(priced, ServiceError::new(Code::PaymentUsed))
}

/// Refuses a call of which an earlier payment may still land: who was asked for another one would pay twice. Callers without
/// a credential can't be told apart, so they are not asked about.
pub(crate) async fn none_on_its_way(cx: &Cx, priced: &Priced) -> Result<(), ServiceError> {
    let Some(owner) = cx.caller.owner().map(|owner| owner.to_string()) else { return Ok(()) };
    let now = cx.services.ports().now();
    let over = now.plus_ms(-LAPSE_MS);
    let database = cx.services.database();
    match database.ask(|store| store.payment_on_its_way(&owner, &priced.call_digest, now, over)).await? {
        Some(earlier) => Err(on_its_way(earlier.state, earlier.transaction)),
        None => Ok(()),
    }
}

/// What is said while an earlier payment of a call may still land; it offers nothing to pay.
fn on_its_way(state: PaymentState, transaction: Option<String>) -> ServiceError {
    const EARLIER: Text = text(
        "an earlier payment of this call may still settle; repeat the call with that payment, or ask again later",
        "um pagamento anterior desta chamada ainda pode ser liquidado; repita a chamada com esse pagamento ou pergunte de novo depois",
    );
    let error = match state {
        PaymentState::Claimed | PaymentState::Working => ServiceError::new(Code::PaymentInProgress).retry_after(2),
        _ => ServiceError::new(Code::SettlementPending).retry_after(ASK_AGAIN),
    };
    transaction
        .into_iter()
        .fold(error, |error, transaction| error.with("transaction", transaction.into()))
        .explained(EARLIER.into())
}

/// What became of a payment that came before; one that nobody is at is settled now.
pub(super) async fn outcome(app: &Services, priced: &Priced, known: &store::Payment) -> Result<Charge, ServiceError> {
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
    app: &Services,
    priced: &Priced,
    version: i64,
    payer: &str,
    charge: Charge,
) -> Result<Receipt, ServiceError> {
    let payments = app.payments();
    match charge {
        Charge::Settled(transaction) => Ok(receipt(payments, version, Ok(&transaction), payer)),
        Charge::Refused(reason) => {
            let error = payments.refused(priced, &reason).with("charged", false.into());
            Err(error.with_receipt(receipt(payments, version, Err(&reason), payer)))
        }
        Charge::Unclear(transaction) => {
            let error = ServiceError::new(Code::SettlementPending).retry_after(ASK_AGAIN);
            Err(match transaction {
                Some(transaction) => error.with("transaction", transaction.into()),
                None => error,
            })
        }
        Charge::Elsewhere => Err(ServiceError::new(Code::PaymentInProgress).retry_after(2)),
    }
}

/// Judges the payment that came along without asking anybody; `None` when none came.
pub fn judge(cx: &Cx, priced: &Priced, work: Duration) -> Result<Option<Judged>, ServiceError> {
    let payments = cx.services.payments();
    let payment = match &cx.brought.payment {
        None => return Ok(None),
        Some(BroughtPayment(Err(reason))) => return Err(payments.refused(priced, reason)),
        Some(BroughtPayment(Ok(payment))) => payment,
    };
    let requirements = payments.requirements(priced.price);
    let asked = Asked {
        chain: payments.chain(),
        pay_to: payments.pay_to().unwrap_or_default(),
        price: priced.price,
        requirements: &requirements,
        now: u64::try_from(cx.services.ports().now().seconds()).unwrap_or_default(),
        work: VERIFY_SECONDS + work.as_secs(),
    };
    payment.judge(&asked).map_err(|reason| payments.refused(priced, reason))?;
    let payload = payment.for_facilitator(&priced.resource, &requirements);
    Ok(Some(Judged { payment: payment.clone(), requirements, payload }))
}

/// Spends one of the payments that a network may bring in an hour, besides those for audits, which the hour of audits
/// counts: each makes us ask the facilitator and keep a row. [`Code::RateLimited`] past them.
pub async fn admit(cx: &Cx) -> Result<(), ServiceError> {
    let (app, per_hour) = (&cx.services, cx.services.config().limits.audits_per_hour);
    app.allowance().spend_hourly_widely(app.database(), app.ports(), cx.caller.network, "payments", per_hour).await
}

/// Claims a judged payment before anything is done for it.
pub async fn claim(
    cx: &Cx,
    priced: &Priced,
    judged: &Judged,
    request_hash: [u8; 32],
    purchase: Option<Purchase>,
) -> Result<Claim, ServiceError> {
    let app = &cx.services;
    app.payments().can_settle()?;
    let now = app.ports().now();
    let new = NewPayment {
        id: app.ports().id(),
        key: judged.payment.key(app.payments().chain()),
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
pub async fn run(mut cx: Cx, work: Work, priced: Priced, judged: Judged, lease: Lease) -> Result<Paid, ServiceError> {
    cx.withheld = Some(Arc::from(lease.id.as_str()));
    let app = cx.services.clone();
    let paid = async move { paid(cx, work, &priced, &judged, lease).await };
    app.payments().ongoing().off_the_call(paid).await?
}

/// From a claim to its end.
async fn paid(cx: Cx, work: Work, priced: &Priced, judged: &Judged, lease: Lease) -> Result<Paid, ServiceError> {
    let (app, lang) = (cx.services.clone(), cx.lang);
    verify(&app, priced, judged, &lease).await?;
    let now = app.ports().now();
    let began = app.database().ask(|store| store.begin_paid_work(&lease, now.plus_ms(CLAIM_LEASE_MS), now)).await;
    if !matches!(began, Ok(true)) {
        release(&app, &lease).await;
        return Err(ServiceError::new(Code::DatabaseUnavailable).retry_after(5).with("charged", false.into()));
    }
    let done = tokio::time::timeout(WORK_TIME, work(cx)).await;
    let done = done.unwrap_or_else(|_| Err(ServiceError::new(Code::Overloaded).retry_after(5)));
    let answer = match done {
        Ok(answer) => answer,
        Err(error) => {
            release(&app, &lease).await;
            return Err(error.with("charged", false.into()));
        }
    };
    let kept = match answer::pack(&answer, lang) {
        Ok(kept) => kept,
        Err(error) => {
            release(&app, &lease).await;
            return Err(error.with("charged", false.into()));
        }
    };
    let now = app.ports().now();
    if !app.database().ask(|store| store.end_paid_work(&lease, &kept, now)).await? {
        return Err(ServiceError::new(Code::Overloaded).retry_after(5));
    }
    let charge = settling::charge(&app, judged.due(&app, lease, priced.price)).await;
    let receipt = charged(&app, priced, judged.version(), judged.payer(), charge)?;
    Ok(Paid::now(answer).with_receipt(receipt))
}

/// Asks the facilitator about a claimed payment.
pub async fn verify(app: &Services, priced: &Priced, judged: &Judged, lease: &Lease) -> Result<(), ServiceError> {
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
            Err(ServiceError::new(Code::FacilitatorUnavailable).retry_after(FACILITATOR_RETRY))
        }
    }
}

async fn release(app: &Services, lease: &Lease) {
    leave(app, lease, Unsettled::Released).await;
}

/// Ends a payment of which nothing was broadcast. Where it can't be noted, its lease ends by itself.
pub async fn leave(app: &Services, lease: &Lease, how: Unsettled) {
    let now = app.ports().now();
    let noted =
        app.database().insist(|store| async move { store.leave_payment(lease, how, now).await.map(drop) }).await;
    if noted.is_err() {
        tracing::warn!(payment.id = %lease.id, "the end of a payment could not be noted; its lease will end");
    }
}

/// What became of a payment, in the version of its caller: the transaction, or why there is none.
fn receipt(payments: &Payments, version: i64, charged: Result<&str, &str>, payer: &str) -> Receipt {
    let network = if version == 1 { payments.chain().name } else { payments.chain().caip2 };
    let content = match charged {
        Ok(transaction) => {
            json!({"success": true, "transaction": transaction, "network": network, "payer": payer})
        }
        Err(reason) => json!({
            "success": false, "errorReason": reason, "transaction": "", "network": network, "payer": payer,
        }),
    };
    Receipt { version, content }
}
