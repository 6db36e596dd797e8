//! A request to the workspace: its reader and their tabs.

use api::caller::of_page;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::id::Owner;
use model::lang::{Lang, Text, text};
use model::tab::Tab;
use schemars::JsonSchema;
use serde::Serialize;

use super::space::{ChangeCounts, Space, TabLine, WorkspacePlace};
use crate::allowance::NextAudit;
use crate::challenge;
use crate::credit::CreditField;
use crate::csrf;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::private;
use service::Services;
use service::accounts::organizations;
use service::caller::{Cx, Identity};
use service::error::{Code, ServiceError};
use service::tabs::{self, ReadableTab};
use store::OrganizationRecord;

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

    /// A tab of the reader, or of an organization that they are a member of; [`Code::TabNotFound`] for anybody else.
    pub(super) async fn readable(&self, id: TabIdPath) -> Result<ReadableTab, ServiceError> {
        let not_found = || ServiceError::new(Code::TabNotFound);
        let (Ok(Path(id)), Some(_)) = (id, &self.owner) else { return Err(not_found()) };
        tabs::readable(&self.cx, &id).await
    }

    /// The list of the reader's tabs, in which `shown` is marked.
    pub(super) async fn space(&self, shown: Option<&str>) -> Result<Space, ServiceError> {
        self.space_of(self.owner.as_ref(), shown).await
    }

    /// The list of an owner's tabs: the reader's, or those of an organization that they are a member of.
    pub(super) async fn space_of(&self, owner: Option<&Owner>, shown: Option<&str>) -> Result<Space, ServiceError> {
        let services = &self.cx.services;
        let tabs = match owner {
            Some(owner) => self.lines(owner, shown).await?,
            None => Vec::new(),
        };
        let organizations = match self.cx.caller.identity {
            Identity::Session(_) => organizations::list(&self.cx).await?,
            _ => Vec::new(),
        };
        let shown_organization = match owner {
            Some(Owner::Organization(id)) => organizations.iter().find(|organization| organization.id == *id),
            _ => None,
        };
        let next = NextAudit::of(&self.cx).await?;
        let way_back = shown.map_or("/workspace".to_owned(), |id| format!("/workspace/{id}"));
        Ok(Space {
            places: self.places(&organizations, shown_organization),
            members_note: shown_organization.map(|organization| members_note(&organization.name, self.reader.lang)),
            tabs,
            csrf: csrf::of_call(&self.cx)?,
            challenge: challenge::of_call(&self.cx).filter(|_| shown_organization.is_none()),
            credit: CreditField::of_caller(services, &self.cx.caller, &way_back),
            is_guest: self.is_guest(),
            free_tabs: services.config().limits.free_tabs,
            left: next.left(self.reader.lang),
            cost: next.for_audits(1, self.reader.lang),
            problem: None,
            typed: String::new(),
        })
    }

    /// Whose pages the reader can see.
    fn places(&self, organizations: &[OrganizationRecord], shown: Option<&OrganizationRecord>) -> Vec<WorkspacePlace> {
        if organizations.is_empty() {
            return Vec::new();
        }
        let lang = self.reader.lang;
        let own = WorkspacePlace {
            name: text("Your pages", "As suas páginas").in_lang(lang).to_owned(),
            path: format!("/workspace?lang={}", lang.tag()),
            is_shown: shown.is_none(),
        };
        let of_organization = |organization: &OrganizationRecord| WorkspacePlace {
            name: organization.name.clone(),
            path: format!("/workspace?organization={}&lang={}", organization.id, lang.tag()),
            is_shown: shown.is_some_and(|shown| shown.id == organization.id),
        };
        std::iter::once(own).chain(organizations.iter().map(of_organization)).collect()
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

/// What a member of an organization can do with its pages.
fn members_note(organization: &str, lang: Lang) -> String {
    const NOTE: Text = text(
        "You read these pages as a member of {organization}. They are changed with an API key of the organization.",
        "Você lê estas páginas como membro de {organization}. Elas são alteradas com uma chave de API da organização.",
    );
    NOTE.phrase(&[("organization", organization.into())]).in_lang(lang).to_owned()
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
