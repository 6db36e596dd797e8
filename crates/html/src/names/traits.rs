//! The lists of element names that the standard keeps (WHATWG HTML §13.2).

use super::{SVG_TAGS, TAGS, position};

/// Lists of element names that the standard keeps, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trait(u16);

impl Trait {
    /// No list.
    pub(crate) const NONE: Self = Self(0);
    /// The "special" category of HTML elements (§13.2.4.2).
    pub(crate) const SPECIAL: Self = Self(1);
    /// HTML elements that bound "in scope" (§13.2.4.2).
    pub(crate) const SCOPE: Self = Self(1 << 1);
    /// HTML elements whose end tags are implied (§13.2.6.3).
    pub(crate) const IMPLIED_END: Self = Self(1 << 2);
    /// Formatting elements.
    pub(crate) const FORMATTING: Self = Self(1 << 3);
    /// Start tags that leave foreign content (§13.2.6.5).
    pub(crate) const BREAKOUT: Self = Self(1 << 4);
    /// Elements in which misplaced content is put before the table (§13.2.6.1).
    pub(crate) const FOSTERING: Self = Self(1 << 5);
    /// Elements that decide when the insertion mode is reset (§13.2.4.1).
    pub(crate) const DECIDES_MODE: Self = Self(1 << 6);
    /// Start tags that go by the rules of the head wherever they stand (§13.2.6.4.7, and others).
    pub(crate) const METADATA: Self = Self(1 << 8);
    /// Elements that close a paragraph and are closed by their end tag, and nothing else (§13.2.6.4.7).
    pub(crate) const BLOCK: Self = Self(1 << 9);
    /// Parts of a table: their start tags end a cell or a caption, and are ignored in the body (§13.2.6.4.7, .11 and .15).
    pub(crate) const TABLE_PART: Self = Self(1 << 10);
    /// Names that are in mixed case in SVG.
    pub(crate) const SVG_CASE: Self = Self(1 << 7);

    /// Whether all bits of `wanted` are there.
    pub(crate) const fn has(self, wanted: Self) -> bool {
        self.0 & wanted.0 == wanted.0
    }
}

const SPECIAL: &[&str] = &[
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "base",
    "basefont",
    "bgsound",
    "blockquote",
    "body",
    "br",
    "button",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dir",
    "div",
    "dl",
    "dt",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "iframe",
    "img",
    "input",
    "keygen",
    "li",
    "link",
    "listing",
    "main",
    "marquee",
    "menu",
    "meta",
    "nav",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "p",
    "param",
    "plaintext",
    "pre",
    "script",
    "search",
    "section",
    "select",
    "source",
    "style",
    "summary",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
    "wbr",
    "xmp",
];
const SCOPE: &[&str] = &["applet", "caption", "html", "table", "td", "th", "marquee", "object", "select", "template"];
const IMPLIED: &[&str] = &["dd", "dt", "li", "optgroup", "option", "p", "rb", "rp", "rt", "rtc"];
const FORMATTING: &[&str] =
    &["a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"];
const BREAKOUT: &[&str] = &[
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strong",
    "strike",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
];
const FOSTERING: &[&str] = &["table", "tbody", "tfoot", "thead", "tr"];
const DECIDES: &[&str] = &[
    "td", "th", "tr", "tbody", "thead", "tfoot", "caption", "colgroup", "table", "template", "head", "body",
    "frameset", "html",
];
const PARTS: &[&str] = &["caption", "col", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"];
const METADATA: &[&str] =
    &["base", "basefont", "bgsound", "link", "meta", "noframes", "script", "style", "template", "title"];
const BLOCK: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "center",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "header",
    "hgroup",
    "main",
    "menu",
    "nav",
    "ol",
    "search",
    "section",
    "summary",
    "ul",
];

/// The lists of each known name.
pub(super) const TRAITS: [Trait; TAGS.len()] = traits();

const fn traits() -> [Trait; TAGS.len()] {
    let mut of = [Trait::NONE; TAGS.len()];
    of = marked(of, METADATA, Trait::METADATA);
    of = marked(of, BLOCK, Trait::BLOCK);
    of = marked(of, SPECIAL, Trait::SPECIAL);
    of = marked(of, SCOPE, Trait::SCOPE);
    of = marked(of, IMPLIED, Trait::IMPLIED_END);
    of = marked(of, FORMATTING, Trait::FORMATTING);
    of = marked(of, BREAKOUT, Trait::BREAKOUT);
    of = marked(of, FOSTERING, Trait::FOSTERING);
    of = marked(of, PARTS, Trait::TABLE_PART);
    of = marked(of, DECIDES, Trait::DECIDES_MODE);
    let mut svg = 0;
    while svg < SVG_TAGS.len() {
        let mut at = 0;
        while at < TAGS.len() {
            if TAGS[at].as_bytes().eq_ignore_ascii_case(SVG_TAGS[svg].as_bytes()) {
                of[at].0 |= Trait::SVG_CASE.0;
            }
            at += 1;
        }
        svg += 1;
    }
    of
}

const fn marked(mut of: [Trait; TAGS.len()], names: &[&str], mark: Trait) -> [Trait; TAGS.len()] {
    let mut at = 0;
    while at < names.len() {
        of[position(TAGS, names[at]) as usize].0 |= mark.0;
        at += 1;
    }
    of
}
