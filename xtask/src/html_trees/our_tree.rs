//! The tree that our parser gives of a source, and the first line in which two trees differ.

use html::Options;

use super::dump;

/// Our tree of a source.
pub(super) fn ours(source: &str, scripting: bool) -> String {
    dump::dump_with_mode(&html::parse(source.to_owned(), &Options { scripting, ..Options::default() }))
}

/// The first lines that differ.
pub(super) fn first_difference(ours: &str, theirs: &str) -> (String, String) {
    let mut lines = (ours.lines(), theirs.lines());
    loop {
        match (lines.0.next(), lines.1.next()) {
            (Some(our), Some(their)) if our == their => {}
            (our, their) => {
                let shown = |line: Option<&str>| line.unwrap_or("nothing more").to_owned();
                return (shown(our), shown(their));
            }
        }
    }
}
