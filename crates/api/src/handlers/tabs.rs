//! Tabs: pages that the caller follows, with the history of each.

use model::billing::Gate;
use model::id::Owner;
use model::report::StoredAudit;
use model::tab::Tab;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::json;

use crate::operation::{Access, Json, Nothing, Operation, Written};
use service::Services;
use service::caller::Cx;
use service::config::Sku;
use service::error::{Code, ServiceError};
use service::tabs::{self, HistoryAnswer, TabAnswer, Workspace};
use service::{gate, watches};

/// Default for the runs of a history. Chosen: what a screen shows.
const USUAL_RUNS: u32 = 20;
/// Runs of a history at most. Chosen: bounds the reports read for one call.
const MOST_RUNS: u32 = 100;

/// What every call on one tab may be refused with.
const OF_A_TAB: &[Code] = &[Code::GuestTokenRequired, Code::TabNotFound, Code::DatabaseUnavailable];

/// The endpoints of this file.
// Long, as it is a table: an entry for each endpoint.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/tabs", "get_workspace", workspace)
            .text(
                "List your tabs",
                "The pages that you follow, oldest first, with the last run of the focused one, and what is left of \
                 your free tabs and audits.",
            )
            .access(Access::Owner)
            .errors(&[Code::GuestTokenRequired, Code::DatabaseUnavailable]),
        Operation::post("/api/tabs", "open_tab", open)
            .text(
                "Follow a page",
                "Opens a tab, which has the focus then; nothing is audited yet. A page that is followed already keeps its \
                 tab: the answer is that tab, and nothing is charged. Beyond the free tabs each one costs a payment.\n\n\
                 Example: `{\"url\": \"https://example.com/\", \"alias\": \"Home\"}`",
            )
            .access(Access::Owner)
            .check(|services: &Services, input: &OpenRequest| {
                tabs::alias_of(input.alias.as_deref())?;
                tabs::page_of(services, &input.url).map(drop)
            })
            .price(Sku::Tab, || json!({"ok": true, "tab": {"url": "https://example.com/", "alias": "Home"}}))
            .free_when(|cx: Cx, input: OpenRequest| async move {
                let url = tabs::page_of(&cx.services, &input.url)?;
                tabs::is_free(&cx, &url).await
            })
            .errors(&[
                Code::GuestTokenRequired,
                Code::InvalidUrl,
                Code::AddressNotAllowed,
                Code::PaymentRequired,
                Code::CrawlerNotAllowed,
                Code::TabLimit,
                Code::RateLimited,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/tabs/{id}", "get_tab", read)
            .text("Read a tab", "The tab with its last run; `result` is null when it never ran.")
            .access(Access::Owner)
            .errors(OF_A_TAB),
        Operation::patch("/api/tabs/{id}", "change_tab", change)
            .text(
                "Change a tab",
                "Names it, moves the focus to it, or watches its page. With `monitor` true the page is audited once a day, \
                 which costs nothing; a mail is sent when its score drops or a new error or warning appears, never when it \
                 got better. Alerts go to the account's address, or to `monitor_email` once its holder agreed, for which a \
                 mail asks. Guests can't watch pages.\n\nExample: `{\"monitor\": true}`",
            )
            .access(Access::Owner)
            .check(|_: &Services, input: &ChangeRequest| input.judge())
            .errors(&[
                Code::GuestTokenRequired,
                Code::AccountRequired,
                Code::TabNotFound,
                Code::MonitorLimit,
                Code::RateLimited,
                Code::MailUnavailable,
                Code::DatabaseUnavailable,
            ]),
        Operation::delete("/api/tabs/{id}", "close_tab", close)
            .text("Close a tab", "The page is followed no more. Its audits stay.")
            .access(Access::Owner)
            .errors(OF_A_TAB),
        Operation::post("/api/tabs/{id}/run", "run_tab", run)
            .text(
                "Audit a tab's page again",
                "Audits the page now and keeps the run. Spends one of the network's free audits, or a payment, as `POST \
                 /api/audit` does; what failed costs nothing.",
            )
            .access(Access::Owner)
            .price(Sku::Audit, || json!({"ok": true, "result": {"url": "https://example.com/", "score": 82}}))
            .errors(&[
                Code::GuestTokenRequired,
                Code::TabNotFound,
                Code::InvalidUrl,
                Code::AddressNotAllowed,
                Code::AllowanceSpent,
                Code::CrawlerNotAllowed,
                Code::RateLimited,
                Code::TargetBusy,
                Code::RedirectNotAllowed,
                Code::TargetUnreachable,
                Code::TargetTimeout,
                Code::TargetBlocked,
                Code::TargetRateLimited,
                Code::FacilitatorUnavailable,
                Code::DatabaseUnavailable,
            ]),
        Operation::get("/api/tabs/{id}/history", "get_tab_history", history)
            .text(
                "See how a page changed",
                "The runs of a tab, newest first, also those made before it was opened, each with what changed since the \
                 newest earlier run with a score: by code, never by message. What one of the two runs did not measure \
                 counts neither as broken nor as fixed, nor in the change of the score.",
            )
            .access(Access::Owner)
            .errors(OF_A_TAB),
    ]
}

/// The caller's tabs.
async fn workspace(cx: Cx, _: Nothing) -> Result<Written<Workspace>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let workspace = tabs::workspace(&cx, &owner).await?;
    Written::speaking(move || Ok(workspace)).await
}

/// A page to follow.
#[derive(Debug, Deserialize, JsonSchema)]
struct OpenRequest {
    /// Absolute http or https URL, at most 2,048 bytes; a fragment is dropped.
    url: String,
    /// What to call it, at most 100 characters.
    #[serde(default)]
    alias: Option<String>,
}

