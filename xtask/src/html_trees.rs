//! Other parsers as referees of ours: html5ever, and Chromium.
//!
//! Random documents, and the pages of the corpus, are parsed by both; the trees are written in the same form and compared
//! line by line. Each difference is made small, differences alike make one group, and a group that no table explains
//! fails. What was judged stands in `docs/html-parser/`.

mod arguments;
mod chromium;
mod corpus;
mod documents;
mod expected;
mod fragments;
mod html5ever;
mod hunt;
mod our_tree;
mod shrink;

// How a tree is written, ours and html5ever's, is as in the parser's own tests.
#[path = "../../crates/html/tests/it/dump.rs"]
mod dump;
#[path = "../../crates/html/tests/it/html5ever_tree.rs"]
mod html5ever_tree;

use std::path::Path;

use anyhow::{Context as _, Result, bail};

use arguments::HuntOptions;
use hunt::{Hunt, HuntStop};

/// How long two parsers in this process are compared unless told otherwise.
const MINUTES: u64 = 1;
/// Documents that the browser judges unless told otherwise.
const DOCUMENTS: u64 = 20_000;
/// The first document of a run unless told otherwise.
const SEED: u64 = 1;

/// Parsers of documents, and the trees that they make.
trait Parser {
    /// What a report calls it.
    fn name(&self) -> &'static str;

    /// Whether scripting counts as on: the content of `noscript` is text then.
    fn scripting(&self) -> bool;

    /// The tree of each source, as [`dump::dump_with_mode`] writes them.
    fn trees(&mut self, sources: &[String]) -> Result<Vec<String>>;

    /// Begins again after [`Parser::trees`] failed.
    fn restart(&mut self) -> Result<()>;
}

/// Compares with html5ever: `[--minutes N] [--documents N] [--seed S] [--scripting off]`.
pub(crate) fn differential(arguments: impl Iterator<Item = String>) -> Result<()> {
    let mut arguments = HuntOptions::read(arguments, &["--minutes", "--documents", "--seed", "--scripting"])?;
    let stop = match arguments.number("--documents")? {
        Some(documents) => HuntStop::Documents(documents),
        None => HuntStop::Minutes(arguments.number("--minutes")?.unwrap_or(MINUTES)),
    };
    let hunt = Hunt { seed: arguments.number("--seed")?.unwrap_or(SEED), stop, expected: &expected::HTML5EVER };
    let scripting = scripting(&mut arguments)?;
    arguments.end()?;
    hunt.run(&mut html5ever::Html5ever { scripting })
}

/// Compares with Chromium: `[--documents N] [--seed S] [--scripting off] [--corpus DIR] [--sources FILE]`.
pub(crate) fn referee(root: &Path, arguments: impl Iterator<Item = String>) -> Result<()> {
    let mut arguments =
        HuntOptions::read(arguments, &["--documents", "--seed", "--scripting", "--corpus", "--sources"])?;
    if let Some(folder) = arguments.text("--corpus") {
        arguments.end()?;
        return corpus::compare(&root.join(folder));
    }
    let mut browser = chromium::Chromium::start(scripting(&mut arguments)?)?;
    if let Some(file) = arguments.text("--sources") {
        arguments.end()?;
        let sources = std::fs::read_to_string(root.join(&file)).with_context(|| format!("{file} could not be read"))?;
        return sources.lines().try_for_each(|line| hunt::show(&mut browser, &unescaped(line)));
    }
    let seed = arguments.number("--seed")?.unwrap_or(SEED);
    if browser.scripting() {
        browser.check(seed)?;
    }
    let stop = HuntStop::Documents(arguments.number("--documents")?.unwrap_or(DOCUMENTS));
    Hunt { seed, stop, expected: &expected::CHROMIUM }.run(&mut browser)
}

fn scripting(arguments: &mut HuntOptions) -> Result<bool> {
    match arguments.text("--scripting").as_deref() {
        None | Some("on") => Ok(true),
        Some("off") => Ok(false),
        Some(other) => bail!("--scripting is on or off, not {other}"),
    }
}

/// A source as it stands on a line of a file, where NUL and the ends of lines are written `\0`, `\n` and `\r`.
fn unescaped(line: &str) -> String {
    line.replace("\\0", "\0").replace("\\n", "\n").replace("\\r", "\r")
}
