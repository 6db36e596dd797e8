//! html5ever's tree of a source, in the form of [`dump`](crate::dump::dump); and ours beside it on every real page.

use std::borrow::Cow;
use std::cell::RefCell;

use html::Options;
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, LocalName, Namespace, ParseOpts, QualName, ns};

use crate::dump::{Lines, dump};
use crate::shared;

/// A node's place in the arena.
type Id = usize;

enum Says {
    Nothing,
    Doctype([StrTendril; 3]),
    Element(QualName, Vec<Attribute>),
    Text(String),
    Comment(StrTendril),
    Instruction(StrTendril, StrTendril),
}

struct Node {
    says: Says,
    parent: Option<Id>,
    children: Vec<Id>,
    /// Of a template, what it holds.
    contents: Option<Id>,
    /// What the template of a shadow root holds.
    shadow_root: Option<Id>,
}

/// The arena; the document is first.
struct Arena(RefCell<Vec<Node>>);

impl Arena {
    fn add(&self, says: Says) -> Id {
        let mut all = self.0.borrow_mut();
        all.push(Node { says, parent: None, children: Vec::new(), contents: None, shadow_root: None });
        all.len() - 1
    }

    fn place(&self, id: Id) -> Option<(Id, usize)> {
        let all = self.0.borrow();
        let parent = all[id].parent?;
        Some((parent, all[parent].children.iter().position(|child| *child == id)?))
    }

    /// Puts what is nowhere, or is moved, before the child at a place.
    fn insert(&self, parent: Id, mut at: usize, child: NodeOrText<Id>) {
        let id = match child {
            NodeOrText::AppendText(text) => {
                let mut all = self.0.borrow_mut();
                let before = at.checked_sub(1).map(|before| all[parent].children[before]);
                if let Some(Says::Text(before)) = before.map(|before| &mut all[before].says) {
                    before.push_str(&text);
                    return;
                }
                drop(all);
                self.add(Says::Text(text.to_string()))
            }
            NodeOrText::AppendNode(id) => {
                if let Some((old, from)) = self.place(id) {
                    at -= usize::from(old == parent && from < at);
                    self.detach(id);
                }
                id
            }
        };
        let mut all = self.0.borrow_mut();
        all[id].parent = Some(parent);
        all[parent].children.insert(at, id);
    }

    fn detach(&self, id: Id) {
        if let Some((parent, at)) = self.place(id) {
            let mut all = self.0.borrow_mut();
            all[parent].children.remove(at);
            all[id].parent = None;
        }
    }
}

/// The name of an element, apart from the arena.
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

impl TreeSink for Arena {
    type Handle = Id;
    type Output = String;
    type ElemName<'a> = Name;

    fn finish(self) -> String {
        dump_arena(&self.0.into_inner())
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        0
    }

