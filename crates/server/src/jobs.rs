//! Work that no caller waits for: forgetting what is past its time.

use std::time::Duration;

use model::time::{DAY_MS, Day, Timestamp};
use store::StoreError;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::app::App;

/// Between two rounds. Retention is counted in days, so an hour more is nothing.
const EVERY: Duration = Duration::from_secs(3_600);
/// Audits deleted by one statement, so that it never holds up other writes for long.
const BATCH: u32 = 500;

/// The running background work.
#[derive(Debug)]
pub struct Background {
    stopping: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Background {
    /// Ends it after the statement it is at.
    pub async fn stop(self) {
        let _told = self.stopping.send(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the background work ended badly");
        }
    }
}

/// Starts it: a first round now, then one an hour. Any number of servers may do so on one database.
pub fn start(app: App) -> Background {
    let (stopping, mut stopped) = watch::channel(false);
    let task = tokio::spawn(async move {
        let mut rounds = tokio::time::interval(EVERY);
        rounds.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = stopped.changed() => return,
                _ = rounds.tick() => {}
            }
            tokio::select! {
                _ = stopped.changed() => return,
                done = purge(&app) => match done {
                    Ok(0) => {}
                    Ok(rows) => tracing::info!(rows, "forgot what is past its time"),
                    Err(error) => tracing::warn!(%error, "what is past its time could not be forgotten; tried again in an hour"),
                },
            }
        }
    });
    Background { stopping, task }
}

/// Forgets old audits, counters and salts; how many rows.
pub async fn purge(app: &App) -> Result<u64, StoreError> {
    let (store, now, retention) = (app.database().store(), app.ports().now(), app.config().retention);
    let days_ago = |days: u32| Timestamp(now.0.saturating_sub(i64::from(days) * DAY_MS));
    let mut rows = 0;
    loop {
        let gone = store.purge_audits(days_ago(retention.nobody_days), days_ago(retention.guest_days), BATCH).await?;
        rows += gone;
        if gone == 0 {
            break;
        }
    }
    rows += store.purge_counters(now).await?;
    rows += store.forget_salts(Day(now.day().0)).await?;
    Ok(rows)
}
