//! The web side: routes out of the catalog, what every answer carries, and the listening itself.

pub(crate) mod accept;
mod api_call;
pub(crate) mod conditional;
mod connections;
mod head;
mod headers;
mod listen;
mod patient;
mod place;
mod reading;

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{RawPathParams, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use http::{HeaderValue, Method, header};
use tokio::sync::Semaphore;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tracing::Instrument as _;

use crate::api;
use crate::app::App;
use crate::error::{ApiError, Code};
use crate::pages;
use crate::surfaces::{documents, mcp};

pub(crate) use headers::{of_error, refusal, speaks};
pub use listen::{Patience, serve};
use place::Place;
pub(crate) use reading::{BODY_BYTES, Received, client, language, read_body};

/// How much may go on at once.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Calls in the making in the process; one more is [`Code::Overloaded`]. Each waits at most for one audit; while it
    /// waits for its own body it is not counted.
    pub calls: usize,
    /// Open connections of the process; the next one waits in the system's queue. Each holds at most a head and a body,
    /// of 64 KiB each; what a longer body takes comes out of the room that those share.
    pub connections: usize,
    /// Open connections of one network, and a tenth of those of the wider one around it; one more is
    /// [`Code::Overloaded`] and closed. Trusted proxies have no such bound, as they carry everybody's calls.
    pub connections_per_network: usize,
}

impl Default for Bounds {
    /// Chosen: a browser opens 6 connections to a host, and a shared address has tens of users at once.
    fn default() -> Self {
        Self { calls: 1_024, connections: 4_096, connections_per_network: 128 }
    }
}

/// The other end of the connection.
#[derive(Debug, Clone)]
pub(crate) struct Peer {
    address: SocketAddr,
    /// How long a body of it may take.
    body_time: Duration,
    /// Places for calls in the making.
    calls: Arc<Semaphore>,
}

/// Everything the service answers, and how much of it at once.
#[derive(Debug)]
pub struct Routes {
    app: App,
    router: Router,
    bounds: Bounds,
}

impl Routes {
    /// With other bounds.
    #[must_use]
    pub fn within(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }
}

/// Everything the service answers.
pub fn router(app: App) -> Routes {
    let mut by_path: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
    for (index, operation) in app.operations().iter().enumerate() {
        by_path.entry(operation.path).or_default().push(index);
    }
    let mut router = Router::new();
    for (path, indices) in by_path {
        let indices: Arc<[usize]> = indices.into();
        router = router.route(
            path,
            any(
                move |State(app): State<App>,
                      params: Result<RawPathParams, RawPathParamsRejection>,
                      request: Request| {
                    let indices = Arc::clone(&indices);
                    async move { api_call::answer(&app, &indices, params.ok().as_ref(), request).await }
                },
            ),
        );
    }
    let router = router
        .merge(pages::router())
        .merge(mcp::router())
        .fallback(nothing_here)
        .layer(middleware::from_fn_with_state(app.clone(), pages::markdown::negotiate))
        .layer(middleware::from_fn(conditional::answer))
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn_with_state(app.clone(), around))
        .with_state(app.clone());
    Routes { app, router, bounds: Bounds::default() }
}

/// 404: JSON below `/api/`, a page elsewhere.
async fn nothing_here(State(app): State<App>, request: Request) -> Response {
    let path = request.uri().path();
    let reader = pages::Reader::of(request.headers(), request.uri().query());
    if path == "/api" {
        return (http::StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, "/api/")]).into_response();
    }
    // Where the file was before it had a place of its own (RFC 9116 §3).
    if path == "/security.txt" {
        return (http::StatusCode::MOVED_PERMANENTLY, [(header::LOCATION, "/.well-known/security.txt")])
            .into_response();
    }
    let error = ApiError::new(Code::NotFound);
    if path.starts_with("/api/")
        || path.starts_with("/mcp/")
        || path.starts_with("/okf/")
        || path.starts_with("/.well-known/")
    {
        if request.method() == Method::OPTIONS {
            return headers::preflight(&[]);
        }
        return headers::refusal(&error, reader.lang);
    }
    pages::error::page(&app, &error, reader)
}

/// What a panic of a handler is answered with. The message went to the log by the process's panic hook.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    headers::refusal(&ApiError::new(Code::Internal), model::lang::Lang::En)
}

/// Around every call: a bound on how many there are, an id, one line in the log, and the headers that all answers have.
async fn around(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let id = app.ports().nonce();
    let begun = tokio::time::Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let span = tracing::info_span!("call", id = %id);
    let mut response = async {
        // Held until the answer is made.
        let _place = match judged(&mut request) {
            Ok(place) => place,
            Err(error) => {
                let lang = language(request.headers(), request.uri().query()).unwrap_or_default();
                return headers::refusal(&error, lang);
            }
        };
        let response = next.run(request).await;
        tracing::info!(
            %method,
            path = %crate::observe::printable(&path),
            status = response.status().as_u16(),
            ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            "answered"
        );
        response
    }
    .instrument(span)
    .await;
    if matches!(path.as_str(), "/" | "/api/") {
        response.headers_mut().extend([documents::link()]);
    }
    headers::common(response.headers_mut(), app.is_https());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

/// A place for a call with a good head. What came over no connection was made here, and is not judged.
fn judged(request: &mut Request) -> Result<Option<Place>, ApiError> {
    if request.extensions().get::<Peer>().is_some() {
        head::judge(request)?;
    }
    place(request)
}

/// A place for a call, also put where the reading of its body finds it. None for a health check, which is answered
/// however much is going on, and for a call that came over no connection.
fn place(request: &mut Request) -> Result<Option<Place>, ApiError> {
    if request.uri().path() == api::HEALTH_PATH {
        return Ok(None);
    }
    let Some(peer) = request.extensions().get::<Peer>() else { return Ok(None) };
    let place = Place::of(Arc::clone(&peer.calls));
    place.take()?;
    request.extensions_mut().insert(place.clone());
    Ok(Some(place))
}
