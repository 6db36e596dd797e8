//! A view of one element.

use std::ops::Range;

use model::finding::Place;

use super::source::{AttributeSpan, attribute_spans};
use super::{Document, ElementData, Kind, Namespace, Node, NodeId};
use crate::escape;

/// Characters kept of a snippet (decisions.md, Finding).
pub(crate) const SNIPPET_CHARACTERS: usize = 160;
/// Levels of a CSS path before it is left at what identifies the element.
const SELECTOR_LEVELS: usize = 12;

/// One element of a document. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Element<'d> {
    document: &'d Document,
    id: NodeId,
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<'d> Element<'d> {
    pub(super) fn new(document: &'d Document, id: NodeId) -> Self {
        Self { document, id }
    }

    /// Its id, to keep where a borrow can't be.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Its document.
    pub fn document(self) -> &'d Document {
        self.document
    }

    fn data(self) -> Option<&'d ElementData> {
        self.document.data(self.id)
    }

    fn node(self) -> Option<&'d Node> {
        self.document.node(self.id)
    }

    /// Local name, in lower case for HTML elements.
    pub fn name(self) -> &'d str {
        self.data().map_or("", |data| &data.name)
    }

    /// Whether this is the HTML element of that name. A `title` inside `svg` is not `title`.
    pub fn is(self, name: &str) -> bool {
        self.data().is_some_and(|data| data.html && &*data.name == name)
    }

    /// Its namespace.
    pub fn namespace(self) -> Namespace {
        self.data().map_or(Namespace::Html, |data| data.namespace)
    }

    /// Value of an attribute, entities resolved; the first of that (lower-case) name.
    pub fn attribute(self, name: &str) -> Option<&'d str> {
        self.attributes().find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Whether an attribute is there, whatever its value.
    pub fn has(self, name: &str) -> bool {
        self.attribute(name).is_some()
    }

    /// Whether the space-separated tokens of an attribute hold `token`, ASCII case ignored.
    pub fn has_token(self, name: &str, token: &str) -> bool {
        self.attribute(name)
            .is_some_and(|value| value.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(token)))
    }

    /// All attributes in source order.
    pub fn attributes(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        let document = self.document;
        let range = self.data().map_or(0..0, |data| data.attributes.start as usize..data.attributes.end as usize);
        document
            .attributes
            .get(range)
            .unwrap_or_default()
            .iter()
            .map(move |attribute| (&*attribute.name, document.text_of(attribute.value)))
    }

    /// The parent element.
    pub fn parent(self) -> Option<Self> {
        self.document.element(self.node()?.parent?)
    }

    /// Parent, grandparent and so on.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |element| element.parent())
    }

    /// Child elements.
    pub fn children(self) -> impl Iterator<Item = Self> {
        self.document.child_elements(self.id)
    }

    /// All elements below, in document order.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        self.document.descendants(self.id)
    }

    /// The sibling element after this one.
    pub fn next_element(self) -> Option<Self> {
        let mut at = self.node()?.next;
        while let Some(id) = at {
            if let Some(element) = self.document.element(id) {
                return Some(element);
            }
            at = self.document.node(id)?.next;
        }
        None
    }

    /// Text runs below, in order: `textContent` in pieces.
    pub fn texts(self) -> impl Iterator<Item = &'d str> {
        let document = self.document;
        let root = self.id;
        let first = document.node(root).and_then(|node| node.first_child);
        std::iter::successors(first, move |id| document.following(*id, root, false)).filter_map(
            move |id| match document.node(id)?.kind {
                Kind::Text(span) => Some(document.text_of(span)),
                _ => None,
            },
        )
    }

    /// Text runs below, in order, leaving out whatever lies in an element that `keep` refuses.
    pub fn texts_where(self, keep: impl Fn(Self) -> bool) -> impl Iterator<Item = &'d str> {
        let document = self.document;
        let root = self.id;
        let mut at = document.node(root).and_then(|node| node.first_child);
        std::iter::from_fn(move || {
            while let Some(id) = at {
                let node = document.node(id)?;
                let skip = matches!(node.kind, Kind::Element(_)) && !keep(Self::new(document, id));
                at = document.following(id, root, skip);
                if let Kind::Text(span) = node.kind {
                    return Some(document.text_of(span));
                }
            }
            None
        })
    }

    /// Direct text runs only.
    pub fn own_texts(self) -> impl Iterator<Item = &'d str> {
        let document = self.document;
        let first = document.node(self.id).and_then(|node| node.first_child);
        std::iter::successors(first, move |id| document.node(*id)?.next).filter_map(move |id| {
            match document.node(id)?.kind {
                Kind::Text(span) => Some(document.text_of(span)),
                _ => None,
            }
        })
    }

    /// `textContent`, exactly.
    pub fn raw_text(self) -> String {
        self.texts().collect()
    }

    /// `textContent`, white space collapsed and trimmed.
    pub fn text(self) -> String {
        let mut out = String::new();
        collapse_into(self.texts(), &mut out);
        out
    }

    /// Whether the element or one around it has the `hidden` attribute.
    pub fn is_hidden(self) -> bool {
        self.has("hidden") || self.ancestors().any(|ancestor| ancestor.has("hidden"))
    }

    /// Span of the start tag in the source; `None` for an element the parser implied or cloned.
    pub fn start_tag(self) -> Option<Range<usize>> {
        self.data()?.start_tag.map(super::Span::range)
    }

    /// Span of the end tag in the source, where there is one.
    pub fn end_tag(self) -> Option<Range<usize>> {
        self.data()?.end_tag.map(super::Span::range)
    }

    /// Span from the start tag to the end of the end tag; the start tag alone for an element without one.
    pub fn source_span(self) -> Option<Range<usize>> {
        let start = self.start_tag()?;
        Some(start.start..self.end_tag().map_or(start.end, |end| end.end))
    }

    /// Source text of the start tag.
    pub fn start_tag_source(self) -> Option<&'d str> {
        self.document.source.get(self.start_tag()?)
    }

    /// The start tag with another value of an attribute that it has, escaped; every other byte stays.
    pub(crate) fn start_tag_with(self, name: &str, value: &str) -> Option<String> {
        let tag = self.start_tag_source()?;
        let is_named = |span: &AttributeSpan| tag.get(span.name.clone()).is_some_and(|n| n.eq_ignore_ascii_case(name));
        let old = attribute_spans(tag).into_iter().find(is_named)?.whole;
        let (before, after) = (tag.get(..old.start)?, tag.get(old.end..)?);
        Some(format!("{before}{name}=\"{}\"{after}", escape::attribute(value)))
    }

    /// 1-based line of the start tag.
    pub fn line(self) -> Option<u32> {
        Some(self.document.line_at(self.start_tag()?.start))
    }

    /// A CSS path that leads here: from the nearest `id`, else from `html`.
    pub fn selector(self) -> String {
        let mut parts = Vec::new();
        for element in std::iter::once(self).chain(self.ancestors()).take(SELECTOR_LEVELS) {
            let id = element.attribute("id").filter(|id| is_plain_identifier(id));
            if let Some(id) = id {
                parts.push(format!("{}#{id}", element.name()));
                break;
            }
            parts.push(element.selector_step());
        }
        parts.reverse();
        parts.join(" > ")
    }

    fn selector_step(self) -> String {
        let name = self.name();
        if matches!(name, "html" | "head" | "body") {
            return name.to_owned();
        }
        let Some(parent) = self.parent() else { return name.to_owned() };
        let mut same = parent.children().filter(|sibling| sibling.name() == name);
        let position = same.position(|sibling| sibling == self).unwrap_or_default();
        if position == 0 && same.next().is_none() {
            name.to_owned()
        } else {
            format!("{name}:nth-of-type({})", position + 1)
        }
    }

    /// [`Self::place`] when `wanted`: a place costs a walk, and only the first few are kept.
    pub fn place_if(self, wanted: bool) -> Option<Place> {
        wanted.then(|| self.place())
    }

    /// Where a finding shows: path, snippet of the start tag as found, line.
    pub fn place(self) -> Place {
        Place {
            selector: Some(self.selector()),
            url: None,
            snippet: self.start_tag_source().map(|tag| tag.chars().take(SNIPPET_CHARACTERS).collect()),
            line: self.line(),
        }
    }
}

fn is_plain_identifier(id: &str) -> bool {
    id.len() <= 64
        && id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// Collapses white space (Unicode) to single spaces and trims.
pub fn collapse(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    collapse_into(std::iter::once(text), &mut out);
    out
}

/// The same for a text in pieces, added to `out`.
pub fn collapse_into<'t>(pieces: impl Iterator<Item = &'t str>, out: &mut String) {
    let mut space = false;
    for piece in pieces {
        let mut rest = piece;
        while !rest.is_empty() {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, tail) = rest.split_at(end);
            if !word.is_empty() {
                if space && !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(word);
                space = false;
            }
            let trimmed = tail.trim_start();
            space |= trimmed.len() < tail.len();
            rest = trimmed;
        }
    }
}
