//! A connection that counts its bytes against an allowance shared by all connections of a run.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Bytes that may still be passed.
#[derive(Debug, Clone)]
pub(crate) struct ByteAllowance(Arc<AtomicU64>);

impl ByteAllowance {
    pub(crate) fn new(bytes: u64) -> Self {
        Self(Arc::new(AtomicU64::new(bytes)))
    }

    /// Takes so many; an error where fewer are left.
    fn take(&self, bytes: usize) -> io::Result<()> {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes as u64));
        taken.map(|_| ()).map_err(|_| io::Error::other("the run has used up its bytes"))
    }
}

/// A connection whose bytes count, in both directions.
#[derive(Debug)]
pub(crate) struct Metered<C> {
    connection: C,
    allowance: ByteAllowance,
}

impl<C> Metered<C> {
    pub(crate) fn new(connection: C, allowance: ByteAllowance) -> Self {
        Self { connection, allowance }
    }
}

impl<C: AsyncRead + Unpin> AsyncRead for Metered<C> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.connection).poll_read(context, buffer))?;
        Poll::Ready(self.allowance.take(buffer.filled().len().saturating_sub(before)))
    }
}

impl<C: AsyncWrite + Unpin> AsyncWrite for Metered<C> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.connection).poll_write(context, bytes))?;
        Poll::Ready(self.allowance.take(written).map(|()| written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.connection).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    #[tokio::test]
    async fn both_directions_count_and_the_allowance_ends_the_connection() {
        let (near, mut far) = tokio::io::duplex(64);
        let mut metered = Metered::new(near, ByteAllowance::new(10));
        metered.write_all(b"12345").await.unwrap();
        far.write_all(b"12345").await.unwrap();
        let mut bytes = [0; 5];
        metered.read_exact(&mut bytes).await.unwrap();
        assert!(metered.write_all(b"6").await.is_err());
    }
}
