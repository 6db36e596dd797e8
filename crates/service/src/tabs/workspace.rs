//! Responses about followed pages: the workspace, one tab with its last run, one with its history.

use model::billing::Gate;
use model::id::Owner;
use model::lang::Lang;
use model::pricing::Billing;
use model::report::StoredAudit;
use model::tab::{Run, Snooze, Tab};
use schemars::JsonSchema;
use serde::Serialize;

use super::runs::{last_run, latest_runs};
use crate::billing;
use crate::caller::Cx;
use crate::error::ServiceError;
use crate::gate;
use crate::services::Services;

/// Default for the runs of a history. Chosen: what a screen shows.
const USUAL_RUNS: u32 = 20;
/// Runs of a history at most. Chosen: bounds the reports read for one call.
const MOST_RUNS: u32 = 100;

/// All followed pages of the caller (Workspace).
#[derive(Debug, Serialize, JsonSchema)]
pub struct Workspace {
    /// Oldest first.
    pub tabs: Vec<Tab>,
    /// The focused page.
    active_id: Option<String>,
    /// Its last run; null when it never ran.
    active_result: Option<StoredAudit>,
    /// Number of free followed pages.
    limit: u32,
    /// `guest:<id>`, `account:<id>` or `organization:<id>`.
    owner: String,
    /// The allowance of the calling network.
    gate: Gate,
    /// How to pay for followed pages beyond the free ones.
    billing: Billing,
}

/// A followed page and its last run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TabAnswer {
    /// The followed page.
    pub tab: Tab,
    /// Null when it never ran. Findings that are snoozed are not in its `fixFirst`.
    pub result: Option<StoredAudit>,
    /// Findings of the page that are snoozed now, with the reason.
    pub snoozes: Vec<Snooze>,
}

/// The history of a tab, with at most `limit` runs: 20 by default, 100 at most.
pub async fn history(
    services: &Services,
    owner: &Owner,
    tab: Tab,
    limit: Option<u32>,
    lang: Lang,
) -> Result<HistoryAnswer, ServiceError> {
    let limit = limit.unwrap_or(USUAL_RUNS).clamp(1, MOST_RUNS);
    let runs = latest_runs(services, owner, &tab, limit, lang).await?;
    let runs = runs.into_iter().map(|run| HistoryRun { id: run.audit_id.clone(), run }).collect();
    Ok(HistoryAnswer { tab, runs, limit })
}

/// A run in a history.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryRun {
    /// The same as `audit_id`.
    pub id: String,
    /// The run.
    #[serde(flatten)]
    pub run: Run,
}

/// The runs of a followed page.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryAnswer {
    /// The followed page.
    pub tab: Tab,
    /// Newest first.
    pub runs: Vec<HistoryRun>,
    /// Applied maximum number of runs.
    pub limit: u32,
}

/// The workspace of an owner.
pub async fn workspace(cx: &Cx, owner: &Owner) -> Result<Workspace, ServiceError> {
    let tabs = cx.services.database().ask(|store| store.tabs_of(owner)).await?;
    let active = tabs.iter().find(|tab| tab.active);
    let active_result = match active {
        Some(tab) => last_run(&cx.services, owner, tab, cx.lang).await?,
        None => None,
    };
    Ok(Workspace {
        active_id: active.map(|tab| tab.id.clone()),
        active_result,
        tabs,
        limit: cx.services.config().limits.free_tabs,
        owner: owner.to_string(),
        gate: gate::allowance(cx).await?,
        billing: billing::of(cx).await?,
    })
}
