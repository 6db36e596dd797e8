//! A headless Chromium of our own, driven over the DevTools protocol on a pair of pipes.
//!
//! Each message is JSON that ends with a NUL, so neither a WebSocket nor a driver is needed, and a browser whose pipe
//! closes ends by itself, however this program ends.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Path of the browser's program, where it is not [`DEBIAN`].
pub const PROGRAM: &str = "SITE_AUDIT_TEST_CHROMIUM";
/// Where Debian's package puts the program.
const DEBIAN: &str = "/usr/bin/chromium";
/// Timeout of an answer of the browser. Generous: most come within a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// Timeout of the browser's shutdown.
const FAREWELL: Duration = Duration::from_secs(5);
/// Gives the browser its pipes: it reads descriptor 3 and writes descriptor 4. It refuses to run as root with its
/// sandbox.
const START: &str = r#"[ "$(id -u)" -ne 0 ] || set -- "$@" --no-sandbox
exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;
/// Switches: headless, with a pipe, without background traffic.
const SWITCHES: [&str; 13] = [
    "--headless",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-features=HttpsUpgrades",
];

/// The browser's program: what [`PROGRAM`] names, else Debian's; `None` where there is none.
pub fn program() -> Option<PathBuf> {
    let path = std::env::var_os(PROGRAM).map_or_else(|| PathBuf::from(DEBIAN), PathBuf::from);
    path.exists().then_some(path)
}

/// A running browser with one tab. Dropping it ends the browser and removes its folder.
#[derive(Debug)]
pub struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    tab: Option<String>,
    last_id: u64,
    /// Events that came while an answer was waited for, in order.
    events: VecDeque<Value>,
    folder: TempDir,
}

impl Browser {
    /// Starts the browser with more switches, on an empty page.
    pub fn start(switches: &[&str]) -> Result<Self> {
        let program = program().with_context(|| format!("Chromium is not installed, and {PROGRAM} names no file"))?;
        let folder = tempfile::Builder::new().prefix("site-audit-browser-").tempdir()?;
        let log = std::fs::File::create(folder.path().join("log"))?;
        let mut command = Command::new("sh");
        command.args(["-c", START]).arg(program).args(SWITCHES).args(switches);
        command.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().context("sh")?;
        let to = process.stdin.take().context("the browser's pipe")?;
        let answers = process.stdout.take().context("the browser's pipe")?;
        let (sender, from) = channel();
        std::thread::spawn(move || receive(answers, &sender));
        let mut browser = Self { process, to, from, tab: None, last_id: 0, events: VecDeque::new(), folder };
        browser.open_tab()?;
        Ok(browser)
    }

    fn open_tab(&mut self) -> Result<()> {
        let target = self.call("Target.createTarget", &json!({ "url": "about:blank" }))?;
        let target = target.get("targetId").cloned().unwrap_or_default();
        let session = self.call("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }))?;
        self.tab = session.get("sessionId").and_then(Value::as_str).map(str::to_owned);
        Ok(())
    }

    /// Sends a command to the tab and waits for its result; an error of the browser is an error.
    pub fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.send(method, parameters)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut message = self.receive(deadline).with_context(|| format!("waiting for {method}"))?;
            if message.get("id").and_then(Value::as_u64) != Some(self.last_id) {
                self.events.push_back(message);
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("{method} failed: {error}");
            }
            return Ok(message.get_mut("result").map(Value::take).unwrap_or_default());
        }
    }

    /// Waits for the next event of the tab, with `method` and `params`; none within a minute is an error.
    pub fn next_event(&mut self) -> Result<Value> {
        match self.events.pop_front() {
            Some(event) => Ok(event),
            None => self.receive(Instant::now() + PATIENCE),
        }
    }

    /// The unread events, in order, without waiting.
    pub fn events_so_far(&mut self) -> Vec<Value> {
        self.events.extend(self.from.try_iter());
        self.events.drain(..).collect()
    }

    fn send(&mut self, method: &str, parameters: &Value) -> Result<()> {
        self.last_id += 1;
        let mut message = json!({ "id": self.last_id, "method": method, "params": parameters });
        if let Some((tab, fields)) = self.tab.as_ref().zip(message.as_object_mut()) {
            fields.insert("sessionId".to_owned(), json!(tab));
        }
        let mut bytes = serde_json::to_vec(&message)?;
        bytes.push(0);
        self.to.write_all(&bytes).and_then(|()| self.to.flush()).with_context(|| self.ended())
    }

    fn receive(&self, deadline: Instant) -> Result<Value> {
        match self.from.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(message),
            Err(RecvTimeoutError::Timeout) => bail!("nothing came from the browser in {} seconds", PATIENCE.as_secs()),
            Err(RecvTimeoutError::Disconnected) => bail!(self.ended()),
        }
    }

    /// The error that the browser has ended, with the last of its output.
    fn ended(&self) -> String {
        let log = std::fs::read(self.folder.path().join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        format!("Chromium ended: {}", log.lines().last().unwrap_or("it said nothing"))
    }

    /// Asks the browser to end, and waits until its pipe closes.
    fn leave(&mut self) {
        self.tab = None;
        if self.send("Browser.close", &json!({})).is_ok() {
            let deadline = Instant::now() + FAREWELL;
            while self.receive(deadline).is_ok() {}
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.leave();
        // For a browser that has ended this only collects the status.
        if self.process.kill().and_then(|()| self.process.wait()).is_err() {
            println!("left behind: the browser with the folder {}", self.folder.path().display());
        }
    }
}

/// Passes on every message until the pipe closes.
fn receive(answers: ChildStdout, sender: &Sender<Value>) {
    for message in BufReader::new(answers).split(0) {
        let Ok(message) = message else { return };
        let Ok(message) = serde_json::from_slice(&message) else { return };
        if sender.send(message).is_err() {
            return;
        }
    }
}