    fn elem_name<'a>(&'a self, id: &'a Id) -> Name {
        match &self.0.borrow()[*id].says {
            Says::Element(name, _) => Name(name.clone()),
            _ => panic!("only elements have a name"),
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Id {
        let contents = flags.template.then(|| self.add(Says::Nothing));
        let id = self.add(Says::Element(name, attributes));
        self.0.borrow_mut()[id].contents = contents;
        id
    }

    fn create_comment(&self, text: StrTendril) -> Id {
        self.add(Says::Comment(text))
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> Id {
        self.add(Says::Instruction(target, data))
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        let end = self.0.borrow()[*parent].children.len();
        self.insert(*parent, end, child);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        match self.place(*element) {
            Some((parent, at)) => self.insert(parent, at, child),
            None => self.append(previous, child),
        }
    }

    fn append_doctype_to_document(&self, name: StrTendril, public: StrTendril, system: StrTendril) {
        let id = self.add(Says::Doctype([name, public, system]));
        self.append(&0, NodeOrText::AppendNode(id));
    }

    fn get_template_contents(&self, id: &Id) -> Id {
        self.0.borrow()[*id].contents.unwrap()
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        let (parent, at) = self.place(*sibling).unwrap();
        self.insert(parent, at, child);
    }

    fn add_attrs_if_missing(&self, id: &Id, more: Vec<Attribute>) {
        if let Says::Element(_, attributes) = &mut self.0.borrow_mut()[*id].says {
            let is_new = |new: &Attribute| attributes.iter().all(|old| old.name != new.name);
            let new: Vec<Attribute> = more.into_iter().filter(is_new).collect();
            attributes.extend(new);
        }
    }

    fn remove_from_parent(&self, id: &Id) {
        self.detach(*id);
    }

    /// Every host of the corpus may have one.
    fn attach_declarative_shadow(&self, host: &Id, template: &Id, _: &[Attribute]) -> bool {
        let all = &mut self.0.borrow_mut();
        let is_free = all[*host].shadow_root.is_none();
        if is_free {
            all[*host].shadow_root = all[*template].contents;
        }
        is_free
    }

    fn reparent_children(&self, from: &Id, to: &Id) {
        let mut all = self.0.borrow_mut();
        let children = std::mem::take(&mut all[*from].children);
        children.iter().for_each(|child| all[*child].parent = Some(*to));
        all[*to].children.extend(children);
    }
}

fn dump_arena(all: &[Node]) -> String {
    let mut lines = Lines::default();
    // With the line to write for what is a root.
    let mut waiting: Vec<(Id, usize, &str)> = all[0].children.iter().rev().map(|child| (*child, 0, "")).collect();
    while let Some((id, level, root)) = waiting.pop() {
        let node = &all[id];
        match &node.says {
            Says::Nothing => lines.add(level, root),
            Says::Doctype(parts) => lines.doctype(parts.each_ref().map(|part| &**part)),
            Says::Text(text) => lines.add(level, &format!("\"{text}\"")),
            Says::Comment(text) => lines.add(level, &format!("<!-- {text} -->")),
            Says::Instruction(target, data) => lines.add(level, &format!("<?{target} {data}?>")),
            Says::Element(name, attributes) => {
                let prefix = match () {
                    () if name.ns == ns!(svg) => "svg ",
                    () if name.ns == ns!(mathml) => "math ",
                    () => "",
                };
                lines.add(level, &format!("<{prefix}{}>", name.local));
                let written = attributes.iter().map(|attribute| {
                    let prefix = attribute.name.prefix.as_deref().filter(|prefix| !prefix.is_empty());
                    (prefix, &*attribute.name.local, &*attribute.value)
                });
                lines.attributes(level + 1, written);
            }
        }
        waiting.extend(node.children.iter().rev().map(|child| (*child, level + 1, "")));
        waiting.extend(node.contents.map(|contents| (contents, level + 1, "content")));
        waiting.extend(node.shadow_root.map(|root| (root, level + 1, "#shadow-root")));
    }
    lines.out
}

fn html5ever_dump(source: &str, scripting: bool) -> String {
    let tree_builder = TreeBuilderOpts { scripting_enabled: scripting, ..TreeBuilderOpts::default() };
    let mut options = ParseOpts { tree_builder, ..ParseOpts::default() };
    options.tokenizer.discard_bom = false;
    let arena = Arena(RefCell::default());
    arena.add(Says::Nothing);
    html5ever::parse_document(arena, options).one(StrTendril::from_slice(source))
}

#[test]
fn every_real_page_has_the_tree_that_html5ever_gives() {
    let pages = shared::corpus();
    let mut failed = Vec::new();
    for (name, source) in &pages {
        for scripting in [true, false] {
            let ours = dump(&html::parse(source.clone(), &Options { scripting, ..Options::default() }));
            let theirs = html5ever_dump(source, scripting);
            let first = ours.lines().zip(theirs.lines()).position(|(ours, theirs)| ours != theirs);
            if ours != theirs {
                let around = first.unwrap_or_default();
                let line = |dump: &str| dump.lines().nth(around).map(str::to_owned);
                failed.push(format!(
                    "{name}, scripting {scripting}, line {around}: {:?} {:?}",
                    line(&ours),
                    line(&theirs)
                ));
            }
        }
    }
    println!("{} pages, {} trees that differ", pages.len(), failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
