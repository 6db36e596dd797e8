//! A view of one element.

use std::ops::Range;

use html::{Kind, Namespace, NodeId, Origin, WrittenAttribute, attributes_of};
use model::finding::Place;

use super::around::{Around, parent_element};
use super::parsed::{Document, SNIPPET_CHARACTERS};
use super::white_space::collapse_into;
use crate::escape;

/// Levels of a CSS path before it is left at what identifies the element.
const SELECTOR_LEVELS: usize = 12;

/// One element of a document. Cheap to copy.
#[derive(Debug, Clone, Copy)]
pub struct Element<'d> {
    document: &'d Document,
    id: NodeId,
}

/// What stands in an element.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'d> {
    /// An element; its own parts follow.
    Element(Element<'d>),
    /// A text run.
    Text(&'d str),
}

impl PartialEq for Element<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<'d> Element<'d> {
    #[inline]
    fn new(document: &'d Document, id: NodeId) -> Self {
        Self { document, id }
    }

    /// Its id, to keep where a borrow can't be.
    #[inline]
    pub fn id(self) -> NodeId {
        self.id
    }

    /// Its document.
    #[inline]
    pub fn document(self) -> &'d Document {
        self.document
    }

    /// Local name, in lower case for HTML elements.
    #[inline]
    pub fn name(self) -> &'d str {
        self.document.tree.name(self.id)
    }

    /// Whether this is the HTML element of that name. A `title` inside `svg` is not `title`.
    #[inline]
    pub fn is(self, name: &str) -> bool {
        self.document.tree.is(self.id, name)
    }

    /// Its namespace.
    #[inline]
    pub fn namespace(self) -> Namespace {
        self.document.tree.namespace(self.id)
    }

    /// Value of an attribute, character references resolved; the first of that (lower-case) name.
    #[inline(always)]
    pub fn attribute(self, name: &str) -> Option<&'d str> {
        self.document.tree.attribute(self.id, name).map(|attribute| attribute.value())
    }

    /// Whether an attribute is there, whatever its value.
    #[inline(always)]
    pub fn has(self, name: &str) -> bool {
        self.document.tree.attribute(self.id, name).is_some()
    }

    /// Whether the space-separated tokens of an attribute hold `token`, ASCII case ignored.
    #[inline(always)]
    pub fn has_token(self, name: &str, token: &str) -> bool {
        self.attribute(name).is_some_and(|value| holds_token(value, token))
    }

    /// All attributes in source order.
    #[inline]
    pub fn attributes(self) -> impl Iterator<Item = (&'d str, &'d str)> {
        self.document.tree.attributes(self.id).map(|attribute| (attribute.lower_name(), attribute.value()))
    }

    /// The parent element; of a template's contents the template.
    #[inline]
    pub fn parent(self) -> Option<Self> {
        self.document.element(parent_element(&self.document.tree, self.id)?)
    }

    /// Parent, grandparent and so on.
    pub fn ancestors(self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), |element| element.parent())
    }

    /// Child elements.
    pub fn children(self) -> impl Iterator<Item = Self> {
        self.document.elements_of(self.document.tree.children(self.id))
    }

    /// All elements below, in document order.
    pub fn descendants(self) -> impl Iterator<Item = Self> {
        self.document.elements_of(self.document.tree.descendants(self.id))
    }

    /// The sibling element after this one.
    pub fn next_element(self) -> Option<Self> {
        let tree = &self.document.tree;
        let after = std::iter::successors(tree.next(self.id), |id| tree.next(*id));
        self.document.elements_of(after).next()
    }

    /// Text runs below, in order: `textContent` in pieces.
    #[inline]
    pub fn texts(self) -> impl Iterator<Item = &'d str> {
        let tree = &self.document.tree;
        tree.descendants(self.id).flat_map(|id| tree.texts(id))
    }

    /// Text runs below, in order, leaving out whatever lies in an element that `keep` refuses.
    pub fn texts_where(self, keep: impl Fn(Self) -> bool) -> impl Iterator<Item = &'d str> {
        let (document, root) = (self.document, self.id);
        let tree = &document.tree;
        let mut at = tree.first_child(root);
        let runs = std::iter::from_fn(move || {
            while let Some(id) = at {
                let skip = document.element(id).is_some_and(|element| !keep(element));
                at = if skip { tree.following_skipping(id, root) } else { tree.following(id, root) };
                if tree.kind(id) == Kind::Text {
                    return Some(id);
                }
            }
            None
        });
        runs.flat_map(|id| tree.texts(id))
    }

    /// Elements and text runs below, in order, leaving out each element that `keep` refuses with whatever lies in it.
    pub(crate) fn parts_where(self, keep: impl Fn(Self) -> bool) -> impl Iterator<Item = Part<'d>> {
        let (document, root) = (self.document, self.id);
        let tree = &document.tree;
        let mut at = tree.first_child(root);
        let nodes = std::iter::from_fn(move || {
            while let Some(id) = at {
                let skip = document.element(id).is_some_and(|element| !keep(element));
                at = if skip { tree.following_skipping(id, root) } else { tree.following(id, root) };
                if !skip {
                    return Some(id);
                }
            }
            None
        });
        nodes.flat_map(move |id| {
            let element = document.element(id).map(Part::Element);
            element.into_iter().chain(tree.texts(id).map(Part::Text))
        })
    }

    /// Direct text runs only.
    #[inline]
    pub fn own_texts(self) -> impl Iterator<Item = &'d str> {
        let tree = &self.document.tree;
        tree.children(self.id).flat_map(|id| tree.texts(id))
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

    fn around(self) -> Around {
        self.document.around(self.id)
    }

    /// The first of the element and those around it that is wanted, found by walking up; `None` where [`Self::around`] says it.
    fn nearest(self, is_wanted: impl Fn(Self) -> bool) -> Option<Option<Self>> {
        if !self.document.may_walk_up() {
            return None;
        }
        let mut steps = 0;
        let found = std::iter::once(self).chain(self.ancestors()).inspect(|_| steps += 1).find(|one| is_wanted(*one));
        self.document.note_walk(steps);
        Some(found)
    }

    /// Whether the element or one around it has the `hidden` attribute.
    pub fn is_hidden(self) -> bool {
        let found = self.nearest(|one| one.has("hidden"));
        found.map_or_else(|| self.around().is_hidden(), |found| found.is_some())
    }

    /// Whether the element or one around it has `aria-hidden=true`.
    pub fn is_aria_hidden(self) -> bool {
        let found = self.nearest(|one| one.attribute("aria-hidden") == Some("true"));
        found.map_or_else(|| self.around().is_aria_hidden(), |found| found.is_some())
    }

    /// Whether it stands in the head.
    pub fn is_in_head(self) -> bool {
        let found = self.nearest(|one| one.is("head") && one != self);
        found.map_or_else(|| self.around().is_in_head(), |found| found.is_some())
    }

    /// Whether it stands in a paragraph, and in no table within it.
    pub fn is_in_paragraph(self) -> bool {
        self.around().is_in_paragraph()
    }

    /// The nearest `lang` below `html`, its own included.
    pub fn nearest_lang(self) -> Option<&'d str> {
        let found = self.nearest(|one| one.has("lang") && !one.is("html"));
        found.unwrap_or_else(|| self.document.element(self.around().lang?))?.attribute("lang")
    }

    /// Span of the start tag in the source; `None` for an element the parser implied or cloned.
    pub fn start_tag(self) -> Option<Range<usize>> {
        let tree = &self.document.tree;
        tree.start_tag(self.id).filter(|_| tree.origin(self.id) == Origin::Source)
    }

    /// Span of the end tag in the source, where there is one.
    pub fn end_tag(self) -> Option<Range<usize>> {
        self.document.tree.end_tag(self.id)
    }

    /// Span from the start tag to the end of the end tag; the start tag alone for an element without one.
    pub fn source_span(self) -> Option<Range<usize>> {
        let start = self.start_tag()?;
        Some(start.start..self.end_tag().map_or(start.end, |end| end.end))
    }

    /// Source text of the start tag.
    pub fn start_tag_source(self) -> Option<&'d str> {
        self.document.source().get(self.start_tag()?)
    }

    /// The start tag with a value of an attribute, escaped, in the place of the one that it has; every other byte stays.
    pub(crate) fn start_tag_with(self, name: &str, value: &str) -> Option<String> {
        let tag = self.start_tag_source()?;
        let is_named =
            |span: &WrittenAttribute| tag.get(span.name.clone()).is_some_and(|n| n.eq_ignore_ascii_case(name));
        let written = format!("{name}=\"{}\"", escape::attribute(value));
        let attributes = attributes_of(tag);
        let (place, written) = match attributes.iter().find(|span| is_named(span)) {
            Some(old) => (old.whole.clone(), written),
            None => {
                let at = insertion_point(tag, &attributes);
                (at..at, format!(" {written}"))
            }
        };
        Some(format!("{}{written}{}", tag.get(..place.start)?, tag.get(place.end..)?))
    }

    /// 1-based line of the start tag.
    pub fn line(self) -> Option<u32> {
        Some(self.document.position(self.start_tag()?.start).line)
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

    /// The start tag as a message quotes it: on one line, and cut as evidence is.
    pub(crate) fn quoted(self) -> String {
        let tag = self.start_tag_source().unwrap_or_default().split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        match tag.char_indices().nth(SNIPPET_CHARACTERS) {
            Some((end, _)) => format!("{}…", tag.get(..end).unwrap_or_default()),
            None => tag,
        }
    }

    /// Where a finding shows: path, snippet of the start tag as found, and where that stands.
    pub fn place(self) -> Place {
        if self.document.lacks_places {
            return Place::default();
        }
        let selector = Some(self.selector());
        match self.start_tag() {
            Some(tag) => Place { selector, ..self.document.place_of(tag) },
            None => Place { selector, ..Place::default() },
        }
    }
}

