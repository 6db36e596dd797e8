//! html5ever's tree of a source, as text. `cargo xtask html-differential` includes this file too.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName, ns};

use super::dump::{Lines, with_mode};

/// The tree in the form of [`dump_with_mode`](super::dump::dump_with_mode).
pub(crate) fn tree(source: &str, scripting: bool) -> String {
    let tree_builder = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
    let mut options = ParseOpts { tree_builder, ..ParseOpts::default() };
    options.tokenizer.discard_bom = false;
    html5ever::parse_document(Sink::default(), options).one(StrTendril::from_slice(source))
}

type Handle = Rc<Node>;

/// A node. What has one owner only, its parent, is what the parser makes of a document.
#[derive(Debug, Default)]
struct Node {
    says: RefCell<Says>,
    parent: RefCell<Option<std::rc::Weak<Node>>>,
    children: RefCell<Vec<Handle>>,
}

#[derive(Debug, Default)]
enum Says {
    #[default]
    Document,
    Doctype([String; 3]),
    Text(String),
    Comment(String),
    Instruction(String, String),
    Element(Element),
}

#[derive(Debug)]
struct Element {
    name: QualName,
    attributes: Vec<Attribute>,
    contents: Option<Handle>,
    shadow_root: Option<Handle>,
}

#[derive(Debug, Default)]
struct Sink {
    document: Handle,
    quirks: Cell<bool>,
}

fn node(says: Says) -> Handle {
    Rc::new(Node { says: RefCell::new(says), ..Node::default() })
}

impl Node {
    fn with_element<T>(&self, change: impl FnOnce(&mut Element) -> T) -> Option<T> {
        match &mut *self.says.borrow_mut() {
            Says::Element(element) => Some(change(element)),
            _ => None,
        }
    }

    fn parent(&self) -> Option<Handle> {
        self.parent.borrow().as_ref()?.upgrade()
    }

    /// Adds text at the end of a text node; whether it is one.
    fn add_text(&self, more: &str) -> bool {
        match &mut *self.says.borrow_mut() {
            Says::Text(text) => text.push_str(more),
            _ => return false,
        }
        true
    }
}

fn place_of(child: &Handle, parent: &Node) -> Option<usize> {
    parent.children.borrow().iter().position(|other| Rc::ptr_eq(other, child))
}

fn detach(child: &Handle) {
    let Some(parent) = child.parent.take().and_then(|parent| parent.upgrade()) else { return };
    if let Some(at) = place_of(child, &parent) {
        parent.children.borrow_mut().remove(at);
    }
}

/// Inserts before the child at `at`.
fn insert(parent: &Handle, at: usize, child: NodeOrText<Handle>) {
    let child = match child {
        NodeOrText::AppendText(text) => {
            let before = at.checked_sub(1).and_then(|before| parent.children.borrow().get(before).cloned());
            if before.is_some_and(|before| before.add_text(&text)) {
                return;
            }
            node(Says::Text(text.to_string()))
        }
        NodeOrText::AppendNode(child) => child,
    };
    *child.parent.borrow_mut() = Some(Rc::downgrade(parent));
    parent.children.borrow_mut().insert(at, child);
}

