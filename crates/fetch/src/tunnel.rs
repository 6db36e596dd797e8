//! Connections on behalf of a browser: the address guard for whoever speaks HTTP or TLS by itself.

use std::net::{IpAddr, SocketAddr};

use model::capture::FailureKind;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::client::Client;
use crate::dial;
use crate::failure::{HopFailure, timeout};
use crate::fetcher::Fetcher;
use crate::guard;

/// Why there is no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoTunnel {
    /// The URL, its port or an address of its host may not be contacted.
    #[error("this address may not be contacted")]
    Refused,
    /// The host has no address, or does not answer. The reason in a word: `dns`, `connect`.
    #[error("the host is not reachable: {0}")]
    Unreachable(&'static str),
}

impl Fetcher {
    /// A TCP connection to the host and port of an http or https URL, checked like the first hop of a fetch: the text of
    /// the URL, its port, every address of its name, and the address that the connection really has.
    ///
    /// The concurrency limit per target does not apply, since a browser holds its connections open: the caller bounds how
    /// many there are.
    pub async fn tunnel(&self, url: &Url, deadline: Instant) -> Result<TcpStream, NoTunnel> {
        let connected = timeout_at(deadline, connect(&self.client, url)).await.unwrap_or(Err(timeout("connect")));
        connected.map_err(|failure| match failure.kind {
            FailureKind::AddressNotAllowed | FailureKind::InvalidUrl => NoTunnel::Refused,
            _ => NoTunnel::Unreachable(failure.reason),
        })
    }
}

/// A TCP connection to the host and port of a URL, guarded.
pub(crate) async fn connect(client: &Client, url: &Url) -> Result<TcpStream, HopFailure> {
    let sockets = sockets(client, url).await?;
    dial::connect(&sockets, &client.limits, |peer| client.policy.allows(peer.ip(), peer.port())).await
}

/// Where the host of a URL is, if every address of it may be contacted.
pub(crate) async fn sockets(client: &Client, url: &Url) -> Result<Vec<SocketAddr>, HopFailure> {
    client.intake.judge(url).map_err(|refusal| HopFailure { kind: refusal.kind, reason: refusal.reason })?;
    let port = url.port_or_known_default().unwrap_or_default();
    let addresses: Vec<IpAddr> = match guard::literal(url) {
        Some(address) => vec![address],
        None => client.resolver.addresses(url.host_str().unwrap_or_default()).await?,
    };
    // One denied address denies the whole name.
    if !addresses.iter().all(|address| client.policy.allows(*address, port)) {
        return Err(HopFailure { kind: FailureKind::AddressNotAllowed, reason: "address" });
    }
    Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
}
