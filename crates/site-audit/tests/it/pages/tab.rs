//! A tab of a real browser on our pages. It notes whatever a page may not do.
#![expect(clippy::print_stdout, reason = "tests say what they pass over")]

mod pictures;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::browser::{Browser, program};

/// What of the protocol the tab listens to.
const DOMAINS: [&str; 5] = ["Page", "Runtime", "Log", "Network", "Audits"];
/// The rules that axe checks: WCAG 2.2 A and AA, and its own.
const RULES: [&str; 6] = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// `light` or `dark`.
    pub(super) scheme: &'static str,
    /// Width of the window in CSS pixels.
    pub(super) width: u32,
}

/// An open tab. When a test fails, it leaves a picture of what it shows.
#[derive(Debug)]
pub(super) struct Tab {
    browser: Browser,
    origin: String,
    /// Of a site that has ours in a frame.
    around: Option<String>,
    runs_scripts: bool,
    status: u64,
    /// The address of the page that is shown.
    place: String,
    complaints: Vec<String>,
}

/// Whether an address is that of the page of a running audit.
fn leads_on(url: &str) -> bool {
    let path = url::Url::parse(url).map(|url| url.path().to_owned()).unwrap_or_default();
    path.strip_prefix("/running/").is_some_and(|id| !id.contains('/'))
}

