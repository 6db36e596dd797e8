//! `site-audit audit`.

mod lab;
mod network;
mod progress;
mod supplied;
mod written;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use model::finding::Severity;
use model::lab::Strategy;
use model::lang::{Lang, Text, text};
use model::report::Report;

use render::format::{self, Format, PageOutcome, RequestedPages, TextStyle};

pub(super) use network::{addresses, config};

use super::output::{BELOW_THE_BAR, LangName, is_colour_wanted, print};
use render::shown::{address, printable};

/// What `--help` says after the options.
const MORE_HELP: &str = "\
An address without a scheme gets https. A page is fetched with its robots.txt, sitemaps and discovery files, within 24
seconds in total. With --html nothing is fetched: checks that need the network are reported as not measured.

The score starts at 100; an error costs 18 points, a warning 8. Results go to standard output, progress and errors to
standard error. Colours appear on terminals only; NO_COLOR=1 turns them off.

Exit codes:
  0  every page was audited and passes --fail-under and --fail-on
  1  a page fails --fail-under or --fail-on
  2  a page could not be audited, or the command is invalid

Examples:
  site-audit audit example.com
  site-audit audit https://example.com/ https://example.com/about --fail-under 90
  site-audit audit --from urls.txt --jobs 8 --format json > audits.json
  site-audit audit http://localhost:3000/ --allow-private
  site-audit audit https://example.com/ --write report.md --write report.sarif
  site-audit audit --html dist/index.html --url https://example.com/ --format sarif --fail-on error
  curl -s https://example.com/ | site-audit audit --html - --url https://example.com/";

/// The three ways to say what is audited, the same in help and in every error.
const USAGE: &str = "\
site-audit audit [OPTIONS] <URL>...
       site-audit audit [OPTIONS] --from <FILE>
       site-audit audit [OPTIONS] --html <FILE> --url <URL>";

/// Arguments of `site-audit audit`.
#[derive(Debug, Args)]
#[command(after_help = MORE_HELP, override_usage = USAGE, arg_required_else_help = true)]
pub(super) struct AuditArguments {
    /// Addresses of pages; - reads them from standard input, one per line.
    #[arg(value_name = "URL", conflicts_with = "html", required_unless_present_any = ["html", "url", "from"])]
    urls: Vec<String>,
    /// Read addresses from a file, or - for standard input.
    ///
    /// One per line, at most 1,000. Blank lines and lines that start with # are ignored.
    #[arg(long, value_name = "FILE", conflicts_with = "html")]
    from: Option<PathBuf>,
    /// Pages audited at once, 1 to 32.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=32))]
    jobs: u8,
    /// Allow private addresses and any port, to audit your own machines.
    #[arg(long)]
    allow_private: bool,
    /// Audit this file instead of fetching, or - for standard input.
    ///
    /// At most 2 MB are read, the same as for a fetched page.
    #[arg(long, value_name = "FILE", requires = "url")]
    html: Option<PathBuf>,
    /// The address at which the file is or will be published.
    #[arg(long, value_name = "URL", requires = "html", conflicts_with_all = ["urls", "from"])]
    url: Option<String>,
    /// Measure each page with Lighthouse too: mobile or desktop.
    ///
    /// Uses lab.provider of site-audit.toml or the environment. Takes up to two minutes per page. The score does not
    /// change.
    #[arg(long, value_name = "STRATEGY", conflicts_with = "html")]
    lab: Option<LabStrategy>,
    /// Output format.
    ///
    /// JSON is an object for one page, and an array for several or a list.
    #[arg(long, default_value = "text")]
    format: FormatName,
    /// Write the report to this file too, in the format of its ending.
    ///
    /// May be given several times: .json, .md (Markdown), .csv, .sarif, .xml (JUnit), .txt.
    #[arg(long, value_name = "FILE", value_parser = written::FormattedFile::parse)]
    write: Vec<written::FormattedFile>,
    /// Exit with 1 when a score is below N points, 0 to 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    fail_under: Option<u32>,
    /// Exit with 1 when a finding is at least this severe.
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<FailOn>,
    /// Language of the texts.
    #[arg(long, default_value = "en")]
    lang: LangName,
    /// Print no progress and no text report; use the exit code.
    ///
    /// Formats other than text are still printed, and so are errors.
    #[arg(long, short)]
    quiet: bool,
}

