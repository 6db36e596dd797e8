//! The web side: routes out of the catalog, what every answer carries, and the listening itself.

mod api_call;
mod headers;
mod listen;
mod patient;
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

use crate::app::App;
use crate::error::{ApiError, Code};
use crate::pages;

pub(crate) use headers::{of_error, refusal, speaks};
pub use listen::{Patience, serve};
pub(crate) use reading::{client, language, read_body};

/// Calls in the making at once in the process; one more is [`Code::Overloaded`]. Each holds at most a body of 64 KiB
/// and waits at most for one audit.
const MOST_CALLS: usize = 1_024;

/// The other end of the connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    address: SocketAddr,
    /// How long a body of it may take.
    body_time: Duration,
}

/// Everything the service answers.
pub fn router(app: App) -> Router {
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
    router
        .merge(pages::router())
        .fallback(nothing_here)
        .layer(CompressionLayer::new())
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::from_fn_with_state((app.clone(), Arc::new(Semaphore::new(MOST_CALLS))), around))
        .with_state(app)
}

/// 404: JSON below `/api/`, a page elsewhere.
async fn nothing_here(State(app): State<App>, request: Request) -> Response {
    let path = request.uri().path();
    let lang = language(request.headers(), request.uri().query()).unwrap_or_default();
    if path == "/api" {
        return (http::StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, "/api/")]).into_response();
    }
    let error = ApiError::new(Code::NotFound);
    if path.starts_with("/api/") || path == "/mcp" || path.starts_with("/.well-known/") {
        if request.method() == Method::OPTIONS {
            return headers::preflight(&[]);
        }
        return headers::refusal(&error, lang);
    }
    pages::error::page(&app, &error, lang)
}

/// What a panic of a handler is answered with. The message went to the log by the process's panic hook.
fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    headers::refusal(&ApiError::new(Code::Internal), model::lang::Lang::En)
}

/// Around every call: a bound on how many there are, an id, one line in the log, and the headers that all answers have.
async fn around(State((app, places)): State<(App, Arc<Semaphore>)>, request: Request, next: Next) -> Response {
    let id = app.ports().nonce();
    let begun = tokio::time::Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let span = tracing::info_span!("call", id = %id);
    let mut response = async {
        let Ok(_place) = places.try_acquire() else {
            let lang = language(request.headers(), request.uri().query()).unwrap_or_default();
            return headers::refusal(&ApiError::new(Code::Overloaded).retry_after(1), lang);
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
    headers::common(response.headers_mut(), app.is_https());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}
