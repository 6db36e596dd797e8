//! Structured data in any syntax: JSON-LD blocks, and the items of microdata and RDFa Lite as trees of the same kind.

use std::collections::BTreeMap;
use std::ops::Range;

use model::finding::Place;
use model::fix::FixTarget;

use super::document::{Element, NodeId};
use super::jsonld::Written;
use super::jsonld::tree::{Kind, Member, Tree};
use super::page::Html;

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
#[derive(Debug)]
pub(crate) struct Item {
    /// How it is written.
    pub(crate) syntax: Syntax,
    /// Its values.
    pub(crate) tree: Tree,
    /// Where its values come from, in the order of the source.
    origins: Vec<Origin>,
}

/// Where a value of an item comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Origin {
    /// Where the start tag begins.
    at: usize,
    /// The element.
    pub(crate) node: NodeId,
    /// The attribute that holds the value; `None` where its text does.
    pub(crate) attribute: Option<&'static str>,
}

impl Item {
    /// The origin of a value.
    pub(crate) fn origin(&self, value: &Tree) -> Option<Origin> {
        let at = self.origins.partition_point(|origin| origin.at < value.span.start);
        self.origins.get(at).filter(|origin| origin.at == value.span.start).copied()
    }
}

/// One of the sources of a page's nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'h> {
    /// A JSON-LD block.
    Block(&'h Written),
    /// An item of markup.
    Item(&'h Item),
}

impl<'h> Source<'h> {
    /// What it holds.
    pub(crate) fn tree(self) -> &'h Tree {
        match self {
            Self::Block(block) => &block.tree,
            Self::Item(item) => &item.tree,
        }
    }

    /// The block, where it is one.
    pub(crate) fn block(self) -> Option<&'h Written> {
        match self {
            Self::Block(block) => Some(block),
            Self::Item(_) => None,
        }
    }

    /// Where a fix of it goes.
    pub(crate) fn target(self) -> FixTarget {
        match self {
            Self::Block(_) => FixTarget::Head,
            Self::Item(_) => FixTarget::Body,
        }
    }

    /// A part of it, as evidence.
    pub(crate) fn place(self, html: &Html, span: &Range<usize>) -> Option<Place> {
        match self {
            Self::Block(block) => block.place(html, span),
            Self::Item(item) => {
                let at = item.origins.partition_point(|origin| origin.at < span.start);
                let origin = item.origins.get(at).filter(|origin| origin.at == span.start);
                let element = origin.and_then(|origin| html.element(origin.node));
                Some(element.map_or_else(|| html.document.place_of(span.clone()), Element::place))
            }
        }
    }
}

impl Html {
    /// Every source of nodes: blocks first, then items.
    pub(crate) fn sources(&self) -> impl Iterator<Item = Source<'_>> {
        self.json_ld.written.iter().map(Source::Block).chain(self.items.iter().map(Source::Item))
    }

    /// The source of a position among them.
    pub(crate) fn source(&self, at: usize) -> Option<Source<'_>> {
        let blocks = &self.json_ld.written;
        match at.checked_sub(blocks.len()) {
            None => blocks.get(at).map(Source::Block),
            Some(at) => self.items.get(at).map(Source::Item),
        }
    }
}

/// Bytes of values that may stand under several names of one page: copies of copies would grow without end.
const MOST_COPIED_BYTES: usize = 1024 * 1024;

/// Reads items, within what one page may ask.
pub(super) struct Reader<'h> {
    pub(super) html: &'h Html,
    visits: usize,
    text_bytes: usize,
    copied_bytes: usize,
    origins: Vec<Origin>,
}

impl<'h> Reader<'h> {
    pub(super) fn new(html: &'h Html) -> Self {
        Self { html, visits: 0, text_bytes: 0, copied_bytes: 0, origins: Vec::new() }
    }