/// Whether the space-separated tokens of a value hold `token`, ASCII case ignored.
fn holds_token(value: &str, token: &str) -> bool {
    value.split_ascii_whitespace().any(|word| word.eq_ignore_ascii_case(token))
}

/// Where a new attribute goes: after the last one, before a closing slash. A slash that belongs to an unquoted value
/// stays with it. A last one without the value that its `=` announces would take in the new one: that goes first.
/// `attributes`: those of the tag.
pub(crate) fn insertion_point(tag: &str, attributes: &[WrittenAttribute]) -> usize {
    let name_end = tag.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>').unwrap_or(tag.len());
    let lacks_value = |span: &WrittenAttribute| {
        span.value.as_ref().is_some_and(|value| value.is_empty() && value.end == span.whole.end)
    };
    attributes.last().filter(|span| !lacks_value(span)).map_or(name_end, |span| span.whole.end)
}

impl Document {
    /// Every element in document order, template contents left out.
    pub fn elements(&self) -> impl Iterator<Item = Element<'_>> {
        self.elements_of(self.tree.descendants(NodeId::DOCUMENT))
    }

    /// The element of that id, if it is one.
    #[inline]
    pub fn element(&self, id: NodeId) -> Option<Element<'_>> {
        (self.tree.kind(id) == Kind::Element).then(|| Element::new(self, id))
    }

    /// The root element.
    pub fn html(&self) -> Option<Element<'_>> {
        self.elements_of(self.tree.children(NodeId::DOCUMENT)).next()
    }

    /// The `head` element; the parser always makes one unless the source is a frameset cut short.
    pub fn head(&self) -> Option<Element<'_>> {
        self.html()?.children().find(|element| element.is("head"))
    }

    /// The `body` (or `frameset`) element.
    pub fn body(&self) -> Option<Element<'_>> {
        self.html()?.children().find(|element| element.is("body") || element.is("frameset"))
    }

    #[inline]
    fn elements_of<'d>(&'d self, nodes: impl Iterator<Item = NodeId>) -> impl Iterator<Item = Element<'d>> {
        nodes.filter_map(|id| self.element(id))
    }
}

fn is_plain_identifier(id: &str) -> bool {
    id.len() <= 64
        && id.starts_with(|c: char| c.is_ascii_alphabetic())
        && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}
