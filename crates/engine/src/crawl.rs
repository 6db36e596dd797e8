//! The crawl of a site: every page asked once, judged, and given out in the order of the frontier.
//!
//! The order depends on the answers and not on the time they took: pages are given out in the order in which they were
//! found, and only what was given out and committed says what comes next.

mod judging;
mod known;
mod origin;
mod pace;
mod resources;
mod shared;
mod sitemaps;
mod spilling;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fetch::KeptConnections;
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use model::capture::{Capture, Extra, Fetched};
use model::time::Timestamp;
use site::{
    Frontier, FrontierEntry, FrontierLimits, FrontierScope, PageFacts, RunLimit, SiteInputs, Spill, SpillFailure,
    UrlList, Way, key, origin_variants,
};
use url::Url;

use crate::audit_loop::{AuditFailure, AuditInputs, Audited, Engine, Scheme};
pub use judging::CrawledPage;
pub use known::KnownVersions;
use origin::SiteOrigin;
use pace::{MOST_DELAY, Pace};
pub use resources::{CrawledResources, MOST_RESOURCES};
pub use shared::{CrawlAnswer, CrawlAsker, SharedCrawl};
pub use sitemaps::SitemapList;
use sitemaps::SitemapsReading;
pub use spilling::{crawl_spill, report_spill};

/// Pages that may be asked before the one that is to be given out next: what is held in memory.
const AHEAD: usize = 64;

/// How a site is crawled.
#[derive(Debug)]
pub struct CrawlOptions {
    /// How much is asked.
    pub limits: FrontierLimits,
    /// Requests at once.
    pub at_once: usize,
    /// Requests a second at most; `None` for as many as come.
    pub rate: Option<f64>,
    /// Whether robots.txt is obeyed.
    pub obeys_robots: bool,
    /// Whether fixes are proven, so that reports of pages have ready ones. Takes about three times the CPU time.
    pub proves: bool,
    /// Patterns of addresses that are asked; all where there are none.
    pub include: Vec<String>,
    /// Patterns of addresses that are not.
    pub exclude: Vec<String>,
    /// Sitemaps besides those that the site names.
    pub sitemaps: Vec<Url>,
    /// Pages to begin with besides the first.
    pub pages: Vec<Url>,
    /// Versions of the pages of an earlier run.
    pub known: KnownVersions,
    /// What was read of the sitemaps when the run began, where it goes on or is shared: no sitemap is asked for again. `None`
    /// for a new run.
    pub read_sitemaps: Option<SitemapList>,
    /// Time for reading all sitemaps; a file that was begun is read to its end.
    pub sitemap_time: Duration,
    /// The only "now" of the run.
    pub started_at: Timestamp,
    /// Nonce of the not-found probe: 32 hex digits.
    pub nonce: String,
    /// Where the addresses of the site are, and what its sitemaps say of them: [`crawl_spill`].
    pub spill: Spill,
}

/// Why a crawl could not begin.
#[derive(Debug)]
pub enum CrawlFailure {
    /// The first page could not be audited.
    Audit(AuditFailure),
    /// A pattern is none; what is wrong with it.
    Pattern(String),
    /// robots.txt could not be read, so crawlers have to stay away.
    RobotsUnreachable,
}

/// What all requests of a crawl share.
#[derive(Debug)]
struct Shared {
    engine: Engine,
    origin: SiteOrigin,
    pace: Pace,
    /// Connections to the site between two requests.
    kept: KeptConnections,
    obeys_robots: bool,
    proves: bool,
    known: KnownVersions,
    /// The answer of the first page, which was asked for with its files.
    first: Mutex<Option<(String, Fetched)>>,
    started_at: Timestamp,
    nonce: String,
    spill: Spill,
}

impl Shared {
    /// The answer that came already, once.
    fn take_first(&self, url: &str) -> Option<Fetched> {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.take_if(|(known, _)| known == url).map(|(_, fetched)| fetched)
    }
}

/// A page that is on its way, with its place in the order.
type Coming = BoxFuture<'static, (usize, CrawledPage)>;

