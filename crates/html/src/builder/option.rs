//! `selectedcontent`: a copy of the chosen option (WHATWG HTML §4.10.10.2 and §4.10.17, as Chromium does it).
//!
//! The chosen option of a select is the last one that says `selected`, else, in one that shows a single option, the first
//! that is not disabled. Each `selectedcontent` of the select is emptied when an option becomes the chosen one, and gets
//! a copy of its content when that option closes, or when it comes itself.

use super::{Builder, Location, NodeId, TagId};
use crate::names::AttributeId;

/// A select that is open.
#[derive(Debug)]
pub(super) struct OpenSelect {
    select: NodeId,
    is_multiple: bool,
    /// The first option is chosen where none says so.
    is_single: bool,
    chosen: Option<NodeId>,
    /// Its `selectedcontent` elements.
    copies: Vec<NodeId>,
}

impl Builder<'_> {
    pub(super) fn select_opened(&mut self, select: NodeId) {
        let is_multiple = self.attribute(select, AttributeId::MULTIPLE).is_some();
        let rows = self.attribute(select, AttributeId::SIZE).map_or(1, rows);
        self.selects.push(OpenSelect {
            select,
            is_multiple,
            is_single: !is_multiple && rows <= 1,
            chosen: None,
            copies: Vec::new(),
        });
    }

    /// Place on the stack of the select that elements are put below now, and of the template that hides others.
    fn open_select(&self) -> Option<usize> {
        // Past the deepest level nothing is where the stack says.
        if self.stack.len() > self.options.limits.depth as usize {
            return None;
        }
        let at = self.stack.top(TagId::SELECT)?;
        self.stack.top(TagId::TEMPLATE).is_none_or(|template| template < at).then_some(at)
    }

    /// Whether an element of a name is open above a place, `but` left out.
    fn is_open_above(&self, at: usize, name: TagId, but: NodeId) -> bool {
        let mut top = self.stack.top(name);
        if let Some(itself) = top.filter(|top| self.stack.get(*top).node == but) {
            top = self.stack.same_below(itself);
        }
        top.is_some_and(|top| top > at)
    }

    /// An option came: it may become the chosen one.
    pub(super) fn option_opened(&mut self, option: NodeId) {
        let Some(at) = self.open_select() else { return };
        if [TagId::DATALIST, TagId::OPTION].iter().any(|name| self.is_open_above(at, *name, option)) {
            return;
        }
        let group = self.stack.top(TagId::OPTGROUP).filter(|group| *group > at);
        let is_disabled = [Some(option), group.map(|group| self.stack.get(group).node)]
            .into_iter()
            .flatten()
            .any(|node| self.attribute(node, AttributeId::DISABLED).is_some());
        let is_selected = self.attribute(option, AttributeId::SELECTED).is_some();
        let Some(select) = self.selects.last_mut() else { return };
        let is_default = select.is_single && select.chosen.is_none() && !is_disabled;
        if !is_selected && !is_default {
            return;
        }
        select.chosen = Some(option);
        if select.copies.is_empty() {
            return;
        }
        // An option in a `selectedcontent` is taken out with all else there, and chosen no more.
        if self.is_open_above(at, TagId::SELECTEDCONTENT, option)
            && let Some(select) = self.selects.last_mut()
        {
            select.chosen = None;
        }
        self.fill_copies(None);
    }

    /// A `selectedcontent` came.
    pub(super) fn selected_content_opened(&mut self, element: NodeId) {
        if self.open_select().is_none() {
            return;
        }
        let Some(OpenSelect { select, is_multiple: false, .. }) = self.selects.last() else { return };
        // Within an option it could hold itself; within another, or a select in a select, it counts for nothing.
        let root = self.stack.top(TagId::TEMPLATE).unwrap_or(0);
        let around = [(TagId::OPTION, element), (TagId::SELECTEDCONTENT, element), (TagId::SELECT, *select)];
        if around.iter().any(|(name, but)| self.is_open_above(root, *name, *but)) {
            return;
        }
        let Some(select) = self.selects.last_mut() else { return };
        select.copies.push(element);
        if let Some(chosen) = select.chosen {
            self.copy_below(chosen, element);
        }
    }

    /// An option closed.
    pub(super) fn option_closed(&mut self, option: NodeId) {
        if self.selects.last().is_some_and(|select| select.chosen == Some(option)) {
            self.fill_copies(Some(option));
        }
    }

    pub(super) fn select_closed(&mut self, select: NodeId) {
        self.selects.pop_if(|open| open.select == select);
    }

    /// Empties each `selectedcontent` of the innermost select, and copies an option's content into it.
    fn fill_copies(&mut self, option: Option<NodeId>) {
        let Some(select) = self.selects.last_mut() else { return };
        let copies = std::mem::take(&mut select.copies);
        for copy in &copies {
            self.count(1);
            if self.cut.work {
                break;
            }
            while let Some(old) = self.nodes.get(*copy).first_child() {
                self.nodes.detach(old);
                self.count(1);
            }
            if let Some(option) = option {
                self.copy_below(option, *copy);
            }
        }
        if let Some(select) = self.selects.last_mut() {
            select.copies = copies;
        }
    }

    /// Copies everything below one node to below another, what templates hold included.
    fn copy_below(&mut self, from: NodeId, to: NodeId) {
        let mut waiting = vec![(from, to)];
        while let Some((root, to)) = waiting.pop() {
            // Copies of the elements on the way down to the node in hand.
            let mut parents = vec![to];
            let mut at = self.nodes.get(root).first_child();
            while let Some(id) = at {
                self.count(1);
                if self.cut.work {
                    return;
                }
                let copy = self.nodes.copy(id);
                if self.nodes.is_html(id, TagId::TEMPLATE) {
                    self.nodes.add_fragment(copy);
                    waiting.extend(self.nodes.fragment(id).zip(self.nodes.fragment(copy)));
                }
                let parent = parents.last().copied().unwrap_or(to);
                self.nodes.insert(Location::last_in(parent), copy);
                if let Some(child) = self.nodes.get(id).first_child() {
                    parents.push(copy);
                    at = Some(child);
                    continue;
                }
                let mut up = id;
                at = loop {
                    if up == root {
                        break None;
                    }
                    let node = self.nodes.get(up);
                    if let Some(next) = node.next.some() {
                        break Some(next);
                    }
                    up = node.parent;
                    parents.pop();
                };
            }
        }
    }
}

/// The number of a `size`: what the digits at its start say, 1 where there are none (§2.3.4.2, "rules for parsing
/// non-negative integers", and §4.10.7).
fn rows(value: &str) -> u32 {
    let value = value.trim_start_matches(|first: char| first.is_ascii_whitespace());
    let value = value.strip_prefix('+').unwrap_or(value);
    let digits = value.find(|character: char| !character.is_ascii_digit()).unwrap_or(value.len());
    let digits = value.get(..digits).unwrap_or_default();
    // Chromium takes what 32 bits can't hold for no number.
    digits.parse().unwrap_or(1)
}
