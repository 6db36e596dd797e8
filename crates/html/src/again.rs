//! A changed source, parsed again: what the changes cannot touch is taken over from the tree of the source before.
//!
//! That is exact by two facts of the algorithm (WHATWG HTML §13.2.6). Behind the start tag that makes the body, or before the
//! content that implies one, the parser is always in the same state, whatever the head was: only `html` and `body` are open, no formatting element is active, and
//! the mode is "in body". What the head leaves to it, quirks, decides only whether a table ends the paragraph that it begins in.
//! So where all changes stand before that tag, only what stands before it is parsed. And of most elements the tree builder
//! looks at the name alone: their start tags may get other attributes. At the text of a script it does not look at all.

mod front;
mod rest;
mod shift;
mod tag;

use std::ops::Range;
use std::sync::Arc;

use crate::arena::{NONE, narrow};
use crate::builder;
use crate::options::Options;
use crate::tree::node::NodeId;
use crate::tree::{Quirks, Tree, TreeCut};
use front::Front;
use rest::{Rest, TextChange};
use shift::Shift;
use tag::Rewrite;

/// A change of a source: the bytes that go, and the text that comes there.
pub type TextSplice<'c> = (Range<usize>, &'c str);

/// What was taken over: the body, and all that the parser made after it.
#[derive(Debug)]
pub struct Kept {
    /// The body's number before, and now.
    body: (u32, u32),
    /// Whether what stands before the body is as it was, too.
    is_front_kept: bool,
    rewritten: Vec<(NodeId, NodeId)>,
    scripts: Vec<(NodeId, NodeId)>,
}

impl Kept {
    /// The number now of a node of the tree before, where it was taken over.
    pub fn now(&self, id: NodeId) -> Option<NodeId> {
        (self.is_front_kept || id.0 >= self.body.0).then(|| NodeId(id.0 + self.body.1 - self.body.0))
    }

    /// Whether a node of the new tree was taken over.
    pub fn holds(&self, id: NodeId) -> bool {
        self.is_front_kept || id.0 >= self.body.1
    }

    /// Whether what stands before the body is as it was, too.
    pub fn is_front_kept(&self) -> bool {
        self.is_front_kept
    }

    /// Elements that were taken over with another start tag: their number before, and now.
    pub fn rewritten(&self) -> &[(NodeId, NodeId)] {
        &self.rewritten
    }

    /// Scripts that were taken over with another text: their number before, and now.
    pub fn scripts(&self) -> &[(NodeId, NodeId)] {
        &self.scripts
    }

    /// Whether an element of the tree before was taken over with another start tag.
    pub fn is_rewritten(&self, id: NodeId) -> bool {
        self.rewritten.binary_search_by_key(&id, |(before, _)| *before).is_ok()
    }

    /// Data kept by the number of a node: those of the new front, then those of what was taken over.
    pub fn by_node<T: Copy + Default>(&self, mut front: Vec<T>, before: &[T]) -> Vec<T> {
        let [from, to] = [self.body.0, self.body.1].map(|body| if self.is_front_kept { 0 } else { body as usize });
        front.resize(to, T::default());
        front.extend_from_slice(before.get(from..).unwrap_or_default());
        front
    }
}

/// Parses a source that comes of that of another tree by `changes`, which are in its order and apart: the tree that
/// [`parse`](crate::parse) makes, but for the count of its steps, and what was taken over. Nothing is, and the whole is
/// parsed, where the source is another one or a change could touch what is behind it.
pub fn parse_again(
    before: &Tree,
    source: impl Into<Arc<String>>,
    changes: &[TextSplice<'_>],
    options: &Options,
) -> (Tree, Option<Kept>) {
    let source = source.into();
    match taken_over(before, &source, changes, options) {
        Some((tree, kept)) => (Tree { source, ..tree }, Some(kept)),
        None => (builder::parse(source, usize::MAX, options), None),
    }
}

/// The tree without its source.
fn taken_over(
    before: &Tree,
    source: &Arc<String>,
    changes: &[TextSplice<'_>],
    options: &Options,
) -> Option<(Tree, Kept)> {
    if !is_spliced(before.source(), changes, source) || !is_far_from_limits(before, options) {
        return None;
    }
    let from = Front::of(before)?;
    let mut shift = Shift::of(changes);
    let tag_start = shift.place(narrow(from.tag.start)) as usize;
    let tag = tag_start..tag_start + from.tag.len();
    let (of_front, of_rest) = changes.split_at(changes.partition_point(|(span, _)| span.end <= from.tag.start));
    let parsed = match of_front {
        [] => None,
        _ => {
            // A tag makes the body that its content would have made; the content may be text, of which there is no beginning.
            Some(match from.is_implied {
                true => builder::parse(Arc::new(source.get(..tag.end)?.to_owned() + "<body>"), usize::MAX, options),
                false => builder::parse(Arc::clone(source), tag.end, options),
            })
        }
    };
    let to = parsed.as_ref().map_or_else(|| Some(from.clone()), Front::of)?;
    if let Some(parsed) = &parsed {
        let is_quirky = |tree: &Tree| tree.quirks == Quirks::Full;
        // A further `html` tag of the body gives the element what it lacks now.
        let keeps_attributes =
            || before.attributes(from.html).all(|one| parsed.attribute(to.html, one.lower_name()).is_some());
        let is_alike = to.tag.start == tag.start
            && !to.is_implied
            && (from.is_implied || to.tag.end == tag.end && to.body.attribute_count == from.body.attribute_count)
            && to.nodes + 1 == parsed.nodes.len()
            && (is_quirky(parsed) == is_quirky(before) || !before.has_table_in_paragraph)
            && parsed.cut == TreeCut::default()
            && keeps_attributes()
            && before.ignored_doctype.as_ref().is_none_or(|late| late.start >= from.tag.start);
        if !is_alike {
            return None;
        }
    }
    let mut rest = Rest::new(before, source, (from, to), shift);
    for change in of_rest {
        match Rewrite::of(change, options) {
            Some(rewrite) => rest.rewrites.push(rewrite),
            None => rest.texts.push(TextChange::of(change)),
        }
    }
    let new_attributes = rest.rewrites.iter().map(Rewrite::attribute_count).sum();
    let mut tree = rest.to.taken(parsed.as_ref().unwrap_or(before), before, new_attributes);
    tree.has_table_in_paragraph = before.has_table_in_paragraph;
    rest.add_to(&mut tree)?;
    let kept = Kept {
        body: (narrow(rest.from.nodes), narrow(rest.to.nodes)),
        is_front_kept: of_front.is_empty(),
        rewritten: rest.rewritten,
        scripts: rest.scripts,
    };
    Some((tree, kept))
}

/// Whether a text is another one with spans replaced, which are in order and apart.
pub fn is_spliced(source: &str, changes: &[TextSplice<'_>], spliced: &str) -> bool {
    let (mut at, mut rest) = (0, spliced);
    for (span, text) in changes {
        let kept = source.get(at..span.start).and_then(|kept| rest.strip_prefix(kept));
        let Some(behind) = kept.and_then(|behind| behind.strip_prefix(text)) else { return false };
        (at, rest) = (span.end, behind);
    }
    source.get(at..) == Some(rest)
}

/// Whether parsing came nowhere near a limit, so that it does not with some bytes more or less either.
fn is_far_from_limits(tree: &Tree, options: &Options) -> bool {
    tree.cut == TreeCut::default()
        && tree.source.len() < (NONE / 2) as usize
        && tree.work < options.limits.work / 2
        && (tree.nodes.len() as u64) < (options.limits.nodes + tree.source.len() as u64 / 2) / 2
}
