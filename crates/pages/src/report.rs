//! The report of an audit, for the one who made it.

mod documents;
mod facts;
mod filter;
mod findings;
mod previews;
mod public;
mod view;

use api::request::{BODY_BYTES, read_body};
use audit::check::Family;
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::id::Owner;
use model::lang::Lang;
use service::shares;
use store::{RunRecord, StoredReport};

use super::{Reader, guest_cookie, html, private};
use api::caller::same_origin;
use api::caller::{guard_form, of_page};
use service::Services;
use service::audits::Finished;
use service::blocking::off_worker;
use service::caller::Cx;
use service::caller::Identity;
use service::config::Sku;
use service::error::{Code, ServiceError};
use service::gate;
use service::tabs;
use view::{Again, Own};

pub(super) use documents::{document, file, form, patch_file};
pub(super) use filter::Filter;
pub(super) use view::{Eyes, Shown, view};

/// What a report may load: our own style, images and one script, which can make nothing run (Trusted Types without a
/// policy).
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/// The id in the path, if it is UTF-8.
type Id = Result<Path<String>, PathRejection>;

/// A report of an owner, with what belongs to it.
struct Found {
    stored: StoredReport,
    before: Option<RunRecord>,
    again: Again,
    csrf: Option<String>,
}

/// Shows the report to its owner; anybody else gets 404.
pub(super) async fn show(State(app): State<Services>, id: Id, request: Request) -> Response {
    let query = request.uri().query().map(str::to_owned);
    let reader = Reader::of(request.headers(), query.as_deref());
    let (parts, _) = request.into_parts();
    let found = found(&app, &parts, id, reader.lang).await;
    made(app, reader, found, move |app, reader, found| match page(app, reader, found, query.as_deref()) {
        Ok(page) => private(page),
        Err(error) => super::error::page(app, &error, reader),
    })
    .await
}

async fn found(app: &Services, parts: &Parts, id: Id, lang: Lang) -> Result<Found, ServiceError> {
    let (cx, owner, id) = asked_by_owner(app, parts, id, lang).await?;
    let stored = service::audits::stored(&cx, &owner, id).await?;
    let before = app.database().ask(|store| store.run_before(&owner, &stored)).await?;
    let is_free = gate::is_free_for_now(app, Sku::Audit) || gate::is_on_trial(app, &cx.caller);
    let again = Again::of(&service::gate::allowance(&cx).await?, is_free);
    Ok(Found { stored, before, again, csrf: csrf(&cx)? })
}

fn page(app: &Services, reader: Reader, found: &Found, query: Option<&str>) -> Result<Response, ServiceError> {
    let Found { stored, before, again, csrf } = found;
    let change = before.as_ref().map(|run| tabs::change_since(run, &stored.report, reader.lang)).transpose()?;
    let own = Own {
        id: &stored.id,
        share: stored.share_slug.as_ref(),
        csrf: csrf.as_deref(),
        requested_url: &stored.requested_url,
        again: *again,
        before: before.as_ref().map(|run| &run.id).zip(change.as_ref()),
    };
    let (report, created_at) = (&stored.report, stored.created_at);
    let tool = super::tool_asked(query);
    let shown = Shown { report, created_at, eyes: Eyes::Owner(own), tool, query };
    let filter = Filter::of(query, reader.lang);
    Ok(with_script(html(StatusCode::OK, &view(app, reader, shown, &filter), reader.lang)))
}

/// Shows the report to whoever shows the token that owns it: the widget on another site has one and no cookie.
pub(super) async fn open(State(app): State<Services>, id: Id, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, body) = request.into_parts();
    let stored = opened(&app, &parts, body, id, reader.lang).await;
    made(app, reader, stored, |app, reader, stored| {
        let (report, created_at) = (&stored.report, stored.created_at);
        let shown = Shown { report, created_at, eyes: Eyes::Holder, tool: None, query: None };
        whole(app, reader, shown)
    })
    .await
}

