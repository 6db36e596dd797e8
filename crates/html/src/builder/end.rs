//! The end of the source (WHATWG HTML §13.2.6.4, "an end-of-file token", and §13.2.7).

use super::{Builder, Flow, Insertion};

impl Builder<'_> {
    pub(super) fn end_of_source(&mut self) {
        while self.end_once() == Flow::Again {}
        // "Stop parsing": everything closes.
        self.pop_to(0);
    }

    fn end_once(&mut self) -> Flow {
        match self.mode {
            Insertion::Initial => self.leave_initial(),
            Insertion::BeforeHtml => self.leave_before_html(),
            Insertion::BeforeHead => self.leave_before_head(),
            Insertion::InHead => self.leave_head(),
            Insertion::InHeadNoscript => self.leave_head_noscript(),
            Insertion::AfterHead => self.leave_after_head(),
            Insertion::Text => {
                self.leave_text(false);
                Flow::Again
            }
            // Where no template is open, nothing more is implied.
            _ => self.end_of_template(),
        }
    }
}
