//! Changes of one source, and what they come to.

use proptest::prelude::*;

use super::*;
use crate::example::page;
use crate::facts::document::Element;
use crate::facts::walk::Page;
use crate::patch::source::PageSource;

/// What a test finds out about a page with this source.
fn of_page<T>(source: &str, wanted: impl FnOnce(PageSource<'_>) -> T) -> T {
    let capture = page("https://example.com/page", source);
    let read = Page::read(&capture);
    wanted(PageSource { html: read.html.as_ref().unwrap(), bytes: source.as_bytes() })
}

fn replace(span: Range<usize>, text: &str) -> DraftEdit {
    DraftEdit { target: FixTarget::Body, change: FixChange::Replace { span, text: text.to_owned() } }
}

fn body(change: FixChange) -> DraftEdit {
    DraftEdit { target: FixTarget::Body, change }
}

/// Span, text, code and further codes of what changes come to.
fn shown(source: &str, changes: &[(&str, DraftEdit)]) -> Vec<(Range<usize>, String, String)> {
    let codes = |splice: &Splice<'_>| [std::slice::from_ref(&splice.code), splice.also.as_slice()].concat().join(" ");
    let shown = |splice: &Splice<'_>| (splice.span.clone(), splice.text.clone(), codes(splice));
    of_page(source, |page| apart(page, changes).iter().map(shown).collect())
}

#[test]
fn a_change_says_how_much_it_adds() {
    let document = Document::parse("<p>a</p>".to_owned());
    let node = document.elements().find(|element| element.is("p")).unwrap().id();
    let set = FixChange::SetAttribute { node, name: "lang".to_owned(), value: "a&b".to_owned() };
    assert_eq!(set.most_bytes_added(), " lang=\"a&amp;b\"".len());
    assert_eq!(FixChange::Replace { span: 0..3, text: "abcde".to_owned() }.most_bytes_added(), 2);
    assert_eq!(FixChange::Remove { node }.most_bytes_added(), 0);
}

#[test]
fn insertions_at_one_place_come_in_their_order_before_what_is_there() {
    const SOURCE: &str = "<p>Rye</p>";
    let changes =
        [("a", replace(3..6, "Oat")), ("b", replace(3..3, "x")), ("c", replace(3..3, "y")), ("b", replace(3..3, "z"))];
    assert_eq!(shown(SOURCE, &changes), [(3..6, "xyzOat".to_owned(), "b c a".to_owned())]);
    // At another place they stay apart, and so does what only touches.
    let changes = [("a", replace(3..3, "x")), ("b", replace(4..4, "y"))];
    assert_eq!(shown(SOURCE, &changes).len(), 2);
    let changes = [("a", replace(3..4, "x")), ("b", replace(4..6, "y"))];
    assert_eq!(
        shown(SOURCE, &changes),
        [(3..4, "x".to_owned(), "a".to_owned()), (4..6, "y".to_owned(), "b".to_owned())]
    );
}

#[test]
fn what_lies_inside_of_a_larger_change_goes_with_it() {
    const SOURCE: &str = "<p>Rye bread</p>";
    let changes = [("a", replace(5..7, "x")), ("b", replace(3..9, "Oat"))];
    assert_eq!(shown(SOURCE, &changes), [(3..9, "Oat".to_owned(), "b".to_owned())]);
    let changes = [("a", replace(3..4, "x")), ("b", replace(3..9, "Oat"))];
    assert_eq!(shown(SOURCE, &changes), [(3..9, "Oat".to_owned(), "b".to_owned())]);
    // What changes nothing is no change.
    assert_eq!(shown(SOURCE, &[("a", replace(3..6, "Rye"))]), []);
}

#[test]
fn letters_that_an_encoding_lacks_are_written_as_where_they_stand_asks() {
    const SOURCE: &str =
        "<meta charset=windows-1252><p>Rye</p><script type=\"application/ld+json\">{\"a\":\"b\"}</script>";
    let capture = crate::example::with_headers(
        "https://example.com/page",
        &[("content-type", "text/html; charset=windows-1252")],
        SOURCE,
    );
    let read = Page::read(&capture);
    let page = PageSource { html: read.html.as_ref().unwrap(), bytes: SOURCE.as_bytes() };
    let at = |text: &str| SOURCE.find(text).unwrap();
    let written = |at: usize| apart(page, &[("a", replace(at..at + 1, "\u{436}"))]).remove(0).text;
    assert_eq!(written(at("Rye")), "&#1078;");
    assert_eq!(written(at("b\"}")), "\\u0436");
    let is_in_script = |text: &str| page.is_in_script(at(text));
    assert!(is_in_script("{\"a\"") && is_in_script("b\"}") && is_in_script("</script>"));
    assert!(!is_in_script("Rye") && !is_in_script("<script"));
    assert!(!page.is_in_script(SOURCE.len()));
}

#[test]
fn an_insertion_has_something_to_find() {
    let merged = |source: &str, changes: &[(&str, DraftEdit)]| -> Vec<(usize, String, String)> {
        let of = |edit: Edit| (edit.offset, edit.original, edit.snippet);
        of_page(source, |page| merge(page, changes).into_iter().map(of).collect())
    };
    let insert = |at: usize| [("a", replace(at..at, "<i>"))];
    let one = |at: usize, original: &str, replacement: &str| vec![(at, original.to_owned(), replacement.to_owned())];
    // What follows on the line, or else what stands before, over lines.
    assert_eq!(merged("<p>Rye</p>\n<b>", &insert(3)), one(3, "Rye</p>", "<i>Rye</p>"));
    assert_eq!(merged("<p>Rye</p>\n<b>\n", &insert(10)), one(0, "<p>Rye</p>", "<p>Rye</p><i>"));
    assert_eq!(merged("<p>a\nb\n", &insert(6)), one(0, "<p>a\nb", "<p>a\nb<i>"));
    // Not what another change takes.
    let both = [("a", replace(3..3, "<i>")), ("b", replace(5..6, "x"))];
    assert_eq!(
        merged("<p>Rye</p>", &both),
        [(3, "Ry".to_owned(), "<i>Ry".to_owned()), (5, "e".to_owned(), "x".to_owned())]
    );
    let before = [("b", replace(3..5, "x")), ("a", replace(6..6, "<i>"))];
    assert_eq!(
        merged("<p>Rye\n", &before),
        [(3, "Ry".to_owned(), "x".to_owned()), (5, "e".to_owned(), "e<i>".to_owned())]
    );
}

#[test]
fn letters_that_were_misread_are_no_anchor() {
    let capture =
        crate::example::with_headers("https://example.com/page", &[("content-type", "text/html")], "<p>aão</p>");
    let read = Page::read(&capture);
    let html = read.html.as_ref().unwrap();
    assert!(html.unlabelled_utf8);
    let page = PageSource { html, bytes: "<p>aão</p>".as_bytes() };
    let edits = merge(page, &[("a", replace(3..3, "<i>"))]);
    assert_eq!(edits.first().unwrap().original, "a");
    // Elsewhere any letter is one.
    let found = of_page("<meta charset=utf-8><p>aão</p>", |page| merge(page, &[("a", replace(23..23, "<i>"))]));
    assert_eq!(found.first().unwrap().original, "aão</p>");
}

#[test]
fn a_space_stays_where_the_rest_could_become_a_tag_or_a_reference() {
    let check = |before: &str, wanted: &str| assert_eq!(gap(before, before.len()), wanted, "{before}");
    check("<p>Rye", "");
    check("Rye <", " ");
    check("Rye &am", " ");
    check("<b>", "");
    check("a < b", "");
    check("a <b\u{a0}c", " ");
}

#[test]
fn what_is_moved_takes_its_own_changes_along() {
    const SOURCE: &str = "<title id=a>Rye</title><title id=b>Oat</title><meta name=c>";
    let document = Document::parse(SOURCE.to_owned());
    let titles: Vec<NodeId> = document.elements().filter(|one| one.is("title")).map(|one| one.id()).collect();
    let [node, other] = titles[..] else { panic!("two titles") };
    let name = "id".to_owned();
    let set = |node| ("x", body(FixChange::SetAttribute { node, name: name.clone(), value: "n".to_owned() }));
    let unset = |node| ("x", body(FixChange::RemoveAttribute { node, name: name.clone() }));
    let fill = |node| ("x", body(FixChange::SetContent { node, content: "Wheat".to_owned() }));
    let check = |changes: &[(&str, DraftEdit)], after: &str| {
        let before = "<title id=a>Rye</title>".to_owned();
        assert_eq!(moved(&document, node, changes), Some((before, after.to_owned())));
    };
    check(&[], "<title id=a>Rye</title>");
    check(&[set(other), unset(other), fill(other)], "<title id=a>Rye</title>");
    check(&[set(node)], "<title id=\"n\">Rye</title>");
    check(&[unset(node)], "<title>Rye</title>");
    check(&[fill(node)], "<title id=a>Wheat</title>");
    check(
        &[fill(node), ("y", body(FixChange::SetContent { node, content: "Spelt".to_owned() }))],
        "<title id=a>Wheat</title>",
    );
}

#[test]
fn a_tag_is_changed_for_each_finding_once() {
    let mut rewrite = TagRewrite::new("a", FixTarget::Body);
    rewrite.asked_by("a").asked_by("b").asked_by("b").asked_by("c");
    assert_eq!((rewrite.code, rewrite.also.join(" ")), ("a", "b c".to_owned()));
}

#[test]
fn attributes_change_in_place_and_nothing_else_does() {
    let rewrite = TagRewrite {
        code: "",
        also: Vec::new(),
        target: FixTarget::Image,
        attributes: vec![("src", Some("https://a/?x=1&y")), ("width", Some("5")), ("loading", None)],
    };
    assert_eq!(
        rewrite.apply("<IMG  SRC = a/b  loading=lazy alt='x' />"),
        "<IMG  src=\"https://a/?x=1&amp;y\" alt='x' width=\"5\" />"
    );
    assert_eq!(rewrite.apply("<img>"), "<img src=\"https://a/?x=1&amp;y\" width=\"5\">");
    assert_eq!(rewrite.apply("<img src=a alt=>"), "<img width=\"5\" src=\"https://a/?x=1&amp;y\" alt=>");
    assert_eq!(rewrite.apply("<img loading=\"\"alt=x src>"), "<img alt=x src=\"https://a/?x=1&amp;y\" width=\"5\">");
    assert_eq!(rewrite.apply("<img loading alt= >"), "<img src=\"https://a/?x=1&amp;y\" width=\"5\" alt= >");
    assert_eq!(rewrite.apply("<img loading LOADING=x>"), "<img src=\"https://a/?x=1&amp;y\" width=\"5\">");
    assert_eq!(rewrite.apply("<img loading/>"), "<img src=\"https://a/?x=1&amp;y\" width=\"5\"/>");
}

/// A page of many elements, of which any two that do not lie in each other can be changed apart.
const MANY: &str = "<!doctype html><html lang=en><head><title>a</title><meta name=a content=b></head><body><h1>Rye</h1>\
    <p class=x>Oat</p><img src=a.png><p>Spelt <b>and</b> wheat</p>\n<a href=/x>Millet</a></body></html>";

/// The `number`th change of an element of a page.
fn change(element: Element<'_>, number: usize) -> FixChange {
    let node = element.id();
    let [id, class] = ["id", "class"].map(str::to_owned);
    match number {
        0 => FixChange::SetAttribute { node, name: id, value: "n\"n".to_owned() },
        1 => FixChange::SetAttribute { node, name: class, value: String::new() },
        2 => FixChange::RemoveAttribute { node, name: class },
        3 => FixChange::SetContent { node, content: "<i>new</i>".to_owned() },
        4 => FixChange::Remove { node },
        _ => FixChange::InsertBefore { node, html: "<u>".to_owned() },
    }
}

/// The source with splices, which are in its order and apart.
fn spliced(source: &str, splices: &[Splice<'_>]) -> String {
    let mut out = source.to_owned();
    for splice in splices.iter().rev() {
        out.replace_range(splice.span.clone(), &splice.text);
    }
    out
}

/// Changes of different elements by their numbers, in two orders.
fn in_two_orders() -> impl Strategy<Value = [Vec<(usize, usize)>; 2]> {
    proptest::collection::btree_map(0..12_usize, 0..6_usize, 0..5).prop_flat_map(|numbers| {
        let numbers: Vec<(usize, usize)> = numbers.into_iter().collect();
        Just(numbers.clone()).prop_shuffle().prop_map(move |shuffled| [numbers.clone(), shuffled])
    })
}

proptest! {
    #[test]
    fn changes_of_different_elements_give_one_text_in_any_order(orders in in_two_orders()) {
        of_page(MANY, |page| {
            let elements: Vec<Element<'_>> = page.document().elements().collect();
            let [in_order, shuffled] = orders.map(|numbers| -> Vec<(&str, DraftEdit)> {
                let of = |(at, number): (usize, usize)| Some(("a", body(change(*elements.get(at)?, number))));
                numbers.into_iter().filter_map(of).collect()
            });
            let splices = apart(page, &in_order);
            let text = spliced(MANY, &splices);
            assert_eq!(text, spliced(MANY, &apart(page, &shuffled)));
            assert!(splices.iter().zip(splices.iter().skip(1)).all(|(one, next)| one.span.end <= next.span.start));
            // The edits of the patch say the same, each with something to find.
            let edits = merge(page, &in_order);
            assert!(edits.iter().all(|edit| !edit.original.is_empty() && edit.original != edit.snippet));
            assert_eq!(crate::patch::apply_edits(MANY, &edits), Some(text));
        });
    }

    #[test]
    fn an_attribute_that_is_set_is_not_set_again(at in 0..12_usize, number in 0..2_usize) {
        let set = |source: &str| of_page(source, |page| {
            let element = page.document().elements().nth(at)?;
            Some(spliced(source, &apart(page, &[("a", body(change(element, number)))])))
        });
        if let Some(once) = set(MANY) {
            let twice = set(&once);
            prop_assert_eq!(twice, Some(once));
        }
    }
}
