//! Bytes as the source of a tree: every place, every decoded text, the same tree every time, and how much it holds.

use html::{Limits, NodeId, Options, Tree};

// The rules of places are those of the crate's own tests.
#[path = "../../../crates/html/tests/it/places.rs"]
mod places;

/// Bytes of memory a tree may take for one of its source.
const PER_BYTE: usize = 128;
/// Bytes of memory for what any tree has: the document, `html`, `head`, `body`, room for a doctype.
const ANY_TREE: usize = 1024;
/// Bytes of a node and of an attribute, as they lie in a tree.
const NODE: usize = 48;
const ATTRIBUTE: usize = 20;
/// Bytes of what is kept of a text or a value that does not stand for itself, its text aside.
const ENCODED: usize = 40;

/// The tree keeps its own rules, however narrow its limits are.
pub fn check(data: &[u8]) {
    let source = String::from_utf8_lossy(data);
    // Without the steps that any source may take, memory is in proportion to the source.
    let in_proportion = Limits { work: 0, ..Limits::default() };
    let narrow = Limits { depth: 5, attributes: 2, ..in_proportion };
    for limits in [Limits::default(), in_proportion, narrow] {
        for scripting in [true, false] {
            let options = Options { scripting, limits };
            let tree = html::parse(source.to_string(), &options);
            assert_eq!(tree.source(), source);
            places::check(&tree, &options);
            places::same(&html::parse(source.to_string(), &options), &tree);
            if limits.work == 0 {
                let bytes = memory(&tree);
                assert!(bytes <= PER_BYTE * source.len() + ANY_TREE, "{bytes} bytes for {}", source.len());
            }
            places::positions(&tree, 1);
        }
    }
}

/// Bytes that a tree holds, as far as it can be told from outside.
fn memory(tree: &Tree) -> usize {
    let encoded = |text: &str, span: std::ops::Range<usize>| {
        if tree.source().get(span) == Some(text) { 0 } else { ENCODED + text.len() }
    };
    let of = |id: NodeId| {
        // Copies share what they say.
        if tree.origin(id) == html::Origin::Clone {
            return 0;
        }
        let texts: usize = tree.texts(id).zip(tree.text_spans(id)).map(|(text, span)| encoded(text, span)).sum();
        let attributes = tree.attributes(id).map(|attribute| {
            let value = attribute.value_span().map_or(0, |span| encoded(attribute.value(), span));
            ATTRIBUTE + value + encoded(attribute.lower_name(), attribute.name_span())
        });
        texts + attributes.sum::<usize>()
    };
    NODE * tree.len() + tree.descendants(NodeId::DOCUMENT).map(of).sum::<usize>()
}
