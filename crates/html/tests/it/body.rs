//! What most small cases are about.

use html::Tree;

use crate::dump::dump;

/// What is in the body of a tree, in the form of [`dump`] without the bars and the levels above.
pub(crate) fn in_body(tree: &Tree) -> String {
    let dump = dump(tree);
    let (_, body) = dump.split_once("|   <body>\n").unwrap_or_else(|| panic!("no body\n{dump}"));
    let lines = body.lines().map_while(|line| line.strip_prefix("|     "));
    lines.collect::<Vec<_>>().join("\n")
}
