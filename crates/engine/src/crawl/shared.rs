//! A crawl whose pages several processes ask for: each of them has its own frontier, which is the same for the same pages, and
//! what they may ask when is settled outside.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use fetch::KnownVersion;
use futures_util::future::FutureExt as _;
use model::capture::Extra;
use site::{FrontierEntry, PageFacts, SiteInputs, SpillFailure};

use super::judging::{self, CrawledPage};
use super::pace::{MOST_TRIES, rest};
use super::{Crawl, Shared, SitemapList};

/// A crawl that asks for nothing by itself.
pub struct SharedCrawl(Crawl);

impl std::fmt::Debug for SharedCrawl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedCrawl").field("start", &self.0.start).finish_non_exhaustive()
    }
}

/// Asks for single pages of a crawl. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CrawlAsker(Arc<Shared>);

/// What came of one request.
#[derive(Debug)]
pub enum CrawlAnswer {
    /// The page, and how long the site asks to be left alone after it.
    Page(Box<CrawledPage>, Option<Duration>),
    /// The site asks to be left alone so long, then the page is to be asked again.
    Rest(Duration),
}

impl Crawl {
    /// Leaves it to the caller which page is asked when.
    pub fn shared(self) -> SharedCrawl {
        SharedCrawl(self)
    }
}

impl SharedCrawl {
    /// What asks for its pages.
    pub fn asker(&self) -> CrawlAsker {
        CrawlAsker(Arc::clone(&self.0.shared))
    }

    /// Takes the facts of the page that comes next in order; `false` where another is next.
    pub fn commit(&mut self, page: &PageFacts) -> bool {
        self.0.commit(page)
    }

    /// As [`Crawl::check`].
    pub fn check(&self) -> Result<(), SpillFailure> {
        self.0.check()
    }

    /// The address at a place of the order, as far as it is known.
    pub fn entry(&self, at: usize) -> Option<FrontierEntry> {
        self.0.frontier.entry(at)
    }

    /// Addresses that are known, and those of them that are committed.
    pub fn progress(&self) -> (usize, usize) {
        self.0.progress()
    }

    /// What is known of the site besides its pages.
    pub fn inputs(&self) -> SiteInputs {
        self.0.inputs()
    }

    /// Sitemaps that pages see and the capture of the first page lacks, once: who joins this crawl needs them in it.
    pub fn take_sitemaps(&mut self) -> Vec<Extra> {
        std::mem::take(&mut self.0.asked_sitemaps)
    }

    /// What was read of the sitemaps, at most `most` listed addresses.
    pub fn sitemap_list(&self, most: usize) -> SitemapList {
        let mut list = self.0.shared.origin.list.clone();
        list.cut(most);
        list
    }

    /// Time between the beginnings of two requests.
    pub fn gap(&self) -> Duration {
        self.0.shared.pace.gap()
    }
}

impl CrawlAsker {
    /// Asks for a page once and judges it. `tries` counts the requests for it, from 1; the last of them takes what comes.
    pub async fn ask(&self, entry: &FrontierEntry, tries: u32) -> CrawlAnswer {
        let known = self.0.known.get(&entry.url);
        self.ask_for(entry, tries, known.as_ref().map(|(_, version)| version)).await
    }

    /// The same, whatever version of the page is known.
    pub async fn ask_unconditionally(&self, entry: &FrontierEntry, tries: u32) -> CrawlAnswer {
        self.ask_for(entry, tries, None).await
    }

    /// As [`Crawl::check`]: to be asked before what came is kept.
    pub fn check(&self) -> Result<(), SpillFailure> {
        self.0.spill.check()
    }

    /// The place of a page in the earlier run whose versions are known.
    pub fn place_before(&self, url: &str) -> Option<i64> {
        self.0.known.get(url).map(|(place, _)| place)
    }

    async fn ask_for(&self, entry: &FrontierEntry, tries: u32, known: Option<&KnownVersion>) -> CrawlAnswer {
        let caught = AssertUnwindSafe(self.asked(entry, tries, known)).catch_unwind().await;
        caught.unwrap_or_else(|_| CrawlAnswer::Page(Box::new(CrawledPage::of_defect(&entry.url)), None))
    }

    async fn asked(&self, entry: &FrontierEntry, tries: u32, known: Option<&KnownVersion>) -> CrawlAnswer {
        let shared = &*self.0;
        let url = match judging::admitted(shared, entry) {
            Ok(url) => url,
            Err(unasked) => return CrawlAnswer::Page(unasked, None),
        };
        let fetched = match shared.take_first(&entry.url) {
            Some(fetched) => fetched,
            None => shared.engine.fetcher().answer(&url, known, &shared.kept, shared.engine.page_deadline()).await,
        };
        match rest(&fetched, tries) {
            Some(rest) if tries < MOST_TRIES => CrawlAnswer::Rest(rest),
            rest => CrawlAnswer::Page(Box::new(judging::read(shared, entry, known, fetched).await), rest),
        }
    }
}