/// A running crawl.
pub struct Crawl {
    shared: Arc<Shared>,
    frontier: Frontier,
    start: Url,
    probes: Vec<String>,
    running: FuturesUnordered<Coming>,
    /// Pages that came before their turn.
    ready: BTreeMap<usize, CrawledPage>,
    /// Addresses that were begun.
    begun: usize,
    ahead: usize,
    /// Sitemaps that pages see and the capture of the first page lacks.
    asked_sitemaps: Vec<Extra>,
}

impl Crawl {
    /// Begins a crawl at a page that was parsed by the fetcher's intake: audits it for the files of its site, and reads the
    /// sitemaps.
    pub async fn begin(engine: Engine, url: &Url, scheme: Scheme, options: CrawlOptions) -> Result<Self, CrawlFailure> {
        // Before the first request: a mistake of the caller needs none.
        FrontierScope::new(url, &options.include, &options.exclude).map_err(|error| of_pattern(&error))?;
        let capture = Self::first_page(&engine, url, scheme, &options).await?;
        let mut crawl = Self::begin_with(engine, url, capture, options).await?;
        // Nobody shares this crawl.
        crawl.asked_sitemaps = Vec::new();
        Ok(crawl)
    }

    /// Asks for the first page and the files of its site.
    pub async fn first_page(
        engine: &Engine,
        url: &Url,
        scheme: Scheme,
        options: &CrawlOptions,
    ) -> Result<Capture, CrawlFailure> {
        let given = AuditInputs {
            started_at: options.started_at,
            nonce: options.nonce.clone(),
            scheme,
            progress: None,
            keep_sitemaps: true,
        };
        let audited = engine.audit(url, given, engine.deadline(), std::convert::identity).await;
        audited.map(|Audited { capture, .. }| capture).map_err(CrawlFailure::Audit)
    }

    /// Begins a crawl with what [`Self::first_page`] answered; sitemaps that are not part of that are asked for.
    pub async fn begin_with(
        engine: Engine,
        url: &Url,
        capture: Capture,
        options: CrawlOptions,
    ) -> Result<Self, CrawlFailure> {
        let mut origin = SiteOrigin::of(&capture, &options.spill);
        if options.obeys_robots && origin.is_closed() {
            return Err(CrawlFailure::RobotsUnreachable);
        }
        let delay = origin.delay().filter(|_| options.obeys_robots).map(gap_of);
        let by_rate = options.rate.filter(|rate| *rate > 0.0).map(|rate| gap_of(1.0 / rate));
        let gap = delay.unwrap_or_default().max(by_rate.unwrap_or_default());
        let pace = Pace::new(if gap.is_zero() { options.at_once } else { options.at_once.min(2) }, gap);
        let reading = SitemapsReading::new(&engine, &pace, &capture, options.sitemap_time);
        let asked_sitemaps = origin.read_sitemaps(reading, &options.sitemaps, options.read_sitemaps).await;
        // Where the first page redirects within the site or to its other host, the site is where it leads.
        let answered = capture.page.response().and_then(|exchange| Url::parse(&exchange.url).ok());
        let start = answered.and_then(|url| key(&url)).unwrap_or_else(|| url.clone());
        let scope =
            FrontierScope::new(&start, &options.include, &options.exclude).map_err(|error| of_pattern(&error))?;
        let mut frontier = Frontier::new(scope, options.limits, &options.spill);
        frontier.begin(&start, Way::Start);
        // What was asked for in the end: not https where that was assumed, and refused.
        let asked = Url::parse(&capture.requested_url).unwrap_or_else(|_| url.clone());
        for page in [&asked].into_iter().chain(&options.pages) {
            frontier.begin(page, Way::Start);
        }
        let mut probes = Vec::new();
        for variant in origin_variants(&start) {
            if frontier.begin(&variant, Way::Probe) {
                probes.push(variant.into());
            }
        }
        frontier.list(origin.list.listed.iter().flat_map(UrlList::iter));
        let is_direct = capture.page.response().is_some_and(|exchange| exchange.hops.is_empty());
        let first = is_direct.then(|| (start.as_str().to_owned(), capture.page));
        let shared = Shared {
            engine,
            origin,
            pace,
            kept: KeptConnections::default(),
            obeys_robots: options.obeys_robots,
            proves: options.proves,
            known: options.known,
            first: Mutex::new(first),
            started_at: options.started_at,
            nonce: options.nonce,
            spill: options.spill,
        };
        Ok(Self {
            shared: Arc::new(shared),
            frontier,
            start,
            probes,
            running: FuturesUnordered::new(),
            ready: BTreeMap::new(),
            begun: 0,
            ahead: AHEAD.max(options.at_once * 4),
            asked_sitemaps,
        })
    }

