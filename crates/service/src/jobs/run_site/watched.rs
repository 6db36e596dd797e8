//! The end of a run of a watch: what changed since the run before, and the mail that tells what broke.

use std::sync::Arc;

use site::{ChangeSummary, Snapshot, SpillFailure};
use store::{SiteRunRecord, StoreError, WatchedEnd};

use super::Unfinished;
use crate::blocking::off_worker;
use crate::error::Code;
use crate::services::Services;
use crate::site_desk::BuiltSite;
use crate::site_watches::{self, counts};
use crate::sites::built::built as report_of;
use crate::sites::catalog_of;

/// Reasons of a failure that are ours: nobody is told of them by mail.
const OUR_REASONS: [&str; 2] = ["interrupted", "internal"];
/// Addresses kept of a change: the row of a run is read with each list.
const MOST_URLS: usize = 5;

/// What the end of a run means to its watch; `None` for a run without one. `why`: the run ended before its site did, so that
/// nothing can be said of what it did not ask.
pub(super) async fn finished(
    services: &Services,
    run: &SiteRunRecord,
    built: &Arc<BuiltSite>,
    why: Option<&str>,
) -> Result<Option<WatchedEnd>, Unfinished> {
    let Some(watch) = &run.watch else { return Ok(None) };
    let nothing = WatchedEnd { watch: watch.clone(), changes: None, problem: None, alert: None };
    let before = match &run.before {
        Some(before) if why.is_none() && built.report.score.is_some() => {
            services.database().store().site_run(before).await?
        }
        _ => None,
    };
    let Some(before) = before.filter(|before| counts(before) && judges_alike(before, run)) else {
        return Ok(Some(nothing));
    };
    let earlier = match report_of(services, &before).await {
        Ok(earlier) => earlier,
        // Another try would not read it either, and this run has a report of its own.
        Err(error) if error.code == Code::Internal => {
            tracing::error!(site_run.id = %before.id, "the run before can't be read, so nothing is compared with it");
            return Ok(Some(nothing));
        }
        Err(error) => return Err(Unfinished::Later(error.code.wire().to_owned())),
    };
    let scores = (earlier.report.score, built.report.score);
    let later = Arc::clone(built);
    let comparing = move || compared(&earlier, &later);
    let summary = off_worker(comparing).await.map_err(|error| Unfinished::Later(error.code.wire().to_owned()))?;
    let summary = summary.map_err(|failure| Unfinished::Later(failure.to_string()))?;
    let alert = match services.database().store().site_watcher(watch).await? {
        Some(watcher) if summary.got_worse() => {
            let alert = site_watches::broken(services, &watcher, run, scores, &summary);
            alert.map_err(|error| Unfinished::Never(error.to_string()))?
        }
        _ => None,
    };
    let changes = serde_json::to_string(&summary).map_err(|error| Unfinished::Never(error.to_string()))?;
    Ok(Some(WatchedEnd { changes: Some(changes), alert, ..nothing }))
}

/// What the failure of a run means to its watch; `None` for a run without one.
pub(super) async fn failed(
    services: &Services,
    run: &SiteRunRecord,
    reason: &str,
) -> Result<Option<WatchedEnd>, StoreError> {
    let Some(watch) = &run.watch else { return Ok(None) };
    let watcher = services.database().store().site_watcher(watch).await?;
    let is_told = |watcher: &store::SiteWatcher| watcher.watch.problem.as_deref() == Some(reason);
    let told = watcher.filter(|watcher| !OUR_REASONS.contains(&reason) && !is_told(watcher));
    let alert = told.and_then(|watcher| match site_watches::troubled(services, &watcher, &run.id, reason) {
        Ok(alert) => alert,
        Err(error) => {
            tracing::error!(site_run.id = %run.id, %error, "an alert could not be written");
            None
        }
    });
    let problem = Some(reason.to_owned());
    Ok(Some(WatchedEnd { watch: watch.clone(), changes: None, problem, alert }))
}

/// Whether both runs were judged by the same checks: a new check would tell of what was there before.
fn judges_alike(before: &SiteRunRecord, run: &SiteRunRecord) -> bool {
    let catalog = |run: &'_ SiteRunRecord| run.program.as_deref().and_then(catalog_of).map(str::to_owned);
    catalog(before).is_some_and(|before| catalog(run) == Some(before))
}

fn compared(earlier: &BuiltSite, later: &BuiltSite) -> Result<ChangeSummary, SpillFailure> {
    let snapshot = |built: &BuiltSite| Snapshot::of(&built.site, built.report.complete);
    let summary = ChangeSummary::of(&snapshot(earlier), &snapshot(later), &later.site, MOST_URLS);
    earlier.site.check().and_then(|()| later.site.check()).map(|()| summary)
}
