//! The arena of nodes while it grows.

use super::node::{Flag, Kind, Node, NodeId, Piece};
use crate::arena::{NONE, SourceRun, narrow};
use crate::names::TagId;
use crate::namespace::Namespace;

/// Nodes and the moves of the tree builder.
#[derive(Debug)]
pub(crate) struct Nodes {
    pub(crate) all: Vec<Node>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) fragments: Vec<(NodeId, NodeId)>,
}

/// Where to put a node: under `parent`, before a child of it or last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) parent: NodeId,
    pub(crate) before: Option<NodeId>,
}

impl Location {
    pub(crate) const fn last_in(parent: NodeId) -> Self {
        Self { parent, before: None }
    }
}

impl Nodes {
    /// A document, with room for so many nodes.
    pub(crate) fn with_capacity(capacity: usize) -> Self {
        let mut all = Vec::with_capacity(capacity);
        all.push(Node::new(Kind::Document));
        Self { all, pieces: Vec::new(), fragments: Vec::new() }
    }

    pub(crate) fn get(&self, id: NodeId) -> &Node {
        self.all.get(id.0 as usize).unwrap_or(&Node::NOWHERE)
    }

    /// Changes a node.
    pub(crate) fn change(&mut self, id: NodeId, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.all.get_mut(id.0 as usize) {
            change(node);
        }
    }

    pub(crate) fn add(&mut self, node: Node) -> NodeId {
        let id = NodeId(narrow(self.all.len()));
        self.all.push(node);
        id
    }

    pub(crate) fn set(&mut self, id: NodeId, flag: u8, on: bool) {
        self.change(id, |node| node.set(flag, on));
    }

    pub(crate) fn is_html(&self, id: NodeId, tag: TagId) -> bool {
        let node = self.get(id);
        node.kind == Kind::Element && node.namespace == Namespace::Html && node.tag == tag
    }

    /// The last child.
    pub(crate) fn last_child(&self, id: NodeId) -> Option<NodeId> {
        let first = self.get(id).first_child()?;
        self.get(first).previous.some()
    }

    /// The child before `child`.
    fn before(&self, child: NodeId) -> Option<NodeId> {
        let previous = self.get(child).previous.some()?;
        // The first child's previous is the last child.
        self.get(previous).next.some().map(|_| previous)
    }

    /// The node right before a place.
    pub(crate) fn neighbour(&self, at: Location) -> Option<NodeId> {
        match at.before {
            Some(before) => self.before(before),
            None => self.last_child(at.parent),
        }
    }

    /// Puts a node that is nowhere to a place.
    pub(crate) fn insert(&mut self, at: Location, child: NodeId) {
        let first = self.get(at.parent).first_child();
        match (first, at.before) {
            (None, _) => {
                self.change(child, |node| (node.previous, node.next) = (child, NodeId(NONE)));
                self.change(at.parent, |node| node.first = child.0);
            }
            (Some(first), None) => {
                let last = self.get(first).previous;
                self.change(child, |node| (node.previous, node.next) = (last, NodeId(NONE)));
                self.change(last, |node| node.next = child);
                self.change(first, |node| node.previous = child);
            }
            (Some(first), Some(before)) => {
                let previous = self.get(before).previous;
                self.change(child, |node| (node.previous, node.next) = (previous, before));
                self.change(before, |node| node.previous = child);
                if first == before {
                    self.change(at.parent, |node| node.first = child.0);
                } else {
                    self.change(previous, |node| node.next = child);
                }
            }
        }
        self.change(child, |node| node.parent = at.parent);
    }

    /// Takes a node from where it is.
    pub(crate) fn detach(&mut self, id: NodeId) {
        let (parent, previous, next) = {
            let node = self.get(id);
            (node.parent, node.previous, node.next)
        };
        // A shadow root's template has a parent that it is no child of; every child has a previous one.
        let first = parent.some().filter(|_| previous.0 != NONE).and_then(|parent| self.get(parent).first_child());
        let Some(first) = first else { return };
        if first == id {
            self.change(parent, |node| node.first = next.0);
            if next.0 != NONE {
                self.change(next, |node| node.previous = previous);
            }
        } else {
            self.change(previous, |node| node.next = next);
            let after = if next.0 == NONE { first } else { next };
            self.change(after, |node| node.previous = previous);
        }
        self.change(id, |node| (node.parent, node.previous, node.next) = (NodeId(NONE), NodeId(NONE), NodeId(NONE)));
    }

    /// Moves all children of one node to the end of another that has none; says how many.
    pub(crate) fn move_children(&mut self, from: NodeId, to: NodeId) -> u64 {
        let mut moved = 0;
        while let Some(child) = self.get(from).first_child() {
            self.detach(child);
            self.insert(Location::last_in(to), child);
            moved += 1;
        }
        moved
    }

    /// Puts text to a place: at the end of a text right before it, where there is one.
    pub(crate) fn insert_text(&mut self, at: Location, run: SourceRun) {
        let neighbour = self.neighbour(at);
        if let Some(text) = neighbour.filter(|id| self.get(*id).kind == Kind::Text) {
            self.join(text, run);
            return;
        }
        let mut node = Node::new(Kind::Text);
        (node.start, node.end) = (run.start, run.end);
        let id = self.add(node);
        self.insert(at, id);
    }

    fn join(&mut self, text: NodeId, run: SourceRun) {
        let place = narrow(self.pieces.len());
        self.pieces.push(Piece { run, next: NONE });
        match self.get(text).last_piece() {
            Some(last) => {
                if let Some(piece) = self.pieces.get_mut(last as usize) {
                    piece.next = place;
                }
            }
            None => self.change(text, |node| node.first = place),
        }
        self.change(text, |node| node.end_tag.0 = place);
    }

    /// Gives a template its contents, empty.
    pub(crate) fn add_fragment(&mut self, host: NodeId) {
        let mut fragment = Node::new(Kind::Fragment);
        fragment.parent = host;
        let id = self.add(fragment);
        self.fragments.push((host, id));
    }

    /// The fragment of a template.
    pub(crate) fn fragment(&self, host: NodeId) -> Option<NodeId> {
        let at = self.fragments.binary_search_by_key(&host, |(host, _)| *host).ok()?;
        self.fragments.get(at).map(|(_, fragment)| *fragment)
    }

    /// A copy of a node: what it says is shared, children are left out.
    pub(crate) fn copy(&mut self, original: NodeId) -> NodeId {
        let mut node = self.get(original).clone();
        (node.parent, node.previous, node.next) = (NodeId(NONE), NodeId(NONE), NodeId(NONE));
        if node.kind == Kind::Element {
            (node.first, node.end_tag) = (NONE, (NONE, NONE));
        }
        node.flags = Flag::CLONE;
        self.add(node)
    }
}
