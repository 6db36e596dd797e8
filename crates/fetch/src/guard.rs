//! The address policy: which addresses and ports may be contacted. Pure; IPv6 is denied by default.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use url::{Host, Url};

use crate::config::FetchConfig;

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix)
}

const fn v6(first: u16, second: u16, third: u16, prefix: u8) -> Ipv6Net {
    Ipv6Net::new_assert(Ipv6Addr::new(first, second, third, 0, 0, 0, 0, 0), prefix)
}

/// IPv4 networks that are not the public internet (IANA special-purpose address registry; 168.63.129.16 is a cloud's
/// platform).
const DENIED_V4: [Ipv4Net; 19] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    v4(168, 63, 129, 16, 32),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 31, 196, 0, 24),
    v4(192, 52, 193, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(192, 175, 48, 0, 24),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
];
/// The only IPv6 network that may pass.
const GLOBAL_V6: Ipv6Net = v6(0x2000, 0, 0, 3);
/// Denied networks inside it: protocol assignments with Teredo, documentation, 6to4, AS112.
const DENIED_V6: [Ipv6Net; 5] = [
    v6(0x2001, 0, 0, 23),
    v6(0x2001, 0x0db8, 0, 32),
    v6(0x2002, 0, 0, 16),
    v6(0x2620, 0x004f, 0x8000, 48),
    v6(0x3fff, 0, 0, 20),
];

/// The address policy.
#[derive(Debug, Clone, Default)]
pub struct AddressPolicy {
    allow: Vec<IpNet>,
    deny: Vec<IpNet>,
    nat64: Vec<Ipv6Net>,
    own_interfaces: Vec<IpAddr>,
    own_sockets: Vec<SocketAddr>,
}

impl AddressPolicy {
    /// The policy of the operator's lists and the addresses of the machine's own interfaces.
    pub fn new(config: &FetchConfig) -> std::io::Result<Self> {
        Ok(Self {
            allow: config.allow_private.clone(),
            deny: config.deny.clone(),
            nat64: config.nat64.clone(),
            own_interfaces: if_addrs::get_if_addrs()?.into_iter().map(|interface| interface.ip()).collect(),
            own_sockets: config.own_addresses.clone(),
        })
    }

    /// Whether an address is one of the operator's own machines, for which there is no concurrency limit.
    pub fn is_own_machine(&self, address: IpAddr) -> bool {
        self.allow.iter().any(|net| net.contains(&address))
    }

    /// Whether an address and port may be contacted.
    pub fn allows(&self, address: IpAddr, port: u16) -> bool {
        if self.is_refused(address, port) {
            return false;
        }
        if self.is_own_machine(address) {
            return true;
        }
        if self.own_interfaces.contains(&address) {
            return false;
        }
        match address {
            IpAddr::V4(address) => is_public_v4(address),
            IpAddr::V6(address) => match self.unwrapped(address) {
                // An exception for the plain address does not extend to its mapped or translated form.
                Some(inner) => {
                    let plain = IpAddr::V4(inner);
                    is_public_v4(inner) && !self.own_interfaces.contains(&plain) && !self.is_refused(plain, port)
                }
                None => is_public_v6(address),
            },
        }
    }

    /// Whether an address is denied whatever is allowed: by the operator's list, or as one of our own sockets.
    fn is_refused(&self, address: IpAddr, port: u16) -> bool {
        let ours = |own: &SocketAddr| {
            let everywhere =
                own.ip().is_unspecified() && (address.is_loopback() || self.own_interfaces.contains(&address));
            own.port() == port && (own.ip() == address || everywhere)
        };
        self.own_sockets.iter().any(ours) || self.deny.iter().any(|net| net.contains(&address))
    }

