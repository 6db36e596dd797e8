//! The guarded client: the only code that opens sockets to addresses a caller, a page or a redirect chose.
//!
//! Every hop is judged anew: the text of the URL, its host and port, every address the name resolves to, and the
//! address the connection really has. What is refused is refused with the same words whatever the reason, so that
//! nobody can use us to map a private network.

mod body;
pub mod ceiling;
mod dial;
mod exchange;
mod follow;
pub mod guard;
mod http1;
mod http2;
pub mod intake;
mod resolve;
mod room;
mod service;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ipnet::IpNet;
use model::capture::{FailureKind, FetchFailure, Fetched, Want};
use tokio::sync::Semaphore;
use tokio::time::Instant;
use url::Url;

use ceiling::Ceiling;

pub use body::decoded;
pub use follow::answered;
pub use guard::AddressPolicy;
pub use intake::Intake;
pub use room::Room;
pub use service::{NoAnswer, ServiceAnswer, ServiceQuestion};

/// Body bytes read of a page, on the wire and decoded (interface §8).
pub const PAGE_BYTES: usize = 2_097_152;
/// Redirects followed to a page (Googlebot's own ceiling).
pub const PAGE_REDIRECTS: u8 = 10;

/// Connections at once to one target, whatever led to it: audits of it, redirects, sitemaps that other sites name.
const CONNECTIONS_PER_TARGET: usize = 16;

/// How the client is set up. Read once, at the start.
#[derive(Debug, Clone)]
pub struct FetchConfig {
    /// Networks taken out of the list of refused ones. Lifts the address rule only.
    pub allow_private: Vec<IpNet>,
    /// Ports that may be contacted; empty for any.
    pub allow_ports: Vec<u16>,
    /// Addresses of names, instead of DNS; judged all the same.
    pub resolve: Vec<(String, IpAddr)>,
    /// Resolver to ask; `None` for the system's.
    pub dns: Option<SocketAddr>,
    /// More refused networks.
    pub deny: Vec<IpNet>,
    /// NAT64 prefixes to unwrap before judging (RFC 6052).
    pub nat64: Vec<ipnet::Ipv6Net>,
    /// More trust anchors, PEM.
    pub ca_file: Option<PathBuf>,
    /// Sent to targets.
    pub user_agent: String,
    /// Our own listen addresses: never contacted.
    pub own_addresses: Vec<SocketAddr>,
    /// Waits.
    pub limits: Limits,
}

/// Longest waits of each phase.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
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
    /// Between two pieces of a body.
    pub body_idle: Duration,
    /// The body as a whole.
    pub body: Duration,
    /// Over which the speed of a body is measured; one below 1 KiB a second is given up.
    pub floor_window: Duration,
}

impl Default for Limits {
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
            dns: None,
            deny: Vec::new(),
            nat64: Vec::new(),
            ca_file: None,
            user_agent: "SiteAudit".to_owned(),
            own_addresses: Vec::new(),
            limits: Limits::default(),
        }
    }
}

/// Requests that may still be sent, shared by those who send them.
#[derive(Debug)]
pub struct Budget(AtomicUsize);

impl Budget {
    /// So many requests.
    pub fn new(requests: usize) -> Self {
        Self(AtomicUsize::new(requests))
    }

    /// Takes one; false when there is none left.
    fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
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

/// The guarded client. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Fetcher {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    intake: Intake,
    policy: AddressPolicy,
    resolver: resolve::Resolver,
    tls: dial::Tls,
    user_agent: String,
    limits: Limits,
    /// Connections to one target.
    targets: Ceiling,
    /// Memory for sitemaps.
    large: room::Pool,
    /// Bodies decoded at once.
    decoders: Arc<Semaphore>,
}

impl Fetcher {
    /// Sets the client up.
    pub fn new(config: FetchConfig) -> Result<Self, SetupError> {
        let names = config.resolve.iter().map(|(name, _)| name.to_ascii_lowercase()).collect();
        let inner = Inner {
            intake: Intake { allow_ports: config.allow_ports.clone(), known_names: names },
            policy: AddressPolicy::new(&config).map_err(SetupError::Interfaces)?,
            resolver: resolve::Resolver::new(&config)?,
            tls: dial::Tls::new(&config)?,
            user_agent: config.user_agent,
            limits: config.limits,
            targets: Ceiling::new(CONNECTIONS_PER_TARGET),
            large: room::Pool::new(),
            decoders: Arc::new(Semaphore::new(std::thread::available_parallelism().map_or(1, usize::from))),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Reads and judges the text of a URL; touches no network.
    pub fn intake(&self, text: &str) -> Result<Url, FetchFailure> {
        let failure = |kind: FailureKind, reason: &str| FetchFailure {
            kind,
            reason: reason.to_owned(),
            hops: Vec::new(),
            url: text.chars().filter(|c| !c.is_control()).take(intake::LONGEST_URL).collect(),
        };
        let url = self.inner.intake.read(text).map_err(|refusal| failure(refusal.kind, refusal.reason))?;
        match guard::literal(&url) {
            Some(address) if !self.inner.policy.allows(address, url.port_or_known_default().unwrap_or_default()) => {
                Err(failure(FailureKind::AddressNotAllowed, "address"))
            }
            _ => Ok(url),
        }
    }

    /// Fetches a page with its redirects. Never fails otherwise than by value.
    pub async fn page(&self, url: &Url, deadline: Instant) -> Fetched {
        let ask = follow::Ask {
            accept: "text/html,application/xhtml+xml,*/*;q=0.8",
            max_bytes: PAGE_BYTES,
            max_redirects: PAGE_REDIRECTS,
            start_only: false,
        };
        follow::fetch(&self.inner, url, ask, None, None, deadline).await
    }

    /// Fetches one more file, by the rules of its kind. Each request of a probe, redirects included, is one of the
    /// `probes`; when they are spent it is a failure with the word `budget`.
    pub async fn extra(&self, want: &Want, probes: &Budget, deadline: Instant) -> Fetched {
        self.file(want, Some(probes), None, deadline).await
    }

    /// Fetches a file that may be large, and gives the memory that it takes with it: where there is none left, the body
    /// is cut for its size.
    pub async fn large(&self, want: &Want, deadline: Instant) -> (Fetched, Room) {
        let mut room = self.inner.large.room();
        let fetched = self.file(want, None, Some(&mut room), deadline).await;
        (fetched, room)
    }

    async fn file(&self, want: &Want, probes: Option<&Budget>, room: Option<&mut Room>, deadline: Instant) -> Fetched {
        let rules = want.kind.rules();
        let ask = follow::Ask {
            accept: rules.accept,
            max_bytes: rules.max_bytes,
            max_redirects: rules.max_redirects,
            start_only: rules.start_only,
        };
        match self.intake(&want.url) {
            Ok(url) => follow::fetch(&self.inner, &url, ask, probes.filter(|_| rules.probe), room, deadline).await,
            Err(failure) => Fetched::Failed(failure),
        }
    }
}
