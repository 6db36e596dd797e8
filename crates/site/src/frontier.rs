//! The frontier: which addresses a run asks, in which order. Pure, and the same for the same answers, whatever time each took:
//! pages are committed in the order of the frontier.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::address::{MOST_ADDRESS_BYTES, key};
use crate::column::{Column, Record, record};
use crate::facts::{MOST_HOPS, TextId, TextTable};
use crate::page_facts::{PageAnswer, PageFacts, RunLimit};
use crate::scope::FrontierScope;
use crate::spill::{Spill, SpillFailure};
use crate::traps::{Trap, Traps, shape};
use crate::url_list::{UrlCursor, UrlList};

/// How much a run asks at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrontierLimits {
    /// Addresses.
    pub pages: usize,
    /// Clicks from the first page.
    pub depth: u32,
}

/// How an address came into the frontier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// The first page, or one of a given list.
    Start,
    /// A link, a canonical, a language version, a step of a breadcrumb or a redirect.
    Link,
    /// A sitemap.
    Sitemap,
    /// An address that a visitor may type.
    Probe,
}

/// An address of the frontier.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrontierEntry {
    /// Its key.
    pub url: String,
    /// How it came.
    pub way: Way,
    /// Clicks from the first page on the way on which it was found.
    pub depth: u32,
    /// How many pages of its kind led to each other before it, in tenths: one that leads to nothing else new counts whole,
    /// another a tenth.
    pub row: u32,
    /// Redirects in a row that led to it.
    pub redirects: u32,
}

/// An address of the frontier, without the address.
#[derive(Debug, Clone, Copy)]
struct EntryWay {
    way: Way,
    depth: u32,
    row: u32,
    redirects: u32,
}

record!(EntryWay { way: Way, depth: u32, row: u32, redirects: u32 });

impl Record for Way {
    const BYTES: usize = 1;

    fn write(self, bytes: &mut [u8]) {
        let number: u8 = match self {
            Self::Start => 0,
            Self::Link => 1,
            Self::Sitemap => 2,
            Self::Probe => 3,
        };
        number.write(bytes);
    }

    fn read(bytes: &[u8]) -> Self {
        match u8::read(bytes) {
            0 => Self::Start,
            1 => Self::Link,
            2 => Self::Sitemap,
            _ => Self::Probe,
        }
    }
}

/// The addresses of a run, in order. Those before [`Frontier::committed`] are done.
#[derive(Debug)]
pub struct Frontier {
    spill: Spill,
    scope: FrontierScope,
    limits: FrontierLimits,
    /// The addresses, numbered in their order.
    urls: TextTable,
    entries: Column<EntryWay>,
    /// Listed addresses, asked when no linked one is left.
    listed: UrlList,
    /// Those that were taken.
    taken: UrlCursor,
    committed: usize,
    traps: Traps,
    limits_met: BTreeSet<RunLimit>,
}

impl Frontier {
    /// An empty frontier, whose addresses go to `spill`.
    pub fn new(scope: FrontierScope, limits: FrontierLimits, spill: &Spill) -> Self {
        Self {
            spill: spill.clone(),
            scope,
            limits,
            urls: TextTable::new(spill),
            entries: Column::new(spill),
            listed: UrlList::default(),
            taken: UrlCursor::default(),
            committed: 0,
            traps: Traps::default(),
            limits_met: BTreeSet::new(),
        }
    }

    /// Adds a page to begin with, whatever the patterns say. `false` where it is no page of the site or known.
    pub fn begin(&mut self, url: &Url, way: Way) -> bool {
        let Some(url) = key(url).filter(|url| self.scope.is_internal(url)) else { return false };
        self.push(FrontierEntry { url: url.into(), way, depth: 0, row: 0, redirects: 0 })
    }

    /// Adds the addresses of sitemaps. They are asked when no linked one is left.
    pub fn list(&mut self, urls: impl IntoIterator<Item = impl AsRef<str>>) {
        urls.into_iter().for_each(|url| self.listed.push(url.as_ref()));
    }

    /// The address at a place of the order; `None` too where it can't be read again ([`Self::check`]).
    pub fn entry(&self, at: usize) -> Option<FrontierEntry> {
        let EntryWay { way, depth, row, redirects } = self.entries.get(at)?;
        let entry = FrontierEntry { url: self.url(at), way, depth, row, redirects };
        self.check().is_ok().then_some(entry)
    }

    /// Whether what was kept of the addresses could be read again. If not, the frontier is of no more use.
    pub fn check(&self) -> Result<(), SpillFailure> {
        self.spill.check()
    }

    /// The address itself; empty where none is known.
    pub fn url(&self, at: usize) -> String {
        u32::try_from(at).map(|at| self.urls.get(TextId(at))).unwrap_or_default()
    }

