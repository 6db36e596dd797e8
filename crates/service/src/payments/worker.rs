//! What nobody waits for: payments whose calls ended without a word are taken to their end, debits past their deadline are
//! given back, and the facilitator is asked whether it is there.

use std::time::Duration;

use model::time::Timestamp;
use store::{PaymentState, StoreError, Unsettled};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::by_x402;
use super::settling::{self, Charge};
use crate::services::Services;
use crate::x402::{FACILITATOR_RETRY, SETTLE_LEASE_MS, Standing};

/// Between two rounds at most, in milliseconds: whatever another server left is found after it.
const LONGEST_PAUSE_MS: i64 = 60_000;
/// Between two rounds at least, in milliseconds.
const SHORTEST_PAUSE_MS: i64 = 1_000;
/// Between two questions whether the facilitator is there, while it is.
const CHECK_EVERY: Duration = Duration::from_secs(600);
/// The same while it is not.
const CHECK_EVERY_WHILE_DOWN: Duration = Duration::from_secs(FACILITATOR_RETRY as u64);
/// Debits given back in one go.
const BATCH: u32 = 100;

/// The running worker.
#[derive(Debug)]
pub struct Worker {
    stopping: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Worker {
    /// Ends it. What it settles at the moment goes on: [`Ongoing`](crate::x402::Ongoing) is waited for after it.
    pub async fn stop(self) {
        let _told = self.stopping.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the payment worker ended badly");
        }
    }
}

/// Starts it: a first round now, then one whenever a payment is due, and at least one a minute. Any number of servers may do
/// so on one database. To be started before calls are taken: it ends the leases of the process before this one, which
/// can't be told from those of new calls.
pub async fn start(app: Services) -> Worker {
    if app.payments().is_live() && app.payments().node().is_none() {
        tracing::warn!("payments.rpc_url is not set: a settlement whose answer is lost will wait for the operator");
    }
    let now = app.ports().now();
    let store = app.database().store();
    if let Err(error) = store.break_leases(now).await.and(store.break_holds(now).await) {
        tracing::warn!(%error, "what the last process left could not be taken over yet; its leases will end");
    }
    let (stopping, mut stopped) = watch::channel(false);
    let task = tokio::spawn(async move {
        // Neither waits for the other: a facilitator that keeps a payment for a minute is still asked how it is.
        let working = async { tokio::join!(keep_checking(&app), keep_settling(&app)) };
        tokio::select! {
            // Whatever it is at may be left at any moment: a payment that is being settled is so by itself, and with
            // everything else the next round goes on, of whichever server.
            _ = stopped.changed() => {}
            ((), ()) = working => {}
        }
    });
    Worker { stopping, task }
}

/// Asks whether the facilitator is there, again and again. Where nobody is charged it is never asked.
async fn keep_checking(app: &Services) {
    let Some(facilitator) = app.payments().facilitator().filter(|_| app.payments().is_live()) else { return };
    loop {
        let every = match facilitator.check(app.engine().fetcher(), app.payments().chain()).await {
            Standing::Up => CHECK_EVERY,
            Standing::Unasked | Standing::Unfit | Standing::Down => CHECK_EVERY_WHILE_DOWN,
        };
        tokio::select! {
            // One lost answer is no outage: that is found out at once, not after the pause.
            () = facilitator.doubted() => {}
            () = tokio::time::sleep(every) => {}
        }
    }
}

/// Does one round after the other.
async fn keep_settling(app: &Services) {
    loop {
        let next = match round(app).await {
            Ok(_) => app.database().store().next_due_payment().await,
            Err(error) => Err(error),
        };
        let next = next.unwrap_or_else(|error| {
            tracing::warn!(%error, "payments could not be looked after; tried again in a minute");
            None
        });
        tokio::select! {
            // It is due before any that was known.
            () = app.payments().left_unclear() => {}
            () = tokio::time::sleep(pause(next, app.ports().now())) => {}
        }
    }
}

/// How long to wait for what is due next.
fn pause(next: Option<Timestamp>, now: Timestamp) -> Duration {
    let ms = next.map_or(LONGEST_PAUSE_MS, |next| next.0.saturating_sub(now.0));
    Duration::from_millis(ms.clamp(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS).unsigned_abs())
}

/// Asks whether the facilitator is there.
pub async fn check(app: &Services) {
    if let Some(facilitator) = app.payments().facilitator() {
        facilitator.check(app.engine().fetcher(), app.payments().chain()).await;
    }
}

/// One round over all that is due when it begins; how many of these payments are unclear after it.
pub async fn round(app: &Services) -> Result<usize, StoreError> {
    let store = app.database().store();
    // What becomes due meanwhile is of the next round: this one has an end, however long a payment takes.
    let due_before = app.ports().now();
    let mut unclear = 0;
    loop {
        give_back(app).await;
        let now = app.ports().now();
        let Some(payment) = store.take_due_payment(due_before, now.plus_ms(SETTLE_LEASE_MS), now).await? else {
            return Ok(unclear);
        };
        match payment.state {
            PaymentState::Claimed | PaymentState::Working => {
                by_x402::leave(app, &payment.lease, Unsettled::Released).await;
                tracing::info!(payment.id = %payment.lease.id, "released a payment whose call ended without a word");
            }
            _ => {
                // The answer to a question that was asked is waited for, also when the worker is stopped meanwhile: it may
                // not be given twice.
                let settled = app.clone();
                let settling = async move { settling::settle(&settled, &payment).await };
                let charge = app.payments().ongoing().off_the_call(settling).await;
                unclear += usize::from(matches!(charge, Ok(Charge::Unclear(_))));
            }
        }
    }
}

/// Gives back debits whose calls ended without a word. Payments don't wait for it to succeed.
async fn give_back(app: &Services) {
    match app.database().store().reverse_overdue_debits(app.ports().now(), BATCH).await {
        Ok(0) => {}
        Ok(reversed) => tracing::info!(reversed, "gave back debits of calls that ended without a word"),
        Err(error) => tracing::error!(%error, "debits of calls that ended without a word could not be given back"),
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
