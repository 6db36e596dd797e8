//! HTTP/1.1 (RFC 9112), one request a connection.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http_body_util::Empty;
use hyper::body::Bytes;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper::{Request, Response, header};
use hyper_util::rt::TokioIo;
use tokio::sync::Notify;

use crate::dial::{Connection, Trouble, unreachable};
use crate::exchange::{HEAD_BYTES, MOST_FIELDS, MOST_INTERIM, Question, Source, authority, target};

/// Bytes read beyond a head of the longest kind, so that the head is named too long and not cut.
const READ_AHEAD: usize = 8 * 1024;

/// The sender of a connection, and what drives it.
pub(crate) async fn open(
    connection: impl Connection,
) -> Result<(SendRequest<Empty<Bytes>>, impl Future<Output = hyper::Result<()>>), Trouble> {
    Builder::new()
        .max_headers(MOST_FIELDS)
        .max_buf_size(HEAD_BYTES + READ_AHEAD)
        .handshake(TokioIo::new(connection))
        .await
        .map_err(|_| unreachable("protocol"))
}

/// Asks, and reads the head of the response.
pub(crate) async fn head(
    sender: &mut SendRequest<Empty<Bytes>>,
    question: Question<'_>,
) -> Result<Response<Source>, Trouble> {
    let mut request = request(question)?;
    let too_many = too_many_interim(&mut request);
    tokio::select! {
        // First, as the last of too many may come together with the response.
        biased;
        () = too_many.notified() => Err(unreachable("protocol")),
        response = sender.send_request(request) => match response {
            Ok(response) => Ok(response.map(Source::One)),
            Err(error) => Err(unreachable(reason(&error))),
        },
    }
}

/// Tells when a request has had more interim responses than it may: the library takes any number.
fn too_many_interim(request: &mut Request<Empty<Bytes>>) -> Arc<Notify> {
    let too_many = Arc::new(Notify::new());
    let (told, count) = (Arc::clone(&too_many), AtomicUsize::new(0));
    hyper::ext::on_informational(request, move |_| {
        if count.fetch_add(1, Ordering::Relaxed) >= MOST_INTERIM {
            told.notify_one();
        }
    });
    too_many
}

fn request(question: Question<'_>) -> Result<Request<Empty<Bytes>>, Trouble> {
    let mut request = Request::get(target(question.url)).header(header::HOST, authority(question.url));
    for (name, value) in question.fields {
        request = request.header(name, value);
    }
    request.header(header::CONNECTION, "close").body(Empty::new()).map_err(|_| unreachable("protocol"))
}

fn reason(error: &hyper::Error) -> &'static str {
    // The library names this case in its text only; the tests hold it to that.
    if error.is_parse() && error.to_string().contains("too large") { "headers_too_large" } else { "protocol" }
}
