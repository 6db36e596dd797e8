//! The report of an audit, for the one who made it.

mod facts;
mod view;

use audit::check::Family;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::id::Owner;
use model::lang::Lang;
use store::StoredReport;

use super::home::same_origin;
use super::{Reader, guest_cookie, html, private};
use crate::api;
use crate::app::App;
use crate::audits::Finished;
use crate::blocking::off_worker;
use crate::caller::{Identity, binding, guard_form, of_page};
use crate::error::{ApiError, Code};
use crate::operation::Cx;
use crate::web;

pub(super) use view::{Eyes, Shown, view};

/// The id in the path, if it is UTF-8.
type Id = Result<Path<String>, PathRejection>;

/// The audit as `GET /api/audits/:id` gives it, for the one who reads the page.
pub(super) async fn json(State(app): State<App>, id: Id, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, _) = request.into_parts();
    let stored = find(&app, &parts, id, reader.lang).await;
    made(app, reader, stored, |_, Reader { lang, .. }, stored| document(&stored.stored_audit(lang), lang)).await
}

/// The patch as `GET /api/audits/:id/patch` gives it, for the one who reads the page.
pub(super) async fn patch(State(app): State<App>, id: Id, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, _) = request.into_parts();
    let stored = find(&app, &parts, id, reader.lang).await;
    made(app, reader, stored, |app, Reader { lang, .. }, stored| document(&api::patch_answer(app, stored, lang), lang))
        .await
}

pub(super) fn document<T: serde::Serialize + schemars::JsonSchema>(value: &T, lang: Lang) -> Response {
    match serde_json::to_vec_pretty(value) {
        Ok(body) => {
            let mut response = Response::new(Body::from(body));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            web::speaks(headers, lang);
            private(response)
        }
        Err(error) => {
            tracing::error!(%error, "a report could not be written");
            web::refusal(&ApiError::new(Code::Internal), lang)
        }
    }
}

/// Shows the report to its owner; anybody else gets 404.
pub(super) async fn show(State(app): State<App>, id: Id, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let tool = super::tool_asked(request.uri().query());
    let is_print = is_print(request.uri().query());
    let (parts, _) = request.into_parts();
    let found = async {
        let (cx, owner, id) = asked_by_owner(&app, &parts, id, reader.lang).await?;
        Ok((api::stored(&cx, &owner, id).await?, csrf(&cx)?))
    };
    let found = found.await;
    made(app, reader, found, move |app, reader, (stored, csrf)| {
        let eyes = Eyes::Owner { id: &stored.id, share: stored.share_slug.as_ref(), csrf: csrf.as_deref() };
        let shown = Shown { report: &stored.report, created_at: stored.created_at, eyes, tool, is_print };
        private(html(StatusCode::OK, &view(app, reader, shown), reader.lang))
    })
    .await
}

/// Whether a query asks for the page as it goes on paper.
pub(super) fn is_print(query: Option<&str>) -> bool {
    url::form_urlencoded::parse(query.unwrap_or_default().as_bytes())
        .any(|pair| pair == ("view".into(), "print".into()))
}

/// Shows the report to whoever shows the token that owns it: the widget on another site has one and no cookie.
pub(super) async fn open(State(app): State<App>, id: Id, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, body) = request.into_parts();
    let stored = opened(&app, &parts, body, id, reader.lang).await;
    made(app, reader, stored, |app, reader, stored| {
        let (report, created_at) = (&stored.report, stored.created_at);
        let shown = Shown { report, created_at, eyes: Eyes::Holder, tool: None, is_print: false };
        private(html(StatusCode::OK, &view(app, reader, shown), reader.lang))
    })
    .await
}

async fn opened(app: &App, parts: &Parts, body: Body, id: Id, lang: Lang) -> Result<StoredReport, ApiError> {
    let received = web::read_body(app, parts, body, web::BODY_BYTES).await?;
    // The token alone says who asks: this browser may be signed in as somebody else.
    let mut parts = parts.clone();
    parts.headers.remove(header::COOKIE);
    let caller = of_page(app, &parts, field(&received.bytes, "guest_token")).await?;
    let owner = caller.required_owner()?;
    let Path(id) = id.map_err(|_| ApiError::new(Code::AuditNotFound))?;
    api::stored(&Cx::new(app, caller, lang), &owner, id).await
}

/// A field of a form.
fn field(form: &[u8], wanted: &str) -> Option<String> {
    let mut fields = url::form_urlencoded::parse(form);
    fields.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
}

