//! Items of markup in the making: what microdata and RDFa Lite are read into, as trees like those of JSON-LD.

use std::collections::BTreeMap;
use std::ops::Range;

use model::finding::Place;
use url::Url;

use super::charset::Charset;
use super::document::{Document, Element, NodeId};
use super::jsonld::tree::{Member, TreeKind, ValueTree};

/// Elements with marks that are looked at in one page; real pages stay far below.
const MOST_VISITS: usize = 200_000;
/// Items of one page that are read.
const MOST_ITEMS: usize = 5_000;
/// Names of one value that are read.
pub(super) const MOST_NAMES: usize = 16;
/// Items inside items that are read.
pub(super) const MOST_LEVELS: usize = 64;
/// Bytes of text that the values of one page take together: a value may hold all that is inside it again.
const MOST_TEXT_BYTES: usize = 1024 * 1024;

/// How structured data is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// Attributes of HTML (WHATWG HTML §5).
    Microdata,
    /// Attributes of RDFa Lite 1.1.
    Rdfa,
}

/// An item that stands in markup. Spans of its tree are those of start tags in the page's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// How it is written.
    pub(crate) syntax: Syntax,
    /// Its values.
    pub(crate) tree: ValueTree,
    /// Where its values come from, in the order of the source.
    origins: Vec<ValueOrigin>,
}

/// Where a value of an item comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ValueOrigin {
    /// Where the start tag begins.
    at: usize,
    /// The element.
    pub(crate) node: NodeId,
    /// The attribute that holds the value; `None` where its text does.
    pub(crate) attribute: Option<&'static str>,
}

impl Item {
    /// A part of it, as evidence.
    pub(super) fn place(&self, document: &Document, span: &Range<usize>) -> Place {
        let at = self.origins.partition_point(|origin| origin.at < span.start);
        let origin = self.origins.get(at).filter(|origin| origin.at == span.start);
        let element = origin.and_then(|origin| document.element(origin.node));
        element.map_or_else(|| document.place_of(span.clone()), Element::place)
    }

    /// The same item in a source in which all of it stands so many bytes further on, or back.
    pub(super) fn moved(&self, by: isize, node: impl Fn(NodeId) -> Option<NodeId>) -> Option<Self> {
        let mut moved = self.clone();
        moved.tree.shift(by);
        for origin in &mut moved.origins {
            origin.at = origin.at.checked_add_signed(by)?;
            origin.node = node(origin.node)?;
        }
        Some(moved)
    }

    /// The origin of a value.
    pub(crate) fn origin(&self, value: &ValueTree) -> Option<ValueOrigin> {
        let at = self.origins.partition_point(|origin| origin.at < value.span.start);
        self.origins.get(at).filter(|origin| origin.at == value.span.start).copied()
    }
}

/// Bytes of values that may stand under several names of one page: copies of copies would grow without end.
const MOST_COPIED_BYTES: usize = 1024 * 1024;

/// Reads items, within what one page may ask.
pub(super) struct ItemReader<'h> {
    pub(super) document: &'h Document,
    base: &'h Url,
    charset: &'h Charset,
    visits: usize,
    text_bytes: usize,
    copied_bytes: usize,
    origins: Vec<ValueOrigin>,
}

impl<'h> ItemReader<'h> {
    /// `base`: what the document's addresses resolve against.
    pub(super) fn new(document: &'h Document, base: &'h Url, charset: &'h Charset) -> Self {
        Self { document, base, charset, visits: 0, text_bytes: 0, copied_bytes: 0, origins: Vec::new() }
    }

    /// Resolves an address as the document would.
    pub(super) fn resolve(&self, address: &str) -> Option<Url> {
        self.charset.parse_url(self.base, address)
    }

