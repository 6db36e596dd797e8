//! The workspace: the pages that the reader follows at the side, and one of them beside it: its last run, its history,
//! two runs compared, its watch and its name.

mod chart;
mod compare;
mod forms;
mod history;
mod settings;

use askama::Template;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::change::Change;
use model::finding::Counts;
use model::id::Owner;
use model::lang::Lang;
use model::tab::{Run, Tab};
use schemars::JsonSchema;
use serde::Serialize;
use service::tabs::TabAnswer;

use super::checks::severity_word;
use super::pieces::arc;
use super::{Frame, Reader, filters, guest_cookie, html, private};
use api::caller::of_page;
use render::band::Band;
use render::shown;
use service::Services;
use service::caller::Cx;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::tabs;

pub(super) use compare::{json as compare_json, show as compare};
pub(super) use forms::{close, open, rename, run, watch};
pub(super) use history::{csv as history_csv, json as history_json, show as history};
pub(super) use settings::show as settings;

/// Tabs of the list that say what changed: each reads two reports. As many as are free (`interface.md` section 8).
const COMPARED: usize = 20;
/// Findings of the last run that the workspace shows; the report has all.
const SHOWN: usize = 10;

/// The id in the path, if it is UTF-8.
type Id = Result<Path<String>, PathRejection>;

/// What all pages of the workspace show beside their own.
struct Space {
    tabs: Vec<TabLine>,
    /// What the forms of somebody who is signed in carry.
    csrf: Option<String>,
    is_guest: bool,
    free_tabs: u32,
    free_remaining: u32,
    free_allowance: u32,
    /// Why the form to follow a page was refused.
    problem: Option<String>,
    /// What was typed into it.
    typed: String,
}

/// A tab in the list.
struct TabLine {
    id: String,
    name: String,
    score: Option<u32>,
    /// Length of the arc of the score's ring.
    arc: Option<String>,
    band: &'static str,
    /// What changed since the run before.
    change: Option<ChangeView>,
    has_run: bool,
    is_watched: bool,
    is_shown: bool,
}

#[derive(Template)]
#[template(path = "workspace.html")]
struct EmptyPage<'a> {
    frame: Frame<'a>,
    space: Space,
    /// No tab is shown: what marks the views of one is no part of this page.
    tab: Option<&'a Tab>,
    view: &'static str,
}

#[derive(Template)]
#[template(path = "workspace_run.html")]
struct RunPage<'a> {
    frame: Frame<'a>,
    space: Space,
    tab: Option<&'a Tab>,
    view: &'static str,
    run: Option<RunView>,
}

/// The last run of a tab.
struct RunView {
    audit_id: String,
    /// RFC 3339.
    created_at: String,
    score: Option<u32>,
    band: &'static str,
    counts: Counts,
    /// What changed since the run before.
    change: Option<ChangeView>,
    /// Severity, its word, and message of the worst.
    findings: Vec<(&'static str, &'static str, String)>,
    more: usize,
}

/// A change in numbers.
struct ChangeView {
    /// With its sign; empty where one of the runs has no score.
    points: String,
    broke: usize,
    fixed: usize,
}

/// A reader and what is theirs.
struct Visit {
    cx: Cx,
    reader: Reader,
    query: Option<String>,
    /// `None`: somebody new.
    owner: Option<Owner>,
}

impl Visit {
    async fn of(app: &Services, parts: &Parts) -> Result<Self, ServiceError> {
        let reader = Reader::of(&parts.headers, parts.uri.query());
        let caller = of_page(app, parts, guest_cookie::read(app, &parts.headers)).await?;
        let owner = match caller.required_owner() {
            Ok(owner) => Some(owner),
            Err(error) if error.code == Code::GuestTokenRequired => None,
            Err(error) => return Err(error),
        };
        let query = parts.uri.query().map(str::to_owned);
        Ok(Self { cx: Cx::new(app, caller, reader.lang), reader, query, owner })
    }

    /// A tab of the reader; to anybody else there is none.
    async fn tab(&self, id: Id) -> Result<(&Owner, Tab), ServiceError> {
        let not_found = || ServiceError::new(Code::TabNotFound);
        let (Ok(Path(id)), Some(owner)) = (id, &self.owner) else { return Err(not_found()) };
        Ok((owner, tabs::tab(&self.cx.services, owner, &id).await?))
    }

    /// What stands beside the tab of this id.
    async fn space(&self, shown: Option<&str>) -> Result<Space, ServiceError> {
        let app = &self.cx.services;
        let tabs = match &self.owner {
            Some(owner) => self.lines(owner, shown).await?,
            None => Vec::new(),
        };
        let gate = service::gate::allowance(&self.cx).await?;
        let csrf = match &self.cx.caller.identity {
            Identity::Session(_) => {
                let keys = app.vault().keys()?;
                self.cx.caller.binding().map(|binding| keys.csrf(binding))
            }
            _ => None,
        };
        Ok(Space {
            tabs,
            csrf,
            is_guest: !matches!(self.owner, Some(Owner::Account(_) | Owner::Organization(_))),
            free_tabs: app.config().limits.free_tabs,
            free_remaining: gate.free_remaining,
            free_allowance: gate.free_allowance,
            problem: None,
            typed: String::new(),
        })
    }

    /// The tabs of an owner, the first of them with what changed in their last run.
    async fn lines(&self, owner: &Owner, shown: Option<&str>) -> Result<Vec<TabLine>, ServiceError> {
        let tabs = self.cx.services.database().ask(|store| store.tabs_of(owner)).await?;
        let mut lines = Vec::with_capacity(tabs.len());
        for (at, tab) in tabs.into_iter().enumerate() {
            let runs = if at < COMPARED && tab.audit_id.is_some() {
                tabs::history(&self.cx.services, owner, &tab, 2, self.reader.lang).await?
            } else {
                Vec::new()
            };
            let change = runs.first().and_then(|run| run.change.as_ref()).map(ChangeView::of);
            lines.push(TabLine::of(tab, change, shown));
        }
        Ok(lines)
    }

