//! The list of active formatting elements (WHATWG HTML §13.2.4.3).

use crate::arena::NONE;
use crate::names::TagId;
use crate::tree::NodeId;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    /// A formatting element.
    Element(NodeId),
    /// Bounds what is looked for: a cell, a caption, a template.
    Marker,
    /// An entry that was taken out; so the others keep their places.
    Gone,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    item: Item,
    tag: TagId,
    /// The entry before that has the same tag; of a marker the marker before.
    same: u32,
}

/// The list. Removed entries leave a gap, so that no removal moves the rest.
#[derive(Debug)]
pub(super) struct Formatting {
    entries: Vec<Entry>,
    /// The last entry of each tag that can be in the list.
    last: [u32; TAGS.len()],
    last_marker: u32,
    /// How many entries are gone.
    gone: usize,
}

const TAGS: [TagId; 14] = [
    TagId::A,
    TagId::B,
    TagId::BIG,
    TagId::CODE,
    TagId::EM,
    TagId::FONT,
    TagId::I,
    TagId::NOBR,
    TagId::S,
    TagId::SMALL,
    TagId::STRIKE,
    TagId::STRONG,
    TagId::TT,
    TagId::U,
];

impl Formatting {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), last: [NONE; TAGS.len()], last_marker: NONE, gone: 0 }
    }

    fn last_mut(&mut self, tag: TagId) -> Option<&mut u32> {
        let at = TAGS.iter().position(|known| *known == tag)?;
        self.last.get_mut(at)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, at: usize) -> Item {
        self.entries.get(at).map_or(Item::Gone, |entry| entry.item)
    }

    pub(super) fn push(&mut self, node: NodeId, tag: TagId) {
        let at = self.place();
        let same = self.last_mut(tag).map_or(NONE, |last| std::mem::replace(last, at));
        self.entries.push(Entry { item: Item::Element(node), tag, same });
    }

    pub(super) fn push_marker(&mut self) {
        let at = self.place();
        let same = std::mem::replace(&mut self.last_marker, at);
        self.entries.push(Entry { item: Item::Marker, tag: TagId(NONE), same });
    }

    fn place(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(NONE)
    }

    fn pop(&mut self) -> Option<Item> {
        let entry = self.entries.pop()?;
        if entry.item == Item::Gone {
            self.gone -= 1;
        }
        if entry.item == Item::Marker {
            self.last_marker = entry.same;
        } else if let Some(last) = self.last_mut(entry.tag) {
            *last = entry.same;
        }
        Some(entry.item)
    }

    /// "Clear the list of active formatting elements up to the last marker"; tells of each element that goes.
    pub(super) fn clear_to_marker(&mut self, mut gone: impl FnMut(NodeId)) {
        while let Some(item) = self.pop() {
            match item {
                Item::Element(node) => gone(node),
                Item::Marker => return,
                Item::Gone => {}
            }
        }
    }

    /// The elements of a tag after the last marker, last first, with their places.
    pub(super) fn of_tag(&self, tag: TagId) -> impl Iterator<Item = (usize, NodeId)> {
        let first =
            TAGS.iter().position(|known| *known == tag).and_then(|at| self.last.get(at)).copied().unwrap_or(NONE);
        let bound = self.last_marker.wrapping_add(1);
        std::iter::successors(Some(first), |at| self.entries.get(*at as usize).map(|entry| entry.same))
            .take_while(move |at| *at != NONE && *at >= bound)
            .filter_map(|at| match self.get(at as usize) {
                Item::Element(node) => Some((at as usize, node)),
                _ => None,
            })
    }

    /// The last of those.
    pub(super) fn last_of(&self, tag: TagId) -> Option<(usize, NodeId)> {
        self.of_tag(tag).next()
    }

    /// Puts another element in an entry's place.
    pub(super) fn replace(&mut self, at: usize, node: NodeId) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.item = Item::Element(node);
        }
    }

    /// Takes out an entry.
    pub(super) fn remove(&mut self, at: usize) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.item = Item::Gone;
            self.gone += 1;
        }
        while self.entries.last().is_some_and(|entry| entry.item == Item::Gone) {
            self.pop();
        }
    }

    /// Closes the gaps once they are more than what is left, and says how many entries were put back. Places change.
    pub(super) fn close_gaps(&mut self) -> u64 {
        if self.gone * 2 <= self.entries.len() {
            return 0;
        }
        let entries = std::mem::replace(self, Self::new()).entries;
        for entry in entries {
            self.put_back(entry);
        }
        self.entries.len() as u64
    }

    fn put_back(&mut self, entry: Entry) {
        match entry.item {
            Item::Marker => self.push_marker(),
            Item::Element(node) => self.push(node, entry.tag),
            Item::Gone => {}
        }
    }

    /// Moves an entry right behind another that stands after it, giving it another element. Says how many entries moved.
    pub(super) fn move_behind(&mut self, from: usize, behind: usize, node: NodeId) -> u64 {
        let mut tail = Vec::with_capacity(self.entries.len().saturating_sub(from));
        while self.entries.len() > from {
            if let Some(entry) = self.entries.last().copied() {
                tail.push(entry);
            }
            self.pop();
        }
        tail.reverse();
        let moved = tail.len() as u64;
        if let Some(part) = tail.get_mut(..=behind.saturating_sub(from)) {
            part.rotate_left(1);
            if let Some(entry) = part.last_mut() {
                entry.item = Item::Element(node);
            }
        }
        for entry in tail {
            self.put_back(entry);
        }
        moved
    }
}
