//! End tags in the body (WHATWG HTML §13.2.6.4.7), and what follows it ("after body", "after after body").

use super::stack::Bound;
use super::{Builder, Flow, InsertionMode, TagId, TagToken};
use crate::names::Trait;

const HEADINGS: [TagId; 6] = [TagId::H1, TagId::H2, TagId::H3, TagId::H4, TagId::H5, TagId::H6];

impl Builder<'_> {
    pub(super) fn end_in_body(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::TEMPLATE => self.end_template(),
            TagId::BODY | TagId::HTML => {
                let Some(at) = self.stack.within(Bound::Scope, TagId::BODY) else { return Flow::Done };
                self.mode = InsertionMode::AfterBody;
                if tag.name == TagId::HTML {
                    return Flow::Again;
                }
                self.mark_end(self.stack.get(at).node);
            }
            TagId::BUTTON | TagId::LISTING | TagId::PRE | TagId::SELECT => {
                self.end_block(tag.name);
            }
            name if name.has(Trait::BLOCK) => {
                self.end_block(name);
            }
            TagId::FORM => self.end_form(),
            TagId::P => {
                if self.stack.within(Bound::Button, TagId::P).is_none() {
                    self.insert_implied(TagId::P);
                }
                if let Some(at) = self.stack.within(Bound::Button, TagId::P) {
                    self.close(at);
                }
            }
            TagId::LI => self.close_within(Bound::ListItem, TagId::LI),
            TagId::DD | TagId::DT => self.close_within(Bound::Scope, tag.name),
            TagId::H1 | TagId::H2 | TagId::H3 | TagId::H4 | TagId::H5 | TagId::H6 => {
                let heading = HEADINGS.iter().filter_map(|name| self.stack.within(Bound::Scope, *name)).max();
                if let Some(at) = heading {
                    self.close(at);
                }
            }
            name if name.has(Trait::FORMATTING) => self.adopt(name),
            TagId::APPLET | TagId::MARQUEE | TagId::OBJECT => {
                if self.end_block(tag.name) {
                    self.clear_formatting();
                }
            }
            TagId::BR => {
                // A browser makes a line break of "</br>".
                self.reconstruct_formatting();
                self.insert_implied(TagId::BR);
                self.pop();
                self.frameset_ok = false;
            }
            _ => self.end_other(tag.name),
        }
        Flow::Done
    }

    /// Closes an element that is in scope; says whether there was one.
    fn end_block(&mut self, name: TagId) -> bool {
        let Some(at) = self.stack.within(Bound::Scope, name) else { return false };
        self.close(at);
        true
    }

    fn close_within(&mut self, bound: Bound, name: TagId) {
        if let Some(at) = self.stack.within(bound, name) {
            self.close(at);
        }
    }

    fn end_form(&mut self) {
        if self.stack.top(TagId::TEMPLATE).is_some() {
            return self.close_within(Bound::Scope, TagId::FORM);
        }
        let Some(form) = self.form.take() else { return };
        let Some(at) = self.open_place(form, TagId::FORM) else { return };
        if self.stack.bound(Bound::Scope).is_some_and(|bound| at < bound) {
            return;
        }
        self.imply_end_tags(None);
        self.mark_end(form);
        self.remove_open(at);
    }

    /// Place of an element on the stack.
    pub(super) fn open_place(&mut self, node: super::NodeId, name: TagId) -> Option<usize> {
        if !self.nodes.get(node).has(super::Flag::OPEN) {
            return None;
        }
        let mut steps = 0;
        let mut at = self.stack.top(name);
        while let Some(place) = at.filter(|place| self.stack.get(*place).node != node) {
            at = self.stack.same_below(place);
            steps += 1;
        }
        self.count(steps);
        at
    }

    /// "Any other end tag": closes the topmost element of that name, unless a special one stands before it.
    pub(super) fn end_other(&mut self, name: TagId) {
        let Some(at) = self.stack.within(Bound::Special, name) else { return };
        self.close(at);
    }

    pub(super) fn start_after_body(&mut self, tag: &TagToken) -> Flow {
        if tag.name == TagId::HTML {
            return self.start_in_body(tag);
        }
        self.mode = InsertionMode::InBody;
        Flow::Again
    }

    pub(super) fn end_after_body(&mut self, tag: &TagToken) -> Flow {
        if tag.name == TagId::HTML {
            self.mark_end(self.stack.get(0).node);
            self.mode = InsertionMode::AfterAfterBody;
            return Flow::Done;
        }
        self.mode = InsertionMode::InBody;
        Flow::Again
    }
}
