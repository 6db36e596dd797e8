//! Runs of a followed page: making one, the last one, the history, and two of them compared.

use model::change::Change;
use model::finding::Counts;
use model::id::{AuditId, Owner};
use model::lang::{Lang, Text, text};
use model::report::{Report, StoredAudit};
use model::tab::{Run, Snooze, Tab};
use store::{RunRecord, RunScore, StoreError, StoredReport};

use super::change::{Compared, Judgement, between};
use super::open::{page_of, tab_id};
use crate::audits::{self, Finished};
use crate::blocking::off_worker;
use crate::caller::Cx;
use crate::database::{Database, DatabaseError};
use crate::error::{Code, ServiceError};
use crate::services::Services;
use crate::shares::report_path;

/// The latest run of a tab in `lang`; `None` before the first one.
pub async fn last_run(
    services: &Services,
    owner: &Owner,
    tab: &Tab,
    lang: Lang,
) -> Result<Option<StoredAudit>, ServiceError> {
    let Some(stored) = last_report(services, owner, tab).await? else { return Ok(None) };
    let snoozes = snoozed(services, tab).await?;
    off_worker(move || Some(without_snoozed(stored.stored_audit(lang), &snoozes))).await
}

/// The findings of a tab's page that are put off now.
pub async fn snoozed(services: &Services, tab: &Tab) -> Result<Vec<Snooze>, ServiceError> {
    let (id, now) = (tab_id(&tab.id)?, services.ports().now());
    Ok(services.database().ask(|store| store.snoozes_of(&id, now)).await?)
}

/// An audit as its owner reads it: what is put off is not among what to fix first. Its score stays.
pub fn without_snoozed(mut audit: StoredAudit, snoozes: &[Snooze]) -> StoredAudit {
    audit.fix_first.retain(|code| !snoozes.iter().any(|snooze| snooze.code == *code));
    audit
}

/// The latest run of a tab as it is stored; `None` before the first one.
pub async fn last_report(services: &Services, owner: &Owner, tab: &Tab) -> Result<Option<StoredReport>, ServiceError> {
    Ok(services.database().ask(|store| store.newest_audit_of(owner, &tab.url)).await?)
}

/// Audits a tab's page, and stores the run; an error when it can't be stored.
pub async fn run(cx: &Cx, tab: &Tab) -> Result<StoredReport, ServiceError> {
    let url = page_of(&cx.services, &tab.url)?;
    let requested_url = tab.url.clone();
    let made = move |Finished { id, report, created_at, .. }: Finished| {
        let requested_url = requested_url.clone();
        id.map(|id| StoredReport { id, requested_url, created_at, share_slug: None, report })
    };
    let run = Box::pin(audits::run(cx, &url, &tab_id(&tab.id)?, made)).await?;
    run.ok_or_else(|| ServiceError::new(Code::DatabaseUnavailable).retry_after(5))
}

/// Audits a tab's page, and stores the run; the tab after it, with the run.
pub async fn run_again(cx: &Cx, owner: &Owner, tab: &Tab) -> Result<(Tab, StoredReport), ServiceError> {
    let result = run(cx, tab).await?;
    let mut tab = super::open::tab(&cx.services, owner, &tab.id).await?;
    // A paid run is its owner's only once the charge is final, and this answer is given out only then.
    (tab.audit_id, tab.score) = (Some(result.id.0.clone()), Some(result.report.score));
    Ok((tab, result))
}

/// Compares two runs of a tab, by the ids of their audits.
pub async fn compared(
    services: &Services,
    owner: &Owner,
    tab: &Tab,
    before: String,
    after: String,
    lang: Lang,
) -> Result<Compared, ServiceError> {
    differ(&before, &after)?;
    let database = services.database();
    let (before, after) = (run_of(database, owner, tab, before).await?, run_of(database, owner, tab, after).await?);
    off_worker(move || Compared::of(&before, &after, lang)).await
}

