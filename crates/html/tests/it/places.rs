//! What must hold of the places in any tree. The fuzz target `html_parse` includes this file too.

use std::collections::HashSet;
use std::ops::Range;

use html::{Kind, Namespace, NodeId, Options, Origin, Tree};

/// Panics where a tree breaks its own rules: links, spans, and what they say of the source.
pub(crate) fn check(tree: &Tree, options: &Options) {
    let is_in_order = !tree.cut().depth && !has_markers(tree);
    let roots = roots(tree);
    let mut nodes: Vec<NodeId> = roots.iter().flat_map(|root| tree.descendants(*root)).collect();
    // The template of a shadow root is below nothing.
    nodes.extend(tree.shadow_roots().filter_map(|(_, root)| tree.parent(root)));
    assert!(nodes.len() <= tree.len(), "more nodes than there are");
    for root in &roots {
        links(tree, *root);
    }
    for id in &nodes {
        links(tree, *id);
        if is_in_order {
            siblings(tree, *id);
        }
        match tree.kind(*id) {
            Kind::Element => element(tree, *id, is_in_order),
            Kind::Text => text(tree, *id),
            Kind::Comment | Kind::Instruction | Kind::Doctype => whole(tree, *id),
            Kind::Document | Kind::Fragment => panic!("a root below another"),
        }
    }
    if is_in_order {
        roots.iter().for_each(|root| siblings(tree, *root));
    }
    nothing_stands_twice(tree, &nodes);
    tags_alone(tree, &nodes, options);
}

/// Panics where line and column of every so many characters differ from a count.
pub(crate) fn positions(tree: &Tree, step: usize) {
    let source = tree.source();
    let (mut line, mut column) = (1, 1);
    let ends = std::iter::once((source.len(), ' '));
    for (count, (at, character)) in source.char_indices().chain(ends).enumerate() {
        if count % step == 0 || at == source.len() {
            let got = tree.position(at);
            assert_eq!((got.line, got.column), (line, column), "position of {at}");
        }
        // The line ends behind CRLF, not amid it.
        let is_in_crlf = || source.get(at..).is_some_and(|rest| rest.starts_with("\r\n"));
        let is_end = character == '\n' || (character == '\r' && !is_in_crlf());
        (line, column) = if is_end { (line + 1, 1) } else { (line, column + 1) };
    }
}

/// Panics where anything differs that can be read from two trees, as it must not where they are of one source.
pub(crate) fn same(one: &Tree, other: &Tree) {
    assert_eq!(one.work(), other.work());
    same_nodes(one, other);
}

/// The same, but for the steps that parsing took.
pub(crate) fn same_nodes(one: &Tree, other: &Tree) {
    let whole = |tree: &Tree| (tree.quirks(), tree.cut(), tree.ignored_doctype(), tree.len());
    assert_eq!(whole(one), whole(other));
    let all = roots(one);
    assert_eq!(all, roots(other));
    for root in all {
        assert!(one.descendants(root).eq(other.descendants(root)), "other nodes");
        for id in one.descendants(root) {
            let links = |tree: &Tree| (tree.parent(id), tree.kind(id), tree.origin(id), tree.namespace(id));
            let places = |tree: &Tree| (tree.start_tag(id), tree.end_tag(id), tree.span(id));
            assert_eq!((links(one), places(one)), (links(other), places(other)));
            assert_eq!(
                (one.name(id), one.target(id), one.data(id)),
                (other.name(id), other.target(id), other.data(id))
            );
            assert_eq!(one.doctype(id), other.doctype(id));
            assert!(one.text_spans(id).eq(other.text_spans(id)) && one.texts(id).eq(other.texts(id)), "another text");
            let read = |attribute: html::Attribute| (attribute.span(), attribute.value().to_owned());
            assert!(one.attributes(id).map(read).eq(other.attributes(id).map(read)), "other attributes");
        }
    }
}

/// The document, and every fragment that can be reached.
fn roots(tree: &Tree) -> Vec<NodeId> {
    let mut roots = vec![NodeId::DOCUMENT];
    for (host, root) in tree.shadow_roots() {
        let template = tree.parent(root).expect("the template");
        assert!(tree.is_shadow_root(template) && tree.parent(template) == Some(host));
        assert!(tree.children(host).all(|child| child != template), "the template is among the children of its host");
        roots.push(root);
    }
    let mut at = 0;
    while let Some(root) = roots.get(at).copied() {
        roots.extend(tree.descendants(root).filter_map(|id| tree.contents(id)));
        at += 1;
    }
    roots
}

