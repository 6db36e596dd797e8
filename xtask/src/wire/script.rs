//! The calls that are recorded, as text: `xtask/src/wire/calls/*.calls`, played in the order of their names.
//!
//! A line at the margin is a step; indented lines belong to the step before, and `#` begins a comment.
//!
//! | step | what it does |
//! |---|---|
//! | `server NAME` | the next calls go to the server of `servers/NAME.toml` |
//! | `browser NAME` | they carry and keep the cookies of a browser, with its CSRF token; `browser none` carries none |
//! | `bootstrap` | the browser loads its CSRF token |
//! | `METHOD TARGET [\| VARIANT…]` | a call, and the same again in each variant |
//! | `let NAME = KIND ARGUMENT…` | a value that a client computes (`proof.rs`) |
//! | `letter NAME ADDRESS [TEXT]` | waits for the next mail to an address (that has a text); `NAME` is its first link's token |
//! | `run ARGUMENT…` | runs the program; quotes hold arguments together |
//! | `sweep nobody`, `sweep browser` | every operation with every cheap mistake (`sweep.rs`) |
//!
//! Variants: `pt` (`?lang=pt-BR`), `accept` (`Accept-Language`), `xx` (an unknown language), `head`, `options`, `etag`
//! (`If-None-Match` of the answer before), `md` and `json` (`Accept`), `gzip`.
//!
//! Lines of a call: `Name: value` is a header; `json TEXT`, `form TEXT`, `body TEXT`, `big BYTES` and `multipart NAME=VALUE; …`
//! are the body; `keep NAME POINTER` keeps a value of a JSON answer, `cut NAME BEFORE|AFTER` the text between two others, `head
//! NAME HEADER` a header; `bare` leaves out what a browser adds to a write. `{name}` stands for what was kept.
//! Lines of `run`: `input TEXT` is a line of standard input, `file NAME TEXT` a file that is there, `output NAME` keeps
//! standard output as a file.

use std::path::Path;

use anyhow::{Context as _, Result, bail};

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ScriptStep {
    Server(String),
    Browser(String),
    Bootstrap,
    Call(ScriptCall),
    Let { name: String, kind: String, arguments: Vec<String> },
    Letter { name: String, address: String, text: String },
    Run { arguments: Vec<String>, lines: Vec<String> },
    Sweep(String),
}

/// One call, before anything stands for what was kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ScriptCall {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) variants: Vec<String>,
    pub(super) lines: Vec<String>,
}

/// All steps of a folder.
pub(super) fn read(folder: &Path) -> Result<Vec<ScriptStep>> {
    let files = std::fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))?;
    let mut files: Vec<_> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "calls"));
    files.sort();
    let mut steps = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        steps.extend(parse(&text).with_context(|| file.display().to_string())?);
    }
    Ok(steps)
}

fn parse(text: &str) -> Result<Vec<ScriptStep>> {
    let mut steps: Vec<ScriptStep> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with(' ') {
            let lines = match steps.last_mut() {
                Some(ScriptStep::Call(call)) => &mut call.lines,
                Some(ScriptStep::Run { lines, .. }) => lines,
                _ => bail!("line {}: it belongs to no call", number + 1),
            };
            lines.push(line.trim().to_owned());
        } else {
            steps.push(step(line).with_context(|| format!("line {}: {line}", number + 1))?);
        }
    }
    Ok(steps)
}

fn step(line: &str) -> Result<ScriptStep> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    Ok(match word {
        "server" => ScriptStep::Server(rest.to_owned()),
        "browser" => ScriptStep::Browser(rest.to_owned()),
        "bootstrap" => ScriptStep::Bootstrap,
        "sweep" => ScriptStep::Sweep(rest.to_owned()),
        "run" => ScriptStep::Run { arguments: arguments(rest), lines: Vec::new() },
        "letter" => {
            let (name, rest) = rest.split_once(' ').context("letter NAME ADDRESS [TEXT]")?;
            let (address, text) = rest.split_once(' ').unwrap_or((rest, ""));
            ScriptStep::Letter { name: name.to_owned(), address: address.to_owned(), text: text.to_owned() }
        }
        "let" => {
            let (name, value) = rest.split_once(" = ").context("let NAME = KIND ARGUMENT…")?;
            let mut arguments = arguments(value).into_iter();
            let kind = arguments.next().context("let NAME = KIND ARGUMENT…")?;
            ScriptStep::Let { name: name.to_owned(), kind, arguments: arguments.collect() }
        }
        method if method.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            let (target, variants) = rest.split_once(" | ").unwrap_or((rest, ""));
            ScriptStep::Call(ScriptCall {
                method: method.to_owned(),
                target: target.to_owned(),
                variants: variants.split_whitespace().map(str::to_owned).collect(),
                lines: Vec::new(),
            })
        }
        _ => bail!("there is no such step"),
    })
}

/// Words; double quotes hold spaces.
fn arguments(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in text.split('"').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_variants_and_lines() {
        let steps = parse("# The home page\nGET / | pt head\n  Accept: text/html\n\nrun checks \"a b\"\n").unwrap();
        let call = ScriptCall {
            method: "GET".to_owned(),
            target: "/".to_owned(),
            variants: vec!["pt".to_owned(), "head".to_owned()],
            lines: vec!["Accept: text/html".to_owned()],
        };
        let run = ScriptStep::Run { arguments: vec!["checks".to_owned(), "a b".to_owned()], lines: Vec::new() };
        assert_eq!(steps, [ScriptStep::Call(call), run]);
    }

    #[test]
    fn what_is_no_step_is_refused() {
        for text in ["nothing", "  Accept: text/html", "letter x"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
