//! The finished tree, as it is read.

mod attribute;
pub(crate) mod grow;
pub(crate) mod node;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::arena::{Arena, NONE, RawAttribute, SourceRun};
use crate::lines::{Lines, Position};
use crate::names::name_bit;
use crate::namespace::Namespace;
pub use attribute::Attribute;
use node::{Flag, Kind, Node, NodeId, Origin, Piece};

/// Modes of rendering that the doctype decides (WHATWG HTML §13.2.6.4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Quirks {
    /// The standard's.
    #[default]
    No,
    /// Limited quirks.
    Limited,
    /// Quirks.
    Full,
}

/// What was left out of a tree, by [`Limits`](crate::Limits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TreeCut {
    /// Elements deeper than the limit became siblings.
    pub depth: bool,
    /// Attributes past the limit are not there.
    pub attributes: bool,
    /// Parsing stopped before the end of the source.
    pub work: bool,
}

/// A parsed document.
#[derive(Debug)]
pub struct Tree {
    pub(crate) source: Arc<String>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) arena: Arena,
    /// Fragments by their host, in the order of the hosts.
    pub(crate) fragments: Vec<(NodeId, NodeId)>,
    pub(crate) quirks: Quirks,
    pub(crate) has_table_in_paragraph: bool,
    pub(crate) ignored_doctype: Option<Range<usize>>,
    pub(crate) cut: TreeCut,
    pub(crate) work: u64,
    pub(crate) lines: OnceLock<Lines>,
}

/// Whether two names are the same. Most differ in length or first letter, and the comparison of memory is a call.
#[inline]
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.as_bytes().first() == other.as_bytes().first() && one == other
}

impl Tree {
    /// The source this was parsed from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The rendering mode.
    pub fn quirks(&self) -> Quirks {
        self.quirks
    }

    /// Bytes of the first doctype that comes behind anything but comments and white space: it is ignored.
    pub fn ignored_doctype(&self) -> Option<Range<usize>> {
        self.ignored_doctype.clone()
    }

    /// What was left out.
    pub fn cut(&self) -> TreeCut {
        self.cut
    }

    /// Steps that parsing took beyond reading tokens: what [`Limits::work`](crate::Limits) bounds.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// How many nodes there are, attributes not among them.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Bytes of memory that the tree takes, its source included.
    pub fn memory(&self) -> usize {
        self.source.capacity()
            + self.nodes.capacity() * size_of::<Node>()
            + self.pieces.capacity() * size_of::<Piece>()
            + self.arena.memory()
    }

    /// Whether there is nothing but the document.
    pub fn is_empty(&self) -> bool {
        self.nodes.len() < 2
    }

    /// Line and column of a byte offset of the source.
    pub fn position(&self, offset: usize) -> Position {
        self.lines.get_or_init(|| Lines::new(&self.source)).position(&self.source, offset)
    }

    /// Line and column of both ends of a part of the source.
    pub fn positions(&self, span: Range<usize>) -> (Position, Position) {
        self.lines.get_or_init(|| Lines::new(&self.source)).positions(&self.source, span)
    }

