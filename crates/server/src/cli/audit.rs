//! `site-audit audit`.

use std::io::{IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use model::capture::{Body, BodyCut, Capture, Coding, Exchange, Fetched, Source, Timing};
use model::finding::Severity;
use model::report::Report;
use model::time::Timestamp;
use url::Url;

use super::format::{self, Audited, Format, Style};
use super::{LangName, print};

/// Bytes read of a page, as Googlebot reads them (interface §8).
const PAGE_BYTES: usize = 2_097_152;
/// Below the bar that the caller set.
const BELOW_THE_BAR: u8 = 1;

/// Arguments of `site-audit audit`.
#[derive(Debug, Args)]
#[command(
    after_help = "With --html nothing is fetched: what needs the network (headers, timing, robots.txt, other files) is reported as not measured.\n\nExamples:\n  site-audit audit --html dist/index.html --url https://example.com/\n  curl -s https://example.com/ | site-audit audit --html - --url https://example.com/ --format json\n  site-audit audit --html page.html --url https://example.com/ --fail-under 90"
)]
pub(super) struct Arguments {
    /// The page's file, or - for standard input.
    #[arg(long, value_name = "FILE")]
    html: PathBuf,
    /// The address the page has, or will have.
    #[arg(long, value_name = "URL")]
    url: String,
    /// How to print the result.
    #[arg(long, default_value = "text")]
    format: Format,
    /// Exit with 1 when the score is below N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    fail_under: Option<u32>,
    /// Exit with 1 when a finding is at least this severe.
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Language of the texts.
    #[arg(long, default_value = "en")]
    lang: LangName,
    /// Print nothing but the exit code says.
    #[arg(long)]
    quiet: bool,
}

/// From which severity on a run fails.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FailOn {
    Error,
    Warn,
}

impl Arguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let url = page_url(&self.url)?;
        let capture = supplied(&url, read_page(&self.html)?, now()?);
        let report = audit::report(&capture);
        if !self.quiet {
            let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let style = if colours { Style::Colours } else { Style::Plain };
            let audited = Audited { report: &report, at: capture.started_at };
            print(&format::render(self.format, &audited, self.lang.into(), style)?)?;
        }
        Ok(if self.is_below_the_bar(&report) { ExitCode::from(BELOW_THE_BAR) } else { ExitCode::SUCCESS })
    }

    fn is_below_the_bar(&self, report: &Report) -> bool {
        let worst = match self.fail_on {
            Some(FailOn::Error) => Some(Severity::Error),
            Some(FailOn::Warn) => Some(Severity::Warn),
            None => None,
        };
        self.fail_under.is_some_and(|bar| report.score < bar)
            || worst.is_some_and(|worst| report.findings.iter().any(|finding| finding.severity <= worst))
    }
}

/// An http(s) URL; a bare host gets `https://`.
fn page_url(text: &str) -> Result<Url> {
    let text = text.trim();
    let whole = if text.contains("://") { text.to_owned() } else { format!("https://{text}") };
    let url = Url::parse(&whole).with_context(|| format!("--url {text} is not an address"))?;
    if !matches!(url.scheme(), "http" | "https") {
        bail!("--url must be an http or https address, not {}:", url.scheme());
    }
    Ok(url)
}

/// At most one byte more than a page may have, so that a longer one is known to be cut.
fn read_page(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let most = PAGE_BYTES as u64 + 1;
    if path.as_os_str() == "-" {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes).context("standard input could not be read")?;
    } else {
        let file = std::fs::File::open(path).with_context(|| format!("{} could not be opened", path.display()))?;
        file.take(most).read_to_end(&mut bytes).with_context(|| format!("{} could not be read", path.display()))?;
    }
    Ok(bytes)
}

fn now() -> Result<Timestamp> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock stands before 1970")?;
    Ok(Timestamp(i64::try_from(since.as_millis()).context("the clock is out of range")?))
}

/// A capture of supplied bytes: a page, and nothing else known.
fn supplied(url: &Url, mut bytes: Vec<u8>, started_at: Timestamp) -> Capture {
    let cut = (bytes.len() > PAGE_BYTES).then_some(BodyCut::Size);
    bytes.truncate(PAGE_BYTES);
    Capture {
        requested_url: url.to_string(),
        started_at,
        nonce: String::new(),
        source: Source::Supplied,
        page: Fetched::Response(Exchange {
            hops: Vec::new(),
            url: url.to_string(),
            status: 200,
            headers: Vec::new(),
            body: Body { bytes, cut, coding: Coding::Identity },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        }),
        extras: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_host_is_taken_as_https_and_other_schemes_are_refused() {
        assert_eq!(page_url("example.com/a").unwrap().as_str(), "https://example.com/a");
        assert!(page_url("ftp://example.com/").unwrap_err().to_string().contains("http or https"));
        assert!(page_url("https://").is_err());
    }

    #[test]
    fn a_page_over_the_limit_is_cut_and_told() {
        let url = page_url("https://example.com/").unwrap();
        let capture = supplied(&url, vec![b'a'; PAGE_BYTES + 1], Timestamp(0));
        let body = &capture.page.response().unwrap().body;
        assert_eq!((body.bytes.len(), body.cut), (PAGE_BYTES, Some(BodyCut::Size)));
    }
}
