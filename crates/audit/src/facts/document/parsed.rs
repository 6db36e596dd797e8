//! A parsed document: tree, source, and the limits that parsing met.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use html::{Kept, Kind, NodeId, Options, Position, Quirks, TextSplice, Tree};
use model::finding::Place;

use super::around::Around;

/// Characters kept of a snippet: enough for most tags.
pub(super) const SNIPPET_CHARACTERS: usize = 160;

/// A parsed document.
#[derive(Debug)]
pub struct Document {
    pub(super) tree: Tree,
    /// The parser ended in quirks mode (WHATWG HTML §13.2.6.4.1); limited quirks do not count.
    pub quirks: bool,
    /// Span of the doctype in the source, where one counts: it stands before everything but comments.
    pub doctype: Option<Range<usize>>,
    /// Span of the first doctype that comes too late to count.
    pub ignored_doctype: Option<Range<usize>>,
    /// Parsing stopped at a limit, or something was left out.
    pub too_complex: Option<Complexity>,
    /// It is only judged, so that nobody asks where something stands.
    pub(super) lacks_places: bool,
    /// What stands around each element, once it was asked of many.
    around: OnceLock<Vec<Around>>,
    /// Elements that were walked up to before.
    walked_up: AtomicUsize,
    /// Elements with an id, sorted by it and then in document order, once one was asked for.
    pub(super) with_id: OnceLock<Vec<NodeId>>,
}

/// Which limit a document passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Complexity {
    /// [`Limits::depth`]: deeper elements became siblings.
    Depth,
    /// [`Limits::attributes`]: the others of an element are not there.
    Attributes,
    /// [`Limits::work`]: parsing stopped, and the tree that exists is used.
    Work,
}

impl Document {
    /// Parses decoded source text, scripting on. Total: any text gives a document.
    pub fn parse(source: impl Into<Arc<String>>) -> Self {
        Self::of(html::parse(source, &Options::default()))
    }

    /// The same of a source that comes of another document's by changes, and what of the tree was taken over.
    pub(crate) fn parse_again(before: &Self, source: Arc<String>, changes: &[TextSplice<'_>]) -> (Self, Option<Kept>) {
        let (tree, kept) = html::parse_again(&before.tree, source, changes, &Options::default());
        (Self::of(tree), kept)
    }

    /// Takes over what is known of the elements of another document that this one took over: where they stand, and their
    /// ids. They must have them still.
    pub(crate) fn take_over(&mut self, before: &Self, kept: &Kept) {
        let front = || self.tree.descendants(NodeId::DOCUMENT).take_while(|id| !kept.holds(*id));
        if let Some(around) = before.around.get() {
            let rest: Vec<Around> = around.iter().map(|around| around.renumbered(|id| kept.now(id))).collect();
            self.around = OnceLock::from(kept.by_node(Around::of_all(&self.tree, front()), &rest));
        }
        if let Some(with_id) = before.with_id.get() {
            let id_of = |node: &NodeId| self.tree.attribute(*node, "id").map_or("", |id| id.value());
            let mut all: Vec<NodeId> = with_id.iter().filter_map(|id| kept.now(*id)).collect();
            let of_front: Vec<NodeId> = front().filter(|node| !id_of(node).is_empty()).collect();
            // Before those of the same id, the first of the front first.
            for node in of_front.into_iter().rev() {
                all.insert(all.partition_point(|other| id_of(other) < id_of(&node)), node);
            }
            self.with_id = OnceLock::from(all);
        }
    }

    fn of(tree: Tree) -> Self {
        let cut = tree.cut();
        let doctype = tree.children(NodeId::DOCUMENT).find(|id| tree.kind(*id) == Kind::Doctype);
        Self {
            ignored_doctype: tree.ignored_doctype(),
            quirks: tree.quirks() == Quirks::Full,
            doctype: doctype.and_then(|id| tree.span(id)),
            too_complex: match (cut.work, cut.depth, cut.attributes) {
                (true, ..) => Some(Complexity::Work),
                (_, true, _) => Some(Complexity::Depth),
                (.., true) => Some(Complexity::Attributes),
                _ => None,
            },
            tree,
            lacks_places: false,
            around: OnceLock::new(),
            walked_up: AtomicUsize::new(0),
            with_id: OnceLock::new(),
        }
    }

    /// What stands around an element.
    pub(super) fn around(&self, id: NodeId) -> Around {
        Around::of(&self.tree, id, self.around.get_or_init(|| Around::of_all(&self.tree, self.nodes())))
    }

    /// Whether walking up from an element takes less than the one pass of [`Self::around`], as far as is known: few pages are
    /// asked of many elements.
    pub(super) fn may_walk_up(&self) -> bool {
        self.around.get().is_none() && self.walked_up.load(Ordering::Relaxed) <= self.tree.len()
    }

    /// Notes elements that were walked up to.
    pub(super) fn note_walk(&self, steps: usize) {
        self.walked_up.fetch_add(steps, Ordering::Relaxed);
    }

    /// Whether it is only judged: where something stands is not asked.
    pub(crate) fn lacks_places(&self) -> bool {
        self.lacks_places
    }

    /// Parsing stopped before the end of the source.
    pub fn is_cut_short(&self) -> bool {
        self.too_complex == Some(Complexity::Work)
    }

    /// Bytes of memory that the tree takes.
    pub fn memory(&self) -> usize {
        self.tree.memory()
    }

    /// The source this was parsed from.
    pub fn source(&self) -> &str {
        self.tree.source()
    }

    /// Line and column of a byte offset of the source.
    pub fn position(&self, offset: usize) -> Position {
        self.tree.position(offset)
    }

    /// From now on places of it are empty: finding them takes longer than most checks do.
    pub(crate) fn leave_out_places(&mut self) {
        self.lacks_places = true;
    }

    /// A place in the source: snippet, line, column, bytes.
    pub fn place_of(&self, span: Range<usize>) -> Place {
        if self.lacks_places {
            return Place::default();
        }
        let (start, end) = self.tree.positions(span.clone());
        let snippet = self.source().get(span.clone()).map(|text| {
            let end = text.char_indices().nth(SNIPPET_CHARACTERS).map_or(text.len(), |(end, _)| end);
            text.get(..end).unwrap_or_default().to_owned()
        });
        Place {
            selector: None,
            url: None,
            snippet,
            line: Some(start.line),
            column: Some(start.column),
            end_line: Some(end.line),
            end_column: Some(end.column),
            offset: Some(span.start),
            length: Some(span.len()),
        }
    }

    /// How many nodes there are: more than the number of each.
    pub(crate) fn node_count(&self) -> usize {
        self.tree.len()
    }

    /// Every node in document order, template contents left out.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.tree.descendants(NodeId::DOCUMENT)
    }

    /// Whether a node is a comment.
    pub(crate) fn is_comment(&self, id: NodeId) -> bool {
        self.tree.kind(id) == Kind::Comment
    }

    /// Bytes of a comment, a processing instruction or a doctype; none of another node.
    pub(crate) fn span(&self, id: NodeId) -> Option<Range<usize>> {
        self.tree.span(id)
    }

    /// The node behind another and all below it.
    pub(crate) fn after(&self, id: NodeId) -> Option<NodeId> {
        self.tree.following_skipping(id, NodeId::DOCUMENT)
    }

    /// Runs of a text; none of another node.
    pub(crate) fn texts(&self, id: NodeId) -> impl Iterator<Item = &str> {
        self.tree.texts(id)
    }
}
