//! SVG and MathML (WHATWG HTML §13.2.6.5).

use super::stack::Bound;
use super::{Builder, Flow, Integration, Namespace, TagId, TagToken};
use crate::names::{AttributeId, Trait};

impl Builder<'_> {
    /// A start tag outside HTML; [`Flow::Again`] when it is for the rules of HTML after all.
    pub(super) fn start_foreign(&mut self, tag: &TagToken) -> Flow {
        if tag.name.has(Trait::BREAKOUT) || (tag.name == TagId::FONT && self.is_html_font(tag)) {
            self.leave_foreign();
            return Flow::Again;
        }
        let namespace = self.stack.current().namespace;
        self.insert_in(tag, namespace);
        if tag.is_self_closing {
            self.pop();
        }
        Flow::Done
    }

    fn is_html_font(&self, tag: &TagToken) -> bool {
        let all = self.arena.attributes.get(tag.attributes as usize..tag.end_of_attributes()).unwrap_or_default();
        all.iter().any(|attribute| matches!(attribute.id, AttributeId::COLOR | AttributeId::FACE | AttributeId::SIZE))
    }

    /// Pops to an integration point or an element of HTML.
    fn leave_foreign(&mut self) {
        loop {
            let current = self.stack.current();
            if current.namespace == Namespace::Html || current.integration != Integration::None {
                return;
            }
            self.pop();
        }
    }

    /// An end tag outside HTML; [`Flow::Again`] when it is for the rules of HTML.
    pub(super) fn end_foreign(&mut self, tag: &TagToken) -> Flow {
        if matches!(tag.name, TagId::BR | TagId::P) {
            self.leave_foreign();
            return Flow::Again;
        }
        // Elements of HTML bound the search; the root is one.
        let bound = self.stack.bound(Bound::Html).unwrap_or(0);
        match self.stack.top_foreign(tag.name).filter(|at| *at > bound) {
            Some(at) => {
                self.close(at);
                Flow::Done
            }
            None => Flow::Again,
        }
    }
}
