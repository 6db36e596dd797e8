//! The links of a site.

use super::node::{NodeAnswer, PageNode};
use super::texts::TextId;
use super::{PageId, SiteFacts};

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
#[derive(Debug, Default)]
pub(crate) struct LinkGraph {
    /// Pages that link a page: from `starts[page]` to `starts[page + 1]` of `sources`.
    starts: Vec<u32>,
    sources: Vec<PageId>,
}

impl LinkGraph {
    /// The links of the pages of a site.
    pub(super) fn of(site: &SiteFacts) -> Self {
        let targets = |source: PageId| site.links(source).filter_map(|edge| site.page_of(edge.target));
        let mut counts = vec![0u32; site.pages.len() + 1];
        for target in site.pages().flat_map(|(source, _)| targets(source)) {
            if let Some(count) = counts.get_mut(target as usize + 1) {
                *count += 1;
            }
        }
        let mut total = 0;
        for count in &mut counts {
            total += *count;
            *count = total;
        }
        let starts = counts.clone();
        let mut sources = vec![0; total as usize];
        for (source, _) in site.pages() {
            for target in targets(source) {
                let Some(next) = counts.get_mut(target as usize) else { continue };
                if let Some(slot) = sources.get_mut(*next as usize) {
                    *slot = source;
                }
                *next += 1;
            }
        }
        Self { starts, sources }
    }

    pub(super) fn sources(&self, page: PageId) -> &[PageId] {
        let at = page as usize;
        let (Some(start), Some(end)) = (self.starts.get(at), self.starts.get(at + 1)) else { return &[] };
        self.sources.get(*start as usize..*end as usize).unwrap_or_default()
    }
}

/// Follows redirects from a page.
pub(super) fn ending(pages: &[PageNode], page_of: impl Fn(TextId) -> Option<PageId>, page: PageId) -> RedirectEnd {
    let mut hops = Vec::new();
    let mut at = page;
    loop {
        let Some(NodeAnswer::Redirect(_, to)) = pages.get(at as usize).map(|page| page.answer) else {
            return RedirectEnd::Page(at, hops);
        };
        if hops.contains(&at) || hops.len() > MOST_HOPS as usize {
            return RedirectEnd::Loop(hops);
        }
        hops.push(at);
        match to.and_then(&page_of) {
            Some(next) => at = next,
            None => return RedirectEnd::Unknown(hops),
        }
    }
}

/// Clicks from the first page to each, with the page before on a shortest way; of several the least. A redirect is no click.
pub(super) fn depths(site: &SiteFacts) -> Vec<Option<(u32, PageId)>> {
    let mut depths: Vec<Option<(u32, PageId)>> = vec![None; site.pages.len()];
    // The page before each of the next level: the least of those that link it.
    let mut before: Vec<Option<PageId>> = vec![None; site.pages.len()];
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
            for next in site.links(page).filter_map(|edge| site.page_of(edge.target)) {
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
