//! Plays the steps of the scripts against a program, and writes a file for each call.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::coverage::OperationCoverage;
use super::http::{self, HttpRequest, Response};
use super::normal::Normal;
use super::peers::{Peers, SITE_URL};
use super::program::Program;
use super::request::{self, BrowserState, CallPlace};
use super::script::{ScriptCall, ScriptStep};
use super::{proof, sweep};

/// The server whose callers all come from one address, so that its limits are met.
const ONE_CALLER: &str = "live";

/// A recording while it is made.
#[derive(Debug)]
pub(super) struct Player<'p> {
    program: &'p Program,
    peers: &'p mut Peers,
    /// Where the files go.
    folder: PathBuf,
    /// How many files there are.
    count: usize,
    server: String,
    browser: Option<String>,
    browsers: HashMap<String, BrowserState>,
    /// What was kept of answers.
    values: HashMap<String, String>,
    normal: Normal,
    /// Targets whose body differs from run to run, so that the length of a HEAD does as well.
    differing: HashMap<String, bool>,
    pub(super) coverage: OperationCoverage,
}

impl<'p> Player<'p> {
    /// A player that writes to a folder.
    pub(super) fn new(program: &'p Program, peers: &'p mut Peers, folder: &Path) -> Result<Self> {
        let bare = program.address("bare")?;
        let read = |target: &str| -> Result<Value> {
            let headers = vec![("host".to_owned(), bare.to_string()), ("connection".to_owned(), "close".to_owned())];
            let request =
                HttpRequest { method: "GET".to_owned(), target: target.to_owned(), headers, body: Vec::new() };
            Ok(serde_json::from_slice(&http::send(bare, &request)?.body)?)
        };
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let mut literals = vec![
            (text(&read("/api/health")?, "build"), "<build>".to_owned()),
            (program.folder.display().to_string(), "<folder>".to_owned()),
        ];
        let catalog = program.run(&["checks", "--format", "json"].map(str::to_owned), "")?;
        literals.retain(|(text, _)| !text.is_empty());
        Ok(Self {
            program,
            peers,
            folder: folder.to_owned(),
            count: 0,
            server: "bare".to_owned(),
            browser: None,
            browsers: HashMap::new(),
            values: HashMap::from([("site".to_owned(), SITE_URL.to_owned())]),
            normal: Normal::new(literals, &catalog)?,
            differing: HashMap::new(),
            coverage: OperationCoverage::new(&read("/openapi.json")?)?,
        })
    }

    /// How many files were written.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Does one step.
    pub(super) fn play(&mut self, step: &ScriptStep) -> Result<()> {
        match step {
            ScriptStep::Server(name) => {
                self.program.address(name)?;
                self.server.clone_from(name);
                self.browser = None;
            }
            ScriptStep::Browser(name) if name == "none" => self.browser = None,
            ScriptStep::Browser(name) => {
                self.browser = Some(name.clone());
                self.browsers.entry(name.clone()).or_default();
            }
            ScriptStep::Bootstrap => {
                let call =
                    ScriptCall { lines: vec!["keep csrf /csrf".to_owned()], ..sweep::get("/api/auth/bootstrap") };
                self.call(&call)?;
            }
            ScriptStep::Call(call) => self.call(call)?,
            ScriptStep::Let { name, kind, arguments } => {
                let arguments = arguments.iter().map(|argument| self.filled(argument)).collect::<Result<Vec<_>>>()?;
                let value = proof::value(kind, &arguments).with_context(|| format!("let {name}"))?;
                self.values.insert(name.clone(), value);
            }
            ScriptStep::Letter { name, address, text } => {
                let letter = self.peers.letter(address, text)?;
                if let Some(token) = letter.token() {
                    self.values.insert(name.clone(), token);
                }
                let text = self.normal.apply(&letter.text);
                self.write(&format!("letter to {address}"), "letter", &text)?;
            }
            ScriptStep::Run { arguments, lines } => self.run(arguments, lines)?,
            ScriptStep::Sweep(whose) => {
                for call in sweep::calls(self.coverage.operations(), whose == "browser") {
                    self.call(&call)?;
                }
            }
        }
        Ok(())
    }

    /// A call and its variants.
    fn call(&mut self, call: &ScriptCall) -> Result<()> {
        let etag = self.one(call)?;
        for variant in &call.variants {
            let varied = request::varied(call, variant, etag.as_deref())?;
            self.one(&varied)?;
        }
        Ok(())
    }

    /// One call; the validator of its answer.
    fn one(&mut self, call: &ScriptCall) -> Result<Option<String>> {
        let shown = request::shown(call);
        let context = || format!("on {}: {}", self.server, shown.lines().next().unwrap_or_default());
        let (address, place) = self.place()?;
        let request = request::built(call, &place, &|text| self.filled(text)).with_context(context)?;
        let response = http::send(address, &request).with_context(context)?;
        self.keep_cookies(&response);
        self.coverage.note(&request.method, &request.target, response.status);
        let answer = self.answer(&request, &response);
        let who = self.browser.as_ref().map_or(String::new(), |browser| format!(", browser {browser}"));
        let title = format!("{}{who}\n\n{shown}", self.server);
        self.write(&title, &format!("{} {}", request.method, call.target), &answer)?;
        self.keep(call, &response).with_context(|| format!("file {} of {shown}", self.count))?;
        Ok(response.header("etag").map(str::to_owned))
    }

