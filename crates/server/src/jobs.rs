//! Work that no caller waits for: forgetting what is past its time.

use std::time::Duration;

use model::time::{DAY_MS, Day, Timestamp};
use store::StoreError;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::app::App;

/// Between two rounds. Retention is counted in days, so an hour more is nothing.
const EVERY: Duration = Duration::from_secs(3_600);
/// The furthest that a clock goes on between two rounds. Further is a clock that was set, or a machine that slept: by
/// the next round, an hour later, the clock was put right or is right.
const LEAP_MS: i64 = DAY_MS;
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
        let mut last = None;
        loop {
            tokio::select! {
                _ = stopped.changed() => return,
                _ = rounds.tick() => {}
            }
            let now = app.ports().now();
            let before = last.replace(now);
            if has_leapt(before, now) {
                tracing::warn!(%now, "the clock leapt more than a day; nothing is forgotten in this round");
                continue;
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

/// Whether the clock went on further than it can have between two rounds. What is forgotten by a wrong clock is lost.
fn has_leapt(before: Option<Timestamp>, now: Timestamp) -> bool {
    before.is_some_and(|before| now > before.plus_ms(LEAP_MS))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_leap_of_more_than_a_day_is_one() {
        let before = Timestamp(1_769_851_800_000);
        assert!(!has_leapt(None, before));
        for (ms, leapt) in [(0, false), (DAY_MS, false), (DAY_MS + 1, true), (-400 * DAY_MS, false)] {
            assert_eq!(has_leapt(Some(before), before.plus_ms(ms)), leapt, "{ms}");
        }
    }
}