    #[inline]
    pub(crate) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&Node::NOWHERE)
    }

    /// What a node is.
    #[inline]
    pub fn kind(&self, id: NodeId) -> Kind {
        self.node(id).kind
    }

    /// The parent; of a fragment its template.
    #[inline]
    pub fn parent(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).parent.some()
    }

    /// The first child.
    #[inline]
    pub fn first_child(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).first_child()
    }

    /// The sibling after a node.
    #[inline]
    pub fn next(&self, id: NodeId) -> Option<NodeId> {
        self.node(id).next.some()
    }

    /// The sibling before a node.
    pub fn previous(&self, id: NodeId) -> Option<NodeId> {
        let previous = self.node(id).previous.some()?;
        // The first child's previous is the last child.
        self.node(previous).next.some().map(|_| previous)
    }

    /// Children in order.
    #[inline]
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(id), |child| self.next(*child))
    }

    /// Everything below `root` in document order. Fragments are not below their hosts.
    #[inline]
    pub fn descendants(&self, root: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.first_child(root), move |id| self.following(*id, root))
    }

    /// The node after `id` in document order that is still below `root`.
    #[inline]
    pub fn following(&self, id: NodeId, root: NodeId) -> Option<NodeId> {
        self.first_child(id).or_else(|| self.following_skipping(id, root))
    }

    /// The same, but nothing below `id`.
    pub fn following_skipping(&self, id: NodeId, root: NodeId) -> Option<NodeId> {
        let mut at = id;
        while at != root {
            let node = self.node(at);
            if let Some(next) = node.next.some() {
                return Some(next);
            }
            at = node.parent.some()?;
        }
        None
    }

    /// The fragment that a `template` holds: its contents, or the shadow root that it declares.
    pub fn contents(&self, id: NodeId) -> Option<NodeId> {
        let at = self.fragments.binary_search_by_key(&id, |(host, _)| *host).ok()?;
        self.fragments.get(at).map(|(_, fragment)| *fragment)
    }

    /// Every shadow root that a `template` declares, as its host and the fragment.
    pub fn shadow_roots(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let declared = self.fragments.iter().filter(|(template, _)| self.is_shadow_root(*template));
        declared.filter_map(|(template, fragment)| Some((self.parent(*template)?, *fragment)))
    }

    /// Local name of an element: in lower case, but as SVG spells its own. Empty for other nodes.
    #[inline]
    pub fn name(&self, id: NodeId) -> &str {
        let node = self.node(id);
        if node.kind != Kind::Element {
            return "";
        }
        node.tag.text(node.namespace).unwrap_or_else(|| self.arena.own_name(&self.source, node.tag))
    }

    /// Whether a node is the HTML element of that (lower-case) name. A `title` in `svg` is not `title`.
    #[inline]
    pub fn is(&self, id: NodeId, name: &str) -> bool {
        let node = self.node(id);
        node.kind == Kind::Element && node.namespace == Namespace::Html && is_same(self.name(id), name)
    }

    /// Namespace of an element.
    pub fn namespace(&self, id: NodeId) -> Namespace {
        self.node(id).namespace
    }

    /// How an element came to be.
    pub fn origin(&self, id: NodeId) -> Origin {
        let node = self.node(id);
        match (node.start == NONE, node.has(Flag::CLONE)) {
            (_, true) => Origin::Clone,
            (true, false) => Origin::Implied,
            (false, false) => Origin::Source,
        }
    }

    /// Whether a `template` declares a shadow root of its parent, and so is none of its children.
    pub fn is_shadow_root(&self, id: NodeId) -> bool {
        self.node(id).has(Flag::SHADOW_ROOT)
    }

    /// Bytes of an element's start tag, of its original's for a clone. `None` for an implied one and its clones.
    pub fn start_tag(&self, id: NodeId) -> Option<Range<usize>> {
        let node = self.node(id);
        (node.kind == Kind::Element && node.start != NONE).then_some(node.start as usize..node.end as usize)
    }

    /// Bytes of the end tag that closed an element, where one did.
    pub fn end_tag(&self, id: NodeId) -> Option<Range<usize>> {
        let node = self.node(id);
        (node.kind == Kind::Element && node.end_tag.0 != NONE)
            .then_some(node.end_tag.0 as usize..node.end_tag.1 as usize)
    }

    /// Bytes of a comment, a processing instruction or a doctype, markup and all. `None` for other nodes.
    pub fn span(&self, id: NodeId) -> Option<Range<usize>> {
        let node = self.node(id);
        matches!(node.kind, Kind::Comment | Kind::Instruction | Kind::Doctype)
            .then_some(node.end_tag.0 as usize..node.end_tag.1 as usize)
    }

    /// Attributes of an element in source order, each name once.
    #[inline]
    pub fn attributes(&self, id: NodeId) -> impl Iterator<Item = Attribute<'_>> {
        let namespace = self.node(id).namespace;
        self.raw_attributes(id).iter().map(move |raw| Attribute { tree: self, raw, namespace })
    }

    #[inline]
    pub(crate) fn raw_attributes(&self, id: NodeId) -> &[RawAttribute] {
        let node = self.node(id);
        if node.kind != Kind::Element {
            return &[];
        }
        let start = node.attributes as usize;
        self.arena.attributes.get(start..start + usize::from(node.attribute_count)).unwrap_or_default()
    }

    /// The attribute of a name in lower case, a prefix before a colon.
    ///
    /// Most elements lack what is asked for, which the bits of their names tell: in the caller, where the name is known.
    #[inline(always)]
    pub fn attribute(&self, id: NodeId, name: &str) -> Option<Attribute<'_>> {
        if self.node(id).attribute_names & name_bit(name) == 0 { None } else { self.attribute_among_few(id, name) }
    }

    fn attribute_among_few(&self, id: NodeId, name: &str) -> Option<Attribute<'_>> {
        // Comparing texts takes less than finding the number of the name.
        let is_it = |raw: &&RawAttribute| is_same(self.arena.attribute_name(&self.source, raw), name);
        let raw = self.raw_attributes(id).iter().find(is_it)?;
        Some(Attribute { tree: self, raw, namespace: self.node(id).namespace })
    }

    /// What a text node says, in pieces: one for each run of the source that it is made of.
    #[inline]
    pub fn texts(&self, id: NodeId) -> impl Iterator<Item = &str> {
        self.runs(id).map(|run| self.arena.text(&self.source, run))
    }

    /// Bytes of each run that a text node is made of.
    pub fn text_spans(&self, id: NodeId) -> impl Iterator<Item = Range<usize>> {
        self.runs(id).map(|run| self.arena.span(run))
    }

    #[inline]
    fn runs(&self, id: NodeId) -> Runs<'_> {
        let node = self.node(id);
        let is_text = node.kind == Kind::Text;
        Runs {
            pieces: &self.pieces,
            run: is_text.then_some(node.run()),
            next: node.next_piece().filter(|_| is_text).unwrap_or(NONE),
            last: node.last_piece().unwrap_or(NONE),
        }
    }

    /// The data of a comment or of a processing instruction.
    pub fn data(&self, id: NodeId) -> &str {
        let node = self.node(id);
        match node.kind {
            Kind::Comment | Kind::Instruction => self.arena.text(&self.source, node.run()),
            _ => "",
        }
    }

    /// The target of a processing instruction.
    pub fn target(&self, id: NodeId) -> &str {
        let node = self.node(id);
        match node.kind {
            Kind::Instruction => {
                let start = node.attributes as usize;
                self.source.get(start..start + node.tag.0 as usize).unwrap_or_default()
            }
            _ => "",
        }
    }

    /// Name, public and system identifier of a doctype.
    pub fn doctype(&self, id: NodeId) -> Option<[&str; 3]> {
        let node = self.node(id);
        if node.kind != Kind::Doctype {
            return None;
        }
        let text = |at: usize| {
            let piece = self.pieces.get(node.attributes as usize + at);
            piece.map_or("", |piece| self.arena.text(&self.source, piece.run))
        };
        Some([text(0), text(1), text(2)])
    }
}

/// The runs of a text node.
struct Runs<'t> {
    pieces: &'t [Piece],
    run: Option<SourceRun>,
    next: u32,
    last: u32,
}

impl Iterator for Runs<'_> {
    type Item = SourceRun;

    #[inline]
    fn next(&mut self) -> Option<SourceRun> {
        let run = self.run.take()?;
        if let Some(piece) = self.pieces.get(self.next as usize) {
            self.run = Some(piece.run);
            // A copy shares the pieces, but not those that its original got later.
            self.next = if self.next == self.last { NONE } else { piece.next };
        }
        Some(run)
    }
}
