//! Listening: connections within limits, and an end that drops no call.

use std::convert::Infallible;
use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt as _;

use super::Peer;
use super::patient::Patient;

/// Open connections at once; the next one waits in the system's queue.
const MOST_CONNECTIONS: usize = 4_096;
/// Fields of a head.
const HEAD_FIELDS: usize = 100;
/// Bytes of a head.
const HEAD_BYTES: usize = 64 * 1024;
/// How long calls may take to end once the service is asked to stop: above the longest audit.
const LAST_CALLS: Duration = Duration::from_secs(25);
/// Between two tries to accept while the system refuses (no descriptors left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// The answer to a head that does not come to its end.
const TOO_SLOW: &[u8] = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// How long callers may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// A whole request head; also how long an idle connection is kept.
    pub head: Duration,
    /// A whole request body.
    pub body: Duration,
    /// Until some of an answer that waits to be sent is taken.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { head: Duration::from_secs(10), body: Duration::from_secs(15), answer: Duration::from_secs(15) }
    }
}

/// Serves until `stop` resolves, then lets the calls that are in the making end.
pub async fn serve(listener: TcpListener, router: Router, patience: Patience, stop: impl Future<Output = ()>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let (stopping, stopped) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = accept(&listener, &places) => accepted,
        };
        let Some((stream, peer, place)) = accepted else { continue };
        let (router, stopped) = (router.clone(), stopped.clone());
        connections.spawn(async move {
            connection(stream, peer, router, patience, stopped).await;
            drop(place);
        });
    }
    drop(listener);
    // Nobody listens any more: every connection ends after the call it is at.
    let _told = stopping.send(true);
    if tokio::time::timeout(LAST_CALLS, async { while connections.join_next().await.is_some() {} }).await.is_err() {
        tracing::warn!(connections = connections.len(), "stopped with calls unfinished");
    }
}

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

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    patience: Patience,
    mut stopped: watch::Receiver<bool>,
) {
    // Answers are written whole; waiting for more to send only delays them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection could not be set up");
    }
    let service = service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        // Boxed, because the connection must stay movable to be taken apart at its end.
        let answer: Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>> = Box::pin(async move {
            let mut request = request.map(Body::new);
            request.extensions_mut().insert(Peer { address: peer, body_time: patience.body });
            router.oneshot(request).await
        });
        answer
    });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_headers(HEAD_FIELDS)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Patient::new(stream, patience.answer)), service);
    let mut is_stopping = false;
    let ended = loop {
        tokio::select! {
            ended = poll_fn(|cx| connection.poll_without_shutdown(cx)) => break ended,
            _ = stopped.changed(), if !is_stopping => {
                is_stopping = true;
                Pin::new(&mut connection).graceful_shutdown();
            }
        }
    };
    let parts = connection.into_parts();
    let mut stream = parts.io.into_inner();
    // An idle connection just ends; one with half a head is told why.
    if ended.is_err_and(|error| error.is_timeout()) && !parts.read_buf.is_empty() {
        // A client that is gone needs no answer.
        drop(stream.write_all(TOO_SLOW).await);
    }
    drop(stream.shutdown().await);
}
