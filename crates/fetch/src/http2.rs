//! HTTP/2 (RFC 9113), one request a connection.

use std::future::{Future, poll_fn};

use h2::client::{Builder, ResponseFuture, SendRequest};
use hyper::body::Bytes;
use hyper::{Request, Response};

use crate::dial::{Connection, Trouble, unreachable};
use crate::exchange::{HEAD_BYTES, MOST_INTERIM, Question, Source, authority, target};

/// Bytes of a body that may be under way unread: of the stream, and of the connection, which has no other.
const WINDOW: u32 = 256 * 1024;
/// Bytes of a field list that the library still decodes (RFC 9113 §6.5.2). Beyond, it ends the stream without saying
/// why, so a list of up to twice what we take is read, to be counted and named too large by us.
const LIST_BYTES: u32 = 2 * HEAD_BYTES as u32;

/// The sender of a connection, and what drives it.
pub(crate) async fn open(
    connection: impl Connection,
) -> Result<(SendRequest<Bytes>, impl Future<Output = Result<(), h2::Error>>), Trouble> {
    Builder::new()
        .enable_push(false)
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_header_list_size(LIST_BYTES)
        .handshake(connection)
        .await
        .map_err(|error| trouble(&error))
}

/// Asks, and reads the head of the response.
pub(crate) async fn head(sender: SendRequest<Bytes>, question: Question<'_>) -> Result<Response<Source>, Trouble> {
    let trouble = |error: h2::Error| trouble(&error);
    let mut sender = sender.ready().await.map_err(trouble)?;
    let (mut response, _nothing_to_send) = sender.send_request(request(question)?, true).map_err(trouble)?;
    for _ in 0..=MOST_INTERIM {
        if !interim(&mut response).await.map_err(trouble)? {
            return Ok(response.await.map_err(trouble)?.map(Source::Two));
        }
    }
    Err(unreachable("protocol"))
}

/// Whether an interim response came before the response.
async fn interim(response: &mut ResponseFuture) -> Result<bool, h2::Error> {
    poll_fn(|context| response.poll_informational(context)).await.transpose().map(|interim| interim.is_some())
}

fn request(question: Question<'_>) -> Result<Request<()>, Trouble> {
    let mut request = Request::get(format!("https://{}{}", authority(question.url), target(question.url)));
    for (name, value) in question.fields {
        request = request.header(name, value);
    }
    request.body(()).map_err(|_| unreachable("protocol"))
}

/// The server did nothing with the request, and takes it over another connection or version.
pub(crate) const NOT_OVER_HTTP2: Trouble = unreachable("http2_refused");

/// What a connection or stream came to that failed before its response.
fn trouble(error: &h2::Error) -> Trouble {
    let remote = error.reason().filter(|_| error.is_remote());
    // A connection that ends without an error did not take the request (RFC 9113 §6.8).
    let ends = remote == Some(h2::Reason::NO_ERROR) && error.is_go_away();
    if ends || matches!(remote, Some(h2::Reason::REFUSED_STREAM | h2::Reason::HTTP_1_1_REQUIRED)) {
        return NOT_OVER_HTTP2;
    }
    // Our side calls for calm when a field list goes on for too long, in size or in frames.
    let endless = error.is_library() && error.reason() == Some(h2::Reason::ENHANCE_YOUR_CALM);
    unreachable(if endless { "headers_too_large" } else { "protocol" })
}
