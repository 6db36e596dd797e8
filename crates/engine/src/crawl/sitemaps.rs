//! The sitemaps of a site, read once for all pages: those that an audit of a page reads, and the others up to the limits of
//! a run.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use audit::facts::sitemap::{End, ListedPage, SitemapEntry, SitemapFile, SitemapKind};
use audit::facts::url_identity::{identity, same_site};
use model::capture::{Capture, Extra, FailureKind, FetchFailure, Fetched, Want, WantKind};
use serde::{Deserialize, Serialize};
use site::{UrlList, key};
use tokio::time::Instant;
use url::Url;

use super::pace::Pace;
use crate::audit_loop::{AUDIT_TIME, Engine};

/// Sitemap files of a run, index files among them. Chosen: an index may name 50,000 (sitemaps.org protocol), and a run asks
/// for them before the first page.
const MOST_FILES: usize = 1_000;
/// Decoded bytes of them: two million addresses.
const MOST_BYTES: usize = 256 * 1024 * 1024;
/// Files of other sites among them. The protocol allows them, but whoever writes a robots.txt must not make a run ask much
/// of somebody else.
const MOST_FOREIGN: usize = 20;
/// Listed addresses kept of all sitemaps: the most pages of a run.
const MOST_LISTED: usize = 1_000_000;
/// Language versions kept of all sitemaps: they take much more memory than the addresses.
const MOST_ALTERNATES: usize = 200_000;
/// Sitemaps that could not be read and are told.
const MOST_TOLD: usize = 100;

/// What was read of the sitemaps of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SitemapList {
    /// Keys of the listed pages in the order of the files; `None` where the site has no sitemap.
    pub listed: Option<UrlList>,
    /// Every sitemap was read to its end.
    pub complete: bool,
    /// Sitemaps that were named, by robots.txt or by the caller, and could not be read to their end.
    pub unread: Vec<String>,
    /// The limits of a run left files or addresses out.
    pub are_left_out: bool,
}

impl SitemapList {
    /// Leaves out the listed addresses after the first `most`.
    pub(super) fn cut(&mut self, most: usize) {
        if let Some(listed) = self.listed.as_mut().filter(|listed| listed.len() > most) {
            listed.truncate(most);
            (self.complete, self.are_left_out) = (false, true);
        }
    }
}

/// Who says that there is a sitemap at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SitemapSource {
    /// Nobody: it is looked for at a usual place.
    Guess,
    /// robots.txt, or the caller.
    Named,
    /// An index.
    Index,
}

/// What was read of the sitemaps so far.
pub(super) struct SitemapsReading<'a> {
    engine: &'a Engine,
    pace: &'a Pace,
    /// Of the first page, which may have files that were asked for already.
    pub(super) capture: &'a Capture,
    /// Whether files are asked for that the capture lacks.
    pub(super) asks: bool,
    /// Files that were asked for as the capture lacks them.
    pub(super) asked: Vec<Extra>,
    /// Whether those are kept.
    pub(super) keeps: bool,
    ends: Instant,
    /// Identities of the files that were asked for.
    seen: BTreeSet<String>,
    bytes: usize,
    foreign: usize,
    alternates: usize,
    /// Files that indexes name, in order.
    children: VecDeque<Url>,
    /// A place where sitemaps usually are gave no clear answer.
    is_unsure: bool,
    /// Keys of the listed pages, in the order of the files.
    pub(super) listed: UrlList,
    /// Files that were named and could not be read to their end, at most [`MOST_TOLD`].
    pub(super) unread: Vec<String>,
    /// The limits of a run left files or addresses out.
    pub(super) are_left_out: bool,
}

impl<'a> SitemapsReading<'a> {
    /// Nothing yet. A file that is begun within `time` is read to its end.
    pub(super) fn new(engine: &'a Engine, pace: &'a Pace, capture: &'a Capture, time: Duration) -> Self {
        Self {
            engine,
            pace,
            capture,
            asks: true,
            asked: Vec::new(),
            keeps: true,
            ends: Instant::now() + time,
            seen: BTreeSet::new(),
            bytes: 0,
            foreign: 0,
            alternates: 0,
            children: VecDeque::new(),
            is_unsure: false,
            listed: UrlList::default(),
            unread: Vec::new(),
            are_left_out: false,
        }
    }

    /// Whether an index that was read names a file.
    pub(super) fn is_of_index(&self, url: &str) -> bool {
        self.children.iter().any(|child| child.as_str() == url)
    }

    /// Every file was read to its end.
    pub(super) fn is_complete(&self) -> bool {
        self.unread.is_empty() && !self.are_left_out && !self.is_unsure
    }

