//! Lighthouse as a program on this machine, with a Chromium of its own for each run.
//!
//! A run is hostile territory: the browser executes what a page sends. It gets no environment but a few fixed variables, a
//! profile that is removed, one way into the network ([`proxy`]), a limit of memory and one of time, and a process group that
//! is killed as a whole ([`group`]).

mod browser;
mod folder;
mod group;
mod metered;
mod peer;
mod processes;
pub mod programs;
mod proxy;
pub mod setup;

use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use fetch::Fetcher;
use model::lab::Strategy;
use model::lang::Lang;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::{Instant, interval, timeout_at};
use url::Url;

use crate::failure::{Failure, PageFailure};
use crate::request::TEST_TIME;
use folder::RunFolder;
use group::Group;
use programs::Programs;
use proxy::Proxy;

/// The folder of npm packages where none is configured.
pub const FOLDER: &str = "data/lab";
/// What runs in Node.
const DRIVER: &str = include_str!("lighthouse/run.mjs");
/// Processor cores that a run needs for itself: another run on the same ones would be measured as a slow page.
const CORES_OF_A_RUN: usize = 2;
/// Tests that wait for their turn; one more fails at once.
const WAITING: usize = 16;
/// Limit of the memory of a run in bytes: more than twice what a heavy page takes (docs/lab.md has measurements).
const RUN_MEMORY: u64 = 2 * 1024 * 1024 * 1024;
/// Pause between two looks at the memory of a run.
const LOOK: Duration = Duration::from_millis(250);
/// Longest wait for the page's load, in milliseconds, as Lighthouse has it by itself.
const LOAD_MS: u32 = 45_000;
/// Size limit of a rendered page in UTF-16 code units, as scripts count. A longer one is not passed on.
const RENDERED_CHARACTERS: u32 = 2_000_000;
/// Size limit of a result in bytes. Large ones have one million.
const RESULT_BYTES: u64 = 32 * 1024 * 1024;
/// Longest wait for the end of a program's error output, past the time of the run.
const LAST_WORDS: Duration = Duration::from_secs(10);
/// Bytes that are kept of the end of a program's error output.
const ERROR_BYTES: usize = 4_096;
/// Length limit of the line for the operator, in characters.
const LINE_CHARACTERS: usize = 300;
/// The exit status of the driver when the browser could not be started.
const NO_BROWSER: i32 = 3;

/// How Lighthouse is run.
#[derive(Debug, Clone)]
pub struct LighthouseSettings {
    /// The folder that `site-audit lab setup` installs npm packages into.
    pub folder: PathBuf,
    /// The Chromium program; `None` to look for it where systems have it.
    pub chromium: Option<PathBuf>,
    /// Whether Chromium's own sandbox is on.
    pub sandbox: bool,
    /// Whether the rendered page is a part of the result.
    pub rendered: bool,
}

/// Runs Lighthouse, one run at a time for each two cores.
#[derive(Debug)]
pub struct Runner {
    settings: LighthouseSettings,
    fetcher: Fetcher,
    limits: RunLimits,
    places: Arc<Semaphore>,
    waiting: Arc<Semaphore>,
}

/// Runs at once on this machine, at least one. Whoever queues them keeps to it too: the time of a try goes on while it waits.
pub fn at_once() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (cores / CORES_OF_A_RUN).max(1)
}

/// Limits of a run.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// From the start of the programs to their end.
    pub time: Duration,
    /// Memory of all processes in bytes.
    pub memory: u64,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { time: TEST_TIME, memory: RUN_MEMORY }
    }
}

/// How a run ended.
enum Ending {
    /// The driver has ended, with this status; none when it was killed.
    Driver(Option<i32>),
    Time,
    Memory,
    /// The proxy can't go on.
    Proxy(io::Error),
}

impl Runner {
    /// A runner, after it has removed what runs of a killed server left behind.
    pub fn new(settings: LighthouseSettings, fetcher: Fetcher, limits: RunLimits) -> Self {
        match folder::clean() {
            Ok(0) => {}
            Ok(folders) => tracing::info!(lab.folders = folders, "removed leftovers of killed lab tests"),
            Err(error) => tracing::warn!(%error, "leftover folders of lab tests could not be searched"),
        }
        Self {
            settings,
            fetcher,
            limits,
            places: Arc::new(Semaphore::new(at_once())),
            waiting: Arc::new(Semaphore::new(WAITING)),
        }
    }

