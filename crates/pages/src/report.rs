//! The report of an audit, for its owner.

mod alerts;
mod change;
mod decision;
mod diff;
mod documents;
mod facts;
mod filter;
mod findings;
mod lab;
mod lookup;
mod owner;
mod previews;
mod public;
mod shown;
mod tables;
mod take_along;
mod verify;
mod view;

use std::sync::Arc;

use api::request::{BODY_BYTES, read_body};
use audit::check::Family;
use axum::body::Body;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::id::Owner;
use model::lab::Strategy;
use model::lang::Lang;
use model::tab::{Snooze, Tab};
use schemars::JsonSchema;
use serde::Serialize;
use service::shares;
use store::{RunRecord, StoredReport};

use crate::address::{tool_of_query, with_lang};
use crate::allowance::NextAudit;
use crate::reader::Reader;
use crate::response::{html, private};
use crate::{csrf, error};
use api::caller::same_origin;
use api::caller::{guard_form, of_page_with};
use service::Services;
use service::audits::ReadableReport;
use service::caller::Cx;
use service::caller::Identity;
use service::error::{Code, ServiceError};
use service::lab_tests;
use service::running::UnkeptReport;
use service::snoozes;
use service::tabs;
use shown::{OwnersView, RefusedAlerts, RunBefore};

pub(super) use alerts::submit as ask_for_alerts;
pub(super) use documents::{document, file, form, receipt, report_file};
pub(super) use filter::Filter;
pub(super) use lookup::{ReportIdPath, made, owned_by_caller};
pub(super) use shown::{EXAMPLE_PATH, Eyes, Shown};
pub(super) use verify::submit as verify;
pub(super) use view::view;

/// A report of an owner, and the rest of what its page shows.
struct OwnedReport {
    stored: StoredReport,
    /// Whether it is the caller's, and no organization's of which they are a member.
    is_own: bool,
    before: Option<RunRecord>,
    /// The owner follows the page.
    tab: Option<Tab>,
    /// Its findings that are put off.
    snoozes: Vec<Snooze>,
    again: NextAudit,
    csrf: Option<String>,
}

/// Shows the report to its owner; anybody else gets 404.
pub(super) async fn show(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    let query = request.uri().query().map(str::to_owned);
    let reader = Reader::of(request.headers(), query.as_deref());
    let (parts, _) = request.into_parts();
    let found = found(&services, &parts, id, reader.lang).await;
    made(services, reader, found, move |services, reader, found| {
        match page(services, reader, found, query.as_deref(), None) {
            Ok(page) => private(page),
            Err(error) => error::page(services, &error, reader),
        }
    })
    .await
}

async fn found(services: &Services, parts: &Parts, id: ReportIdPath, lang: Lang) -> Result<OwnedReport, ServiceError> {
    let (cx, owner, id) = owned_by_caller(services, parts, id, lang).await?;
    let ReadableReport { stored, is_own } = service::audits::readable(&cx, &owner, id).await?;
    let before = tabs::run_before(services, &owner, &stored).await?;
    let again = NextAudit::of(&cx).await?;
    let tab = if is_own { tabs::of_page(services, &owner, &stored.requested_url).await? } else { None };
    let snoozes = match &tab {
        Some(tab) => snoozes::list(services, tab).await?,
        None => Vec::new(),
    };
    Ok(OwnedReport { stored, is_own, before, tab, snoozes, again, csrf: csrf::of_call(&cx)? })
}

fn page(
    services: &Services,
    reader: Reader,
    found: &OwnedReport,
    query: Option<&str>,
    refused: Option<&RefusedAlerts>,
) -> Result<Response, ServiceError> {
    let OwnedReport { stored, is_own, before, tab, snoozes, again, csrf } = found;
    let change = before.as_ref().map(|run| tabs::change_since(run, &stored.report, reader.lang)).transpose()?;
    let own = OwnersView {
        id: &stored.id,
        share: stored.share_slug.as_ref(),
        is_own: *is_own,
        csrf: csrf.as_deref(),
        requested_url: &stored.requested_url,
        again: *again,
        tab: tab.as_ref(),
        newer: tab.as_ref().and_then(|tab| tab.audit_id.as_deref()).filter(|newest| *newest != stored.id.0),
        snoozes,
        before: before.as_ref().zip(change.as_ref()).map(|(run, change)| RunBefore {
            id: &run.id,
            created_at: run.created_at,
            change,
        }),
        refused,
    };
    let (report, created_at) = (&stored.report, stored.created_at);
    let tool = tool_of_query(query);
    let shown = Shown { report, created_at, eyes: Eyes::Owner(own), tool, query };
    let filter = Filter::of(query, reader.lang);
    Ok(html(StatusCode::OK, &view(services, reader, shown, &filter), reader.lang))
}

/// Shows the report to the holder of the guest token that owns it: the widget on another site has one and no cookie.
pub(super) async fn open(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, body) = request.into_parts();
    let stored = opened(&services, &parts, body, id, reader.lang).await;
    made(services, reader, stored, |services, reader, stored| {
        let (report, created_at) = (&stored.report, stored.created_at);
        let shown = Shown { report, created_at, eyes: Eyes::Holder, tool: None, query: None };
        whole(services, reader, shown)
    })
    .await
}