/// The device that a lab test simulates.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum LabStrategy {
    /// A phone on a slow network.
    Mobile,
    /// A desktop computer.
    Desktop,
}

impl From<LabStrategy> for Strategy {
    fn from(name: LabStrategy) -> Self {
        match name {
            LabStrategy::Mobile => Self::Mobile,
            LabStrategy::Desktop => Self::Desktop,
        }
    }
}

/// A format, as the command line names it.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum FormatName {
    /// For people.
    Text,
    /// The whole report, as the API gives a stored audit, with its patch.
    Json,
    /// Markdown, for a pull request or notes.
    Markdown,
    /// A row for each finding, for a spreadsheet.
    Csv,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// JUnit XML, for build servers.
    Junit,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Text => Self::Text,
            FormatName::Json => Self::Json,
            FormatName::Markdown => Self::Markdown,
            FormatName::Csv => Self::Csv,
            FormatName::Sarif => Self::Sarif,
            FormatName::Junit => Self::Junit,
        }
    }
}

/// From which severity on a run fails.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum FailOn {
    /// Any error.
    Error,
    /// Any error or warning.
    Warn,
}

impl AuditArguments {
    pub(super) fn run(self) -> Result<ExitCode> {
        let lang = Lang::from(self.lang);
        let (outcomes, pages) = match (&self.html, &self.url) {
            (Some(file), Some(url)) => (vec![supplied::audit(file, url)?], RequestedPages::Page),
            _ => {
                let (urls, pages) = network::addresses(&self.urls, self.from.as_deref())?;
                let progress = progress::Teller::new(self.quiet, urls.len(), lang);
                let given = network::Given {
                    jobs: self.jobs,
                    allow_private: self.allow_private,
                    lab: self.lab.map(Into::into),
                };
                (network::audit(urls, given, progress)?, pages)
            }
        };
        let format = Format::from(self.format);
        let is_text = format == Format::Text;
        // The text of one page that failed would only repeat the error.
        let shows_nothing = is_text && (self.quiet || outcomes.iter().all(|outcome| outcome.result.is_err()));
        if !shows_nothing {
            let colours = std::io::stdout().is_terminal() && is_colour_wanted();
            let style = if colours { TextStyle::Colours } else { TextStyle::Plain };
            print(&format::render(format, &outcomes, pages, lang, style)?)?;
        }
        for file in &self.write {
            file.write(&format::render(file.format, &outcomes, pages, lang, TextStyle::Plain)?)?;
        }
        self.exit_code(&outcomes, lang, is_text && !shows_nothing)
    }

    /// 2 when any page could not be audited, else 1 when any is below the bar. `are_told`: the report has the errors.
    fn exit_code(&self, outcomes: &[PageOutcome], lang: Lang, are_told: bool) -> Result<ExitCode> {
        const ONE: Text = text("could not audit {page}", "não foi possível auditar {page}");
        const SEVERAL: Text =
            text("could not audit {failed} of {all} pages", "não foi possível auditar {failed} de {all} páginas");
        let failures: Vec<String> = outcomes
            .iter()
            .filter_map(|outcome| {
                let error = outcome.result.as_ref().err()?;
                Some(printable(&format!("{}: {}", address(&outcome.url), error.message(lang))))
            })
            .collect();
        let several = SEVERAL.phrase(&[("failed", failures.len().into()), ("all", outcomes.len().into())]);
        let several = several.in_lang(lang);
        match failures.as_slice() {
            [] => {}
            [one] if outcomes.len() == 1 => {
                bail!(ONE.phrase(&[("page", one.as_str().into())]).in_lang(lang).to_owned())
            }
            _ if are_told => bail!("{several}"),
            failures => bail!("{several}:\n  {}", failures.join("\n  ")),
        }
        let mut reports = outcomes.iter().filter_map(|outcome| outcome.result.as_ref().ok());
        let below = reports.any(|report| self.is_below_the_bar(report));
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
