//! The end of a connection whose client is still sending (RFC 9112 §9.6): a client that sends all of its body before it
//! reads must find the refusal of that body, not a reset connection.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::io::{AsyncRead, AsyncReadExt as _, copy, sink};

/// Bytes of a refused body that are read and thrown away at most: the longest body that any call takes.
const DRAINED_BYTES: u64 = 8 * 1024 * 1024;
/// How long that may take.
pub(super) const DRAIN_TIME: Duration = Duration::from_secs(2);
/// The same while the service stops: what the client had to send was waited for already.
pub(super) const LAST_DRAIN_TIME: Duration = Duration::from_millis(500);

/// Whether the body of a connection's newest request was left unread.
#[derive(Debug, Clone, Default)]
pub(super) struct Unread(Arc<AtomicBool>);

impl Unread {
    /// The body of a new request, which counts as unread until it was read to its end.
    pub(super) fn watch(&self, body: Incoming) -> WatchedBody {
        self.set(!body.is_end_stream());
        WatchedBody { body, unread: self.clone() }
    }

    /// Whether it was left unread.
    pub(super) fn is_left(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, is_unread: bool) {
        self.0.store(is_unread, Ordering::Relaxed);
    }
}

/// A request's body that notes when it was read to its end.
#[derive(Debug)]
pub(super) struct WatchedBody {
    body: Incoming,
    unread: Unread,
}

impl Body for WatchedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.unread.set(false);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Reads what a client still sends and throws it away, until it ends or [`DRAINED_BYTES`] or `time` are reached. To be
/// called when the answer is sent and our side of the connection is shut down.
pub(super) async fn drain(stream: &mut (impl AsyncRead + Unpin), time: Duration) {
    let (mut rest, mut nowhere) = (stream.take(DRAINED_BYTES), sink());
    // However it ends, the connection is closed next.
    let _ended = tokio::time::timeout(time, copy(&mut rest, &mut nowhere)).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncWriteExt as _;

    #[tokio::test(start_paused = true)]
    async fn what_a_client_sends_is_read_to_its_end_or_to_the_limits() {
        let begun = tokio::time::Instant::now();
        let (mut ours, mut theirs) = tokio::io::duplex(1024);
        let sending = async {
            theirs.write_all(&[0; 100_000]).await.unwrap();
            drop(theirs);
        };
        tokio::join!(drain(&mut ours, DRAIN_TIME), sending);
        assert_eq!(begun.elapsed(), Duration::ZERO, "it ended with the body");

        let (mut ours, _silent) = tokio::io::duplex(1024);
        drain(&mut ours, DRAIN_TIME).await;
        assert_eq!(begun.elapsed(), DRAIN_TIME);

        let mut endless = tokio::io::repeat(0);
        drain(&mut endless, DRAIN_TIME).await;
        assert_eq!(begun.elapsed(), DRAIN_TIME, "it ended with the bytes");
    }
}
