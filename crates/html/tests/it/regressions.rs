//! Trees that once were not Chromium's: each source, and what lies below its `html` element.

use html::Options;

use crate::dump::dump;

const CASES: [(&str, &str); 1] = [
    // What can't start a target makes a comment, though the source ends right there.
    ("<div><?1", "<head>\n<body>\n  <div>\n    <!-- ?1 -->"),
];

#[test]
fn what_chromium_showed_stays() {
    for (source, wanted) in CASES {
        let tree = dump(&html::parse(source.to_owned(), &Options::default()));
        let below: Vec<&str> = tree.lines().filter_map(|line| line.strip_prefix("|   ")).collect();
        assert_eq!(below.join("\n"), wanted, "{source}");
    }
}
