//! A tree as text, in the form of the tree-construction tests of html5lib. `cargo xtask html-referee` includes this file too.
//!
//! Every line starts with `| ` and two spaces for each level. More is told than those tests tell: a shadow root stands
//! before the children of its host.

use std::collections::HashMap;

use html::{Kind, Namespace, NodeId, Quirks, Tree};

/// The tree behind a line that tells the rendering mode.
pub(crate) fn dump_with_mode(tree: &Tree) -> String {
    with_mode(tree.quirks() == Quirks::Full, &dump(tree))
}

/// The lines of a tree behind one that tells whether it is rendered in quirks mode.
pub(crate) fn with_mode(quirks: bool, lines: &str) -> String {
    format!("{}\n{lines}", if quirks { "quirks" } else { "no quirks" })
}

/// Writes a whole tree.
pub(crate) fn dump(tree: &Tree) -> String {
    let shadow_roots: HashMap<NodeId, NodeId> = tree.shadow_roots().collect();
    let mut lines = Lines::default();
    // What is still to be written, the last first; no recursion, since trees may be deep.
    let mut waiting: Vec<(NodeId, usize, &str)> = Vec::new();
    push_children(tree, NodeId::DOCUMENT, 0, &mut waiting);
    while let Some((id, level, label)) = waiting.pop() {
        match tree.kind(id) {
            Kind::Element => {
                let namespace = match tree.namespace(id) {
                    Namespace::Html => "",
                    Namespace::Svg => "svg ",
                    Namespace::MathMl => "math ",
                };
                lines.element(level, namespace, tree.name(id));
                let attributes = tree.attributes(id).map(|attribute| {
                    let name = attribute.name();
                    (name.prefix.unwrap_or_default().to_owned(), name.local.to_owned(), attribute.value().to_owned())
                });
                lines.attributes(level + 1, attributes.collect());
            }
            Kind::Text => lines.text(level, &tree.texts(id).collect::<String>()),
            Kind::Comment => lines.comment(level, tree.data(id)),
            Kind::Instruction => lines.instruction(level, tree.target(id), tree.data(id)),
            Kind::Doctype => lines.doctype(tree.doctype(id).unwrap_or_default()),
            Kind::Fragment => lines.line(level, label),
            Kind::Document => {}
        }
        push_children(tree, id, level + 1, &mut waiting);
        let contents = tree.contents(id).map(|contents| (contents, level + 1, "content"));
        let shadow_root = shadow_roots.get(&id).map(|root| (*root, level + 1, "#shadow-root"));
        waiting.extend(contents.into_iter().chain(shadow_root));
    }
    lines.out
}

fn push_children(tree: &Tree, id: NodeId, level: usize, waiting: &mut Vec<(NodeId, usize, &str)>) {
    let at = waiting.len();
    waiting.extend(tree.children(id).map(|child| (child, level, "")));
    if let Some(children) = waiting.get_mut(at..) {
        children.reverse();
    }
}

/// Writes the lines of a tree.
#[derive(Debug, Default)]
pub(crate) struct Lines {
    pub(crate) out: String,
}

impl Lines {
    pub(crate) fn line(&mut self, level: usize, text: &str) {
        self.out.push_str("| ");
        self.out.push_str(&"  ".repeat(level));
        self.out.push_str(text);
        self.out.push('\n');
    }

    pub(crate) fn element(&mut self, level: usize, namespace: &str, name: &str) {
        self.line(level, &format!("<{namespace}{name}>"));
    }

    /// Attributes as prefix, local name and value, sorted as JavaScript sorts.
    pub(crate) fn attributes(&mut self, level: usize, attributes: Vec<(String, String, String)>) {
        let written = |(prefix, local, value): (String, String, String)| match prefix.as_str() {
            "" => format!("{local}=\"{value}\""),
            _ => format!("{prefix} {local}=\"{value}\""),
        };
        let mut attributes: Vec<String> = attributes.into_iter().map(written).collect();
        attributes.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
        attributes.iter().for_each(|attribute| self.line(level, attribute));
    }

    pub(crate) fn text(&mut self, level: usize, text: &str) {
        self.line(level, &format!("\"{text}\""));
    }

    pub(crate) fn comment(&mut self, level: usize, data: &str) {
        self.line(level, &format!("<!-- {data} -->"));
    }

    pub(crate) fn instruction(&mut self, level: usize, target: &str, data: &str) {
        self.line(level, &format!("<?{target} {data}?>"));
    }

    /// Name, public and system identifier.
    pub(crate) fn doctype(&mut self, parts: [&str; 3]) {
        match parts {
            [name, "", ""] => self.line(0, &format!("<!DOCTYPE {name}>")),
            [name, public, system] => self.line(0, &format!("<!DOCTYPE {name} \"{public}\" \"{system}\">")),
        }
    }
}
