//! Internal PageRank: how much of a site's own links leads to each page.
//!
//! Page and Brin, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", 1998, over the links of the site that are
//! followed. Pages and links are gone through in one order, so that the numbers are the same to the last bit.

use super::{NodeAnswer, PageId, RedirectEnd, SiteFacts};

/// The share of a page's rank that its links pass on, as in the paper.
const DAMPING: f64 = 0.85;
/// Rounds at most.
const MOST_ROUNDS: usize = 50;
/// Change of all ranks together, for each page, below which they stand.
const STANDS: f64 = 1e-6;

/// The rank of each page; the mean of all documents is 1, and what is no document has none.
pub(crate) fn ranks(site: &SiteFacts) -> Vec<f64> {
    let documents: Vec<PageId> = site.documents().map(|(id, _, _)| id).collect();
    let mut place: Vec<Option<u32>> = vec![None; site.pages.len()];
    for (at, document) in documents.iter().enumerate() {
        if let Some(slot) = place.get_mut(*document as usize) {
            *slot = u32::try_from(at).ok();
        }
    }
    let place_of = |id: PageId| place.get(id as usize).copied().flatten();
    // The targets of all documents in a row, and where those of each end.
    let (mut all_targets, mut ends) = (Vec::new(), Vec::with_capacity(documents.len()));
    for page in &documents {
        all_targets.append(&mut targets(site, *page, place_of));
        ends.push(all_targets.len());
    }
    let count = documents.len().max(1) as f64;
    let mut ranks = vec![1.0; documents.len()];
    for _ in 0..MOST_ROUNDS {
        let mut next = vec![0.0; documents.len()];
        let mut lost = 0.0;
        let mut start = 0;
        for (rank, end) in ranks.iter().zip(&ends) {
            let links = all_targets.get(start..*end).unwrap_or_default();
            start = *end;
            if links.is_empty() {
                lost += rank;
            }
            let share = rank / links.len().max(1) as f64;
            for target in links {
                if let Some(next) = next.get_mut(*target as usize) {
                    *next += share;
                }
            }
        }
        // What leads nowhere is spread over all.
        let base = 1.0 - DAMPING + DAMPING * lost / count;
        let mut change = 0.0;
        for (next, rank) in next.iter_mut().zip(&ranks) {
            *next = base + DAMPING * *next;
            change += (*next - rank).abs();
        }
        ranks = next;
        if change / count < STANDS {
            break;
        }
    }
    let mut all = vec![0.0; site.pages.len()];
    for (document, rank) in documents.iter().zip(ranks) {
        if let Some(slot) = all.get_mut(*document as usize) {
            *slot = rank;
        }
    }
    all
}

/// Documents that a page passes rank to, each once, over redirects.
fn targets(site: &SiteFacts, page: PageId, place_of: impl Fn(PageId) -> Option<u32>) -> Vec<u32> {
    if site.document(page).is_none_or(|document| document.nofollow) {
        return Vec::new();
    }
    let followed = site.links(page).filter(|edge| !edge.nofollow());
    let mut targets: Vec<u32> = followed
        .filter_map(|edge| site.page_of(edge.target))
        .filter_map(|target| match site.ending(target) {
            RedirectEnd::Page(end, _) => Some(end),
            RedirectEnd::Loop(_) | RedirectEnd::Unknown(_) => None,
        })
        .filter(|end| *end != page && site.page(*end).is_some_and(|page| page.answer == NodeAnswer::Document))
        .filter_map(place_of)
        .collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}
