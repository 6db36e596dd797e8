//! The bare parse: html5ever with the least of a tree, as the measure of everything else.

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName, parse_document};

/// Parses and throws the tree away.
pub(crate) fn parse(source: &str) {
    let sink = BareSink { nodes: RefCell::new(vec![BareNode::default()]) };
    parse_document(sink, ParseOpts::default()).one(source);
}

#[derive(Default)]
struct BareNode {
    name: Option<QualName>,
    attributes: Vec<Attribute>,
    parent: Option<usize>,
    children: Vec<usize>,
    text: StrTendril,
    contents: Option<usize>,
}

struct BareSink {
    nodes: RefCell<Vec<BareNode>>,
}

#[derive(Debug)]
struct Name(QualName);

impl ElemName for Name {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

impl BareSink {
    fn add(&self, node: BareNode) -> usize {
        let mut nodes = self.nodes.borrow_mut();
        nodes.push(node);
        nodes.len() - 1
    }

    fn with<T: Default>(&self, id: usize, change: impl FnOnce(&mut BareNode) -> T) -> T {
        self.nodes.borrow_mut().get_mut(id).map(change).unwrap_or_default()
    }

    fn insert(&self, parent: usize, before: Option<usize>, child: NodeOrText<usize>) {
        let id = match child {
            NodeOrText::AppendNode(id) => {
                self.remove_from_parent(&id);
                id
            }
            NodeOrText::AppendText(text) => self.add(BareNode { text, ..BareNode::default() }),
        };
        self.with(id, |node| node.parent = Some(parent));
        self.with(parent, |node| {
            let at = before.and_then(|before| node.children.iter().position(|child| *child == before));
            node.children.insert(at.unwrap_or(node.children.len()), id);
        });
    }
}

impl TreeSink for BareSink {
    type Handle = usize;
    type Output = ();
    type ElemName<'a> = Name;

    fn finish(self) {}
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn get_document(&self) -> usize {
        0
    }
    fn elem_name<'a>(&'a self, target: &'a usize) -> Name {
        let empty = || QualName::new(None, Namespace::default(), LocalName::default());
        Name(self.with(*target, |node| node.name.clone()).unwrap_or_else(empty))
    }
    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> usize {
        let contents = flags.template.then(|| self.add(BareNode::default()));
        self.add(BareNode { name: Some(name), attributes, contents, ..BareNode::default() })
    }
    fn create_comment(&self, text: StrTendril) -> usize {
        self.add(BareNode { text, ..BareNode::default() })
    }
    fn create_pi(&self, _: StrTendril, text: StrTendril) -> usize {
        self.add(BareNode { text, ..BareNode::default() })
    }
    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        if let NodeOrText::AppendText(text) = &child {
            let last = self.with(*parent, |node| node.children.last().copied());
            let joined = last.is_some_and(|last| {
                self.with(last, |node| {
                    let is_text = node.name.is_none() && !node.text.is_empty();
                    if is_text {
                        node.text.push_tendril(text);
                    }
                    is_text
                })
            });
            if joined {
                return;
            }
        }
        self.insert(*parent, None, child);
    }
    fn append_based_on_parent_node(&self, element: &usize, previous: &usize, child: NodeOrText<usize>) {
        if self.with(*element, |node| node.parent).is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }
    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn get_template_contents(&self, target: &usize) -> usize {
        self.with(*target, |node| node.contents).unwrap_or(*target)
    }
    fn same_node(&self, x: &usize, y: &usize) -> bool {
        x == y
    }
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        if let Some(parent) = self.with(*sibling, |node| node.parent) {
            self.insert(parent, Some(*sibling), child);
        }
    }
    fn add_attrs_if_missing(&self, target: &usize, attributes: Vec<Attribute>) {
        self.with(*target, |node| {
            for attribute in attributes {
                if node.attributes.iter().all(|known| known.name != attribute.name) {
                    node.attributes.push(attribute);
                }
            }
        });
    }
    fn remove_from_parent(&self, target: &usize) {
        if let Some(parent) = self.with(*target, |node| node.parent.take()) {
            self.with(parent, |node| node.children.retain(|child| child != target));
        }
    }
    fn reparent_children(&self, node: &usize, new_parent: &usize) {
        let children = self.with(*node, |node| std::mem::take(&mut node.children));
        for child in &children {
            self.with(*child, |node| node.parent = Some(*new_parent));
        }
        self.with(*new_parent, |node| node.children.extend(children));
    }
}
