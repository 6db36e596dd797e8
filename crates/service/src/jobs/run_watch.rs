//! One run of a daily watch, and its alert.

use model::capture::{Capture, FailureKind, FetchFailure, Fetched, Source};
use model::change::Change;
use model::finding::Severity;
use model::id::{AuditId, TabId};
use model::lang::Lang;
use model::report::Report;
use model::time::Timestamp;
use store::{ClaimedJob, RunRecord, StoreError, WatchRun, WatchedTab};

use super::ending::{Ending, Unfinished};
use crate::audits::{announcement, note_times};
use crate::blocking::off_worker;
use crate::counting::Event;
use crate::network::Network;
use crate::services::Services;
use crate::snoozes;
use crate::tabs::{self, Judgement, between};
use crate::watches::{self, Alerted};
use engine::{AuditFailure, AuditInputs, Audited, Scheme};

/// How long an unreachable page is retried before the run reports it as unreachable, in milliseconds. Chosen: an hour,
/// longer than a usual deployment or restart.
const PATIENCE_MS: i64 = 3_600_000;

/// Result of a watch's audit.
struct WatchResult {
    report: Report,
    /// The page was unreachable.
    failed: bool,
}

/// Audits the page of a watched tab, stores the run, and queues the alert.
pub(super) async fn run(
    services: &Services,
    claimed: &ClaimedJob,
    tab: &TabId,
    day: i64,
) -> Result<Ending, Unfinished> {
    let store = services.database().store();
    let Some(watched) = store.watched_tab(tab).await? else { return Ok(Ending::Done) };
    let created_at = services.ports().now();
    let is_last_try = created_at >= claimed.created_at.plus_ms(PATIENCE_MS);
    let found = look(services, &watched, created_at, is_last_try).await?;
    let (last, scored) = store.last_runs(&watched.owner, &watched.url).await?;
    let audit = AuditId(services.ports().id());
    let lang = watches::lang_of(&watched);
    // Reported once; not again until the page was reached in between.
    let was_reported = found.failed && last.is_some_and(|run| run.failed);
    let (found, change) = compared(found, scored, lang).await?;
    let snoozed = snoozes::codes(services, tab).await?;
    let change = change.map(|change| snoozes::unsnoozed(change, &snoozed));
    let change = change.filter(|change| !was_reported && got_worse(change));
    let announcement = if store.has_subscribers(&watched.owner).await? {
        Some(announcement(services, &watched.owner, tab, &audit, change.is_some()))
    } else {
        None
    };
    let alert = match change {
        Some(change) => {
            let alerted =
                Alerted { watched: &watched, tab, audit: &audit, report: &found.report, change: &change, day };
            watches::alert(services, &alerted).map_err(|error| Unfinished::Never(error.to_string()))?
        }
        None => None,
    };
    let (alerts, failed, score) = (alert.is_some(), found.failed, found.report.score);
    let run = WatchRun {
        lease: claimed.lease.clone(),
        tab: tab.clone(),
        owner: watched.owner,
        url: watched.url,
        audit: audit.clone(),
        created_at,
        report: store.pack(&found.report)?,
        failed,
        now: services.ports().now(),
        alert,
        announcement,
    };
    let counts = store.keep_watch_run(run).await?;
    if counts && !failed {
        let (counter, now) = (services.counter(), services.ports().now());
        counter.add(&Event::Audit, now);
        counter.add_findings(found.report.findings.iter().map(|finding| &*finding.code), None, now);
    }
    tracing::info!(audit.id = %audit, failed, score, alerts, counts, "a watched page was audited");
    Ok(if counts { Ending::Written } else { Ending::Late })
}