    /// Addresses known so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no address is known.
    pub fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }

    /// Addresses whose answers were committed.
    pub fn committed(&self) -> usize {
        self.committed
    }

    /// The scope.
    pub fn scope(&self) -> &FrontierScope {
        &self.scope
    }

    /// Whether nothing that belongs to the site was left out for a limit. What patterns and traps leave out does not count.
    pub fn is_complete(&self) -> bool {
        self.limits_met.is_empty() && self.committed == self.entries.len() && self.taken.is_at_end(&self.listed)
    }

    /// The limits that left addresses out.
    pub fn limits_met(&self) -> &BTreeSet<RunLimit> {
        &self.limits_met
    }

    /// The traps that were met.
    pub fn traps(&self) -> Vec<Trap> {
        self.traps.found()
    }

    /// Takes the answer of the next address in order: adds what it links.
    pub fn commit(&mut self, page: &PageFacts) {
        let Some(entry) = self.entry(self.committed) else { return };
        self.committed += 1;
        match &page.answer {
            PageAnswer::Document(document) => {
                if document.cut {
                    self.limits_met.insert(RunLimit::Links);
                }
                let links = document.links.iter().map(|link| link.url.as_str());
                let named = document.canonical.iter().chain(document.alternates.iter().map(|(_, url)| url));
                let named = named.chain(&document.breadcrumb);
                let urls: Vec<&str> = links.chain(named.map(String::as_str)).collect();
                let step = if self.leads_elsewhere(&entry, &urls) { 1 } else { 10 };
                let from = FrontierEntry { redirects: 0, ..entry };
                for url in urls {
                    self.offer(url, &from, from.depth + 1, step);
                }
            }
            // A longer chain counts as a loop, wherever it ends.
            PageAnswer::Redirect { to: Some(to), .. } if entry.redirects <= MOST_HOPS => {
                let next = FrontierEntry { redirects: entry.redirects + 1, ..entry.clone() };
                self.offer(to, &next, entry.depth, 10);
            }
            _ => {}
        }
        if self.committed == self.entries.len() {
            self.take_listed();
        }
    }

    /// Whether a page links a new address of the site that is of another kind than its own.
    fn leads_elsewhere(&self, from: &FrontierEntry, urls: &[&str]) -> bool {
        let kind = Url::parse(&from.url).map(|url| shape(&url));
        urls.iter().filter(|url| !self.urls.contains(url)).any(|url| {
            let url = Url::parse(url).ok().filter(|url| self.scope.admits(url));
            url.is_some_and(|url| kind.as_ref() != Ok(&shape(&url)))
        })
    }

    /// Adds an address that a page of the order names, after as many redirects as `from` has. `step` is what that page adds
    /// to a row of its kind.
    fn offer(&mut self, text: &str, from: &FrontierEntry, depth: u32, step: u32) {
        if self.urls.contains(text) {
            return;
        }
        let Ok(url) = Url::parse(text) else { return };
        if !self.scope.admits(&url) {
            return;
        }
        let is_of_kind = Url::parse(&from.url).is_ok_and(|from| shape(&from) == shape(&url));
        let row = if is_of_kind { from.row.saturating_add(step) } else { 0 };
        if self.is_full() {
            self.limits_met.insert(RunLimit::Pages);
        } else if depth > self.limits.depth {
            self.limits_met.insert(RunLimit::Depth);
        } else if self.traps.admit(&url, &from.url, row) {
            let redirects = from.redirects;
            self.push(FrontierEntry { url: text.to_owned(), way: Way::Link, depth, row, redirects });
        }
    }

    /// Adds listed addresses until one is new. One at a time: what it links comes before the next.
    fn take_listed(&mut self) {
        while let Some(url) = self.taken.next(&self.listed).map(str::to_owned) {
            if self.urls.contains(&url) || !Url::parse(&url).is_ok_and(|url| self.scope.admits(&url)) {
                continue;
            }
            if self.is_full() {
                self.limits_met.insert(RunLimit::Pages);
                return;
            }
            self.push(FrontierEntry { url, way: Way::Sitemap, depth: 0, row: 0, redirects: 0 });
            // A batch, so that several can be asked at once.
            if self.entries.len() - self.committed >= LISTED_AT_ONCE {
                return;
            }
        }
    }

    fn is_full(&self) -> bool {
        self.entries.len() >= self.limits.pages || !self.urls.has_room(MOST_ADDRESS_BYTES)
    }

    fn push(&mut self, entry: FrontierEntry) -> bool {
        let FrontierEntry { url, way, depth, row, redirects } = entry;
        if self.is_full() || self.urls.contains(&url) {
            return false;
        }
        self.urls.add(&url);
        self.entries.push(EntryWay { way, depth, row, redirects });
        true
    }
}

