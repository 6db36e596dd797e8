//! Templates (WHATWG HTML §13.2.6.4.4 and "in template"), and what mode goes on where something closed (§13.2.4.1).

use super::stack::Bound;
use super::{Builder, Flow, InsertionMode, TagId, TagToken};
use crate::names::Trait;

impl Builder<'_> {
    pub(super) fn start_template(&mut self, tag: &TagToken) {
        self.formatting.push_marker();
        self.frameset_ok = false;
        self.insert_template(tag);
        self.mode = InsertionMode::InTemplate;
        self.template_modes.push(InsertionMode::InTemplate);
    }

    pub(super) fn end_template(&mut self) {
        let Some(at) = self.stack.top(TagId::TEMPLATE) else { return };
        self.close(at);
        self.left_template();
    }

    fn left_template(&mut self) {
        self.end_filling();
        self.clear_formatting();
        self.template_modes.pop();
        self.reset_mode();
    }

    pub(super) fn start_in_template(&mut self, tag: &TagToken) -> Flow {
        let mode = match tag.name {
            name if name.has(Trait::METADATA) => return self.start_in_head(tag),
            TagId::CAPTION | TagId::COLGROUP | TagId::TBODY | TagId::TFOOT | TagId::THEAD => InsertionMode::InTable,
            TagId::COL => InsertionMode::InColumnGroup,
            TagId::TR => InsertionMode::InTableBody,
            TagId::TD | TagId::TH => InsertionMode::InRow,
            _ => InsertionMode::InBody,
        };
        if let Some(last) = self.template_modes.last_mut() {
            *last = mode;
        }
        self.mode = mode;
        Flow::Again
    }

    pub(super) fn end_in_template(&mut self, tag: &TagToken) -> Flow {
        if tag.name == TagId::TEMPLATE {
            self.end_template();
        }
        Flow::Done
    }

    /// The end of the source in a template: it closes.
    pub(super) fn end_of_template(&mut self) -> Flow {
        let Some(at) = self.stack.top(TagId::TEMPLATE) else { return Flow::Done };
        self.pop_to(at);
        self.left_template();
        Flow::Again
    }

    /// "Reset the insertion mode appropriately".
    pub(super) fn reset_mode(&mut self) {
        let Some(at) = self.stack.bound(Bound::DecidesMode) else { return };
        let open = self.stack.get(at);
        self.mode = match open.tag {
            TagId::TD | TagId::TH => InsertionMode::InCell,
            TagId::TR => InsertionMode::InRow,
            TagId::TBODY | TagId::THEAD | TagId::TFOOT => InsertionMode::InTableBody,
            TagId::CAPTION => InsertionMode::InCaption,
            TagId::COLGROUP => InsertionMode::InColumnGroup,
            TagId::TABLE => InsertionMode::InTable,
            TagId::TEMPLATE => self.template_modes.last().copied().unwrap_or(InsertionMode::InTemplate),
            TagId::HEAD => InsertionMode::InHead,
            // What closes is a table or a template: below it is no frameset, and the document has had its head.
            TagId::HTML => InsertionMode::AfterHead,
            _ => InsertionMode::InBody,
        };
    }
}
