//! Pages with the same content, or nearly: found once, told by several checks.

use std::collections::BTreeMap;

use super::{DocumentNode, PageId, SiteFacts, TextId};
use crate::address::Variance;
use crate::content::{FEWEST_WORDS, ROWS};
use crate::sketch::{alike, groups, hash, joined, same};

/// Likeness in percent from which two texts are nearly the same. Argued on the corpus (`tests/it/likeness.rs`): of 4,560 pairs of
/// real pages no two different articles are above 21 %; one article fetched twice is at 79 and 97 %. A text in which one word
/// of 50 differs is at 82 %, of 100 at 90 %, of 200 at 95 %.
pub(crate) const NEARLY_SAME: usize = 90;

/// Groups of pages. Each page is in at most one group of each list; a group has at least two.
#[derive(Debug, Default)]
pub(crate) struct Duplicates {
    /// Addresses of one page that differ in one respect, by [`Variance::ALL`].
    pub(crate) variants: BTreeMap<Variance, Vec<Vec<PageId>>>,
    /// Pages with the same text whose addresses have nothing in common.
    pub(crate) exact: Vec<Vec<PageId>>,
    /// Pages with nearly the same text.
    pub(crate) near: Vec<Vec<PageId>>,
    /// For each page that is in a group of the same content, the page that stands for it.
    same: BTreeMap<PageId, PageId>,
}

impl Duplicates {
    /// Finds the groups among pages that may stand in search results.
    pub(crate) fn of(site: &SiteFacts) -> Self {
        let shown = site.documents().filter(|(id, _, document)| site.is_indexable(*id) && !document.looks_missing);
        let mut by_content: Vec<(u64, PageId)> = shown.map(|(id, _, document)| (content_key(&document), id)).collect();
        by_content.sort_unstable();
        let mut groups = Self::default();
        let mut left: Vec<PageId> = Vec::new();
        for group in by_content.chunk_by(|(a, _), (b, _)| a == b) {
            if let [(_, only)] = group {
                left.push(*only);
                continue;
            }
            let whole: Vec<PageId> = group.iter().map(|(_, id)| *id).collect();
            let mut members = whole.clone();
            for (at, variance) in Variance::ALL.into_iter().enumerate() {
                members = groups.join_variants(site, members, variance, Variance::ALL.get(..=at).unwrap_or_default());
            }
            let with_text: Vec<PageId> = members.iter().copied().filter(|id| has_text(site, *id)).collect();
            let stands = with_text.first().or(members.first()).copied();
            if with_text.len() > 1 {
                groups.exact.push(with_text);
            }
            let is_joined = members.len() == 1 || members.iter().all(|id| has_text(site, *id));
            if let Some(stands) = stands.filter(|_| is_joined) {
                groups.same.extend(whole.into_iter().map(|id| (id, stands)));
                left.push(stands);
            } else {
                left.extend(members);
            }
        }
        groups.near = near(site, left);
        groups.variants.values_mut().for_each(|groups| groups.sort_unstable());
        groups.exact.sort_unstable();
        groups
    }

    /// Joins pages whose addresses differ in nothing but `variance` and what was joined before it; those that are left,
    /// one for each joined group.
    fn join_variants(
        &mut self,
        site: &SiteFacts,
        members: Vec<PageId>,
        variance: Variance,
        so_far: &[Variance],
    ) -> Vec<PageId> {
        if members.len() < 2 {
            return members;
        }
        let mut forms: BTreeMap<String, Vec<PageId>> = BTreeMap::new();
        for id in members {
            // The origin is taken off last: what is left of the address then is no address.
            let plain = so_far.iter().rev().fold(site.url(id), |url, variance| variance.reduced(&url));
            forms.entry(plain).or_default().push(id);
        }
        let mut left = Vec::with_capacity(forms.len());
        for group in forms.into_values() {
            left.extend(group.first().copied());
            if group.len() > 1 {
                self.variants.entry(variance).or_default().push(group);
            }
        }
        left.sort_unstable();
        left
    }

