//! The links of all pages. A site has more of them than of all else, so each takes four bytes, and four more where its text is not
//! the usual one of its address.

use super::lists::{ListPlace, Lists};
use super::texts::TextId;
use crate::column::{Column, record};
use crate::spill::Spill;

/// Bits of a link beside the number of its address. There are far fewer than 2³⁰ texts: all of them have a gigabyte.
const BITS: u32 = 2;
/// It asks not to be followed.
const NOFOLLOW: u32 = 1;
/// It has a text of its own.
const OWN_TEXT: u32 = 2;

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
#[derive(Debug)]
pub(crate) struct LinkLists {
    spill: Spill,
    /// Numbers of addresses with [`BITS`].
    links: Lists<u32>,
    /// Texts of the links with [`OWN_TEXT`], in the order of the links.
    texts: Lists<TextId>,
    /// The usual text of the links to an address, by its number: that of the first link that came.
    usual: Column<Option<TextId>>,
}

/// Where the links of a page are.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageLinks {
    links: ListPlace,
    texts: ListPlace,
}

record!(PageLinks { links: ListPlace, texts: ListPlace });

impl PageLinks {
    /// Number of links.
    pub(crate) fn len(self) -> usize {
        self.links.len()
    }
}

impl LinkLists {
    /// No links.
    pub(super) fn new(spill: &Spill) -> Self {
        Self { spill: spill.clone(), links: Lists::new(spill), texts: Lists::new(spill), usual: Column::new(spill) }
    }

    /// Takes the links of a page, each target once.
    pub(super) fn add(&mut self, edges: &[Edge]) -> PageLinks {
        let (mut links, mut texts) = (Vec::with_capacity(edges.len()), Vec::new());
        for edge in edges {
            let at = edge.target.0 as usize;
            self.usual.grow(at + 1);
            let mut bits = if edge.nofollow() { NOFOLLOW } else { 0 };
            match self.usual.get(at).flatten() {
                None => self.usual.set(at, Some(edge.anchor())),
                Some(usual) if usual == edge.anchor() => {}
                Some(_) => {
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
        let mut texts = self.texts.get(page.texts).into_iter();
        self.links.get(page.links).into_iter().map(move |link| {
            let target = TextId(link >> BITS);
            let text = if link & OWN_TEXT == 0 { self.usual.get(target.0 as usize).flatten() } else { texts.next() };
            Edge::new(target, text.unwrap_or_default(), link & NOFOLLOW != 0)
        })
    }

    /// The addresses that a page links, with whether the links ask not to be followed: what is cheaper than [`Self::of`].
    pub(super) fn targets(&self, page: PageLinks) -> impl Iterator<Item = (TextId, bool)> {
        self.links.get(page.links).into_iter().map(|link| (TextId(link >> BITS), link & NOFOLLOW != 0))
    }

    /// The link of a page to an address; only where links are in the order of their addresses ([`Self::add_of`]).
    pub(super) fn find(&self, page: PageLinks, target: TextId) -> Option<Edge> {
        let links = self.links.get(page.links);
        let at = links.binary_search_by_key(&target.0, |link| link >> BITS).ok()?;
        let link = *links.get(at)?;
        let text = if link & OWN_TEXT == 0 {
            self.usual.get(target.0 as usize).flatten()
        } else {
            let before = links.iter().take(at).filter(|link| **link & OWN_TEXT != 0).count();
            self.texts.get(page.texts).get(before).copied()
        };
        Some(Edge::new(target, text.unwrap_or_default(), link & NOFOLLOW != 0))
    }

    /// The same addresses with new numbers, and no pages yet: [`Self::add_of`].
    pub(super) fn renumbered(&self, numbers: &Column<TextId>) -> Self {
        let mut new = Self::new(&self.spill);
        new.usual.grow(numbers.len());
        for (number, text) in numbers.iter().zip(self.usual.iter()).filter(|(_, text)| text.is_some()) {
            new.usual.set(number.0 as usize, text.map(|text| renumber(numbers, text)));
        }
        new
    }

    /// Takes the links of a page from lists with old numbers, in the order of their addresses.
    pub(super) fn add_of(&mut self, old: &Self, page: PageLinks, numbers: &Column<TextId>) -> PageLinks {
        let mut texts = old.texts.get(page.texts).into_iter();
        let link = |link: u32| {
            let text = if link & OWN_TEXT == 0 { None } else { texts.next() };
            let target = renumber(numbers, TextId(link >> BITS)).0;
            ((target << BITS) | (link & (NOFOLLOW | OWN_TEXT)), text.map(|text| renumber(numbers, text)))
        };
        let mut sorted: Vec<(u32, Option<TextId>)> = old.links.get(page.links).into_iter().map(link).collect();
        sorted.sort_unstable();
        let texts: Vec<TextId> = sorted.iter().filter_map(|(_, text)| *text).collect();
        let links: Vec<u32> = sorted.into_iter().map(|(link, _)| link).collect();
        PageLinks { links: self.links.add(&links), texts: self.texts.add(&texts) }
    }
}

fn renumber(numbers: &Column<TextId>, old: TextId) -> TextId {
    numbers.get(old.0 as usize).unwrap_or(old)
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
        let spill = Spill::default();
        let mut lists = LinkLists::new(&spill);
        let places: Vec<PageLinks> = pages.iter().map(|edges| lists.add(edges)).collect();
        for (place, edges) in places.iter().zip(&pages) {
            assert_eq!(lists.of(*place).collect::<Vec<_>>(), *edges);
        }
        // Numbers the other way round.
        let mut numbers = Column::new(&spill);
        numbers.extend(&(0..8).rev().map(TextId).collect::<Vec<_>>());
        let mut new_lists = lists.renumbered(&numbers);
        let places: Vec<PageLinks> =
            places.into_iter().map(|place| new_lists.add_of(&lists, place, &numbers)).collect();
        for (place, edges) in places.iter().zip(&pages) {
            let turned = |old: TextId| TextId(7 - old.0);
            let mut new: Vec<Edge> = edges
                .iter()
                .map(|edge| Edge::new(turned(edge.target), turned(edge.anchor()), edge.nofollow()))
                .collect();
            new.sort_unstable();
            assert_eq!(new_lists.of(*place).collect::<Vec<_>>(), new);
            for edge in new {
                assert_eq!(new_lists.find(*place, edge.target), Some(edge));
            }
            assert_eq!(new_lists.find(*place, TextId(3)), None);
        }
    }
}
