//! The peer of a connection, and its timeouts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, watch};

use super::proxies::Proxies;

/// How long a client may still take to send or to read once the service is asked to stop. Chosen: 2 s, so that half-open
/// connections hold up its end for less than five.
pub(crate) const LAST_BYTES: Duration = Duration::from_secs(2);

/// Timeouts of callers.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// A whole request head; also how long an idle connection is kept.
    pub head: Duration,
    /// A whole request body.
    pub body: Duration,
    /// A blocked write of the answer.
    pub answer: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { head: Duration::from_secs(10), body: Duration::from_secs(15), answer: Duration::from_secs(15) }
    }
}

/// The other end of the connection.
#[derive(Debug, Clone)]
pub struct Peer {
    pub(crate) address: SocketAddr,
    /// How long a body of it may take.
    pub body_time: Duration,
    /// Whether the service is being stopped.
    pub stopped: watch::Receiver<bool>,
    /// Places for calls in the making.
    pub calls: Arc<Semaphore>,
    /// The proxies whose forwarding headers are believed.
    pub proxies: Arc<Proxies>,
}

impl Peer {
    /// Resolves [`LAST_BYTES`] after the service was asked to stop.
    #[expect(clippy::disallowed_methods, reason = "the timeout of what clients still send when the service stops")]
    pub(crate) async fn last_bytes(&self) {
        let mut stopped = self.stopped.clone();
        // The sender lives as long as the service, which is asked to stop before it ends.
        drop(stopped.wait_for(|is_stopping| *is_stopping).await);
        tokio::time::sleep(LAST_BYTES).await;
    }
}
