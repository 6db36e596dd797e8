//! Internal PageRank: how much of a site's own links leads to each page.
//!
//! Page and Brin, "The Anatomy of a Large-Scale Hypertextual Web Search Engine", 1998, over the links of the site that are
//! followed. Pages and links are gone through in one order, so that the numbers are the same to the last bit.

use super::{NodeAnswer, PageId, PageNode, RedirectEnd, SiteFacts};
use crate::column::Column;

/// The share of a page's rank that its links pass on, as in the paper.
const DAMPING: f64 = 0.85;
/// Rounds at most.
const MOST_ROUNDS: usize = 50;
/// Change of all ranks together, for each page, below which they stand.
const STANDS: f64 = 1e-6;

/// The rank of each page; the mean of all documents is 1, and what is no document has none.
pub(crate) fn ranks(site: &SiteFacts) -> Vec<f64> {
    let mut ranks: Vec<f64> = site.pages().map(|(_, page)| f64::from(u8::from(is_document(page)))).collect();
    // The targets of all documents in a row, and how many each has.
    let (mut all_targets, mut counts) = (Column::new(&site.spill), Column::new(&site.spill));
    for (id, page) in site.pages() {
        let targets = if is_document(page) { targets(site, id, page) } else { Vec::new() };
        all_targets.extend(&targets);
        counts.push(targets.len() as u32);
    }
    let count = site.documents().count().max(1) as f64;
    for _ in 0..MOST_ROUNDS {
        let mut next = vec![0.0; ranks.len()];
        let mut lost = 0.0;
        let mut targets = all_targets.iter();
        for (rank, count) in ranks.iter().zip(counts.iter()) {
            if count == 0 {
                lost += rank;
            }
            let share = rank / f64::from(count.max(1));
            for target in targets.by_ref().take(count as usize) {
                if let Some(next) = next.get_mut(target as usize) {
                    *next += share;
                }
            }
        }
        // What leads nowhere is spread over all.
        let base = 1.0 - DAMPING + DAMPING * lost / count;
        let mut change = 0.0;
        // What is no document has none, from the first round on.
        for (next, rank) in next.iter_mut().zip(&ranks).filter(|(_, rank)| **rank > 0.0) {
            *next = base + DAMPING * *next;
            change += (*next - rank).abs();
        }
        ranks = next;
        if change / count < STANDS {
            break;
        }
    }
    ranks
}

fn is_document(page: PageNode) -> bool {
    page.answer == NodeAnswer::Document
}

/// Documents that a page passes rank to, each once, over redirects.
fn targets(site: &SiteFacts, id: PageId, page: PageNode) -> Vec<PageId> {
    if site.document(id).is_none_or(|document| document.nofollow) {
        return Vec::new();
    }
    let followed = site.links.targets(page.links).filter(|(_, nofollow)| !nofollow);
    let mut targets: Vec<PageId> = followed
        .filter_map(|(target, _)| site.page_of(target))
        .filter_map(|target| match site.ending(target) {
            RedirectEnd::Page(end, _) => Some(end),
            RedirectEnd::Loop(_) | RedirectEnd::Unknown(_) => None,
        })
        .filter(|end| *end != id && site.page(*end).is_some_and(is_document))
        .collect();
    targets.sort_unstable();
    targets.dedup();
    targets
}
