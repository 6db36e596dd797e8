//! A site's robots.txt and sitemaps as they come in: each is read once, and then its bytes may go.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::capture::{Capture, Extra, WantKind};

use super::robots_txt::RobotsState;
use super::sitemap::{ListedPage, SitemapEntry, SitemapFile};
use super::walk::Page;

/// One file, read.
#[derive(Debug)]
pub enum SiteFile {
    /// robots.txt.
    Robots(RobotsState),
    /// A sitemap.
    Sitemap(Box<SitemapFile>),
}

impl SiteFile {
    /// Reads a file that came; `None` for one of another kind. A sitemap may be megabytes: it is searched for `target`.
    pub fn read(extra: &Extra, target: &ListedPage) -> Option<Self> {
        match extra.want.kind {
            WantKind::RobotsTxt => Some(Self::Robots(RobotsState::read(&extra.fetched))),
            WantKind::Sitemap => {
                Some(Self::Sitemap(Box::new(SitemapFile::read(&extra.want.url, &extra.fetched, target))))
            }
            _ => None,
        }
    }
}

/// What is known of the files of a site.
#[derive(Debug, Default, Clone)]
pub struct SiteFiles {
    pub(super) robots: Option<Arc<RobotsState>>,
    /// By the address asked for.
    pub(super) sitemaps: BTreeMap<String, Arc<SitemapFile>>,
}

impl SiteFiles {
    /// Reads all files of a capture.
    pub fn read(capture: &Capture, page: &Page) -> Self {
        let target = ListedPage::of(capture, page);
        let mut files = Self::default();
        capture.extras.iter().filter_map(|extra| SiteFile::read(extra, &target)).for_each(|file| files.add(file));
        files
    }

    /// The same files for one of many pages: of the sitemaps with these addresses, with the entries that list it.
    pub fn listing(&self, listings: impl IntoIterator<Item = (String, SitemapEntry)>) -> Self {
        let mut files = self.clone();
        for (url, entry) in listings {
            if let Some(file) = files.sitemaps.get_mut(&url) {
                Arc::make_mut(file).entries.push(entry);
            }
        }
        files
    }

    /// The state of robots.txt.
    pub fn robots(&self) -> Option<&RobotsState> {
        self.robots.as_deref()
    }

    /// Takes another answer for a file.
    pub(crate) fn replace(&mut self, file: SiteFile) {
        match file {
            SiteFile::Robots(state) => self.robots = Some(Arc::new(state)),
            SiteFile::Sitemap(file) => {
                self.sitemaps.insert(file.url.clone(), Arc::new(*file));
            }
        }
    }

    /// Adds a file. Of two answers to the same request the first counts, as in a capture.
    pub fn add(&mut self, file: SiteFile) {
        match file {
            SiteFile::Robots(state) => {
                self.robots.get_or_insert_with(|| Arc::new(state));
            }
            SiteFile::Sitemap(file) => {
                self.sitemaps.entry(file.url.clone()).or_insert_with(|| Arc::new(*file));
            }
        }
    }
}
