//! Chromium's trees: each document is written into a frame of a page of ours, and its DOM read.
//!
//! The page is served with `script-src 'none'`, which its frames inherit: scripting counts as on, so that the content of
//! `noscript` is text, and no script runs. Ours does, in an isolated world, where the page's policy does not hold. With
//! scripting off the frames are sandboxed.

use std::sync::Arc;

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use testkit::browser::Browser;

use super::our_tree::first_difference;
use super::{Parser, documents};
use crate::compare_browser::host;
use crate::compare_browser::referee::Referee;

/// What reads a DOM.
pub(super) const WALK: &str = include_str!("walk.js");
/// Writes each source into a new frame and reads what came of it.
const WRITE: &str = r#"function (sources, scripting) {
  return sources.map((source) => {
    const frame = document.createElement("iframe");
    if (!scripting) {
      frame.sandbox = "allow-same-origin";
    }
    document.body.append(frame);
    const inner = frame.contentDocument;
    inner.open();
    inner.write(source);
    inner.close();
    const tree = inner.readyState === "loading" ? "still loading\n" : dump(inner);
    frame.remove();
    return tree;
  });
}"#;
/// The page that the frames are in.
const PAGE: &str = "<!DOCTYPE html><title>Frames</title><body>";
/// Documents that are also opened by their address, to see that what is written into a frame is parsed alike.
const CHECKED: u64 = 200;
/// Says that a page is in UTF-8, and is no part of what is parsed.
pub(super) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A browser with that page open.
#[derive(Debug)]
pub(super) struct Chromium {
    browser: Browser,
    /// The isolated world.
    world: Value,
    scripting: bool,
}

impl Chromium {
    pub(super) fn start(scripting: bool) -> Result<Self> {
        let proxy = host::serve(Arc::from([PAGE.as_bytes().to_vec().into()]))?;
        let mut browser = Browser::start(&host::switches(proxy).each_ref().map(String::as_str))?;
        browser.call("Page.enable", &json!({}))?;
        let opened = browser.call("Page.navigate", &json!({ "url": host::url(0) }))?;
        loop {
            let event = browser.next_event().context("waiting for the page of frames")?;
            if event.get("method").and_then(Value::as_str) == Some("Page.loadEventFired") {
                break;
            }
        }
        let frame = opened.get("frameId").context("a page has a frame")?;
        let world = browser.call("Page.createIsolatedWorld", &json!({ "frameId": frame }))?;
        let world = world.get("executionContextId").cloned().context("a world has a number")?;
        let mut chromium = Self { browser, world, scripting };
        chromium.evaluate("Runtime.evaluate", json!({ "expression": WALK }), "contextId")?;
        Ok(chromium)
    }

    fn evaluate(&mut self, method: &str, mut parameters: Value, world: &str) -> Result<Value> {
        if let Some(fields) = parameters.as_object_mut() {
            fields.insert(world.to_owned(), self.world.clone());
            fields.insert("returnByValue".to_owned(), json!(true));
        }
        let mut answer = self.browser.call(method, &parameters)?;
        if let Some(failure) = answer.get("exceptionDetails") {
            bail!("the script in the page failed: {failure}");
        }
        // What frames come and go is of no interest.
        self.browser.events_so_far();
        Ok(answer.pointer_mut("/result/value").map(Value::take).unwrap_or_default())
    }

    /// Documents written into a frame must be parsed as those opened by their address are.
    pub(super) fn check(&mut self, seed: u64) -> Result<()> {
        let sources: Vec<String> = (0..CHECKED).map(|number| documents::document(seed, number).concat()).collect();
        let written = self.trees(&sources)?;
        let mut opened = Opened::start(&sources)?;
        for (number, (source, written)) in sources.iter().zip(written).enumerate() {
            let tree = opened.tree(number)?;
            if tree != written {
                let (written, opened) = first_difference(&written, &tree);
                bail!("the browser is no referee: written {source:?} gives {written}, opened {opened}");
            }
        }
        println!("{CHECKED} documents give the same trees whether written or opened");
        Ok(())
    }
}

impl Parser for Chromium {
    fn name(&self) -> &'static str {
        "Chromium"
    }

    fn scripting(&self) -> bool {
        self.scripting
    }

    fn trees(&mut self, sources: &[String]) -> Result<Vec<String>> {
        let call =
            json!({ "functionDeclaration": WRITE, "arguments": [{ "value": sources }, { "value": self.scripting }] });
        let trees = self.evaluate("Runtime.callFunctionOn", call, "executionContextId")?;
        Ok(serde_json::from_value(trees)?)
    }

    fn restart(&mut self) -> Result<()> {
        *self = Self::start(self.scripting)?;
        Ok(())
    }
}

/// A browser that opens documents by their addresses.
pub(super) struct Opened {
    referee: Referee,
}

impl Opened {
    /// Serves the sources, in UTF-8.
    pub(super) fn start(sources: &[String]) -> Result<Self> {
        let pages: Vec<host::Served> =
            sources.iter().map(|source| format!("{BYTE_ORDER_MARK}{source}").into_bytes().into()).collect();
        let hand_over = "if (window === window.top && location.protocol === \"http:\") {\n  \
                         addEventListener(\"DOMContentLoaded\", () => handOver(dump(document)));\n}\n";
        Ok(Self { referee: Referee::start(host::serve(pages.into())?, &format!("{WALK}{hand_over}"))? })
    }

    /// The tree of one of the sources.
    pub(super) fn tree(&mut self, number: usize) -> Result<String> {
        self.referee.visit(&host::url(number))
    }
}
