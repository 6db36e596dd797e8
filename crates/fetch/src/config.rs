//! How the client is configured, its timeouts, and why it could not be set up.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use ipnet::IpNet;

/// Configuration of the client, read once at the start.
#[derive(Debug, Clone)]
pub struct FetchConfig {
    /// Private networks that may be contacted. Lifts the address rule only.
    pub allow_private: Vec<IpNet>,
    /// Ports that may be contacted; empty for any.
    pub allow_ports: Vec<u16>,
    /// Addresses of names, used instead of DNS and checked like those of DNS.
    pub resolve: Vec<(String, IpAddr)>,
    /// Whether names of no public host are asked for too (`localhost`, `intranet`, `shop.test`), and the hosts file of this
    /// machine answers before DNS: for a person's own machines, never for callers.
    pub local_names: bool,
    /// DNS server; `None` for those of the system's configuration.
    pub dns: Option<SocketAddr>,
    /// Denied networks beside the built-in ones.
    pub deny: Vec<IpNet>,
    /// NAT64 prefixes whose IPv4 address is checked instead (RFC 6052).
    pub nat64: Vec<ipnet::Ipv6Net>,
    /// PEM file with trust anchors beside the built-in ones.
    pub ca_file: Option<PathBuf>,
    /// The `User-Agent` sent to targets.
    pub user_agent: String,
    /// Our own listen addresses, which are never contacted.
    pub own_addresses: Vec<SocketAddr>,
    /// Timeouts.
    pub limits: FetchTimeouts,
}

/// Timeouts of each phase of a request.
#[derive(Debug, Clone, Copy)]
pub struct FetchTimeouts {
    /// Name resolution of one hop.
    pub dns: Duration,
    /// TCP connect to one address.
    pub connect: Duration,
    /// TCP connect to all addresses.
    pub connect_all: Duration,
    /// TLS handshake.
    pub tls: Duration,
    /// From the request to the whole response head.
    pub head: Duration,
    /// Longest wait between two pieces of a body.
    pub body_idle: Duration,
    /// The body as a whole.
    pub body: Duration,
    /// Window over which the speed of a body is measured; one slower than 1 KiB a second is given up.
    pub floor_window: Duration,
}

impl Default for FetchTimeouts {
    fn default() -> Self {
        Self {
            dns: Duration::from_secs(5),
            connect: Duration::from_secs(5),
            connect_all: Duration::from_secs(10),
            tls: Duration::from_secs(5),
            head: Duration::from_secs(10),
            body_idle: Duration::from_secs(5),
            body: Duration::from_secs(20),
            floor_window: Duration::from_secs(10),
        }
    }
}

impl Default for FetchConfig {
    fn default() -> Self {
        Self {
            allow_private: Vec::new(),
            allow_ports: vec![80, 443, 8080, 8443],
            resolve: Vec::new(),
            local_names: false,
            dns: None,
            deny: Vec::new(),
            nat64: Vec::new(),
            ca_file: None,
            user_agent: "SiteAudit".to_owned(),
            own_addresses: Vec::new(),
            limits: FetchTimeouts::default(),
        }
    }
}

/// Why a client could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// The machine's interfaces could not be listed.
    #[error("the machine's network interfaces could not be listed")]
    Interfaces(#[source] std::io::Error),
    /// The trust anchors could not be read.
    #[error("trust anchors could not be read from {path}")]
    TrustAnchors {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        #[source]
        source: std::io::Error,
    },
    /// TLS could not be set up.
    #[error("TLS could not be set up")]
    Tls(#[source] rustls::Error),
    /// The resolver could not be set up.
    #[error("the DNS resolver could not be set up: {0}")]
    Resolver(String),
}
