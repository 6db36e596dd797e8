//! Links in mails of the watch: opt-in to alerts, and unsubscribe. GET changes nothing, as mail scanners open links too;
//! POST does, by the button or by one-click unsubscribe (RFC 8058).

use api::request::{BODY_BYTES, read_body};
use askama::Template;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use store::{LinkPurpose, WatchLink};

use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private};
use crate::{error, filters};
use service::Services;
use service::credential::is_random_token;
use service::error::ServiceError;
use service::watches;

#[derive(Template)]
#[template(path = "watch.html")]
struct WatchPage<'a> {
    frame: Frame<'a>,
    is_stop: bool,
    /// The watched page; `None` after the action.
    url: Option<&'a str>,
    token: &'a str,
}

/// The confirmation page of the opt-in to alerts.
pub(super) async fn ask_to_agree(State(services): State<Services>, request: Request) -> Response {
    ask(&services, request, LinkPurpose::Agree).await
}

/// Opts in to alerts.
pub(super) async fn agree(State(services): State<Services>, request: Request) -> Response {
    act(&services, request, LinkPurpose::Agree).await
}

/// The confirmation page of unsubscribing from alerts.
pub(super) async fn ask_to_stop(State(services): State<Services>, request: Request) -> Response {
    ask(&services, request, LinkPurpose::Stop).await
}

/// Unsubscribes from alerts.
pub(super) async fn stop(State(services): State<Services>, request: Request) -> Response {
    act(&services, request, LinkPurpose::Stop).await
}

async fn ask(services: &Services, request: Request, purpose: LinkPurpose) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let token = token_of(request.uri().query().unwrap_or_default().as_bytes()).unwrap_or_default();
    match watches::link(services, &token, purpose).await {
        Ok(WatchLink { url, .. }) => shown(services, reader, purpose, Some(&url), &token),
        Err(error) => refused(services, &error, reader),
    }
}

async fn act(services: &Services, request: Request, purpose: LinkPurpose) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    match done(services, &parts, body, purpose).await {
        Ok(token) => shown(services, reader, purpose, None, &token),
        Err(error) => refused(services, &error, reader),
    }
}

/// Uses the link, and gives its token. The token authenticates by itself, so no CSRF token is needed. Mail clients send it
/// in the query (RFC 8058).
async fn done(services: &Services, parts: &Parts, body: Body, purpose: LinkPurpose) -> Result<String, ServiceError> {
    let received = read_body(services, parts, body, BODY_BYTES).await?;
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let token = token_of(&received.bytes).or_else(|| token_of(query)).unwrap_or_default();
    watches::use_link(services, &token, purpose).await?;
    Ok(token)
}

/// The token among the pairs of a query or a form, if it can be one.
fn token_of(pairs: &[u8]) -> Option<String> {
    let (_, token) = url::form_urlencoded::parse(pairs).find(|(name, _)| name == "token")?;
    is_random_token(&token).then(|| token.into_owned())
}

fn shown(services: &Services, reader: Reader, purpose: LinkPurpose, url: Option<&str>, token: &str) -> Response {
    let is_stop = purpose == LinkPurpose::Stop;
    let path = if is_stop { "/watch/stop" } else { "/watch/agree" };
    // A token is base64url, which needs no escape.
    let back = format!("{path}?lang={}&token={token}", reader.lang.tag());
    let frame = Frame::new(services, reader).keeping([("token", token)]).leading_back_to(back);
    let page = WatchPage { frame, is_stop, url, token };
    unreferred(private(html(StatusCode::OK, &page, reader.lang)))
}

fn refused(services: &Services, refusal: &ServiceError, reader: Reader) -> Response {
    unreferred(error::page(services, refusal, reader))
}

/// Sends no referrer, as the address holds a token.
fn unreferred(mut response: Response) -> Response {
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
