//! The web side: routes from the catalog, middleware around every call, and the listener.

mod answered;
mod api_call;
mod connections;
mod encoded;
mod head;
mod linger;
mod listen;
mod mcp;
mod patient;
mod routes;
mod turns;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{MatchedPath, RawPathParams, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{DefaultPredicate, Predicate as _};
use tracing::Instrument as _;

use self::answered::Asked;
use self::turns::{ReportTurns, in_turn};
use crate::documents;
use crate::handlers;
use crate::operation::PagePattern;
use crate::request::{Peer, RequestPlace, language};
use crate::response::{self, PageShown, SentInPieces};
use crate::site::Site;
use service::error::{Code, ServiceError};
use service::metrics::known_method;
use service::traces::{self, OpenSpan, SpanKind};

pub use listen::serve;
pub use mcp::{MESSAGE_BYTES, answer_line};
pub use routes::{Bounds, Routes};

/// The HTML pages, handed in by the crate `pages`, which depends on this one: this crate routes to them without knowing
/// their templates.
pub struct Pages {
    /// Routes of the pages.
    pub router: Router<Site>,
    /// The pattern of the route of a page, by a path.
    pub pattern: PagePattern,
    /// The 404 page.
    pub not_found: fn(&Site, &Request) -> Response,
    /// Middleware around all routes: content negotiation of Markdown.
    pub around: fn(Router<Site>, Site) -> Router<Site>,
}

/// Everything the service answers: its operations, MCP, and the pages.
pub fn router(site: Site, pages: Pages) -> Routes {
    let mut by_path: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
    for (index, operation) in site.operations().iter().enumerate() {
        by_path.entry(operation.path).or_default().push(index);
    }
    // Set once: a site is routed once.
    let _pattern = site.resources().pages.get_or_init(|| pages.pattern);
    let mut router = pages.router;
    for (path, indices) in by_path {
        let indices: Arc<[usize]> = indices.into();
        router = router.route(
            path,
            any(
                move |State(site): State<Site>,
                      params: Result<RawPathParams, RawPathParamsRejection>,
                      request: Request| {
                    let indices = Arc::clone(&indices);
                    // In a box, as each layer around it would move the whole of it.
                    Box::pin(async move { api_call::answer(&site, &indices, params.ok().as_ref(), request).await })
                },
            ),
        );
    }
    let nothing_here =
        move |State(site): State<Site>, request: Request| async move { nothing_here(&site, &request, pages.not_found) };
    let router = router.merge(mcp::router()).fallback(nothing_here);
    let router = (pages.around)(router, site.clone())
        // From the outside in. In one layer: each is put into a box, and copied with all inside of it for every call.
        .layer((
            middleware::from_fn_with_state(Arc::new(ReportTurns::new()), in_turn),
            middleware::from_fn_with_state(site.clone(), around),
            CatchPanicLayer::custom(panicked),
            CompressionLayer::new().compress_when(DefaultPredicate::new().and(is_of_any_bytes)),
            middleware::from_fn_with_state(site.clone(), encoded::at_hand),
        ))
        .with_state(site.clone());
    Routes { site, router, bounds: Bounds::default() }
}

/// 404: JSON below `/api/`, a page elsewhere.
fn nothing_here(site: &Site, request: &Request, page: fn(&Site, &Request) -> Response) -> Response {
    let path = request.uri().path();
    if path == "/api" {
        if request.method() == Method::OPTIONS {
            // A browser follows no redirect of a preflight.
            return response::preflight(&["GET", "HEAD", "OPTIONS"]);
        }
        let mut moved = (http::StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, "/api/")]).into_response();
        response::cors(moved.headers_mut());
        return moved;
    }
    // The legacy path (RFC 9116 §3).
    if path == "/security.txt" {
        return (http::StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, "/.well-known/security.txt")])
            .into_response();
    }
    let error = ServiceError::new(Code::NotFound);
    if path.starts_with("/api/")
        || path.starts_with("/mcp/")
        || path.starts_with("/okf/")
        || path.starts_with("/.well-known/")
    {
        if request.method() == Method::OPTIONS {
            return response::preflight(&[]);
        }
        let lang = language(request.headers(), request.uri().query()).unwrap_or_default();
        return response::refusal(&error, lang, site.services().is_https());
    }
    page(site, request)
}

/// The response to a panic of a handler. The panic hook of the process has logged the message.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    response::refusal(&ServiceError::new(Code::Internal), model::lang::Lang::En, false)
}

