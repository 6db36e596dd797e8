//! Which tags of the source an element has: the start tag that made it, or none, and the end tag that closed it.

use html::{Kind, NodeId, Options, Origin, Tree};

/// Sources, and their elements in order: in brackets what is implied, with a star what is a copy, and which of the
/// source's end tags closed it. What a template holds comes last.
const CASES: &[(&str, &str)] = &[
    ("<html><head></head><body></body></html>", "html 3, head 1, body 2"),
    ("</head></html>", "(html) 2, (head) 1, (body)"),
    ("<head><body a=1>", "(html), head, body"),
    ("<title></title><script></script>", "(html), (head), title 1, script 2, (body)"),
    ("<title>", "(html), (head), title, (body)"),
    ("<body></body><p></html>", "(html) 2, (head), body 1, p"),
    ("<table></tr></caption></table>a</x>", "(html), (head), (body), table 3"),
    ("<frameset><frameset></frameset></frameset></html>", "(html) 3, (head), frameset 2, frameset 1"),
    ("<div><p></div>", "(html), (head), (body), div 1, p"),
    ("<body></p>", "(html), (head), body, (p) 1"),
    ("<p></p>", "(html), (head), (body), p 1"),
    ("</br>", "(html), (head), (body), (br)"),
    ("<ul><li><p><div></li></ul>", "(html), (head), (body), ul 2, li 1, p, div"),
    ("<dl><dd><div></dd><dt></dd></dt></dl>", "(html), (head), (body), dl 4, dd 1, div, dt 3"),
    ("<h1><span></h3>", "(html), (head), (body), h1 1, span"),
    ("<form><div></form></div>", "(html), (head), (body), form 1, div 2"),
    ("<form><object></form>", "(html), (head), (body), form, object"),
    ("<template><form><p></form>", "(html), (head), template, (body), form 1, p"),
    ("<b><i></i></b>", "(html), (head), (body), b 2, i 1"),
    ("<b><p></b></p>", "(html), (head), (body), b 1, p 2, b* 1"),
    ("<object><b></object>", "(html), (head), (body), object 1, b"),
    ("<x><y></x>", "(html), (head), (body), x 1, y"),
    ("<template><p></template>", "(html), (head), template 1, (body), p"),
    (
        "<table><caption></caption><colgroup></colgroup><thead><tr><th></th></tr></thead></table>",
        "(html), (head), (body), table 6, caption 1, colgroup 2, thead 5, tr 4, th 3",
    ),
    ("<table><tbody><tr><td><p></td></tr></tbody></table>", "(html), (head), (body), table 4, tbody 3, tr 2, td 1, p"),
    ("<table><caption></table>", "(html), (head), (body), table 1, caption"),
    ("<table><td></table>", "(html), (head), (body), table 1, (tbody), (tr), td"),
    (
        "<select><option></option><optgroup></optgroup></select>",
        "(html), (head), (body), select 3, option 1, optgroup 2",
    ),
    ("<svg><g><path/></g></svg>", "(html), (head), (body), svg 2, g 1, path"),
    ("<math><mi><p></mi>", "(html), (head), (body), math, mi, p"),
    ("<button><a></button>", "(html), (head), (body), button 1, a"),
];

/// The elements of a tree as the table writes them.
fn tags(tree: &Tree) -> String {
    let mut roots = vec![NodeId::DOCUMENT];
    let mut written = Vec::new();
    let mut at = 0;
    while let Some(root) = roots.get(at).copied() {
        for id in tree.descendants(root).filter(|id| tree.kind(*id) == Kind::Element) {
            let name = match tree.origin(id) {
                Origin::Source => tree.name(id).to_owned(),
                Origin::Implied => format!("({})", tree.name(id)),
                Origin::Clone => format!("{}*", tree.name(id)),
            };
            let number = tree.end_tag(id).map(|span| tree.source()[..=span.start].matches("</").count() + 1);
            written.push(number.map_or(name.clone(), |number| format!("{name} {number}")));
            roots.extend(tree.contents(id));
        }
        at += 1;
    }
    written.join(", ")
}

#[test]
fn an_element_has_the_tags_that_made_and_closed_it() {
    for (source, wanted) in CASES {
        let tree = html::parse((*source).to_owned(), &Options::default());
        assert_eq!(tags(&tree), *wanted, "{source}");
    }
}