async fn opened(app: &Services, parts: &Parts, body: Body, id: Id, lang: Lang) -> Result<StoredReport, ServiceError> {
    let received = read_body(app, parts, body, BODY_BYTES).await?;
    // The token alone says who asks: this browser may be signed in as somebody else.
    let mut parts = parts.clone();
    parts.headers.remove(header::COOKIE);
    let caller = of_page(app, &parts, field(&received.bytes, "guest_token")).await?;
    let owner = caller.required_owner()?;
    let Path(id) = id.map_err(|_| ServiceError::new(Code::AuditNotFound))?;
    service::audits::stored(&Cx::new(app, caller, lang), &owner, id).await
}

/// A field of a form.
fn field(form: &[u8], wanted: &str) -> Option<String> {
    let mut fields = url::form_urlencoded::parse(form);
    fields.find(|(name, _)| name == wanted).map(|(_, value)| value.into_owned())
}

/// What a form of somebody who is signed in must bring along; `None` for a guest, whose cookie no other site can use.
fn csrf(cx: &Cx) -> Result<Option<String>, ServiceError> {
    match &cx.caller.identity {
        Identity::Session(_) => {
            let keys = cx.services.vault().keys()?;
            Ok(cx.caller.binding().map(|binding| keys.csrf(binding)))
        }
        _ => Ok(None),
    }
}

/// Gives the report a public address, and shows it to its owner again.
pub(super) async fn share(State(app): State<Services>, id: Id, request: Request) -> Response {
    changed(app, id, request, async |cx, owner, id| shares::publish(cx, owner, id).await.map(drop)).await
}

/// Takes the public address away, and shows the report to its owner again.
pub(super) async fn unshare(State(app): State<Services>, id: Id, request: Request) -> Response {
    changed(app, id, request, async |cx, owner, id| shares::revoke(cx, owner, id).await).await
}

async fn changed(
    app: Services,
    id: Id,
    request: Request,
    change: impl AsyncFnOnce(&Cx, &Owner, String) -> Result<(), ServiceError>,
) -> Response {
    let query = request.uri().query().map(str::to_owned);
    let reader = Reader::of(request.headers(), query.as_deref());
    let (parts, body) = request.into_parts();
    let done = async {
        same_origin(&app, &parts)?;
        let received = read_body(&app, &parts, body, BODY_BYTES).await?;
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
pub(super) async fn unkept(
    app: Services,
    finished: Finished,
    tool: Option<&'static Family>,
    reader: Reader,
) -> Response {
    made(app, reader, Ok(finished), move |app, reader, finished| {
        let (report, created_at) = (&finished.report, finished.created_at);
        let shown = Shown { report, created_at, eyes: Eyes::Asker, tool, query: None };
        whole(app, reader, shown)
    })
    .await
}

/// A report that has no address, with all its findings.
fn whole(app: &Services, reader: Reader, shown: Shown<'_>) -> Response {
    let filter = Filter::of(None, reader.lang);
    private(with_script(html(StatusCode::OK, &view(app, reader, shown, &filter), reader.lang)))
}

/// Lets a page of a report load its own script.
pub(super) fn with_script(mut response: Response) -> Response {
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

/// Makes a page of what there is to show; a report may be a megabyte, so not on an async worker.
pub(super) async fn made<T: Send + 'static>(
    app: Services,
    reader: Reader,
    found: Result<T, ServiceError>,
    make: impl FnOnce(&Services, Reader, &T) -> Response + Send + 'static,
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

async fn find(app: &Services, parts: &Parts, id: Id, lang: Lang) -> Result<StoredReport, ServiceError> {
    let (cx, owner, id) = asked_by_owner(app, parts, id, lang).await?;
    service::audits::stored(&cx, &owner, id).await
}

/// A call for a report by somebody who owns reports; to anybody else there is none.
async fn asked_by_owner(
    app: &Services,
    parts: &Parts,
    id: Id,
    lang: Lang,
) -> Result<(Cx, Owner, String), ServiceError> {
    let not_found = || ServiceError::new(Code::AuditNotFound);
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
