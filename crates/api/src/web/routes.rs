//! The complete router, and its concurrency limits.

use axum::Router;

use crate::site::Site;

/// Concurrency limits.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Calls in the making in the process; one more is [`Code::Overloaded`]. Each waits at most for one audit; while it
    /// waits for its own body it is not counted.
    pub calls: usize,
    /// Open connections of the process; the next one waits in the system's queue. Each holds at most a head and a body,
    /// of 64 KiB each; what a longer body takes comes out of the room that those share.
    pub connections: usize,
    /// Open connections of one network, and a tenth of those of the wider one around it; one more is
    /// [`Code::Overloaded`] and closed. Trusted proxies have no such bound, as they carry everybody's calls.
    pub connections_per_network: usize,
}

impl Default for Bounds {
    /// Chosen: a browser opens 6 connections to a host, and a shared address has tens of users at once.
    fn default() -> Self {
        Self { calls: 1_024, connections: 4_096, connections_per_network: 128 }
    }
}

/// The complete router: operations, MCP and pages, with its limits.
#[derive(Debug)]
pub struct Routes {
    pub(super) site: Site,
    pub(super) router: Router,
    pub(super) bounds: Bounds,
}

impl Routes {
    /// With other bounds.
    #[must_use]
    pub fn within(mut self, bounds: Bounds) -> Self {
        self.bounds = bounds;
        self
    }
}
