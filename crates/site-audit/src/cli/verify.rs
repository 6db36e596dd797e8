//! `site-audit verify`.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use audit::compare::Side;
use audit::supplied::Supplied;
use clap::{Args, ValueEnum};
use model::change::Changed;
use model::finding::Finding;
use model::lang::{Lang, Text, text};
use model::report::Coverage;
use serde::Deserialize;

use super::input::{page_url, read_page};
use super::output::{BELOW_THE_BAR, LangName, is_colour_wanted, print};
use engine::Verification;
use render::format::{self, Format, PageOutcome, RequestedPages, TextStyle};
use render::shown::printable;
use service::ports::Ports;

/// Bytes read of a file beside the page.
const FILE_BYTES: u64 = 8 * 1024 * 1024;

/// What `--help` says after the options.
const MORE_HELP: &str = "\
Audits a file by the rules of the service, and compares it with an earlier audit. Nothing is fetched: checks that need the
network are not compared. A finding that a fixed one had hidden counts as revealed, not as new. The file of --before is
the output of `site-audit audit --format json` for one page, or the answer of GET /api/audits/ID.

Exit codes:
  0  there are no new findings, and the page passes --fail-under
  1  there are new findings, or the page fails --fail-under
  2  a file could not be read, or the command is invalid

Examples:
  site-audit audit https://example.com/ --format json > before.json
  site-audit verify --html index.html --url https://example.com/ --before before.json
  site-audit verify --html index.html --url https://example.com/ --headers headers.txt --robots-txt robots.txt
  curl -s http://localhost:3000/ | site-audit verify --html - --url https://example.com/ --fail-under 90";

/// Arguments of `site-audit verify`.
#[derive(Debug, Args)]
#[command(after_help = MORE_HELP, arg_required_else_help = true)]
pub(super) struct VerifyArguments {
    /// The page, or - for standard input; at most 2 MB.
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// The address at which the page is or will be published.
    #[arg(long, value_name = "URL")]
    url: String,
    /// Its response headers: lines of `Name: value`, as `curl -I` prints them.
    #[arg(long, value_name = "FILE")]
    headers: Option<PathBuf>,
    /// The site's robots.txt.
    #[arg(long, value_name = "FILE")]
    robots_txt: Option<PathBuf>,
    /// The audit to compare with, as JSON.
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// Output format.
    #[arg(long, default_value = "text")]
    format: VerifyFormat,
    /// Exit with 1 when the score is below N points, 0 to 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    fail_under: Option<u32>,
    /// Language of the texts.
    #[arg(long, default_value = "en")]
    lang: LangName,
}

/// How a verification is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VerifyFormat {
    /// For people.
    Text,
    /// As `POST /api/verify` answers.
    Json,
}

/// The fields read of an earlier audit.
#[derive(Debug, Deserialize)]
struct Before {
    issues: Vec<Finding<String>>,
    coverage: Coverage,
}

impl VerifyArguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let lang = Lang::from(self.lang);
        let (url, at) = (page_url(&self.url)?, Ports::real().now());
        let before = self.before.as_deref().map(read_before).transpose()?;
        let supplied = Supplied {
            headers: self.headers.as_deref().map(|file| Ok::<_, anyhow::Error>(headers(&read(file)?))).transpose()?,
            robots_txt: self.robots_txt.as_deref().map(read).transpose()?,
            ..Supplied::page(url.clone(), read_page(&self.html)?)
        };
        let report = audit::report(&supplied.capture(at));
        let known = before.as_ref().map(|before| Side { issues: &before.issues, coverage: &before.coverage });
        let verification = Verification::of(&report, known, lang);
        match self.format {
            VerifyFormat::Json => print(&format!("{}\n", serde_json::to_string_pretty(&verification)?))?,
            VerifyFormat::Text => {
                let colours = std::io::stdout().is_terminal() && is_colour_wanted();
                let style = if colours { TextStyle::Colours } else { TextStyle::Plain };
                let outcome = PageOutcome { url: url.into(), file: None, at, result: Ok(report) };
                print(&changes(&verification, lang))?;
                print(&format::render(Format::Text, &[outcome], RequestedPages::Page, lang, style)?)?;
            }
        }
        let is_below = self.fail_under.is_some_and(|bar| verification.score < bar);
        let is_broken = verification.broke.is_some_and(|broke| !broke.is_empty());
        Ok(if is_below || is_broken { ExitCode::from(BELOW_THE_BAR) } else { ExitCode::SUCCESS })
    }
}

/// What changed, a line each; nothing without an audit to compare with.
fn changes(verification: &Verification, lang: Lang) -> String {
    const FIXED: Text = text("Fixed", "Corrigido");
    const BROKE: Text = text("New", "Novo");
    const REVEALED: Text = text("Revealed", "Revelado");
    const NOT_COMPARED: Text = text("Not compared", "Não comparado");
    const NOTHING: Text = text("No new findings, and none fixed.", "Nenhum achado novo e nenhum corrigido.");
    let (Some(fixed), Some(broke), Some(revealed), Some(not_compared)) =
        (&verification.fixed, &verification.broke, &verification.revealed, &verification.not_compared)
    else {
        return String::new();
    };
    let mut lines = Vec::new();
    let of = |word: Text, changed: &[Changed]| -> Vec<String> {
        let line = |one: &Changed| format!("{}: {} — {}", word.in_lang(lang), one.code, printable(&one.message));
        changed.iter().map(line).collect()
    };
    lines.extend(of(BROKE, broke));
    lines.extend(of(FIXED, fixed));
    lines.extend(of(REVEALED, revealed));
    if lines.is_empty() {
        lines.push(NOTHING.in_lang(lang).to_owned());
    }
    if !not_compared.is_empty() {
        let codes: Vec<&str> = not_compared.keys().map(String::as_str).collect();
        lines.push(format!("{}: {}", NOT_COMPARED.in_lang(lang), codes.join(", ")));
    }
    lines.join("\n") + "\n\n"
}

/// Lines of `Name: value`; a status line and blank lines are passed over.
fn headers(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter(|line| !line.starts_with("HTTP/"));
    let pairs = lines.filter_map(|line| line.split_once(':'));
    pairs.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned())).collect()
}

fn read_before(file: &Path) -> Result<Before> {
    let before = serde_json::from_str(&read(file)?);
    before.with_context(|| format!("{} is no audit of one page as JSON", file.display()))
}

fn read(path: &Path) -> Result<String> {
    let file = std::fs::File::open(path).with_context(|| format!("{} could not be opened", path.display()))?;
    let mut text = String::new();
    let read = file.take(FILE_BYTES + 1).read_to_string(&mut text);
    read.with_context(|| format!("{} could not be read", path.display()))?;
    if text.len() as u64 > FILE_BYTES {
        bail!("{} has more than {FILE_BYTES} bytes", path.display());
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read_as_curl_prints_them() {
        let read = headers("HTTP/2 200\r\nContent-Type: text/html; charset=utf-8\r\nX-Robots-Tag: a: b\r\n\r\n");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(read, [pair("content-type", "text/html; charset=utf-8"), pair("x-robots-tag", "a: b")]);
    }
}
