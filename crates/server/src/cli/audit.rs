//! `site-audit audit`.

mod network;
mod supplied;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail};
use clap::{Args, ValueEnum};
use model::finding::Severity;
use model::report::Report;
use model::time::Timestamp;

use super::format::{self, Audited, Format, Style};
use super::{LangName, print};

/// Below the bar that the caller set.
const BELOW_THE_BAR: u8 = 1;

/// Arguments of `site-audit audit`.
#[derive(Debug, Args)]
#[command(
    after_help = "With --html nothing is fetched: what needs the network (headers, timing, robots.txt) is reported as not measured.\n\nExamples:\n  site-audit audit example.com\n  site-audit audit --from urls.txt --jobs 4 --format json\n  site-audit audit http://localhost:3000/ --allow-private\n  site-audit audit --html dist/index.html --url https://example.com/\n  curl -s https://example.com/ | site-audit audit --html - --url https://example.com/ --fail-under 90"
)]
pub(super) struct Arguments {
    /// Addresses of pages; - reads them from standard input, one a line.
    #[arg(value_name = "URL", conflicts_with = "html", required_unless_present_any = ["html", "from"])]
    urls: Vec<String>,
    /// Read addresses from a file, one a line.
    #[arg(long, value_name = "FILE", conflicts_with = "html")]
    from: Option<PathBuf>,
    /// Pages audited at once.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=32))]
    jobs: u8,
    /// Allow any address and port: for your own machines.
    #[arg(long)]
    allow_private: bool,
    /// Audit this file instead of fetching, or - for standard input.
    #[arg(long, value_name = "FILE", requires = "url")]
    html: Option<PathBuf>,
    /// The address that the file has, or will have.
    #[arg(long, value_name = "URL", requires = "html")]
    url: Option<String>,
    /// How to print the result.
    #[arg(long, default_value = "text")]
    format: Format,
    /// Exit with 1 when a score is below N.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    fail_under: Option<u32>,
    /// Exit with 1 when a finding is at least this severe.
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Language of the texts.
    #[arg(long, default_value = "en")]
    lang: LangName,
    /// Print nothing; the exit code says it.
    #[arg(long)]
    quiet: bool,
}

/// From which severity on a run fails.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FailOn {
    Error,
    Warn,
}

/// One page: its report, or why there is none.
struct Outcome {
    url: String,
    at: Timestamp,
    report: Result<Report, String>,
}

impl Arguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let outcomes = match (&self.html, &self.url) {
            (Some(file), Some(url)) => vec![supplied::audit(file, url, now()?)?],
            _ => {
                let urls = network::addresses(&self.urls, self.from.as_deref())?;
                network::audit(urls, self.jobs, self.allow_private, !self.quiet && std::io::stderr().is_terminal())?
            }
        };
        let audited: Vec<Audited<'_>> = outcomes
            .iter()
            .filter_map(|outcome| Some(Audited { report: outcome.report.as_ref().ok()?, at: outcome.at }))
            .collect();
        if !self.quiet && !audited.is_empty() {
            let colours = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let style = if colours { Style::Colours } else { Style::Plain };
            print(&format::render(self.format, &audited, self.lang.into(), style, outcomes.len() > 1)?)?;
        }
        self.exit_code(&outcomes)
    }

    /// 2 when any page could not be audited, else 1 when any is below the bar.
    fn exit_code(&self, outcomes: &[Outcome]) -> Result<ExitCode> {
        let failures: Vec<String> = outcomes
            .iter()
            .filter_map(|outcome| Some(format!("{}: {}", outcome.url, outcome.report.as_ref().err()?)))
            .collect();
        match failures.as_slice() {
            [] => {}
            [one] if outcomes.len() == 1 => bail!("could not audit {one}"),
            many => bail!("could not audit {} of {} pages:\n  {}", many.len(), outcomes.len(), many.join("\n  ")),
        }
        let below =
            outcomes.iter().filter_map(|outcome| outcome.report.as_ref().ok()).any(|r| self.is_below_the_bar(r));
        Ok(if below { ExitCode::from(BELOW_THE_BAR) } else { ExitCode::SUCCESS })
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

/// A bare host gets `https://`.
fn with_scheme(text: &str) -> String {
    let text = text.trim();
    if text.contains("://") { text.to_owned() } else { format!("https://{text}") }
}

fn now() -> Result<Timestamp> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).context("the clock stands before 1970")?;
    Ok(Timestamp(i64::try_from(since.as_millis()).context("the clock is out of range")?))
}
