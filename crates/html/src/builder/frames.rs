//! Framesets (WHATWG HTML §13.2.6.4, "in frameset", "after frameset" and "after after frameset").

use super::{Builder, Flow, InsertionMode, TagId, TagToken};

impl Builder<'_> {
    /// A frameset instead of a body that is still empty.
    pub(super) fn start_frameset_for_body(&mut self, tag: &TagToken) {
        let body = self.stack.get(1);
        if !body.is_html(TagId::BODY) || !self.frameset_ok {
            return;
        }
        self.nodes.detach(body.node);
        self.pop_to(1);
        self.insert(tag);
        self.mode = InsertionMode::InFrameset;
    }

    pub(super) fn start_in_frameset(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HTML => return self.start_in_body(tag),
            TagId::FRAMESET => {
                self.insert(tag);
            }
            TagId::FRAME => self.insert_void(tag),
            TagId::NOFRAMES => return self.start_in_head(tag),
            _ => {}
        }
        Flow::Done
    }

    pub(super) fn end_in_frameset(&mut self, tag: &TagToken) -> Flow {
        // In this mode the current node is a frameset: only a fragment's root would be none.
        if tag.name == TagId::FRAMESET {
            self.close(self.stack.len() - 1);
            if !self.stack.current().is_html(TagId::FRAMESET) {
                self.mode = InsertionMode::AfterFrameset;
            }
        }
        Flow::Done
    }

    pub(super) fn start_after_frameset(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HTML => self.start_in_body(tag),
            TagId::NOFRAMES => self.start_in_head(tag),
            _ => Flow::Done,
        }
    }

    pub(super) fn end_after_frameset(&mut self, tag: &TagToken) -> Flow {
        if tag.name == TagId::HTML {
            self.mark_end(self.stack.get(0).node);
            self.mode = InsertionMode::AfterAfterFrameset;
        }
        Flow::Done
    }
}
