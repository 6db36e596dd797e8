//! Where links in mail of the watch lead: to agree to alerts, and to stop them. Looking changes nothing, as programs
//! that read mail open links too; the button does, and so does the one click of a mail program (RFC 8058).

use api::request::{BODY_BYTES, read_body};
use askama::Template;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, StatusCode, header};
use model::lang::text;
use store::{LinkPurpose, WatchLink};

use super::{Frame, Reader, error, filters, html, private};
use service::Services;
use service::credential::{is_random_token, token_digest};
use service::database::DatabaseError;
use service::error::{Code, ServiceError};

#[derive(Template)]
#[template(path = "watch.html")]
struct WatchPage<'a> {
    frame: Frame<'a>,
    is_stop: bool,
    /// The page that is watched; `None` once it is done.
    url: Option<&'a str>,
    token: &'a str,
}

/// Asks whether alerts may come.
pub(super) async fn ask_to_agree(State(app): State<Services>, request: Request) -> Response {
    ask(&app, request, LinkPurpose::Agree).await
}

/// Alerts may come.
pub(super) async fn agree(State(app): State<Services>, request: Request) -> Response {
    act(&app, request, LinkPurpose::Agree).await
}

/// Asks whether alerts shall stop.
pub(super) async fn ask_to_stop(State(app): State<Services>, request: Request) -> Response {
    ask(&app, request, LinkPurpose::Stop).await
}

/// Alerts stop.
pub(super) async fn stop(State(app): State<Services>, request: Request) -> Response {
    act(&app, request, LinkPurpose::Stop).await
}

async fn ask(app: &Services, request: Request, purpose: LinkPurpose) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let Some(token) = token_of(request.uri().query().unwrap_or_default().as_bytes()) else {
        return refused(app, &no_link(), reader);
    };
    let (digest, now) = (token_digest(&token), app.ports().now());
    match app.database().ask(|store| store.watch_link(&digest, purpose, now)).await {
        Ok(WatchLink { url, .. }) => shown(app, reader, purpose, Some(&url), &token),
        Err(error) => refused(app, &of_link(error), reader),
    }
}

async fn act(app: &Services, request: Request, purpose: LinkPurpose) -> Response {
    let (parts, body) = request.into_parts();
    let reader = Reader::of(&parts.headers, parts.uri.query());
    match done(app, &parts, body, purpose).await {
        Ok(token) => shown(app, reader, purpose, None, &token),
        Err(error) => refused(app, &error, reader),
    }
}

/// Does what the link is for; its token. The token proves by itself who sends it: no other site has it. A mail program
/// sends it in the query.
async fn done(app: &Services, parts: &Parts, body: Body, purpose: LinkPurpose) -> Result<String, ServiceError> {
    let received = read_body(app, parts, body, BODY_BYTES).await?;
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    let token = token_of(&received.bytes).or_else(|| token_of(query)).ok_or_else(no_link)?;
    let (digest, now) = (token_digest(&token), app.ports().now());
    app.database().ask(|store| store.use_watch_link(&digest, purpose, now)).await.map_err(of_link)?;
    Ok(token)
}

/// The token among the pairs of a query or a form, if it can be one.
fn token_of(pairs: &[u8]) -> Option<String> {
    let (_, token) = url::form_urlencoded::parse(pairs).find(|(name, _)| name == "token")?;
    is_random_token(&token).then(|| token.into_owned())
}

fn no_link() -> ServiceError {
    const OVER: model::lang::Text = text(
        "This link is not known here, was used for something newer, or is too old.",
        "Este link não é conhecido aqui, foi substituído por um mais novo ou é antigo demais.",
    );
    ServiceError::new(Code::NotFound).explained(OVER.into())
}

fn of_link(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::NotFound => no_link(),
        other => other.into(),
    }
}

fn shown(app: &Services, reader: Reader, purpose: LinkPurpose, url: Option<&str>, token: &str) -> Response {
    let is_stop = purpose == LinkPurpose::Stop;
    let path = if is_stop { "/watch/stop" } else { "/watch/agree" };
    // A token is base64url, which needs no escape.
    let back = format!("{path}?lang={}&token={token}", reader.lang.tag());
    let frame = Frame::new(app, reader).keeping([("token", token)]).leading_back_to(back);
    let page = WatchPage { frame, is_stop, url, token };
    unreferred(private(html(StatusCode::OK, &page, reader.lang)))
}

fn refused(app: &Services, refusal: &ServiceError, reader: Reader) -> Response {
    unreferred(error::page(app, refusal, reader))
}

/// The address holds a token, which nobody else is to see.
fn unreferred(mut response: Response) -> Response {
    response.headers_mut().insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    response
}
