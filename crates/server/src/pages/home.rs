//! The first page: one form.

use askama::Template;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::lang::{Lang, Text, text};

use super::{Addresses, Frame, filters, guest_cookie, html, with_lang};
use crate::api;
use crate::app::App;
use crate::audits;
use crate::caller::{Caller, Identity};
use crate::config::Sku;
use crate::error::{ApiError, Code};
use crate::gate;
use crate::operation::Cx;
use crate::web;

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    /// What was typed.
    url: &'a str,
    problem: Option<Problem>,
    free_per_day: u32,
    base_url: &'a str,
}

/// Why there is no report.
struct Problem {
    sentence: String,
    /// Whether what was typed is at fault.
    is_of_input: bool,
}

/// The refusal of [`Code::AllowanceSpent`], for a person: who pays is a program.
const SPENT: Text = text(
    "The free audits of today are used up. There are new ones tomorrow (UTC); a program can pay {price} USD for this one now.",
    "As auditorias grátis de hoje acabaram. Há novas amanhã (UTC); um programa pode pagar {price} USD por esta agora.",
);

pub(super) async fn show(State(app): State<App>, request: Request) -> Response {
    let lang = web::language(request.headers(), request.uri().query()).unwrap_or_default();
    html(StatusCode::OK, &page(&app, request.uri().query(), lang, "", None), lang)
}

fn page<'a>(app: &'a App, query: Option<&str>, lang: Lang, url: &'a str, error: Option<&ApiError>) -> HomePage<'a> {
    HomePage {
        frame: Frame::new(app, lang),
        addresses: Addresses::new(app, "/", query, lang),
        url,
        problem: error.map(|error| problem(app, error, lang)),
        free_per_day: app.config().limits.free_audits_per_day,
        base_url: app.base_url(),
    }
}

fn problem(app: &App, error: &ApiError, lang: Lang) -> Problem {
    let sentence = error.code.sentence().in_lang(lang);
    let sentence = match (error.code, &error.detail) {
        (Code::AllowanceSpent, _) => {
            let price = app.config().prices.audit_usd.to_string();
            SPENT.phrase(&[("price", price.into())]).in_lang(lang).to_owned()
        }
        (Code::InvalidUrl, Some(detail)) => {
            // A person has no use for the word of the contract before the explanation.
            let detail = detail.in_lang(lang);
            format!("{sentence} ({})", detail.split_once(": ").map_or(detail, |(_, explanation)| explanation))
        }
        (_, Some(detail)) => format!("{sentence} ({})", detail.in_lang(lang)),
        (_, None) => sentence.to_owned(),
    };
    Problem { sentence, is_of_input: error.code.status() == StatusCode::BAD_REQUEST }
}

/// Audits what was typed and leads to the report.
pub(super) async fn submit(State(app): State<App>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let lang = web::language(&parts.headers, parts.uri.query()).unwrap_or_default();
    let typed = match typed(&parts, body).await {
        Ok(typed) => typed,
        Err(error) => return super::error::page(&app, &error, lang),
    };
    match audit(&app, &parts, &typed, lang).await {
        Ok((id, cookie)) => {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::SEE_OTHER;
            let headers = response.headers_mut();
            // The id is our own: digits and hyphens.
            if let Ok(place) = HeaderValue::from_str(&with_lang(&format!("/reports/{id}"), parts.uri.query(), lang)) {
                headers.insert(header::LOCATION, place);
            }
            headers.extend(cookie.map(|cookie| (header::SET_COOKIE, cookie)));
            super::private(response)
        }
        Err(error) => {
            let mut response =
                html(error.code.status(), &page(&app, parts.uri.query(), lang, &typed, Some(&error)), lang);
            web::of_error(response.headers_mut(), &error);
            super::private(response)
        }
    }
}

/// The address in the form.
async fn typed(parts: &Parts, body: Body) -> Result<String, ApiError> {
    let bytes = web::read_body(parts, body).await?;
    let field = url::form_urlencoded::parse(&bytes).find(|(name, _)| name == "url");
    field.map(|(_, value)| value.trim().to_owned()).ok_or_else(|| ApiError::new(Code::InvalidBody).detail("url"))
}

/// Audits for the guest of the cookie, who is made when there is none; the id, and the cookie to keep.
async fn audit(app: &App, parts: &Parts, typed: &str, lang: Lang) -> Result<(String, Option<HeaderValue>), ApiError> {
    same_origin(app, parts)?;
    let network = web::client(app, &parts.extensions, &parts.headers);
    let is_crawler = gate::is_crawler(app, &parts.headers);
    gate::admit_audit(app, network, is_crawler)?;
    // A cookie whose guest is gone is no credential that somebody sent on purpose: it is replaced.
    let known = match gate::identify(app, guest_cookie::read(app, &parts.headers)).await {
        Ok(identity @ (Identity::Guest(_) | Identity::Unverified)) => Some(identity),
        Ok(Identity::Nobody) => None,
        Err(error) if error.code == Code::GuestTokenInvalid => None,
        Err(error) => return Err(error),
    };
    let caller =
        Caller { network, identity: known.clone().unwrap_or(Identity::Nobody), is_crawler, offers_payment: false };
    let mut cx = Cx { app: app.clone(), caller, lang };
    let address = if typed.contains("://") { typed.to_owned() } else { format!("https://{typed}") };
    let url = match app.engine().fetcher().intake(&address) {
        Ok(url) => url,
        Err(failure) => return Err(audits::count_refusal(&cx, failure.into()).await),
    };
    let mut cookie = None;
    if known.is_none() {
        let limit = app.config().limits.guests_per_hour;
        app.allowance().spend_hourly(app.database(), app.ports(), network, "guests", limit).await?;
        let (guest, token) = api::new_guest(app).await?;
        cx.caller.identity = Identity::Guest(guest);
        cookie = guest_cookie::set(app, &token);
    }
    let held = gate::hold(&cx, Sku::Audit).await?;
    let done = audits::audit(&cx, &url).await;
    let finished = gate::settle(&cx, held, done).await?;
    // A page can only show what was kept.
    let id = finished.id.ok_or_else(|| ApiError::new(Code::DatabaseUnavailable).retry_after(5))?;
    Ok((id.0, cookie))
}

/// Refuses a form that another site sent: it would spend this network's allowance.
fn same_origin(app: &App, parts: &Parts) -> Result<(), ApiError> {
    let Some(origin) = parts.headers.get(header::ORIGIN).and_then(|value| value.to_str().ok()) else { return Ok(()) };
    let host = parts.headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let is_own = origin == app.base_url()
        || is_loopback_alias(app.base_url(), origin)
        || origin.ends_with(&format!("://{host}"));
    if is_own { Ok(()) } else { Err(ApiError::new(Code::InvalidOrigin)) }
}

/// The names of this very machine are one origin for a loopback installation.
fn is_loopback_alias(base_url: &str, origin: &str) -> bool {
    let parse = |text: &str| url::Url::parse(text).ok();
    let (Some(base), Some(origin)) = (parse(base_url), parse(origin)) else { return false };
    let is_loopback = |url: &url::Url| matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    is_loopback(&base)
        && is_loopback(&origin)
        && base.scheme() == origin.scheme()
        && base.port_or_known_default() == origin.port_or_known_default()
}
