//! What stands before the body of a tree.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::arena::Arena;
use crate::names::{TagId, Trait};
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
    /// The body's start tag; of one that is implied, nothing at the start of its content.
    pub(super) tag: Range<usize>,
    /// The body has no start tag of its own.
    pub(super) is_implied: bool,
}

/// Where the content of a body begins that its content implies. What else may have made it, as the tag of a table's cell,
/// leaves nothing behind.
fn content_start(tree: &Tree, body: NodeId) -> Option<usize> {
    // Another stands first only where it came to stand before a table.
    let first = tree.first_child(body).filter(|first| first.index() == body.index() + 1)?;
    let node = tree.node(first);
    let is_of_head = |tag: TagId| tag.has(Trait::METADATA) || tag == TagId::NOSCRIPT;
    match node.kind {
        Kind::Text => {
            let implies = |text: &str| text.starts_with(|c: char| !c.is_ascii_whitespace());
            implies(tree.arena.text(&tree.source, node.run())).then(|| tree.arena.span(node.run()).start)
        }
        Kind::Element if tree.origin(first) == Origin::Source && !is_of_head(node.tag) => {
            Some(tree.start_tag(first)?.start)
        }
        _ => None,
    }
}

impl Front {
    /// `None` where it can't be told what made the body, or what stands before it could meet what stands behind.
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
        let is_implied = tree.origin(body) == Origin::Implied;
        let tag = match is_implied {
            true => content_start(tree, body).map(|start| start..start)?,
            false => tree.start_tag(body).filter(|_| tree.origin(body) == Origin::Source)?,
        };
        let nodes = body.index();
        let node = tree.node(body).clone();
        let attributes =
            tree.arena.attributes.partition_point(|attribute| tree.arena.span(attribute.name).start < tag.start);
        // A second tag of that name would have given it more.
        let is_own = |name: Range<usize>| if is_implied { name.start >= tag.start } else { tag.contains(&name.start) };
        let has_own_attributes = tree.attributes(body).all(|one| is_own(one.name_span()));
        // An end tag may have made it, behind which comments stand elsewhere.
        let is_open = |id: NodeId| tree.end_tag(id).is_none_or(|end| end.start >= tag.start);
        let of_html = tree.node(html);
        let has_html_own = of_html.attributes as usize + usize::from(of_html.attribute_count) <= attributes;
        // Templates may be filled later, and an instruction may be where one is.
        let is_plain = |node: &Node| !matches!(node.kind, Kind::Instruction | Kind::Fragment);
        let is_apart = has_own_attributes
            && (!is_implied || is_open(html) && is_open(body))
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
            is_implied,
        })
    }

    /// A tree of this alone, without source. It has room for all that `rest` has, and for some attributes more.
    pub(super) fn taken(&self, tree: &Tree, rest: &Tree, attributes: usize) -> Tree {
        fn first<T: Clone>(list: &[T], count: usize, more: usize) -> Vec<T> {
            let mut taken = Vec::with_capacity(count + more);
            taken.extend_from_slice(list.get(..count).unwrap_or_default());
            taken
        }
        let (arena, of_rest) = (&tree.arena, &rest.arena);
        Tree {
            source: Arc::default(),
            nodes: first(&tree.nodes, self.nodes, rest.nodes.len()),
            pieces: first(&tree.pieces, self.pieces, rest.pieces.len()),
            arena: Arena {
                attributes: first(&arena.attributes, self.attributes, of_rest.attributes.len() + attributes),
                encoded: first(&arena.encoded, self.encoded, of_rest.encoded.len()),
                ..Arena::default()
            },
            fragments: Vec::new(),
            quirks: tree.quirks,
            has_table_in_paragraph: tree.has_table_in_paragraph,
            ignored_doctype: tree.ignored_doctype.clone().filter(|late| late.start < self.tag.start),
            cut: TreeCut::default(),
            work: tree.work,
            lines: OnceLock::new(),
        }
    }
}
