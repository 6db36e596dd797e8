//! A stream with a write timeout: a client that never reads its response must not hold a connection for ever.

use std::io::{Error, ErrorKind, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

use crate::request::LAST_BYTES;

/// How a connection stands while the service is stopped. Cheap to clone; all clones are of one connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Stopping(Arc<Standing>);

#[derive(Debug, Default)]
struct Standing {
    is_asked: AtomicBool,
    calls: AtomicUsize,
    is_blocked: AtomicBool,
}

/// A call in the making; it ends when this is dropped.
#[derive(Debug)]
pub(super) struct OngoingCall(Stopping);

impl Stopping {
    /// Notes that the service was asked to stop.
    pub(super) fn ask(&self) {
        self.0.is_asked.store(true, Ordering::Relaxed);
    }

    /// Whether it was.
    pub(super) fn is_asked(&self) -> bool {
        self.0.is_asked.load(Ordering::Relaxed)
    }

    /// Begins a call.
    pub(super) fn begin_call(&self) -> OngoingCall {
        self.0.calls.fetch_add(1, Ordering::Relaxed);
        OngoingCall(self.clone())
    }

    /// Whether a call is in the making, or its answer waits for the client to read.
    pub(super) fn is_busy(&self) -> bool {
        self.0.calls.load(Ordering::Relaxed) > 0 || self.0.is_blocked.load(Ordering::Relaxed)
    }
}

impl Drop for OngoingCall {
    fn drop(&mut self) {
        self.0.0.calls.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A stream whose blocked writes fail with [`ErrorKind::TimedOut`] after a timeout.
pub(super) struct Patient<S> {
    stream: S,
    time: Duration,
    /// Timer of a blocked write.
    waiting: Option<Pin<Box<Sleep>>>,
    stopping: Stopping,
    /// Whether the timer is one of [`LAST_BYTES`].
    is_last: bool,
}

impl<S> Patient<S> {
    /// Each write waits at most for `time` until the other side takes some of it; for [`LAST_BYTES`] once the service is
    /// asked to stop.
    pub(super) fn new(stream: S, time: Duration, stopping: Stopping) -> Self {
        Self { stream, time, waiting: None, stopping, is_last: false }
    }

    /// The result of a write, or a timeout.
    #[expect(clippy::disallowed_methods, reason = "the timeout of a write, polled beside it")]
    fn timed<T>(&mut self, context: &mut Context<'_>, written: Poll<Result<T>>) -> Poll<Result<T>> {
        self.stopping.0.is_blocked.store(written.is_pending(), Ordering::Relaxed);
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        if self.stopping.is_asked() && !self.is_last {
            self.is_last = true;
            self.time = self.time.min(LAST_BYTES);
            self.waiting = None;
        }
        let time = self.time;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(time)));
        waiting.as_mut().poll(context).map(|()| Err(Error::from(ErrorKind::TimedOut)))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.timed(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.timed(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.timed(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(context);
        self.timed(context, ended)
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a slow reader, on a clock that is paused")]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    const TIME: Duration = Duration::from_secs(15);

    #[tokio::test(start_paused = true)]
    async fn a_write_that_nobody_takes_fails() {
        let (ours, _theirs) = tokio::io::duplex(8);
        let mut ours = Patient::new(ours, TIME, Stopping::default());
        let error = ours.write_all(&[0; 64]).await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stop_shortens_the_wait() {
        let stopping = Stopping::default();
        let (ours, _theirs) = tokio::io::duplex(8);
        let mut ours = Patient::new(ours, TIME, stopping.clone());
        let mut writing = Box::pin(ours.write_all(&[0; 64]));
        assert!(futures_util::poll!(&mut writing).is_pending() && stopping.is_busy());
        stopping.ask();
        let begun = tokio::time::Instant::now();
        assert_eq!(writing.await.unwrap_err().kind(), ErrorKind::TimedOut);
        assert_eq!(begun.elapsed(), LAST_BYTES);
        let call = stopping.begin_call();
        drop(ours);
        drop(call);
    }

    #[tokio::test(start_paused = true)]
    async fn one_that_is_taken_bit_by_bit_does_not() {
        let (ours, mut theirs) = tokio::io::duplex(8);
        let mut ours = Patient::new(ours, TIME, Stopping::default());
        let reading = async {
            let mut bit = [0; 8];
            for _ in 0..8 {
                sleep(TIME / 2).await;
                theirs.read_exact(&mut bit).await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(ours.write_all(&[0; 64]), reading);
        written.unwrap();
    }
}
