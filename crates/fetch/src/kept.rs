//! Connections that are kept open between requests to one origin, as a crawl makes them.
//!
//! The guard judged the address when a connection was opened, and the socket can't change it: what is asked later goes to
//! the same peer. A connection serves one request at a time.

use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use model::capture::Certificate;
use tokio::time::Instant;
use url::Url;

use crate::exchange::OpenConnection;

/// Connections that wait for a request at a time. Chosen: the most requests at once of a crawl.
const MOST_IDLE: usize = 32;
/// Age up to which a connection is used, so that a changed DNS record or certificate is seen in a long run.
const LONGEST_LIFE: Duration = Duration::from_secs(300);
/// Longest wait for a next request. Servers commonly close a connection after 5 to 75 seconds without one.
const LONGEST_WAIT: Duration = Duration::from_secs(15);

/// Connections that wait for their next request; closed when dropped.
#[derive(Default)]
pub struct KeptConnections {
    /// The one used last is the last.
    idle: Mutex<VecDeque<KeptConnection>>,
}

/// An open connection, and what was measured when it was opened.
pub(crate) struct KeptConnection {
    pub(crate) open: OpenConnection,
    /// Scheme, host and port that it was opened for.
    pub(crate) origin: String,
    /// The address that the guard let pass.
    pub(crate) peer: SocketAddr,
    pub(crate) certificate: Option<Certificate>,
    pub(crate) opened: Instant,
    /// Since when it waits.
    pub(crate) since: Instant,
}

impl KeptConnection {
    fn is_fresh(&self) -> bool {
        self.opened.elapsed() < LONGEST_LIFE && self.since.elapsed() < LONGEST_WAIT
    }
}

impl KeptConnections {
    /// A connection to the origin of an address, if one waits that is young enough. It has no place among the connections to
    /// its target while it waits, so its user takes one.
    pub(crate) fn take(&self, url: &Url) -> Option<KeptConnection> {
        let origin = url.origin().ascii_serialization();
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(KeptConnection::is_fresh);
        let at = idle.iter().rposition(|kept| kept.origin == origin)?;
        idle.remove(at)
    }

    /// Keeps a connection for the next request. Of too many, the one that waits longest is closed.
    pub(crate) fn keep(&self, connection: KeptConnection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(KeptConnection::is_fresh);
        if idle.len() >= MOST_IDLE {
            idle.pop_front();
        }
        idle.push_back(connection);
    }
}

impl fmt::Debug for KeptConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("KeptConnections").field("idle", &idle).finish()
    }
}
