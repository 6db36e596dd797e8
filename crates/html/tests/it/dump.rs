//! A tree as the tree-construction tests write it.

use std::collections::HashMap;
use std::ops::Range;

use html::{Kind, Namespace, NodeId, Tree};

/// Every line starts with `| ` and two spaces for each level.
pub(crate) fn dump(tree: &Tree) -> String {
    let mut out = String::new();
    let shadow_roots: HashMap<NodeId, NodeId> = tree.shadow_roots().collect();
    // Children still to be written, with their level; no recursion, since trees may be deep.
    let mut waiting: Vec<(NodeId, usize)> = Vec::new();
    let children_of = |id: NodeId, level: usize, waiting: &mut Vec<(NodeId, usize)>| {
        let at = waiting.len();
        waiting.extend(tree.children(id).map(|child| (child, level)));
        waiting.get_mut(at..).unwrap().reverse();
    };
    children_of(NodeId::DOCUMENT, 0, &mut waiting);
    while let Some((id, level)) = waiting.pop() {
        let indent = "  ".repeat(level);
        let line = match tree.kind(id) {
            Kind::Element => format!("<{}{}>", prefix(tree.namespace(id)), tree.name(id)),
            Kind::Text => format!("\"{}\"", tree.texts(id).collect::<String>()),
            Kind::Comment => format!("<!-- {} -->", tree.data(id)),
            Kind::Instruction => format!("<?{} {}?>", tree.target(id), tree.data(id)),
            Kind::Doctype => doctype(tree, id),
            Kind::Fragment if tree.parent(id).is_some_and(|template| tree.is_shadow_root(template)) => {
                "#shadow-root".to_owned()
            }
            Kind::Fragment => "content".to_owned(),
            Kind::Document => unreachable!("the document is below nothing"),
        };
        out.push_str(&format!("| {indent}{line}\n"));
        let mut attributes: Vec<String> = tree
            .attributes(id)
            .map(|attribute| {
                let name = attribute.name();
                let prefix = name.prefix.map(|prefix| format!("{prefix} ")).unwrap_or_default();
                format!("{prefix}{}=\"{}\"", name.local, attribute.value())
            })
            .collect();
        attributes.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
        for attribute in attributes {
            out.push_str(&format!("| {indent}  {attribute}\n"));
        }
        children_of(id, level + 1, &mut waiting);
        waiting.extend(tree.contents(id).or(shadow_roots.get(&id).copied()).map(|root| (root, level + 1)));
    }
    out
}

/// Every place in a tree, in document order.
pub(crate) fn spans(tree: &Tree) -> Vec<(Option<Range<usize>>, Option<Range<usize>>, Vec<Range<usize>>)> {
    let of = |id: NodeId| {
        let parts = tree.text_spans(id).chain(tree.attributes(id).map(|attribute| attribute.span()));
        (tree.start_tag(id).or_else(|| tree.span(id)), tree.end_tag(id), parts.collect())
    };
    tree.descendants(NodeId::DOCUMENT).map(of).collect()
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

fn doctype(tree: &Tree, id: NodeId) -> String {
    match tree.doctype(id).unwrap() {
        [name, "", ""] => format!("<!DOCTYPE {name}>"),
        [name, public, system] => format!("<!DOCTYPE {name} \"{public}\" \"{system}\">"),
    }
}
