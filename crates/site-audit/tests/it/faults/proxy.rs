//! HAProxy, in front of servers or of databases.

use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use testkit::free_address;

/// What all proxies of tests have.
const DEFAULTS: &str = "global\n  maxconn 4000\ndefaults\n  timeout connect 2s\n  timeout client 120s\n  timeout server 120s\n  \
    timeout check 500ms\n  option redispatch\n";

/// A running HAProxy; stops when dropped.
pub(crate) struct Proxy {
    process: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Proxy {
    /// Whether it is installed; else a line is printed.
    pub(crate) fn is_installed() -> bool {
        let is_here = Command::new("haproxy").arg("-v").stdout(Stdio::null()).status().is_ok();
        if !is_here {
            println!("not run: HAProxy is not installed");
        }
        is_here
    }

    /// One that spreads calls over these servers, and leaves out those that are not ready.
    pub(crate) fn of_servers(servers: &[SocketAddr]) -> Self {
        let servers: String = (0..)
            .zip(servers)
            .map(|(number, address): (u32, _)| {
                format!("  server s{number} {address} check inter 100ms fall 1 rise 1\n")
            })
            .collect();
        let rules =
            "  mode http\n  balance roundrobin\n  option forwardfor\n  option httpchk GET /api/health\n  retries 2\n";
        Self::start(&format!("{rules}{servers}"))
    }

    /// One that sends connections to the first database, and to the second once the first is gone and it takes writes.
    pub(crate) fn of_databases(primary: u16, standby: u16) -> Self {
        let check = "check inter 100ms fall 2 rise 1 on-marked-down shutdown-sessions";
        // A database that is gone refuses at once; one that is slow on a busy machine is not gone.
        Self::start(&format!(
            "  mode tcp\n  timeout check 30s\n  option pgsql-check user postgres\n  server primary 127.0.0.1:{primary} {check}\n  \
             server standby 127.0.0.1:{standby} {check} backup\n"
        ))
    }

    fn start(rules: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = free_address();
        let file = folder.path().join("haproxy.cfg");
        std::fs::write(&file, format!("{DEFAULTS}listen all\n  bind {address}\n{rules}")).unwrap();
        let mut process =
            Command::new("haproxy").arg("-f").arg(&file).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        while std::net::TcpStream::connect(address).is_err() {
            assert!(process.try_wait().unwrap().is_none(), "HAProxy ended by itself");
            std::thread::yield_now();
        }
        Self { process, address, _folder: folder }
    }

    /// Where it listens.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}
