//! The body and what comes after it, taken over into another tree.

use std::ops::Range;

use super::TextSplice;
use super::front::Front;
use super::shift::Shift;
use super::tag::Rewrite;
use crate::arena::{Arena, NONE, RawAttribute, SourceRun, narrow};
use crate::decode::{self, Mode};
use crate::names::TagId;
use crate::namespace::Namespace;
use crate::tree::Tree;
use crate::tree::node::{Kind, Node, NodeId, Piece};

/// Another text in the place of a part of one.
#[derive(Debug)]
pub(super) struct TextChange {
    /// The part before.
    span: Range<usize>,
    /// Whether it lies in the text of a script.
    is_placed: bool,
}

impl TextChange {
    pub(super) fn of((span, _): &TextSplice<'_>) -> Self {
        Self { span: span.clone(), is_placed: false }
    }
}

/// Whether the text of a script may end or be escaped before its end tag: by `<!--` or `</script` alone (WHATWG HTML
/// §13.2.5.15 to 13.2.5.19).
fn may_end(text: &str) -> bool {
    const END: &[u8] = b"/script";
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).filter_map(|at| bytes.get(at + 1..)).any(|behind| {
        behind.starts_with(b"!--") || behind.get(..END.len()).is_some_and(|name| name.eq_ignore_ascii_case(END))
    })
}

/// The body and what comes after it, on its way into another tree.
pub(super) struct Rest<'t> {
    pub(super) before: &'t Tree,
    /// The source afterwards.
    pub(super) source: &'t str,
    pub(super) from: Front,
    pub(super) to: Front,
    pub(super) shift: Shift<'t>,
    pub(super) rewrites: Vec<Rewrite>,
    pub(super) texts: Vec<TextChange>,
    pub(super) rewritten: Vec<(NodeId, NodeId)>,
    pub(super) scripts: Vec<(NodeId, NodeId)>,
    numbers: Numbers,
}

/// What numbers of a tree are in another one.
#[derive(Debug, Clone, Copy)]
struct Numbers {
    /// Number of the first node that is taken over.
    first: NodeId,
    /// The root before, and now.
    html: (NodeId, NodeId),
    /// By how much numbers and places in the lists are another's, wrapping around.
    nodes: u32,
    pieces: u32,
    attributes: u32,
    encoded: u32,
}

impl Numbers {
    fn of(from: &Front, to: &Front) -> Self {
        let by = |from: usize, to: usize| narrow(to).wrapping_sub(narrow(from));
        Self {
            first: NodeId(narrow(from.nodes)),
            html: (from.html, to.html),
            nodes: by(from.nodes, to.nodes),
            pieces: by(from.pieces, to.pieces),
            attributes: by(from.attributes, to.attributes),
            encoded: by(from.encoded, to.encoded),
        }
    }

    /// The number of a node that is behind the front, or of what both have in common.
    #[inline]
    fn id(&self, id: NodeId) -> NodeId {
        match id {
            NodeId(NONE) => id,
            NodeId(number) if id >= self.first => NodeId(number.wrapping_add(self.nodes)),
            NodeId::DOCUMENT => id,
            _ if id == self.html.0 => self.html.1,
            // The sibling before the body, which is tied to it by itself.
            _ => NodeId(NONE),
        }
    }

    #[inline]
    fn piece(&self, at: u32) -> u32 {
        if at == NONE { NONE } else { at.wrapping_add(self.pieces) }
    }

    #[inline]
    fn run(&self, run: SourceRun, mut place: impl FnMut(u32) -> u32) -> SourceRun {
        match run.encoded() {
            Some(_) if run.start == NONE => run,
            Some(_) => SourceRun { start: run.start.wrapping_add(self.encoded), ..run },
            None => SourceRun { start: place(run.start), end: place(run.end) },
        }
    }

    /// A node with the numbers and places that it has now, whatever changes in it.
    #[inline]
    fn node(&self, old: &Node, mut place: impl FnMut(u32) -> u32) -> Node {
        let mut node = old.clone();
        node.parent = self.id(old.parent);
        node.previous = self.id(old.previous);
        node.next = self.id(old.next);
        match old.kind {
            Kind::Text => {
                let run = self.run(old.run(), place);
                (node.start, node.end) = (run.start, run.end);
                node.first = self.piece(old.first);
                node.end_tag.0 = self.piece(old.end_tag.0);
                return node;
            }
            Kind::Comment | Kind::Instruction => {
                let run = self.run(old.run(), &mut place);
                (node.start, node.end) = (run.start, run.end);
            }
            Kind::Element => {
                (node.start, node.end) = (place(old.start), place(old.end));
                if old.attribute_count > 0 {
                    node.attributes = old.attributes.wrapping_add(self.attributes);
                }
            }
            Kind::Document | Kind::Doctype | Kind::Fragment => {}
        }
        if old.kind == Kind::Instruction {
            node.attributes = place(old.attributes);
        }
        node.first = self.id(NodeId(old.first)).0;
        node.end_tag = (place(old.end_tag.0), place(old.end_tag.1));
        node
    }
}