    /// Reads a file: itself, and what it lists by the key of the page. A guess need not be there. An index in an index is
    /// not followed: the protocol has one level.
    pub(super) async fn read(
        &mut self,
        url: &str,
        source: SitemapSource,
    ) -> (SitemapFile, Vec<(String, SitemapEntry)>) {
        self.seen.extend(Url::parse(url).map(|url| identity(&url)));
        let mut file = self.fetched(url).await;
        self.bytes = self.bytes.saturating_add(file.size);
        let is_whole = file.end == End::Whole && file.kind.is_some() && file.fault.is_none();
        let children = std::mem::take(&mut file.every_child);
        if source == SitemapSource::Guess && !file.is_sitemap() {
            self.is_unsure |= matches!(file.end, End::Unread(_) | End::TooLarge);
        } else if !is_whole || source == SitemapSource::Index && file.kind == Some(SitemapKind::Index) {
            self.tell_unread(url);
        }
        if source != SitemapSource::Index {
            self.children.extend(children);
        }
        let mut entries = Vec::new();
        for mut entry in std::mem::take(&mut file.entries) {
            let Some(key) = entry.url().and_then(|url| key(&url)).map(String::from) else { continue };
            if self.listed.len() >= MOST_LISTED {
                self.are_left_out = true;
                break;
            }
            self.alternates += entry.alternates.len();
            if self.alternates > MOST_ALTERNATES {
                entry.alternates = Vec::new();
            }
            self.listed.push(&key);
            entries.push((key, entry));
        }
        (file, entries)
    }

    /// Reads the files that the caller named, then every file of an index that was not read.
    pub(super) async fn read_rest(&mut self, named: &[Url]) {
        let base = self.capture.page.response().and_then(|exchange| Url::parse(&exchange.url).ok());
        for url in named {
            if self.may_read(url) {
                self.read(url.as_str(), SitemapSource::Named).await;
            }
        }
        while let Some(url) = self.children.pop_front() {
            let is_foreign = base.as_ref().is_none_or(|base| !same_site(&url, base));
            self.foreign += usize::from(is_foreign);
            if is_foreign && self.foreign > MOST_FOREIGN {
                self.are_left_out = true;
                continue;
            }
            if self.may_read(&url) {
                self.read(url.as_str(), SitemapSource::Index).await;
            }
        }
    }

    /// Whether a file is new, and the limits allow one more.
    fn may_read(&mut self, url: &Url) -> bool {
        if self.seen.contains(&identity(url)) {
            return false;
        }
        let is_over = self.seen.len() >= MOST_FILES || self.bytes >= MOST_BYTES || Instant::now() >= self.ends;
        self.are_left_out |= is_over;
        !is_over
    }

    fn tell_unread(&mut self, url: &str) {
        if self.unread.len() >= MOST_TOLD {
            self.are_left_out = true;
        } else if self.unread.iter().all(|known| known != url) {
            self.unread.push(url.to_owned());
        }
    }

    /// Fetches and reads a file with all of its entries.
    async fn fetched(&mut self, url: &str) -> SitemapFile {
        let want = Want { kind: WantKind::Sitemap, url: url.to_owned() };
        let known = self.capture.extras.iter().find(|extra| extra.want == want).map(|extra| extra.fetched.clone());
        let (fetched, room, until) = match known {
            Some(fetched) => (fetched, None, Instant::now() + AUDIT_TIME),
            None if !self.asks => return unread(url, "not_kept"),
            None => {
                let permit = self.pace.enter().await;
                let until = Instant::now() + AUDIT_TIME;
                let (fetched, room) = self.engine.fetcher().large(&want, until).await;
                drop(permit);
                if self.keeps {
                    self.asked.push(Extra { want: want.clone(), fetched: fetched.clone() });
                }
                (fetched, Some(room), until)
            }
        };
        let bytes = fetched.response().map_or(0, |exchange| exchange.body.bytes.len());
        let read = move || {
            let file = SitemapFile::read(&want.url, &fetched, &ListedPage::every());
            drop(room);
            file
        };
        let file = self.engine.cores().run(bytes, until, read).await;
        file.unwrap_or_else(|_| unread(url, "overloaded"))
    }
}

/// A file that could not be read by us: the reason in a word.
fn unread(url: &str, reason: &str) -> SitemapFile {
    let failure =
        FetchFailure { kind: FailureKind::Timeout, reason: reason.to_owned(), hops: Vec::new(), url: url.to_owned() };
    SitemapFile::read(url, &Fetched::Failed(failure), &ListedPage::default())
}
