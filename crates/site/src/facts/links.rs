//! The links of all pages. A site has more of them than of all else, so each takes four bytes, and four more where its text is not
//! the usual one of its address.

use super::lists::{ListPlace, Lists};
use super::texts::TextId;

/// Bits of a link beside the number of its address. There are far fewer than 2³⁰ texts: all of them have a gigabyte.
const BITS: u32 = 2;
/// It asks not to be followed.
const NOFOLLOW: u32 = 1;
/// It has a text of its own.
const OWN_TEXT: u32 = 2;
/// No page links an address.
const NONE: TextId = TextId(u32::MAX);

/// A link of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The address.
    pub target: TextId,
    /// The number of its text, and in the lowest bit whether it asks not to be followed.
    text: u32,
}

impl Edge {
    pub(super) fn new(target: TextId, anchor: TextId, nofollow: bool) -> Self {
        Self { target, text: (anchor.0 << 1) | u32::from(nofollow) }
    }

    /// Its text.
    pub fn anchor(self) -> TextId {
        TextId(self.text >> 1)
    }

    /// Whether every link of the page to this address asks not to be followed.
    pub fn nofollow(self) -> bool {
        self.text & 1 == 1
    }
}

/// The links of all pages.
#[derive(Debug, Default)]
pub(crate) struct LinkLists {
    /// Numbers of addresses with [`BITS`].
    links: Lists<u32>,
    /// Texts of the links with [`OWN_TEXT`], in the order of the links.
    texts: Lists<TextId>,
    /// The usual text of the links to an address, by its number: that of the first link that came.
    usual: Vec<TextId>,
}

/// Where the links of a page are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageLinks {
    links: ListPlace,
    texts: ListPlace,
}

impl LinkLists {
    /// Takes the links of a page, each target once.
    pub(super) fn add(&mut self, edges: &[Edge]) -> PageLinks {
        let (mut links, mut texts) = (Vec::with_capacity(edges.len()), Vec::new());
        for edge in edges {
            let at = edge.target.0 as usize;
            if self.usual.len() <= at {
                self.usual.resize(at + 1, NONE);
            }
            let mut bits = if edge.nofollow() { NOFOLLOW } else { 0 };
            match self.usual.get_mut(at) {
                Some(usual) if *usual == NONE => *usual = edge.anchor(),
                Some(usual) if *usual == edge.anchor() => {}
                _ => {
                    bits |= OWN_TEXT;
                    texts.push(edge.anchor());
                }
            }
            links.push((edge.target.0 << BITS) | bits);
        }
        PageLinks { links: self.links.add(&links), texts: self.texts.add(&texts) }
    }

    /// The links of a page.
    pub(super) fn of(&self, page: PageLinks) -> impl ExactSizeIterator<Item = Edge> {
        let mut texts = self.texts.get(page.texts).iter();
        self.links.get(page.links).iter().map(move |link| {
            let target = TextId(link >> BITS);
            let text = if link & OWN_TEXT == 0 { self.usual.get(target.0 as usize) } else { texts.next() };
            Edge::new(target, text.copied().unwrap_or_default(), link & NOFOLLOW != 0)
        })
    }

    /// The link of a page to an address; only after [`Self::renumber`].
    pub(super) fn find(&self, page: PageLinks, target: TextId) -> Option<Edge> {
        let at = self.links.get(page.links).binary_search_by_key(&target.0, |link| link >> BITS).ok()?;
        self.of(page).nth(at)
    }

    /// Puts new numbers in place of the old ones, and the links of each page in the order of their addresses.
    pub(super) fn renumber(&mut self, pages: impl Iterator<Item = PageLinks>, numbers: &[TextId]) {
        let renumber = |old: TextId| numbers.get(old.0 as usize).copied().unwrap_or(old);
        let mut usual = vec![NONE; numbers.len()];
        for (old, text) in self.usual.iter().enumerate().filter(|(_, text)| **text != NONE) {
            let new = numbers.get(old).and_then(|new| usual.get_mut(new.0 as usize));
            new.into_iter().for_each(|new| *new = renumber(*text));
        }
        self.usual = usual;
        let mut sorted: Vec<(u32, TextId)> = Vec::new();
        for page in pages {
            let mut texts = self.texts.get(page.texts).iter();
            let new = self.links.get(page.links).iter().map(|link| {
                let text = if link & OWN_TEXT == 0 { None } else { texts.next() };
                let target = renumber(TextId(link >> BITS)).0;
                ((target << BITS) | (link & (NOFOLLOW | OWN_TEXT)), renumber(text.copied().unwrap_or_default()))
            });
            sorted.clear();
            sorted.extend(new);
            sorted.sort_unstable();
            for (slot, (link, _)) in self.links.get_mut(page.links).iter_mut().zip(&sorted) {
                *slot = *link;
            }
            let own = sorted.iter().filter(|(link, _)| link & OWN_TEXT != 0);
            for (slot, (_, text)) in self.texts.get_mut(page.texts).iter_mut().zip(own) {
                *slot = *text;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_as_they_were_put_in_and_in_the_order_of_addresses() {
        let edge = |target: u32, text: u32, nofollow| Edge::new(TextId(target), TextId(text), nofollow);
        let pages = [
            vec![edge(7, 1, false), edge(2, 3, true), edge(5, 3, false)],
            vec![edge(2, 3, false), edge(7, 4, true), edge(5, 0, true), edge(1, 2, false)],
            vec![],
        ];
        let mut lists = LinkLists::default();
        let places: Vec<PageLinks> = pages.iter().map(|edges| lists.add(edges)).collect();
        for (place, edges) in places.iter().zip(&pages) {
            assert_eq!(lists.of(*place).collect::<Vec<_>>(), *edges);
        }
        // Numbers the other way round.
        let numbers: Vec<TextId> = (0..8).rev().map(TextId).collect();
        lists.renumber(places.iter().copied(), &numbers);
        for (place, edges) in places.iter().zip(&pages) {
            let turned = |old: TextId| TextId(7 - old.0);
            let mut new: Vec<Edge> = edges
                .iter()
                .map(|edge| Edge::new(turned(edge.target), turned(edge.anchor()), edge.nofollow()))
                .collect();
            new.sort_unstable();
            assert_eq!(lists.of(*place).collect::<Vec<_>>(), new);
            for edge in new {
                assert_eq!(lists.find(*place, edge.target), Some(edge));
            }
            assert_eq!(lists.find(*place, TextId(3)), None);
        }
    }
}