/// Audits the page. An unreachable one is retried later, until `is_last_try`.
async fn look(
    services: &Services,
    watched: &WatchedTab,
    now: Timestamp,
    is_last_try: bool,
) -> Result<WatchResult, Unfinished> {
    let later = |why: &str| Unfinished::Later(why.to_owned());
    let url = match tabs::page_of(services, &watched.url) {
        Ok(url) => url,
        // The operator changed the rules for target addresses since the tab was opened.
        Err(error) => {
            return unreached(services, watched, now, failure(&watched.url, error.code.wire()), is_last_try).await;
        }
    };
    let target = services.concurrency().target(&url);
    let ours = Network::of(std::net::Ipv4Addr::LOCALHOST.into());
    let _slots =
        services.concurrency().enter(ours, target.as_deref()).await.map_err(|error| later(error.code.wire()))?;
    let deadline = services.engine().deadline();
    let page = services.engine().page(&url, deadline).await;
    if matches!(&page, Fetched::Failed(failure) if failure.kind == FailureKind::OwnLimit) {
        // It says nothing of the page, so it is never a run.
        return Err(later("this machine has no file descriptor left"));
    }
    match audit::blocked(&page) {
        // Not a finding: the site rate-limits us.
        Some(blocked) if blocked.rate_limited => {
            return unreached(services, watched, now, failure(url.as_str(), "rate_limited"), is_last_try).await;
        }
        Some(_) => return unreached(services, watched, now, page, is_last_try).await,
        None if page.response().is_none() => return unreached(services, watched, now, page, is_last_try).await,
        None => {}
    }
    let given = AuditInputs {
        started_at: now,
        nonce: services.ports().nonce(),
        scheme: Scheme::Typed,
        progress: None,
        keep_sitemaps: false,
    };
    let finish = |audited: Audited| (audited.report, audited.times);
    // Boxed, as its future has 100 KB, of which each caller above would have a copy on its stack.
    let audited = Box::pin(services.engine().audit_page(&url, page, given, deadline, finish)).await;
    match audited {
        Ok((report, times)) => {
            note_times(services, &times);
            Ok(WatchResult { report, failed: false })
        }
        Err(AuditFailure::Overloaded) => Err(later("no core came free")),
        Err(AuditFailure::Defect) => Err(later("the audit failed; this is a defect")),
        // The page was reached.
        Err(AuditFailure::Fetch(failure)) => Err(later(&failure.reason)),
        Err(AuditFailure::Blocked(blocked)) => Err(later(&blocked.vendor)),
    }
}

fn failure(url: &str, reason: &str) -> Fetched {
    let (kind, reason) = (FailureKind::Unreachable, reason.to_owned());
    Fetched::Failed(FetchFailure { kind, reason, hops: Vec::new(), url: url.to_owned() })
}

/// The run of an unreachable page, after the last try.
async fn unreached(
    services: &Services,
    watched: &WatchedTab,
    now: Timestamp,
    page: Fetched,
    is_last_try: bool,
) -> Result<WatchResult, Unfinished> {
    if !is_last_try {
        return Err(Unfinished::Later("the page could not be reached".to_owned()));
    }
    let capture = Capture {
        requested_url: watched.url.clone(),
        started_at: now,
        nonce: services.ports().nonce(),
        source: Source::Network,
        page,
        extras: Vec::new(),
        field_data: None,
    };
    let judged = services.engine().judge(capture, |report| report).await;
    let report = judged.map_err(|_| Unfinished::Later("no core came free".to_owned()))?;
    Ok(WatchResult { report: Report { summary: None, score: 0, ..report }, failed: true })
}

/// The result, and what changed since the latest run with a score; `None` when there is none. CPU-bound, as reports
/// are large.
async fn compared(
    found: WatchResult,
    scored: Option<RunRecord>,
    lang: Lang,
) -> Result<(WatchResult, Option<Change>), Unfinished> {
    let comparing = move || {
        let Some(before) = scored else { return Ok((found, None)) };
        let before = Judgement::of(before.judged()?, before.failed, lang);
        let after = Judgement::of_report(&found.report, found.failed, lang);
        let change = between(&before, &after);
        Ok((found, Some(change)))
    };
    let compared: Result<_, StoreError> =
        off_worker(comparing).await.map_err(|error| Unfinished::Later(error.code.wire().to_owned()))?;
    Ok(compared?)
}

/// Whether a change calls for an alert: a lower score, or a new error or warning.
fn got_worse(change: &Change) -> bool {
    let is_lower = change.score.is_some_and(|points| points < 0);
    is_lower || change.broke.iter().any(|changed| matches!(changed.severity, Severity::Error | Severity::Warn))
}

#[cfg(test)]
mod tests;