    /// Reads the roots one by one with `read`.
    pub(super) fn items(
        &mut self,
        syntax: Syntax,
        roots: impl Iterator<Item = Element<'h>>,
        mut read: impl FnMut(&mut Self, Element<'h>) -> Option<Tree>,
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
    pub(super) fn value(&mut self, element: Element<'h>, attribute: Option<&'static str>, text: String) -> Tree {
        let span = element.start_tag().unwrap_or_default();
        self.origins.push(Origin { at: span.start, node: element.id(), attribute });
        Tree { span, kind: Kind::Text(text) }
    }

    /// The text inside an element, as a value.
    pub(super) fn text(&mut self, element: Element<'h>) -> Tree {
        let mut text = String::new();
        if self.text_bytes < MOST_TEXT_BYTES {
            text = element.text();
            self.text_bytes += text.len();
        }
        self.value(element, None, text)
    }

    /// The address that an attribute holds, resolved.
    pub(super) fn address(&mut self, element: Element<'h>, attribute: &'static str) -> Tree {
        let written = element.attribute(attribute).unwrap_or_default().trim();
        let resolved = if written.is_empty() { None } else { self.html.resolve(written) };
        let text = resolved.map_or_else(|| written.to_owned(), Into::into);
        self.value(element, Some(attribute), text)
    }

    /// The value of an attribute as it is.
    pub(super) fn plain(&mut self, element: Element<'h>, attribute: &'static str) -> Tree {
        let text = element.attribute(attribute).unwrap_or_default().to_owned();
        self.value(element, Some(attribute), text)
    }

    /// Adds a value under each of its names, as far as there is room for copies.
    pub(super) fn add(&mut self, object: &mut Object, names: &[&str], value: Tree) {
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
        self.origins.push(Origin { at: span.start, node: element.id(), attribute: None });
        Object { span, members: Vec::new(), by_name: BTreeMap::new() }
    }
}

/// An object in the making: the values of one name come together.
pub(super) struct Object {
    span: Range<usize>,
    members: Vec<(String, Vec<Tree>)>,
    by_name: BTreeMap<String, usize>,
}

impl Object {
    /// Adds a value.
    fn add(&mut self, name: &str, value: Tree) {
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
        self.add(name, Tree { span: self.span.clone(), kind: Kind::Text(text.to_owned()) });
    }

    /// The object.
    pub(super) fn finish(self) -> Tree {
        let span = self.span;
        let member = |(name, mut values): (String, Vec<Tree>)| {
            let value = match values.pop() {
                Some(only) if values.is_empty() => only,
                last => {
                    values.extend(last);
                    Tree { span: span.clone(), kind: Kind::Array(values) }
                }
            };
            Member { at: value.span.start, name, value }
        };
        let members = self.members.into_iter().map(member).collect();
        Tree { kind: Kind::Object(members), span }
    }
}

#[cfg(test)]
pub(super) mod testing {
    use model::capture::{Body, Capture, Exchange, Fetched, Source, Timing};
    use model::time::Timestamp;

    use super::{Kind, Tree};
    use crate::facts::page::Page;

    /// The items of a page at `https://example.com/a/page`, as text.
    pub(crate) fn items(body: &str) -> Vec<String> {
        let url = "https://example.com/a/page".to_owned();
        let exchange = Exchange {
            hops: Vec::new(),
            url: url.clone(),
            status: 200,
            headers: vec![("content-type".to_owned(), "text/html; charset=utf-8".to_owned())],
            body: Body { bytes: body.into(), ..Body::default() },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        };
        let capture = Capture {
            requested_url: url,
            started_at: Timestamp(0),
            nonce: String::new(),
            source: Source::Supplied,
            page: Fetched::Response(exchange),
            extras: Vec::new(),
            field_data: None,
        };
        let html = Page::read(&capture).html.unwrap();
        html.items.iter().map(|item| shown(&item.tree)).collect()
    }

    fn shown(tree: &Tree) -> String {
        match &tree.kind {
            Kind::Object(members) => {
                let members = members.iter().map(|member| format!("{}: {}", member.name, shown(&member.value)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            Kind::Array(values) => format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", ")),
            Kind::Text(text) | Kind::Number(text) => text.clone(),
            Kind::Bool(value) => value.to_string(),
            Kind::Null => "null".to_owned(),
        }
    }
}
