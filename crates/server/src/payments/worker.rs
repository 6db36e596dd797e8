//! What nobody waits for: payments whose calls ended without a word are taken to their end, debits past their deadline are
//! given back, and the facilitator is asked whether it is there.

use std::time::Duration;

use store::{PaymentState, StoreError, Unsettled};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::by_x402;
use super::facilitator::Standing;
use super::settling::{self, Charge, SETTLE_LEASE_MS};
use crate::app::App;

/// Between two rounds.
const EVERY: Duration = Duration::from_secs(60);
/// Between two rounds while a payment is unclear: it may be asked about again so soon.
const EVERY_WHILE_UNCLEAR: Duration = Duration::from_secs(2);
/// Between two questions whether the facilitator is there, while it is.
const CHECK_EVERY: Duration = Duration::from_secs(600);
/// The same while it is not.
const CHECK_EVERY_WHILE_DOWN: Duration = Duration::from_secs(10);
/// Debits given back in one go.
const BATCH: u32 = 100;

/// The running worker.
#[derive(Debug)]
pub struct Worker {
    stopping: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Worker {
    /// Ends it.
    pub async fn stop(self) {
        let _told = self.stopping.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the payment worker ended badly");
        }
    }
}

/// Starts it: a first round now, then one a minute. Any number of servers may do so on one database. To be started before
/// calls are taken: it ends the leases of the process before this one, which can't be told from those of new calls.
pub async fn start(app: App) -> Worker {
    if app.payments().is_live() && app.payments().node().is_none() {
        tracing::warn!("payments.rpc_url is not set: a settlement whose answer is lost will wait for the operator");
    }
    let now = app.ports().now();
    if let Err(error) = app.database().store().break_leases(now).await {
        tracing::warn!(%error, "what the last process left could not be taken over yet; its leases will end");
    }
    let (stopping, mut stopped) = watch::channel(false);
    let task = tokio::spawn(async move {
        let mut checked: Option<Instant> = None;
        loop {
            // Whatever it is at may be left at any moment: the next round, of whichever server, goes on from there.
            let pause = tokio::select! {
                _ = stopped.changed() => return,
                pause = check_and_round(&app, &mut checked) => pause,
            };
            tokio::select! {
                _ = stopped.changed() => return,
                // One lost answer is no outage: that is found out at once, not after the pause.
                () = facilitator_goes_down(&app) => {}
                () = tokio::time::sleep(pause) => {}
            }
        }
    });
    Worker { stopping, task }
}

/// Asks after the facilitator where that is due, then does a round; how long to pause after it.
async fn check_and_round(app: &App, checked: &mut Option<Instant>) -> Duration {
    if is_check_due(app, *checked) {
        check(app).await;
        *checked = Some(Instant::now());
    }
    let pause = match round(app).await {
        Ok(0) => EVERY,
        Ok(_) => EVERY_WHILE_UNCLEAR,
        Err(error) => {
            tracing::warn!(%error, "payments could not be looked after; tried again in a minute");
            EVERY
        }
    };
    if is_up(app) { pause } else { pause.min(CHECK_EVERY_WHILE_DOWN) }
}

/// Where nobody is charged it is never asked, and taken to be there.
fn is_up(app: &App) -> bool {
    let facilitator = app.payments().facilitator().filter(|_| app.payments().is_live());
    facilitator.is_none_or(|facilitator| facilitator.standing() == Standing::Up)
}

fn is_check_due(app: &App, checked: Option<Instant>) -> bool {
    let every = if is_up(app) { CHECK_EVERY } else { CHECK_EVERY_WHILE_DOWN };
    app.payments().is_live() && checked.is_none_or(|at| at.elapsed() >= every)
}

async fn facilitator_goes_down(app: &App) {
    match app.payments().facilitator() {
        Some(facilitator) => facilitator.went_down().await,
        None => std::future::pending().await,
    }
}

/// Asks whether the facilitator is there.
pub async fn check(app: &App) {
    if let Some(facilitator) = app.payments().facilitator() {
        facilitator.check(app.engine().fetcher(), app.payments().chain()).await;
    }
}

/// One round; how many payments are unclear after it.
pub async fn round(app: &App) -> Result<usize, StoreError> {
    let store = app.database().store();
    let reversed = store.reverse_overdue_debits(app.ports().now(), BATCH).await?;
    if reversed > 0 {
        tracing::info!(reversed, "gave back debits of calls that ended without a word");
    }
    let mut unclear = 0;
    loop {
        let now = app.ports().now();
        let Some(payment) = store.take_due_payment(now, now.plus_ms(SETTLE_LEASE_MS)).await? else {
            return Ok(unclear);
        };
        match payment.state {
            PaymentState::Claimed | PaymentState::Working => {
                by_x402::leave(app, &payment.lease, Unsettled::Released).await;
                tracing::info!(payment.id = %payment.lease.id, "released a payment whose call ended without a word");
            }
            _ => {
                let charge = settling::settle(app, &payment).await;
                unclear += usize::from(matches!(charge, Charge::Unclear(_)));
            }
        }
    }
}
