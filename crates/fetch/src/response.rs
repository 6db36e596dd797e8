//! A response as both versions of HTTP give it, and the limits of its head.

use std::time::Duration;

use http_body_util::BodyExt as _;
use hyper::HeaderMap;
use hyper::body::{Bytes, Incoming};
use model::capture::BodyCut;

use crate::dial::HttpVersion;

/// Header fields of a response at most.
pub(crate) const MOST_FIELDS: usize = 100;
/// Size limit of a response head in bytes, names and values. The libraries alone would let more pass.
pub(crate) const HEAD_BYTES: usize = 64 * 1024;
/// Interim responses (1xx) before the response at most. One or two are usual: 100, and 103 with hints.
pub(crate) const MOST_INTERIM: usize = 16;

/// A response with its body as received, before content decoding.
pub(crate) struct RawResponse {
    pub(crate) version: HttpVersion,
    pub(crate) status: u16,
    pub(crate) fields: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Bytes of the body as received.
    pub(crate) wire_bytes: usize,
    pub(crate) cut: Option<BodyCut>,
    /// Nothing of the body was left unread by choice.
    pub(crate) is_read: bool,
    pub(crate) ttfb: Duration,
    pub(crate) download: Duration,
}

/// The stream of a body.
pub(crate) enum BodyStream {
    /// HTTP/1.1.
    One(Incoming),
    /// HTTP/2.
    Two(h2::RecvStream),
}

impl BodyStream {
    /// The next piece; `None` at the end, and an error when the body ends before it is whole.
    pub(crate) async fn piece(&mut self) -> Option<Result<Bytes, ()>> {
        match self {
            Self::One(incoming) => {
                let frame = incoming.frame().await?;
                Some(frame.map(|frame| frame.into_data().unwrap_or_default()).map_err(|_| ()))
            }
            Self::Two(stream) => {
                let piece = stream.data().await?;
                // Gives the window back; a stream that refuses it has ended, which the next read reports.
                let _ended = piece.as_ref().map(|bytes| stream.flow_control().release_capacity(bytes.len()));
                Some(piece.map_err(|_| ()))
            }
        }
    }
}