fn links(tree: &Tree, id: NodeId) {
    let mut before = None;
    for child in tree.children(id) {
        assert_eq!(tree.parent(child), Some(id), "a child of another");
        assert_eq!(tree.previous(child), before, "the sibling before");
        before = Some(child);
    }
    let may_have_children = matches!(tree.kind(id), Kind::Document | Kind::Fragment | Kind::Element);
    assert!(may_have_children || before.is_none(), "a {:?} has children", tree.kind(id));
    if let Some(contents) = tree.contents(id) {
        assert!(tree.is(id, "template") && before.is_none(), "contents of no template, or children beside them");
        assert_eq!((tree.kind(contents), tree.parent(contents)), (Kind::Fragment, Some(id)));
    }
}

/// The bytes of a span, which are within the source and whole characters.
fn read(tree: &Tree, span: Range<usize>) -> &str {
    let found = tree.source().get(span.clone());
    found.unwrap_or_else(|| panic!("{span:?} is outside the source or inside a character"))
}

/// Where a node that is no copy starts, and where its start tag, its first run or the whole of it ends.
fn place(tree: &Tree, id: NodeId) -> Option<Range<usize>> {
    if tree.origin(id) == Origin::Clone {
        return None;
    }
    match tree.kind(id) {
        Kind::Element => tree.start_tag(id),
        Kind::Text => tree.text_spans(id).next(),
        _ => tree.span(id),
    }
}

/// Siblings stand in order, but that what was misplaced in a table is put before it. Past the limit of depth what is in
/// such a node is put behind the table, so there is no order.
fn siblings(tree: &Tree, parent: NodeId) {
    let mut furthest = 0;
    for child in tree.children(parent) {
        let Some(place) = place(tree, child) else { continue };
        if place.start < furthest {
            assert!(tree.is(child, "table"), "siblings out of order at {place:?}");
            continue;
        }
        furthest = place.end;
    }
}

/// Whether templates may put what they hold elsewhere, among what came before.
fn has_markers(tree: &Tree) -> bool {
    ["<?marker", "<?start"].iter().any(|marker| tree.source().contains(marker))
}

