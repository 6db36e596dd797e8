//! What is counted of a file's entries while it is read: dates, repeated addresses, addresses that are wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use model::dates;
use model::time::Day;

use super::kind::{MOST_URLS, SitemapKind};
use super::target::ListedPage;
use crate::facts::document::collapse;

/// Days told apart of one file: more than any site has lived. The dates of further days count as of none.
const MOST_DAYS: usize = 10_000;
/// Wrong addresses kept of one file.
const MOST_SHOWN: usize = 5;
/// Characters kept of an address or date that is shown.
const SHOWN_CHARACTERS: usize = 160;

/// What is wrong with an address of a sitemap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadLoc {
    /// Not an absolute http(s) URL.
    Relative,
    /// http on the page's host, which answers https.
    Insecure,
    /// 2,048 characters or more; it is not kept.
    TooLong,
}

/// The counts of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Entries with a date.
    pub dated: u64,
    /// Of these, dates that are no W3C Datetime or lie in the future.
    pub bad_dates: u64,
    /// The first of them, as written.
    pub first_bad_date: Option<String>,
    /// The day with the most dates, and how many: the earliest of several.
    pub busiest: Option<(Day, u64)>,
    /// Entries whose address stands in the file before.
    pub repeated: u64,
    /// The first of them.
    pub first_repeated: Option<String>,
    /// Addresses that are wrong.
    pub bad_locs: u64,
    /// The first of them, as written.
    pub shown_bad_locs: Vec<(BadLoc, String)>,
    /// It is for news, whose pages are all new.
    pub is_news: bool,
}

/// The counting itself, whose memory is bounded and goes with the reading.
#[derive(Debug, Default)]
pub(super) struct Counting {
    tally: Tally,
    days: BTreeMap<Day, u64>,
    /// Hashes of the addresses met.
    seen: BTreeSet<u64>,
}

impl Counting {
    /// Takes one page's entry. `loc` is `None` where there is none, or where it is too long.
    pub(super) fn take(
        &mut self,
        kind: Option<SitemapKind>,
        loc: Option<&str>,
        lastmod: Option<&str>,
        target: &ListedPage,
    ) {
        if let Some(loc) = loc {
            self.address(loc, target);
        }
        // Feeds write their dates in forms of their own.
        if let Some(lastmod) = lastmod.filter(|_| kind == Some(SitemapKind::Urlset)) {
            self.date(lastmod, target);
        }
    }

    /// Takes the date of a file that an index lists.
    pub(super) fn take_index(&mut self, lastmod: Option<&str>, target: &ListedPage) {
        if let Some(lastmod) = lastmod {
            self.date(lastmod, target);
        }
    }

    /// An address longer than any reader takes.
    pub(super) fn too_long(&mut self, start: &str) {
        self.bad(BadLoc::TooLong, start);
    }

    /// The file is for news.
    pub(super) fn news(&mut self) {
        self.tally.is_news = true;
    }

    fn address(&mut self, loc: &str, target: &ListedPage) {
        let scheme = loc.split_once("://").map_or("", |(scheme, _)| scheme);
        if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
            self.bad(BadLoc::Relative, loc);
        } else if target.is_insecure(loc) {
            self.bad(BadLoc::Insecure, loc);
        }
        if self.seen.len() as u64 > MOST_URLS {
            return;
        }
        let mut hasher = DefaultHasher::new();
        loc.hash(&mut hasher);
        if !self.seen.insert(hasher.finish()) {
            self.tally.repeated += 1;
            self.tally.first_repeated.get_or_insert_with(|| shown(loc));
        }
    }

    fn bad(&mut self, kind: BadLoc, loc: &str) {
        self.tally.bad_locs += 1;
        if self.tally.shown_bad_locs.len() < MOST_SHOWN {
            let loc = if kind == BadLoc::TooLong { shown(loc) } else { loc.to_owned() };
            self.tally.shown_bad_locs.push((kind, loc));
        }
    }

    fn date(&mut self, lastmod: &str, target: &ListedPage) {
        self.tally.dated += 1;
        match dates::w3c(lastmod).filter(|date| target.is_past(*date)) {
            Some(date) if self.days.len() < MOST_DAYS || self.days.contains_key(&date.day()) => {
                *self.days.entry(date.day()).or_default() += 1;
            }
            Some(_) => {}
            None => {
                self.tally.bad_dates += 1;
                self.tally.first_bad_date.get_or_insert_with(|| shown(lastmod));
            }
        }
    }

    /// The counts, when the file was read.
    pub(super) fn finish(mut self) -> Tally {
        let busiest = self.days.into_iter().max_by_key(|(day, count)| (*count, std::cmp::Reverse(*day)));
        self.tally.busiest = busiest;
        self.tally
    }
}

/// The start of a text, on one line.
fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN_CHARACTERS).collect();
    collapse(&start)
}
