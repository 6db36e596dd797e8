//! The client of a request that came through proxies (RFC 7239, and the older `X-Forwarded-For`).

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use http::HeaderMap;
use ipnet::IpNet;

/// Entries of a forwarding header that are read, from the right: more than any real chain of proxies has.
const MOST_HOPS: usize = 64;

/// The proxies whose forwarding headers are believed.
#[derive(Debug)]
pub struct Proxies {
    trusted: Vec<IpNet>,
    /// Whether an untrusted forwarding header was logged: once, as it is most often a forgotten setting.
    has_warned: AtomicBool,
}

impl Proxies {
    /// Those of these networks.
    pub fn new(trusted: Vec<IpNet>) -> Self {
        Self { trusted, has_warned: AtomicBool::new(false) }
    }

    /// Whether a peer is one of them.
    pub(crate) fn trusts(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.trusted.iter().any(|network| network.contains(&peer))
    }

    /// The client of a request that came from `peer`.
    pub fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let client = client_address(peer, headers, &self.trusted);
        let is_forwarded = headers.contains_key("x-forwarded-for") || headers.contains_key("forwarded");
        if is_forwarded && client == peer.to_canonical() && !self.has_warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                "a forwarding header was ignored: its peer is not in trusted_proxies, or it could not be read"
            );
        }
        client
    }
}

/// The client of a request: the peer, unless it is a trusted proxy that names another one (RFC 7239, and the older
/// `X-Forwarded-For`). When both headers name clients that differ, neither is believed.
fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let peer = peer.to_canonical();
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(&address));
    if !is_trusted(peer) {
        return peer;
    }
    let old = walk(peer, entries(headers, "x-forwarded-for"), &is_trusted, address);
    let new = walk(peer, entries(headers, "forwarded"), &is_trusted, forwarded_for);
    match (old, new) {
        (Some(old), Some(new)) if old != new => peer,
        (Some(client), _) | (None, Some(client)) => client,
        (None, None) => peer,
    }
}

/// The entries of a list header, from the right, over all its lines.
fn entries<'h>(headers: &'h HeaderMap, name: &'static str) -> Vec<&'h str> {
    let lines: Vec<&str> = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or_default()).collect();
    lines.into_iter().rev().flat_map(|line| line.rsplit(',')).map(str::trim).take(MOST_HOPS).collect()
}

/// From the right: the first hop that is not trusted. What can't be read ends the walk at the last good hop.
fn walk(
    peer: IpAddr,
    entries: Vec<&str>,
    is_trusted: &dyn Fn(IpAddr) -> bool,
    read: fn(&str) -> Option<IpAddr>,
) -> Option<IpAddr> {
    if entries.is_empty() {
        return None;
    }
    let mut client = peer;
    for entry in entries {
        let Some(hop) = read(entry) else { break };
        client = hop;
        if !is_trusted(hop) {
            break;
        }
    }
    Some(client)
}

/// An address, bare or in brackets, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let read = bare.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()));
    read.map(|address: IpAddr| address.to_canonical())
}

/// The `for` of one element of `Forwarded`. Obfuscated and unknown ones can't be read.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pair = element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.trim().eq_ignore_ascii_case("for").then(|| value.trim())
    })?;
    address(pair.trim_matches('"'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PROXY: &str = "10.0.0.1";

    fn client(peer: &str, headers: &[(&'static str, &str)]) -> String {
        let trusted = ["10.0.0.0/8".parse().unwrap(), "fd00::/8".parse().unwrap()];
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, http::HeaderValue::from_str(value).unwrap());
        }
        client_address(peer.parse().unwrap(), &map, &trusted).to_string()
    }

    #[test]
    fn l03_only_trusted_proxies_are_believed_from_right_to_left() {
        const XFF: &str = "x-forwarded-for";
        for (peer, headers, wanted) in [
            ("203.0.113.9", vec![(XFF, "1.2.3.4")], "203.0.113.9"),
            (PROXY, vec![], PROXY),
            (PROXY, vec![(XFF, "1.2.3.4")], "1.2.3.4"),
            (PROXY, vec![(XFF, "6.6.6.6, 1.2.3.4")], "1.2.3.4"),
            (PROXY, vec![(XFF, "6.6.6.6, 1.2.3.4, 10.9.9.9")], "1.2.3.4"),
            (PROXY, vec![(XFF, "6.6.6.6"), (XFF, "1.2.3.4, 10.9.9.9")], "1.2.3.4"),
            (PROXY, vec![(XFF, "10.1.1.1, 10.9.9.9")], "10.1.1.1"),
            (PROXY, vec![(XFF, "1.2.3.4, garbage, 10.9.9.9")], "10.9.9.9"),
            (PROXY, vec![(XFF, "garbage")], PROXY),
            (PROXY, vec![(XFF, "")], PROXY),
            (PROXY, vec![(XFF, "1.2.3.4:5678")], "1.2.3.4"),
            (PROXY, vec![(XFF, "::ffff:1.2.3.4")], "1.2.3.4"),
            ("::ffff:10.0.0.1", vec![(XFF, "1.2.3.4")], "1.2.3.4"),
            (PROXY, vec![("forwarded", "for=1.2.3.4;proto=https")], "1.2.3.4"),
            (PROXY, vec![("forwarded", "for=\"[2001:db8::1]:4711\"")], "2001:db8::1"),
            (PROXY, vec![("forwarded", "for=6.6.6.6, For=1.2.3.4")], "1.2.3.4"),
            (PROXY, vec![("forwarded", "for=_hidden")], PROXY),
            (PROXY, vec![("forwarded", "for=1.2.3.4"), (XFF, "1.2.3.4")], "1.2.3.4"),
            (PROXY, vec![("forwarded", "for=1.2.3.4"), (XFF, "6.6.6.6")], PROXY),
            (PROXY, vec![("x-real-ip", "6.6.6.6")], PROXY),
        ] {
            assert_eq!(client(peer, &headers), wanted, "{peer} {headers:?}");
        }
    }

    proptest! {
        #[test]
        fn any_header_gives_some_client(value in "[ -~]{0,80}") {
            client(PROXY, &[("x-forwarded-for", &value), ("forwarded", &value)]);
        }
    }
}