impl<'t> Rest<'t> {
    pub(super) fn new(before: &'t Tree, source: &'t str, (from, to): (Front, Front), shift: Shift<'t>) -> Self {
        Self {
            numbers: Numbers::of(&from, &to),
            before,
            source,
            from,
            to,
            shift,
            rewrites: Vec::new(),
            texts: Vec::new(),
            rewritten: Vec::new(),
            scripts: Vec::new(),
        }
    }

    /// Adds it all; `None` where a change is of no start tag, and of no text of a script.
    pub(super) fn add_to(&mut self, tree: &mut Tree) -> Option<()> {
        let before = self.before;
        match self.shift.behind_all(self.from.tag.start) {
            // Where nothing changes in it, all of it is as far from where it was.
            Some(by) => self.copy_to(tree, |offset| if offset == NONE { NONE } else { offset.wrapping_add(by) }),
            None => {
                let mut shift = self.shift.clone();
                self.copy_to(tree, |offset| shift.place(offset));
            }
        }
        self.change_nodes(tree)?;
        let fragments =
            before.fragments.iter().map(|(host, fragment)| (self.numbers.id(*host), self.numbers.id(*fragment)));
        tree.fragments = fragments.collect();
        self.link(tree);
        tree.work = before.work;
        if tree.ignored_doctype.is_none() {
            let late = before.ignored_doctype.clone().filter(|late| late.start >= self.from.tag.start);
            tree.ignored_doctype = late
                .map(|late| self.shift.place(narrow(late.start)) as usize..self.shift.place(narrow(late.end)) as usize);
        }
        let is_all = self.rewrites.iter().all(Rewrite::is_placed);
        (is_all && self.texts.iter().all(|text| text.is_placed)).then_some(())
    }

    /// Copies the lists, with numbers and places as they are now.
    #[inline]
    fn copy_to(&self, tree: &mut Tree, mut place: impl FnMut(u32) -> u32) {
        let (before, numbers) = (self.before, self.numbers);
        let encoded = behind(&before.arena.encoded, self.from.encoded).iter();
        tree.arena.encoded.extend(encoded.map(|encoded| encoded.moved(&mut place)));
        let attributes = behind(&before.arena.attributes, self.from.attributes).iter();
        tree.arena.attributes.extend(attributes.map(|attribute| {
            let (name, value) = (numbers.run(attribute.name, &mut place), numbers.run(attribute.value, &mut place));
            RawAttribute { name, value, ..*attribute }
        }));
        let pieces = behind(&before.pieces, self.from.pieces).iter();
        tree.pieces.extend(
            pieces.map(|piece| Piece { run: numbers.run(piece.run, &mut place), next: numbers.piece(piece.next) }),
        );
        tree.arena.names = before.arena.moved_names(|run| numbers.run(run, &mut place));
        let nodes = behind(&before.nodes, self.from.nodes).iter();
        tree.nodes.extend(nodes.map(|node| numbers.node(node, &mut place)));
    }

    /// Ties it to what stands before it: `html` and the document have children on both sides.
    fn link(&mut self, tree: &mut Tree) {
        let before = self.before;
        let old_html = before.node(self.from.html).clone();
        let last_of = |parent: NodeId| before.first_child(parent).map(|first| before.node(first).previous);
        let (last_of_html, last_of_all) = (last_of(self.from.html), last_of(NodeId::DOCUMENT));
        let end_tag = (self.shift.place(old_html.end_tag.0), self.shift.place(old_html.end_tag.1));
        let mut change = |id: Option<NodeId>, change: &dyn Fn(&mut Node)| {
            let node = id.and_then(|id| tree.nodes.get_mut(id.index()));
            node.into_iter().for_each(change);
        };
        let html = self.to.html;
        change(Some(html), &|node| {
            node.next = self.numbers.id(old_html.next);
            (node.end_tag, node.flags) = (end_tag, old_html.flags);
        });
        change(Some(NodeId(narrow(self.to.nodes))), &|node| node.previous = self.to.body.previous);
        let first_of = |tree: &Tree, parent: NodeId| tree.first_child(parent);
        let (first_of_html, first_of_all) = (first_of(tree, html), first_of(tree, NodeId::DOCUMENT));
        let mut change = |id: Option<NodeId>, last: Option<NodeId>| {
            let node = id.and_then(|id| tree.nodes.get_mut(id.index()));
            if let Some((node, last)) = node.zip(last) {
                // The first child's previous is the last child.
                node.previous = self.numbers.id(last);
            }
        };
        change(first_of_html, last_of_html);
        change(first_of_all, last_of_all);
    }

