//! Followed pages: opening one, running it again, and what changed from run to run. Behind the API, the pages and the
//! daily watch.

mod change;
mod words;
mod workspace;

use model::change::Change;
use model::finding::Counts;
use model::id::{AuditId, Owner, TabId};
use model::lang::{Lang, text};
use model::report::{Report, StoredAudit};
use model::tab::{Run, Tab};
use store::{MOST_TABS, NewTab, Opening, RunRecord, StoreError, StoredReport};
use url::Url;

use crate::audits::{self, Finished};
use crate::blocking::off_worker;
use crate::caller::Cx;
use crate::config::Sku;
use crate::database::Trouble;
use crate::error::{Code, ServiceError};
use crate::gate;
use crate::services::Services;
use crate::shares::report_path;

pub use change::{Compared, ComparedRun, Judgement, between};
pub use words::Kind as WordKind;
pub use workspace::{HistoryAnswer, TabAnswer, Workspace, workspace};

/// Characters of a tab's name.
pub(crate) const ALIAS_CHARS: usize = 100;

/// The page that a tab follows: `typed` as every audit reads it, without its fragment, which no server sees.
pub fn page_of(app: &Services, typed: &str) -> Result<Url, ServiceError> {
    let mut url = app.engine().fetcher().intake(typed)?;
    url.set_fragment(None);
    Ok(url)
}

/// A tab's name as it is kept; `None` for an empty one.
pub fn alias_of(typed: Option<&str>) -> Result<Option<String>, ServiceError> {
    let alias = typed.unwrap_or_default().trim();
    if alias.chars().count() > ALIAS_CHARS || alias.chars().any(char::is_control) {
        let shape = text(
            "alias: at most 100 characters, without line ends",
            "alias: no máximo 100 caracteres, sem fim de linha",
        );
        return Err(ServiceError::new(Code::InvalidBody).explained(shape.into()));
    }
    Ok((!alias.is_empty()).then(|| alias.to_owned()))
}

/// Opens a tab of the caller, or finds the one that follows the page already; either has the focus then.
pub async fn open(cx: &Cx, owner: &Owner, url: &Url, alias: Option<String>) -> Result<Tab, ServiceError> {
    let (id, created_at) = (TabId(cx.services.ports().id()), cx.services.ports().now());
    let withheld = cx.withheld.as_deref().map(str::to_owned);
    let new = NewTab { id, owner: owner.clone(), url: url.as_str().to_owned(), alias, withheld, created_at };
    let free = cx.services.config().limits.free_tabs;
    let most = if gate::is_let_through(cx, Sku::Tab) { MOST_TABS } else { free };
    match cx.services.database().ask(|store| store.open_tab(new, most)).await? {
        // Opened by another call meanwhile, so there is nothing to pay for: what is held is given back, and the repeat of
        // this call is free.
        Opening::Known(_) if cx.withheld.is_some() => Err(ServiceError::new(Code::PaymentInProgress).retry_after(1)),
        Opening::New(tab) | Opening::Known(tab) => Ok(tab),
        Opening::Full if most < MOST_TABS => Err(ServiceError::new(Code::PaymentRequired)),
        Opening::Full => Err(ServiceError::new(Code::TabLimit)),
    }
}

/// Whether opening a tab for a page costs nothing: it is open already, or one of the free ones is left.
pub async fn is_free(cx: &Cx, url: &Url) -> Result<bool, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let database = cx.services.database();
    if database.ask(|store| store.count_tabs(&owner)).await? < cx.services.config().limits.free_tabs {
        return Ok(true);
    }
    Ok(database.ask(|store| store.tab_of_page(&owner, url.as_str())).await?.is_some())
}

/// A tab of an owner.
pub async fn tab(app: &Services, owner: &Owner, id: &str) -> Result<Tab, ServiceError> {
    let id = tab_id(id)?;
    app.database().ask(|store| store.tab_of(owner, &id)).await.map_err(unknown_tab)
}

/// What is an id of a tab by its shape: other texts need no look-up.
pub fn tab_id(id: &str) -> Result<TabId, ServiceError> {
    uuid::Uuid::try_parse(id).map_err(|_| ServiceError::new(Code::TabNotFound))?;
    Ok(TabId(id.to_owned()))
}

/// The refusal where a tab was asked for.
pub fn unknown_tab(trouble: Trouble) -> ServiceError {
    match trouble {
        Trouble::NotFound => ServiceError::new(Code::TabNotFound),
        other => other.into(),
    }
}

