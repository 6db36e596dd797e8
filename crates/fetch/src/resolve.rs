//! Names to addresses: overrides first, then DNS as fully qualified names, without a search list.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;

use crate::{FetchConfig, SetupError};

/// Times a name is asked for.
const ATTEMPTS: usize = 2;

/// Answers with every address of a name; judging them is the caller's business.
#[derive(Debug)]
pub(crate) struct Resolver {
    overrides: HashMap<String, Vec<IpAddr>>,
    dns: TokioResolver,
}

impl Resolver {
    pub(crate) fn new(config: &FetchConfig) -> Result<Self, SetupError> {
        let problem = |error: &dyn std::fmt::Display| SetupError::Resolver(error.to_string());
        let mut builder = match config.dns {
            Some(address) => {
                let servers = vec![server(address)];
                TokioResolver::builder_with_config(
                    ResolverConfig::from_parts(None, Vec::new(), servers),
                    TokioRuntimeProvider::default(),
                )
            }
            None => TokioResolver::builder_tokio().map_err(|error| problem(&error))?,
        };
        let options = builder.options_mut();
        options.timeout = config.limits.dns / 2;
        options.attempts = ATTEMPTS;
        options.cache_size = 0;
        options.use_hosts_file = ResolveHosts::Never;
        let mut overrides: HashMap<String, Vec<IpAddr>> = HashMap::new();
        for (name, address) in &config.resolve {
            overrides.entry(name.to_ascii_lowercase()).or_default().push(*address);
        }
        Ok(Self { overrides, dns: builder.build().map_err(|error| problem(&error))? })
    }

    /// Every address of a name; empty when it has none or could not be resolved.
    pub(crate) async fn addresses(&self, host: &str) -> Vec<IpAddr> {
        let name = host.strip_suffix('.').unwrap_or(host);
        if let Some(addresses) = self.overrides.get(name) {
            return addresses.clone();
        }
        match self.dns.lookup_ip(format!("{name}.")).await {
            Ok(found) => found.iter().collect(),
            // Which way a lookup failed is the same to a caller: there is no address.
            Err(_) => Vec::new(),
        }
    }
}

fn server(address: SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    for connection in &mut server.connections {
        connection.port = address.port();
    }
    server
}
