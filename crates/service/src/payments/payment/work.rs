//! The transitions between claim and settlement: the facilitator verifies, the work runs, its answer is stored hidden.

use std::sync::Arc;

use store::{Lease, Unsettled};

use super::state::{Good, PaymentStage, PaymentTerms, RefusedBy};
use super::times::{CLAIM_LEASE_MS, IN_PROGRESS_RETRY};
use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::payments::answer::{self, CallAnswer, Work};
use crate::services::Services;
use crate::x402::{FACILITATOR_RETRY, Verified};

/// Asks the facilitator whether it would settle a claimed payment.
pub(super) async fn verify(services: &Services, terms: &PaymentTerms, lease: Lease) -> PaymentStage {
    let facilitator = match services.payments().can_settle() {
        Ok(facilitator) => facilitator,
        // It went down since the claim.
        Err(down) => return release(services, &lease, down).await,
    };
    match facilitator.verify(services.engine().fetcher(), &terms.payload, &terms.requirements).await {
        Verified::Valid => PaymentStage::Verified(lease),
        Verified::Invalid(reason) => {
            leave(services, &lease, Unsettled::Refused(reason.clone())).await;
            PaymentStage::Refused { reason, by: RefusedBy::Verify }
        }
        Verified::Unanswered => {
            let error = ServiceError::new(Code::FacilitatorUnavailable).retry_after(FACILITATOR_RETRY);
            release(services, &lease, error).await
        }
    }
}

/// Runs the work of a verified payment and stores its answer, hidden until the settlement. Credit needs no work.
pub(super) async fn work(services: &Services, good: Good, lease: Lease) -> (Good, PaymentStage) {
    let Good::Work(work, mut cx) = good else { return (good, PaymentStage::Worked(lease)) };
    cx.withheld = Some(Arc::from(lease.id.as_str()));
    match run(services, work, *cx, &lease).await {
        Ok(answer) => (Good::Answer(answer), PaymentStage::Worked(lease)),
        Err(end) => (Good::Stored(None), end),
    }
}

/// The stored answer of the work, or the state in which the payment ends without one.
async fn run(services: &Services, work: Work, cx: Cx, lease: &Lease) -> Result<CallAnswer, PaymentStage> {
    let (database, lang, now) = (services.database(), cx.lang, services.ports().now());
    let began = database.write(|store| store.begin_paid_work(lease, now.plus_ms(CLAIM_LEASE_MS), now)).await;
    if !matches!(began, Ok(true)) {
        let error = ServiceError::new(Code::DatabaseUnavailable).retry_after(5);
        return Err(release_uncharged(services, lease, error).await);
    }
    let done = answer::run_in_time(work, cx).await;
    let (answer, packed) = match done.and_then(|answer| Ok((answer::pack(&answer, lang)?, answer))) {
        Ok((packed, answer)) => (answer, packed),
        Err(error) => return Err(release_uncharged(services, lease, error).await),
    };
    let now = services.ports().now();
    match database.write(|store| store.end_paid_work(lease, &packed, now)).await {
        Ok(true) => Ok(answer),
        Ok(false) => Err(PaymentStage::Interrupted(ServiceError::new(Code::Overloaded).retry_after(5))),
        Err(trouble) => Err(PaymentStage::Interrupted(trouble.into())),
    }
}

/// Releases a payment whose call ended before its result was stored.
pub(super) async fn release_abandoned(services: &Services, lease: &Lease) -> PaymentStage {
    let error = ServiceError::new(Code::PaymentInProgress).retry_after(IN_PROGRESS_RETRY);
    let state = release(services, lease, error).await;
    tracing::info!(payment.id = %lease.id, "released the payment of an interrupted call");
    state
}

async fn release_uncharged(services: &Services, lease: &Lease, error: ServiceError) -> PaymentStage {
    release(services, lease, error.with("charged", false.into())).await
}

async fn release(services: &Services, lease: &Lease, error: ServiceError) -> PaymentStage {
    leave(services, lease, Unsettled::Released).await;
    PaymentStage::Released(error)
}

/// Records the end of a payment of which nothing was broadcast. Where that fails, its lease ends by itself.
async fn leave(services: &Services, lease: &Lease, end: Unsettled) {
    let now = services.ports().now();
    let recorded =
        services.database().insist(|store| async move { store.leave_payment(lease, end, now).await.map(drop) }).await;
    if recorded.is_err() {
        tracing::warn!(payment.id = %lease.id, "the outcome of a payment could not be recorded; its lease will expire");
    }
}
