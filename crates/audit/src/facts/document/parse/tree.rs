//! The arena while it grows: the moves of the tree builder, each counted.

use std::collections::HashSet;

use html5ever::LocalName;
use html5ever::interface::NodeOrText;

use crate::facts::document::shadow::is_host_name;
use crate::facts::document::{
    Attribute, Complexity, ElementData, Kind, MAX_ATTRIBUTES, MAX_DEPTH, MAX_WORK, Node, NodeId, Span,
};

/// Nodes, attributes and text of a document, and what was counted.
#[derive(Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) text: String,
    pub(super) quirks: bool,
    pub(super) doctype: Option<Span>,
    pub(super) work: u64,
    pub(super) node_limit: usize,
    pub(super) attributes_cut: bool,
    pub(super) stopped: Option<Complexity>,
    pub(super) tag_name: Option<LocalName>,
    pub(super) shadow_hosts: HashSet<NodeId>,
}

impl Tree {
    pub(super) fn new(node_limit: usize) -> Self {
        let mut tree = Self { node_limit, ..Self::default() };
        tree.add(Kind::Document);
        tree
    }

    pub(super) fn add(&mut self, kind: Kind) -> NodeId {
        let id = NodeId(narrow(self.nodes.len()));
        if self.nodes.len() > self.node_limit {
            self.stopped.get_or_insert(Complexity::Work);
        }
        self.nodes.push(Node {
            kind,
            parent: None,
            first_child: None,
            last_child: None,
            previous: None,
            next: None,
            depth: 0,
        });
        id
    }

    pub(super) fn store(&mut self, text: &str) -> Span {
        let start = narrow(self.text.len());
        self.text.push_str(text);
        Span { start, end: narrow(self.text.len()) }
    }