impl Tab {
    /// Opens a tab for pages of an origin; `None`, with a line printed, where there is no browser and none is required.
    pub(super) fn open(origin: &str) -> Option<Self> {
        if program().is_none() {
            pass_over("Chromium is not installed");
            return None;
        }
        // Whatever a page asks of another host, it can't get.
        let browser =
            Browser::start(&["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"]).unwrap();
        let mut tab = Self {
            browser,
            origin: origin.to_owned(),
            around: None,
            runs_scripts: true,
            status: 0,
            place: String::new(),
            complaints: Vec::new(),
        };
        for domain in DOMAINS {
            tab.call(&format!("{domain}.enable"), json!({}));
        }
        tab.look(Look { scheme: "light", width: 1280 });
        Some(tab)
    }

    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.browser.call(method, &parameters).unwrap()
    }

    /// The browser keeps a cookie of our pages.
    pub(super) fn set_cookie(&mut self, name: &str, value: &str) {
        let url = self.origin.clone();
        self.call("Network.setCookie", json!({ "name": name, "value": value, "url": url, "httpOnly": true }));
    }

    /// The browser forgets all cookies.
    pub(super) fn forget_cookies(&mut self) {
        self.call("Network.clearBrowserCookies", json!({}));
    }

    /// From now on there is an authenticator that knows its holder, who always agrees.
    pub(super) fn add_authenticator(&mut self) {
        self.call("WebAuthn.enable", json!({}));
        let authenticator = json!({
            "protocol": "ctap2",
            "transport": "internal",
            "hasResidentKey": true,
            "hasUserVerification": true,
            "isUserVerified": true,
            "automaticPresenceSimulation": true,
        });
        self.call("WebAuthn.addVirtualAuthenticator", json!({ "options": authenticator }));
    }

    /// Pages run no scripts from now on.
    pub(super) fn disable_scripts(&mut self) {
        self.runs_scripts = false;
        self.call("Emulation.setScriptExecutionDisabled", json!({ "value": true }));
    }

    /// Looks differently at whatever is shown from now on; nothing moves, so that a picture shows what stays.
    pub(super) fn look(&mut self, look: Look) {
        let size = json!({ "width": look.width, "height": 800, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", size);
        let features = json!([
            { "name": "prefers-color-scheme", "value": look.scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Does something that leads to another page, and waits until that is loaded and, where scripts run, drawn: only
    /// then has an element the focus that the page gives it.
    pub(super) fn load(&mut self, act: impl FnOnce(&mut Self)) {
        self.note_so_far();
        act(self);
        loop {
            let event = self.browser.next_event().unwrap();
            self.note(&event);
            // The page of a running audit leads on by itself.
            let is_loaded = event["method"] == "Page.loadEventFired" && !leads_on(&self.place);
            if is_loaded {
                break;
            }
        }
        if self.runs_scripts {
            self.value("new Promise(drawn => requestAnimationFrame(drawn))");
        }
    }

    /// Opens a page of ours.
    pub(super) fn visit(&mut self, path: &str) {
        let url = format!("{}{path}", self.origin);
        self.load(|tab| drop(tab.call("Page.navigate", json!({ "url": url }))));
    }

    /// Opens a page of ours without waiting until it is whole.
    pub(super) fn visit_unfinished(&mut self, path: &str) {
        let url = format!("{}{path}", self.origin);
        self.call("Page.navigate", json!({ "url": url }));
    }

    /// Opens a page of another site, which may load what it likes from itself and from us.
    pub(super) fn visit_around(&mut self, origin: &str, path: &str) {
        self.around = Some(origin.to_owned());
        let url = format!("{origin}{path}");
        self.load(|tab| drop(tab.call("Page.navigate", json!({ "url": url }))));
    }

    /// What is shown is laid out for paper from now on.
    pub(super) fn print(&mut self) {
        self.call("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    }

    /// The value of an expression in the frame that the page has, as JSON. Its scripts' variables are not seen.
    pub(super) fn value_in_frame(&mut self, expression: &str) -> Value {
        let tree = self.call("Page.getFrameTree", json!({}));
        let frame = &tree["frameTree"]["childFrames"][0]["frame"]["id"];
        let world = self.call("Page.createIsolatedWorld", json!({ "frameId": frame }));
        let context = &world["executionContextId"];
        let asked =
            json!({ "expression": expression, "contextId": context, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// Lets pages write to the clipboard and read it, as a reader's browser lets a page that is in front.
    pub(super) fn allow_clipboard(&mut self) {
        let permissions = json!({ "permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"] });
        self.call("Browser.grantPermissions", permissions);
        self.call("Page.bringToFront", json!({}));
    }

    /// The cookies that the browser keeps, for whatever site.
    pub(super) fn cookies(&mut self) -> Value {
        self.call("Storage.getCookies", json!({}))["cookies"].take()
    }

    /// Sends the form of the page that is shown.
    pub(super) fn submit(&mut self, address: &str) {
        self.click("#url");
        self.write(address);
        self.load(|tab| tab.click("button"));
    }

    /// The value of an expression in the page, as JSON.
    pub(super) fn value(&mut self, expression: &str) -> Value {
        let asked = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{expression}: {answer}");
        answer["result"]["value"].clone()
    }

    /// The value of an expression that is a text.
    pub(super) fn text(&mut self, expression: &str) -> String {
        self.value(expression).as_str().unwrap_or_default().to_owned()
    }

    /// What the page shows, as a reader would copy it.
    pub(super) fn shown(&mut self) -> String {
        self.text("document.body.innerText")
    }

    /// Clicks in the middle of an element.
    pub(super) fn click(&mut self, selector: &str) {
        let place = self.value(&format!(
            "(e => {{ e.scrollIntoView(); const r = e.getBoundingClientRect(); \
             return [r.x + r.width / 2, r.y + r.height / 2] }})(document.querySelector('{selector}'))"
        ));
        for kind in ["mousePressed", "mouseReleased"] {
            let mouse = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", mouse);
        }
    }

    /// Chooses a file of this machine in a field.
    pub(super) fn choose_file(&mut self, selector: &str, file: &Path) {
        let document = self.call("DOM.getDocument", json!({}));
        let root = &document["root"]["nodeId"];
        let field = self.call("DOM.querySelector", json!({ "nodeId": root, "selector": selector }));
        self.call("DOM.setFileInputFiles", json!({ "files": [file], "nodeId": field["nodeId"] }));
    }

    /// Writes a text where the focus is.
    pub(super) fn write(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Presses a key: `Tab`, `Enter` or ` `.
    pub(super) fn press(&mut self, key: &str) {
        let (code, text) = match key {
            "Tab" => (9, ""),
            "Enter" => (13, "\r"),
            " " => (32, " "),
            "j" => (74, "j"),
            "k" => (75, "k"),
            "c" => (67, "c"),
            "/" => (191, "/"),
            "?" => (191, "?"),
            _ => panic!("{key} is no key of these tests"),
        };
        let named = if key == " " { "Space" } else { key };
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { text } else { "" };
            let key = json!({ "type": kind, "key": key, "code": named, "windowsVirtualKeyCode": code, "text": text });
            self.call("Input.dispatchKeyEvent", key);
        }
    }

    /// What the focused element says. It must be in the window, uncovered, and have a ring.
    pub(super) fn focus(&mut self) -> String {
        let seen = self.value(
            "(e => { const r = e.getClientRects()[0], s = getComputedStyle(e); return { \
             says: e.innerText, ring: s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2, \
             uncovered: e.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)) } })\
             (document.activeElement)",
        );
        assert!(seen["ring"] == true && seen["uncovered"] == true, "{seen}");
        seen["says"].as_str().unwrap_or_default().to_owned()
    }

    /// The status of the page that is shown.
    pub(super) fn status(&mut self) -> u64 {
        self.note_so_far();
        self.status
    }

    /// What pages did since the last time that they may not do: scripts that ran or tried to, dialogs, requests to
    /// elsewhere, files that are missing.
    pub(super) fn complaints(&mut self) -> Vec<String> {
        // The answer comes after every event that the page has caused so far.
        self.value("0");
        self.note_so_far();
        std::mem::take(&mut self.complaints)
    }

    fn note_so_far(&mut self) {
        for event in self.browser.events_so_far() {
            self.note(&event);
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        let of = |pointer: &str| parameters.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let method = event["method"].as_str().unwrap_or_default();
        match method {
            "Page.frameNavigated" if parameters.pointer("/frame/parentId").is_none() => {
                self.place = of("/frame/url").to_owned();
                return;
            }
            "Network.responseReceived" if of("/type") == "Document" => {
                self.status = parameters["response"]["status"].as_u64().unwrap_or_default();
                return;
            }
            // A report of the page is answered with 202 or 204.
            "Network.responseReceived"
                if matches!(parameters["response"]["status"].as_u64(), Some(200 | 202 | 204)) =>
            {
                return;
            }
            "Network.requestWillBeSent" if self.is_own(of("/request/url")) => return,
            // A picture in the page itself is asked of nobody.
            "Network.requestWillBeSent" if of("/request/url").starts_with("data:image/") => return,
            // That a page was refused is its status.
            "Log.entryAdded" if of("/entry/source") == "network" => return,
            // A key that was pressed before the page took the focus itself.
            "Log.entryAdded" if of("/entry/text").starts_with("Autofocus processing was blocked") => return,
            "Page.javascriptDialogOpening" => {
                self.call("Page.handleJavaScriptDialog", json!({ "accept": false }));
            }
            "Network.responseReceived"
            | "Network.requestWillBeSent"
            | "Log.entryAdded"
            | "Audits.issueAdded"
            | "Runtime.consoleAPICalled"
            | "Runtime.exceptionThrown" => {}
            _ => return,
        }
        self.complaints.push(format!("{method} {parameters}"));
    }

    fn is_own(&self, url: &str) -> bool {
        let is_of = |origin: &str| url.strip_prefix(origin).is_some_and(|rest| rest.starts_with('/'));
        is_of(&self.origin) || self.around.as_deref().is_some_and(is_of)
    }

    /// What axe finds wrong with the page that is shown, or can't judge, a line each. A text inside a drawing it never
    /// can judge, and the page is at its top: below a heading that stays in sight lie texts that nobody reads there.
    pub(super) fn barriers(&mut self) -> Vec<String> {
        if self.value("typeof axe") == "undefined" {
            let axe = std::fs::read_to_string(axe_path()).unwrap();
            self.call("Runtime.evaluate", json!({ "expression": axe }));
        }
        let at = self.value("scrollY");
        self.value("scrollTo({ top: 0, behavior: 'instant' })");
        let found = self.value(&format!(
            "axe.run({{ runOnly: {}, preload: false }}).then(r => r.violations.concat(r.incomplete).flatMap(v => v.nodes\
             .filter(n => !document.querySelector(n.target).closest('svg'))\
             .map(n => `${{v.id}}: ${{n.target}}: ${{n.failureSummary}}`)))",
            json!(RULES)
        ));
        self.value(&format!("scrollTo({{ top: {at}, behavior: 'instant' }})"));
        found.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
    }

    /// What reaches beyond the right edge of the window, so that a reader would have to scroll sideways. What is folded is
    /// not looked at.
    pub(super) fn overflows(&mut self) -> Vec<String> {
        let found = self.value(
            "[document.documentElement, ...document.querySelectorAll('body *')]\
             .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > innerWidth \
             || e.checkVisibility() && e.scrollWidth > Math.max(e.clientWidth, innerWidth))\
             .map(e => `${e.tagName}.${e.className?.baseVal ?? e.className}: ${e.textContent.slice(0, 80)}`)",
        );
        found.as_array().unwrap().iter().map(|line| format!("overflows: {}", line.as_str().unwrap())).collect()
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            return;
        }
        println!("{}", self.complaints.join("\n"));
        match self.picture_of_failure() {
            Some(path) => println!("what the page showed: {}", path.display()),
            None => println!("no picture of the page could be made"),
        }
    }
}

/// Whether axe is installed; a line is printed where it is not and need not be.
pub(super) fn has_axe() -> bool {
    let found = axe_path().exists();
    if !found {
        pass_over("axe-core is not installed");
    }
    found
}

fn axe_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/node_modules/axe-core/axe.min.js")
}

/// A build server passes nothing over.
fn pass_over(reason: &str) {
    assert!(std::env::var_os("CI").is_none(), "{reason}: `cargo xtask test` installs it");
    println!("not run in a browser: {reason} (`cargo xtask test` installs it)");
}
