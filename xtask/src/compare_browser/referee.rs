//! The browser under comparison: scripts of pages do not run, one of ours reads each page.

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use testkit::browser::Browser;

use super::host;

/// The isolated world in which our script runs: the page's policy does not hold there, and it cannot see it.
const WORLD: &str = "xtask";
/// What our script calls to hand a string over.
const BINDING: &str = "handOver";

/// A browser with one script of ours.
pub(crate) struct Referee {
    browser: Browser,
}

impl Referee {
    /// Starts the browser. All that it asks of a network, its own errands included, goes to the HTTP proxy on that
    /// loopback port. `script` runs in each new document, with a function `handOver(string)`.
    pub(crate) fn start(proxy: u16, script: &str) -> Result<Self> {
        let mut browser = Browser::start(&host::switches(proxy).each_ref().map(String::as_str))?;
        browser.call("Page.enable", &json!({}))?;
        browser.call("Runtime.enable", &json!({}))?;
        browser.call("Runtime.addBinding", &json!({ "name": BINDING, "executionContextName": WORLD }))?;
        let script = json!({ "source": script, "worldName": WORLD });
        browser.call("Page.addScriptToEvaluateOnNewDocument", &script)?;
        Ok(Self { browser })
    }

    /// Opens an address and gives back what the script hands over there.
    pub(crate) fn visit(&mut self, url: &str) -> Result<String> {
        // What an earlier page may still have said is not of this one.
        self.browser.events_so_far();
        let opened = self.browser.call("Page.navigate", &json!({ "url": url }))?;
        if let Some(reason) = opened.get("errorText").and_then(Value::as_str) {
            bail!("the browser could not open {url}: {reason}");
        }
        loop {
            let event = self.browser.next_event().with_context(|| format!("waiting for {url}"))?;
            if event.get("method").and_then(Value::as_str) == Some("Runtime.bindingCalled")
                && let Some(text) = event.pointer("/params/payload").and_then(Value::as_str)
            {
                return Ok(text.to_owned());
            }
        }
    }
}
