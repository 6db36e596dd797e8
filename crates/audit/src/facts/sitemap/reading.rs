//! What is kept while a file is read: counts, the page's entry, and the newest children. Never the addresses themselves.

use model::dates;
use model::time::Timestamp;
use url::Url;

use super::fault::SitemapFault;
use super::kind::{MOST_FILES, MOST_LOC_BYTES, MOST_URLS, SitemapKind};
use super::tally::Counting;
use super::target::ListedPage;
use crate::facts::hreflang::DeclaredAlternate;

/// Entries of the page kept of one file: as many as it may have addresses (asked for, answered, canonicals).
const MOST_ENTRIES: usize = 8;

/// An entry that lists the page, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SitemapEntry {
    /// The address.
    pub loc: String,
    /// When the file says that the page last changed; for RSS the `pubDate`.
    pub lastmod: Option<String>,
    /// The language versions that it names.
    pub alternates: Vec<DeclaredAlternate>,
}

/// A file that an index lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts) struct Child {
    pub(in crate::facts) url: Url,
    pub(in crate::facts) lastmod: Option<Timestamp>,
}

/// The outcome of reading, filled as the reader goes.
#[derive(Debug)]
pub(super) struct SitemapReading<'t> {
    target: &'t ListedPage,
    pub(super) kind: Option<SitemapKind>,
    /// Pages listed; files that an index lists are in `children_seen`.
    pub(super) urls: u64,
    pub(super) children_seen: u64,
    pub(super) entries: Vec<SitemapEntry>,
    /// Newest first, undated last, else as listed; at most [`MOST_FILES`].
    pub(super) children: Vec<Child>,
    /// An index lists something that can't be fetched, or more than is kept.
    pub(super) children_left_out: bool,
    /// Where every page is looked for: all files that an index lists, in its order.
    pub(super) every_child: Vec<Url>,
    pub(super) counting: Counting,
    pub(super) fault: Option<SitemapFault>,
    /// Byte of the root's end tag in the decoded text.
    pub(super) closing: Option<usize>,
}

impl SitemapEntry {
    /// The address, parsed.
    pub fn url(&self) -> Option<Url> {
        Url::parse(&self.loc).ok()
    }
}

impl<'t> SitemapReading<'t> {
    pub(super) fn new(target: &'t ListedPage) -> Self {
        Self {
            target,
            kind: None,
            urls: 0,
            children_seen: 0,
            entries: Vec::new(),
            children: Vec::new(),
            children_left_out: false,
            every_child: Vec::new(),
            counting: Counting::default(),
            fault: None,
            closing: None,
        }
    }

    /// Keeps the first fault: what follows is often its consequence.
    pub(super) fn fail(&mut self, fault: SitemapFault) {
        self.fault.get_or_insert(fault);
    }

    /// Takes one entry; `loc` is `None` when it is absent or too long to keep. Says whether it lists the page and was
    /// kept, as the last one.
    pub(super) fn take(&mut self, loc: Option<&str>, lastmod: Option<&str>) -> bool {
        if self.kind == Some(SitemapKind::Index) {
            self.children_seen += 1;
            self.counting.take_index(lastmod, self.target);
            self.take_child(loc, lastmod);
            return false;
        }
        self.urls += 1;
        self.counting.take(self.kind, loc, lastmod, self.target);
        let is_every = self.target.is_every();
        let most = if is_every { usize::try_from(MOST_URLS).unwrap_or(usize::MAX) } else { MOST_ENTRIES };
        let loc = loc.filter(|loc| self.entries.len() < most && self.target.is(loc));
        let is_new = |loc: &&str| is_every || self.entries.iter().all(|known| known.loc != *loc);
        let Some(loc) = loc.filter(is_new) else { return false };
        let (loc, lastmod) = (loc.to_owned(), lastmod.map(str::to_owned));
        self.entries.push(SitemapEntry { loc, lastmod, alternates: Vec::new() });
        true
    }

    fn take_child(&mut self, loc: Option<&str>, lastmod: Option<&str>) {
        let most = usize::try_from(MOST_URLS).unwrap_or(usize::MAX);
        if self.target.is_every() && self.every_child.len() < most {
            self.every_child.extend(loc.and_then(fetchable));
        }
        let lastmod = lastmod.and_then(dates::w3c);
        let no_room =
            self.children.len() == MOST_FILES && self.children.last().is_some_and(|last| last.lastmod >= lastmod);
        // Asked first: of an index of thousands only the few that are kept are worth parsing.
        let Some(url) = loc.filter(|_| !no_room).and_then(fetchable) else {
            self.children_left_out = true;
            return;
        };
        if self.children.iter().any(|known| known.url == url) {
            return;
        }
        let at = self.children.partition_point(|known| known.lastmod >= lastmod);
        self.children.insert(at, Child { url, lastmod });
        if self.children.len() > MOST_FILES {
            self.children.truncate(MOST_FILES);
            self.children_left_out = true;
        }
    }
}

/// An absolute http(s) address with a host.
pub(in crate::facts) fn fetchable(text: &str) -> Option<Url> {
    let has_authority =
        text.split_once("://").is_some_and(|(scheme, _)| scheme.to_ascii_lowercase().starts_with("http"));
    Url::parse(text).ok().filter(|url| has_authority && matches!(url.scheme(), "http" | "https"))
}

/// Text of one element, of which no more is kept than an address may have.
#[derive(Debug, Default)]
pub(super) struct FieldText {
    text: String,
    too_long: bool,
}

impl FieldText {
    pub(super) fn push(&mut self, part: &str) {
        let part = if self.text.is_empty() { part.trim_start() } else { part };
        let words = part.trim_end();
        if self.text.len() + words.len() > MOST_LOC_BYTES {
            self.too_long = true;
            let mut end = words.len().min(MOST_LOC_BYTES - self.text.len());
            while !words.is_char_boundary(end) {
                end -= 1;
            }
            self.text.push_str(words.get(..end).unwrap_or_default());
            return;
        }
        self.text.push_str(words);
        if words.len() < part.len() {
            self.text.push(' ');
        }
    }

    /// The start of a text that is too long to keep.
    pub(super) fn overflow(&self) -> Option<&str> {
        self.too_long.then_some(self.text.as_str())
    }

    /// What was pushed, without white space around it.
    pub(super) fn value(&self) -> Option<&str> {
        Some(self.text.trim()).filter(|text| !text.is_empty() && !self.too_long)
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.too_long = false;
    }
}
