//! Arguments of `site-audit site`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{ArgAction, Args};
use engine::{CrawlOptions, Engine, KnownVersions, crawl_spill};
use model::finding::Severity;
use model::lang::{Lang, Text, text};
use model::time::Timestamp;
use site::FrontierLimits;
use url::Url;

use super::super::audit::{FailOn, addresses};
use super::super::failure;
use super::super::output::LangName;

/// Time for reading all sitemaps: the 1,000 files of a run at 0.6 seconds.
const SITEMAP_TIME: Duration = Duration::from_secs(600);

/// What `--help` says after the options.
const MORE_HELP: &str = "\
Crawls a site from its first page, its sitemaps and its links, audits every page, and reports findings across pages: broken
links with their sources, duplicates, canonicals, language versions, orphan pages. A finding of a template is reported once,
with the points that its fix gains.

robots.txt is obeyed, with its Crawl-delay up to 10 seconds. The folder of a run holds run.db (its state), report.html,
report.json, pages.jsonl, site.sarif, and pages.csv, links.csv, findings.csv, templates.csv (with --parquet also as
Parquet). A second run into the same folder downloads only what has changed.

Exit codes:
  0  the site was audited and passes --fail-under and --fail-on
  1  the site fails --fail-under or --fail-on
  2  the site or its first page could not be audited, the run was stopped, or the command is invalid

Examples:
  site-audit site https://example.com/
  site-audit site example.com --max-pages 5000 --exclude '/tag/' --images
  site-audit site example.com --resume
  site-audit site http://localhost:3000/ --allow-private --fail-under 90 --fail-on error
  site-audit site example.com --out tonight --baseline last-week --fail-on warn";

/// Arguments of `site-audit site`.
#[derive(Debug, Args)]
#[command(after_help = MORE_HELP, arg_required_else_help = true)]
pub(in crate::cli) struct SiteArguments {
    /// Address of the site's first page.
    #[arg(value_name = "URL")]
    pub(super) url: String,
    /// Folder of the run; created if absent. Default: site-audit-HOST.
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,
    /// Read this sitemap too. May be given several times.
    #[arg(long, value_name = "URL")]
    sitemap: Vec<String>,
    /// Begin with these pages too: a file with one address per line, or - for standard input.
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Maximum number of URLs to request.
    #[arg(long, value_name = "N", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) max_pages: u32,
    /// Maximum clicks from the first page.
    #[arg(long, value_name = "N", default_value_t = 1_000)]
    max_depth: u32,
    /// Regular expression; only URLs that match are requested. May be given several times.
    #[arg(long, value_name = "REGEX")]
    include: Vec<String>,
    /// Regular expression; URLs that match are skipped. May be given several times.
    #[arg(long, value_name = "REGEX")]
    exclude: Vec<String>,
    /// Maximum requests per second.
    #[arg(long, value_name = "N")]
    rate: Option<f64>,
    /// Maximum requests at once, 1 to 32; more than 2 only with --own-site.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=32))]
    concurrency: u8,
    /// The site is yours: allows ignoring robots.txt and more requests at once.
    #[arg(long)]
    own_site: bool,
    /// Obey robots.txt; false only with --own-site.
    #[arg(long, value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    respect_robots: bool,
    /// Check whether images on the site's own host exist.
    #[arg(long)]
    pub(super) images: bool,
    /// Check whether linked pages of other sites exist.
    #[arg(long)]
    pub(super) external: bool,
    /// Test a ready fix for each finding of each page. Takes about three times the CPU time.
    #[arg(long)]
    pub(super) fixes: bool,
    /// Continue a run that was interrupted.
    #[arg(long)]
    pub(super) resume: bool,
    /// List new and fixed findings since another run: its folder, or its run.db. --fail-on then counts only new findings.
    #[arg(long, value_name = "RUN")]
    pub(super) baseline: Option<PathBuf>,
    /// Write the tables as Apache Parquet too, for DuckDB, pandas and Polars.
    #[arg(long)]
    pub(super) parquet: bool,
    /// Allow private addresses and any port, to audit your own machines.
    #[arg(long)]
    pub(super) allow_private: bool,
    /// Exit with 1 when the score of the site is below N points, 0 to 100.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(super) fail_under: Option<u32>,
    /// Exit with 1 when a finding is at least this severe.
    #[arg(long, value_name = "SEVERITY")]
    pub(super) fail_on: Option<FailOn>,
    /// Language of the texts.
    #[arg(long, default_value = "en")]
    pub(super) lang: LangName,
    /// Print no progress and no summary.
    #[arg(long, short)]
    pub(super) quiet: bool,
}

impl FailOn {
    /// The least severe finding that fails a run.
    pub(super) fn severity(self) -> Severity {
        match self {
            Self::Error => Severity::Error,
            Self::Warn => Severity::Warn,
        }
    }
}

impl SiteArguments {
    /// How the site is crawled, with temporary files in `folder`.
    pub(super) fn crawl_options(
        &self,
        engine: &Engine,
        started_at: Timestamp,
        nonce: String,
        folder: &Path,
    ) -> Result<CrawlOptions> {
        let lang = Lang::from(self.lang);
        /// Requests at once to a site of somebody else.
        const POLITE: u8 = 2;
        if !self.own_site && (!self.respect_robots || self.concurrency > POLITE) {
            const OWN: Text = text(
                "--respect-robots=false and --concurrency above {polite} need --own-site: only on a site that is yours",
                "--respect-robots=false e --concurrency acima de {polite} pedem --own-site: só em um site que é seu",
            );
            bail!("{}", OWN.phrase(&[("polite", u32::from(POLITE).into())]).in_lang(lang));
        }
        if self.rate.is_some_and(|rate| !(0.001..=1_000.0).contains(&rate)) {
            const RATE: Text =
                text("--rate takes a number from 0.001 to 1000", "--rate aceita um número de 0.001 a 1000");
            bail!("{}", RATE.in_lang(lang));
        }
        let parsed = |texts: &[String]| -> Result<Vec<Url>> {
            let read = |text: &String| {
                let (text, _) = super::super::input::with_scheme(text);
                engine
                    .fetcher()
                    .intake(&text)
                    .map_err(|refused| anyhow::anyhow!("{text}: {}", failure::unfetched(refused).message(lang)))
            };
            texts.iter().map(read).collect()
        };
        let listed = match &self.from {
            Some(file) => addresses(&[], Some(file))?.0,
            None => Vec::new(),
        };
        let spill = crawl_spill(Some(folder.to_owned()));
        Ok(CrawlOptions {
            limits: FrontierLimits { pages: self.max_pages as usize, depth: self.max_depth },
            at_once: self.concurrency.into(),
            rate: self.rate,
            obeys_robots: self.respect_robots,
            proves: self.fixes,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            sitemaps: parsed(&self.sitemap)?,
            pages: parsed(&listed)?,
            known: KnownVersions::new(&spill),
            read_sitemaps: None,
            sitemap_time: SITEMAP_TIME,
            started_at,
            nonce,
            spill,
        })
    }
}
