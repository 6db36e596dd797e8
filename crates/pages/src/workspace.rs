//! The workspace: the list of followed pages, and the last run, history, comparison or settings of one.

mod chart;
mod compare;
mod forms;
mod history;
mod overview;
mod settings;
mod snooze;
mod space;
mod visit;
mod webhooks;

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::finding::Counts;
use model::lang::Lang;
use model::tab::{Run, Tab};
use service::tabs::{ReadableTab, TabAnswer};

use self::space::{ChangeCounts, Space, band};
use self::visit::{TabIdPath, answered, document};
use crate::challenge;
use crate::filters;
use crate::frame::Frame;
use crate::response::html;
use crate::words::severity_word;
use service::Services;
use service::error::{Code, ServiceError};
use service::tabs;

pub(super) use compare::{json as compare_json, show as compare};
pub(super) use forms::{close, open, run, run_all, save, snooze, watch};
pub(super) use history::{csv as history_csv, json as history_json, show as history};
pub(super) use settings::show as settings;
pub(super) use snooze::show as snooze_form;
pub(super) use webhooks::{send as send_webhooks, show as webhooks};

/// Findings of the last run that the workspace shows; the report has all.
const SHOWN: usize = 10;

#[derive(Template)]
#[template(path = "workspace_run.html")]
struct RunPage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    run: Option<RunView>,
    /// Whether this server sends alerts.
    has_mail: bool,
}

/// The last run of a tab.
struct RunView {
    audit_id: String,
    /// RFC 3339.
    created_at: String,
    score: Option<u32>,
    band: &'static str,
    counts: Counts,
    /// What changed since the run before, and the id of that run's audit.
    change: Option<(ChangeCounts, String)>,
    /// The worst.
    findings: Vec<RunFinding>,
    more: usize,
}

/// A finding of the last run, which leads to its fix in the report.
struct RunFinding {
    severity: &'static str,
    /// The severity as a word.
    word: &'static str,
    code: String,
    message: String,
}

/// All followed pages, or how to follow a first one.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| overview::page(visit).await).await
}

/// The last run of a tab.
pub(super) async fn tab(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let ReadableTab { owner, tab, .. } = visit.readable(id).await?;
        let runs = tabs::latest_runs(&services, &owner, &tab, 2, visit.reader.lang).await?;
        let mut runs = runs.into_iter();
        let run = match runs.next() {
            Some(run) => {
                let result = tabs::last_run(&services, &owner, &tab, visit.reader.lang).await?;
                result.map(|result| RunView::of(run, runs.next(), result, visit.reader.lang))
            }
            None => None,
        };
        let space = visit.space_of(Some(&owner), Some(&tab.id)).await?;
        let page = RunPage {
            frame: visit.frame(),
            space,
            tab: Some(&tab),
            view: "run",
            run,
            has_mail: services.mailer().is_some(),
        };
        let mut response = html(StatusCode::OK, &page, visit.reader.lang);
        challenge::allow(&mut response, page.space.challenge.as_ref());
        Ok(response)
    })
    .await
}

impl RunView {
    fn of(run: Run, before: Option<Run>, result: model::report::StoredAudit, lang: Lang) -> Self {
        let more = result.issues.len().saturating_sub(SHOWN);
        let findings =
            audit::score::most_urgent(&result.issues, &result.fixes).take(SHOWN).map(|(finding, _)| RunFinding {
                severity: finding.severity.word(),
                word: severity_word(finding.severity).in_lang(lang),
                code: finding.code.clone(),
                message: finding.message.clone(),
            });
        Self {
            audit_id: run.audit_id,
            created_at: run.created_at.to_string(),
            score: run.score,
            band: band(run.score),
            counts: run.counts,
            change: run.change.as_ref().map(ChangeCounts::of).zip(before.map(|run| run.audit_id)),
            findings: findings.collect(),
            more,
        }
    }
}

/// `GET /api/tabs` for the reader of the page.
pub(super) async fn json(State(services): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| match &visit.owner {
        Some(owner) => Ok(document(&tabs::workspace(&visit.cx, owner).await?, visit.reader.lang)),
        None => Err(ServiceError::new(Code::NotFound)),
    })
    .await
}

/// `GET /api/tabs/:id` for the reader of the page.
pub(super) async fn tab_json(State(services): State<Services>, id: TabIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&services, &parts, async |visit| {
        let ReadableTab { owner, tab, .. } = visit.readable(id).await?;
        let result = tabs::last_run(&services, &owner, &tab, visit.reader.lang).await?;
        let snoozes = tabs::snoozed(&services, &tab).await?;
        Ok(document(&TabAnswer { tab, result, snoozes }, visit.reader.lang))
    })
    .await
}
