//! Forgetting what is past its time (`decisions.md`, Retention).

use model::time::{DAY_MS, Day, Timestamp};
use store::StoreError;

use crate::services::Services;

/// Audits deleted by one statement, so that it never holds up other writes for long.
const BATCH: u32 = 500;
/// Days that a job which was done is kept: longer than any key of it could be asked for again.
const DONE_DAYS: u32 = 8;
/// Days that a job which was given up is kept for the operator to see.
const DEAD_DAYS: u32 = 30;
/// Days that links, invitations, sessions and failed sign-ins are kept after they are over, so that who comes late hears why.
const AUTH_DAYS: u32 = 30;
/// Days after a payment was settled, and its authorization ended, that what was said and answered of it is kept for who asks
/// again (`specs/x402.md` §6).
const PAID_DAYS: u32 = 30;

/// Forgets old audits, tabs, guests, links, counters, salts and jobs; how many rows.
pub async fn purge(services: &Services) -> Result<u64, StoreError> {
    let (store, now, retention) = (services.database().store(), services.ports().now(), services.config().retention);
    let days_ago = |days: u32| Timestamp(now.0.saturating_sub(i64::from(days) * DAY_MS));
    let (nobody_before, guest_before) = (days_ago(retention.nobody_days), days_ago(retention.guest_days));
    let mut rows = all(|| store.purge_audits(nobody_before, guest_before, BATCH)).await?;
    rows += all(|| store.purge_withheld(BATCH)).await?;
    rows += all(|| store.purge_guests_tabs(guest_before, BATCH)).await?;
    rows += all(|| store.purge_guests(guest_before, BATCH)).await?;
    rows += all(|| store.purge_watch_links(now, BATCH)).await?;
    let paid_before = days_ago(PAID_DAYS);
    rows += all(|| store.forget_payments(paid_before, BATCH)).await?;
    rows += all(|| store.forget_debit_answers(paid_before, BATCH)).await?;
    rows += all(|| store.forget_receipts(days_ago(retention.receipt_days), BATCH)).await?;
    rows += store.purge_counters(now).await?;
    rows += store.forget_salts(Day(now.day().0)).await?;
    rows += store.purge_passkey_challenges(now).await?;
    rows += store.purge_closed(now).await?;
    rows += store.purge_jobs(days_ago(DONE_DAYS), days_ago(DEAD_DAYS)).await?;
    rows += store.purge_auth(days_ago(AUTH_DAYS)).await?;
    Ok(rows)
}

/// Forgets batch after batch until there is nothing left; how many rows.
async fn all<F: Future<Output = Result<u64, StoreError>>>(batch: impl Fn() -> F) -> Result<u64, StoreError> {
    let mut rows = 0;
    loop {
        match batch().await? {
            0 => return Ok(rows),
            gone => rows += gone,
        }
    }
}
