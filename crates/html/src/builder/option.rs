//! `selectedcontent`: the copy of the chosen option (WHATWG HTML §4.10.10, "maybe clone an option into selectedcontent").

use super::{Builder, Location, NodeId, TagId};
use crate::arena::NONE;
use crate::names::AttributeId;

impl Builder<'_> {
    /// An option closed: if it is the chosen one, its content is copied into its select's `selectedcontent`.
    pub(super) fn copy_selected_option(&mut self, option: NodeId) {
        let Some(select) = self.select_of(option) else { return };
        if self.attribute(select, AttributeId::MULTIPLE).is_some() {
            return;
        }
        let Some(target) = self.first_below(select, TagId::SELECTEDCONTENT) else { return };
        let is_chosen = self.attribute(option, AttributeId::SELECTED).is_some()
            || self.first_below(select, TagId::OPTION) == Some(option);
        if !is_chosen {
            return;
        }
        while let Some(old) = self.nodes.get(target).first_child() {
            self.nodes.detach(old);
            self.count(1);
        }
        self.copy_below(option, target);
    }

    fn select_of(&mut self, option: NodeId) -> Option<NodeId> {
        let mut at = self.nodes.get(option).parent;
        let mut steps = 0;
        while at.0 != NONE && !self.nodes.is_html(at, TagId::SELECT) {
            at = self.nodes.get(at).parent;
            steps += 1;
        }
        self.count(steps);
        at.some()
    }

    /// The first HTML element of a name below another.
    fn first_below(&mut self, root: NodeId, name: TagId) -> Option<NodeId> {
        let mut at = self.nodes.get(root).first_child();
        let mut steps = 0;
        while let Some(id) = at.filter(|id| !self.nodes.is_html(*id, name)) {
            at = self.following(id, root);
            steps += 1;
        }
        self.count(steps);
        at
    }

    fn following(&self, id: NodeId, root: NodeId) -> Option<NodeId> {
        if let Some(child) = self.nodes.get(id).first_child() {
            return Some(child);
        }
        let mut at = id;
        while at != root {
            let node = self.nodes.get(at);
            if node.next.0 != NONE {
                return Some(node.next);
            }
            at = node.parent.some()?;
        }
        None
    }

    /// Copies everything below one node to below another.
    fn copy_below(&mut self, from: NodeId, to: NodeId) {
        // Copies of the elements on the way down to the node in hand.
        let mut parents = vec![to];
        let mut at = self.nodes.get(from).first_child();
        while let Some(id) = at {
            self.count(1);
            if self.cut.work {
                return;
            }
            let copy = self.nodes.copy(id);
            if self.nodes.is_html(id, TagId::TEMPLATE) {
                self.nodes.add_fragment(copy);
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
                if up == from {
                    break None;
                }
                let node = self.nodes.get(up);
                if node.next.0 != NONE {
                    break Some(node.next);
                }
                up = node.parent;
                parents.pop();
            };
        }
    }
}
