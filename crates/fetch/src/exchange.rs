//! Requests and their responses on a connection, within the limits, whatever the version of HTTP.

use std::convert::Infallible;
use std::future::Future;
use std::pin::{Pin, pin};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1::SendRequest;
use hyper::{Response, header};
use model::capture::BodyCut;
use tokio::time::{Instant, timeout_at};

use crate::config::FetchTimeouts;
use crate::dial::{Connection, HttpVersion};
use crate::failure::{HopFailure, timeout, unreachable};
use crate::request::{Asks, GetRequest};
use crate::response::{BodyStream, HEAD_BYTES, MOST_FIELDS, RawResponse};
use crate::room::Room;
use crate::{http1, http2};

/// Bytes per second below which a body is given up, measured over [`FetchTimeouts::floor_window`].
const FLOOR: f64 = 1_024.0;

/// Sends one request on a connection of its own and reads head and body within the limits.
pub(crate) async fn exchange(
    connection: impl Connection + 'static,
    version: HttpVersion,
    request: GetRequest<'_>,
    room: Option<&mut Room>,
    clock: (&FetchTimeouts, Instant),
) -> Result<RawResponse, HopFailure> {
    let mut open = OpenConnection::open(connection, version, clock).await?;
    open.ask(request, room, clock).await
}

/// A connection on which one request after the other may be sent. It is closed when dropped.
pub(crate) struct OpenConnection {
    sender: Sender,
    /// What reads and writes the socket; `None` once it has ended. It is polled during requests only: between them nothing
    /// is expected of the server.
    driver: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Whether a request was sent.
    is_used: bool,
}

enum Sender {
    One(SendRequest<Empty<Bytes>>),
    Two(h2::client::SendRequest<Bytes>),
}

impl OpenConnection {
    /// Begins HTTP on a connection.
    pub(crate) async fn open(
        connection: impl Connection + 'static,
        version: HttpVersion,
        (limits, deadline): (&FetchTimeouts, Instant),
    ) -> Result<Self, HopFailure> {
        let clock = ExchangeTimes { limits, started: Instant::now(), deadline };
        let (sender, driver): (Sender, Pin<Box<dyn Future<Output = ()> + Send>>) = match version {
            HttpVersion::Http1 => {
                let (sender, driver) = http1::open(connection).await?;
                (Sender::One(sender), Box::pin(async { drop(driver.await) }))
            }
            HttpVersion::Http2 => {
                let (sender, driver) = clock.head(http2::open(connection)).await?;
                (Sender::Two(sender), Box::pin(async { drop(driver.await) }))
            }
        };
        Ok(Self { sender, driver: Some(driver), is_used: false })
    }

    /// Sends a request and reads head and body within the limits.
    pub(crate) async fn ask(
        &mut self,
        request: GetRequest<'_>,
        room: Option<&mut Room>,
        (limits, deadline): (&FetchTimeouts, Instant),
    ) -> Result<RawResponse, HopFailure> {
        let clock = ExchangeTimes { limits, started: Instant::now(), deadline };
        let is_used = std::mem::replace(&mut self.is_used, true);
        match &mut self.sender {
            Sender::One(sender) => {
                let head = async {
                    if is_used {
                        sender.ready().await.map_err(|_| unreachable("protocol"))?;
                    }
                    http1::head(sender, request).await
                };
                driven(&mut self.driver, pin!(raw(HttpVersion::Http1, head, request, room, clock))).await
            }
            Sender::Two(sender) => {
                let head = http2::head(sender.clone(), request);
                driven(&mut self.driver, pin!(raw(HttpVersion::Http2, head, request, room, clock))).await
            }
        }
    }

    /// Whether another request may be sent after this response: it was read to its end, and where it ends is beyond doubt.
    pub(crate) fn may_go_on(&self, after: &RawResponse) -> bool {
        let is_unclear =
            after.fields.contains_key(header::CONTENT_LENGTH) && after.fields.contains_key(header::TRANSFER_ENCODING);
        self.driver.is_some() && after.is_read && after.cut.is_none() && after.status != 101 && !is_unclear
    }
}

/// Pieces of a body at most: chunks of HTTP/1.1, `DATA` frames of HTTP/2. Each costs microseconds whatever its size: a page
/// of 2 MB in pieces of one byte would take seconds of a core. Chosen: pieces of 32 bytes for a whole page.
const MOST_PIECES: usize = 65_536;

