//! HTTP/2 (RFC 9113), one request at a time on a connection.

use std::future::{Future, poll_fn};

use h2::client::{Builder, ResponseFuture, SendRequest};
use hyper::body::Bytes;
use hyper::{Request, Response};

use crate::dial::Connection;
use crate::failure::{HopFailure, unreachable};
use crate::request::{GetRequest, authority, target};
use crate::response::{BodyStream, HEAD_BYTES, MOST_INTERIM};

/// Flow-control window in bytes, of the stream and of its connection, which has no other stream at a time.
const WINDOW: u32 = 256 * 1024;
/// Bytes of a field list that the library decodes (RFC 9113 §6.5.2). Past that it ends the stream without a reason, so it
/// decodes up to twice our size limit, and the list is measured and reported as too large here.
const LIST_BYTES: u32 = 2 * HEAD_BYTES as u32;

/// Opens a connection: its sender, and the future that drives it.
#[expect(clippy::disallowed_methods, reason = "the connection is one that `dial` opened")]
pub(crate) async fn open(
    connection: impl Connection,
) -> Result<(SendRequest<Bytes>, impl Future<Output = Result<(), h2::Error>>), HopFailure> {
    Builder::new()
        .enable_push(false)
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_header_list_size(LIST_BYTES)
        .handshake(connection)
        .await
        .map_err(|error| failure(&error))
}

/// Sends the request and reads the head of the response.
pub(crate) async fn head(sender: SendRequest<Bytes>, get: GetRequest<'_>) -> Result<Response<BodyStream>, HopFailure> {
    let failed = |error: h2::Error| failure(&error);
    let mut sender = sender.ready().await.map_err(failed)?;
    let (mut response, _nothing_to_send) = sender.send_request(request(get)?, true).map_err(failed)?;
    for _ in 0..=MOST_INTERIM {
        if !interim(&mut response).await.map_err(failed)? {
            return Ok(response.await.map_err(failed)?.map(BodyStream::Two));
        }
    }
    Err(unreachable("protocol"))
}

/// Whether an interim response came before the response.
async fn interim(response: &mut ResponseFuture) -> Result<bool, h2::Error> {
    poll_fn(|context| response.poll_informational(context)).await.transpose().map(|interim| interim.is_some())
}

fn request(get: GetRequest<'_>) -> Result<Request<()>, HopFailure> {
    let mut request =
        Request::builder().method(get.asks.method()).uri(format!("https://{}{}", authority(get.url), target(get.url)));
    for (name, value) in get.fields {
        request = request.header(name, value);
    }
    request.body(()).map_err(|_| unreachable("protocol"))
}

/// The server did not process the request, and accepts it over another connection or HTTP/1.1.
pub(crate) const NOT_OVER_HTTP2: HopFailure = unreachable("http2_refused");

/// The failure of a connection or stream before its response.
fn failure(error: &h2::Error) -> HopFailure {
    let remote = error.reason().filter(|_| error.is_remote());
    // A connection that ends without an error did not process the request (RFC 9113 §6.8).
    let ends = remote == Some(h2::Reason::NO_ERROR) && error.is_go_away();
    if ends || matches!(remote, Some(h2::Reason::REFUSED_STREAM | h2::Reason::HTTP_1_1_REQUIRED)) {
        return NOT_OVER_HTTP2;
    }
    // The library answers ENHANCE_YOUR_CALM to a field list that is too long, in bytes or in frames.
    let endless = error.is_library() && error.reason() == Some(h2::Reason::ENHANCE_YOUR_CALM);
    unreachable(if endless { "headers_too_large" } else { "protocol" })
}
