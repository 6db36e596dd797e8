//! A request to the workspace: its reader and their tabs.

use api::caller::of_page;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::id::Owner;
use model::lang::Lang;
use model::tab::Tab;
use schemars::JsonSchema;
use serde::Serialize;

use super::space::{ChangeCounts, Space, TabLine};
use crate::allowance::NextAudit;
use crate::challenge;
use crate::credit::CreditField;
use crate::csrf;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::private;
use service::Services;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::tabs;

/// Tabs of the list that show what changed: each reads two reports. Chosen: as many as the default of `limits.free_tabs`.
const COMPARED: usize = 20;

/// The id in the path; an error where it is not UTF-8.
pub(super) type TabIdPath = Result<Path<String>, PathRejection>;

/// The reader of the workspace, and the owner of their tabs.
pub(super) struct WorkspaceVisit {
    pub(super) cx: Cx,
    pub(super) reader: Reader,
    pub(super) query: Option<String>,
    /// `None` for a reader without an identity.
    pub(super) owner: Option<Owner>,
}

impl WorkspaceVisit {
    pub(super) async fn of(services: &Services, parts: &Parts) -> Result<Self, ServiceError> {
        let reader = Reader::of(&parts.headers, parts.uri.query());
        let caller = of_page(services, parts).await?;
        let owner = match caller.required_owner() {
            Ok(owner) => Some(owner),
            Err(error) if error.code == Code::GuestTokenRequired => None,
            Err(error) => return Err(error),
        };
        let query = parts.uri.query().map(str::to_owned);
        Ok(Self { cx: Cx::new(services, caller, reader.lang), reader, query, owner })
    }

    /// A tab of the reader, with its owner; [`Code::TabNotFound`] for anybody else.
    pub(super) async fn tab(&self, id: TabIdPath) -> Result<(&Owner, Tab), ServiceError> {
        let not_found = || ServiceError::new(Code::TabNotFound);
        let (Ok(Path(id)), Some(owner)) = (id, &self.owner) else { return Err(not_found()) };
        Ok((owner, tabs::tab(&self.cx.services, owner, &id).await?))
    }

    /// The list of tabs, in which `shown` is marked.
    pub(super) async fn space(&self, shown: Option<&str>) -> Result<Space, ServiceError> {
        let services = &self.cx.services;
        let tabs = match &self.owner {
            Some(owner) => self.lines(owner, shown).await?,
            None => Vec::new(),
        };
        let next = NextAudit::of(&self.cx).await?;
        Ok(Space {
            tabs,
            csrf: csrf::of_call(&self.cx)?,
            challenge: challenge::of_call(&self.cx),
            credit: CreditField::of_caller(
                services,
                &self.cx.caller,
                &shown.map_or("/workspace".to_owned(), |id| format!("/workspace/{id}")),
            ),
            is_guest: self.is_guest(),
            free_tabs: services.config().limits.free_tabs,
            left: next.left(self.reader.lang),
            cost: next.for_audits(1, self.reader.lang),
            problem: None,
            typed: String::new(),
        })
    }

    /// Whether the reader has no account.
    pub(super) fn is_guest(&self) -> bool {
        !matches!(self.owner, Some(Owner::Account(_) | Owner::Organization(_)))
    }

    /// The tabs of an owner, the first of them with what changed in their last run.
    pub(super) async fn lines(&self, owner: &Owner, shown: Option<&str>) -> Result<Vec<TabLine>, ServiceError> {
        let tabs = tabs::list(&self.cx.services, owner).await?;
        let mut lines = Vec::with_capacity(tabs.len());
        for (at, tab) in tabs.into_iter().enumerate() {
            let runs = if at < COMPARED && tab.audit_id.is_some() {
                tabs::latest_runs(&self.cx.services, owner, &tab, 2, self.reader.lang).await?
            } else {
                Vec::new()
            };
            let change = runs.first().and_then(|run| run.change.as_ref()).map(ChangeCounts::of);
            lines.push(TabLine::of(tab, change, shown));
        }
        Ok(lines)
    }

    pub(super) fn frame(&self) -> Frame<'_> {
        Frame::new(&self.cx.services, self.reader).below("/workspace").keeping_query(self.query.as_deref())
    }
}

/// Answers a request, or with an error page. Both are private to the reader.
pub(super) async fn answered(
    services: &Services,
    parts: &Parts,
    answer: impl AsyncFnOnce(&WorkspaceVisit) -> Result<Response, ServiceError>,
) -> Response {
    let reader = Reader::of(&parts.headers, parts.uri.query());
    let done = async {
        let visit = WorkspaceVisit::of(services, parts).await?;
        answer(&visit).await
    };
    match done.await {
        Ok(response) => private(response),
        Err(error) => crate::error::page(services, &error, reader),
    }
}

/// JSON for the page's reader.
pub(super) fn document<T: Serialize + JsonSchema>(value: &T, lang: Lang) -> Response {
    crate::report::document(value, lang)
}

/// Redirects (303) to a page of ours, in the same language.
pub(super) fn redirect(path: &str, lang: Lang) -> Response {
    let mut response = Response::new(axum::body::Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let mark = if path.contains('?') { '&' } else { '?' };
    // Paths of ours hold ids, which are digits and hyphens.
    if let Ok(place) = HeaderValue::from_str(&format!("{path}{mark}lang={}", lang.tag())) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    response
}
