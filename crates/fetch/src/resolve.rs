//! Name resolution: overrides first, then DNS with fully qualified names, without a search list.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts};
use hickory_resolver::lookup::Lookup;
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use hickory_resolver::{ResolverBuilder, TokioResolver};
use model::capture::FailureKind;

use crate::config::{FetchConfig, FetchTimeouts, SetupError};
use crate::failure::{HopFailure, of_system, timeout, unreachable};

/// Retries of a DNS query without a usable answer: two attempts in all.
const RETRIES: usize = 1;
/// Aliases between a name and its addresses, as many as the strictest of the common recursive resolvers follows.
const MOST_ALIASES: usize = 11;

type DnsBuilder = ResolverBuilder<TokioRuntimeProvider>;

/// Resolves a name to all its addresses; the caller checks them.
#[derive(Debug)]
pub(crate) struct Resolver {
    overrides: HashMap<String, Vec<IpAddr>>,
    dns: TokioResolver,
    wait: Duration,
}

impl Resolver {
    pub(crate) fn new(config: &FetchConfig) -> Result<Self, SetupError> {
        let builder = match config.dns {
            Some(address) => asking(vec![server(address)], Vec::new()),
            None => TokioResolver::builder_tokio().map_err(|error| problem(&error))?,
        };
        Self::pinned(builder, config)
    }

    fn pinned(mut builder: DnsBuilder, config: &FetchConfig) -> Result<Self, SetupError> {
        pin(builder.options_mut(), &config.limits);
        builder.options_mut().use_hosts_file =
            if config.local_names { ResolveHosts::Always } else { ResolveHosts::Never };
        let mut overrides: HashMap<String, Vec<IpAddr>> = HashMap::new();
        for (name, address) in &config.resolve {
            overrides.entry(name.to_ascii_lowercase()).or_default().push(*address);
        }
        Ok(Self { overrides, wait: config.limits.dns, dns: builder.build().map_err(|error| problem(&error))? })
    }

    /// Every address of a name, at least one, in the order in which to try them.
    pub(crate) async fn addresses(&self, host: &str) -> Result<Vec<IpAddr>, HopFailure> {
        let name = host.strip_suffix('.').unwrap_or(host);
        if let Some(addresses) = self.overrides.get(name) {
            return Ok(addresses.clone());
        }
        // The final dot keeps the resolver from using a search list.
        let name = format!("{name}.");
        // Waits for both families, so that every address is checked. A family without an answer within the timeout of
        // the whole lookup is left out, and the other is enough.
        let (first, second) = tokio::join!(self.family(&name, RecordType::A), self.family(&name, RecordType::AAAA));
        let late = [&first, &second].into_iter().find_map(|found| found.as_ref().err().copied());
        let addresses = alternating(first.unwrap_or_default(), second.unwrap_or_default());
        if addresses.is_empty() { Err(late.unwrap_or(unreachable("dns"))) } else { Ok(addresses) }
    }

    /// The addresses of one family. Only a timeout is an error, and that this machine can't ask; any other failed lookup
    /// gives no address.
    async fn family(&self, name: &str, kind: RecordType) -> Result<Vec<IpAddr>, HopFailure> {
        match tokio::time::timeout(self.wait, self.dns.lookup(name, kind)).await {
            Err(_) | Ok(Err(NetError::Timeout)) => Err(timeout("dns")),
            Ok(Ok(found)) if are_usable(&found) => {
                Ok(found.answers().iter().filter_map(|record| record.data.ip_addr()).collect())
            }
            Ok(Err(NetError::Io(error))) => match of_system(&error, unreachable("dns")) {
                own @ HopFailure { kind: FailureKind::OwnLimit, .. } => Err(own),
                _ => Ok(Vec::new()),
            },
            Ok(_) => Ok(Vec::new()),
        }
    }
}

fn problem(error: &dyn std::fmt::Display) -> SetupError {
    SetupError::Resolver(error.to_string())
}

/// A resolver that queries these servers, with a search list for names that are not fully qualified.
fn asking(servers: Vec<NameServerConfig>, search: Vec<Name>) -> DnsBuilder {
    TokioResolver::builder_with_config(
        ResolverConfig::from_parts(None, search, servers),
        TokioRuntimeProvider::default(),
    )
}

/// Settings that override the system's configuration.
fn pin(options: &mut ResolverOpts, limits: &FetchTimeouts) {
    options.timeout = limits.dns / 2;
    options.attempts = RETRIES;
    options.cache_size = 0;
    // Aliases are checked by [`are_usable`].
    options.preserve_intermediates = true;
}

/// Alternates IPv4 and IPv6, so that a family that does not work here never takes all the attempts.
fn alternating(first: Vec<IpAddr>, second: Vec<IpAddr>) -> Vec<IpAddr> {
    let mut mixed = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    loop {
        match (first.next(), second.next()) {
            (None, None) => return mixed,
            (one, other) => mixed.extend(one.into_iter().chain(other)),
        }
    }
}

/// Whether the aliases of an answer are within the limit and valid host names.
fn are_usable(found: &Lookup) -> bool {
    let aliases = found.answers().iter().filter_map(|record| match &record.data {
        RData::CNAME(alias) => Some(&alias.0),
        _ => None,
    });
    // A chain of several answers may list an alias twice.
    let distinct: HashSet<&Name> = aliases.collect();
    distinct.len() <= MOST_ALIASES && distinct.into_iter().all(is_host_name)
}

/// Whether a name has only letters, digits, hyphens and underscores; others are neither followed nor shown.
fn is_host_name(name: &Name) -> bool {
    name.iter().flatten().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn server(address: SocketAddr) -> NameServerConfig {
    let mut server = NameServerConfig::udp_and_tcp(address.ip());
    for connection in &mut server.connections {
        connection.port = address.port();
    }
    server
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a name server on this machine")]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    /// A DNS server that knows no name, and the questions it got.
    async fn nobody() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
        let socket = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let address = socket.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        tokio::spawn(async move {
            let mut message = [0; 512];
            while let Ok((length, peer)) = socket.recv_from(&mut message).await {
                log.lock().unwrap().push(String::from_utf8_lossy(&message[12..length]).into_owned());
                // The question sent back as a response with the code for "no such name".
                (message[2], message[3]) = (message[2] | 0x80, 0x83);
                let _sent = socket.send_to(&message[..length], peer).await;
            }
        });
        (address, asked)
    }

    #[tokio::test]
    async fn a_search_list_of_the_system_is_never_used() {
        let (address, asked) = nobody().await;
        let search = vec![Name::from_ascii("inside.example.net.").unwrap()];
        let builder = asking(vec![server(address)], search);
        let resolver = Resolver::pinned(builder, &FetchConfig::default()).unwrap();
        for host in ["site.example.com", "site.example.com.", "single"] {
            assert_eq!(resolver.addresses(host).await, Err(unreachable("dns")));
        }
        let searched = || asked.lock().unwrap().iter().filter(|name| name.contains("inside")).count();
        assert_eq!((searched(), asked.lock().unwrap().is_empty()), (0, false));
        // The same resolver, asked the way that we never ask: the list is there.
        assert!(resolver.dns.lookup_ip("single").await.is_err());
        assert!(searched() > 0);
    }

    #[test]
    fn families_take_turns() {
        let read = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<IpAddr>>();
        let mixed = alternating(read(&["1.1.1.1", "2.2.2.2"]), read(&["::1", "::2", "::3"]));
        assert_eq!(mixed, read(&["1.1.1.1", "::1", "2.2.2.2", "::2", "::3"]));
    }
}
