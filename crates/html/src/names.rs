//! Names of elements and attributes as numbers.
//!
//! Known names have fixed numbers, found by a table made at compile time; other element names get theirs from
//! [`Interner`](crate::arena::Interner) as they come.

#![expect(clippy::indexing_slicing, reason = "the tables are made while this is compiled")]

mod attributes;
mod traits;

use crate::namespace::Namespace;
use traits::TRAITS;
pub(crate) use traits::Trait;

/// The number of an element name in lower case. Known names come first, then those of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TagId(pub(crate) u32);

/// The number of a known attribute name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AttributeId(pub(crate) u16);

impl AttributeId {
    /// No known name.
    pub(crate) const UNKNOWN: Self = Self(0x1FFF);
}

/// Slots of the tables; a power of two well above the number of names.
const SLOTS: usize = 1024;
/// An empty slot.
const EMPTY: u16 = u16::MAX;

/// A hash of a name's letters in lower case, computed while it is read. Collisions only cost a comparison.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mixed(u64);

impl Mixed {
    /// The hash of an empty name.
    pub(crate) const START: Self = Self(0);

    /// With one more byte.
    pub(crate) const fn with(self, byte: u8) -> Self {
        Self(self.0.rotate_left(5) ^ (byte | 0x20) as u64)
    }

    const fn of(name: &[u8]) -> Self {
        let mut mixed = Self::START;
        let mut rest = name;
        while let [first, tail @ ..] = rest {
            mixed = mixed.with(*first);
            rest = tail;
        }
        mixed
    }

