//! What surrounds the process has no say: the guarded cases once more in a process of their own.

use std::ffi::OsStr;
use std::net::Ipv4Addr;
use std::process::Command;

use crate::site::{Answer, Site, html};

/// The tests that are run again: those with canaries.
const GUARDED: [&str; 4] = ["addresses::", "guarded::", "names::", "tls::"];

/// Runs a command that runs the guarded tests, and says how many passed.
async fn passed(mut command: Command) -> usize {
    let output = tokio::task::spawn_blocking(move || command.output().unwrap()).await.unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let passed = text.split("test result: ok. ").nth(1).and_then(|rest| rest.split(' ').next());
    passed.unwrap_or_else(|| panic!("{text}")).parse().unwrap()
}

#[tokio::test]
async fn t23_a_proxy_of_the_environment_is_never_used() {
    let proxy = Site::start(Ipv4Addr::LOCALHOST.into(), |_| Answer::Bytes(html("<p>from the proxy"))).await;
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(GUARDED);
    for name in ["http_proxy", "https_proxy", "all_proxy"] {
        for name in [name.to_owned(), name.to_uppercase()] {
            command.env(name, format!("http://{}", proxy.address));
        }
    }
    command.env_remove("NO_PROXY").env_remove("no_proxy");
    assert!(passed(command).await > 30);
    assert_eq!(proxy.accepts(), 0);
}

/// A network of its own for the process, with loopback but no IPv6.
const WITHOUT_IPV6: &str = "ip link set lo up && echo 1 > /proc/sys/net/ipv6/conf/all/disable_ipv6 && exec \"$@\"";

#[tokio::test]
async fn a_machine_without_ipv6_guards_alike() {
    let in_namespace = |program: &OsStr| {
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--net", "sh", "-c", WITHOUT_IPV6, "sh"]).arg(program);
        command
    };
    if !in_namespace("true".as_ref()).output().is_ok_and(|output| output.status.success()) {
        println!("passed over: no network namespace can be made here (Linux with `unshare` and `ip`)");
        return;
    }
    let mut command = in_namespace(std::env::current_exe().unwrap().as_os_str());
    command.args(GUARDED);
    assert!(passed(command).await > 30);
}
