//! The frontier: which addresses a run asks, in which order. Pure, and the same for the same answers, whatever time each took:
//! pages are committed in the order of the frontier.

use std::collections::BTreeSet;

use regex::RegexSet;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::address::{MOST_ADDRESS_BYTES, key, other_host};
use crate::facts::{MOST_HOPS, TextId, TextTable};
use crate::page_facts::{PageAnswer, PageFacts, RunLimit};
use crate::traps::{Trap, Traps, shape};

/// Which addresses belong to the site.
#[derive(Debug, Clone)]
pub struct FrontierScope {
    /// Host of the first page, and the one with or without `www.`.
    hosts: [String; 2],
    /// The port, where one is written.
    port: Option<u16>,
    include: Option<RegexSet>,
    exclude: RegexSet,
}

impl FrontierScope {
    /// The site of a page: its host with and without `www.`, on the same port, over http and https. With `include`, only
    /// addresses that one of the patterns finds, and the first page; never those that one of `exclude` finds.
    pub fn new(start: &Url, include: &[String], exclude: &[String]) -> Result<Self, regex::Error> {
        let host = start.host_str().unwrap_or_default().to_owned();
        Ok(Self {
            hosts: [other_host(&host), host],
            port: start.port(),
            include: if include.is_empty() { None } else { Some(RegexSet::new(include)?) },
            exclude: RegexSet::new(exclude)?,
        })
    }

    /// Whether an address is of the site, whatever the patterns say.
    pub fn is_internal(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        self.hosts.iter().any(|own| own == host) && url.port() == self.port
    }

    /// Whether an address is asked.
    fn admits(&self, url: &Url) -> bool {
        self.is_internal(url)
            && self.include.as_ref().is_none_or(|include| include.is_match(url.as_str()))
            && !self.exclude.is_match(url.as_str())
    }
}

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

/// The addresses of a run, in order. Those before [`Frontier::committed`] are done.
#[derive(Debug)]
pub struct Frontier {
    scope: FrontierScope,
    limits: FrontierLimits,
    /// The addresses, numbered in their order.
    urls: TextTable,
    entries: Vec<EntryWay>,
    /// Listed addresses, asked when no linked one is left: a line for each, and where the next begins.
    listed: String,
    next_listed: usize,
    committed: usize,
    traps: Traps,
    limits_met: BTreeSet<RunLimit>,
}

impl Frontier {
    /// An empty frontier.
    pub fn new(scope: FrontierScope, limits: FrontierLimits) -> Self {
        Self {
            scope,
            limits,
            urls: TextTable::default(),
            entries: Vec::new(),
            listed: String::new(),
            next_listed: 0,
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
    pub fn list(&mut self, urls: impl IntoIterator<Item = String>) {
        for url in urls {
            self.listed.push_str(&url);
            self.listed.push('\n');
        }
    }

    /// The address at a place of the order.
    pub fn entry(&self, at: usize) -> Option<FrontierEntry> {
        let EntryWay { way, depth, row, redirects } = *self.entries.get(at)?;
        Some(FrontierEntry { url: self.url(at).to_owned(), way, depth, row, redirects })
    }

    /// The address itself; empty where none is known.
    pub fn url(&self, at: usize) -> &str {
        u32::try_from(at).map_or("", |at| self.urls.get(TextId(at)))
    }

    /// Addresses known so far.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no address is known.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
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
        self.limits_met.is_empty() && self.committed == self.entries.len() && self.next_listed == self.listed.len()
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
        while let Some((url, _)) = self.listed.get(self.next_listed..).and_then(|left| left.split_once('\n')) {
            let url = url.to_owned();
            self.next_listed += url.len() + 1;
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
        let mut frontier = Frontier::new(scope, FrontierLimits { pages, depth: 5 });
        assert!(frontier.begin(&start, Way::Start));
        frontier
    }

    fn page(url: &str, links: &[&str]) -> PageFacts {
        let link = |url: &&str| PageLink { url: (*url).to_owned(), text: String::new(), nofollow: false };
        let document = DocumentFacts { links: links.iter().map(link).collect(), ..DocumentFacts::default() };
        let answer = PageAnswer::Document(Box::new(document));
        PageFacts::unjudged(url, PageRole::Page, answer)
    }

    fn urls(frontier: &Frontier) -> Vec<&str> {
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
            let from = urls(&deep).last().map(|url| (*url).to_owned()).unwrap();
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
            let url = frontier.url(at).to_owned();
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
        let mut frontier = Frontier::new(scope, FrontierLimits { pages: 10_000, depth: u32::MAX });
        frontier.begin(&start, Way::Start);
        let mut month = 0;
        while frontier.committed() < frontier.len() {
            month += 1;
            let at = frontier.url(frontier.committed()).to_owned();
            frontier.commit(&page(&at, &[&format!("https://e.com/?month={month}")]));
        }
        assert_eq!(frontier.len(), 101);
        assert_eq!(frontier.traps().len(), 1);
    }
}
