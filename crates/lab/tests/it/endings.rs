//! However a run ends, no process and no file of it is left.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use lab::failure::{Failure, PageFailure};
use lab::lighthouse::{RunLimits, Runner};
use model::lab::Strategy;
use model::lang::Lang;
use testkit::{SiteAnswer, TestSite};
use url::Url;

use crate::run::{asked, fetcher, folder_of_run, kill, patient, processes_with, runner, settings, turn};

/// A page whose script never ends.
const HUNG: &str = "<!DOCTYPE html><title>Hung</title><p>Text<script>for (;;);</script>";
/// The variable by which a test starts itself again, as the server that dies: the URL of the page.
const DYING: &str = "LAB_TEST_DYING";

fn page(code: &str) -> Failure {
    Failure::Page(PageFailure::new(code))
}

async fn run(runner: &Runner, site: &TestSite) -> Result<Vec<u8>, Failure> {
    runner.run(&Url::parse(&site.url("/")).unwrap(), Strategy::Mobile, Lang::En).await
}

fn nothing_left(folder: &Path) {
    assert!(!folder.exists(), "{}", folder.display());
    // A process that was killed is there until the system has taken it away, which takes a moment on a busy machine.
    let left = || processes_with(&folder.display().to_string());
    let is_gone = (0..2_000).any(|_| left().is_empty());
    assert!(is_gone, "{:?}", left());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hung_page_is_killed_when_its_time_is_up() {
    let limits = RunLimits { time: Duration::from_secs(10), ..RunLimits::default() };
    let _turn = turn().await;
    let Some(runner) = runner(limits).await else { return };
    let site = TestSite::start(|_| SiteAnswer::html(HUNG)).await;
    let (result, folder) = tokio::join!(run(&runner, &site), folder_of_run(&site));
    assert_eq!(result, Err(page("PAGE_HUNG")));
    nothing_left(&folder);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_takes_too_much_memory_is_killed() {
    let limits = RunLimits { memory: 1024 * 1024, ..RunLimits::default() };
    let _turn = turn().await;
    let Some(runner) = runner(limits).await else { return };
    let site = TestSite::start(|_| SiteAnswer::html(HUNG)).await;
    let (result, folder) = tokio::join!(run(&runner, &site), folder_of_run(&site));
    assert_eq!(result, Err(page("TARGET_CRASHED")));
    nothing_left(&folder);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_death_of_the_driver_or_of_the_browser_ends_the_run() {
    let _turn = turn().await;
    let Some(runner) = runner(patient()).await else { return };
    for victim in ["run.mjs", "--user-data-dir"] {
        let site = TestSite::start(|_| SiteAnswer::Silence).await;
        let kills = async {
            let folder = folder_of_run(&site).await;
            asked(&site).await;
            let named = folder.display().to_string();
            // The driver and the browser's first process are the oldest ones that name the folder so.
            let victims = processes_with(&named);
            let is_victim = |process: &&u32| {
                let line = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
                line.contains(victim) && line.contains("run.mjs") == (victim == "run.mjs")
            };
            kill(*victims.iter().find(is_victim).unwrap());
            folder
        };
        let (result, folder) = tokio::join!(run(&runner, &site), kills);
        let result = result.and_then(|bytes| lab::reading::measured(&bytes, Strategy::Mobile));
        assert!(matches!(result, Err(Failure::Page(_))), "{victim}: {result:?}");
        nothing_left(&folder);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_nobody_waits_for_is_killed() {
    let _turn = turn().await;
    let Some(runner) = runner(patient()).await else { return };
    let site = TestSite::start(|_| SiteAnswer::Silence).await;
    let waits = async {
        let folder = folder_of_run(&site).await;
        asked(&site).await;
        folder
    };
    let folder = tokio::select! {
        result = run(&runner, &site) => panic!("{result:?}"),
        folder = waits => folder,
    };
    while !processes_with(&folder.display().to_string()).is_empty() {
        tokio::task::yield_now().await;
    }
    // What the dying browser still wrote is removed by the next start.
    drop(runner);
    let _next = self::runner(patient()).await;
    nothing_left(&folder);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_death_of_the_server_leaves_no_process_at_once_and_no_folder_after_the_next_start() {
    if let Ok(url) = std::env::var(DYING) {
        let runner = runner(patient()).await.unwrap();
        let result = runner.run(&Url::parse(&url).unwrap(), Strategy::Mobile, Lang::En).await;
        panic!("killed before: {result:?}");
    }
    let _turn = turn().await;
    let Some(settings) = settings().await else { return };
    let site = TestSite::start(|_| SiteAnswer::Silence).await;
    let name = "endings::the_death_of_the_server_leaves_no_process_at_once_and_no_folder_after_the_next_start";
    let mut server = Command::new(std::env::current_exe().unwrap());
    server.args([name, "--exact"]).env(DYING, site.url("/")).stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = server.spawn().unwrap();
    let folder = folder_of_run(&site).await;
    asked(&site).await;
    server.kill().unwrap();
    server.wait().unwrap();
    while !processes_with(&folder.display().to_string()).is_empty() {
        tokio::task::yield_now().await;
    }
    assert!(folder.exists());
    let _next = Runner::new(settings, fetcher(), patient());
    nothing_left(&folder);
}
