//! The caller's network: the unit of allowances, rate limits and concurrency limits.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Factor by which the limits of a wider network (IPv4 /24, IPv6 /48) exceed those of one network.
pub const WIDE: u32 = 10;

/// An IPv4 address or an IPv6 /64. An IPv4 address mapped into IPv6 is the IPv4 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Network(IpAddr);

impl Network {
    /// The network of an address.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                Self(IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0)))
            }
            v4 => Self(v4),
        }
    }

    /// The wider network around it, an IPv4 /24 or an IPv6 /48.
    pub fn wide(self) -> String {
        match self.0 {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                format!("{}/24", Ipv4Addr::new(a, b, c, 0))
            }
            IpAddr::V6(v6) => {
                let [a, b, c, ..] = v6.segments();
                format!("{}/48", Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0))
            }
        }
    }

    /// Masked for display: `203.0.113.x`, `2001:db8:1:2::x`.
    pub(crate) fn masked(self) -> String {
        match self.0 {
            IpAddr::V4(v4) => {
                let [a, b, c, _] = v4.octets();
                format!("{a}.{b}.{c}.x")
            }
            IpAddr::V6(v6) => {
                let [a, b, c, d, ..] = v6.segments();
                format!("{a:x}:{b:x}:{c:x}:{d:x}::x")
            }
        }
    }
}

/// The counter key, before it is hashed.
impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            IpAddr::V4(v4) => write!(f, "{v4}"),
            IpAddr::V6(v6) => write!(f, "{v6}/64"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_is_one_address_or_one_64() {
        let of = |text: &str| Network::of(text.parse().unwrap());
        assert_eq!(of("2001:db8:1:2:3:4:5:6"), of("2001:db8:1:2::"));
        assert_ne!(of("2001:db8:1:2::"), of("2001:db8:1:3::"));
        assert_eq!(of("::ffff:203.0.113.7"), of("203.0.113.7"));
        assert_eq!(of("203.0.113.7").masked(), "203.0.113.x");
        assert_eq!(of("2001:db8:1:2:3:4:5:6").masked(), "2001:db8:1:2::x");
        assert_eq!(
            (of("203.0.113.7").wide().as_str(), of("2001:db8:1:2::").wide().as_str()),
            ("203.0.113.0/24", "2001:db8:1::/48")
        );
    }
}