/// What a form of somebody who is signed in must bring along; `None` for a guest, whose cookie no other site can use.
fn csrf(cx: &Cx) -> Result<Option<String>, ApiError> {
    match &cx.caller.identity {
        Identity::Session(_) => {
            let keys = cx.app.accounts().keys()?;
            Ok(binding(&cx.caller).map(|binding| keys.csrf(binding)))
        }
        _ => Ok(None),
    }
}

/// Gives the report a public address, and shows it to its owner again.
pub(super) async fn share(State(app): State<App>, id: Id, request: Request) -> Response {
    changed(app, id, request, async |cx, owner, id| api::publish(cx, owner, id).await.map(drop)).await
}

/// Takes the public address away, and shows the report to its owner again.
pub(super) async fn unshare(State(app): State<App>, id: Id, request: Request) -> Response {
    changed(app, id, request, async |cx, owner, id| api::revoke(cx, owner, id).await).await
}

async fn changed(
    app: App,
    id: Id,
    request: Request,
    change: impl AsyncFnOnce(&Cx, &Owner, String) -> Result<(), ApiError>,
) -> Response {
    let query = request.uri().query().map(str::to_owned);
    let reader = Reader::of(request.headers(), query.as_deref());
    let (parts, body) = request.into_parts();
    let done = async {
        same_origin(&app, &parts)?;
        let received = web::read_body(&app, &parts, body, web::BODY_BYTES).await?;
        let (cx, owner, id) = asked_by_owner(&app, &parts, id, reader.lang).await?;
        if let Identity::Session(_) = cx.caller.identity {
            guard_form(&app, &cx.caller, &parts.headers, field(&received.bytes, "csrf").as_deref())?;
        }
        change(&cx, &owner, id.clone()).await?;
        Ok(id)
    };
    match done.await {
        Ok(id) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::SEE_OTHER;
            // An id that the database knows is digits and hyphens.
            let place = super::with_lang(&format!("/reports/{id}"), query.as_deref(), reader.lang) + "#share";
            if let Ok(place) = HeaderValue::from_str(&place) {
                response.headers_mut().insert(header::LOCATION, place);
            }
            private(response)
        }
        Err(error) => super::error::page(&app, &error, reader),
    }
}

/// Shows a report that nobody can read again, as the answer to the form.
pub(super) async fn unkept(app: App, finished: Finished, tool: Option<&'static Family>, reader: Reader) -> Response {
    made(app, reader, Ok(finished), move |app, reader, finished| {
        let (report, created_at) = (&finished.report, finished.created_at);
        let shown = Shown { report, created_at, eyes: Eyes::Asker, tool, is_print: false };
        private(html(StatusCode::OK, &view(app, reader, shown), reader.lang))
    })
    .await
}

/// Makes a page of what there is to show; a report may be a megabyte, so not on an async worker.
pub(super) async fn made<T: Send + 'static>(
    app: App,
    reader: Reader,
    found: Result<T, ApiError>,
    make: impl FnOnce(&App, Reader, &T) -> Response + Send + 'static,
) -> Response {
    let done = match found {
        Ok(found) => {
            let app = app.clone();
            off_worker(move || make(&app, reader, &found)).await
        }
        Err(error) => Err(error),
    };
    done.unwrap_or_else(|error| super::error::page(&app, &error, reader))
}

async fn find(app: &App, parts: &Parts, id: Id, lang: Lang) -> Result<StoredReport, ApiError> {
    let (cx, owner, id) = asked_by_owner(app, parts, id, lang).await?;
    api::stored(&cx, &owner, id).await
}

/// A call for a report by somebody who owns reports; to anybody else there is none.
async fn asked_by_owner(app: &App, parts: &Parts, id: Id, lang: Lang) -> Result<(Cx, Owner, String), ApiError> {
    let not_found = || ApiError::new(Code::AuditNotFound);
    // An id that is not UTF-8 is none of ours.
    let Path(id) = id.map_err(|_| not_found())?;
    let caller = of_page(app, parts, guest_cookie::read(app, &parts.headers)).await?;
    let owner = match caller.required_owner() {
        Ok(owner) => owner,
        Err(error) if error.code == Code::GuestTokenRequired => return Err(not_found()),
        Err(error) => return Err(error),
    };
    Ok((Cx::new(app, caller, lang), owner, id))
}
