//! HTTP/1.1 (RFC 9112), one request at a time on a connection.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::{Request, Response, header};
use hyper_util::rt::TokioIo;
use tokio::sync::Notify;

use crate::dial::Connection;
use crate::failure::{HopFailure, unreachable};
use crate::request::{GetRequest, authority, target};
use crate::response::{BodyStream, HEAD_BYTES, MOST_FIELDS, MOST_INTERIM};

/// Bytes read past the longest head, so that a longer one is reported as too large and not as malformed.
const READ_AHEAD: usize = 8 * 1024;

/// Opens a connection: its sender, and the future that drives it.
#[expect(clippy::disallowed_methods, reason = "the connection is one that `dial` opened")]
pub(crate) async fn open(
    connection: impl Connection,
) -> Result<(SendRequest<Empty<Bytes>>, impl Future<Output = hyper::Result<()>>), HopFailure> {
    Builder::new()
        .max_headers(MOST_FIELDS)
        .max_buf_size(HEAD_BYTES + READ_AHEAD)
        .handshake(TokioIo::new(connection))
        .await
        .map_err(|_| unreachable("protocol"))
}

/// Sends the request and reads the head of the response.
pub(crate) async fn head(
    sender: &mut SendRequest<Empty<Bytes>>,
    get: GetRequest<'_>,
) -> Result<Response<BodyStream>, HopFailure> {
    let mut request = request(get)?;
    let too_many = too_many_interim(&mut request);
    tokio::select! {
        // Polled first: the interim response past the limit may arrive together with the response.
        biased;
        () = too_many.notified() => Err(unreachable("protocol")),
        response = sender.send_request(request) => match response {
            Ok(response) => Ok(response.map(BodyStream::One)),
            Err(error) => Err(unreachable(reason(&error))),
        },
    }
}

/// Notified when a request gets more than [`MOST_INTERIM`] interim responses: the library takes any number.
fn too_many_interim(request: &mut Request<Empty<Bytes>>) -> Arc<Notify> {
    let too_many = Arc::new(Notify::new());
    let (notify, count) = (Arc::clone(&too_many), AtomicUsize::new(0));
    hyper::ext::on_informational(request, move |_| {
        if count.fetch_add(1, Ordering::Relaxed) >= MOST_INTERIM {
            notify.notify_one();
        }
    });
    too_many
}

fn request(get: GetRequest<'_>) -> Result<Request<Empty<Bytes>>, HopFailure> {
    let mut request =
        Request::builder().method(get.asks.method()).uri(target(get.url)).header(header::HOST, authority(get.url));
    for (name, value) in get.fields {
        request = request.header(name, value);
    }
    if !get.keeps {
        request = request.header(header::CONNECTION, "close");
    }
    request.body(Empty::new()).map_err(|_| unreachable("protocol"))
}

fn reason(error: &hyper::Error) -> &'static str {
    // The library has only its text for this case; the tests depend on that text.
    if error.is_parse() && error.to_string().contains("too large") { "headers_too_large" } else { "protocol" }
}
