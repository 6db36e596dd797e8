//! What stands before the body of a tree.

use std::ops::Range;
use std::sync::OnceLock;

use crate::arena::Arena;
use crate::names::TagId;
use crate::namespace::Namespace;
use crate::tree::node::{Kind, Node, NodeId, Origin};
use crate::tree::{Tree, TreeCut};

/// What stands before the body, as how much of each list of a tree it takes.
#[derive(Debug, Clone)]
pub(super) struct Front {
    pub(super) nodes: usize,
    pub(super) pieces: usize,
    pub(super) attributes: usize,
    pub(super) encoded: usize,
    pub(super) html: NodeId,
    pub(super) body: Node,
    /// The body's start tag.
    pub(super) tag: Range<usize>,
}

impl Front {
    /// `None` where the body has no start tag of its own, or what stands before it could meet what stands behind.
    pub(super) fn of(tree: &Tree) -> Option<Self> {
        let named = |parent: NodeId, name: TagId| {
            let is_it = |id: &NodeId| {
                let node = tree.node(*id);
                node.kind == Kind::Element && node.namespace == Namespace::Html && node.tag == name
            };
            tree.children(parent).find(is_it)
        };
        let html = named(NodeId::DOCUMENT, TagId::HTML)?;
        let body = named(html, TagId::BODY)?;
        let tag = tree.start_tag(body).filter(|_| tree.origin(body) == Origin::Source)?;
        let nodes = body.index();
        let node = tree.node(body).clone();
        let attributes = node.attributes as usize;
        // A second tag of that name would have given it more.
        let has_own_attributes = tree.attributes(body).all(|one| tag.contains(&one.name_span().start));
        let of_html = tree.node(html);
        let has_html_own = of_html.attributes as usize + usize::from(of_html.attribute_count) <= attributes;
        // Templates may be filled later, and an instruction may be where one is.
        let is_plain = |node: &Node| !matches!(node.kind, Kind::Instruction | Kind::Fragment);
        let is_apart = has_own_attributes
            && has_html_own
            && tree.nodes.iter().take(nodes).all(is_plain)
            && tree.arena.first_own_name().is_none_or(|start| start >= tag.start);
        is_apart.then(|| Self {
            nodes,
            pieces: tree.pieces.partition_point(|piece| tree.arena.span(piece.run).start < tag.start),
            attributes,
            encoded: tree.arena.encoded.partition_point(|run| (run.start() as usize) < tag.start),
            html,
            body: node,
            tag,
        })
    }

    /// A tree of this alone, without source.
    pub(super) fn taken(&self, tree: &Tree) -> Tree {
        fn first<T: Clone>(list: &[T], count: usize) -> Vec<T> {
            list.get(..count).unwrap_or_default().to_vec()
        }
        let arena = &tree.arena;
        Tree {
            source: String::new(),
            nodes: first(&tree.nodes, self.nodes),
            pieces: first(&tree.pieces, self.pieces),
            arena: Arena {
                attributes: first(&arena.attributes, self.attributes),
                encoded: first(&arena.encoded, self.encoded),
                ..Arena::default()
            },
            fragments: Vec::new(),
            quirks: tree.quirks,
            ignored_doctype: tree.ignored_doctype.clone().filter(|late| late.start < self.tag.start),
            cut: TreeCut::default(),
            work: tree.work,
            lines: OnceLock::new(),
        }
    }
}
