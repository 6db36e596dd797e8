//! What all fetches of one client share.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::ceiling::Ceiling;
use crate::config::{FetchConfig, FetchTimeouts, SetupError};
use crate::dial::Tls;
use crate::guard::AddressPolicy;
use crate::intake::Intake;
use crate::resolve::Resolver;
use crate::room::Pool;

/// Concurrent connections to one target, whatever led to it: audits of it, redirects, sitemaps that other sites name.
const CONNECTIONS_PER_TARGET: usize = 16;

/// The configured parts of a client.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) intake: Intake,
    pub(crate) policy: AddressPolicy,
    pub(crate) resolver: Resolver,
    pub(crate) tls: Tls,
    pub(crate) user_agent: String,
    pub(crate) limits: FetchTimeouts,
    /// Concurrency limit of connections to one target.
    pub(crate) targets: Ceiling,
    /// Memory for sitemaps.
    pub(crate) large: Pool,
    /// Concurrency limit of decoders.
    pub(crate) decoders: Arc<Semaphore>,
}

impl Client {
    pub(crate) fn new(config: FetchConfig) -> Result<Self, SetupError> {
        let names = config.resolve.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        Ok(Self {
            intake: Intake {
                allow_ports: config.allow_ports.clone(),
                known_names: names,
                local_names: config.local_names,
            },
            policy: AddressPolicy::new(&config).map_err(SetupError::Interfaces)?,
            resolver: Resolver::new(&config)?,
            tls: Tls::new(&config)?,
            user_agent: config.user_agent,
            limits: config.limits,
            targets: Ceiling::new(CONNECTIONS_PER_TARGET),
            large: Pool::new(),
            decoders: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from))),
        })
    }
}
