//! What holds of every tree: of sources joined at random, and of real pages.

use html::{Limits, Options, Tree};
use proptest::prelude::*;

use crate::fragments::sources;
use crate::{places, shared};

/// Places of a page whose line and column are compared with a count.
const POSITIONS: usize = 500;

fn parsed(source: &str, options: &Options) -> Tree {
    html::parse(source.to_owned(), options)
}

/// Holds a tree to all its rules.
fn hold(source: &str, options: &Options) {
    let tree = parsed(source, options);
    assert_eq!(tree.source(), source);
    places::check(&tree, options);
    // Positions are those of the source, whatever the tree.
    if options.scripting {
        places::positions(&tree, (source.len() / POSITIONS).max(1));
    }
    places::same(&parsed(source, options), &tree);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

    #[test]
    fn places_hold_in_any_source(source in sources(24), scripting: bool) {
        hold(&source, &Options { scripting, ..Options::default() });
    }

    #[test]
    fn places_hold_within_narrow_limits(source in sources(40), depth in 3u32..8, attributes in 1u16..3, work in 0u64..20) {
        let limits = Limits { depth, attributes, work, work_per_byte: 0, nodes: 20_000 };
        hold(&source, &Options { scripting: true, limits });
    }
}

#[test]
fn places_hold_in_every_real_page() {
    for (name, source) in shared::corpus() {
        println!("{name}");
        for scripting in [true, false] {
            hold(&source, &Options { scripting, ..Options::default() });
        }
    }
}
