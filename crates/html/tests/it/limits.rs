//! What is cut is cut where the limit says, and told.

use html::{Limits, NodeId, Options, Tree, TreeCut};

use crate::body::in_body;
use crate::{places, shared};

fn parsed(source: &str) -> Tree {
    html::parse(source.to_owned(), &Options::default())
}

/// Elements around a node and itself, `html` being 1.
fn level(tree: &Tree, id: NodeId) -> usize {
    std::iter::successors(Some(id), |id| tree.parent(*id)).filter(|id| *id != NodeId::DOCUMENT).count()
}

fn deepest(tree: &Tree) -> usize {
    tree.descendants(NodeId::DOCUMENT).filter(|id| !tree.name(*id).is_empty()).map(|id| level(tree, id)).max().unwrap()
}

#[test]
fn elements_past_level_513_become_siblings() {
    // "html" and "body" are two.
    let just = parsed(&"<div>".repeat(511));
    assert_eq!((deepest(&just), just.cut()), (513, TreeCut::default()));
    let past = parsed(&format!("{}<p>a<b>c", "<div>".repeat(511)));
    assert_eq!((deepest(&past), past.cut()), (513, TreeCut { depth: true, ..TreeCut::default() }));
    let p = past.descendants(NodeId::DOCUMENT).find(|id| past.is(*id, "p")).unwrap();
    let b = past.next(p).unwrap();
    let text = |id| past.first_child(id).map(|text| past.texts(text).collect::<String>());
    assert!(past.is(past.previous(p).unwrap(), "div") && past.is(b, "b"));
    assert_eq!((text(p).as_deref(), text(b).as_deref()), (Some("a"), Some("c")));
}

#[test]
fn end_tags_match_past_the_depth_too() {
    let source = format!("{}{}a<p id=last>", "<div>".repeat(2_000), "</div>".repeat(2_000));
    let tree = parsed(&source);
    let p = tree.descendants(NodeId::DOCUMENT).find(|id| tree.is(*id, "p")).unwrap();
    assert_eq!(tree.parent(p).map(|body| tree.name(body)), Some("body"));
    let divs = tree.descendants(NodeId::DOCUMENT).filter(|id| tree.is(*id, "div"));
    // The n-th start tag is closed by the n-th end tag from the end.
    let mut count = 0;
    for div in divs {
        let (start, end) = (tree.start_tag(div).unwrap(), tree.end_tag(div).unwrap());
        assert_eq!(end.start, 2_000 * 5 + (1_999 - start.start / 5) * 6);
        count += 1;
    }
    assert_eq!(count, 2_000);
}

#[test]
fn a_template_past_the_depth_keeps_its_text_and_no_elements() {
    let limits = Limits { depth: 4, ..Limits::default() };
    let tree = html::parse("<p><template>a<b>c".to_owned(), &Options { scripting: true, limits });
    assert_eq!(in_body(&tree), "<p>\n  <template>\n    content\n      \"a\"\n  <b>\n    \"c\"");
    assert!(tree.cut().depth);
}

#[test]
fn an_element_keeps_256_attributes() {
    let attributes = |count: usize| (0..count).map(|number| format!(" a{number}=1")).collect::<String>();
    let count = |tree: &Tree, name: &str| {
        let id = tree.descendants(NodeId::DOCUMENT).find(|id| tree.is(*id, name)).unwrap();
        tree.attributes(id).count()
    };
    let told = TreeCut { attributes: true, ..TreeCut::default() };
    for (source, name, wanted, cut) in [
        (format!("<p{}>", attributes(256)), "p", 256, TreeCut::default()),
        (format!("<p{}>", attributes(257)), "p", 256, told),
        // The same name again is none more.
        (format!("<p{0}{0}>", attributes(256)), "p", 256, TreeCut::default()),
        (format!("<html{}><html b c d>", attributes(254)), "html", 256, told),
        (format!("<html{}><html b c>", attributes(255)), "html", 256, told),
        (format!("<body{}><body a0 b>", attributes(255)), "body", 256, TreeCut::default()),
    ] {
        let tree = parsed(&source);
        assert_eq!((count(&tree, name), tree.cut()), (wanted, cut), "{}", &source[..20]);
    }
}

#[test]
fn past_the_work_the_tree_that_exists_is_used() {
    let source: String = (0..5_000).map(|number| format!("<b x{number}>")).collect::<String>() + "<p>never";
    let tree = parsed(&source);
    let limits = Limits::default();
    assert!(tree.cut().work && tree.work() > limits.work + limits.work_per_byte * source.len() as u64);
    assert!(tree.len() > 500 && !tree.descendants(NodeId::DOCUMENT).any(|id| tree.is(id, "p")));
    places::check(&tree, &Options::default());
    let more = Limits { work: u64::MAX, ..limits };
    let whole = html::parse(source, &Options { scripting: true, limits: more });
    assert!(!whole.cut().work && whole.descendants(NodeId::DOCUMENT).any(|id| whole.is(id, "p")));
}