/// An element's name, owned: the node can't stay borrowed.
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

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = String;
    type ElemName<'a> = Name;

    fn finish(self) -> String {
        with_mode(self.quirks.get(), &dump(&self.document))
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Rc::clone(&self.document)
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> Name {
        let name = target.with_element(|element| element.name.clone());
        Name(name.unwrap_or_else(|| QualName::new(None, ns!(), LocalName::default())))
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let contents = flags.template.then(Handle::default);
        node(Says::Element(Element { name, attributes, contents, shadow_root: None }))
    }

    fn create_comment(&self, text: StrTendril) -> Handle {
        node(Says::Comment(text.to_string()))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Handle {
        node(Says::Instruction(target.to_string(), data.to_string()))
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(child) = &child {
            detach(child);
        }
        let end = parent.children.borrow().len();
        insert(parent, end, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        if element.parent().is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let parts = [name, public, system].map(|part| part.to_string());
        self.append(&self.document, NodeOrText::AppendNode(node(Says::Doctype(parts))));
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.with_element(|element| element.contents.clone()).flatten().unwrap_or_else(|| Rc::clone(target))
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        Rc::ptr_eq(one, other)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.quirks.set(mode == QuirksMode::Quirks);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(child) = &child {
            detach(child);
        }
        let Some(parent) = sibling.parent() else { return };
        if let Some(at) = place_of(sibling, &parent) {
            insert(&parent, at, child);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        target.with_element(|element| {
            for attribute in attributes {
                if element.attributes.iter().all(|known| known.name != attribute.name) {
                    element.attributes.push(attribute);
                }
            }
        });
    }

    fn remove_from_parent(&self, target: &Handle) {
        detach(target);
    }

    fn reparent_children(&self, from: &Handle, to: &Handle) {
        for child in from.children.take() {
            *child.parent.borrow_mut() = Some(Rc::downgrade(to));
            to.children.borrow_mut().push(child);
        }
    }

    fn attach_declarative_shadow(&self, host: &Handle, template: &Handle, _: &[Attribute]) -> bool {
        let contents = template.with_element(|element| element.contents.clone()).flatten();
        host.with_element(|element| {
            let is_free = element.shadow_root.is_none() && can_host(&element.name);
            if is_free {
                element.shadow_root = contents;
            }
            is_free
        })
        .unwrap_or_default()
    }

    fn is_mathml_annotation_xml_integration_point(&self, target: &Handle) -> bool {
        let is_html =
            |value: &str| ["text/html", "application/xhtml+xml"].iter().any(|kind| value.eq_ignore_ascii_case(kind));
        let has = |element: &mut Element| {
            element.attributes.iter().any(|attribute| &*attribute.name.local == "encoding" && is_html(&attribute.value))
        };
        target.with_element(has).unwrap_or_default()
    }
}

/// Elements that can have a shadow root (DOM §4.9). Of the names with a hyphen that are no custom elements, the fragments
/// have one only.
fn can_host(name: &QualName) -> bool {
    let known = [
        "article",
        "aside",
        "blockquote",
        "body",
        "div",
        "footer",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "main",
        "nav",
        "p",
        "section",
        "span",
    ];
    let is_custom = name.local.contains('-') && &*name.local != "annotation-xml";
    name.ns == ns!(html) && (is_custom || known.contains(&&*name.local))
}

fn dump(document: &Handle) -> String {
    let mut lines = Lines::default();
    // What is still to be written, the last first.
    let mut waiting: Vec<(Handle, usize, &str)> = Vec::new();
    push_children(document, 0, &mut waiting);
    while let Some((node, level, label)) = waiting.pop() {
        let mut fragments = Vec::new();
        match &*node.says.borrow() {
            Says::Document => lines.line(level, label),
            Says::Doctype(parts) => lines.doctype(parts.each_ref().map(String::as_str)),
            Says::Text(text) => lines.text(level, text),
            Says::Comment(text) => lines.comment(level, text),
            Says::Instruction(target, data) => lines.instruction(level, target, data),
            Says::Element(element) => {
                lines.element(level, prefix(&element.name.ns), &element.name.local);
                let attributes = element.attributes.iter().map(|attribute| {
                    let prefix = attribute.name.prefix.as_ref().map(ToString::to_string).unwrap_or_default();
                    (prefix, attribute.name.local.to_string(), attribute.value.to_string())
                });
                lines.attributes(level + 1, attributes.collect());
                let contents = element.contents.iter().map(|contents| (contents, "content"));
                let shadow_root = element.shadow_root.iter().map(|root| (root, "#shadow-root"));
                fragments.extend(contents.chain(shadow_root).map(|(root, label)| (Rc::clone(root), level + 1, label)));
            }
        }
        push_children(&node, level + 1, &mut waiting);
        waiting.extend(fragments);
    }
    lines.out
}

fn prefix(namespace: &Namespace) -> &'static str {
    match namespace {
        namespace if *namespace == ns!(svg) => "svg ",
        namespace if *namespace == ns!(mathml) => "math ",
        _ => "",
    }
}

fn push_children(node: &Node, level: usize, waiting: &mut Vec<(Handle, usize, &str)>) {
    waiting.extend(node.children.borrow().iter().rev().map(|child| (Rc::clone(child), level, "")));
}
