//! Memory of a service: what many callers at once take goes back to the operating system.

use std::io::{BufRead as _, BufReader};
use std::process::Child;

use serde_json::json;

use super::program;

/// Sign-ins at once.
const SIGN_INS: usize = 48;
/// What they may take together, in KB.
const MOST_KB: u64 = 100 * 1024;
/// What of it may be kept afterwards, in KB: less than the memory of two hashes.
const KEPT_KB: u64 = 32 * 1024;

/// A line of `/proc/PID/status` in KB.
fn memory(child: &Child, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').split_whitespace().next().unwrap().parse().unwrap()
}

/// Tries to sign in as nobody; the status.
fn sign_in(url: &str) -> u16 {
    let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
    let mut bootstrap = agent.get(format!("{url}/api/auth/bootstrap")).call().unwrap();
    let cookie = bootstrap.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let csrf = bootstrap.body_mut().read_json::<serde_json::Value>().unwrap()["csrf"].as_str().unwrap().to_owned();
    let request = agent.post(format!("{url}/api/auth/sign-in"));
    let request = request.header("cookie", cookie).header("x-csrf-token", csrf).header("origin", url);
    let answer = request.send_json(json!({"email": "nobody@example.com", "password": "yellow canary sings low"}));
    answer.unwrap().status().as_u16()
}

/// The memory of each hash stayed with the thread that had made it.
#[test]
fn the_memory_of_many_sign_ins_is_bounded_and_given_back() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = program()
        .args(["--listen", "127.0.0.1:0"])
        .current_dir(folder.path())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.split_once(": ").unwrap().1.trim().trim_end_matches('/').to_owned();
    // Everything that is made once is made now.
    sign_in(&url);
    let idle = memory(&child, "VmRSS");
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let callers: Vec<_> = (0..SIGN_INS).map(|_| scope.spawn(|| sign_in(&url))).collect();
        callers.into_iter().map(|caller| caller.join().unwrap()).collect()
    });
    assert!(statuses.contains(&401), "{statuses:?}");
    let (peak, kept) = (memory(&child, "VmHWM"), memory(&child, "VmRSS"));
    assert!(peak <= idle + MOST_KB, "{} KB above idle", peak - idle);
    assert!(kept <= idle + KEPT_KB, "{} KB were kept", kept - idle);
    child.kill().unwrap();
    child.wait().unwrap();
}
