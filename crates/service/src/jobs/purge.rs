//! Retention: deletes rows past their time.

use model::time::{DAY_MS, Timestamp};
use store::StoreError;

use crate::contact;
use crate::services::Services;

/// Audits deleted per statement, so that none blocks other writes for long.
const BATCH: u32 = 500;
/// Runs over sites deleted per statement: each takes its pages along.
const SITE_BATCH: u32 = 10;
/// Days that a finished job is kept: longer than its unique key could be queued again.
const DONE_DAYS: u32 = 8;
/// Days that a job which was given up is kept for the operator.
const DEAD_DAYS: u32 = 30;
/// Days that links, invitations, sessions and failed sign-ins are kept after they end, so that a late use gets an
/// explanation.
const AUTH_DAYS: u32 = 30;
/// Days that events of followed pages are kept, for feeds and lists of deliveries. Chosen: a month.
const EVENT_DAYS: u32 = 30;
/// Days that requests and responses of a payment are kept after settlement and the end of its authorization, for
/// replays of the call. Chosen: a month.
const PAID_DAYS: u32 = 30;

/// Deletes old audits, tabs, guests, links, counters, salts and jobs; returns the number of rows.
pub async fn purge(services: &Services) -> Result<u64, StoreError> {
    let (store, now, retention) = (services.database().store(), services.ports().now(), services.config().retention);
    let days_ago = |days: u32| Timestamp(now.0.saturating_sub(i64::from(days) * DAY_MS));
    let (nobody_before, guest_before) = (days_ago(retention.nobody_days), days_ago(retention.guest_days));
    let mut rows = all(|| store.purge_audits(nobody_before, guest_before, BATCH)).await?;
    rows += all(|| store.purge_withheld(BATCH)).await?;
    rows += all(|| store.purge_guests_tabs(guest_before, BATCH)).await?;
    rows += all(|| store.purge_site_runs(days_ago(retention.site_days), guest_before, SITE_BATCH)).await?;
    rows += all(|| store.purge_guests(guest_before, BATCH)).await?;
    rows += all(|| store.purge_watch_links(now, BATCH)).await?;
    rows += all(|| store.purge_site_watch_links(now, BATCH)).await?;
    let paid_before = days_ago(PAID_DAYS);
    rows += all(|| store.forget_payments(paid_before, BATCH)).await?;
    rows += all(|| store.forget_debit_answers(paid_before, BATCH)).await?;
    rows += all(|| store.forget_receipts(days_ago(retention.receipt_days), BATCH)).await?;
    rows += all(|| store.purge_events(days_ago(EVENT_DAYS), BATCH)).await?;
    rows += store.purge_counters(now).await?;
    rows += store.forget_salts(now.plus_ms(-contact::TURNS_MS).day()).await?;
    rows += store.forget_counts(now).await?;
    rows += store.purge_passkey_challenges(now).await?;
    rows += store.purge_used_challenges(now).await?;
    rows += store.purge_closed(now).await?;
    store.forget_contact_turns(now.plus_ms(-contact::TURN_MS)).await?;
    rows += store.purge_jobs(days_ago(DONE_DAYS), days_ago(DEAD_DAYS)).await?;
    rows += store.purge_auth(days_ago(AUTH_DAYS)).await?;
    Ok(rows)
}

/// Deletes batch after batch until nothing is left; returns the number of rows.
async fn all<F: Future<Output = Result<u64, StoreError>>>(batch: impl Fn() -> F) -> Result<u64, StoreError> {
    let mut rows = 0;
    loop {
        match batch().await? {
            0 => return Ok(rows),
            deleted => rows += deleted,
        }
    }
}