/// Middleware around every call: the limit of concurrent calls, a request id, one log line, and the common headers.
async fn around(State(site): State<Site>, mut request: Request, next: Next) -> Response {
    let id = site.services().ports().nonce();
    let begun = tokio::time::Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let route = request.extensions().get::<MatchedPath>().cloned();
    // Neither the log nor metrics nor traces hold the path: who calls may have put anything into it.
    let pattern = route.as_ref().map_or("", MatchedPath::as_str);
    let has_token = has_token(request.uri().query());
    let asked = Asked::of(&request);
    let span = tracing::info_span!("call", id = %id);
    let under_way = site.services().metrics().answering(method.as_str());
    let traced = traced(&site, &request);
    let mut response = traces::within(traced.clone(), async {
        // Held until the answer is made.
        let _place = match judged(&mut request) {
            Ok(place) => place,
            Err(error) => {
                let lang = language(request.headers(), request.uri().query()).unwrap_or_default();
                let mut refused = response::refusal(&error, lang, site.services().is_https());
                if matches!(error.code, Code::InvalidParameter | Code::HeadersTooLarge) {
                    // Where such a request ends is anybody's guess, so nothing after it is read (RFC 9112 §6.3).
                    refused.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
                }
                return refused;
            }
        };
        let response = encoded::kept(site.services(), next.run(request).await).await;
        tracing::info!(
            method = known_method(method.as_str()),
            route = pattern,
            status = response.status().as_u16(),
            ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            "answered"
        );
        response
    })
    .instrument(span)
    .await;
    drop(under_way);
    if let Some(traced) = traced {
        end_trace(traced, known_method(method.as_str()), pattern, response.status(), &id);
    }
    site.services().metrics().answered(method.as_str(), pattern, response.status().as_u16(), begun.elapsed());
    if let Some(asked) = asked {
        let outcome = asked.outcome(&site, &response);
        asked.count(site.services(), outcome, begun.elapsed()).await;
    }
    if matches!(path.as_str(), "/" | "/api/") {
        response.headers_mut().extend([documents::link()]);
    }
    if has_token {
        response::withhold(response.headers_mut());
    }
    response::common(response.headers_mut(), site.services().is_https());
    if response.extensions().get::<PageShown>().is_some()
        && let Ok(view) = HeaderValue::from_str(&format!("view;desc=\"{id}\""))
    {
        // For the script of the page, which reports that it is seen (Server Timing, W3C).
        response.headers_mut().insert(HeaderName::from_static("server-timing"), view);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

/// Begins the trace of a call, or goes on with that of its caller; `None` where it is not traced. Health checks and the
/// operator's monitoring would be most of all traces, and say nothing.
fn traced(site: &Site, request: &Request) -> Option<OpenSpan> {
    if matches!(request.uri().path(), handlers::HEALTH_PATH | "/metrics") {
        return None;
    }
    let traceparent = request.headers().get("traceparent").and_then(|value| value.to_str().ok());
    site.services().traces().begin(site.services().ports(), traceparent)
}

/// Ends the trace of a call, named and described by the semantic conventions for HTTP servers; but for its path, which may
/// hold an id, and its query.
fn end_trace(span: OpenSpan, method: &'static str, pattern: &str, status: StatusCode, id: &str) {
    let mut attributes = vec![
        ("http.request.method", method.into()),
        ("http.response.status_code", u32::from(status.as_u16()).into()),
        ("site_audit.request_id", id.to_owned().into()),
    ];
    let mut name = method.to_owned();
    if !pattern.is_empty() {
        attributes.push(("http.route", pattern.to_owned().into()));
        name = format!("{method} {pattern}");
    }
    if status.is_server_error() {
        attributes.push(("error.type", status.as_u16().to_string().into()));
    }
    span.end(name, SpanKind::Server, attributes, status.is_server_error());
}

/// Validates the head of a call and takes its place among the concurrent ones. A request without a connection was made in
/// this process, and is not validated.
fn judged(request: &mut Request) -> Result<Option<RequestPlace>, ServiceError> {
    if request.extensions().get::<Peer>().is_some() {
        head::judge(request)?;
    }
    place(request)
}

/// Whether an answer may be sent compressed: not where a strong `ETag` names the very bytes of its own (RFC 9110 §8.8.1), and
/// not in pieces.
fn is_of_any_bytes(_: StatusCode, _: Version, headers: &HeaderMap, extensions: &Extensions) -> bool {
    extensions.get::<SentInPieces>().is_none()
        && headers.get(header::ETAG).is_none_or(|etag| etag.as_bytes().starts_with(b"W/"))
}

/// Takes the place of a call among the concurrent ones, and puts it where the body is read. `None` for a health check,
/// which is answered under any load, and for a request without a connection.
fn place(request: &mut Request) -> Result<Option<RequestPlace>, ServiceError> {
    if request.uri().path() == handlers::HEALTH_PATH {
        return Ok(None);
    }
    let Some(peer) = request.extensions().get::<Peer>() else { return Ok(None) };
    let place = RequestPlace::of(Arc::clone(&peer.calls));
    place.take()?;
    request.extensions_mut().insert(place.clone());
    Ok(Some(place))
}

/// Whether a query carries a credential.
fn has_token(query: Option<&str>) -> bool {
    url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).any(|(name, _)| name == "guest_token")
}
