//! One request and its response on a connection of its own, within the limits, whatever the version of HTTP.

use std::future::Future;
use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::body::{Bytes, Incoming};
use hyper::{HeaderMap, Response, header};
use model::capture::BodyCut;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::dial::{Connection, Trouble, Version, timeout, unreachable};
use crate::room::Room;
use crate::{Limits, http1, http2};

/// Fields of a response head.
pub(crate) const MOST_FIELDS: usize = 100;
/// Bytes of a response head, names and values. The libraries alone would let more pass.
pub(crate) const HEAD_BYTES: usize = 64 * 1024;
/// Interim responses (1xx) before the response. One or two are usual: 100, and 103 with hints.
pub(crate) const MOST_INTERIM: usize = 16;
/// Bytes per second below which a body is given up, measured over [`Limits::floor_window`].
const FLOOR: f64 = 1_024.0;

/// What is asked, and how much of the answer is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    pub(crate) url: &'a Url,
    /// Fields beside those that the version of HTTP asks for.
    pub(crate) fields: &'a [(header::HeaderName, String)],
    pub(crate) max_bytes: usize,
    /// A redirect is followed, so its body is of no use.
    pub(crate) follows: bool,
}

/// A response with its body as it came, still coded.
pub(crate) struct Raw {
    pub(crate) version: Version,
    pub(crate) status: u16,
    pub(crate) fields: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Of the body as it came.
    pub(crate) wire_bytes: usize,
    pub(crate) cut: Option<BodyCut>,
    pub(crate) ttfb: Duration,
    pub(crate) download: Duration,
}

/// Where the pieces of a body come from.
pub(crate) enum Source {
    /// HTTP/1.1.
    One(Incoming),
    /// HTTP/2.
    Two(h2::RecvStream),
}

impl Source {
    /// The next piece; `None` at the end, and an error when the body ends before it is whole.
    async fn piece(&mut self) -> Option<Result<Bytes, ()>> {
        match self {
            Self::One(incoming) => {
                let frame = incoming.frame().await?;
                Some(frame.map(|frame| frame.into_data().unwrap_or_default()).map_err(|_| ()))
            }
            Self::Two(stream) => {
                let piece = stream.data().await?;
                // What was taken may be sent again; a stream that refuses it has ended, and says so next time.
                let _ended = piece.as_ref().map(|bytes| stream.flow_control().release_capacity(bytes.len()));
                Some(piece.map_err(|_| ()))
            }
        }
    }
}

/// Sends the request and reads head and body within the limits.
pub(crate) async fn exchange(
    connection: impl Connection,
    version: Version,
    question: Question<'_>,
    room: Option<&mut Room>,
    (limits, deadline): (&Limits, Instant),
) -> Result<Raw, Trouble> {
    let clock = Clock { limits, started: Instant::now(), deadline };
    match version {
        Version::Http1 => {
            let (mut sender, driver) = http1::open(connection).await?;
            let head = http1::head(&mut sender, question);
            driven(driver, raw(version, head, question, room, clock)).await
        }
        Version::Http2 => {
            let (sender, driver) = clock.head(http2::open(connection)).await?;
            let head = http2::head(sender, question);
            driven(driver, raw(version, head, question, room, clock)).await
        }
    }
}

/// When what has to have come.
#[derive(Clone, Copy)]
struct Clock<'a> {
    limits: &'a Limits,
    started: Instant,
    deadline: Instant,
}

impl Clock<'_> {
    /// What belongs to the head, in the time for it.
    async fn head<T>(&self, work: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
        let by = self.deadline.min(self.started + self.limits.head);
        timeout_at(by, work).await.unwrap_or(Err(timeout("first_byte")))
    }
}

/// Does the work while its connection is driven, both in one task. Nothing outlives it: however it ends, the socket is
/// closed with it.
async fn driven<T>(driver: impl Future, work: impl Future<Output = T>) -> T {
    let driver = async {
        driver.await;
        // What the connection still brought has to be read by the work, which then ends by itself.
        std::future::pending().await
    };
    tokio::select! {
        biased;
        done = work => done,
        never = driver => never,
    }
}

/// Head, then body.
async fn raw(
    version: Version,
    head: impl Future<Output = Result<Response<Source>, Trouble>>,
    question: Question<'_>,
    room: Option<&mut Room>,
    clock: Clock<'_>,
) -> Result<Raw, Trouble> {
    let (head, source) = clock.head(head).await?.into_parts();
    let ttfb = clock.started.elapsed();
    let fields = head.headers;
    // Counted again: HTTP/1.1 checks the number of fields but not their size, HTTP/2 their size with a margin.
    let size: usize = fields.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if size > HEAD_BYTES || fields.len() > MOST_FIELDS {
        return Err(unreachable("headers_too_large"));
    }
    let status = head.status.as_u16();
    // Nobody looks at the body of a redirect that is followed; waiting for one without end would cost the whole fetch.
    let is_passed = question.follows && is_redirect(status) && fields.contains_key(header::LOCATION);
    let no_body = is_passed || matches!(status, 101 | 204 | 205 | 304);
    let (body, cut) = if no_body { (Vec::new(), None) } else { body(source, question.max_bytes, room, clock).await };
    let download = clock.started.elapsed().saturating_sub(ttfb);
    let wire_bytes = body.len();
    Ok(Raw { version, status, fields, body, wire_bytes, cut, ttfb, download })
}

/// The body up to the cap and as far as there is room, within the time; what came is kept whatever ended it.
async fn body(
    mut source: Source,
    max_bytes: usize,
    mut room: Option<&mut Room>,
    clock: Clock<'_>,
) -> (Vec<u8>, Option<BodyCut>) {
    let limits = clock.limits;
    let end = clock.deadline.min(Instant::now() + limits.body);
    let floor = FLOOR * limits.floor_window.as_secs_f64();
    let mut bytes = Vec::new();
    let (mut window_start, mut window_bytes) = (Instant::now(), 0.0);
    loop {
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
}

/// Whether a status sends on to another address (RFC 9110 §15.4), where a `Location` names one.
pub(crate) const fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// Path and query, as they stand in a request.
pub(crate) fn target(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

/// Host and port, as they stand in a request: without the dot that may end a name.
pub(crate) fn authority(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
