//! Thousands of slow and half-open connections, each from a network of its own: others are served meanwhile.

use std::net::{IpAddr, SocketAddr};
use std::process::Command;

use serde_json::json;
use testkit::{SiteAnswer, TestDatabase, TestSite};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpSocket, TcpStream};

use super::{Dice, runs, tell};
use crate::server_process::ServerProcess;

/// Slow and half-open clients where the environment says nothing: a tenth of them.
const USUAL: [u32; 2] = [500, 1_000];
/// Names of the environment.
const NAMES: [&str; 2] = ["SITE_AUDIT_TEST_SLOW_CLIENTS", "SITE_AUDIT_TEST_HALF_OPEN_CLIENTS"];
/// Audits of other callers meanwhile.
const OTHERS: u32 = 40;

/// A connection from one of many addresses of this machine, each of another network.
async fn connect(number: u32, to: SocketAddr) -> TcpStream {
    let [.., high, low] = number.to_be_bytes();
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind(SocketAddr::new(IpAddr::from([127, 10 + high, low, 1]), 0)).unwrap();
    socket.connect(to).await.unwrap()
}

/// Lets a process have as many files open as it may.
fn raise_files(process: u32) {
    let text = std::fs::read_to_string(format!("/proc/{process}/limits")).unwrap();
    let files = text.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let hard = files.split_whitespace().nth(4).unwrap().to_owned();
    let limit = format!("--nofile={hard}:{hard}");
    assert!(Command::new("prlimit").args(["--pid", &process.to_string(), &limit]).status().unwrap().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn f22_slow_and_half_open_clients_keep_nobody_out() {
    let [slow, half_open] =
        [0, 1].map(|kind| std::env::var(NAMES[kind]).map_or(USUAL[kind], |count| count.parse().unwrap()));
    let site = TestSite::start(|_| SiteAnswer::html("<title>t</title>")).await;
    let (database, times) = (TestDatabase::sqlite(), runs(1));
    for _ in 0..times {
        let program = ServerProcess::start(
            &database,
            &[("LIMITS__FREE_AUDITS_PER_DAY", "1000000"), ("LIMITS__AUDITS_PER_HOUR", "1000000")],
        );
        raise_files(std::process::id());
        raise_files(program.process());
        let address = program.address().parse().unwrap();
        let mut open = Vec::new();
        for number in 0..slow + half_open {
            let mut stream = connect(number, address).await;
            // A slow client has begun a call; a half-open one says nothing.
            if number < slow {
                stream.write_all(b"POST /api/audit HTTP/1.1\r\nhost: a\r\ncontent-length: 60\r\n\r\n{").await.unwrap();
            }
            open.push(stream);
        }
        let body = json!({ "url": site.url("/") }).to_string();
        let mut slowest = std::time::Duration::ZERO;
        for _ in 0..OTHERS {
            let begun = std::time::Instant::now();
            let audit = program.call("POST", "/api/audit", "", &body).await;
            assert_eq!(audit.status, 200, "{}", audit.body);
            slowest = slowest.max(begun.elapsed());
        }
        assert_eq!(program.call("GET", "/api/health", "", "").await.status, 200);
        drop(open);
        program.kill();
        println!(
            "F22: {OTHERS} audits beside {slow} slow and {half_open} half-open clients, the slowest in {slowest:?}"
        );
    }
    tell("F22", database.system(), times, &Dice::new(), &format!("{slow} slow and {half_open} half-open clients"));
}