    pub(super) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    pub(super) fn node_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.nodes.get_mut(id.0 as usize)
    }

    pub(super) fn data_mut(&mut self, id: NodeId) -> Option<&mut ElementData> {
        match &mut self.node_mut(id)?.kind {
            Kind::Element(data) => Some(data),
            _ => None,
        }
    }

    /// Whether `id` is below `ancestor`, its template contents included (they are as deep as the template).
    pub(super) fn is_below(&self, id: NodeId, ancestor: NodeId) -> bool {
        let limit = self.node(ancestor).map_or(0, |node| node.depth);
        let mut at = self.node(id);
        while let Some(node) = at.filter(|node| node.depth >= limit) {
            if node.parent == Some(ancestor) {
                return true;
            }
            at = node.parent.and_then(|parent| self.node(parent));
        }
        false
    }

    /// Gives an end tag to the innermost open element of its name.
    pub(super) fn close(&mut self, open: &mut Vec<NodeId>, name: &LocalName, span: Span) {
        let matches = |id: &NodeId| match self.node(*id).map(|node| &node.kind) {
            Some(Kind::Element(data)) => data.name.eq_ignore_ascii_case(name),
            _ => false,
        };
        let Some(at) = open.iter().rposition(matches) else { return };
        if let Some(data) = open.get(at).copied().and_then(|id| self.data_mut(id)) {
            data.end_tag = Some(span);
        }
        open.truncate(at);
    }

    pub(super) fn keep_attributes(&mut self, attributes: Vec<html5ever::Attribute>) -> std::ops::Range<u32> {
        let start = narrow(self.attributes.len());
        self.attributes_cut |= attributes.len() > MAX_ATTRIBUTES;
        for attribute in attributes.into_iter().take(MAX_ATTRIBUTES) {
            let value = self.store(&attribute.value);
            self.attributes.push(Attribute { name: attribute.name.local, value });
        }
        start..narrow(self.attributes.len())
    }

    pub(super) fn detach(&mut self, id: NodeId) {
        let Some((parent, previous, next)) = self.node(id).map(|node| (node.parent, node.previous, node.next)) else {
            return;
        };
        match previous.and_then(|previous| self.node_mut(previous)) {
            Some(previous) => previous.next = next,
            None => {
                // The template of a shadow root has a parent that it is no child of.
                if let Some(parent) = parent.and_then(|parent| self.node_mut(parent))
                    && parent.first_child == Some(id)
                {
                    parent.first_child = next;
                }
            }
        }
        match next.and_then(|next| self.node_mut(next)) {
            Some(next) => next.previous = previous,
            None => {
                if let Some(parent) = parent.and_then(|parent| self.node_mut(parent))
                    && parent.last_child == Some(id)
                {
                    parent.last_child = previous;
                }
            }
        }
        if let Some(node) = self.node_mut(id) {
            (node.parent, node.previous, node.next) = (None, None, None);
        }
    }

    /// Puts `child` under `parent` before `before`, or last.
    pub(super) fn attach(&mut self, parent: NodeId, before: Option<NodeId>, child: NodeId) {
        let previous = match before {
            Some(before) => self.node(before).and_then(|node| node.previous),
            None => self.node(parent).and_then(|node| node.last_child),
        };
        let depth = self.node(parent).map_or(0, |node| node.depth) + 1;
        if let Some(node) = self.node_mut(child) {
            (node.parent, node.previous, node.next, node.depth) = (Some(parent), previous, before, depth);
        }
        match previous.and_then(|previous| self.node_mut(previous)) {
            Some(previous) => previous.next = Some(child),
            None => {
                if let Some(parent) = self.node_mut(parent) {
                    parent.first_child = Some(child);
                }
            }
        }
        match before.and_then(|before| self.node_mut(before)) {
            Some(before) => before.previous = Some(child),
            None => {
                if let Some(parent) = self.node_mut(parent) {
                    parent.last_child = Some(child);
                }
            }
        }
        self.place_contents(child);
        self.work = self.work.saturating_add(depth.into());
        if self.work > MAX_WORK {
            self.stopped.get_or_insert(Complexity::Work);
        }
        if depth > MAX_DEPTH {
            self.stopped.get_or_insert(Complexity::Depth);
        }
    }

    /// Puts the contents of a template, if `id` is one, where the template is; it stays no child of it.
    pub(super) fn place_contents(&mut self, id: NodeId) {
        let depth = self.node(id).map_or(0, |node| node.depth);
        let contents = match self.node(id).map(|node| &node.kind) {
            Some(Kind::Element(data)) => data.template_contents,
            _ => None,
        };
        if let Some(contents) = contents.and_then(|contents| self.node_mut(contents)) {
            (contents.parent, contents.depth) = (Some(id), depth);
        }
    }

    /// Makes `template` the shadow root of `host`, where `host` can have one and has none yet: it is then no child.
    pub(super) fn attach_shadow(&mut self, host: NodeId, template: NodeId) -> bool {
        let depth = self.node(host).map_or(0, |node| node.depth) + 1;
        let can_host = match self.node(host).map(|node| &node.kind) {
            Some(Kind::Element(data)) => data.html && is_host_name(&data.name),
            _ => false,
        };
        if !can_host || !self.shadow_hosts.insert(host) {
            return false;
        }
        if let Some(node) = self.node_mut(template) {
            (node.parent, node.depth) = (Some(host), depth);
        }
        self.place_contents(template);
        true
    }

    pub(super) fn insert(&mut self, parent: NodeId, before: Option<NodeId>, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(child) => {
                self.detach(child);
                self.attach(parent, before, child);
            }
            NodeOrText::AppendText(text) => self.insert_text(parent, before, &text),
        }
    }

    pub(super) fn insert_text(&mut self, parent: NodeId, before: Option<NodeId>, text: &str) {
        let neighbour = match before {
            Some(before) => self.node(before).and_then(|node| node.previous),
            None => self.node(parent).and_then(|node| node.last_child),
        };
        let existing = neighbour.and_then(|id| match self.node(id)?.kind {
            Kind::Text(span) => Some((id, span)),
            _ => None,
        });
        let Some((id, span)) = existing else {
            let span = self.store(text);
            let child = self.add(Kind::Text(span));
            self.attach(parent, before, child);
            return;
        };
        let joined = if span.end as usize == self.text.len() {
            Span { start: span.start, end: self.store(text).end }
        } else {
            // Something else was stored since: the run is copied to the end, and the copy counts as work.
            self.work = self.work.saturating_add((span.end - span.start).into());
            let start = narrow(self.text.len());
            self.text.extend_from_within(span.range());
            Span { start, end: self.store(text).end }
        };
        if let Some(node) = self.node_mut(id) {
            node.kind = Kind::Text(joined);
        }
    }
}

/// Sources are at most a few megabytes, so 32-bit offsets hold; a longer one would only lose its places.
pub(super) fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