/// Listed addresses that are taken together when no linked one is left.
const LISTED_AT_ONCE: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_facts::{DocumentFacts, PageLink, PageRole};

    fn frontier(pages: usize) -> Frontier {
        let start = Url::parse("https://e.com/").unwrap();
        let scope = FrontierScope::new(&start, &[], &["/private/".to_owned()]).unwrap();
        let mut frontier = Frontier::new(scope, FrontierLimits { pages, depth: 5 }, &Spill::default());
        assert!(frontier.begin(&start, Way::Start));
        frontier
    }

    fn page(url: &str, links: &[&str]) -> PageFacts {
        let link = |url: &&str| PageLink { url: (*url).to_owned(), text: String::new(), nofollow: false };
        let document = DocumentFacts { links: links.iter().map(link).collect(), ..DocumentFacts::default() };
        let answer = PageAnswer::Document(Box::new(document));
        PageFacts::unjudged(url, PageRole::Page, answer)
    }

    fn urls(frontier: &Frontier) -> Vec<String> {
        (0..frontier.len()).map(|at| frontier.url(at)).collect()
    }

    #[test]
    fn pages_of_the_site_come_once_and_breadth_first() {
        let mut frontier = frontier(10);
        frontier.list(["https://e.com/listed".to_owned(), "https://e.com/a".to_owned()]);
        let links = [
            "https://e.com/a",
            "https://other.com/",
            "https://www.e.com/b",
            "https://e.com/private/x",
            "https://e.com/a",
        ];
        frontier.commit(&page("https://e.com/", &links));
        frontier.commit(&page("https://e.com/a", &["https://e.com/c", "https://e.com/"]));
        frontier.commit(&page("https://www.e.com/b", &[]));
        assert_eq!(frontier.len(), 4);
        frontier.commit(&page("https://e.com/c", &[]));
        assert_eq!(
            urls(&frontier),
            ["https://e.com/", "https://e.com/a", "https://www.e.com/b", "https://e.com/c", "https://e.com/listed"]
        );
        frontier.commit(&page("https://e.com/listed", &[]));
        assert!(frontier.is_complete());
        assert_eq!(frontier.committed(), 5);
    }

    #[test]
    fn limits_leave_out_and_say_so() {
        let mut few = frontier(2);
        few.commit(&page("https://e.com/", &["https://e.com/a", "https://e.com/b"]));
        assert_eq!(few.len(), 2);
        few.commit(&page("https://e.com/a", &[]));
        assert!(!few.is_complete());
        assert!(few.limits_met().iter().eq(&[RunLimit::Pages]));
        let mut deep = frontier(100);
        for depth in 0..7 {
            let from = urls(&deep).last().cloned().unwrap();
            deep.commit(&page(&from, &[&format!("https://e.com/{}", ["a", "b", "c", "d", "e", "f", "g"][depth])]));
        }
        assert_eq!(deep.len(), 6, "the first page, and five clicks");
        assert!(!deep.is_complete());
        assert!(deep.limits_met().iter().eq(&[RunLimit::Depth]));
    }

    #[test]
    fn a_page_with_more_links_than_are_read_leaves_a_run_incomplete() {
        let mut frontier = frontier(10);
        let mut cut = page("https://e.com/", &[]);
        let PageAnswer::Document(document) = &mut cut.answer else { panic!("no document") };
        document.cut = true;
        frontier.commit(&cut);
        assert!(!frontier.is_complete());
        assert!(frontier.limits_met().iter().eq(&[RunLimit::Links]));
    }

    #[test]
    fn redirects_are_followed_as_far_as_they_count() {
        let mut frontier = frontier(100);
        while frontier.committed() < frontier.len() {
            let at = frontier.committed();
            let url = frontier.url(at);
            let answer =
                PageAnswer::Redirect { status: 302, to: Some(format!("https://e.com/{}", "x".repeat(at + 1))) };
            frontier.commit(&PageFacts::unjudged(&url, PageRole::Page, answer));
        }
        assert_eq!(frontier.len(), 12);
    }

    #[test]
    fn a_calendar_ends_and_is_told() {
        let start = Url::parse("https://e.com/?month=0").unwrap();
        let scope = FrontierScope::new(&start, &[], &[]).unwrap();
        let mut frontier = Frontier::new(scope, FrontierLimits { pages: 10_000, depth: u32::MAX }, &Spill::default());
        frontier.begin(&start, Way::Start);
        let mut month = 0;
        while frontier.committed() < frontier.len() {
            month += 1;
            let at = frontier.url(frontier.committed());
            frontier.commit(&page(&at, &[&format!("https://e.com/?month={month}")]));
        }
        assert_eq!(frontier.len(), 101);
        assert_eq!(frontier.traps().len(), 1);
    }
}
