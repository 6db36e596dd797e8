//! Responses about followed pages: the workspace, one tab with its last run, one with its history.

use model::billing::Gate;
use model::id::Owner;
use model::pricing::Billing;
use model::report::StoredAudit;
use model::tab::{Run, Tab};
use schemars::JsonSchema;
use serde::Serialize;

use super::runs::last_run;
use crate::billing;
use crate::caller::Cx;
use crate::error::ServiceError;
use crate::gate;

/// All tabs of the caller (Workspace).
#[derive(Debug, Serialize, JsonSchema)]
pub struct Workspace {
    /// Oldest first.
    tabs: Vec<Tab>,
    /// The tab with the focus.
    active_id: Option<String>,
    /// Its last run; null when it never ran.
    active_result: Option<StoredAudit>,
    /// Free tabs.
    limit: u32,
    /// `guest:<id>`, `account:<id>` or `organization:<id>`.
    owner: String,
    /// The allowance in force for the calling network.
    gate: Gate,
    /// How tabs beyond the free ones are paid.
    billing: Billing,
}

/// A tab and its last run.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TabAnswer {
    /// The tab.
    pub tab: Tab,
    /// Null when it never ran.
    pub result: Option<StoredAudit>,
}

/// The runs of a tab.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HistoryAnswer {
    /// The tab.
    pub tab: Tab,
    /// Newest first.
    pub runs: Vec<Run>,
    /// Runs at most, as applied.
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
