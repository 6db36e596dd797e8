//! The listener: connection limits, and a graceful shutdown.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io::Write as _;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use http::{HeaderValue, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use model::lang::Lang;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use super::connections::Connections;
use super::head::HEAD_BYTES;
use super::linger::{DRAIN_TIME, LAST_DRAIN_TIME, Unread, drain};
use super::patient::{Patient, Stopping};
use super::routes::Routes;
use crate::request::{Patience, Peer};
use crate::response;
use service::error::{Code, ServiceError};
use service::network::Network;
use service::sites;

/// Header fields of a head at most.
const HEAD_FIELDS: usize = 100;
/// How long calls may take to end once the service is asked to stop: above the longest audit.
const LAST_CALLS: Duration = Duration::from_secs(25);
/// Between two tries to accept while the system refuses (no descriptors left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop` resolves, then finishes the calls in progress.
pub async fn serve(listener: TcpListener, routes: Routes, patience: Patience, stop: impl Future<Output = ()>) {
    let bounds = routes.bounds;
    routes.site.services().metrics().limit("calls", bounds.calls);
    routes.site.services().metrics().limit("connections", bounds.connections);
    let places = Arc::new(Semaphore::new(bounds.connections));
    let by_network = Connections::new(bounds.connections_per_network);
    let calls = Arc::new(Semaphore::new(bounds.calls));
    let routes = Arc::new(routes);
    let (stopping, stopped) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let Some((stream, address, place)) = accepted else { continue };
        let counted = if routes.site.proxies().trusts(address.ip()) {
            None
        } else {
            let Some(counted) = by_network.count(Network::of(address.ip())) else {
                turn_away(stream, routes.site.services().is_https());
                continue;
            };
            Some(counted)
        };
        let peer = Peer {
            address,
            body_time: patience.body,
            stopped: stopped.clone(),
            calls: Arc::clone(&calls),
            proxies: Arc::clone(routes.site.proxies()),
        };
        let (routes, stopped) = (Arc::clone(&routes), stopped.clone());
        let open = routes.site.services().metrics().connected();
        connections.spawn(async move {
            connection(stream, peer, &routes, patience, stopped).await;
            drop((place, counted, open));
        });
    }
    drop(listener);
    // No new connections; open ones end after their current call.
    let _told = stopping.send(true);
    routes.site.services().lab().end_waits();
    sites::end_waits(routes.site.services());
    if tokio::time::timeout(LAST_CALLS, async { while connections.join_next().await.is_some() {} }).await.is_err() {
        tracing::warn!(connections = connections.len(), "stopped with calls unfinished");
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "accepting fails at once while the process is out of file descriptors, and nothing tells when it is not"
)]
async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, place)),
        Err(error) => {
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(ACCEPT_PAUSE).await;
            None
        }
    }
}

/// Refuses a connection over its network's limit with 503, and closes it.
fn turn_away(stream: TcpStream, is_https: bool) {
    // Nothing waits to be sent on it yet, so these bytes need no waiting. A client that is gone needs no answer.
    if let Ok(mut stream) = stream.into_std() {
        let _written = stream.write(&last_words(&ServiceError::new(Code::Overloaded).retry_after(1), is_https));
    }
}

/// A refusal as the bytes of a whole answer, for a connection without a request that could be answered.
fn last_words(error: &ServiceError, is_https: bool) -> Vec<u8> {
    let body = serde_json::Value::Object(error.body(Lang::En)).to_string();
    let mut refusal = response::refusal(error, Lang::En, is_https);
    response::common(refusal.headers_mut(), is_https);
    let mut bytes = format!("HTTP/1.1 {}\r\n", refusal.status()).into_bytes();
    for (name, value) in refusal.headers().iter().filter(|(name, _)| *name != header::CONNECTION) {
        bytes.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    bytes.extend(format!("content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()).into_bytes());
    bytes
}

async fn connection(
    stream: TcpStream,
    peer: Peer,
    routes: &Routes,
    patience: Patience,
    mut stopped: watch::Receiver<bool>,
) {
    // Answers are written whole; waiting for more to send only delays them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection could not be set up");
    }
    let unread = Unread::default();
    let of_calls = unread.clone();
    let stopping = Stopping::default();
    let (ongoing, last_bytes) = (stopping.clone(), peer.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        let (router, peer, unread) = (routes.router.clone(), peer.clone(), of_calls.clone());
        let call = ongoing.begin_call();
        // Boxed, because the connection must stay movable to be taken apart at its end.
        let answer: Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>> = Box::pin(async move {
            let mut request = request.map(|body| Body::new(unread.watch(body)));
            request.extensions_mut().insert(peer);
            let _call = call;
            let mut answer = router.oneshot(request).await?;
            if unread.is_left() {
                // What follows on this connection is the rest of this body, not another request.
                answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
            }
            Ok(answer)
        });
        answer
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_headers(HEAD_FIELDS)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Patient::new(stream, patience.answer, stopping.clone())), service);
    let mut is_late = false;
    let ended = loop {
        tokio::select! {
            ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break ended,
            _ = stopped.changed(), if !stopping.is_asked() => {
                stopping.ask();
                Pin::new(&mut connection).graceful_shutdown();
            }
            () = last_bytes.last_bytes() => {
                // What a call answers is written, or its write times out; what is left is the head of another.
                if !stopping.is_busy() {
                    is_late = true;
                    break Ok(());
                }
            }
        }
    };
    let parts = connection.into_parts();
    let mut stream = parts.io.into_inner();
    // An idle connection just ends; one with a partial request head gets 408.
    is_late |= ended.is_err_and(|error| error.is_timeout());
    if is_late && !parts.read_buf.is_empty() {
        // A client that is gone needs no answer.
        drop(
            stream
                .write_all(&last_words(&ServiceError::new(Code::RequestTimeout), routes.site.services().is_https()))
                .await,
        );
    }
    drop(stream.shutdown().await);
    if unread.is_left() {
        let time = if stopping.is_asked() { LAST_DRAIN_TIME } else { DRAIN_TIME };
        drain(&mut stream, time).await;
    }
}
