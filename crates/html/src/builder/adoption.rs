//! Formatting elements: reconstruction, Noah's Ark, and the adoption agency (WHATWG HTML §13.2.4.3, §13.2.6.4.7).

use super::formatting::FormattingItem;
use super::stack::Bound;
use super::{Builder, Flag, Integration, Location, Namespace, NodeId, Open, TagId};
use crate::arena::NONE;
use crate::names::Trait;

/// Formatting elements closed for one end tag (step 4.2).
const OUTER_LIMIT: u32 = 8;
/// Formatting elements between that are kept (step 4.13).
const INNER_LIMIT: u32 = 3;
/// Equal formatting elements that are kept ("Noah's Ark clause").
const ARK: usize = 3;

impl Builder<'_> {
    /// "Push onto the list of active formatting elements".
    pub(super) fn push_formatting(&mut self, node: NodeId, name: TagId) {
        let mut steps = 0;
        let mut equal = 0;
        let mut hash = None;
        let mut next = self.formatting.last_of(name);
        while let Some((at, other)) = next {
            steps += 1;
            if self.nodes.get(other).attribute_count == self.nodes.get(node).attribute_count {
                let mine = *hash.get_or_insert_with(|| self.attributes_hash(node));
                let theirs = self.formatting.attributes(at).unwrap_or_else(|| self.attributes_hash(other));
                self.formatting.set_attributes(at, theirs);
                equal += usize::from(theirs == mine);
                if equal == ARK {
                    self.drop_formatting(at, other);
                    break;
                }
            }
            next = self.formatting.before(at);
        }
        self.count(steps);
        self.nodes.set(node, Flag::FORMATTING, true);
        self.formatting.push(node, name);
    }

    /// A hash of an element's attributes whatever their order; keyed, so that none collide in practice.
    fn attributes_hash(&self, node: NodeId) -> u64 {
        let node = self.nodes.get(node);
        let start = node.attributes as usize;
        let all = self.arena.attributes.get(start..start + usize::from(node.attribute_count)).unwrap_or_default();
        let value =
            |run: crate::arena::SourceRun| if run.start == NONE { "" } else { self.arena.text(self.source, run) };
        all.iter().fold(0u64, |sum, attribute| {
            let name = self.arena.attribute_name(self.source, attribute);
            sum.wrapping_add(self.arena.keyed_hash_of_pair(name, value(attribute.value)))
        })
    }

    /// "Reconstruct the active formatting elements".
    pub(super) fn reconstruct_formatting(&mut self) {
        let is_closed = |builder: &Self, at: usize| match builder.formatting.get(at) {
            FormattingItem::Element(node) => !builder.nodes.get(node).has(Flag::OPEN),
            FormattingItem::Gone => true,
            FormattingItem::Marker => false,
        };
        let end = self.formatting.len();
        let mut first = end;
        while first > 0 && is_closed(self, first - 1) {
            first -= 1;
        }
        self.count((end - first) as u64);
        for at in first..end {
            if self.cut.work {
                return;
            }
            let FormattingItem::Element(original) = self.formatting.get(at) else { continue };
            let place = self.bounded_place();
            let copy = self.copy(original);
            self.insert_open(place, copy);
            self.formatting.replace(at, copy.node);
        }
    }

    /// A copy of a formatting element, that takes its part in the list.
    fn copy(&mut self, original: NodeId) -> Open {
        self.count(1);
        let node = self.nodes.copy(original);
        self.nodes.set(original, Flag::FORMATTING, false);
        self.nodes.set(node, Flag::FORMATTING, true);
        Open { node, tag: self.nodes.get(node).tag, namespace: Namespace::Html, integration: Integration::None }
    }

    /// "Clear the list of active formatting elements up to the last marker".
    pub(super) fn clear_formatting(&mut self) {
        let nodes = &mut self.nodes;
        self.formatting.clear_to_marker(|node| nodes.set(node, Flag::FORMATTING, false));
    }

    /// Takes an element out of the list and off the stack, if it is still there.
    pub(super) fn forget(&mut self, node: NodeId, name: TagId) {
        if self.nodes.get(node).has(Flag::FORMATTING)
            && let Some(at) = self.formatting_place(node, name)
        {
            self.drop_formatting(at, node);
        }
        if let Some(at) = self.open_place(node, name) {
            self.remove_open(at);
        }
    }

    fn formatting_place(&mut self, node: NodeId, name: TagId) -> Option<usize> {
        let mut steps = 1;
        let mut next = self.formatting.last_of(name);
        while let Some((at, _)) = next.filter(|(_, other)| *other != node) {
            next = self.formatting.before(at);
            steps += 1;
        }
        self.count(steps);
        next.map(|(at, _)| at)
    }

    fn drop_formatting(&mut self, at: usize, node: NodeId) {
        self.formatting.remove(at);
        self.nodes.set(node, Flag::FORMATTING, false);
    }

    /// The adoption agency algorithm for the end tag of a formatting element.
    pub(super) fn adopt(&mut self, name: TagId) {
        let current = self.stack.current();
        if current.is_html(name) && !self.nodes.get(current.node).has(Flag::FORMATTING) {
            return self.close(self.stack.len() - 1);
        }
        for _ in 0..OUTER_LIMIT {
            let Some((place, element)) = self.formatting.last_of(name) else {
                return self.end_other(name);
            };
            let Some(at) = self.open_place(element, name) else {
                return self.drop_formatting(place, element);
            };
            if self.stack.bound(Bound::Scope).is_some_and(|bound| at < bound) {
                return;
            }
            self.mark_end(element);
            let Some(furthest) = self.furthest_block(at) else {
                self.pop_to(at);
                return self.drop_formatting(place, element);
            };
            self.adopt_one(Adoption { element, at, place, furthest });
            if self.cut.work {
                return;
            }
        }
    }

    /// Place of the lowest special element above `at`. All above it are of HTML: what is special outside bounds the scope.
    fn furthest_block(&mut self, at: usize) -> Option<usize> {
        let top = self.stack.bound(Bound::Special).filter(|special| *special > at)?;
        let is_special = |open: Open| open.namespace == Namespace::Html && open.tag.has(Trait::SPECIAL);
        let found = (at + 1..top).find(|place| is_special(self.stack.get(*place))).unwrap_or(top);
        self.count((found - at) as u64);
        Some(found)
    }

    /// One iteration of the outer loop (steps 4.9 to 4.19).
    fn adopt_one(&mut self, adoption: Adoption) {
        let Adoption { element, at, place, furthest } = adoption;
        let block = self.stack.get(furthest);
        let between: Vec<Open> = (at + 1..furthest).map(|between| self.stack.get(between)).collect();
        let mut copies = Vec::new();
        let mut last = block.node;
        let mut bookmark = None;
        for (passed, open) in between.into_iter().rev().enumerate() {
            self.count(1);
            let listed = self.nodes.get(open.node).has(Flag::FORMATTING);
            let listed_at = if listed { self.formatting_place(open.node, open.tag) } else { None };
            let Some(listed_at) = listed_at else {
                self.leave_stack(open.node);
                continue;
            };
            if passed as u64 >= u64::from(INNER_LIMIT) {
                self.drop_formatting(listed_at, open.node);
                self.leave_stack(open.node);
                continue;
            }
            let copy = self.copy(open.node);
            self.leave_stack(open.node);
            self.formatting.replace(listed_at, copy.node);
            if last == block.node {
                bookmark = Some(listed_at);
            }
            self.nodes.detach(last);
            self.nodes.insert(Location::last_in(copy.node), last);
            last = copy.node;
            copies.push(copy);
        }
        copies.reverse();
        self.nodes.detach(last);
        let target = self.place_in(self.stack.get(at - 1));
        self.nodes.insert(target, last);
        let copy = self.copy(element);
        let moved = self.nodes.move_children(block.node, copy.node);
        self.nodes.insert(Location::last_in(block.node), copy.node);
        self.count(moved);
        match bookmark {
            Some(behind) if behind > place => {
                let moved = self.formatting.move_behind(place, behind, copy.node);
                self.count(moved);
            }
            _ => self.formatting.replace(place, copy.node),
        }
        self.leave_stack(element);
        let count = furthest - at + 1;
        let steps = self.stack.rebuild(at, |tail| {
            tail.splice(..count, copies.iter().copied().chain([block, copy]));
        });
        for open in copies.iter().chain([&copy]) {
            self.nodes.set(open.node, Flag::OPEN, true);
        }
        self.count(steps);
    }

    fn leave_stack(&mut self, node: NodeId) {
        self.nodes.set(node, Flag::OPEN, false);
    }
}

/// The elements of one iteration of the adoption agency.
struct Adoption {
    /// The formatting element, its place on the stack and in the list.
    element: NodeId,
    at: usize,
    place: usize,
    /// Place on the stack of the furthest block.
    furthest: usize,
}
