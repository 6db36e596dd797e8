//! The document tree: what a browser with scripting on builds from the source before any script runs.
//!
//! One function, [`Document::parse`], turns source text into this arena, and nothing else knows the parser. Text and
//! attribute values lie in one buffer; nodes are indices. Each element knows the span of its start tag in the source,
//! so that a finding can point at it and a patch can replace exactly it.

mod element;
mod parse;
mod shadow;
mod source;

use std::ops::Range;

pub(crate) use element::SNIPPET_CHARACTERS;
pub use element::{Element, collapse, collapse_into};
pub(crate) use html5ever::LocalName;
pub use source::{AttributeSpan, LineIndex, attribute_spans};

/// Most open elements. Deeper, parsing stops and the tree that exists is used (a browser's own limit is 512 levels).
pub const MAX_DEPTH: u32 = 512;
/// Most attributes kept of one element.
pub const MAX_ATTRIBUTES: usize = 256;
/// Sum of depths over inserted nodes after which parsing stops. Real pages of 2 MB stay below a tenth of it.
pub const MAX_WORK: u64 = 50_000_000;

/// Index of a node in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u32);

impl NodeId {
    const DOCUMENT: Self = Self(0);
}

/// A parsed document.
#[derive(Debug)]
pub struct Document {
    nodes: Vec<Node>,
    attributes: Vec<Attribute>,
    text: String,
    source: String,
    lines: LineIndex,
    /// The parser ended in quirks mode (WHATWG HTML §13.2.6.4.1); limited quirks do not count.
    pub quirks: bool,
    /// Span of the doctype in the source, where one counts: it stands before everything but comments.
    pub doctype: Option<Range<usize>>,
    /// Parsing stopped at a limit, or attributes were left out.
    pub too_complex: Option<Complexity>,
}

/// Which limit a document passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complexity {
    /// [`MAX_DEPTH`].
    Depth,
    /// [`MAX_ATTRIBUTES`].
    Attributes,
    /// [`MAX_WORK`], or more nodes than the source has room for.
    Work,
}

#[derive(Debug)]
struct Node {
    kind: Kind,
    parent: Option<NodeId>,
    first_child: Option<NodeId>,
    last_child: Option<NodeId>,
    previous: Option<NodeId>,
    next: Option<NodeId>,
    depth: u32,
}

#[derive(Debug)]
enum Kind {
    Document,
    Element(ElementData),
    Text(Span),
    Comment,
}

#[derive(Debug)]
struct ElementData {
    name: LocalName,
    html: bool,
    namespace: Namespace,
    attributes: Range<u32>,
    start_tag: Option<Span>,
    end_tag: Option<Span>,
    template_contents: Option<NodeId>,
}

/// The namespaces a page can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    /// Ordinary elements.
    Html,
    /// Inside `svg`.
    Svg,
    /// Inside `math`.
    MathMl,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    start: u32,
    end: u32,
}

impl Span {
    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

#[derive(Debug)]
struct Attribute {
    name: LocalName,
    value: Span,
}

impl Document {
    /// Parses decoded source text, scripting on. Total: any text gives a document.
    pub fn parse(source: String) -> Self {
        parse::parse(source)
    }

    /// The source this was parsed from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// 1-based line of a byte offset of the source.
    pub fn line_at(&self, offset: usize) -> u32 {
        self.lines.line(offset)
    }

    /// 1-based line and column of a byte offset of the source; columns are characters.
    pub fn line_and_column_at(&self, offset: usize) -> (u32, u32) {
        let line = self.lines.line(offset);
        let before = self.source.get(self.lines.start(line)..offset).unwrap_or_default();
        (line, u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX))
    }

    /// Every element in document order, template contents left out.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        self.descendants(NodeId::DOCUMENT)
    }

    /// The element of that id, if it is one.
    pub fn element(&self, id: NodeId) -> Option<Element<'_>> {
        match self.node(id)?.kind {
            Kind::Element(_) => Some(Element::new(self, id)),
            _ => None,
        }
    }

    /// The root element.
    pub fn html(&self) -> Option<Element<'_>> {
        self.child_elements(NodeId::DOCUMENT).next()
    }

    /// The `head` element; the parser always makes one unless the source is a frameset cut short.
    pub fn head(&self) -> Option<Element<'_>> {
        self.html()?.children().find(|element| element.is("head"))
    }

    /// The `body` (or `frameset`) element.
    pub fn body(&self) -> Option<Element<'_>> {
        self.html()?.children().find(|element| element.is("body") || element.is("frameset"))
    }

    fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    fn data(&self, id: NodeId) -> Option<&ElementData> {
        match &self.node(id)?.kind {
            Kind::Element(data) => Some(data),
            _ => None,
        }
    }

    fn text_of(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    fn child_elements(&self, parent: NodeId) -> impl Iterator<Item = Element<'_>> {
        let first = self.node(parent).and_then(|node| node.first_child);
        std::iter::successors(first, |id| self.node(*id)?.next).filter_map(|id| self.element(id))
    }

    /// The node after `id` in document order that is still below `root`.
    fn following(&self, id: NodeId, root: NodeId, skip_children: bool) -> Option<NodeId> {
        let node = self.node(id)?;
        if !skip_children && let Some(child) = node.first_child {
            return Some(child);
        }
        let mut at = id;
        loop {
            if at == root {
                return None;
            }
            let node = self.node(at)?;
            if let Some(next) = node.next {
                return Some(next);
            }
            at = node.parent?;
        }
    }

    fn descendants(&self, root: NodeId) -> impl Iterator<Item = Element<'_>> {
        let first = self.node(root).and_then(|node| node.first_child);
        std::iter::successors(first, move |id| self.following(*id, root, false)).filter_map(|id| self.element(id))
    }
}

#[cfg(test)]
mod tests;
