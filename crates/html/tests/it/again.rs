//! A changed source parsed again gives the tree of that source.

use std::ops::Range;

use html::{Kept, Kind, NodeId, Options, Tree};
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::fragments::sources;
use crate::{places, shared};

/// Parses again after changes, and holds the tree to that of the whole source.
fn again(source: &str, changes: &[(Range<usize>, &str)]) -> (Tree, Option<Kept>) {
    let mut changed = source.to_owned();
    for (span, text) in changes.iter().rev() {
        changed.replace_range(span.clone(), text);
    }
    let options = Options::default();
    let before = html::parse(source.to_owned(), &options);
    let (tree, kept) = html::parse_again(&before, changed.clone(), changes, &options);
    let whole = html::parse(changed, &options);
    assert_eq!(tree.source(), whole.source());
    places::same_nodes(&tree, &whole);
    places::check(&tree, &options);
    if let Some(kept) = &kept {
        let numbers = |tree: &Tree| (0..tree.len()).collect::<Vec<usize>>();
        let by_node = kept.by_node(Vec::new(), &numbers(&before));
        assert_eq!(by_node.len(), tree.len());
        for id in before.descendants(NodeId::DOCUMENT) {
            let Some(now) = kept.now(id) else { continue };
            assert!(kept.holds(now));
            assert_eq!(by_node[now.index()], id.index());
            assert_eq!((tree.kind(now), tree.name(now)), (before.kind(id), before.name(id)));
        }
    }
    (tree, kept)
}

/// Another start tag with the name of one, and other attributes.
fn rewritten(tag: &str, attributes: &str) -> String {
    let name = tag.split(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>')).next().unwrap();
    format!("{name} {attributes}>")
}

const ATTRIBUTES: [&str; 8] =
    ["", "a=1", "src=x alt='&amp;'", "type=hidden", "class=\"A &amp; b\"", "TITLE=\"\r\n\"", "a=1 a=2", "=> <b"];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(20_000) })]

    #[test]
    fn another_head_gives_the_same_rest(
        doctype in select(&["", "<!doctype html>"][..]), old in sources(5), new in sources(5), rest in sources(24),
    ) {
        let source = format!("{doctype}{old}<body a=1>{rest}");
        again(&source, &[(doctype.len()..doctype.len() + old.len(), &new)]);
    }

    #[test]
    fn other_attributes_give_the_same_tree(source in sources(24), at: Index, new in select(&ATTRIBUTES[..])) {
        let source = format!("<head></head><body>{source}");
        let tree = html::parse(source.clone(), &Options::default());
        let tags: Vec<Range<usize>> =
            tree.descendants(NodeId::DOCUMENT).filter_map(|id| tree.start_tag(id)).collect();
        let tag = tags[at.index(tags.len())].clone();
        let new = rewritten(&source[tag.clone()], new);
        again(&source, &[(tag, &new)]);
    }

    #[test]
    fn any_change_gives_the_tree_of_the_changed_source(before in sources(8), old in sources(3), new in sources(3), after in sources(8)) {
        let source = format!("<head>{before}{old}{after}");
        let start = "<head>".len() + before.len();
        again(&source, &[(start..start + old.len(), &new)]);
    }
}

const PAGE: &str = "<!doctype html>\n<html lang=en><head>\n<title>T</title></head>\n<body class=a>\
    <p>a &amp; b<img src=a.png><b>c<p>d</b></p><x-y Z=1>e</x-y><table>f<tr><td><img src=b.png></table></body></html><!-- g -->";

/// Where a text stands in the page, once.
fn span(text: &str) -> Range<usize> {
    let start = PAGE.find(text).unwrap();
    start..start + text.len()
}

#[test]
fn what_no_change_touches_is_taken_over() {
    let title = span("<title>T</title>");
    let (first, second) = (span("<img src=a.png>"), span("<img src=b.png>"));
    let check = |changes: &[(Range<usize>, &str)], is_front_kept: bool, rewritten: usize| {
        let (tree, kept) = again(PAGE, changes);
        let kept = kept.unwrap_or_else(|| panic!("{changes:?} leaves nothing"));
        assert_eq!((kept.is_front_kept(), kept.rewritten().len()), (is_front_kept, rewritten), "{changes:?}");
        assert!(kept.rewritten().iter().all(|(_, id)| tree.kind(*id) == Kind::Element));
    };
    check(&[], true, 0);
    check(&[(title.clone(), "<title>Other</title><meta name=a>")], false, 0);
    check(&[(title.end..title.end, "<link rel=x>")], false, 0);
    check(&[(first.clone(), "<img src=a.png alt='&lt;' width=1>")], true, 1);
    check(&[(title, ""), (first, "<img>"), (second, "<img alt=x src='b.png'>")], false, 2);
}

#[test]
fn what_a_change_may_touch_is_parsed() {
    let check = |text: &str, new: &str| {
        let (_, kept) = again(PAGE, &[(span(text), new)]);
        assert!(kept.is_none(), "{text} to {new}");
    };
    check("<title>T</title>", "<title>T");
    check("<title>T</title>", "<!--");
    check("<title>T</title>", "<p>");
    check("<title>T</title>", "<template></template>");
    check("<!doctype html>", "");
    check("<body class=a>", "<body>");
    check("<b>", "<b class=x>");
    check("<x-y Z=1>", "<x-y>");
    check("<img src=a.png>", "<p>");
    check("<img src=a.png>", "<img><img>");
    check("<img src=a.png>", "<img src='>");
    check("<td>", "");
    check("d", "e");
}

#[test]
fn another_source_than_the_changes_make_is_parsed() {
    let options = Options::default();
    let before = html::parse(PAGE.to_owned(), &options);
    let (tree, kept) = html::parse_again(&before, "<p>a".to_owned(), &[(span("d"), "e")], &options);
    assert!(kept.is_none());
    places::same(&tree, &html::parse("<p>a".to_owned(), &options));
}

#[test]
fn changes_of_real_pages_give_the_tree_of_the_changed_source() {
    let mut kept_some = 0;
    for (name, source) in shared::corpus() {
        println!("{name}");
        let tree = html::parse(source.clone(), &Options::default());
        let tags = |wanted: &str| -> Vec<Range<usize>> {
            let named = tree.descendants(NodeId::DOCUMENT).filter(|id| tree.is(*id, wanted));
            named.filter_map(|id| tree.start_tag(id)).collect()
        };
        let Some(head) = tags("head").first().cloned() else { continue };
        let mut changes = vec![(head.end..head.end, "\n<meta name=a content='&amp;'>".to_owned())];
        let of_images = tags("img").into_iter().filter(|tag| tag.start > head.end);
        changes.extend(of_images.map(|tag| (tag.clone(), rewritten(&source[tag], "alt='a &amp; b' loading=lazy"))));
        changes.dedup_by_key(|(span, _)| span.start);
        let changes: Vec<(Range<usize>, &str)> =
            changes.iter().map(|(span, text)| (span.clone(), text.as_str())).collect();
        kept_some += usize::from(again(&source, &changes).1.is_some());
    }
    println!("{kept_some} taken over");
}