    /// The IPv4 address inside one of the operator's NAT64 prefixes (RFC 6052 §2.2).
    fn unwrapped(&self, address: Ipv6Addr) -> Option<Ipv4Addr> {
        let net = self.nat64.iter().find(|net| net.contains(&address))?;
        let octets = address.octets();
        let start = match net.prefix_len() {
            32 => 4,
            40 => 5,
            48 => 6,
            56 => 7,
            64 => 9,
            96 => 12,
            _ => return None,
        };
        // Octet 8 is skipped: it is always zero.
        let mut inner =
            (start..16).filter(|at| *at != 8 || net.prefix_len() == 96).filter_map(|at| octets.get(at).copied());
        Some(Ipv4Addr::new(inner.next()?, inner.next()?, inner.next()?, inner.next()?))
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    !DENIED_V4.iter().any(|net| net.contains(&address))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let isatap = matches!(segments, [_, _, _, _, 0x0000 | 0x0200, 0x5efe, _, _]);
    GLOBAL_V6.contains(&address) && !DENIED_V6.iter().any(|net| net.contains(&address)) && !isatap
}

/// The address of a URL whose host is an IP literal.
pub fn literal(url: &Url) -> Option<IpAddr> {
    match url.host()? {
        Host::Ipv4(address) => Some(address.into()),
        Host::Ipv6(address) => Some(address.into()),
        Host::Domain(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn allows(text: &str) -> bool {
        AddressPolicy::default().allows(text.parse().unwrap(), 443)
    }

    #[test]
    fn first_and_last_of_every_denied_network_are_refused_and_neighbours_judged_alone() {
        for net in DENIED_V4 {
            for address in [net.network(), net.broadcast()] {
                assert!(!AddressPolicy::default().allows(address.into(), 80), "{address}");
            }
            let before = u32::from(net.network()).checked_sub(1).map(Ipv4Addr::from);
            let after = u32::from(net.broadcast()).checked_add(1).map(Ipv4Addr::from);
            for neighbour in [before, after].into_iter().flatten() {
                let denied = DENIED_V4.iter().any(|net| net.contains(&neighbour));
                assert_eq!(AddressPolicy::default().allows(neighbour.into(), 80), !denied, "{neighbour}");
            }
        }
        for net in DENIED_V6 {
            for address in [net.network(), net.broadcast()] {
                assert!(!AddressPolicy::default().allows(address.into(), 80), "{address}");
            }
        }
    }

    #[test]
    fn a_rows_are_refused() {
        for text in [
            "127.0.0.1",
            "0.0.0.0",
            "169.254.169.254",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "100.64.0.1",
            "100.127.255.254",
            "192.0.0.1",
            "198.19.255.255",
            "192.88.99.1",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::808:808",
            "2002:808:808::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "100::1",
            "2001:db8::1",
            "3fff::1",
            "5f00::1",
            "2001:2::1",
            "2600::5efe:1.2.3.4",
            "2600::200:5efe:1.2.3.4",
        ] {
            assert!(!allows(text), "{text}");
        }
    }

    #[test]
    fn a15_public_addresses_pass() {
        for text in
            ["1.1.1.1", "8.8.8.8", "100.63.255.254", "100.128.0.1", "2606:4700:4700::1111", "2001:4860:4860::8888"]
        {
            assert!(allows(text), "{text}");
        }
    }

    #[test]
    fn operators_lists_are_obeyed() {
        let policy = AddressPolicy {
            allow: vec!["127.0.0.2/32".parse().unwrap()],
            deny: vec!["8.8.8.0/24".parse().unwrap()],
            nat64: vec!["2600:64::/96".parse().unwrap()],
            own_interfaces: vec!["9.9.9.9".parse().unwrap()],
            own_sockets: vec!["1.1.1.1:8080".parse().unwrap()],
        };
        let allows = |text: &str, port| policy.allows(text.parse().unwrap(), port);
        assert!(allows("127.0.0.2", 80) && !allows("127.0.0.1", 80) && !allows("::ffff:127.0.0.2", 80));
        assert!(!allows("8.8.8.8", 80));
        assert!(allows("2600:64::808:404", 80) && !allows("2600:64::7f00:1", 80) && !allows("2600:64::7f00:2", 80));
        assert!(!allows("1.1.1.1", 8080) && allows("1.1.1.1", 443));
        // What is refused to the plain form is refused to the translated one.
        assert!(!allows("2600:64::808:808", 80), "a denied network behind NAT64");
        assert!(!allows("2600:64::101:101", 8080) && allows("2600:64::101:101", 443), "our own socket behind NAT64");
        assert!(!allows("2600:64::909:909", 80), "our own interface behind NAT64");
    }

    #[test]
    fn a_socket_that_listens_everywhere_is_our_own_at_every_address_of_ours() {
        for every in ["0.0.0.0:8080", "[::]:8080"] {
            let policy = AddressPolicy {
                allow: vec!["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap(), "9.9.9.9/32".parse().unwrap()],
                own_interfaces: vec!["9.9.9.9".parse().unwrap()],
                own_sockets: vec![every.parse().unwrap()],
                ..AddressPolicy::default()
            };
            for ours in ["127.0.0.1", "127.0.0.2", "::1", "9.9.9.9"] {
                let ours = ours.parse().unwrap();
                assert!(!policy.allows(ours, 8080) && policy.allows(ours, 8081), "{ours}");
            }
            assert!(policy.allows("8.8.8.8".parse().unwrap(), 8080));
        }
    }

    proptest! {
        #[test]
        fn every_spelling_of_an_address_is_judged_as_its_value(number in any::<u32>()) {
            let address = Ipv4Addr::from(number);
            for spelled in [format!("http://{number}/"), format!("http://0x{number:x}/"), format!("http://{address}/")] {
                prop_assert_eq!(literal(&Url::parse(&spelled).unwrap()), Some(IpAddr::V4(address)));
            }
        }
    }
}
