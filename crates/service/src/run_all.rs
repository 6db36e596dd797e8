//! Running all followed pages of an owner at once: which, and what it costs.

use model::id::Owner;
use model::tab::Tab;

use crate::caller::Cx;
use crate::config::Sku;
use crate::error::ServiceError;
use crate::gate;
use crate::tabs;

/// Pages that run at once at most. Chosen: as many as the default of `limits.free_tabs`.
pub const MOST_RUNS: usize = 20;

/// The pages that would run now: those that ran longest ago first, as many as there are free audits.
pub async fn tabs_to_run(cx: &Cx, owner: &Owner) -> Result<Vec<Tab>, ServiceError> {
    let services = &cx.services;
    let most = if gate::is_free_for_now(services, Sku::Audit) || gate::is_on_trial(services, &cx.caller) {
        MOST_RUNS
    } else {
        let left = gate::free_remaining(services, cx.caller.network).await?;
        MOST_RUNS.min(usize::try_from(left).unwrap_or(MOST_RUNS))
    };
    let scores = tabs::scores(services, owner).await?;
    let last = |tab: &Tab| scores.iter().filter(|run| run.url == tab.url).map(|run| run.created_at).max();
    let mut tabs = tabs::list(services, owner).await?;
    tabs.sort_by_key(last);
    tabs.truncate(most);
    Ok(tabs)
}