fn element(tree: &Tree, id: NodeId, is_in_order: bool) {
    let start = tree.start_tag(id);
    match tree.origin(id) {
        Origin::Source => assert!(start.is_some(), "no start tag of an element of the source"),
        Origin::Implied => assert!(start.is_none(), "a start tag of an implied element"),
        // A copy has the start tag of its original, which may be implied.
        Origin::Clone => {}
    }
    if let Some(start) = &start {
        let tag = read(tree, start.clone());
        assert!(tag.starts_with('<') && tag.ends_with('>'), "no start tag: {tag}");
    }
    if let Some(end) = tree.end_tag(id) {
        let tag = read(tree, end.clone());
        assert!(tag.starts_with("</") && tag.ends_with('>'), "no end tag: {tag}");
        assert!(start.is_none_or(|start| start.end <= end.start), "an end tag before the start tag");
        if is_in_order {
            within_the_parent(tree, id, end);
        }
        let name = tag
            .trim_start_matches("</")
            .split(|c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>'))
            .next()
            .unwrap_or("");
        let is_heading = |name: &str| matches!(name.as_bytes(), [b'h' | b'H', b'1'..=b'6']);
        let is_its_own = name.replace('\0', "\u{FFFD}").eq_ignore_ascii_case(tree.name(id));
        assert!(is_its_own || (is_heading(name) && is_heading(tree.name(id))), "{tag} closed {}", tree.name(id));
    }
    attributes(tree, id);
}

/// An end tag stands inside the parent, unless the parent takes nodes after its own end: the document's elements, and
/// a `form`, which an end tag takes off the stack from under its children.
fn within_the_parent(tree: &Tree, id: NodeId, end: Range<usize>) {
    let Some(parent) = tree.parent(id) else { return };
    let takes_more = ["html", "head", "body", "form"].iter().any(|name| tree.is(parent, name));
    let are_both_written = tree.origin(id) == Origin::Source && tree.origin(parent) == Origin::Source;
    if let Some(around) = tree.end_tag(parent).filter(|_| are_both_written && !takes_more) {
        assert!(end.end <= around.start, "the end tag {end:?} stands after that of its parent, {around:?}");
    }
}

fn attributes(tree: &Tree, id: NodeId) {
    let mut names = HashSet::new();
    let mut after = 0;
    for attribute in tree.attributes(id) {
        let (whole, name, value) = (attribute.span(), attribute.name_span(), attribute.value_span());
        let written = read(tree, name.clone());
        assert_eq!(attribute.lower_name(), written.replace('\0', "\u{FFFD}").to_ascii_lowercase());
        assert!(names.insert(attribute.lower_name()), "{written} stands twice");
        let found = tree.attribute(id, attribute.lower_name()).expect("an attribute is found by its name");
        assert_eq!((found.span(), found.value()), (whole.clone(), attribute.value()));
        assert!(whole.start >= after, "attributes out of order");
        assert_eq!(whole.start, name.start);
        after = whole.end;
        let Some(value) = value else {
            assert_eq!((whole, attribute.value()), (name, ""));
            continue;
        };
        let between = read(tree, name.end..value.start);
        let quote = between.chars().next_back().filter(|last| matches!(last, '"' | '\''));
        let spaced = between.strip_suffix(['"', '\'']).unwrap_or(between);
        assert_eq!(spaced.trim_matches([' ', '\t', '\n', '\r', '\x0C']), "=", "between {written} and its value");
        let behind = read(tree, value.end..whole.end).chars().next();
        assert_eq!((behind, whole.end - value.end), (quote, usize::from(quote.is_some())), "quotes of {written}");
        let bytes = read(tree, value);
        if !bytes.contains(['&', '\r', '\0']) {
            assert_eq!(attribute.value(), bytes);
        }
    }
}

fn text(tree: &Tree, id: NodeId) {
    let mut after = 0;
    let mut count = 0;
    for (span, text) in tree.text_spans(id).zip(tree.texts(id)) {
        count += 1;
        assert!(span.start >= after && !span.is_empty() && !text.is_empty(), "runs of a text out of order, or empty");
        after = span.end;
        let bytes = read(tree, span);
        if !bytes.contains(['&', '\r', '\0']) {
            assert_eq!(text, bytes);
        }
    }
    assert!(count > 0 && count == tree.text_spans(id).count(), "a text of nothing");
}

/// The bytes of a comment, a processing instruction or a doctype give the same alone.
fn whole(tree: &Tree, id: NodeId) {
    let span = tree.span(id).expect("it has a span");
    let bytes = read(tree, span);
    assert!(bytes.starts_with('<'), "no markup: {bytes}");
    let alone = html::parse(bytes.to_owned(), &Options::default());
    let first = alone.first_child(NodeId::DOCUMENT).expect("a node");
    let of = |tree: &Tree, id: NodeId| {
        let doctype = tree.doctype(id).map(|parts| parts.map(str::to_owned));
        (tree.kind(id), tree.data(id).to_owned(), tree.target(id).to_owned(), doctype)
    };
    assert_eq!(of(&alone, first), of(tree, id), "alone: {bytes}");
    assert_eq!(alone.span(first), Some(0..bytes.len()));
}

/// No byte is in two tags, texts, comments or the like, copies aside.
fn nothing_stands_twice(tree: &Tree, nodes: &[NodeId]) {
    let mut spans: Vec<Range<usize>> = Vec::new();
    for id in nodes.iter().filter(|id| tree.origin(**id) != Origin::Clone) {
        match tree.kind(*id) {
            Kind::Element => spans.extend(tree.start_tag(*id).into_iter().chain(tree.end_tag(*id))),
            Kind::Text => spans.extend(tree.text_spans(*id)),
            _ => spans.extend(tree.span(*id)),
        }
    }
    spans.sort_by_key(|span| (span.start, span.end));
    for pair in spans.windows(2) {
        let [first, second] = pair else { continue };
        assert!(first.end <= second.start, "{first:?} and {second:?} overlap");
    }
}

/// A start tag is exactly the bytes of a tag: alone they give the same name and attributes.
fn tags_alone(tree: &Tree, nodes: &[NodeId], options: &Options) {
    let mut seen = HashSet::new();
    for id in nodes {
        let Some(span) = tree.start_tag(*id) else { continue };
        let bytes = read(tree, span.clone());
        if !seen.insert((tree.namespace(*id), bytes)) {
            continue;
        }
        // Around each element what lets it in; only these names are for one place in a document.
        let name = tree.name(*id);
        let around = match (tree.namespace(*id), name) {
            (Namespace::Svg, _) => "<svg>",
            (Namespace::MathMl, _) => "<math>",
            (Namespace::Html, "html" | "head" | "body" | "frameset") => "",
            (Namespace::Html, "frame") => "<frameset>",
            (Namespace::Html, _) => "<template>",
        };
        let alone = html::parse(format!("{around}{bytes}"), options);
        let is_it = |found: &NodeId| alone.start_tag(*found) == Some(around.len()..around.len() + bytes.len());
        let roots = roots(&alone);
        let found = roots.iter().find_map(|root| alone.descendants(*root).find(is_it));
        let found = found.unwrap_or_else(|| panic!("alone {bytes} is no element"));
        assert_eq!((alone.name(found), alone.namespace(found)), (name, tree.namespace(*id)), "alone: {bytes}");
        // "html" and "body" may have more, of tags that came later.
        let own = tree.attributes(*id).take_while(|attribute| attribute.span().end <= span.end);
        let own = own.map(|attribute| (attribute.name(), attribute.value()));
        let wanted = alone.attributes(found).map(|attribute| (attribute.name(), attribute.value()));
        assert!(own.eq(wanted), "alone {bytes} has other attributes");
        let others = tree.attributes(*id).skip_while(|attribute| attribute.span().end <= span.end);
        let may_have_more = name == "html" || name == "body";
        assert!(may_have_more || others.count() == 0, "attributes outside {bytes}");
    }
}