    /// Makes the changes of start tags and texts in the nodes that were taken over. `None` where one can't be made.
    fn change_nodes(&mut self, tree: &mut Tree) -> Option<()> {
        let ends = |spans: &mut dyn Iterator<Item = &Range<usize>>| {
            let mut spans = spans.map(|span| span.start);
            let first = spans.next();
            first.map(|first| narrow(first)..=narrow(spans.last().unwrap_or(first)))
        };
        let rewrites = ends(&mut self.rewrites.iter().map(|rewrite| &rewrite.span));
        if rewrites.is_none() && self.texts.is_empty() {
            return Some(());
        }
        let nodes = behind(&self.before.nodes, self.from.nodes);
        let Tree { nodes: now, arena, .. } = tree;
        let new = now.iter_mut().enumerate().skip(self.to.nodes);
        for ((number, old), (number_now, node)) in nodes.iter().enumerate().zip(new) {
            match old.kind {
                Kind::Text if !self.texts.is_empty() => {
                    self.change_text(old, node.run(), arena)?;
                }
                Kind::Element if rewrites.as_ref().is_some_and(|places| places.contains(&old.start)) => {
                    let ids = (NodeId(narrow(number + self.from.nodes)), NodeId(narrow(number_now)));
                    self.rewrite(old, node, ids, arena)?;
                }
                _ => {}
            }
        }
        Some(())
    }

    /// Gives an element the attributes of its new start tag, where it has one. `None` where that is of another name.
    fn rewrite(&mut self, old: &Node, node: &mut Node, ids: (NodeId, NodeId), arena: &mut Arena) -> Option<()> {
        let at = self.rewrites.binary_search_by_key(&(old.start as usize), |rewrite| rewrite.span.start);
        let Some(rewrite) = at.ok().and_then(|at| self.rewrites.get_mut(at)) else { return Some(()) };
        if rewrite.span.end != old.end as usize || rewrite.name != old.tag || old.namespace != Namespace::Html {
            return None;
        }
        rewrite.give_to(node, arena)?;
        self.rewritten.push(ids);
        Some(())
    }

    /// Takes the changes of a text, which is that of a script then. `None` where it may be read otherwise.
    fn change_text(&mut self, old: &Node, run: SourceRun, arena: &mut Arena) -> Option<()> {
        let span = self.before.arena.span(old.run());
        // What is put in front of a text is not told from what ends there.
        let is_in = |change: &&mut TextChange| {
            span.start <= change.span.start && change.span.end <= span.end && change.span.end > span.start
        };
        let mut is_changed = false;
        for change in self.texts.iter_mut().filter(is_in) {
            change.is_placed = true;
            is_changed = true;
        }
        if !is_changed {
            return Some(());
        }
        let script = self.before.node(old.parent);
        let is_script = script.namespace == Namespace::Html && script.tag == TagId::SCRIPT;
        let now = self.shift.place(narrow(span.start)) as usize..self.shift.place(narrow(span.end)) as usize;
        let (text, text_now) = (self.before.source.get(span)?, self.source.get(now)?);
        // Without a text there is no node.
        let is_one_run = old.next_piece().is_none() && !text_now.is_empty();
        if !is_script || !is_one_run || may_end(text) || may_end(text_now) {
            return None;
        }
        match run.encoded() {
            Some(at) => arena.encoded.get_mut(at)?.forget(),
            None if decode::changes(text_now.as_bytes(), Mode::RAW) => return None,
            None => {}
        }
        self.scripts.push((old.parent, self.numbers.id(old.parent)));
        Some(())
    }
}

/// What stands in a list behind its first ones.
fn behind<T>(list: &[T], first: usize) -> &[T] {
    list.get(first..).unwrap_or_default()
}
