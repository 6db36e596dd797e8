//! The peer of a connection, and its timeouts.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::proxies::Proxies;

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
    /// Places for calls in the making.
    pub calls: Arc<Semaphore>,
    /// The proxies whose forwarding headers are believed.
    pub proxies: Arc<Proxies>,
}
