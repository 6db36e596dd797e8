//! One request and its response, over HTTP/1.1 on a connection of its own.

use std::time::Duration;

use http_body_util::{BodyExt as _, Empty};
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, header};
use hyper_util::rt::TokioIo;
use model::capture::BodyCut;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::Limits;
use crate::dial::{Connection, Trouble, timeout, unreachable};

/// Fields of a response head.
const MOST_FIELDS: usize = 100;
/// Bytes of a response head, names and values. The library alone would let a single value of 300 KB pass.
const HEAD_BYTES: usize = 64 * 1024;
/// Bytes per second below which a body is given up, measured over [`FLOOR_WINDOW`].
const FLOOR: usize = 1_024;
const FLOOR_WINDOW: Duration = Duration::from_secs(10);

/// A response with its body as it came, still coded.
pub(crate) struct Raw {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) cut: Option<BodyCut>,
    pub(crate) ttfb: Duration,
    pub(crate) download: Duration,
}

/// Sends the request and reads head and body within the limits. `wants_body` says of a status whether its body matters.
pub(crate) async fn exchange(
    connection: impl Connection + 'static,
    url: &Url,
    headers: &[(header::HeaderName, String)],
    limits: &Limits,
    max_bytes: usize,
    deadline: Instant,
) -> Result<Raw, Trouble> {
    let started = Instant::now();
    let head_by = deadline.min(started + limits.head);
    let (mut sender, driver) = hyper::client::conn::http1::Builder::new()
        .max_headers(MOST_FIELDS)
        .max_buf_size(HEAD_BYTES + 8_192)
        .handshake(TokioIo::new(connection))
        .await
        .map_err(|_| unreachable("protocol"))?;
    // Ends with the connection, which is dropped with the sender and the body below.
    let driver = tokio::spawn(driver);
    let outcome = async {
        let request = request(url, headers)?;
        let response = timeout_at(head_by, sender.send_request(request))
            .await
            .map_err(|_| timeout("first_byte"))?
            .map_err(|error| unreachable(head_reason(&error)))?;
        let ttfb = started.elapsed();
        let read = head(&response)?;
        let status = response.status().as_u16();
        let no_body = matches!(status, 101 | 204 | 205 | 304);
        let (body, cut) = if no_body { (Vec::new(), None) } else { body(response, limits, max_bytes, deadline).await };
        Ok(Raw { status, headers: read, body, cut, ttfb, download: started.elapsed().saturating_sub(ttfb) })
    }
    .await;
    driver.abort();
    outcome
}

fn request(url: &Url, headers: &[(header::HeaderName, String)]) -> Result<Request<Empty<Bytes>>, Trouble> {
    let target = match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    };
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    let mut request = Request::get(target).header(header::HOST, host);
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.body(Empty::new()).map_err(|_| unreachable("protocol"))
}

fn head_reason(error: &hyper::Error) -> &'static str {
    // The library names this case in its text only; the tests hold it to that.
    if error.is_parse() && error.to_string().contains("too large") { "headers_too_large" } else { "protocol" }
}

/// The fields, counted again: the library checks their number, but not their size.
fn head(response: &Response<Incoming>) -> Result<Vec<(String, String)>, Trouble> {
    let fields = response.headers();
    let size: usize = fields.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if size > HEAD_BYTES || fields.len() > MOST_FIELDS {
        return Err(unreachable("headers_too_large"));
    }
    let text = |value: &header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    Ok(fields.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect())
}

/// The body up to the cap, within the time; what came is kept whatever ended it.
async fn body(
    response: Response<Incoming>,
    limits: &Limits,
    max_bytes: usize,
    deadline: Instant,
) -> (Vec<u8>, Option<BodyCut>) {
    let end = deadline.min(Instant::now() + limits.body);
    let mut incoming = response.into_body();
    let mut bytes = Vec::new();
    let (mut window_start, mut window_bytes) = (Instant::now(), 0);
    loop {
        let wait = end.min(Instant::now() + limits.body_idle);
        let frame = match timeout_at(wait, incoming.frame()).await {
            Err(_) => return (bytes, Some(BodyCut::Time)),
            Ok(None) => return (bytes, None),
            Ok(Some(Err(_))) => return (bytes, Some(BodyCut::Connection)),
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else { continue };
        let room = max_bytes.saturating_sub(bytes.len());
        if data.len() > room {
            bytes.extend_from_slice(data.get(..room).unwrap_or_default());
            return (bytes, Some(BodyCut::Size));
        }
        bytes.extend_from_slice(&data);
        window_bytes += data.len();
        if window_start.elapsed() >= FLOOR_WINDOW {
            if window_bytes < FLOOR * 10 {
                return (bytes, Some(BodyCut::Time));
            }
            (window_start, window_bytes) = (Instant::now(), 0);
        }
    }
}