    /// The first page.
    pub fn start(&self) -> &Url {
        &self.start
    }

    /// Addresses that are known, and those of them that are done.
    pub fn progress(&self) -> (usize, usize) {
        (self.frontier.len(), self.frontier.committed())
    }

    /// Takes the facts of the page that comes next in order: of the one that [`Self::next`] gave, or of one that an
    /// interrupted run had kept. `false` where another page is next, which is then not taken.
    pub fn commit(&mut self, page: &PageFacts) -> bool {
        let at = self.frontier.committed();
        if at >= self.frontier.len() || self.frontier.url(at) != page.url {
            return false;
        }
        self.frontier.commit(page);
        self.begun = self.begun.max(self.frontier.committed());
        true
    }

    /// Whether what was kept of the site's addresses could be read again: to be asked at the end, and before what came is kept.
    pub fn check(&self) -> Result<(), SpillFailure> {
        self.frontier.check()
    }

    /// The next page in order; `None` at the end. Each has to be committed before the next is asked for.
    pub async fn next(&mut self) -> Option<CrawledPage> {
        let wanted = self.frontier.committed();
        loop {
            self.start_more(wanted);
            if let Some(page) = self.ready.remove(&wanted) {
                return Some(page);
            }
            let (at, page) = self.running.next().await?;
            self.ready.insert(at, page);
        }
    }

    fn start_more(&mut self, wanted: usize) {
        while self.begun < wanted + self.ahead
            && let Some(entry) = self.frontier.entry(self.begun)
        {
            let (shared, at) = (Arc::clone(&self.shared), self.begun);
            self.begun += 1;
            self.running.push(coming(shared, at, entry));
        }
    }

    /// Asks whether images of the site are there.
    pub async fn images(&self, urls: BTreeSet<String>) -> CrawledResources {
        resources::images(&self.shared, urls, self.ahead).await
    }

    /// Asks whether pages of other sites are there: with HEAD, and with GET where a server may treat HEAD otherwise.
    pub async fn external(&self, urls: BTreeSet<String>) -> CrawledResources {
        resources::external(&self.shared, urls).await
    }

    /// Whether an address is of the site.
    pub fn is_internal(&self, url: &Url) -> bool {
        self.frontier.scope().is_internal(url)
    }

    /// What was read of the sitemaps, for [`CrawlOptions::read_sitemaps`].
    pub fn sitemap_list(&self) -> SitemapList {
        self.shared.origin.list.clone()
    }

    /// What is known of the site besides its pages.
    pub fn inputs(&self) -> SiteInputs {
        let mut limits = self.frontier.limits_met().clone();
        limits.extend(self.shared.origin.list.are_left_out.then_some(RunLimit::Sitemaps));
        SiteInputs {
            start: self.start.as_str().to_owned(),
            listed: self.shared.origin.list.listed.clone(),
            sitemaps_complete: self.shared.origin.list.complete,
            unread_sitemaps: self.shared.origin.list.unread.clone(),
            complete: self.frontier.is_complete(),
            limits,
            probes: self.probes.clone(),
            images_asked: false,
            external_asked: false,
            traps: self.frontier.traps(),
        }
    }
}

/// One page. A panic is a defect of ours, and the page then one without an answer: the run goes on.
fn coming(shared: Arc<Shared>, at: usize, entry: FrontierEntry) -> Coming {
    let url = entry.url.clone();
    let asking = async move { judging::crawled(&shared, &entry).await };
    let caught = AssertUnwindSafe(asking).catch_unwind();
    caught.map(move |page| (at, page.unwrap_or_else(|_| CrawledPage::of_defect(&url)))).boxed()
}

fn of_pattern(error: &dyn std::fmt::Display) -> CrawlFailure {
    CrawlFailure::Pattern(error.to_string())
}

/// So many seconds between requests, within bounds.
fn gap_of(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(MOST_DELAY).min(MOST_DELAY)
}
