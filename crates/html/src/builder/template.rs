//! Templates (WHATWG HTML §13.2.6.4.4 and "in template"), and what mode goes on where something closed (§13.2.4.1).

use super::stack::Bound;
use super::{Builder, Flow, Insertion, Tag, TagId};
use crate::names::Trait;

impl Builder<'_> {
    pub(super) fn start_template(&mut self, tag: &Tag) {
        self.formatting.push_marker();
        self.frameset_ok = false;
        self.insert_template(tag);
        self.mode = Insertion::InTemplate;
        self.template_modes.push(Insertion::InTemplate);
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

    pub(super) fn start_in_template(&mut self, tag: &Tag) -> Flow {
        let mode = match tag.name {
            name if name.has(Trait::METADATA) => return self.start_in_head(tag),
            TagId::CAPTION | TagId::COLGROUP | TagId::TBODY | TagId::TFOOT | TagId::THEAD => Insertion::InTable,
            TagId::COL => Insertion::InColumnGroup,
            TagId::TR => Insertion::InTableBody,
            TagId::TD | TagId::TH => Insertion::InRow,
            _ => Insertion::InBody,
        };
        if let Some(last) = self.template_modes.last_mut() {
            *last = mode;
        }
        self.mode = mode;
        Flow::Again
    }

    pub(super) fn end_in_template(&mut self, tag: &Tag) -> Flow {
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
            TagId::TD | TagId::TH => Insertion::InCell,
            TagId::TR => Insertion::InRow,
            TagId::TBODY | TagId::THEAD | TagId::TFOOT => Insertion::InTableBody,
            TagId::CAPTION => Insertion::InCaption,
            TagId::COLGROUP => Insertion::InColumnGroup,
            TagId::TABLE => Insertion::InTable,
            TagId::TEMPLATE => self.template_modes.last().copied().unwrap_or(Insertion::InTemplate),
            TagId::HEAD => Insertion::InHead,
            // What closes is a table or a template: below it is no frameset, and the document has had its head.
            TagId::HTML => Insertion::AfterHead,
            _ => Insertion::InBody,
        };
    }
}
