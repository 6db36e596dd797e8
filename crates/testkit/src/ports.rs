//! Ports of 127.0.0.1 for programs that can't choose one themselves.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU16, Ordering};

/// Ports below those that systems give to outgoing connections (Linux: from 32768; IANA: from 49152), so that no
/// connection of another test takes one between its choice and its use.
const FIRST: u16 = 12_000;
const COUNT: u16 = 20_000;

/// How many were given, from a place of this process's own.
static GIVEN: AtomicU16 = AtomicU16::new(0);

/// A port that nobody has, and that is given once.
pub fn free_port() -> u16 {
    let place = std::process::id().wrapping_mul(617) % u32::from(COUNT);
    let place = u16::try_from(place).unwrap();
    loop {
        let given = GIVEN.fetch_add(1, Ordering::SeqCst);
        assert!(given < COUNT, "no port is free");
        let port = FIRST + (place + given) % COUNT;
        if TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok() {
            return port;
        }
    }
}

/// An address with such a port.
pub fn free_address() -> SocketAddr {
    (Ipv4Addr::LOCALHOST, free_port()).into()
}
