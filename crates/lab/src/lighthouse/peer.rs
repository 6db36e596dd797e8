//! Whose socket a local connection comes from, as Linux tells it in `/proc/net/tcp` (proc_net_tcp(5)).

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// Whether the connection from `from` to `to` belongs to the user. Where the system tells no owners, every connection does;
/// where it tells them and not this one, none.
pub(crate) fn is_of(user: u32, from: SocketAddr, to: SocketAddr) -> bool {
    match fs::read_to_string("/proc/net/tcp") {
        Ok(table) => owner(&table, from, to) == Some(user),
        Err(_) => true,
    }
}

/// The owner of the socket `from`, which is connected to `to`.
fn owner(table: &str, from: SocketAddr, to: SocketAddr) -> Option<u32> {
    let (from, to) = (written(from)?, written(to)?);
    table.lines().skip(1).find_map(|line| {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let is_it = fields.next()? == from && fields.next()? == to;
        // State, queues, timers and retransmissions lie between.
        if is_it { fields.nth(4)?.parse().ok() } else { None }
    })
}

/// An address as the table has it: the four bytes of IPv4 as a number of this machine's byte order, and the port.
fn written(address: SocketAddr) -> Option<String> {
    let IpAddr::V4(ip) = address.ip() else { return None };
    Some(format!("{:08X}:{:04X}", u32::from_ne_bytes(ip.octets()), address.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_that_of_the_end_that_connected() {
        let (near, far) = (u32::from_ne_bytes([127, 0, 0, 1]), u32::from_ne_bytes([127, 0, 0, 2]));
        let line = |from: String, to: String, user: u32| {
            format!(
                "   0: {from} {to} 01 00000000:00000000 00:00000000 00000000  {user}        0 1 1 0 20 4 30 10 -1\n"
            )
        };
        let table = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
            .to_owned()
            + &line(format!("{near:08X}:1F90"), format!("{far:08X}:C350"), 7)
            + &line(format!("{far:08X}:C350"), format!("{near:08X}:1F90"), 1000);
        let (from, to) = ("127.0.0.2:50000".parse().unwrap(), "127.0.0.1:8080".parse().unwrap());
        assert_eq!(owner(&table, from, to), Some(1000));
        assert_eq!(owner(&table, to, from), Some(7));
        assert_eq!(owner(&table, to, to), None);
    }
}
