//! How a site is to be run: what a caller asks for, checked.

use std::time::Duration;

use engine::{CrawlOptions, KnownVersions, Scheme, SitemapList, crawl_spill};
use model::lang::{Text, text};
use model::money::Micros;
use model::time::Timestamp;
use regex::RegexSetBuilder;
use serde::{Deserialize, Serialize};
use site::FrontierLimits;
use url::Url;

use crate::error::{Code, ServiceError};
use crate::services::Services;

/// Pages where a caller names no number.
const USUAL_PAGES: u32 = 1_000;
/// Clicks from the first page where a caller names no number, and at most.
pub const MOST_DEPTH: u32 = 1_000;
/// Patterns of `include`, and of `exclude`.
const MOST_PATTERNS: usize = 20;
/// Characters of a pattern.
const PATTERN_CHARS: usize = 200;
/// Bytes of the compiled patterns of one list: far above what addresses take, and compiled in milliseconds.
const PATTERN_BYTES: usize = 1024 * 1024;
/// Sitemaps that a caller may name.
const MOST_SITEMAPS: usize = 10;
/// Time for reading sitemaps. With the first page before them and one file after, well within that of a job.
const SITEMAP_TIME: Duration = Duration::from_secs(240);
/// Requests at once, as of the command line: one for each seat.
pub(crate) const SEATS: u32 = 2;

/// What a caller asks for.
#[derive(Debug, Clone, Default)]
pub struct SiteRequest {
    /// Address of the first page.
    pub url: String,
    /// `https` of the address was assumed, not typed: a site that refuses it is tried over http.
    pub assumes_https: bool,
    /// Maximum number of URLs to request.
    pub max_pages: Option<u32>,
    /// Maximum clicks from the first page.
    pub max_depth: Option<u32>,
    /// Patterns of addresses that are asked.
    pub include: Vec<String>,
    /// Patterns of addresses that are not.
    pub exclude: Vec<String>,
    /// Sitemaps besides those that the site names.
    pub sitemaps: Vec<String>,
    /// What the run spends of a credit at most.
    pub max_usd: Option<Micros>,
}

/// How a site is to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitePlan {
    /// The first page.
    pub url: Url,
    /// How.
    pub options: SiteOptions,
    /// What the run spends at most.
    pub most: Option<Micros>,
}

/// Options of a run as they are stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteOptions {
    /// Maximum number of URLs to request.
    pub max_pages: u32,
    /// Maximum clicks from the first page.
    pub max_depth: u32,
    /// Patterns of addresses that are asked; all where there are none.
    pub include: Vec<String>,
    /// Patterns of addresses that are not.
    pub exclude: Vec<String>,
    /// Sitemaps besides those that the site names.
    pub sitemaps: Vec<String>,
    /// `https` of the address was assumed, not typed.
    #[serde(default)]
    pub assumes_https: bool,
}

impl SiteRequest {
    /// Checks what a caller asks for. [`Code::InvalidBody`] names the field.
    pub fn plan(&self, services: &Services) -> Result<SitePlan, ServiceError> {
        const PAGES: Text = text("max_pages: use a number from 1 to {most}", "max_pages: use um número de 1 a {most}");
        const DEPTH: Text = text("max_depth: use a number from 0 to {most}", "max_depth: use um número de 0 a {most}");
        const SITEMAPS: Text =
            text("sitemaps: name at most {most} sitemaps", "sitemaps: indique no máximo {most} sitemaps");
        let most_pages = services.config().limits.site_pages;
        let max_pages = self.max_pages.unwrap_or(USUAL_PAGES.min(most_pages));
        let max_depth = self.max_depth.unwrap_or(MOST_DEPTH);
        let url = services.engine().fetcher().intake(&self.url)?;
        if !(1..=most_pages).contains(&max_pages) {
            return Err(refused(PAGES, most_pages));
        }
        if max_depth > MOST_DEPTH {
            return Err(refused(DEPTH, MOST_DEPTH));
        }
        check_patterns("include", &self.include)?;
        check_patterns("exclude", &self.exclude)?;
        if self.sitemaps.len() > MOST_SITEMAPS {
            return Err(refused(SITEMAPS, u32::try_from(MOST_SITEMAPS).unwrap_or(u32::MAX)));
        }
        let sitemaps = self.sitemaps.iter().map(|text| Ok(services.engine().fetcher().intake(text)?.into()));
        let sitemaps = sitemaps.collect::<Result<_, ServiceError>>()?;
        let (include, exclude) = (self.include.clone(), self.exclude.clone());
        let options =
            SiteOptions { max_pages, max_depth, include, exclude, sitemaps, assumes_https: self.assumes_https };
        Ok(SitePlan { url, options, most: self.max_usd })
    }
}

/// The amount of `max_usd`; [`Code::InvalidBody`] for what is no amount.
pub fn dollars(max_usd: f64) -> Result<Micros, ServiceError> {
    const USD: Text = text(
        "max_usd: use an amount of dollars from 0 to 1000000, in whole millionths",
        "max_usd: use um valor em dólares de 0 a 1000000, em milionésimos inteiros",
    );
    Micros::from_dollars(max_usd).ok_or_else(|| ServiceError::new(Code::InvalidBody).explained(USD.into()))
}

fn refused(words: Text, most: u32) -> ServiceError {
    ServiceError::new(Code::InvalidBody).explained(words.phrase(&[("most", most.into())]))
}

fn check_patterns(field: &'static str, patterns: &[String]) -> Result<(), ServiceError> {
    const MANY: Text = text(
        "{field}: use at most {most} patterns of at most {chars} characters",
        "{field}: use no máximo {most} padrões de no máximo {chars} caracteres",
    );
    const BROKEN: Text = text(
        "{field}: use regular expressions that are valid and not too large",
        "{field}: use expressões regulares válidas e não grandes demais",
    );
    let invalid = |words: Text| {
        let values = [("field", field.into()), ("most", MOST_PATTERNS.into()), ("chars", PATTERN_CHARS.into())];
        Err(ServiceError::new(Code::InvalidBody).explained(words.phrase(&values)))
    };
    if patterns.len() > MOST_PATTERNS || patterns.iter().any(|pattern| pattern.chars().count() > PATTERN_CHARS) {
        return invalid(MANY);
    }
    match RegexSetBuilder::new(patterns).size_limit(PATTERN_BYTES).build() {
        Ok(_) => Ok(()),
        Err(_) => invalid(BROKEN),
    }
}

impl SiteOptions {
    /// Where the scheme of the address comes from.
    pub(crate) fn scheme(&self) -> Scheme {
        if self.assumes_https { Scheme::Assumed } else { Scheme::Typed }
    }

    /// How the site is crawled. `read_sitemaps`: what was read of its sitemaps at the beginning. Versions of pages are not known
    /// yet.
    pub(crate) fn crawl(
        &self,
        started_at: Timestamp,
        nonce: String,
        read_sitemaps: Option<SitemapList>,
    ) -> CrawlOptions {
        let spill = crawl_spill(None);
        CrawlOptions {
            limits: FrontierLimits { pages: self.max_pages as usize, depth: self.max_depth },
            at_once: SEATS as usize,
            rate: None,
            obeys_robots: true,
            // Each page is paid for as an audit, so its report has ready fixes too.
            proves: true,
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            sitemaps: self.sitemaps.iter().filter_map(|url| Url::parse(url).ok()).collect(),
            pages: Vec::new(),
            known: KnownVersions::new(&spill),
            read_sitemaps,
            sitemap_time: SITEMAP_TIME,
            started_at,
            nonce,
            spill,
        }
    }
}