    fn frame(&self) -> Frame<'_> {
        Frame::new(&self.cx.services, self.reader).keeping_query(self.query.as_deref())
    }
}

impl TabLine {
    fn of(tab: Tab, change: Option<ChangeView>, shown: Option<&str>) -> Self {
        Self {
            name: name(&tab),
            score: tab.score,
            arc: tab.score.and_then(arc),
            change,
            band: band(tab.score),
            has_run: tab.audit_id.is_some(),
            is_watched: tab.monitor,
            is_shown: shown == Some(tab.id.as_str()),
            id: tab.id,
        }
    }
}

/// What a tab is called: as its owner does, else its address without what all have.
fn name(tab: &Tab) -> String {
    let bare = || tab.url.trim_start_matches("https://").trim_start_matches("http://").trim_end_matches('/').to_owned();
    tab.alias.clone().unwrap_or_else(bare)
}

/// The class of a score; empty where there is none.
fn band(score: Option<u32>) -> &'static str {
    score.map_or("", |score| Band::of(score).class())
}

/// The tab with the focus, or how to follow a first page.
pub(super) async fn show(State(app): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&app, &parts, async |visit| {
        let active = match &visit.owner {
            Some(owner) => app.database().ask(|store| store.tabs_of(owner)).await?.into_iter().find(|tab| tab.active),
            None => None,
        };
        match active {
            Some(tab) => Ok(redirect(&format!("/workspace/{}", tab.id), visit.reader.lang)),
            None => {
                let space = visit.space(None).await?;
                let page = EmptyPage { frame: visit.frame(), space, tab: None, view: "" };
                Ok(html(StatusCode::OK, &page, visit.reader.lang))
            }
        }
    })
    .await
}

/// The last run of a tab.
pub(super) async fn tab(State(app): State<Services>, id: Id, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&app, &parts, async |visit| {
        let (owner, tab) = visit.tab(id).await?;
        let runs = tabs::history(&app, owner, &tab, 2, visit.reader.lang).await?;
        let run = match runs.into_iter().next() {
            Some(run) => {
                let result = tabs::last_run(&app, owner, &tab, visit.reader.lang).await?;
                result.map(|result| RunView::of(run, result, visit.reader.lang))
            }
            None => None,
        };
        let space = visit.space(Some(&tab.id)).await?;
        let page = RunPage { frame: visit.frame(), space, tab: Some(&tab), view: "run", run };
        Ok(html(StatusCode::OK, &page, visit.reader.lang))
    })
    .await
}

impl ChangeView {
    fn of(change: &Change) -> Self {
        let points = change.score.map_or(String::new(), shown::signed);
        Self { points, broke: change.broke.len(), fixed: change.fixed.len() }
    }

    /// The class of the change: good where all of it is better, bad where something got worse.
    fn class(&self) -> &'static str {
        match (self.broke, self.points.starts_with('−'), self.fixed) {
            (0, false, 0) => "",
            (0, false, _) => "good",
            _ => "bad",
        }
    }
}

impl RunView {
    fn of(run: Run, result: model::report::StoredAudit, lang: Lang) -> Self {
        let more = result.issues.len().saturating_sub(SHOWN);
        let findings =
            result.issues.into_iter().take(SHOWN).map(|finding| {
                (finding.severity.word(), severity_word(finding.severity).in_lang(lang), finding.message)
            });
        Self {
            audit_id: run.audit_id,
            created_at: run.created_at.to_string(),
            score: run.score,
            band: band(run.score),
            counts: run.counts,
            change: run.change.as_ref().map(ChangeView::of),
            findings: findings.collect(),
            more,
        }
    }
}

/// The same as `GET /api/tabs`, for who reads the page.
pub(super) async fn json(State(app): State<Services>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&app, &parts, async |visit| match &visit.owner {
        Some(owner) => Ok(document(&tabs::workspace(&visit.cx, owner).await?, visit.reader.lang)),
        None => Err(ServiceError::new(Code::NotFound)),
    })
    .await
}

/// The same as `GET /api/tabs/:id`, for who reads the page.
pub(super) async fn tab_json(State(app): State<Services>, id: Id, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    answered(&app, &parts, async |visit| {
        let (owner, tab) = visit.tab(id).await?;
        let result = tabs::last_run(&app, owner, &tab, visit.reader.lang).await?;
        Ok(document(&TabAnswer { tab, result }, visit.reader.lang))
    })
    .await
}

/// Answers a request of the workspace's reader, or with the refusal as a page. Either is theirs alone.
async fn answered(
    app: &Services,
    parts: &Parts,
    answer: impl AsyncFnOnce(&Visit) -> Result<Response, ServiceError>,
) -> Response {
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let visit = Visit::of(app, parts).await?;
        answer(&visit).await
    };
    match done.await {
        Ok(response) => private(response),
        Err(error) => super::error::page(app, &error, reader),
    }
}

/// JSON for the page's reader.
fn document<T: Serialize + JsonSchema>(value: &T, lang: Lang) -> Response {
    super::report::document(value, lang)
}

/// On to a page of ours, in the same language.
fn redirect(path: &str, lang: Lang) -> Response {
    let mut response = Response::new(axum::body::Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    // Paths of ours hold ids, which are digits and hyphens.
    if let Ok(place) = HeaderValue::from_str(&format!("{path}?lang={}", lang.tag())) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    response
}