/// Start and deadlines of one exchange.
#[derive(Clone, Copy)]
struct ExchangeTimes<'a> {
    limits: &'a FetchTimeouts,
    started: Instant,
    deadline: Instant,
}

impl ExchangeTimes<'_> {
    /// Runs the part of an exchange that ends with the head, within its timeout.
    async fn head<T>(&self, work: impl Future<Output = Result<T, HopFailure>>) -> Result<T, HopFailure> {
        let by = self.deadline.min(self.started + self.limits.head);
        timeout_at(by, work).await.unwrap_or(Err(timeout("first_byte")))
    }
}

/// Runs the work and its connection's driver in one task. Neither outlives it, so the socket is closed with its owner. The work
/// is pinned by the caller, as a future that is handed on lies twice in the one that waits for it.
async fn driven<T>(
    driver: &mut Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    work: Pin<&mut impl Future<Output = T>>,
) -> T {
    let driving = async {
        if let Some(running) = driver {
            running.await;
        }
        *driver = None;
        // The connection has ended; the work reads what is left of it and ends by itself.
        std::future::pending::<Infallible>().await
    };
    tokio::select! {
        biased;
        done = work => done,
        never = driving => match never {},
    }
}

/// Reads the head, then the body.
async fn raw(
    version: HttpVersion,
    head: impl Future<Output = Result<Response<BodyStream>, HopFailure>>,
    request: GetRequest<'_>,
    room: Option<&mut Room>,
    clock: ExchangeTimes<'_>,
) -> Result<RawResponse, HopFailure> {
    let (head, source) = clock.head(head).await?.into_parts();
    let ttfb = clock.started.elapsed();
    let fields = head.headers;
    // Checked again: HTTP/1.1 limits the number of fields but not their size, HTTP/2 their size with a margin.
    let size: usize = fields.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if size > HEAD_BYTES || fields.len() > MOST_FIELDS {
        return Err(unreachable("headers_too_large"));
    }
    let status = head.status.as_u16();
    // The body of a followed redirect is not read: an endless one would use up the time of the whole fetch.
    let is_followed = request.follows && is_redirect(status) && fields.contains_key(header::LOCATION);
    let no_body = is_followed || request.asks == Asks::Head || matches!(status, 101 | 204 | 205 | 304);
    let (body, cut) = if no_body { (Vec::new(), None) } else { body(source, request.max_bytes, room, clock).await };
    let download = clock.started.elapsed().saturating_sub(ttfb);
    let wire_bytes = body.len();
    Ok(RawResponse { version, status, fields, body, wire_bytes, cut, is_read: !is_followed, ttfb, download })
}

/// Reads the body within its limits of size and pieces, the available memory and its timeouts. A partial body is kept.
async fn body(
    mut source: BodyStream,
    max_bytes: usize,
    mut room: Option<&mut Room>,
    clock: ExchangeTimes<'_>,
) -> (Vec<u8>, Option<BodyCut>) {
    let limits = clock.limits;
    let end = clock.deadline.min(Instant::now() + limits.body);
    let floor = FLOOR * limits.floor_window.as_secs_f64();
    let mut bytes = Vec::new();
    let (mut window_start, mut window_bytes) = (Instant::now(), 0.0);
    for _ in 0..MOST_PIECES {
        let wait = end.min(Instant::now() + limits.body_idle);
        let piece = match timeout_at(wait, source.piece()).await {
            Err(_) => return (bytes, Some(BodyCut::Time)),
            Ok(None) => return (bytes, None),
            Ok(Some(Err(()))) => return (bytes, Some(BodyCut::Connection)),
            Ok(Some(Ok(piece))) => piece,
        };
        let left = max_bytes.saturating_sub(bytes.len());
        if piece.len() > left {
            bytes.extend_from_slice(piece.get(..left).unwrap_or_default());
            return (bytes, Some(BodyCut::Size));
        }
        if room.as_mut().is_some_and(|room| !room.grow_to(bytes.len() + piece.len())) {
            return (bytes, Some(BodyCut::Size));
        }
        bytes.extend_from_slice(&piece);
        window_bytes += piece.len() as f64;
        if window_start.elapsed() >= limits.floor_window {
            if window_bytes < floor {
                return (bytes, Some(BodyCut::Time));
            }
            (window_start, window_bytes) = (Instant::now(), 0.0);
        }
    }
    (bytes, Some(BodyCut::Size))
}

/// Whether a status redirects (RFC 9110 §15.4) where a `Location` names the target.
pub(crate) const fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}