/// Compares any two audits that the caller may read, of one page or of two.
pub async fn compared_audits(cx: &Cx, owner: &Owner, before: String, after: String) -> Result<Compared, ServiceError> {
    differ(&before, &after)?;
    let before = audits::readable(cx, owner, before).await?.stored;
    let after = audits::readable(cx, owner, after).await?.stored;
    let lang = cx.lang;
    off_worker(move || Compared::of(&before, &after, lang)).await
}

/// Refuses to compare an audit with itself.
fn differ(before: &str, after: &str) -> Result<(), ServiceError> {
    const SAME: Text = text(
        "after: names the same audit as before; name another audit",
        "after: indica a mesma auditoria que before; indique outra",
    );
    if before == after { Err(ServiceError::new(Code::InvalidParameter).explained(SAME.into())) } else { Ok(()) }
}

/// Reads a run of this tab.
async fn run_of(database: &Database, owner: &Owner, tab: &Tab, id: String) -> Result<StoredReport, ServiceError> {
    let not_found = || ServiceError::new(Code::AuditNotFound);
    uuid::Uuid::try_parse(&id).map_err(|_| not_found())?;
    let id = AuditId(id);
    let stored = database.ask(|store| store.audit_of(owner, &id)).await.map_err(|error| match error {
        DatabaseError::NotFound => not_found(),
        other => other.into(),
    })?;
    if stored.requested_url == tab.url { Ok(stored) } else { Err(not_found()) }
}

/// What changed from an earlier run to a report. CPU-bound, in proportion to the report.
pub fn change_since(before: &RunRecord, report: &Report, lang: Lang) -> Result<Change, ServiceError> {
    let judged = before.judged().map_err(|error| unreadable(&error))?;
    let after = Judgement::of_report(report, report.summary.is_none(), lang);
    Ok(between(&Judgement::of(judged, before.failed, lang), &after))
}

fn unreadable(error: &StoreError) -> ServiceError {
    tracing::error!(%error, "a stored run can't be read");
    ServiceError::new(Code::Internal)
}

/// The latest runs of a tab, at most `limit`, newest first, each with the change from the one before it.
pub async fn latest_runs(
    services: &Services,
    owner: &Owner,
    tab: &Tab,
    limit: u32,
    lang: Lang,
) -> Result<Vec<Run>, ServiceError> {
    let records = services.database().ask(|store| store.runs_of(owner, &tab.url, limit)).await?;
    let services = services.clone();
    off_worker(move || runs(&services, &records, lang)).await?.map_err(|error| unreadable(&error))
}

fn runs(services: &Services, records: &[RunRecord], lang: Lang) -> Result<Vec<Run>, StoreError> {
    // Oldest first, so that the latest earlier run with a score is at hand; one at a time, as reports are large.
    let mut earlier: Option<Judgement> = None;
    let mut runs = Vec::with_capacity(records.len());
    for record in records.iter().rev() {
        let judged = record.judged()?;
        let counts: Counts = judged.counts;
        let judgement = Judgement::of(judged, record.failed, lang);
        runs.push(Run {
            audit_id: record.id.0.clone(),
            score: judgement.score,
            counts,
            created_at: record.created_at,
            change: earlier.as_ref().map(|earlier| between(earlier, &judgement)),
            alerted: record.alerted,
            shared: record.share_slug.as_ref().map(|slug| services.url(&report_path(slug))),
            api: services.url(&format!("/api/audits/{}", record.id)),
        });
        if judgement.score.is_some() {
            earlier = Some(judgement);
        }
    }
    runs.reverse();
    Ok(runs)
}

/// Runs of each page whose scores a workspace shows.
const SCORES: u32 = 30;

/// Scores of the latest runs of every page that an owner follows, by page and then oldest first.
pub async fn scores(services: &Services, owner: &Owner) -> Result<Vec<RunScore>, ServiceError> {
    Ok(services.database().ask(|store| store.scores_of(owner, SCORES)).await?)
}

/// The run of the page before the one of this report.
pub async fn run_before(
    services: &Services,
    owner: &Owner,
    stored: &StoredReport,
) -> Result<Option<RunRecord>, ServiceError> {
    Ok(services.database().ask(|store| store.run_before(owner, stored)).await?)
}
