//! Character tokens, which come in runs (WHATWG HTML §13.2.6.4 and .5).

use super::{Builder, Flow, Insertion, Namespace, Text};
use crate::arena::Run;
use crate::decode;
use crate::names::Trait;
use crate::tree::node::Kind;

impl Builder<'_> {
    pub(super) fn characters(&mut self, text: Text) {
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

    fn leading_space(&self, text: Text) -> (Text, Text) {
        text.split(decode::leading_space(self.bytes(text), text.mode))
    }

    /// Processes text by the rules of a mode, and gives back what is for another mode.
    // Longer than a screen: one arm per insertion mode.
    fn text_in(&mut self, mode: Insertion, text: Text) -> Text {
        let none = Text { start: text.end, ..text };
        match mode {
            Insertion::Initial => self.after_space(text, false, Self::leave_initial),
            Insertion::BeforeHtml => self.after_space(text, false, Self::leave_before_html),
            Insertion::BeforeHead => self.after_space(text, false, Self::leave_before_head),
            Insertion::InHead => self.after_space(text, true, Self::leave_head),
            Insertion::InHeadNoscript => self.after_space(text, true, Self::leave_head_noscript),
            Insertion::AfterHead => self.after_space(text, true, Self::leave_after_head),
            Insertion::InColumnGroup => {
                let (space, rest) = self.leading_space(text);
                self.insert_text(space);
                if rest.is_empty() || self.leave_column_group() == Flow::Again {
                    return rest;
                }
                // Outside a column group everything but white space is ignored.
                rest.split(decode::leading_other(self.bytes(rest), rest.mode)).1
            }
            Insertion::InBody | Insertion::InCaption | Insertion::InCell | Insertion::InTemplate => {
                self.text_in_body(text);
                none
            }
            Insertion::Text => {
                self.insert_text(text);
                none
            }
            Insertion::InTable | Insertion::InTableBody | Insertion::InRow => {
                let current = self.stack.current();
                let waits = current.namespace == Namespace::Html
                    && (current.tag.has(Trait::FOSTERING) || current.tag == super::TagId::TEMPLATE);
                let text = Text { mode: text.mode.without_nul(), ..text };
                if waits {
                    self.wait_with_text(text);
                } else {
                    self.fostering = true;
                    self.text_in_body(text);
                    self.fostering = false;
                }
                none
            }
            Insertion::AfterBody | Insertion::AfterAfterBody => {
                let (space, rest) = self.leading_space(text);
                if !space.is_empty() {
                    self.text_in_body(space);
                }
                if !rest.is_empty() {
                    self.mode = Insertion::InBody;
                }
                rest
            }
            Insertion::InFrameset | Insertion::AfterFrameset | Insertion::AfterAfterFrameset => {
                let (space, rest) = self.leading_space(text);
                if mode == Insertion::AfterAfterFrameset && !space.is_empty() {
                    self.text_in_body(space);
                } else {
                    self.insert_text(space);
                }
                rest.split(decode::leading_other(self.bytes(rest), rest.mode)).1
            }
        }
    }

    /// Keeps or ignores white space; other text leaves the mode.
    fn after_space(&mut self, text: Text, is_kept: bool, leave: impl FnOnce(&mut Self) -> Flow) -> Text {
        let (space, rest) = self.leading_space(text);
        if is_kept {
            self.insert_text(space);
        }
        if !rest.is_empty() {
            leave(self);
        }
        rest
    }

    pub(super) fn text_in_body(&mut self, text: Text) -> Flow {
        let text = Text { mode: text.mode.without_nul(), ..text };
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

    fn text_in_foreign(&mut self, text: Text) {
        self.insert_text(text);
        // A NUL there is U+FFFD, and does not count.
        if self.frameset_ok && !decode::is_blank(self.bytes(text), text.mode.without_nul()) {
            self.frameset_ok = false;
        }
    }

    /// "Insert a character", for a run.
    pub(super) fn insert_text(&mut self, text: Text) {
        if text.is_empty() || (text.changed && self.is_nothing(text)) {
            return;
        }
        let place = self.place();
        if self.nodes.get(place.parent).kind == Kind::Document {
            return;
        }
        let changed = text.changed && decode::changes(self.bytes(text), text.mode);
        let run: Run = self.arena.run(text.range(), text.mode, changed);
        self.nodes.insert_text(place, run);
    }

    /// Whether a run is of nothing but characters that are left out.
    fn is_nothing(&self, text: Text) -> bool {
        text.mode.drops_nul() && self.bytes(text).iter().all(|byte| *byte == 0)
    }
}
