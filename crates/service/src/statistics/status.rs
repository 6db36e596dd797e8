//! Reliability by day, for everybody.

use std::sync::Arc;

use model::time::Day;

use crate::figures::{StatusFigures, reliability};
use crate::services::Services;

/// Days that are shown.
const SHOWN_DAYS: i64 = 30;
/// How long the figures are kept in memory, in milliseconds: ten minutes.
const KEPT_MS: i64 = 600_000;

/// Reliability, at most ten minutes old; older while the database does not answer, `None` where it was never read.
pub async fn status(services: &Services) -> Option<Arc<StatusFigures>> {
    let (cache, now) = (&services.figures().status, services.ports().now());
    if let Some(fresh) = cache.fresh(now, KEPT_MS) {
        return Some(fresh);
    }
    let from = Day(now.day().0 - SHOWN_DAYS + 1);
    match reliability(services.database(), from, now).await {
        Ok((days, total)) => Some(cache.keep(now, StatusFigures { days, total })),
        Err(_) => cache.last().map(|(_, figures)| figures),
    }
}