    /// Reads the roots one by one with `read`.
    pub(super) fn items(
        &mut self,
        syntax: Syntax,
        roots: impl Iterator<Item = Element<'h>>,
        mut read: impl FnMut(&mut Self, Element<'h>) -> Option<ValueTree>,
    ) -> Vec<Item> {
        let mut out = Vec::new();
        for root in roots.take(MOST_ITEMS) {
            self.origins.clear();
            if let Some(tree) = read(self, root) {
                self.origins.sort_unstable();
                out.push(Item { syntax, tree, origins: std::mem::take(&mut self.origins) });
            }
        }
        out
    }

    /// Counts an element; `false` when no more are looked at.
    pub(super) fn may_visit(&mut self) -> bool {
        self.visits += 1;
        self.visits <= MOST_VISITS
    }

    /// A value that an element holds, in an attribute or as its text.
    pub(super) fn value(&mut self, element: Element<'h>, attribute: Option<&'static str>, text: String) -> ValueTree {
        let span = element.start_tag().unwrap_or_default();
        self.origins.push(ValueOrigin { at: span.start, node: element.id(), attribute });
        ValueTree { span, kind: TreeKind::Text(text) }
    }

    /// The text inside an element, as a value.
    pub(super) fn text(&mut self, element: Element<'h>) -> ValueTree {
        let mut text = String::new();
        if self.text_bytes < MOST_TEXT_BYTES {
            text = element.text();
            self.text_bytes += text.len();
        }
        self.value(element, None, text)
    }

    /// The address that an attribute holds, resolved.
    pub(super) fn address(&mut self, element: Element<'h>, attribute: &'static str) -> ValueTree {
        let written = element.attribute(attribute).unwrap_or_default().trim();
        let resolved = if written.is_empty() { None } else { self.resolve(written) };
        let text = resolved.map_or_else(|| written.to_owned(), Into::into);
        self.value(element, Some(attribute), text)
    }

    /// The value of an attribute as it is.
    pub(super) fn plain(&mut self, element: Element<'h>, attribute: &'static str) -> ValueTree {
        let text = element.attribute(attribute).unwrap_or_default().to_owned();
        self.value(element, Some(attribute), text)
    }

    /// Adds a value under each of its names, as far as there is room for copies.
    pub(super) fn add(&mut self, object: &mut Object, names: &[&str], value: ValueTree) {
        let Some((first, others)) = names.split_first() else { return };
        for name in others {
            self.copied_bytes += value.weight();
            if self.copied_bytes > MOST_COPIED_BYTES {
                break;
            }
            object.add(name, value.clone());
        }
        object.add(first, value);
    }

    /// Starts an object that an element stands for.
    pub(super) fn object(&mut self, element: Element<'h>) -> Object {
        let span = element.start_tag().unwrap_or_default();
        self.origins.push(ValueOrigin { at: span.start, node: element.id(), attribute: None });
        Object { span, members: Vec::new(), by_name: BTreeMap::new() }
    }
}

/// An object in the making: the values of one name come together.
pub(super) struct Object {
    span: Range<usize>,
    members: Vec<(String, Vec<ValueTree>)>,
    by_name: BTreeMap<String, usize>,
}

impl Object {
    /// Adds a value.
    fn add(&mut self, name: &str, value: ValueTree) {
        let at = *self.by_name.entry(name.to_owned()).or_insert_with(|| {
            self.members.push((name.to_owned(), Vec::new()));
            self.members.len() - 1
        });
        if let Some((_, values)) = self.members.get_mut(at) {
            values.push(value);
        }
    }

    /// Adds a text that the element of the object states.
    pub(super) fn state(&mut self, name: &str, text: &str) {
        self.add(name, ValueTree { span: self.span.clone(), kind: TreeKind::Text(text.to_owned()) });
    }

    /// The object.
    pub(super) fn finish(self) -> ValueTree {
        let span = self.span;
        let member = |(name, mut values): (String, Vec<ValueTree>)| {
            let value = match values.pop() {
                Some(only) if values.is_empty() => only,
                last => {
                    values.extend(last);
                    ValueTree { span: span.clone(), kind: TreeKind::Array(values) }
                }
            };
            Member { at: value.span.start, name, value }
        };
        let members = self.members.into_iter().map(member).collect();
        ValueTree { kind: TreeKind::Object(members), span }
    }
}
