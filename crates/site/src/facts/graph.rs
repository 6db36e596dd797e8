//! The links of a site.

use std::ops::Range;

use super::node::NodeAnswer;
use super::{PageId, SiteFacts};
use crate::column::Column;
use crate::spill::Spill;

/// Redirects that are followed to an end, as many as Googlebot follows.
pub(crate) const MOST_HOPS: u32 = 10;

/// Where redirects lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectEnd {
    /// To a page that is no redirect, over these redirects; the first is the page itself.
    Page(PageId, Vec<PageId>),
    /// In a circle, over these, or on and on.
    Loop(Vec<PageId>),
    /// To an address that was not asked.
    Unknown(Vec<PageId>),
}

/// Links to each page.
#[derive(Debug)]
pub(crate) struct LinkGraph {
    /// Pages that link a page: from `starts[page]` to `starts[page + 1]` of `sources`.
    starts: Column<u32>,
    sources: Column<PageId>,
}

impl LinkGraph {
    /// No links.
    pub(super) fn new(spill: &Spill) -> Self {
        Self { starts: Column::new(spill), sources: Column::new(spill) }
    }

    /// The links of the pages of a site.
    pub(super) fn of(site: &SiteFacts) -> Self {
        let mut graph = Self::new(&site.spill);
        let mut counts = vec![0u32; site.page_count() + 1];
        for target in site.pages().flat_map(|(_, page)| site.linked_by(page)) {
            if let Some(count) = counts.get_mut(target as usize + 1) {
                *count += 1;
            }
        }
        let mut total = 0;
        for count in &mut counts {
            total += *count;
            *count = total;
        }
        graph.starts.extend(&counts);
        graph.sources.grow(total as usize);
        for (source, page) in site.pages() {
            for target in site.linked_by(page) {
                let Some(next) = counts.get_mut(target as usize) else { continue };
                graph.sources.set(*next as usize, source);
                *next += 1;
            }
        }
        graph
    }

    /// Where the pages that link a page are.
    fn span(&self, page: PageId) -> Range<usize> {
        let at = page as usize;
        match self.starts.range(at..at + 2).as_slice() {
            [start, end] => *start as usize..*end as usize,
            _ => 0..0,
        }
    }

    pub(super) fn sources(&self, page: PageId) -> Vec<PageId> {
        self.sources.range(self.span(page))
    }

    pub(super) fn source_count(&self, page: PageId) -> usize {
        self.span(page).len()
    }
}

/// Follows redirects from a page.
pub(super) fn ending(site: &SiteFacts, page: PageId) -> RedirectEnd {
    let mut hops = Vec::new();
    let mut at = page;
    loop {
        let Some(NodeAnswer::Redirect(_, to)) = site.page(at).map(|page| page.answer) else {
            return RedirectEnd::Page(at, hops);
        };
        if hops.contains(&at) || hops.len() > MOST_HOPS as usize {
            return RedirectEnd::Loop(hops);
        }
        hops.push(at);
        match to.and_then(|to| site.page_of(to)) {
            Some(next) => at = next,
            None => return RedirectEnd::Unknown(hops),
        }
    }
}

/// Clicks from the first page to each, with the page before on a shortest way; of several the least. A redirect is no click.
pub(super) fn depths(site: &SiteFacts) -> Vec<Option<(u32, PageId)>> {
    let mut depths: Vec<Option<(u32, PageId)>> = vec![None; site.page_count()];
    // The page before each of the next level: the least of those that link it.
    let mut before: Vec<Option<PageId>> = vec![None; site.page_count()];
    let mut level: Vec<PageId> = site.start.into_iter().collect();
    let mut depth = 0;
    while !level.is_empty() {
        level.sort_unstable();
        let mut reached: Vec<PageId> = Vec::new();
        for page in level.drain(..) {
            let source = before_of(&before, page);
            let passed = match site.ending(page) {
                RedirectEnd::Page(end, hops) => hops.into_iter().chain([end]).collect(),
                RedirectEnd::Loop(hops) | RedirectEnd::Unknown(hops) => hops,
            };
            for page in passed {
                let Some(slot) = depths.get_mut(page as usize).filter(|slot| slot.is_none()) else { continue };
                *slot = Some((depth, source));
                reached.push(page);
            }
        }
        for page in reached {
            for next in site.page(page).into_iter().flat_map(|page| site.linked_by(page)) {
                if depths.get(next as usize).is_none_or(Option::is_some) {
                    continue;
                }
                let Some(slot) = before.get_mut(next as usize) else { continue };
                if slot.is_none() {
                    level.push(next);
                }
                *slot = Some(slot.map_or(page, |known| known.min(page)));
            }
        }
        depth += 1;
    }
    depths
}

/// The page before one; itself where it is the first.
fn before_of(before: &[Option<PageId>], page: PageId) -> PageId {
    before.get(page as usize).copied().flatten().unwrap_or(page)
}
