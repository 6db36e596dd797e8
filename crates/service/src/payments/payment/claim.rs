//! The transitions before anything is done for a payment: it is judged without asking anybody, then its row is claimed.

use std::time::Duration;

use model::time::Timestamp;
use store::{ClaimOutcome, NewPayment};

use super::request::{owner, request_hash};
use super::state::{Good, PaymentStage, PaymentTerms, X402Payment};
use super::times::CLAIM_LEASE_MS;
use crate::caller::Cx;
use crate::error::ServiceError;
use crate::payments::answer::WORK_TIME;
use crate::x402::{ExpectedPayment, PaymentMeans, Priced, UNSUPPORTED_VERSION};

/// Seconds of an authorization's life that verifying takes before the work.
const VERIFY_SECONDS: u64 = 10;

/// The hourly counter of payments for tabs and credit.
const PAYMENTS: &str = "payments";

/// Judges the payment of a call by its header alone; the refusal that asks for one where there is none.
pub(crate) fn judge(cx: &Cx, priced: &Priced, good: Good) -> Result<X402Payment, ServiceError> {
    let payments = cx.services.payments();
    let signed = match &cx.payment.means {
        PaymentMeans::X402(signed) => signed,
        PaymentMeans::UnsupportedX402 => return Err(payments.refused(priced, UNSUPPORTED_VERSION)),
        PaymentMeans::None | PaymentMeans::Credit(..) | PaymentMeans::UnverifiedCredit => {
            return Err(payments.payment_required(priced, cx.lang));
        }
    };
    let work_time = match good {
        // Settling begins at once.
        Good::Credit(_) => Duration::ZERO,
        Good::Work(..) | Good::Answer(_) | Good::Stored(_) => WORK_TIME,
    };
    let requirements = payments.requirements(priced.price);
    let expected = ExpectedPayment {
        chain: payments.chain(),
        pay_to: payments.pay_to().unwrap_or_default(),
        price: priced.price,
        requirements: &requirements,
        now: u64::try_from(cx.services.ports().now().seconds()).unwrap_or_default(),
        work: VERIFY_SECONDS + work_time.as_secs(),
    };
    signed.judge(&expected).map_err(|reason| payments.refused(priced, reason))?;
    let terms = PaymentTerms {
        key: signed.key(payments.chain()),
        wire_version: signed.version.into(),
        amount: priced.price,
        payload: signed.for_facilitator(&priced.resource, &requirements),
        requirements,
        claimed_at: None,
        valid_before: None,
        transaction: None,
    };
    Ok(X402Payment { terms, good, state: PaymentStage::Judged(signed.clone()) })
}

/// Counts one of the payments that a network may send in an hour, besides those for audits, which the hourly limit of
/// audits counts: each costs us a row and a call of the facilitator. `rate_limited` past them.
pub(crate) async fn admit(cx: &Cx) -> Result<(), ServiceError> {
    let (services, per_hour) = (&cx.services, cx.services.config().limits.audits_per_hour);
    let (database, ports) = (services.database(), services.ports());
    services.allowance().spend_hourly_widely(database, ports, cx.caller.network, PAYMENTS, per_hour).await
}

/// [`Code::RateLimited`](crate::error::Code::RateLimited) where [`admit`] would refuse a payment: nobody is asked for one
/// that is then refused. Nothing is counted.
pub(crate) async fn check_ceiling(cx: &Cx) -> Result<(), ServiceError> {
    let (services, per_hour) = (&cx.services, cx.services.config().limits.audits_per_hour);
    let (database, ports) = (services.database(), services.ports());
    services.allowance().check_hourly_widely(database, ports, cx.caller.network, PAYMENTS, per_hour).await
}

/// Claims a judged payment before anything is done for it: claimed, or known from an earlier call.
pub(crate) async fn claim(cx: &Cx, priced: &Priced, payment: X402Payment) -> Result<X402Payment, ServiceError> {
    let X402Payment { terms, good, state: PaymentStage::Judged(signed) } = payment else { return Ok(payment) };
    let services = &cx.services;
    services.payments().can_settle()?;
    let now = services.ports().now();
    let new = NewPayment {
        id: services.ports().id(),
        key: terms.key.clone(),
        request_hash: request_hash(cx, priced),
        call_digest: priced.call_digest,
        operation: priced.operation,
        amount: priced.price,
        payload: terms.payload.to_string(),
        requirements: terms.requirements.to_string(),
        wire_version: signed.version,
        owner: owner(cx),
        purchase: match &good {
            Good::Credit(purchase) => Some(purchase.clone()),
            Good::Work(..) | Good::Answer(_) | Good::Stored(_) => None,
        },
        key_digest: cx.payment.key_digest,
        valid_before: Timestamp(i64::try_from(signed.valid_before()).unwrap_or(i64::MAX).saturating_mul(1000)),
        leased_until: now.plus_ms(CLAIM_LEASE_MS),
        now,
    };
    let state = match services.database().write(|store| store.claim_payment(new)).await? {
        ClaimOutcome::Claimed(lease) => PaymentStage::Claimed(lease),
        ClaimOutcome::Known(row) => PaymentStage::Known(row),
    };
    Ok(X402Payment { terms, good, state })
}
