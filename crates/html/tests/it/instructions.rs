//! Processing instructions, which are nodes since 2026 (whatwg/html pull request 12118). After what web-platform-tests'
//! `html/syntax/parsing/resources/processing-instructions.dat` covers; Chromium 156 agrees.

use html::{Kind, NodeId, Options, Tree};

use crate::body::in_body;

fn parsed(source: &str, scripting: bool) -> Tree {
    html::parse(source.to_owned(), &Options { scripting, ..Options::default() })
}

fn instructions(tree: &Tree) -> Vec<NodeId> {
    let everywhere = |root: NodeId| tree.descendants(root).collect::<Vec<_>>();
    let mut found = everywhere(NodeId::DOCUMENT);
    let fragments: Vec<NodeId> = found.iter().filter_map(|id| tree.contents(*id)).collect();
    found.extend(fragments.into_iter().flat_map(everywhere));
    found.retain(|id| tree.kind(*id) == Kind::Instruction);
    found
}

/// Names of the elements around a node, outermost first.
fn path(tree: &Tree, id: NodeId) -> String {
    let around = std::iter::successors(tree.parent(id), |id| tree.parent(*id));
    let mut names: Vec<&str> = around.filter(|id| tree.kind(*id) == Kind::Element).map(|id| tree.name(id)).collect();
    names.reverse();
    names.join(" ")
}

#[test]
fn a_target_and_what_follows_it_make_a_node() {
    for (source, target, data) in [
        ("<?tool>", "tool", ""),
        ("<?tool?>", "tool", ""),
        ("<?tool on>", "tool", "on"),
        ("<?tool on?>", "tool", "on"),
        // Letter case and every character of a name stay.
        ("<?MiXed Case?>", "MiXed", "Case"),
        ("<?_?>", "_", ""),
        ("<?_9-x_ 1>", "_9-x_", "1"),
        ("<?q--->", "q---", ""),
        // Names that only start or end like those of XML.
        ("<?xmlish>", "xmlish", ""),
        ("<?xml-style>", "xml-style", ""),
        ("<?xml-stylesheets a>", "xml-stylesheets", "a"),
        ("<?_xml>", "_xml", ""),
        // White space between target and data is no data; after it, it is.
        ("<?tool \t\x0C\n\r\n on >", "tool", "on "),
        ("<?tool >", "tool", ""),
        ("<?tool ?>", "tool", ""),
        // One question mark before the end is the end's; the first after a target is data unless it is that.
        ("<?tool on??>", "tool", "on?"),
        ("<?tool???>", "tool", "??"),
        ("<?tool?on>", "tool", "?on"),
        ("<?tool ? >", "tool", "? "),
        ("<?tool on? off>", "tool", "on? off"),
        // Nothing is markup in it, and references are no references.
        ("<?tool <b a='&amp;'>", "tool", "<b a='&amp;'"),
        ("<?tool <!-- -->", "tool", "<!-- --"),
        ("<?tool a\0b\r\nc\rd>", "tool", "a\u{FFFD}b\nc\nd"),
    ] {
        let tree = parsed(&format!("<body>{source}"), true);
        let [id] = instructions(&tree)[..] else { panic!("no instruction: {source}\n{}", in_body(&tree)) };
        assert_eq!((tree.target(id), tree.data(id)), (target, data), "{source}");
        assert_eq!(tree.span(id).map(|span| &tree.source()[span]), Some(source));
    }
}

#[test]
fn the_first_greater_than_sign_ends_it() {
    assert_eq!(in_body(&parsed("<body><?tool a='>'?>", true)), "<?tool a='?>\n\"'?>\"");
}

