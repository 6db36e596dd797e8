//! Differences that were judged: what makes them, and who is right.

use super::our_tree::ours;

/// A group of differences that have one cause.
#[derive(Debug)]
pub(super) struct ExpectedDifference {
    /// What a report calls it; explained in `docs/html-parser/`.
    pub(super) name: &'static str,
    /// What the smallest source of such a difference holds; a part in lower case in any case. Without the fragments that
    /// hold the first part, a document does not show it.
    pub(super) parts: &'static [&'static str],
    /// The other parser sees such a source as we see it with the first of these replaced by the second.
    pub(super) reads: Option<(&'static str, &'static str)>,
}

impl ExpectedDifference {
    /// Whether a source made small is of this group.
    pub(super) fn explains(&self, source: &str, their_tree: &str, scripting: bool) -> bool {
        self.parts.iter().all(|part| holds(source, part))
            && self.reads.is_none_or(|(from, to)| ours(&source.replace(from, to), scripting) == their_tree)
    }

    /// Whether a fragment is needed for such a difference.
    pub(super) fn is_caused_by(&self, fragment: &str) -> bool {
        self.parts.first().is_some_and(|part| holds(fragment, part))
    }
}

fn holds(source: &str, part: &str) -> bool {
    source.contains(part) || source.to_ascii_lowercase().contains(part)
}

/// Where html5ever 0.40.1 is known to differ.
pub(super) const HTML5EVER: [ExpectedDifference; 20] = [
    known("processing instructions are comments", &["<?"]),
    known("selectedcontent stays empty", &["<selectedcontent", "<option"]),
    known("shadowrootmode in capitals is none", &["shadowrootmode=OPEN"]),
    known("</p> in annotation-xml", &["<annotation-xml", "</p"]),
    known("a line feed after <pre></>", &["<pre", "</>"]),
    known("a line feed after <pre></>", &["<listing", "</>"]),
    known("isindex is special", &["<isindex"]),
    known("search is not special", &["<search"]),
    known("thead in a template closes for nothing", &["<template", "<thead"]),
    known("a doctype in a table is not seen", &["<!doctype", "<t"]),
    known("text right in a template is not text in a table", &["<template", "<tr"]),
    known("text right in a template is not text in a table", &["<template", "<tbody"]),
    known("text right in a template is not text in a table", &["<template", "<tfoot"]),
    known("no template fills a marker", &["<template for=", "<?"]),
    known("popped out of an SVG integration point", &["<svg", "<title"]),
    known("popped out of an SVG integration point", &["<svg", "<desc"]),
    known("popped out of an SVG integration point", &["<svg", "<foreignobject"]),
    known("popped out of a MathML integration point", &["<math", "<mi"]),
    known("popped out of a MathML integration point", &["<math", "<mtext"]),
    known("popped out of a MathML integration point", &["<math", "<annotation-xml"]),
];

/// Where Chromium 156 is known to differ.
pub(super) const CHROMIUM: [ExpectedDifference; 21] = [
    ExpectedDifference { reads: Some(("\0", "")), ..known("NUL before the body is nothing", &["\0"]) },
    ExpectedDifference {
        reads: Some(("\0", "\u{fffd}")),
        ..known("NUL after a stray < or in CDATA is U+FFFD", &["\0"])
    },
    known("basefont and bgsound in a template are read as in a body", &["<basefont", "<template"]),
    known("basefont and bgsound in a template are read as in a body", &["<bgsound", "<template"]),
    known("U+FFFD keeps no frameset away", &["&#", "<frameset"]),
    known("a template keeps no frameset away", &["<template", "<frameset"]),
    known("search is not special", &["<search"]),
    known("selectedcontent that moves is filled anew", &["<selectedcontent>", "<select>", "</"]),
    known("a form in a table in a template is one", &["<form", "<template", "<table"]),
    known("a form in a table in a template is one", &["<form", "<template", "<tbody"]),
    known("a form in a table in a template is one", &["<form", "<template", "<thead"]),
    known("a form in a table in a template is one", &["<form", "<template", "<tfoot"]),
    known("a form in a table in a template is one", &["<form", "<template", "<tr"]),
    known("text right in a template is not text in a table", &["<template", "<tr"]),
    known("text right in a template is not text in a table", &["<template", "<tbody"]),
    known("text right in a template is not text in a table", &["<template", "<tfoot"]),
    known("white space after the body reopens no formatting", &["</body"]),
    known("white space after the body reopens no formatting", &["</html"]),
    known(
        "an end tag amid SVG is spelt as SVG spells it, and so closes no element of HTML",
        &["</foreignobject", "<svg"],
    ),
    known("the end tag of a form in a template is any other end tag", &["</form", "<form", "<template"]),
    // With scripting off.
    ExpectedDifference {
        reads: Some(("<head>", "</noscript>")),
        ..known("a head in a noscript of the head ends that", &["<noscript", "<head"])
    },
];

const fn known(name: &'static str, parts: &'static [&'static str]) -> ExpectedDifference {
    ExpectedDifference { name, parts, reads: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(source: &str, their_tree: &str) -> Option<&'static str> {
        CHROMIUM.iter().find(|known| known.explains(source, their_tree, false)).map(|known| known.name)
    }

    #[test]
    fn a_group_explains_only_the_tree_that_its_cause_gives() {
        let theirs = ours("<noscript></noscript> ", false);
        assert_eq!(group("<noscript><head> ", &theirs), Some("a head in a noscript of the head ends that"));
        assert_eq!(group("<noscript><head> ", "another"), None);
    }

    #[test]
    fn every_part_of_a_group_is_needed() {
        let form = Some("the end tag of a form in a template is any other end tag");
        assert_eq!(group("<template><form><div></form>a", "theirs"), form);
        assert_eq!(group("<form><div></form>a", "theirs"), None);
        assert_eq!(group("<template><table><form>", "theirs"), Some("a form in a table in a template is one"));
        assert_eq!(group("<template><tr><form>", "theirs"), Some("a form in a table in a template is one"));
        assert_eq!(group("<template><form>", "theirs"), None);
    }
}
