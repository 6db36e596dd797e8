//! A payment by x402: its states, and the one function that moves it from state to state.
//!
//! The row in the database is written before each step that can't be undone, so a repeat of the call with the same header,
//! the worker, or a start after a crash takes the payment up from there ([`X402Payment::taken_over`]) and moves it with the same
//! [`advance`]. A lease with a fencing token makes one of them at a time the holder: whoever lost it changes nothing. The
//! caller never sees a result whose charge is not final.
//!
//! | state | event | next state | what is written | what the caller is told |
//! |---|---|---|---|---|
//! | (header) | it disagrees with our requirements | | nothing | `payment_refused` with the reason |
//! | (header) | it agrees: [`judge`] | judged | nothing | |
//! | judged | the facilitator is known to be down | | nothing | `facilitator_unavailable` |
//! | judged | its authorization is new, or was released: [`claim`] | claimed | row `claimed`, lease of 60 s | |
//! | judged | its authorization is taken: [`claim`] | known | nothing | see *known* |
//! | claimed | the facilitator would settle it: `verify` | verified | nothing | |
//! | claimed | it would not | refused | `refused` | `payment_refused`, not charged |
//! | claimed | it does not answer, or went down | released | `released` | `facilitator_unavailable` |
//! | verified | it buys credit: `work` | worked | nothing | |
//! | verified | the work succeeds: `work` | worked | `working`, then `worked` with the answer, hidden | |
//! | verified | `working` can't be written | released | `released` | `database_unavailable`, not charged |
//! | verified | the work fails, or is late | released | `working`, then `released` | its error, not charged |
//! | verified | `worked` can't be written | interrupted | `working`; the lease ends | `overloaded` or `database_unavailable` |
//! | worked | the facilitator settles: `settle` | settled | `settling`, then `settled`, revenue, result visible: one transaction | the result, with a receipt |
//! | worked | it refuses the first call of all | refused | `settling`, then `refused`; the answer is deleted | `payment_refused`, not charged, with a receipt |
//! | worked | it reports the transaction as pending or reverted | worked | `settling` once more: a second call | |
//! | worked | anything else, and the chain has the transfer | settled | as above | as above |
//! | worked | the same, and the chain shows another use or a cancellation | lapsed | `lapsed`; the answer is deleted | `payment_refused`, not charged, with a receipt |
//! | worked | the same, unused on the chain 10 minutes after its end | lapsed | `lapsed`; the answer is deleted | the same |
//! | worked | the same, declined after its only transaction reverted, and not on the chain | refused | `refused`; the answer is deleted | the same |
//! | worked | the same, and nothing proves anything | unclear | `unclear`, due again after 2 to 60 s (1 h once expired) | `settlement_pending`, with the transaction |
//! | worked | the lease was lost | in progress | nothing | `payment_in_progress` |
//! | known | the call is another one | | nothing | `payment_used`, or `settlement_pending` while it may still settle |
//! | known, `claimed`, `working` | a repeated call | in progress | nothing | `payment_in_progress` |
//! | known, `claimed`, `working` | the lease has ended: the worker | abandoned, released | a new lease, then `released` | |
//! | known, `released` | a repeated call | judged | nothing | |
//! | known, `worked`, `settling`, `unclear` | the lease has ended: a repeated call, or the worker | worked | a new lease | |
//! | known, `worked`, `settling` | the lease is held: a repeated call | in progress | nothing | `payment_in_progress` |
//! | known, `unclear` | it is not due: a repeated call | unclear | nothing | `settlement_pending`, with the transaction |
//! | known, `settled` | a repeated call | settled | nothing | the stored result, with a receipt |
//! | known, `refused`, `lapsed` | a repeated call | refused | nothing | `payment_refused` with the reason |
//!
//! A settle call is recorded (`settling`, and their number) before it is made: a refusal says that nothing moved only where
//! it answers the first one. The same bytes are sent each time, and the token takes an authorization once (EIP-3009), so a
//! repeated call can't charge twice. Settled, refused and lapsed are final.

mod claim;
mod record;
mod reply;
mod request;
mod search;
mod settle;
mod settling;
mod state;
mod times;
mod work;

use crate::error::ServiceError;
use crate::services::Services;

pub(super) use claim::{admit, check_ceiling, claim, judge};
pub(super) use reply::receipt;
pub(super) use request::{is_repeat, of_another_request, owner, refuse_second, request_hash};
pub(super) use state::{Good, PaymentStage, X402Payment};

/// Moves a payment in a task of its own: it goes on when its caller hangs up.
pub(super) async fn advance_detached(services: &Services, payment: X402Payment) -> Result<X402Payment, ServiceError> {
    let moved = services.clone();
    services.payments().ongoing().run_detached(async move { advance(&moved, payment).await }).await
}

/// Moves a payment that is claimed or taken over until it has ended, is unclear, or is somebody else's.
pub(super) async fn advance(services: &Services, payment: X402Payment) -> X402Payment {
    let X402Payment { terms, mut good, mut state } = payment;
    loop {
        state = match state {
            PaymentStage::Claimed(lease) => work::verify(services, &terms, lease).await,
            PaymentStage::Verified(lease) => {
                let (made, next) = work::work(services, good, lease).await;
                good = made;
                next
            }
            PaymentStage::Worked(lease) => settle::settle(services, &terms, &lease).await,
            PaymentStage::Abandoned(lease) => work::release_abandoned(services, &lease).await,
            PaymentStage::Unreadable(lease) => settle::pause_unreadable(services, &terms, &lease).await,
            PaymentStage::Judged(_)
            | PaymentStage::Known(_)
            | PaymentStage::Settled(_)
            | PaymentStage::Refused { .. }
            | PaymentStage::Lapsed(_)
            | PaymentStage::Unclear(_)
            | PaymentStage::Released(_)
            | PaymentStage::Interrupted(_)
            | PaymentStage::InProgress => return X402Payment { terms, good, state },
        };
    }
}