    const fn slot(self) -> usize {
        (self.0.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize
    }
}

/// Open addressing over the names, each where its hash says or in the next free slot.
const fn table(names: &[&str]) -> [u16; SLOTS] {
    let mut slots = [EMPTY; SLOTS];
    let mut at = 0;
    while at < names.len() {
        let mut place = Mixed::of(names[at].as_bytes()).slot();
        while slots[place] != EMPTY {
            place = (place + 1) % SLOTS;
        }
        slots[place] = at as u16;
        at += 1;
    }
    slots
}

const fn position(names: &[&str], wanted: &str) -> u32 {
    let mut at = 0;
    while at < names.len() {
        if is_same(names[at].as_bytes(), wanted.as_bytes()) {
            return at as u32;
        }
        at += 1;
    }
    panic!("a name that is not in its table")
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// One of 16 bits for the name of an attribute, in any letter case: by its length, its first byte and its last. The factors are
/// those that part the names that elements have from those that are asked for. Of a literal it costs nothing.
#[inline]
pub(crate) const fn name_bit(name: &str) -> u16 {
    let bytes = name.as_bytes();
    let [first, ..] = bytes else { return 1 };
    let last = bytes[bytes.len() - 1];
    1 << (((*first | 0x20) as usize * 3 + (last | 0x20) as usize + bytes.len() * 5) % 16)
}

/// The place of a name among `names`, letter case ignored.
fn find(slots: &[u16; SLOTS], names: &[&str], name: &[u8], mixed: Mixed) -> Option<u16> {
    let mut place = mixed.slot();
    loop {
        let at = *slots.get(place)?;
        let known = names.get(at as usize)?;
        if known.len() == name.len() && known.as_bytes().eq_ignore_ascii_case(name) {
            return Some(at);
        }
        place = (place + 1) % SLOTS;
    }
}

macro_rules! tags {
    ($($constant:ident $name:literal)*) => {
        const TAGS: &[&str] = &[$($name),*];
        #[expect(dead_code, reason = "most names only need their number")]
        impl TagId {
            $(pub(crate) const $constant: Self = Self(position(TAGS, $name));)*
        }
    };
}

tags! {
    A "a" ABBR "abbr" ADDRESS "address" ANNOTATION_XML "annotation-xml" APPLET "applet" AREA "area" ARTICLE "article"
    ASIDE "aside" AUDIO "audio" B "b" BASE "base" BASEFONT "basefont" BDI "bdi" BDO "bdo" BGSOUND "bgsound" BIG "big"
    BLOCKQUOTE "blockquote" BODY "body" BR "br" BUTTON "button" CANVAS "canvas" CAPTION "caption" CENTER "center"
    CITE "cite" CODE "code" COL "col" COLGROUP "colgroup" DATA "data" DATALIST "datalist" DD "dd" DEL "del" DESC "desc"
    DETAILS "details" DFN "dfn" DIALOG "dialog" DIR "dir" DIV "div" DL "dl" DT "dt" EM "em" EMBED "embed"
    FIELDSET "fieldset" FIGCAPTION "figcaption" FIGURE "figure" FONT "font" FOOTER "footer" FOREIGN_OBJECT "foreignobject"
    FORM "form" FRAME "frame" FRAMESET "frameset" H1 "h1" H2 "h2" H3 "h3" H4 "h4" H5 "h5" H6 "h6" HEAD "head"
    HEADER "header" HGROUP "hgroup" HR "hr" HTML "html" I "i" IFRAME "iframe" IMAGE "image" IMG "img" INPUT "input"
    INS "ins" KBD "kbd" KEYGEN "keygen" LABEL "label" LEGEND "legend" LI "li" LINK "link" LISTING "listing" MAIN "main"
    MALIGNMARK "malignmark" MAP "map" MARK "mark" MARQUEE "marquee" MATH "math" MENU "menu" META "meta" METER "meter"
    MGLYPH "mglyph" MI "mi" MN "mn" MO "mo" MS "ms" MTEXT "mtext" NAV "nav" NOBR "nobr" NOEMBED "noembed"
    NOFRAMES "noframes" NOSCRIPT "noscript" OBJECT "object" OL "ol" OPTGROUP "optgroup" OPTION "option" OUTPUT "output"
    P "p" PARAM "param" PICTURE "picture" PLAINTEXT "plaintext" PRE "pre" PROGRESS "progress" Q "q" RB "rb" RP "rp"
    RT "rt" RTC "rtc" RUBY "ruby" S "s" SAMP "samp" SCRIPT "script" SEARCH "search" SECTION "section" SELECT "select"
    SELECTEDCONTENT "selectedcontent" SLOT "slot" SMALL "small" SOURCE "source" SPAN "span" STRIKE "strike"
    STRONG "strong" STYLE "style" SUB "sub" SUMMARY "summary" SUP "sup" SVG "svg" TABLE "table" TBODY "tbody" TD "td"
    TEMPLATE "template" TEXTAREA "textarea" TFOOT "tfoot" TH "th" THEAD "thead" TIME "time" TITLE "title" TR "tr"
    TRACK "track" TT "tt" U "u" UL "ul" VAR "var" VIDEO "video" WBR "wbr" XMP "xmp"
    G "g" PATH "path" RECT "rect" CIRCLE "circle" ELLIPSE "ellipse" LINE "line" POLYGON "polygon" POLYLINE "polyline"
    DEFS "defs" USE "use" SYMBOL "symbol" TEXT "text" TSPAN "tspan" MASK "mask" PATTERN "pattern" STOP "stop" VIEW "view"
    MROW "mrow" MFRAC "mfrac" MSUP "msup" MSUB "msub" MSQRT "msqrt" SEMANTICS "semantics" ANNOTATION "annotation"
    ALTGLYPH "altglyph" ALTGLYPHDEF "altglyphdef" ALTGLYPHITEM "altglyphitem" ANIMATECOLOR "animatecolor"
    ANIMATEMOTION "animatemotion" ANIMATETRANSFORM "animatetransform" CLIPPATH "clippath" FEBLEND "feblend"
    FECOLORMATRIX "fecolormatrix" FECOMPONENTTRANSFER "fecomponenttransfer" FECOMPOSITE "fecomposite"
    FECONVOLVEMATRIX "feconvolvematrix" FEDIFFUSELIGHTING "fediffuselighting" FEDISPLACEMENTMAP "fedisplacementmap"
    FEDISTANTLIGHT "fedistantlight" FEDROPSHADOW "fedropshadow" FEFLOOD "feflood" FEFUNCA "fefunca" FEFUNCB "fefuncb"
    FEFUNCG "fefuncg" FEFUNCR "fefuncr" FEGAUSSIANBLUR "fegaussianblur" FEIMAGE "feimage" FEMERGE "femerge"
    FEMERGENODE "femergenode" FEMORPHOLOGY "femorphology" FEOFFSET "feoffset" FEPOINTLIGHT "fepointlight"
    FESPECULARLIGHTING "fespecularlighting" FESPOTLIGHT "fespotlight" FETILE "fetile" FETURBULENCE "feturbulence"
    GLYPHREF "glyphref" LINEARGRADIENT "lineargradient" RADIALGRADIENT "radialgradient" TEXTPATH "textpath"
}

static TAG_SLOTS: [u16; SLOTS] = table(TAGS);

/// SVG element names in mixed case ("adjust SVG tag names" of WHATWG HTML §13.2.6.5).
const SVG_TAGS: [&str; 37] = [
    "altGlyph",
    "altGlyphDef",
    "altGlyphItem",
    "animateColor",
    "animateMotion",
    "animateTransform",
    "clipPath",
    "feBlend",
    "feColorMatrix",
    "feComponentTransfer",
    "feComposite",
    "feConvolveMatrix",
    "feDiffuseLighting",
    "feDisplacementMap",
    "feDistantLight",
    "feDropShadow",
    "feFlood",
    "feFuncA",
    "feFuncB",
    "feFuncG",
    "feFuncR",
    "feGaussianBlur",
    "feImage",
    "feMerge",
    "feMergeNode",
    "feMorphology",
    "feOffset",
    "fePointLight",
    "feSpecularLighting",
    "feSpotLight",
    "feTile",
    "feTurbulence",
    "foreignObject",
    "glyphRef",
    "linearGradient",
    "radialGradient",
    "textPath",
];

/// A known name as SVG spells it.
fn svg_name(name: &'static str, tag: TagId) -> &'static str {
    let spelled = || SVG_TAGS.iter().find(|svg| svg.eq_ignore_ascii_case(name)).copied();
    if tag.has(Trait::SVG_CASE) { spelled().unwrap_or(name) } else { name }
}

impl TagId {
    /// How many names are known; the numbers of a document's own names start there.
    pub(crate) const KNOWN: u32 = TAGS.len() as u32;

    /// The number of a known name, in any letter case.
    pub(crate) fn known(name: &[u8]) -> Option<Self> {
        Self::known_mixed(name, Mixed::of(name))
    }

    /// The same, of a name that was hashed as it was read.
    pub(crate) fn known_mixed(name: &[u8], mixed: Mixed) -> Option<Self> {
        find(&TAG_SLOTS, TAGS, name, mixed).map(|at| Self(at.into()))
    }

    /// The known name, as elements of that namespace have it.
    #[inline]
    pub(crate) fn text(self, namespace: Namespace) -> Option<&'static str> {
        let name = TAGS.get(self.0 as usize)?;
        if namespace == Namespace::Svg { Some(svg_name(name, self)) } else { Some(name) }
    }

    /// The lists of the standard that have the name.
    #[inline]
    pub(crate) fn traits(self) -> Trait {
        static OF_NAMES: [Trait; TAGS.len()] = TRAITS;
        OF_NAMES.get(self.0 as usize).copied().unwrap_or(Trait::NONE)
    }

    /// The same, while this is compiled.
    pub(crate) const fn traits_of_known(self) -> Trait {
        TRAITS[self.0 as usize]
    }

    /// Whether the name is on a list.
    #[inline]
    pub(crate) fn has(self, wanted: Trait) -> bool {
        self.traits().has(wanted)
    }

    /// `h1` to `h6`.
    pub(crate) fn is_heading(self) -> bool {
        matches!(self, Self::H1 | Self::H2 | Self::H3 | Self::H4 | Self::H5 | Self::H6)
    }
}
