//! The end of the source (WHATWG HTML §13.2.6.4, "an end-of-file token", and §13.2.7).

use super::{Builder, Flow, InsertionMode};

impl Builder<'_> {
    pub(super) fn end_of_source(&mut self) {
        while self.end_once() == Flow::Again {}
        // "Stop parsing": everything closes.
        self.pop_to(0);
    }

    fn end_once(&mut self) -> Flow {
        match self.mode {
            InsertionMode::Initial => self.leave_initial(),
            InsertionMode::BeforeHtml => self.leave_before_html(),
            InsertionMode::BeforeHead => self.leave_before_head(),
            InsertionMode::InHead => self.leave_head(),
            InsertionMode::InHeadNoscript => self.leave_head_noscript(),
            InsertionMode::AfterHead => self.leave_after_head(),
            InsertionMode::Text => {
                self.leave_text(false);
                Flow::Again
            }
            // Where no template is open, nothing more is implied.
            _ => self.end_of_template(),
        }
    }
}
