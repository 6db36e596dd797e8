//! The address policy, on addresses in every spelling.
//!
//! Two bytes of port, then 4 bytes of an IPv4 or 16 of an IPv6 address; what is missing is zero.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use fetch::{AddressPolicy, Intake, guard};

use crate::url_intake::FETCHER;

/// Every spelling is read as the same address and judged like it; the plainly private is refused.
pub fn check(data: &[u8]) {
    let byte = |at: usize| data.get(at).copied().unwrap_or_default();
    let port = u16::from_be_bytes([byte(0), byte(1)]);
    if data.len() <= 6 {
        let octets = [byte(2), byte(3), byte(4), byte(5)];
        v4(octets.into(), port);
    } else {
        let octets: [u8; 16] = std::array::from_fn(|at| byte(at + 2));
        v6(octets.into(), port);
    }
}

fn v4(address: Ipv4Addr, port: u16) {
    let [a, b, c, d] = address.octets();
    let number = u32::from(address);
    let (last_two, last_three) = (number & 0xFFFF, number & 0x00FF_FFFF);
    let fullwidth: String = address.to_string().chars().map(fullwidth).collect();
    let encoded: String = address.to_string().bytes().map(|byte| format!("%{byte:02X}")).collect();
    let spellings = [
        format!("{address}"),
        format!("{address}."),
        format!("{number}"),
        format!("0x{number:x}"),
        format!("0X{number:08X}"),
        format!("0{number:o}"),
        format!("{a}.{b}.{last_two}"),
        format!("{a}.0x{last_three:x}"),
        format!("0{a:o}.0x{b:X}.{c}.0{d:o}"),
        format!("{a}。{b}．{c}｡{d}"),
        fullwidth,
        encoded,
    ];
    for spelled in &spellings {
        judged_alike(spelled, address.into(), port);
    }
    let plain = AddressPolicy::default();
    let never = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || address.is_unspecified();
    assert!(!(never && plain.allows(address.into(), port)), "{address} passed");
    for wrapped in [address.to_ipv6_mapped(), address.to_ipv6_compatible()] {
        assert!(!plain.allows(wrapped.into(), port), "{wrapped} passed");
        judged_alike(&format!("[{wrapped}]"), wrapped.into(), port);
    }
}

fn v6(address: Ipv6Addr, port: u16) {
    let groups = address.segments();
    let spelled = |write: fn(&u16) -> String| groups.iter().map(write).collect::<Vec<_>>().join(":");
    let [.., c, d] = groups;
    let tail = Ipv4Addr::from(u32::from(c) << 16 | u32::from(d));
    let front = groups.iter().take(6).map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":");
    for text in [
        format!("[{address}]"),
        format!("[{}]", spelled(|group| format!("{group:04X}"))),
        format!("[{}]", spelled(|group| format!("{group:x}"))),
        format!("[{front}:{tail}]"),
    ] {
        judged_alike(&text, address.into(), port);
    }
    let never = address.is_loopback()
        || address.is_unspecified()
        || address.is_multicast()
        || address.is_unique_local()
        || address.is_unicast_link_local()
        || address.to_ipv4().is_some();
    assert!(!(never && AddressPolicy::default().allows(address.into(), port)), "{address} passed");
}

/// Whether a host as typed gives the address, and the verdict on it.
fn judged_alike(host: &str, address: IpAddr, port: u16) {
    let text = format!("http://{host}:{port}/");
    let any_port = Intake::default();
    if port != 0 {
        let url = any_port.read(&text).unwrap_or_else(|refusal| panic!("{text} is refused: {}", refusal.reason));
        assert_eq!(guard::literal(&url), Some(address), "{text} is read as another address");
    }
    let plain = address_url(address, port);
    let (typed, parsed) = (FETCHER.intake(&text), FETCHER.intake(&plain));
    let reason = |outcome: &Result<url::Url, model::capture::FetchFailure>| {
        outcome.as_ref().map(ToString::to_string).map_err(|failure| failure.reason.clone())
    };
    assert_eq!(reason(&typed), reason(&parsed), "{text} is judged other than {plain}");
    let allowed = AddressPolicy::default().allows(address, port);
    assert!(allowed || typed.is_err(), "{text} passed");
}

fn address_url(address: IpAddr, port: u16) -> String {
    match address {
        IpAddr::V4(address) => format!("http://{address}:{port}/"),
        IpAddr::V6(address) => format!("http://[{address}]:{port}/"),
    }
}

fn fullwidth(character: char) -> char {
    match character.to_digit(10) {
        Some(digit) => char::from_u32('０' as u32 + digit).unwrap_or(character),
        None => character,
    }
}