    /// The JSON of the Lighthouse result of a page. Its time starts when a place is free.
    ///
    /// What a page can cause is a failure of the page: that it hangs, takes too much memory, ends the browser. What is
    /// missing on this machine is [`Failure::Unavailable`].
    pub async fn run(&self, url: &Url, strategy: Strategy, lang: Lang) -> Result<Vec<u8>, Failure> {
        if self.fetcher.intake(url.as_str()).is_err() {
            return Err(page("FAILED_DOCUMENT_REQUEST"));
        }
        let programs = Programs::find(&self.settings.folder, self.settings.chromium.as_deref());
        let turn = self.waiting.try_acquire().map_err(|_| Failure::Trouble("queue"))?;
        // The semaphore is never closed.
        let _place = self.places.acquire().await.map_err(|_| Failure::Trouble("queue"))?;
        drop(turn);
        let folder = RunFolder::new().map_err(|error| ours(&error, "folder"))?;
        let result = self.in_folder(&folder, &programs, url, strategy, lang).await;
        folder.remove();
        result
    }

    async fn in_folder(
        &self,
        folder: &RunFolder,
        programs: &Programs,
        url: &Url,
        strategy: Strategy,
        lang: Lang,
    ) -> Result<Vec<u8>, Failure> {
        let proxy = Proxy::listen(self.fetcher.clone(), folder.owner).await.map_err(|error| ours(&error, "proxy"))?;
        let mut command = self.command(folder, programs, &proxy, url, strategy, lang)?;
        let group = Group::start().map_err(|error| ours(&error, "group"))?;
        let mut driver = group.spawn(&mut command).map_err(|_| Failure::Unavailable("no_program"))?;
        let errors = driver.stderr.take();
        let work = async {
            let ending = self.ending(&mut driver, &group, &proxy);
            let ending = timeout_at(Instant::now() + self.limits.time, ending).await.unwrap_or(Ending::Time);
            group.end(&mut driver).await;
            ending
        };
        // The output ends when the last process that has it does.
        let (ending, line) = tokio::join!(work, last_line(errors, Instant::now() + self.limits.time + LAST_WORDS));
        outcome(ending, &line, folder)
    }

    /// Waits for the first thing that ends a run, but for its time.
    async fn ending(&self, driver: &mut Child, group: &Group, proxy: &Proxy) -> Ending {
        tokio::select! {
            status = driver.wait() => Ending::Driver(status.ok().and_then(|status| status.code())),
            () = too_much(group, self.limits.memory) => Ending::Memory,
            error = proxy.serve() => Ending::Proxy(error),
        }
    }

    /// The driver in Node, with nothing of our environment.
    #[expect(clippy::disallowed_methods, reason = "Lighthouse is an external program; its process group is killed")]
    fn command(
        &self,
        folder: &RunFolder,
        programs: &Programs,
        proxy: &Proxy,
        url: &Url,
        strategy: Strategy,
        lang: Lang,
    ) -> Result<Command, Failure> {
        let Programs { node: Some(node), lighthouse: Some(lighthouse), chromium: Some(chromium) } = programs else {
            return Err(Failure::Unavailable("no_program"));
        };
        let (driver, profile) = (folder.file("run.mjs"), folder.file("profile"));
        let prepared = std::fs::write(&driver, DRIVER).and_then(|()| std::fs::create_dir(&profile));
        prepared.map_err(|error| ours(&error, "folder"))?;
        let settings = json!({
            "lighthouse": lighthouse,
            "chromium": chromium,
            "switches": browser::switches(&profile, proxy.address(), self.settings.sandbox),
            "strategy": strategy.name(),
            "locale": match lang { Lang::En => "en", Lang::PtBr => "pt" },
            "maxWaitForLoad": LOAD_MS,
            "renderedCharacters": if self.settings.rendered { RENDERED_CHARACTERS } else { 0 },
            "result": folder.file("result.json"),
        });
        let mut command = Command::new(node);
        command.arg(driver).arg(settings.to_string()).arg(url.as_str());
        command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LANG", "C.UTF-8");
        for name in ["HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"] {
            command.env(name, folder.path());
        }
        command.current_dir(folder.path()).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        Ok(command)
    }
}

/// Waits until a group takes more memory than it may. Never where the system does not tell.
async fn too_much(group: &Group, limit: u64) {
    let mut looks = interval(LOOK);
    loop {
        looks.tick().await;
        if group.memory().is_some_and(|bytes| bytes > limit) {
            return;
        }
    }
}

/// The result, or what its ending means.
fn outcome(ending: Ending, line: &str, folder: &RunFolder) -> Result<Vec<u8>, Failure> {
    let (reason, failure) = match ending {
        Ending::Driver(status) => match result(folder) {
            Some(bytes) => return Ok(bytes),
            None if status == Some(NO_BROWSER) => ("no browser", Failure::Unavailable("no_browser")),
            None => ("the driver ended", page("TARGET_CRASHED")),
        },
        Ending::Time => ("time", page("PAGE_HUNG")),
        Ending::Memory => ("memory", page("TARGET_CRASHED")),
        Ending::Proxy(error) => return Err(ours(&error, "proxy")),
    };
    tracing::warn!(lab.reason = reason, lab.line = line, "a lab test ended without a result");
    Err(failure)
}