#[test]
fn what_has_no_target_of_its_own_is_a_comment() {
    for source in [
        "<?xml>",
        "<?XML>",
        "<?xMl ?>",
        "<?xml version='1.0'?>",
        "<?xml?>",
        "<?xml-stylesheet>",
        "<?XML-StyleSheet href='a'?>",
        "<?>",
        "<??>",
        "<? tool>",
        "<?9th>",
        "<?-tool>",
        "<?.tool>",
        "<?$>",
        "<?tool:part>",
        "<?tool.part a>",
        "<?tool/>",
        "<?tool=1>",
        "<?tool\"a\">",
        "<?tool<b>",
        "<?t\u{F3}ol>",
        "<?\u{FA}til>",
        "<?tool\u{A0}a>",
    ] {
        let tree = parsed(&format!("<body>{source}"), true);
        let data = source.strip_prefix('<').unwrap().strip_suffix('>').unwrap();
        assert_eq!(in_body(&tree), format!("<!-- {data} -->"), "{source}");
        let id = tree.descendants(NodeId::DOCUMENT).find(|id| tree.kind(*id) == Kind::Comment).unwrap();
        assert_eq!(tree.span(id).map(|span| &tree.source()[span]), Some(source));
    }
    assert_eq!(in_body(&parsed("<body><?to\0ol>", true)), "<!-- ?to\u{FFFD}ol -->");
}

#[test]
fn one_that_the_source_ends_in_is_nothing() {
    for source in
        ["<?", "<?t", "<?tool", "<?tool ", "<?tool?", "<?tool on", "<?tool on?", "<?tool ??", "<?xml", "<?XML-"]
    {
        assert_eq!(in_body(&parsed(&format!("<body>a{source}"), true)), "\"a\"", "{source}");
    }
}

#[test]
fn a_malformed_one_that_the_source_ends_in_is_a_comment() {
    for source in ["<?9", "<?-", "<? ", "<??", "<?tool$", "<?xml ", "<?xml a", "<?xml?", "<?\u{E9}"] {
        let tree = parsed(&format!("<body>{source}"), true);
        assert_eq!(in_body(&tree), format!("<!-- {} -->", &source[1..]), "{source}");
    }
}

#[test]
fn it_goes_where_a_comment_goes() {
    for (source, wanted) in [
        ("<?i>", ""),
        ("<!DOCTYPE html><?i>", ""),
        ("<html><?i>", "html"),
        ("<head><?i>", "html head"),
        ("<head></head><?i>", "html"),
        ("<body><?i>", "html body"),
        ("<p><?i>", "html body p"),
        ("<table><?i>", "html body table"),
        ("<table>x<?i>", "html body table"),
        ("<table><caption><?i>", "html body table caption"),
        ("<table><colgroup><?i>", "html body table colgroup"),
        ("<table><thead><?i>", "html body table thead"),
        ("<table><tr><?i>", "html body table tbody tr"),
        ("<table><td><?i>", "html body table tbody tr td"),
        ("<select><?i>", "html body select"),
        ("<template><?i>", "html head template"),
        ("<template><td></td><?i>", "html head template"),
        ("<svg><?i>", "html body svg"),
        ("<svg><desc><?i>", "html body svg desc"),
        ("<math><mi><?i>", "html body math mi"),
        ("<body></body><?i>", "html"),
        ("<body></body></html><?i>", ""),
        ("<frameset><?i>", "html frameset"),
        ("<frameset></frameset><?i>", "html"),
        ("<frameset></frameset></html><?i>", ""),
    ] {
        let tree = parsed(source, true);
        let [id] = instructions(&tree)[..] else { panic!("no instruction: {source}") };
        assert_eq!(path(&tree, id), wanted, "{source}");
    }
    let tree = parsed("<head><noscript><?i>", false);
    assert_eq!(path(&tree, instructions(&tree)[0]), "html head noscript");
}

#[test]
fn it_is_text_where_tags_are_text() {
    for name in
        ["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript", "plaintext"]
    {
        let tree = parsed(&format!("<body><{name}><?i></{name}>"), true);
        assert!(instructions(&tree).is_empty(), "{name}");
    }
    assert_eq!(in_body(&parsed("<svg><![CDATA[<?i>]]>", true)), "<svg svg>\n  \"<?i>\"");
}
