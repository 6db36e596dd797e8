//! The payments worker: finishes payments of interrupted calls, reverses debits past their deadline, and checks the health
//! of the facilitator.

use std::time::Duration;

use model::time::Timestamp;
use store::StoreError;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::payment::{PaymentStage, X402Payment, advance, advance_detached};
use crate::services::Services;
use crate::x402::{FACILITATOR_RETRY, FacilitatorState, SETTLE_LEASE_MS};

/// Between two rounds at most, in milliseconds: what another server left unfinished is found after it.
const LONGEST_PAUSE_MS: i64 = 60_000;
/// Between two rounds at least, in milliseconds.
const SHORTEST_PAUSE_MS: i64 = 1_000;
/// Interval of the facilitator's health check while it is up.
const CHECK_EVERY: Duration = Duration::from_secs(600);
/// The same while it is down.
const CHECK_EVERY_WHILE_DOWN: Duration = Duration::from_secs(FACILITATOR_RETRY as u64);
/// Debits reversed by one statement.
const BATCH: u32 = 100;

/// The running worker.
#[derive(Debug)]
pub struct Worker {
    stopping: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Worker {
    /// Stops it. What it settles at the moment goes on: [`Ongoing`](crate::x402::Ongoing) is waited for after it.
    pub async fn stop(self) {
        let _has_receiver = self.stopping.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the payment worker panicked");
        }
    }
}

/// Starts the worker: a first round now, then one whenever a payment is due, and at least one a minute. Any number of
/// servers may do so on one database. To be started before calls are accepted: on an embedded database it ends all leases,
/// as their holder, the process before this one, is gone.
#[expect(clippy::disallowed_methods, reason = "its task is awaited by the Worker that it returns")]
pub async fn start(services: Services) -> Worker {
    if services.payments().is_live() && services.payments().node().is_none() {
        tracing::warn!("payments.rpc_url is not set: a settlement whose answer is lost will wait for the operator");
    }
    let now = services.ports().now();
    let store = services.database().store();
    if let Err(error) = store.break_leases(now).await.and(store.break_holds(now).await) {
        tracing::warn!(%error, "work of the previous process could not be resumed yet; its leases will expire");
    }
    let (stopping, mut stopped) = watch::channel(false);
    let task = tokio::spawn(async move {
        // Concurrent: a settle call that lasts a minute holds up no health check.
        let working = async { tokio::join!(keep_checking(&services), keep_settling(&services)) };
        tokio::select! {
            // It may be cancelled anywhere: a settlement runs in a task of its own, and everything else is taken up by the
            // next round of any server.
            _ = stopped.changed() => {}
            ((), ()) = working => {}
        }
    });
    Worker { stopping, task }
}

/// Repeats the health check of the facilitator, where calls are charged.
#[expect(clippy::disallowed_methods, reason = "the interval between health checks")]
async fn keep_checking(services: &Services) {
    let Some(facilitator) = services.payments().facilitator().filter(|_| services.payments().is_live()) else { return };
    loop {
        let every = match facilitator.check(services.engine().fetcher(), services.payments().chain()).await {
            FacilitatorState::Up => CHECK_EVERY,
            FacilitatorState::Unasked | FacilitatorState::Unfit | FacilitatorState::Down => CHECK_EVERY_WHILE_DOWN,
        };
        tokio::select! {
            // A call cast doubt on it: a single lost response is no outage, so it is checked at once.
            () = facilitator.doubted() => {}
            () = tokio::time::sleep(every) => {}
        }
    }
}

/// The settling loop.
#[expect(clippy::disallowed_methods, reason = "the time until the next payment is due")]
async fn keep_settling(services: &Services) {
    loop {
        let next = match round(services).await {
            Ok(_) => services.database().store().next_due_payment().await,
            Err(error) => Err(error),
        };
        let next = next.unwrap_or_else(|error| {
            tracing::warn!(%error, "pending payments could not be processed; retrying in a minute");
            None
        });
        tokio::select! {
            // It is due before any that was known.
            () = services.payments().woken() => {}
            () = tokio::time::sleep(pause(next, services.ports().now())) => {}
        }
    }
}

/// How long to wait for what is due next.
fn pause(next: Option<Timestamp>, now: Timestamp) -> Duration {
    let ms = next.map_or(LONGEST_PAUSE_MS, |next| next.0.saturating_sub(now.0));
    Duration::from_millis(ms.clamp(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS).unsigned_abs())
}

/// One health check of the facilitator.
pub async fn check(services: &Services) {
    if let Some(facilitator) = services.payments().facilitator() {
        facilitator.check(services.engine().fetcher(), services.payments().chain()).await;
    }
}

/// One round over all that is due when it begins; how many of these payments are unclear after it.
pub async fn round(services: &Services) -> Result<usize, StoreError> {
    let store = services.database().store();
    // What becomes due meanwhile is left to the next round, so that this one ends.
    let due_before = services.ports().now();
    let mut unclear = 0;
    loop {
        reverse_overdue(services).await;
        let now = services.ports().now();
        let Some(row) = store.take_due_payment(due_before, now.plus_ms(SETTLE_LEASE_MS), now).await? else {
            return Ok(unclear);
        };
        let payment = X402Payment::taken_over(row);
        let ended = match payment.state {
            PaymentStage::Abandoned(_) => Ok(advance(services, payment).await),
            // The response to a settle call is waited for, also when the worker is stopped meanwhile: it may not be given
            // twice.
            _ => advance_detached(services, payment).await,
        };
        unclear += usize::from(matches!(ended, Ok(X402Payment { state: PaymentStage::Unclear(_), .. })));
    }
}

/// Reverses debits of interrupted calls. Payments don't wait for it to succeed.
async fn reverse_overdue(services: &Services) {
    match services.database().store().reverse_overdue_debits(services.ports().now(), BATCH).await {
        Ok(0) => {}
        Ok(reversed) => tracing::info!(reversed, "refunded debits of interrupted calls"),
        Err(error) => tracing::error!(%error, "debits of interrupted calls could not be refunded"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_round_is_when_a_payment_is_due_within_bounds() {
        let now = Timestamp(1_000_000);
        for (ahead, seconds) in [(2_000, 2), (59_000, 59), (3_600_000, 60), (0, 1), (-5_000, 1), (i64::MIN, 1)] {
            assert_eq!(
                pause(Some(Timestamp(now.0.saturating_add(ahead))), now),
                Duration::from_secs(seconds),
                "{ahead}"
            );
        }
        assert_eq!(pause(None, now), Duration::from_secs(60));
    }
}
