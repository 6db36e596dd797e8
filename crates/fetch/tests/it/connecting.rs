//! Connections that never come about. The clock of these tests stands still until nothing else is left to do, so the
//! product's own limits are held to without waiting for them.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use fetch::FetchTimeouts;
use model::capture::{FailureKind, Fetched};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::Instant;

use crate::site::{config, get_with, kind, reason};

/// A socket that takes no more connections and refuses none: what is sent to it is lost, as behind a firewall that
/// drops. Held open by what it holds.
struct Blackhole {
    address: SocketAddr,
    _listener: TcpListener,
    _waiting: TcpStream,
}

impl Blackhole {
    /// `None` where the port is taken.
    async fn at(address: SocketAddr) -> Option<Self> {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(address).ok()?;
        let listener = socket.listen(0).unwrap();
        let address = listener.local_addr().unwrap();
        // A queue of no length has room for one that nobody accepts.
        let waiting = TcpStream::connect(address).await.unwrap();
        Some(Self { address, _listener: listener, _waiting: waiting })
    }

    /// On so many addresses from 127.0.0.2 on, all at one port.
    async fn on(count: u8) -> Vec<Self> {
        loop {
            let mut holes: Vec<Self> = Vec::new();
            for last in 2..2 + count {
                let port = holes.first().map_or(0, |hole| hole.address.port());
                let Some(hole) = Self::at((Ipv4Addr::new(127, 0, 0, last), port).into()).await else { break };
                holes.push(hole);
            }
            if holes.len() == usize::from(count) {
                return holes;
            }
        }
    }
}

/// Fetches from a name with these addresses, under the product's limits: what came, and how long it took.
async fn fetch_from(addresses: &[SocketAddr]) -> (Fetched, Duration) {
    let mut config = config();
    config.limits = FetchTimeouts::default();
    config.allow_private = vec!["127.0.0.0/8".parse().unwrap()];
    config.resolve = addresses.iter().map(|address| ("site.test".to_owned(), address.ip())).collect();
    let begun = Instant::now();
    let fetched = get_with(config, &format!("http://site.test:{}/", addresses[0].port())).await;
    (fetched, begun.elapsed())
}

#[tokio::test(start_paused = true)]
async fn t01_nobody_listening_is_a_connect_failure() {
    let listener = TcpListener::bind("127.0.0.2:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let (fetched, _) = fetch_from(&[address]).await;
    assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Unreachable), "connect"));
}

#[tokio::test(start_paused = true)]
async fn t01_an_unreachable_host_is_a_connect_failure() {
    // The broadcast address of the loopback network: the system refuses it as it does a host without a route.
    let address = SocketAddr::from(([127, 255, 255, 255], 80));
    let (fetched, _) = fetch_from(&[address]).await;
    assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Unreachable), "connect"));
}

#[tokio::test(start_paused = true)]
async fn t01_an_address_that_swallows_everything_is_given_5_seconds() {
    let holes = Blackhole::on(1).await;
    let (fetched, took) = fetch_from(&[holes[0].address]).await;
    assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Timeout), "connect"));
    assert_eq!(took.as_secs(), 5);
}

#[tokio::test(start_paused = true)]
async fn t01_all_addresses_together_are_given_10_seconds() {
    let holes = Blackhole::on(4).await;
    let addresses: Vec<SocketAddr> = holes.iter().map(|hole| hole.address).collect();
    let (fetched, took) = fetch_from(&addresses).await;
    assert_eq!((kind(&fetched), reason(&fetched)), (Some(FailureKind::Timeout), "connect"));
    assert_eq!(took.as_secs(), 10);
}
