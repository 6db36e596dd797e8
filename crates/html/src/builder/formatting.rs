//! The list of active formatting elements (WHATWG HTML §13.2.4.3).

use crate::arena::NONE;
use crate::names::TagId;
use crate::tree::node::NodeId;

/// Kinds of entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FormattingItem {
    /// A formatting element.
    Element(NodeId),
    /// Bounds what is looked for: a cell, a caption, a template.
    Marker,
    /// An entry that was taken out; so the others keep their places.
    Gone,
}

#[derive(Debug, Clone, Copy)]
struct FormattingEntry {
    item: FormattingItem,
    tag: TagId,
    /// Hash of the element's attributes, once somebody asked.
    attributes: Option<u64>,
    /// The entry before that has the same tag; of a marker the marker before.
    same: u32,
}

/// The list. Removed entries leave a gap, so that no removal moves the rest.
#[derive(Debug)]
pub(super) struct Formatting {
    entries: Vec<FormattingEntry>,
    /// The last entry of each tag that can be in the list.
    last: [u32; TAGS.len()],
    last_marker: u32,
    /// How many entries are gone.
    gaps: usize,
}

/// Gaps from which on the list is closed up, when they are more than half of it.
const MANY_GAPS: usize = 8;

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
        Self { entries: Vec::new(), last: [NONE; TAGS.len()], last_marker: NONE, gaps: 0 }
    }

    fn last_mut(&mut self, tag: TagId) -> Option<&mut u32> {
        let at = TAGS.iter().position(|known| *known == tag)?;
        self.last.get_mut(at)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn get(&self, at: usize) -> FormattingItem {
        self.entries.get(at).map_or(FormattingItem::Gone, |entry| entry.item)
    }

    /// Adds an element. Places found before are no good any more.
    pub(super) fn push(&mut self, node: NodeId, tag: TagId) {
        if self.gaps > MANY_GAPS && self.gaps > self.entries.len() / 2 {
            self.take_from(0).into_iter().for_each(|entry| self.add(entry));
        }
        self.add(FormattingEntry { item: FormattingItem::Element(node), tag, attributes: None, same: NONE });
    }

    /// Adds an entry, unless it is gone.
    fn add(&mut self, entry: FormattingEntry) {
        let at = self.place();
        let last = match entry.item {
            FormattingItem::Element(_) => self.last_mut(entry.tag),
            FormattingItem::Marker => Some(&mut self.last_marker),
            FormattingItem::Gone => return,
        };
        let same = last.map_or(NONE, |last| std::mem::replace(last, at));
        self.entries.push(FormattingEntry { same, ..entry });
    }

    /// Takes all entries from a place on.
    fn take_from(&mut self, from: usize) -> Vec<FormattingEntry> {
        let tail = self.entries.get(from..).unwrap_or_default().to_vec();
        while self.entries.len() > from {
            self.pop();
        }
        tail
    }

    pub(super) fn push_marker(&mut self) {
        self.add(FormattingEntry { item: FormattingItem::Marker, tag: TagId(NONE), attributes: None, same: NONE });
    }

    fn place(&self) -> u32 {
        u32::try_from(self.entries.len()).unwrap_or(NONE)
    }

    fn pop(&mut self) -> Option<FormattingItem> {
        let entry = self.entries.pop()?;
        if entry.item == FormattingItem::Marker {
            self.last_marker = entry.same;
        } else if let Some(last) = self.last_mut(entry.tag) {
            *last = entry.same;
        }
        self.gaps -= usize::from(entry.item == FormattingItem::Gone);
        Some(entry.item)
    }

    /// "Clear the list of active formatting elements up to the last marker"; tells of each element that goes.
    pub(super) fn clear_to_marker(&mut self, mut gone: impl FnMut(NodeId)) {
        while let Some(item) = self.pop() {
            match item {
                FormattingItem::Element(node) => gone(node),
                FormattingItem::Marker => return,
                FormattingItem::Gone => {}
            }
        }
    }

    /// The last element of a tag after the last marker, with its place.
    pub(super) fn last_of(&self, tag: TagId) -> Option<(usize, NodeId)> {
        let at = TAGS.iter().position(|known| *known == tag)?;
        self.nearest(*self.last.get(at)?)
    }

    /// The element of the same tag before a place, after the last marker.
    pub(super) fn before(&self, at: usize) -> Option<(usize, NodeId)> {
        self.nearest(self.entries.get(at)?.same)
    }

    /// The first element from an entry downwards along its tag.
    fn nearest(&self, from: u32) -> Option<(usize, NodeId)> {
        let mut at = from;
        while at != NONE && at >= self.last_marker.wrapping_add(1) {
            let entry = self.entries.get(at as usize)?;
            if let FormattingItem::Element(node) = entry.item {
                return Some((at as usize, node));
            }
            at = entry.same;
        }
        None
    }

    /// The hash of an element's attributes, where it is known.
    pub(super) fn attributes(&self, at: usize) -> Option<u64> {
        self.entries.get(at)?.attributes
    }

    pub(super) fn set_attributes(&mut self, at: usize, hash: u64) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.attributes = Some(hash);
        }
    }

    /// Puts another element in an entry's place.
    pub(super) fn replace(&mut self, at: usize, node: NodeId) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.item = FormattingItem::Element(node);
        }
    }

    /// Takes out an entry.
    pub(super) fn remove(&mut self, at: usize) {
        if let Some(entry) = self.entries.get_mut(at) {
            entry.item = FormattingItem::Gone;
            self.gaps += 1;
        }
        while self.entries.last().is_some_and(|entry| entry.item == FormattingItem::Gone) {
            self.pop();
        }
    }

    /// Moves an entry right behind another that stands after it, giving it another element. Says how many entries moved.
    pub(super) fn move_behind(&mut self, from: usize, behind: usize, node: NodeId) -> u64 {
        let mut tail = self.take_from(from);
        let moved = tail.len() as u64;
        if let Some(part) = tail.get_mut(..=behind.saturating_sub(from)) {
            part.rotate_left(1);
            if let Some(entry) = part.last_mut() {
                entry.item = FormattingItem::Element(node);
            }
        }
        tail.into_iter().for_each(|entry| self.add(entry));
        moved
    }
}
