//! A node: its id, its kind, and how it is stored.

use crate::arena::{NONE, SourceRun};
use crate::names::TagId;
use crate::namespace::Namespace;

/// Index of a node in its tree. Numbers go up in the order in which the parser made the nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The document itself, the root of every tree.
    pub const DOCUMENT: Self = Self(0);

    /// Its number in its tree, from 0 up: an index for data kept per node.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) const fn some(self) -> Option<Self> {
        if self.0 == NONE { None } else { Some(self) }
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The root.
    Document,
    /// `<!DOCTYPE …>`.
    Doctype,
    /// An element.
    Element,
    /// A run of text.
    Text,
    /// A comment, also one made of markup that is none.
    Comment,
    /// `<?target data?>`.
    Instruction,
    /// The root of what a `template` holds. Its parent is the template, which has no children.
    Fragment,
}

/// How an element came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// Its start tag stands in the source.
    Source,
    /// The standard asks for it, as for `tbody`, though no tag stands there.
    Implied,
    /// A copy of a formatting element that was not closed in time, or of an option's content. It has the attributes, and
    /// tells the start tag, of the one it copies.
    Clone,
}

/// A node: 48 bytes. Some fields serve several kinds, to keep it small.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) parent: NodeId,
    /// First child; of a text node the second run's place among the pieces.
    pub(crate) first: u32,
    /// Sibling before; of a first child the last one.
    pub(crate) previous: NodeId,
    pub(crate) next: NodeId,
    /// Elements: bytes of the start tag, or [`NONE`]. Text, comments, instructions: the (first) run.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Elements: bytes of the end tag, or [`NONE`]. Text: the last piece. Comments and the like: bytes of the whole.
    pub(crate) end_tag: (u32, u32),
    /// Elements: place of the first attribute. Instructions: start of the target. Doctypes: place of three pieces.
    pub(crate) attributes: u32,
    /// Elements: the name. Instructions: length of the target.
    pub(crate) tag: TagId,
    pub(crate) attribute_count: u16,
    pub(crate) kind: Kind,
    pub(crate) namespace: Namespace,
    pub(crate) flags: u8,
    /// Elements: [`name_bit`](crate::names::name_bit) of each attribute's name. Bits of no name may be there too.
    pub(crate) attribute_names: u16,
}

/// Marks of a node.
pub(crate) struct Flag;

impl Flag {
    /// Copied from another.
    pub(crate) const CLONE: u8 = 1;
    /// On the stack of open elements.
    pub(crate) const OPEN: u8 = 1 << 1;
    /// A template that became a shadow root.
    pub(crate) const SHADOW_ROOT: u8 = 1 << 2;
    /// Has a shadow root.
    pub(crate) const SHADOW_HOST: u8 = 1 << 3;
    /// In the list of active formatting elements.
    pub(crate) const FORMATTING: u8 = 1 << 4;
    /// A template that is in no tree: what it holds goes to a marker.
    pub(crate) const FILLING: u8 = 1 << 5;
}

/// A further run of a text node, or a part of a doctype.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) run: SourceRun,
    pub(crate) next: u32,
}

impl Node {
    /// The node of an unknown id.
    pub(crate) const NOWHERE: Self = Self::new(Kind::Document);

    pub(crate) const fn new(kind: Kind) -> Self {
        Self {
            parent: NodeId(NONE),
            first: NONE,
            previous: NodeId(NONE),
            next: NodeId(NONE),
            start: NONE,
            end: NONE,
            end_tag: (NONE, NONE),
            attributes: 0,
            tag: TagId(NONE),
            attribute_count: 0,
            kind,
            namespace: Namespace::Html,
            flags: 0,
            attribute_names: 0,
        }
    }

    #[inline]
    pub(crate) const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn set(&mut self, flag: u8, on: bool) {
        self.flags = if on { self.flags | flag } else { self.flags & !flag };
    }

    #[inline]
    pub(crate) fn first_child(&self) -> Option<NodeId> {
        match self.kind {
            Kind::Text => None,
            _ => NodeId(self.first).some(),
        }
    }

    #[inline]
    pub(crate) const fn run(&self) -> SourceRun {
        SourceRun { start: self.start, end: self.end }
    }

    /// Place of a text's second run.
    #[inline]
    pub(crate) fn next_piece(&self) -> Option<u32> {
        (self.first != NONE).then_some(self.first)
    }

    /// Place of a text's last run but the first.
    #[inline]
    pub(crate) fn last_piece(&self) -> Option<u32> {
        (self.end_tag.0 != NONE).then_some(self.end_tag.0)
    }
}