#[test]
fn copies_make_no_more_nodes_than_a_source_may() {
    let source: String = (0..60_000).map(|n| format!("<b x{n}><p>")).collect();
    let most = 20_000 + source.len() / 2;
    let tree = parsed(&source);
    assert!(tree.cut().work);
    // The token in hand may pass the limit by the copies that it makes until they are counted.
    assert!(tree.len() > most && tree.len() < most + most / 100, "{} of {most}", tree.len());
    let dense = parsed(&"<p>a".repeat(50_000));
    assert_eq!(dense.cut(), TreeCut::default());
}

#[test]
fn no_real_page_comes_near_a_limit() {
    for (name, source) in shared::corpus() {
        let tree = parsed(&source);
        let attributes = tree.descendants(NodeId::DOCUMENT).map(|id| tree.attributes(id).count()).max().unwrap_or(0);
        assert_eq!(tree.cut(), TreeCut::default(), "{name}");
        assert!(deepest(&tree) < 100 && attributes < 100 && tree.work() < 10_000, "{name}");
    }
}

/// Sources, and the steps that their tokens do not pay for: entries of the list of formatting elements and of the stack
/// that are looked at, moved or put back, attributes compared, copies, moved children, and the ways to markers.
const WORK: &[(&str, u64)] = &[
    ("<p>a<div>b", 0),
    ("<b>", 0),
    ("<b><b><b x>", 3),
    ("<b><b><b><b>", 6),
    ("<p><b>a</p>b", 2),
    ("<p><b><i>a</p>b", 4),
    ("<b><p>a</b>", 5),
    ("<b><i><p><u>a</b>", 14),
    ("<b><span><i><p>a<s>b</b>", 17),
    ("<b><i><u><s><em><p>a</b>", 28),
    ("<b><p>1</b><p>2", 5),
    ("<a><object><a><div><a>", 4),
    ("<b x><b><b><b><b></b></b></b><p>a</b>c", 17),
    ("<i><b x><b y><p>a</i>", 20),
    ("<a><i><a>", 3),
    ("<form><div></form>", 1),
    ("<form><div><template><form></template></form>", 1),
    ("<html a b><html c d>", 4),
    ("<html><html>", 0),
    ("<body a><body b><body c>", 3),
    ("<head></head><title></title>", 1),
    ("<head></head><template></template>", 1),
    ("<select><selectedcontent></selectedcontent><option>a<b>c</b></select>", 5),
    ("<select><option>a<b>c</b></option><selectedcontent></selectedcontent><option selected>d</select>", 8),
    ("<p><?marker name=a?><template for=a>", 0),
    ("<p><?marker name='a'?><?marker name='a'?></p><template for=a>", 4),
    ("<div><p><?marker name='a'?></p><template for=a>b", 3),
    ("<div><p><?start name='a'?>b<i>c</i><?end?></p><template for=a>b", 8),
    (
        "<div><p><?marker name='a'?></p><?marker name='b'?><template for=a><?marker name='b'?></template><template for=b>",
        21,
    ),
];

#[test]
fn steps_that_no_token_pays_for_are_counted() {
    for (source, wanted) in WORK {
        assert_eq!(parsed(source).work(), *wanted, "{source}");
    }
}

#[test]
fn the_last_step_that_a_limit_allows_is_taken() {
    let cut = |work| {
        let limits = Limits { work, work_per_byte: 0, ..Limits::default() };
        html::parse("<b><p>a</b>".to_owned(), &Options { scripting: true, limits }).cut().work
    };
    assert_eq!([cut(4), cut(5)], [true, false]);
}

#[test]
fn an_option_past_the_depth_is_not_chosen() {
    let copied = |depth| {
        let limits = Limits { depth, ..Limits::default() };
        let source = "<select><selectedcontent></selectedcontent><option>a".to_owned();
        let tree = html::parse(source, &Options { scripting: true, limits });
        in_body(&tree).matches("\"a\"").count() == 2
    };
    assert_eq!([copied(3), copied(4)], [false, true]);
}

#[test]
fn nodes_past_the_limit_are_told_however_many_come_at_once() {
    // Each paragraph brings five nodes: itself, its text, and copies of what is still open.
    let source = format!("<p><b><i><u>{}", "</p><p>x".repeat(40));
    let is_cut = |nodes: u64| {
        let limits = Limits { nodes, ..Limits::default() };
        html::parse(source.clone(), &Options { limits, ..Options::default() }).cut().work
    };
    let whole = (0..300).find(|nodes| !is_cut(*nodes)).unwrap();
    assert!((0..whole).all(is_cut) && (whole..300).all(|nodes| !is_cut(nodes)));
    // Document, html, head, body, p, b, i, u and 40 times five; half the bytes are free.
    assert_eq!(whole, 8 + 40 * 5 - source.len() as u64 / 2);
}