fn result(folder: &RunFolder) -> Option<Vec<u8>> {
    let path = folder.file("result.json");
    // Only a plain file: the browser is allowed to write into its own folder alone, but is not trusted with it.
    let found = std::fs::symlink_metadata(&path).ok().filter(|found| found.is_file() && found.len() <= RESULT_BYTES)?;
    let bytes = std::fs::read(path).ok()?;
    (bytes.len() as u64 == found.len()).then_some(bytes)
}

/// The last line of an error output, for the operator.
async fn last_line(output: Option<impl AsyncRead + Unpin>, deadline: Instant) -> String {
    let Some(mut output) = output else { return String::new() };
    let (mut end, mut piece) = (Vec::new(), [0; ERROR_BYTES]);
    while let Ok(Ok(length @ 1..)) = timeout_at(deadline, output.read(&mut piece)).await {
        end.extend_from_slice(piece.get(..length).unwrap_or_default());
        end.drain(..end.len().saturating_sub(ERROR_BYTES));
    }
    let text = String::from_utf8_lossy(&end);
    let line = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.chars().filter(|c| !c.is_control()).take(LINE_CHARACTERS).collect()
}

fn page(code: &str) -> Failure {
    Failure::Page(PageFailure::new(code))
}

/// A failure of this machine.
fn ours(error: &io::Error, part: &'static str) -> Failure {
    tracing::warn!(%error, lab.part = part, "a lab test could not be started");
    Failure::Trouble(part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fetch::FetchConfig;

    #[test]
    fn the_limits_are_those_of_the_documentation() {
        let documentation = include_str!("../../../docs/lab.md");
        let mebibytes = |bytes: u64| bytes / (1024 * 1024);
        for number in [
            format!("one run at a time is made for every {CORES_OF_A_RUN} cores"),
            format!("up to {WAITING} wait"),
            format!("| time of a run | {} s |", RunLimits::default().time.as_secs()),
            format!("| memory of a run, on linux | {} gib |", mebibytes(RUN_MEMORY) / 1024),
            format!("| heap of scripts | {} gib ", browser::HEAP_MEBIBYTES / 1024),
            format!("| bytes over the network, both directions | {} mib |", mebibytes(proxy::RUN_BYTES)),
            format!("| connections at once | {} |", proxy::CONNECTIONS),
            format!("| result of lighthouse | {} mib |", mebibytes(RESULT_BYTES)),
            format!("| rendered page | {},000,000 characters |", RENDERED_CHARACTERS / 1_000_000),
        ] {
            assert!(documentation.to_lowercase().contains(&number), "{number}");
        }
    }

    #[tokio::test]
    async fn past_the_queue_a_test_fails_at_once() {
        let settings =
            LighthouseSettings { folder: "no/such/folder".into(), chromium: None, sandbox: true, rendered: false };
        let fetcher = Fetcher::new(FetchConfig::default()).unwrap();
        let runner = Arc::new(Runner::new(settings, fetcher, RunLimits::default()));
        let url = Url::parse("https://example.com/").unwrap();
        let all_places = u32::try_from(runner.places.available_permits()).unwrap();
        let busy = runner.places.acquire_many(all_places).await.unwrap();
        let mut waiting = tokio::task::JoinSet::new();
        for _ in 0..WAITING {
            let (runner, url) = (Arc::clone(&runner), url.clone());
            waiting.spawn(async move { runner.run(&url, Strategy::Mobile, Lang::En).await });
        }
        while runner.waiting.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(runner.run(&url, Strategy::Mobile, Lang::En).await, Err(Failure::Trouble("queue")));
        drop(busy);
        while let Some(result) = waiting.join_next().await {
            assert_eq!(result.unwrap(), Err(Failure::Unavailable("no_program")));
        }
    }

    #[test]
    fn a_result_is_a_plain_file_within_its_limit() {
        let folder = RunFolder::new().unwrap();
        assert_eq!(result(&folder), None);
        let file = std::fs::File::create(folder.file("result.json")).unwrap();
        file.set_len(RESULT_BYTES).unwrap();
        assert_eq!(result(&folder).map(|bytes| bytes.len() as u64), Some(RESULT_BYTES));
        file.set_len(RESULT_BYTES + 1).unwrap();
        assert_eq!(result(&folder), None);
        #[cfg(unix)]
        {
            std::fs::rename(folder.file("result.json"), folder.file("other")).unwrap();
            std::fs::write(folder.file("other"), "{}").unwrap();
            std::os::unix::fs::symlink(folder.file("other"), folder.file("result.json")).unwrap();
            assert_eq!(result(&folder), None);
        }
        folder.remove();
    }
}
