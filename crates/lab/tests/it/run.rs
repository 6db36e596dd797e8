//! A runner as tests have it, and the processes of its runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fetch::{FetchConfig, Fetcher};
use lab::lighthouse::programs::Programs;
use lab::lighthouse::{LighthouseSettings, RunLimits, Runner};
use serde_json::Value;
use testkit::TestSite;
use tokio::sync::{Mutex, MutexGuard};

/// Where `cargo xtask test` installs the npm packages.
const PACKAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/npm");

/// One run at a time: browsers side by side on few cores take each other's time.
static TURN: Mutex<()> = Mutex::const_new(());

/// Waits until no other test runs a browser.
pub(crate) async fn turn() -> MutexGuard<'static, ()> {
    TURN.lock().await
}

/// Limits that a slow machine keeps too.
pub(crate) fn patient() -> RunLimits {
    RunLimits { time: Duration::from_secs(600), ..RunLimits::default() }
}

/// How Lighthouse is run here; `None`, with a line, where a program is missing.
pub(crate) async fn settings() -> Option<LighthouseSettings> {
    let folder = PathBuf::from(PACKAGES);
    let browser = testkit::browser::program();
    let found = Programs::find(&folder, browser.as_deref()).versions().await;
    let missing: Vec<_> = found.iter().filter(|found| !found.is_usable).map(|found| found.name).collect();
    if browser.is_none() || !missing.is_empty() {
        println!("passed over, a lab test: not installed: {}", missing.join(", "));
        return None;
    }
    // Chromium does not run as root with its sandbox.
    let root = std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap()) == 0;
    Some(LighthouseSettings { folder, chromium: browser, sandbox: !root, rendered: true })
}

/// A client that may reach 127.0.0.2 alone, and knows the name `inside.test` as 127.0.0.1.
pub(crate) fn fetcher() -> Fetcher {
    let config = FetchConfig {
        allow_private: vec!["127.0.0.2/32".parse().unwrap()],
        allow_ports: Vec::new(),
        resolve: vec![("inside.test".to_owned(), [127, 0, 0, 1].into())],
        ..FetchConfig::default()
    };
    Fetcher::new(config).unwrap()
}

/// A runner; `None`, with a line, where a program is missing.
pub(crate) async fn runner(limits: RunLimits) -> Option<Runner> {
    Some(Runner::new(settings().await?, fetcher(), limits))
}

/// The folder of the run that measures a page of the site, once its processes run.
pub(crate) async fn folder_of_run(site: &TestSite) -> PathBuf {
    let url = site.url("/");
    loop {
        if let Some(driver) = processes_with(&url).first() {
            let line = command_line(*driver);
            let settings = line.iter().find_map(|argument| serde_json::from_str::<Value>(argument).ok());
            if let Some(result) = settings.as_ref().and_then(|settings| settings["result"].as_str()) {
                return Path::new(result).parent().unwrap().to_owned();
            }
        }
        tokio::task::yield_now().await;
    }
}

/// Waits until the site has had a request.
pub(crate) async fn asked(site: &TestSite) {
    while site.asked().is_empty() {
        tokio::task::yield_now().await;
    }
}

/// The numbers of running processes that have the text in an argument, but for this one.
pub(crate) fn processes_with(text: &str) -> Vec<u32> {
    let numbers = fs::read_dir("/proc").unwrap().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let others = numbers.filter(|number| *number != std::process::id());
    others.filter(|number| command_line(*number).iter().any(|argument| argument.contains(text))).collect()
}

fn command_line(process: u32) -> Vec<String> {
    let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).map(|argument| String::from_utf8_lossy(argument).into_owned()).collect()
}

/// Kills one process.
pub(crate) fn kill(process: u32) {
    assert!(std::process::Command::new("kill").args(["-KILL", &process.to_string()]).status().unwrap().success());
}