/// The last run of a tab; `None` before the first one.
pub async fn last_run(
    app: &Services,
    owner: &Owner,
    tab: &Tab,
    lang: Lang,
) -> Result<Option<StoredAudit>, ServiceError> {
    let stored = app.database().ask(|store| store.newest_audit_of(owner, &tab.url)).await?;
    let Some(stored) = stored else { return Ok(None) };
    off_worker(move || Some(stored.stored_audit(lang))).await
}

/// Audits a tab's page now, and keeps the run: what can't be kept is no run.
pub async fn run(cx: &Cx, tab: &Tab) -> Result<StoredAudit, ServiceError> {
    let url = page_of(&cx.services, &tab.url)?;
    let lang = cx.lang;
    let made = move |Finished { id, report, created_at, .. }: Finished| {
        id.map(|id| report.stored_audit(&id, created_at, None, lang))
    };
    let run = audits::audit(cx, &url, made).await?;
    run.ok_or_else(|| ServiceError::new(Code::DatabaseUnavailable).retry_after(5))
}

/// Two runs of a tab, by the ids of their audits.
pub async fn compared(
    app: &Services,
    owner: &Owner,
    tab: &Tab,
    before: String,
    after: String,
    lang: Lang,
) -> Result<Compared, ServiceError> {
    let (before, after) = (run_of(app, owner, tab, before).await?, run_of(app, owner, tab, after).await?);
    off_worker(move || Compared::of(&before, &after, lang)).await
}

/// A run of this very tab.
async fn run_of(app: &Services, owner: &Owner, tab: &Tab, id: String) -> Result<StoredReport, ServiceError> {
    let not_found = || ServiceError::new(Code::AuditNotFound);
    uuid::Uuid::try_parse(&id).map_err(|_| not_found())?;
    let id = AuditId(id);
    let stored = app.database().ask(|store| store.audit_of(owner, &id)).await.map_err(|trouble| match trouble {
        Trouble::NotFound => not_found(),
        other => other.into(),
    })?;
    if stored.requested_url == tab.url { Ok(stored) } else { Err(not_found()) }
}

/// What changed from an earlier run of a page to a report of it. Takes as long as a report is large.
pub fn change_since(before: &RunRecord, report: &Report, lang: Lang) -> Result<Change, ServiceError> {
    let judged = before.judged().map_err(|error| unreadable(&error))?;
    let after = Judgement::of_report(report, report.summary.is_none(), lang);
    Ok(between(&Judgement::of(judged, before.failed, lang), &after))
}

fn unreadable(error: &StoreError) -> ServiceError {
    tracing::error!(%error, "a stored run can't be read");
    ServiceError::new(Code::Internal)
}

/// The newest runs of a tab, at most `limit`, newest first, each with what changed since the one before it.
pub async fn history(
    app: &Services,
    owner: &Owner,
    tab: &Tab,
    limit: u32,
    lang: Lang,
) -> Result<Vec<Run>, ServiceError> {
    let records = app.database().ask(|store| store.runs_of(owner, &tab.url, limit)).await?;
    let app = app.clone();
    off_worker(move || runs(&app, &records, lang)).await?.map_err(|error| unreadable(&error))
}

fn runs(app: &Services, records: &[RunRecord], lang: Lang) -> Result<Vec<Run>, StoreError> {
    // Oldest first, so that the newest earlier run with a score is at hand; one at a time, as reports are large.
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
            shared: record.share_slug.as_ref().map(|slug| app.url(&report_path(slug))),
            api: app.url(&format!("/api/audits/{}", record.id)),
        });
        if judgement.score.is_some() {
            earlier = Some(judgement);
        }
    }
    runs.reverse();
    Ok(runs)
}

/// The tabs of an owner, oldest first.
pub async fn list(services: &Services, owner: &Owner) -> Result<Vec<Tab>, ServiceError> {
    Ok(services.database().ask(|store| store.tabs_of(owner)).await?)
}

/// Closes a tab; its runs stay audits of the owner.
pub async fn close(services: &Services, owner: &Owner, id: &str) -> Result<(), ServiceError> {
    let id = tab_id(id)?;
    services.database().ask(|store| store.close_tab(owner, &id)).await.map_err(unknown_tab)
}

/// The run of the page before the one of this report.
pub async fn run_before(
    services: &Services,
    owner: &Owner,
    stored: &StoredReport,
) -> Result<Option<RunRecord>, ServiceError> {
    Ok(services.database().ask(|store| store.run_before(owner, stored)).await?)
}
