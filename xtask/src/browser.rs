//! A headless Chromium of our own, driven over the DevTools protocol on a pair of pipes.
//!
//! Each message is JSON that ends with a NUL, so neither a WebSocket nor a driver is needed, and a browser whose pipe
//! closes ends by itself, however this program ends.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::packages::{install, is_root};

/// Longest wait for an answer of the browser. Generous: a page of the corpus takes a tenth of a second.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest wait for the browser to end when it is asked to.
const FAREWELL: Duration = Duration::from_secs(5);
/// Gives the browser its pipes: it reads descriptor 3 and writes descriptor 4.
const WITH_PIPES: &str = r#"exec "$0" "$@" 3<&0 4>&1 </dev/null >/dev/null"#;
/// The isolated world in which scripts of ours run: the page's policy does not hold there, and it cannot see them.
const WORLD: &str = "xtask";
/// What a script of ours calls to hand a string over.
const BINDING: &str = "handOver";

/// A running browser with one tab. Dropping it ends the browser and removes its folder.
pub(crate) struct Browser {
    process: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    tab: Option<String>,
    last_id: u64,
    handed_over: VecDeque<String>,
    folder: PathBuf,
}

impl Browser {
    /// Installs Chromium where it is missing and may be installed, then starts it. All that it asks of a network, its own
    /// errands included, goes to the HTTP proxy on that loopback port. `script` runs in each new document, in a world
    /// of its own, with a function `handOver(string)`.
    pub(crate) fn start(root: &Path, proxy: u16, script: &str) -> Result<Self> {
        if !Path::new("/usr/bin/chromium").exists() {
            install(root, "chromium", "the comparison")?;
        }
        let folder = std::env::temp_dir().join(format!("site-audit-browser-{proxy}"));
        std::fs::create_dir_all(&folder)?;
        let log = std::fs::File::create(folder.join("log"))?;
        let mut command = Command::new("sh");
        command.args(["-c", WITH_PIPES, "/usr/bin/chromium", "--headless", "--remote-debugging-pipe"]);
        command.args(["--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--disable-extensions"]);
        command.args(["--no-first-run", "--disable-background-networking", "--disable-component-update"]);
        command.args(["--disable-sync", "--disable-breakpad", "--disable-features=HttpsUpgrades"]);
        command.arg(format!("--proxy-server=http://127.0.0.1:{proxy}")).arg("--proxy-bypass-list=<-loopback>");
        command.arg(format!("--user-data-dir={}", folder.join("profile").display()));
        if is_root() {
            // Chromium refuses to run as root with its sandbox. No script of a page runs.
            command.arg("--no-sandbox");
        }
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(log).spawn().context("sh")?;
        let to = process.stdin.take().context("the browser's pipe")?;
        let answers = process.stdout.take().context("the browser's pipe")?;
        let (sender, from) = channel();
        std::thread::spawn(move || receive(answers, &sender));
        let mut browser = Self { process, to, from, tab: None, last_id: 0, handed_over: VecDeque::new(), folder };
        browser.open_tab(script)?;
        Ok(browser)
    }

    fn open_tab(&mut self, script: &str) -> Result<()> {
        let target = self.call("Target.createTarget", &json!({ "url": "about:blank" }))?;
        let target = target.get("targetId").cloned().unwrap_or_default();
        let session = self.call("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }))?;
        self.tab = session.get("sessionId").and_then(Value::as_str).map(str::to_owned);
        self.call("Page.enable", &json!({}))?;
        self.call("Runtime.enable", &json!({}))?;
        self.call("Runtime.addBinding", &json!({ "name": BINDING, "executionContextName": WORLD }))?;
        let script = json!({ "source": script, "worldName": WORLD });
        self.call("Page.addScriptToEvaluateOnNewDocument", &script)?;
        Ok(())
    }

    /// Opens an address and gives back what the script hands over there.
    pub(crate) fn visit(&mut self, url: &str) -> Result<String> {
        self.handed_over.clear();
        let opened = self.call("Page.navigate", &json!({ "url": url }))?;
        if let Some(reason) = opened.get("errorText").and_then(Value::as_str) {
            bail!("the browser could not open {url}: {reason}");
        }
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(text) = self.handed_over.pop_front() {
                return Ok(text);
            }
            let message = self.receive(deadline).with_context(|| format!("waiting for {url}"))?;
            self.take_event(&message);
        }
    }

    /// Sends a command and waits for its result.
    fn call(&mut self, method: &str, parameters: &Value) -> Result<Value> {
        self.send(method, parameters)?;
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut message = self.receive(deadline).with_context(|| format!("waiting for {method}"))?;
            if message.get("id").and_then(Value::as_u64) != Some(self.last_id) {
                self.take_event(&message);
                continue;
            }
            if let Some(error) = message.get("error") {
                bail!("{method} failed: {error}");
            }
            return Ok(message.get_mut("result").map(Value::take).unwrap_or_default());
        }
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
            Err(RecvTimeoutError::Timeout) => bail!("no answer of the browser in {} seconds", PATIENCE.as_secs()),
            Err(RecvTimeoutError::Disconnected) => bail!(self.ended()),
        }
    }

    fn take_event(&mut self, message: &Value) {
        if message.get("method").and_then(Value::as_str) == Some("Runtime.bindingCalled")
            && let Some(text) = message.pointer("/params/payload").and_then(Value::as_str)
        {
            self.handed_over.push_back(text.to_owned());
        }
    }

    /// That the browser is gone, with the last that it said.
    fn ended(&self) -> String {
        let log = std::fs::read(self.folder.join("log")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        format!("Chromium ended: {}", log.lines().last().unwrap_or("it said nothing"))
    }

    /// Whether the browser ended by itself after it was asked to.
    fn has_left(&mut self) -> bool {
        self.tab = None;
        if self.send("Browser.close", &json!({})).is_err() {
            return false;
        }
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let ended = self.has_left() || self.process.kill().and_then(|()| self.process.wait()).is_ok();
        let removed = std::fs::remove_dir_all(&self.folder);
        if !ended || removed.is_err() {
            println!("left behind: the browser's folder {}", self.folder.display());
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
