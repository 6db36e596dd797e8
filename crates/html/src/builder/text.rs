//! Character tokens, which come in runs (WHATWG HTML §13.2.6.4 and .5).

use super::{Builder, Flow, InsertionMode, Namespace, TextRun};
use crate::arena::SourceRun;
use crate::decode;
use crate::names::Trait;
use crate::tree::node::Kind;

impl Builder<'_> {
    pub(super) fn characters(&mut self, text: TextRun) {
        let mut rest = text;
        if std::mem::take(&mut self.skips_line_feed) {
            rest = rest.split(decode::first_line_feed(self.bytes(rest), rest.mode)).1;
            if rest.is_empty() {
                return;
            }
        }
        if !self.is_for_html(None) {
            return self.text_in_foreign(rest);
        }
        while !rest.is_empty() {
            rest = self.text_in(self.mode, rest);
        }
    }

    fn leading_space(&self, text: TextRun) -> (TextRun, TextRun) {
        text.split(decode::leading_space(self.bytes(text), text.mode))
    }

    /// Processes text by the rules of a mode, and gives back what is for another mode.
    // Longer than a screen: one arm per insertion mode.
    fn text_in(&mut self, mode: InsertionMode, text: TextRun) -> TextRun {
        let none = TextRun { start: text.end, ..text };
        match mode {
            InsertionMode::Initial => self.after_space(text, false, Self::leave_initial),
            InsertionMode::BeforeHtml => self.after_space(text, false, Self::leave_before_html),
            InsertionMode::BeforeHead => self.after_space(text, false, Self::leave_before_head),
            InsertionMode::InHead => self.after_space(text, true, Self::leave_head),
            InsertionMode::InHeadNoscript => self.after_space(text, true, Self::leave_head_noscript),
            InsertionMode::AfterHead => self.after_space(text, true, Self::leave_after_head),
            InsertionMode::InColumnGroup => {
                let (space, rest) = self.leading_space(text);
                self.insert_text(space);
                if rest.is_empty() || self.leave_column_group() == Flow::Again {
                    return rest;
                }
                // Outside a column group everything but white space is ignored.
                rest.split(decode::leading_other(self.bytes(rest), rest.mode)).1
            }
            InsertionMode::InBody | InsertionMode::InCaption | InsertionMode::InCell | InsertionMode::InTemplate => {
                self.text_in_body(text);
                none
            }
            InsertionMode::Text => {
                self.insert_text(text);
                none
            }
            InsertionMode::InTable | InsertionMode::InTableBody | InsertionMode::InRow => {
                let current = self.stack.current();
                let waits = current.namespace == Namespace::Html
                    && (current.tag.has(Trait::FOSTERING) || current.tag == super::TagId::TEMPLATE);
                let text = TextRun { mode: text.mode.without_nul(), ..text };
                if waits {
                    self.wait_with_text(text);
                } else {
                    self.fostering = true;
                    self.text_in_body(text);
                    self.fostering = false;
                }
                none
            }
            InsertionMode::AfterBody | InsertionMode::AfterAfterBody => {
                let (space, rest) = self.leading_space(text);
                if !space.is_empty() {
                    self.text_in_body(space);
                }
                if !rest.is_empty() {
                    self.mode = InsertionMode::InBody;
                }
                rest
            }
            InsertionMode::InFrameset | InsertionMode::AfterFrameset | InsertionMode::AfterAfterFrameset => {
                let (space, rest) = self.leading_space(text);
                if mode == InsertionMode::AfterAfterFrameset && !space.is_empty() {
                    self.text_in_body(space);
                } else {
                    self.insert_text(space);
                }
                rest.split(decode::leading_other(self.bytes(rest), rest.mode)).1
            }
        }
    }

    /// Keeps or ignores white space; other text leaves the mode.
    fn after_space(&mut self, text: TextRun, is_kept: bool, leave: impl FnOnce(&mut Self) -> Flow) -> TextRun {
        let (space, rest) = self.leading_space(text);
        if is_kept {
            self.insert_text(space);
        }
        if !rest.is_empty() {
            leave(self);
        }
        rest
    }

    pub(super) fn text_in_body(&mut self, text: TextRun) -> Flow {
        let text = TextRun { mode: text.mode.without_nul(), ..text };
        let bytes = self.bytes(text);
        if text.changed && self.is_nothing(text) {
            return Flow::Done;
        }
        self.reconstruct_formatting();
        self.insert_text(text);
        if self.frameset_ok && !decode::is_blank(bytes, text.mode) {
            self.frameset_ok = false;
        }
        Flow::Done
    }

    fn text_in_foreign(&mut self, text: TextRun) {
        self.insert_text(text);
        // A NUL there is U+FFFD, and does not count.
        if self.frameset_ok && !decode::is_blank(self.bytes(text), text.mode.without_nul()) {
            self.frameset_ok = false;
        }
    }

    /// "Insert a character", for a run.
    pub(super) fn insert_text(&mut self, text: TextRun) {
        if text.is_empty() || (text.changed && self.is_nothing(text)) {
            return;
        }
        let place = self.place();
        if self.nodes.get(place.parent).kind == Kind::Document {
            return;
        }
        let changed = text.changed && decode::changes(self.bytes(text), text.mode);
        let run: SourceRun = self.arena.run(text.range(), text.mode, changed);
        self.nodes.insert_text(place, run);
    }

    /// Whether a run is of nothing but characters that are left out.
    fn is_nothing(&self, text: TextRun) -> bool {
        text.mode.drops_nul() && self.bytes(text).iter().all(|byte| *byte == 0)
    }
}
