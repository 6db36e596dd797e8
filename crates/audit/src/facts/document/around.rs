//! What stands around each element, for rules that ask it of many: found in one pass when it is first asked for, since
//! walking up from each of 100,000 elements takes seconds where they are deep.

use html::{Kind, Namespace, NodeId, Tree};

/// What an element has from those around it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Around {
    flags: u8,
    /// The nearest element with `lang` below `html`, itself included.
    pub(super) lang: Option<NodeId>,
}

/// It was met in the pass; not so what a `template` holds.
const MET: u8 = 1;
const HIDDEN: u8 = 1 << 1;
const ARIA_HIDDEN: u8 = 1 << 2;
const IN_HEAD: u8 = 1 << 3;
const IN_PARAGRAPH: u8 = 1 << 4;
/// What it is itself, for those below it: `head`, `p`, `table`.
const HEAD: u8 = 1 << 5;
const PARAGRAPH: u8 = 1 << 6;
const TABLE: u8 = 1 << 7;

impl Around {
    /// `hidden`, itself included.
    pub(super) fn is_hidden(self) -> bool {
        self.flags & HIDDEN != 0
    }

    /// `aria-hidden=true`, itself included.
    pub(super) fn is_aria_hidden(self) -> bool {
        self.flags & ARIA_HIDDEN != 0
    }

    /// Below `head`.
    pub(super) fn is_in_head(self) -> bool {
        self.flags & IN_HEAD != 0
    }

    /// Below `p`, with no `table` between.
    pub(super) fn is_in_paragraph(self) -> bool {
        self.flags & IN_PARAGRAPH != 0
    }

    /// The same where nodes have other numbers.
    pub(super) fn renumbered(self, now: impl Fn(NodeId) -> Option<NodeId>) -> Self {
        Self { lang: self.lang.and_then(now), ..self }
    }

    /// Of an element below another.
    fn below(tree: &Tree, parent: Option<Self>, element: NodeId) -> Self {
        let is_html = tree.namespace(element) == Namespace::Html;
        let mut flags = MET
            | match tree.name(element).as_bytes() {
                b"head" if is_html => HEAD,
                b"p" if is_html => PARAGRAPH,
                b"table" if is_html => TABLE,
                _ => 0,
            };
        let mut lang = None;
        if let Some(Self { flags: around, lang: nearest }) = parent {
            flags |= around & (HIDDEN | ARIA_HIDDEN | IN_HEAD);
            flags |= if around & HEAD != 0 { IN_HEAD } else { 0 };
            flags |= match around & (PARAGRAPH | TABLE) {
                0 => around & IN_PARAGRAPH,
                PARAGRAPH => IN_PARAGRAPH,
                _ => 0,
            };
            lang = nearest;
        }
        flags |= if tree.attribute(element, "hidden").is_some() { HIDDEN } else { 0 };
        let is_aria_hidden = tree.attribute(element, "aria-hidden").is_some_and(|hidden| hidden.value() == "true");
        flags |= if is_aria_hidden { ARIA_HIDDEN } else { 0 };
        if tree.attribute(element, "lang").is_some() && !tree.is(element, "html") {
            lang = Some(element);
        }
        Self { flags, lang }
    }

    /// Of elements in document order, each behind its parent, by the number of the node.
    pub(super) fn of_all(tree: &Tree, nodes: impl Iterator<Item = NodeId>) -> Vec<Self> {
        let mut all = vec![Self::default(); tree.len()];
        for element in nodes.filter(|id| tree.kind(*id) == Kind::Element) {
            let parent = parent_element(tree, element);
            let known = |parent: NodeId| all.get(parent.index()).copied().unwrap_or_default();
            let around = Self::below(tree, parent.map(known), element);
            if let Some(place) = all.get_mut(element.index()) {
                *place = around;
            }
        }
        all
    }

    /// Of one element, by walking up where the pass did not meet it.
    pub(super) fn of(tree: &Tree, element: NodeId, all: &[Self]) -> Self {
        if let Some(around) = all.get(element.index()).filter(|around| around.flags & MET != 0) {
            return *around;
        }
        let mut path: Vec<NodeId> =
            std::iter::successors(Some(element), |element| parent_element(tree, *element)).collect();
        path.reverse();
        let mut around = None;
        for element in path {
            around = Some(Self::below(tree, around, element));
        }
        around.unwrap_or_default()
    }
}

/// The parent element; of a template's contents the template.
pub(super) fn parent_element(tree: &Tree, id: NodeId) -> Option<NodeId> {
    let parent = tree.parent(id)?;
    let host = if tree.kind(parent) == Kind::Fragment { tree.parent(parent)? } else { parent };
    (tree.kind(host) == Kind::Element).then_some(host)
}
