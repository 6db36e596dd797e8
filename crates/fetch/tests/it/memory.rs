//! Memory: what hostile answers make the process grow by, measured where nothing else runs.

use std::fs;
use std::process::Command;

use model::capture::{BodyCut, Coding};

use crate::bombs;
use crate::secure::{Identity, Secure};
use crate::site::{Answer, Site, get, html, reason};

/// Names the measured case to the child process.
const CASE: &str = "SITE_AUDIT_MEASURED";
/// KiB that one request may make the process grow by.
const MOST_GROWTH: u64 = 32 * 1024;

/// A line of `/proc/self/status`, in KiB.
fn status(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_matches([':', '\t', ' ', 'k', 'B']).parse().unwrap()
}

/// Sets the peak back to what is resident now, and answers that.
fn reset_peak() -> u64 {
    fs::write("/proc/self/clear_refs", "5").unwrap();
    status("VmRSS")
}

/// Does `work` in a process of its own, in which it measures itself, and fails as it fails.
async fn alone(test: &str, case: &str) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(CASE, case);
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{case}: {text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(&format!("measured {case}")), "{case}: {text}");
}

/// Says how far the process grew beyond `before` at its peak, and fails over the limit.
fn judge(case: &str, before: u64) {
    let growth = status("VmHWM").saturating_sub(before);
    println!("measured {case}: {growth} KiB");
    assert!(growth < MOST_GROWTH, "{case} grew the process by {growth} KiB");
}

fn bomb(case: &str) -> (&str, Vec<u8>) {
    match case {
        "gzip" => ("gzip", bombs::gzip()),
        "deflate" => ("deflate", bombs::deflate()),
        "gzip, gzip" => ("gzip, gzip", bombs::gzip_twice()),
        "br" => ("br", bombs::brotli()),
        "zstd" => ("zstd", bombs::zstd()),
        other => panic!("no bomb of {other}"),
    }
}

#[tokio::test]
async fn z01_z02_z06_bombs_stop_at_the_cap_and_memory_stays_small() {
    let Ok(case) = std::env::var(CASE) else {
        for case in ["gzip", "deflate", "gzip, gzip", "br", "zstd"] {
            alone("memory::z01_z02_z06_bombs_stop_at_the_cap_and_memory_stays_small", case).await;
        }
        return;
    };
    let (coding, body) = bomb(&case);
    assert!(body.len() < bombs::UNFOLDED / 100);
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {}\r\n\r\n", body.len());
    let response = [head.into_bytes(), body].concat();
    let site =
        Site::allowed(move |target| Answer::Bytes(if target == "/" { response.clone() } else { html("") })).await;
    assert!(get(&site.url("/warm")).await.response().is_some());
    let before = reset_peak();
    let fetched = get(&site.url("/")).await;
    judge(&case, before);
    let body = &fetched.response().unwrap().body;
    assert_eq!((body.cut, &body.coding), (Some(BodyCut::Size), &Coding::Decoded(coding.to_owned())));
    // A real stretch of what the bomb unfolds to, so that it was no dud.
    assert!((200_000..=fetch::PAGE_BYTES).contains(&body.bytes.len()) && body.bytes.iter().all(|byte| *byte == 0));
}

#[tokio::test]
async fn s07_t13_endless_chains_and_heads_leave_memory_flat() {
    let Ok(case) = std::env::var(CASE) else {
        for case in ["certificates", "head"] {
            alone("memory::s07_t13_endless_chains_and_heads_leave_memory_flat", case).await;
        }
        return;
    };
    match case.as_str() {
        "certificates" => {
            let server = Secure::start(Identity::valid().and_ballast(8_000_000), &[], |_| async {}).await;
            assert_eq!(reason(&server.get_untrusting().await), "tls_handshake");
            let before = reset_peak();
            assert_eq!(reason(&server.get("/").await), "tls_handshake");
            // The server's own copies of its chain, plain and encrypted, are in the same process.
            judge(&case, before);
        }
        "head" => {
            let value = vec![b'y'; 65_536];
            let site = Site::allowed(move |_| Answer::Endless(b"HTTP/1.1 200 OK\r\nX: ".to_vec(), value.clone())).await;
            let before = reset_peak();
            assert_eq!(reason(&get(&site.url("/")).await), "headers_too_large");
            judge(&case, before);
        }
        other => panic!("no case {other}"),
    }
}