/// A tab that was opened or changed.
#[derive(Debug, Serialize, JsonSchema)]
struct Changed {
    /// Always true.
    ok: bool,
    tab: Tab,
}

/// Opens a tab.
async fn open(cx: Cx, input: OpenRequest) -> Result<Json<Changed>, ServiceError> {
    let owner = cx.caller.required_owner()?;
    let (url, alias) = (tabs::page_of(&cx.services, &input.url)?, tabs::alias_of(input.alias.as_deref())?);
    let tab = tabs::open(&cx, &owner, &url, alias).await?;
    Ok(Json::new(Changed { ok: true, tab }))
}

/// Which tab.
#[derive(Debug, Deserialize, JsonSchema)]
struct TabPath {
    /// Its id.
    id: String,
}

async fn found(cx: &Cx, id: &str) -> Result<(Owner, Tab), ServiceError> {
    let owner = cx.caller.required_owner()?;
    let tab = tabs::tab(&cx.services, &owner, id).await?;
    Ok((owner, tab))
}

/// A tab.
async fn read(cx: Cx, input: TabPath) -> Result<Written<TabAnswer>, ServiceError> {
    let (owner, tab) = found(&cx, &input.id).await?;
    let result = tabs::last_run(&cx.services, &owner, &tab, cx.lang).await?;
    Written::speaking(move || Ok(TabAnswer { tab, result })).await
}

/// What is to be changed of a tab; at least one of them.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(extend("minProperties" = 1))]
struct ChangeRequest {
    /// The tab's id.
    id: String,
    /// What to call it, at most 100 characters; empty or null for no name.
    #[serde(default, deserialize_with = "given")]
    alias: Option<Option<String>>,
    /// Whether it has the focus; the tab that had it loses it.
    #[serde(default)]
    active: Option<bool>,
    /// Whether its page is watched.
    #[serde(default)]
    monitor: Option<bool>,
    /// Where alerts go; empty or null for the account's own address.
    #[serde(default, deserialize_with = "given")]
    monitor_email: Option<Option<String>>,
}

/// Tells a field that is null from one that is absent.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<String>>, D::Error> {
    Option::<String>::deserialize(deserializer).map(Some)
}

impl ChangeRequest {
    fn judge(&self) -> Result<(), ServiceError> {
        let Self { id: _, alias, active, monitor, monitor_email } = self;
        if alias.is_none() && active.is_none() && monitor.is_none() && monitor_email.is_none() {
            return Err(ServiceError::new(Code::InvalidBody).detail("alias, active, monitor, monitor_email"));
        }
        tabs::alias_of(alias.clone().flatten().as_deref())?;
        watches::alert_address(monitor_email.clone().flatten().as_deref()).map(drop)
    }
}

/// Changes a tab.
async fn change(cx: Cx, input: ChangeRequest) -> Result<Json<Changed>, ServiceError> {
    let (owner, tab) = found(&cx, &input.id).await?;
    let edit = watches::TabEdit {
        alias: input.alias.map(|alias| tabs::alias_of(alias.as_deref())).transpose()?,
        active: input.active,
        monitor: input.monitor,
        alert_email: input.monitor_email.map(|email| watches::alert_address(email.as_deref())).transpose()?,
    };
    let tab = watches::change(&cx, &owner, &tab, edit).await?;
    Ok(Json::new(Changed { ok: true, tab }))
}

/// It is done (Ok).
#[derive(Debug, Serialize, JsonSchema)]
struct Done {
    /// Always true.
    ok: bool,
}

/// Closes a tab.
async fn close(cx: Cx, input: TabPath) -> Result<Json<Done>, ServiceError> {
    tabs::close(&cx.services, &cx.caller.required_owner()?, &input.id).await?;
    Ok(Json::new(Done { ok: true }))
}

/// A run that was made.
#[derive(Debug, Serialize, JsonSchema)]
struct RunAnswer {
    /// Always true.
    ok: bool,
    tab: Tab,
    /// What is left after this run.
    gate: Gate,
    result: StoredAudit,
}

/// Audits a tab's page again.
async fn run(cx: Cx, input: TabPath) -> Result<Written<RunAnswer>, ServiceError> {
    let (owner, tab) = found(&cx, &input.id).await?;
    let result = tabs::run(&cx, &tab).await?;
    let (mut tab, gate) = (tabs::tab(&cx.services, &owner, &tab.id).await?, gate::allowance(&cx).await?);
    // A paid run is its owner's only once the charge is final, and this answer is given out only then.
    (tab.audit_id, tab.score) = (Some(result.audit_id.clone()), Some(result.score));
    Written::speaking(move || Ok(RunAnswer { ok: true, tab, gate, result })).await
}

/// Whose history, and how much of it.
#[derive(Debug, Deserialize, JsonSchema)]
struct HistoryRequest {
    /// The tab's id.
    id: String,
    /// Runs at most: 20 by default, 100 at most.
    #[serde(default)]
    limit: Option<u32>,
}

/// A tab's runs.
async fn history(cx: Cx, input: HistoryRequest) -> Result<Written<HistoryAnswer>, ServiceError> {
    let (owner, tab) = found(&cx, &input.id).await?;
    let limit = input.limit.unwrap_or(USUAL_RUNS).clamp(1, MOST_RUNS);
    let runs = tabs::history(&cx.services, &owner, &tab, limit, cx.lang).await?;
    Written::speaking(move || Ok(HistoryAnswer { tab, runs, limit })).await
}
