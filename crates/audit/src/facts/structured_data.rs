//! Structured data in any syntax: JSON-LD blocks, and the items of microdata and RDFa Lite as trees of the same kind.

use std::ops::Range;

use model::finding::Place;
use model::fix::FixTarget;

pub(crate) use super::item::{Item, Syntax};
use super::jsonld::Written;
use super::jsonld::tree::ValueTree;
use super::page::Html;

/// One of the sources of a page's nodes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NodeSource<'h> {
    /// A JSON-LD block.
    Block(&'h Written),
    /// An item of markup.
    Item(&'h Item),
}

impl<'h> NodeSource<'h> {
    /// What it holds.
    pub(crate) fn tree(self) -> &'h ValueTree {
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
            Self::Block(block) => block.place(&html.document, &html.json_ld_scripts, span),
            Self::Item(item) => Some(item.place(&html.document, span)),
        }
    }
}

impl Html {
    /// Every source of nodes: blocks first, then items.
    pub(crate) fn sources(&self) -> impl Iterator<Item = NodeSource<'_>> {
        self.json_ld.written.iter().map(NodeSource::Block).chain(self.items.iter().map(NodeSource::Item))
    }

    /// The source of a position among them.
    pub(crate) fn source(&self, at: usize) -> Option<NodeSource<'_>> {
        let blocks = &self.json_ld.written;
        match at.checked_sub(blocks.len()) {
            None => blocks.get(at).map(NodeSource::Block),
            Some(at) => self.items.get(at).map(NodeSource::Item),
        }
    }
}

#[cfg(test)]
pub(super) mod testing {
    use model::capture::{Body, Capture, Exchange, Fetched, Source, Timing};
    use model::time::Timestamp;

    use super::super::jsonld::tree::TreeKind;
    use super::ValueTree;
    use crate::facts::walk::Page;

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

    fn shown(tree: &ValueTree) -> String {
        match &tree.kind {
            TreeKind::Object(members) => {
                let members = members.iter().map(|member| format!("{}: {}", member.name, shown(&member.value)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            TreeKind::Array(values) => format!("[{}]", values.iter().map(shown).collect::<Vec<_>>().join(", ")),
            TreeKind::Text(text) | TreeKind::Number(text) => text.clone(),
            TreeKind::Bool(value) => value.to_string(),
            TreeKind::Null => "null".to_owned(),
        }
    }
}
