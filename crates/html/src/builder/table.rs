//! Tables (WHATWG HTML §13.2.6.4.9 to .15).

use super::stack::Bound;
use super::{Builder, Flow, InsertionMode, TagId, TagToken, TextRun};
use crate::arena::NONE;
use crate::decode;
use crate::names::Trait;

impl Builder<'_> {
    pub(super) fn start_in_table(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::CAPTION => {
                self.clear_to(&[TagId::TABLE]);
                self.formatting.push_marker();
                self.insert(tag);
                self.mode = InsertionMode::InCaption;
            }
            TagId::COLGROUP => {
                self.clear_to(&[TagId::TABLE]);
                self.insert(tag);
                self.mode = InsertionMode::InColumnGroup;
            }
            TagId::COL => {
                self.clear_to(&[TagId::TABLE]);
                self.insert_implied(TagId::COLGROUP);
                self.mode = InsertionMode::InColumnGroup;
                return Flow::Again;
            }
            TagId::TBODY | TagId::TFOOT | TagId::THEAD => {
                self.clear_to(&[TagId::TABLE]);
                self.insert(tag);
                self.mode = InsertionMode::InTableBody;
            }
            TagId::TD | TagId::TH | TagId::TR => {
                self.clear_to(&[TagId::TABLE]);
                self.insert_implied(TagId::TBODY);
                self.mode = InsertionMode::InTableBody;
                return Flow::Again;
            }
            TagId::TABLE => {
                let Some(at) = self.stack.within(Bound::Table, TagId::TABLE) else { return Flow::Done };
                self.pop_to(at);
                self.reset_mode();
                return Flow::Again;
            }
            TagId::STYLE | TagId::SCRIPT | TagId::TEMPLATE => return self.start_in_head(tag),
            TagId::INPUT if self.is_hidden_input_tag(tag) => self.insert_void(tag),
            TagId::FORM => {
                if self.stack.top(TagId::TEMPLATE).is_none() && self.form.is_none() {
                    self.form = Some(self.insert(tag));
                    self.pop();
                }
            }
            _ => return self.foster(|builder| builder.start_in_body(tag)),
        }
        Flow::Done
    }

    pub(super) fn end_in_table(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::TABLE => {
                let Some(at) = self.stack.within(Bound::Table, TagId::TABLE) else { return Flow::Done };
                self.close(at);
                self.reset_mode();
            }
            TagId::BODY | TagId::HTML => {}
            name if name.has(Trait::TABLE_PART) => {}
            TagId::TEMPLATE => return self.end_in_head(tag),
            _ => return self.foster(|builder| builder.end_in_body(tag)),
        }
        Flow::Done
    }

    /// "Anything else": by the rules of the body, but what would be in the table's own elements goes before the table.
    fn foster(&mut self, process: impl FnOnce(&mut Self) -> Flow) -> Flow {
        self.fostering = true;
        let flow = process(self);
        self.fostering = false;
        flow
    }

    /// Whether a tag that made no element yet says `type=hidden`.
    fn is_hidden_input_tag(&self, tag: &TagToken) -> bool {
        let all = self.arena.attributes.get(tag.attributes as usize..tag.end_of_attributes()).unwrap_or_default();
        let kind = all.iter().find(|attribute| attribute.id == crate::names::AttributeId::TYPE);
        let value = kind.filter(|kind| kind.value.start != NONE).map(|kind| self.arena.text(self.source, kind.value));
        value.is_some_and(|value| value.eq_ignore_ascii_case("hidden"))
    }

    /// "Clear the stack back to a table context" and its like; `html` and `template` bound each.
    fn clear_to(&mut self, names: &[TagId]) {
        loop {
            let current = self.stack.current();
            let is_bound = [TagId::HTML, TagId::TEMPLATE].iter().chain(names).any(|name| current.is_html(*name));
            if is_bound || self.stack.len() == 0 {
                return;
            }
            self.pop();
        }
    }

    /// Text in a table waits for the next token: whether it is misplaced depends on all of it.
    pub(super) fn flush_table_text(&mut self) {
        let mut texts = std::mem::take(&mut self.table_text);
        let is_blank = texts.iter().all(|text| decode::is_blank(self.bytes(*text), text.mode));
        for text in &texts {
            if is_blank {
                self.insert_text(*text);
            } else {
                self.foster(|builder| builder.text_in_body(*text));
            }
        }
        texts.clear();
        self.table_text = texts;
    }

    pub(super) fn wait_with_text(&mut self, text: TextRun) {
        self.table_text.push(text);
    }

    pub(super) fn start_in_caption(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            name if name.has(Trait::TABLE_PART) => {
                if self.leave_caption(false) {
                    Flow::Again
                } else {
                    Flow::Done
                }
            }
            _ => self.start_in_body(tag),
        }
    }

    pub(super) fn end_in_caption(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::CAPTION => {
                self.leave_caption(true);
                Flow::Done
            }
            TagId::TABLE => {
                if self.leave_caption(false) {
                    Flow::Again
                } else {
                    Flow::Done
                }
            }
            TagId::BODY | TagId::HTML => Flow::Done,
            name if name.has(Trait::TABLE_PART) => Flow::Done,
            _ => self.end_in_body(tag),
        }
    }

    fn leave_caption(&mut self, by_end_tag: bool) -> bool {
        let Some(at) = self.stack.within(Bound::Table, TagId::CAPTION) else { return false };
        if by_end_tag {
            self.mark_end(self.stack.get(at).node);
        }
        self.pop_to(at);
        self.clear_formatting();
        self.mode = InsertionMode::InTable;
        true
    }

    pub(super) fn start_in_column_group(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::HTML => self.start_in_body(tag),
            TagId::COL => {
                self.insert_void(tag);
                Flow::Done
            }
            TagId::TEMPLATE => self.start_in_head(tag),
            _ => self.leave_column_group(),
        }
    }

    pub(super) fn end_in_column_group(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::COLGROUP => {
                if self.stack.current().is_html(TagId::COLGROUP) {
                    self.close(self.stack.len() - 1);
                    self.mode = InsertionMode::InTable;
                }
                Flow::Done
            }
            TagId::COL => Flow::Done,
            TagId::TEMPLATE => self.end_in_head(tag),
            _ => self.leave_column_group(),
        }
    }

    pub(super) fn leave_column_group(&mut self) -> Flow {
        if !self.stack.current().is_html(TagId::COLGROUP) {
            return Flow::Done;
        }
        self.pop();
        self.mode = InsertionMode::InTable;
        Flow::Again
    }

    const BODIES: [TagId; 3] = [TagId::TBODY, TagId::TFOOT, TagId::THEAD];

    pub(super) fn start_in_table_body(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::TR => {
                self.clear_to(&Self::BODIES);
                self.insert(tag);
                self.mode = InsertionMode::InRow;
                Flow::Done
            }
            TagId::TH | TagId::TD => {
                self.clear_to(&Self::BODIES);
                self.insert_implied(TagId::TR);
                self.mode = InsertionMode::InRow;
                Flow::Again
            }
            TagId::CAPTION | TagId::COL | TagId::COLGROUP | TagId::TBODY | TagId::TFOOT | TagId::THEAD => {
                self.leave_table_body()
            }
            _ => self.start_in_table(tag),
        }
    }

    pub(super) fn end_in_table_body(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::TBODY | TagId::TFOOT | TagId::THEAD => {
                if self.stack.within(Bound::Table, tag.name).is_some() {
                    self.clear_to(&Self::BODIES);
                    self.close(self.stack.len() - 1);
                    self.mode = InsertionMode::InTable;
                }
                Flow::Done
            }
            TagId::TABLE => self.leave_table_body(),
            TagId::BODY
            | TagId::CAPTION
            | TagId::COL
            | TagId::COLGROUP
            | TagId::HTML
            | TagId::TD
            | TagId::TH
            | TagId::TR => Flow::Done,
            _ => self.end_in_table(tag),
        }
    }

    fn leave_table_body(&mut self) -> Flow {
        if !Self::BODIES.iter().any(|name| self.stack.within(Bound::Table, *name).is_some()) {
            return Flow::Done;
        }
        self.clear_to(&Self::BODIES);
        self.pop();
        self.mode = InsertionMode::InTable;
        Flow::Again
    }

    pub(super) fn start_in_row(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::TH | TagId::TD => {
                self.clear_to(&[TagId::TR]);
                self.insert(tag);
                self.mode = InsertionMode::InCell;
                self.formatting.push_marker();
                Flow::Done
            }
            TagId::CAPTION | TagId::COL | TagId::COLGROUP | TagId::TBODY | TagId::TFOOT | TagId::THEAD | TagId::TR => {
                self.leave_row()
            }
            _ => self.start_in_table(tag),
        }
    }

    pub(super) fn end_in_row(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::TR => {
                if self.stack.within(Bound::Table, TagId::TR).is_some() {
                    self.clear_to(&[TagId::TR]);
                    self.close(self.stack.len() - 1);
                    self.mode = InsertionMode::InTableBody;
                }
                Flow::Done
            }
            TagId::TABLE => self.leave_row(),
            TagId::TBODY | TagId::TFOOT | TagId::THEAD => {
                if self.stack.within(Bound::Table, tag.name).is_none() {
                    return Flow::Done;
                }
                self.leave_row()
            }
            TagId::BODY | TagId::CAPTION | TagId::COL | TagId::COLGROUP | TagId::HTML | TagId::TD | TagId::TH => {
                Flow::Done
            }
            _ => self.end_in_table(tag),
        }
    }

    fn leave_row(&mut self) -> Flow {
        if self.stack.within(Bound::Table, TagId::TR).is_none() {
            return Flow::Done;
        }
        self.clear_to(&[TagId::TR]);
        self.pop();
        self.mode = InsertionMode::InTableBody;
        Flow::Again
    }

    pub(super) fn start_in_cell(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            name if name.has(Trait::TABLE_PART) => self.leave_cell(),
            _ => self.start_in_body(tag),
        }
    }

    pub(super) fn end_in_cell(&mut self, tag: &TagToken) -> Flow {
        match tag.name {
            TagId::TD | TagId::TH => {
                if let Some(at) = self.stack.within(Bound::Table, tag.name) {
                    self.close(at);
                    self.clear_formatting();
                    self.mode = InsertionMode::InRow;
                }
                Flow::Done
            }
            TagId::BODY | TagId::CAPTION | TagId::COL | TagId::COLGROUP | TagId::HTML => Flow::Done,
            TagId::TABLE | TagId::TBODY | TagId::TFOOT | TagId::THEAD | TagId::TR => {
                if self.stack.within(Bound::Table, tag.name).is_none() {
                    return Flow::Done;
                }
                self.leave_cell()
            }
            _ => self.end_in_body(tag),
        }
    }

    /// "Close the cell".
    fn leave_cell(&mut self) -> Flow {
        let cell = [TagId::TD, TagId::TH].iter().filter_map(|name| self.stack.within(Bound::Table, *name)).max();
        let Some(at) = cell else { return Flow::Done };
        self.pop_to(at);
        self.clear_formatting();
        self.mode = InsertionMode::InRow;
        Flow::Again
    }
}
