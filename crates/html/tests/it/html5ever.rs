//! html5ever's tree beside ours on every real page.

use html::Options;

use crate::dump::dump_with_mode;
use crate::{html5ever_tree, shared};

#[test]
fn every_real_page_has_the_tree_that_html5ever_gives() {
    let pages = shared::corpus();
    let mut failed = Vec::new();
    for (name, source) in &pages {
        for scripting in [true, false] {
            let ours = dump_with_mode(&html::parse(source.clone(), &Options { scripting, ..Options::default() }));
            let theirs = html5ever_tree::tree(source, scripting);
            if ours != theirs {
                let alike = ours.lines().zip(theirs.lines()).take_while(|(ours, theirs)| ours == theirs).count();
                let (our, their) = (ours.lines().nth(alike), theirs.lines().nth(alike));
                failed.push(format!("{name}, scripting {scripting}, line {}: {our:?} {their:?}", alike + 1));
            }
        }
    }
    println!("{} pages, {} trees that differ", pages.len(), failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
