//! A tree as the tree-construction tests write it.

use std::collections::HashMap;

use html::{Kind, Namespace, NodeId, Tree};

/// Every line starts with `| ` and two spaces for each level.
pub(crate) fn dump(tree: &Tree) -> String {
    let mut lines = Lines::default();
    let shadow_roots: HashMap<NodeId, NodeId> = tree.shadow_roots().collect();
    // Nodes still to be written, with their level; no recursion, since trees may be deep.
    let mut waiting: Vec<(NodeId, usize)> = Vec::new();
    let children_of = |id: NodeId, level: usize, waiting: &mut Vec<(NodeId, usize)>| {
        let at = waiting.len();
        waiting.extend(tree.children(id).map(|child| (child, level)));
        waiting[at..].reverse();
    };
    children_of(NodeId::DOCUMENT, 0, &mut waiting);
    while let Some((id, level)) = waiting.pop() {
        match tree.kind(id) {
            Kind::Element => lines.add(level, &format!("<{}{}>", prefix(tree.namespace(id)), tree.name(id))),
            Kind::Text => lines.add(level, &format!("\"{}\"", tree.texts(id).collect::<String>())),
            Kind::Comment => lines.add(level, &format!("<!-- {} -->", tree.data(id))),
            Kind::Instruction => lines.add(level, &format!("<?{} {}?>", tree.target(id), tree.data(id))),
            Kind::Doctype => lines.doctype(tree.doctype(id).unwrap()),
            Kind::Fragment if tree.parent(id).is_some_and(|template| tree.is_shadow_root(template)) => {
                lines.add(level, "#shadow-root");
            }
            Kind::Fragment => lines.add(level, "content"),
            Kind::Document => unreachable!("the document is below nothing"),
        }
        let attributes = tree.attributes(id).map(|attribute| {
            let name = attribute.name();
            (name.prefix, name.local, attribute.value())
        });
        lines.attributes(level + 1, attributes);
        children_of(id, level + 1, &mut waiting);
        let root = tree.contents(id).or(shadow_roots.get(&id).copied());
        waiting.extend(root.map(|root| (root, level + 1)));
    }
    lines.out
}

/// The lines of a tree.
#[derive(Default)]
pub(crate) struct Lines {
    pub(crate) out: String,
}

impl Lines {
    pub(crate) fn add(&mut self, level: usize, text: &str) {
        self.out.extend(["| ", &"  ".repeat(level), text, "\n"]);
    }

    /// Prefixes, local names and values, in the order that JavaScript sorts them in.
    pub(crate) fn attributes<'t>(
        &mut self,
        level: usize,
        attributes: impl Iterator<Item = (Option<&'t str>, &'t str, &'t str)>,
    ) {
        let written = |(prefix, local, value): (Option<&str>, &str, &str)| {
            let prefix = prefix.map(|prefix| format!("{prefix} ")).unwrap_or_default();
            format!("{prefix}{local}=\"{value}\"")
        };
        let mut written: Vec<String> = attributes.map(written).collect();
        written.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
        written.iter().for_each(|attribute| self.add(level, attribute));
    }

    pub(crate) fn doctype(&mut self, parts: [&str; 3]) {
        match parts {
            [name, "", ""] => self.add(0, &format!("<!DOCTYPE {name}>")),
            [name, public, system] => self.add(0, &format!("<!DOCTYPE {name} \"{public}\" \"{system}\">")),
        }
    }
}

/// What is in the body of a tree, in the same form without the bars and the levels above.
pub(crate) fn in_body(tree: &Tree) -> String {
    let dump = dump(tree);
    let (_, body) = dump.split_once("|   <body>\n").unwrap_or_else(|| panic!("no body\n{dump}"));
    let lines = body.lines().map_while(|line| line.strip_prefix("|     "));
    lines.collect::<Vec<_>>().join("\n")
}

fn prefix(namespace: Namespace) -> &'static str {
    match namespace {
        Namespace::Html => "",
        Namespace::Svg => "svg ",
        Namespace::MathMl => "math ",
    }
}