async fn opened(
    services: &Services,
    parts: &Parts,
    body: Body,
    id: ReportIdPath,
    lang: Lang,
) -> Result<StoredReport, ServiceError> {
    let received = read_body(services, parts, body, BODY_BYTES).await?;
    // The token alone identifies the caller: this browser may have a session of somebody else.
    let mut parts = parts.clone();
    parts.headers.remove(header::COOKIE);
    let caller = of_page_with(services, &parts, field(&received.bytes, "guest_token")).await?;
    let owner = caller.required_owner()?;
    let Path(id) = id.map_err(|_| ServiceError::new(Code::AuditNotFound))?;
    service::audits::stored(&Cx::new(services, caller, lang), &owner, id).await
}

/// A field of a form.
fn field(form: &[u8], wanted: &str) -> Option<String> {
    let mut fields = url::form_urlencoded::parse(form);
    fields.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
}

/// Publishes the report, and redirects to it.
pub(super) async fn share(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    changed(services, id, request, ("share", "share"), async |cx, owner, id, _| {
        shares::publish(cx, owner, id).await.map(drop)
    })
    .await
}

/// Revokes the public address, and redirects to the report.
pub(super) async fn unshare(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    changed(services, id, request, ("share", "unshare"), async |cx, owner, id, _| shares::revoke(cx, owner, id).await)
        .await
}

/// Begins a lab test, and redirects to where the report shows it.
pub(super) async fn begin_lab(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    changed(services, id, request, ("lab", ""), async |cx, owner, id, form| {
        let strategy = field(form, "strategy").and_then(|name| Strategy::from_name(&name));
        let strategy = strategy.ok_or_else(|| ServiceError::new(Code::InvalidStrategy))?;
        lab_tests::begin(cx, owner, id, strategy).await.map(drop)
    })
    .await
}

/// How many lab tests of a report run.
#[derive(Debug, Serialize, JsonSchema)]
struct LabState {
    running: usize,
}

/// Tells the page that shows a running lab test when one has ended, or after 25 seconds.
pub(super) async fn lab_state(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, _) = request.into_parts();
    let read = async {
        let (cx, owner, id) = owned_by_caller(&services, &parts, id, reader.lang).await?;
        lab_tests::read(&cx, &owner, id, lab_tests::MOST_WAIT).await
    };
    match read.await {
        Ok(stored) => document(&LabState { running: stored.running.len() }, reader.lang),
        Err(error) => error::page(&services, &error, reader),
    }
}

/// Makes a change that a form of the page asks for, and redirects to the part of the page that shows it, with the word of a
/// confirmation where there is one.
async fn changed(
    services: Services,
    id: ReportIdPath,
    request: Request,
    (part, done): (&str, &str),
    change: impl AsyncFnOnce(&Cx, &Owner, String, &[u8]) -> Result<(), ServiceError>,
) -> Response {
    let query = request.uri().query().map(str::to_owned);
    let reader = Reader::of(request.headers(), query.as_deref());
    let (parts, body) = request.into_parts();
    let made = async {
        same_origin(&services, &parts)?;
        let received = read_body(&services, &parts, body, BODY_BYTES).await?;
        let (cx, owner, id) = owned_by_caller(&services, &parts, id, reader.lang).await?;
        if let Identity::Session(_) = cx.caller.identity {
            guard_form(&services, &cx.caller, &parts.headers, field(&received.bytes, "csrf").as_deref())?;
        }
        change(&cx, &owner, id.clone(), &received.bytes).await?;
        Ok(id)
    };
    match made.await {
        Ok(id) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::SEE_OTHER;
            // An id that the database knows is digits and hyphens.
            let place = with_lang(&format!("/reports/{id}"), query.as_deref(), reader.lang);
            // The menu of sharing is open when its address is new.
            let mark = if place.contains('?') { '&' } else { '?' };
            let done = if done.is_empty() { String::new() } else { format!("{mark}done={done}") };
            let place = format!("{place}{done}#{part}");
            if let Ok(place) = HeaderValue::from_str(&place) {
                response.headers_mut().insert(header::LOCATION, place);
            }
            private(response)
        }
        Err(error) => error::page(&services, &error, reader),
    }
}

/// Shows a report that was not stored, as the response to the form.
pub(super) async fn unkept(
    services: Services,
    unkept: Arc<UnkeptReport>,
    tool: Option<&'static Family>,
    reader: Reader,
) -> Response {
    made(services, reader, Ok(unkept), move |services, reader, unkept| {
        let (report, created_at) = (&unkept.report, unkept.created_at);
        let shown = Shown { report, created_at, eyes: Eyes::Asker, tool, query: None };
        whole(services, reader, shown)
    })
    .await
}

/// A report that has no address, with all its findings.
fn whole(services: &Services, reader: Reader, shown: Shown<'_>) -> Response {
    let filter = Filter::of(None, reader.lang);
    private(html(StatusCode::OK, &view(services, reader, shown, &filter), reader.lang))
}