    /// The page that stands for all with the same content as a page; the page itself where it has none.
    pub(crate) fn stands_for(&self, id: PageId) -> PageId {
        self.same.get(&id).copied().unwrap_or(id)
    }
}

/// What is equal for pages with the same content: the text, or for a page that has too little, all it says of itself.
fn content_key(document: &DocumentNode) -> u64 {
    if let Some(content) = &document.content {
        return content.hash;
    }
    let numbers =
        [document.title, document.description, document.h1].map(|text| text.map_or(u32::MAX, |TextId(id)| id));
    let said = numbers.into_iter().fold(0, |sum, number| joined(sum, hash(&number.to_le_bytes())));
    joined(said, document.skeleton)
}

fn has_text(site: &SiteFacts, id: PageId) -> bool {
    site.document(id).is_some_and(|document| document.content.is_some())
}

/// Groups of pages with nearly the same text, of pages of which no two have the same.
fn near(site: &SiteFacts, mut pages: Vec<PageId>) -> Vec<Vec<PageId>> {
    pages.sort_unstable();
    let own = |id: PageId| OwnText::of(site, &site.document(id)?);
    pages.retain(|id| own(*id).is_some());
    let of = |at: usize| own(*pages.get(at)?);
    let is_near = |a: usize, b: usize| {
        let (Some(a_text), Some(b_text)) = (of(a), of(b)) else { return false };
        let (Some(a), Some(b)) = (pages.get(a), pages.get(b)) else { return false };
        a_text.likeness(&b_text) >= NEARLY_SAME && !are_meant_to_be_alike(site, *a, *b)
    };
    let roots = groups(pages.len(), |at| of(at).map(|text| text.sketch).unwrap_or_default(), ROWS, is_near);
    let mut groups: BTreeMap<u32, Vec<PageId>> = BTreeMap::new();
    for (page, root) in pages.iter().zip(roots) {
        groups.entry(root).or_default().push(*page);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// The text of a page that has enough of its own, besides what every page of the site repeats.
struct OwnText {
    /// Sketch of the whole text.
    sketch: Vec<u8>,
    words: u32,
    repeated: u32,
}

impl OwnText {
    fn of(site: &SiteFacts, document: &DocumentNode) -> Option<Self> {
        let content = document.content.as_ref()?;
        let (words, repeated) = (content.words, document.repeated);
        let has_enough = words.saturating_sub(repeated) >= FEWEST_WORDS;
        has_enough.then_some(Self { sketch: site.sketches.get(content.sketch), words, repeated })
    }

    /// How alike two texts are in percent, without what both repeat. What whole texts share follows from their likeness, j = shared /
    /// (a + b − shared); the rest of it is what they share of their own.
    fn likeness(&self, other: &Self) -> usize {
        let whole = alike(&self.sketch, &other.sketch);
        let repeated = self.repeated.min(other.repeated);
        if repeated == 0 || whole < NEARLY_SAME {
            return whole;
        }
        let j = same(&self.sketch, &other.sketch) as f64 / self.sketch.len().max(1) as f64;
        let sum = f64::from(self.words) + f64::from(other.words);
        let shared = j * sum / (1.0 + j) - f64::from(repeated);
        let all = sum - 2.0 * f64::from(repeated) - shared;
        (shared.max(0.0) / all.max(1.0) * 100.0).round() as usize
    }
}

/// Whether two pages are language versions of each other, or pages of one list.
fn are_meant_to_be_alike(site: &SiteFacts, a: PageId, b: PageId) -> bool {
    let (Some(one), Some(other)) = (site.document(a), site.document(b)) else { return false };
    let url = site.page(b).map(|page| page.url);
    let is_version = site.alternates(&one).iter().any(|(_, version)| Some(*version) == url);
    let list = |document: &DocumentNode| document.list_page.map(|(_, list)| list);
    is_version || list(&one).is_some() && list(&one) == list(&other)
}