    fn place(&self) -> Result<(SocketAddr, CallPlace<'_>)> {
        let address = self.program.address(&self.server)?;
        let is_https = self.server == "https";
        let host = if is_https { "audit.example.com".to_owned() } else { address.to_string() };
        let origin = format!("http{}://{host}", if is_https { "s" } else { "" });
        let from = match self.server.as_str() {
            "bare" => None,
            ONE_CALLER => Some("198.51.100.7".to_owned()),
            // A network of its own for each call.
            _ => Some(format!("11.{}.{}.7", self.count / 256 % 256, self.count % 256)),
        };
        let browser = self.browser.as_ref().and_then(|name| self.browsers.get(name));
        Ok((address, CallPlace { host, origin, from, browser }))
    }

    /// A text in which what was kept stands for its name.
    fn filled(&self, text: &str) -> Result<String> {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let name = after.split_once('}').filter(|(name, _)| {
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
            });
            match name {
                Some((name, after)) => {
                    filled.push_str(&self.value(name)?);
                    rest = after;
                }
                None => {
                    filled.push('{');
                    rest = after;
                }
            }
        }
        Ok(filled + rest)
    }

    fn value(&self, name: &str) -> Result<String> {
        let browser = self.browser.as_ref().and_then(|name| self.browsers.get(name));
        match (name, browser) {
            ("csrf", Some(browser)) => Ok(browser.csrf.clone()),
            ("origin", _) => Ok(self.place()?.1.origin),
            _ => self.values.get(name).cloned().with_context(|| format!("{{{name}}} was not kept")),
        }
    }

    fn keep_cookies(&mut self, response: &Response) {
        let Some(browser) = self.browser.as_ref().and_then(|name| self.browsers.get_mut(name)) else { return };
        for (_, cookie) in response.headers.iter().filter(|(name, _)| name == "set-cookie") {
            let Some((name, rest)) = cookie.split_once('=') else { continue };
            let value = rest.split(';').next().unwrap_or_default();
            if rest.contains("Max-Age=0") {
                browser.cookies.remove(name);
            } else {
                browser.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
    }

    /// Keeps what the lines of a call ask for.
    fn keep(&mut self, call: &ScriptCall, response: &Response) -> Result<()> {
        for line in &call.lines {
            let Some((name, value)) = request::kept(line, response)? else { continue };
            match (name.as_str(), self.browser.as_ref().and_then(|name| self.browsers.get_mut(name))) {
                ("csrf", Some(browser)) => browser.csrf = value,
                _ => {
                    self.values.insert(name, value);
                }
            }
        }
        Ok(())
    }

    /// An answer with everything replaced that differs from run to run.
    fn answer(&mut self, request: &HttpRequest, response: &Response) -> String {
        let (body, is_differing) = match response.text() {
            Some(text) => {
                let mut normal = self.normal.apply(text);
                if request.target.starts_with("/metrics") {
                    // The program gives the states of one metric in any order.
                    let mut lines: Vec<&str> = normal.lines().collect();
                    lines.sort_unstable();
                    normal = lines.join("\n");
                }
                let is_differing = normal != text;
                (normal, is_differing)
            }
            None => (format!("<{} bytes, SHA-256 {}>", response.body.len(), request::digest(&response.body)), false),
        };
        let known = self.differing.entry(request.target.clone()).or_default();
        *known |= is_differing;
        let is_differing = *known;
        if is_differing && let Some(etag) = response.header("etag") {
            self.normal.remember("etag", etag);
        }
        let mut head = self.normal.apply(&response.head);
        let length = response.header("content-length").unwrap_or_default();
        if is_differing && (response.body.is_empty() || length == response.body.len().to_string()) {
            head = head.replace(&format!("\ncontent-length: {length}"), "\ncontent-length: <length>");
        }
        format!("{head}\n\n{body}\n")
    }

    fn run(&mut self, arguments: &[String], lines: &[String]) -> Result<()> {
        let shown = arguments.join(" ");
        let arguments = arguments.iter().map(|argument| self.filled(argument)).collect::<Result<Vec<_>>>()?;
        let mut input = String::new();
        for line in lines {
            match line.split_once(' ').unwrap_or((line, "")) {
                ("input", text) => input.push_str(&format!("{}\n", self.filled(text)?)),
                ("file", rest) => {
                    let (name, text) = rest.split_once(' ').context("file NAME TEXT")?;
                    std::fs::write(self.program.folder.join(name), self.filled(text)?.replace("\\n", "\n"))?;
                }
                // Its output is kept as a file, and not recorded twice.
                ("output", _) => {}
                _ => bail!("run {shown}: there is no line {line}"),
            }
        }
        let output = self.program.run(&arguments, &input)?;
        if let Some(name) = lines.iter().find_map(|line| line.strip_prefix("output ")) {
            let text = output.split_once("--- stdout\n").map_or("", |(_, rest)| rest);
            let text = text.split_once("\n--- stderr\n").map_or(text, |(text, _)| text);
            std::fs::write(self.program.folder.join(name), text)?;
        }
        let output = self.normal.apply(&output);
        self.write(&format!("site-audit {shown}\n{}", lines.join("\n")), &format!("run {shown}"), &output)
    }

    fn write(&mut self, title: &str, name: &str, text: &str) -> Result<()> {
        self.count += 1;
        let file = self.folder.join(format!("{:04}-{}.txt", self.count, request::slug(name)));
        let title = title.trim_end();
        std::fs::write(&file, format!("{title}\n\n=== answer\n{text}")).with_context(|| file.display().to_string())
    }
}
