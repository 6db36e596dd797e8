//! Forgetting what is past its time (`decisions.md`, Retention).

use model::time::{DAY_MS, Day, Timestamp};
use store::StoreError;

use crate::app::App;

/// Audits deleted by one statement, so that it never holds up other writes for long.
const BATCH: u32 = 500;
/// Days that a job which was done is kept: longer than any key of it could be asked for again.
const DONE_DAYS: u32 = 8;
/// Days that a job which was given up is kept for the operator to see.
const DEAD_DAYS: u32 = 30;
/// Days that links, sessions and failed sign-ins are kept after they are over, so that who comes late hears why.
const AUTH_DAYS: u32 = 30;

/// Forgets old audits, tabs, links, counters, salts and jobs; how many rows.
pub async fn purge(app: &App) -> Result<u64, StoreError> {
    let (store, now, retention) = (app.database().store(), app.ports().now(), app.config().retention);
    let days_ago = |days: u32| Timestamp(now.0.saturating_sub(i64::from(days) * DAY_MS));
    let (of_nobody, of_guests) = (days_ago(retention.nobody_days), days_ago(retention.guest_days));
    let mut rows = 0;
    loop {
        let gone = store.purge_audits(of_nobody, of_guests, BATCH).await?
            + store.purge_guests_tabs(of_guests, BATCH).await?
            + store.purge_watch_links(now, BATCH).await?;
        if gone == 0 {
            break;
        }
        rows += gone;
    }
    rows += store.purge_counters(now).await?;
    rows += store.forget_salts(Day(now.day().0)).await?;
    rows += store.purge_jobs(days_ago(DONE_DAYS), days_ago(DEAD_DAYS)).await?;
    rows += store.purge_auth(days_ago(AUTH_DAYS)).await?;
    Ok(rows)
}
