//! The page as markup: everything that one walk over the tree found, and how it is asked for. Unjudged.

use std::sync::{Arc, OnceLock};

use url::Url;

use super::charset::Charset;
use super::detected_language::Sample;
use super::document::{Document, Element, NodeId};
use super::elements::{Anchor, LinkElement, Meta};
use super::evidence::Memo;
use super::garbled::Garbled;
use super::item::Item;
use super::jsonld::JsonLd;
use super::listed::Listed;
use super::lost_head::LostHead;
use super::source_marks::{SourceMark, SourceMarks};
use super::text::VisibleText;
use super::tree_size::TreeSize;

/// A parsed HTML document with its facts.
#[derive(Debug)]
pub struct Html {
    /// The tree.
    pub document: Document,
    /// How the bytes were decoded.
    pub charset: Charset,
    /// The bytes are UTF-8 that nobody declared: a browser misreads them, and so does this document.
    pub unlabelled_utf8: bool,
    /// The byte of the file from which on its bytes are the source: behind a byte order mark, or the first. `None` where
    /// decoding changed something.
    pub(crate) verbatim_from: Option<usize>,
    /// The body was cut before its end.
    pub cut: bool,
    /// URL of the document.
    pub url: Url,
    /// What relative addresses resolve against (WHATWG HTML §2.4.3): the first `base`, unless it is no URL or one of
    /// `data:` or `javascript:`, else the document's URL.
    pub base: Url,
    /// `base` elements in order.
    pub bases: Vec<NodeId>,
    /// HTML `title` elements in order, wherever they are.
    pub titles: Vec<NodeId>,
    /// `meta` elements in order.
    pub metas: Vec<Meta>,
    /// `link` elements in order.
    pub links: Vec<LinkElement>,
    /// `a[href]` elements in order.
    pub anchors: Vec<Anchor>,
    /// Places in `anchors` of the links that probes look for: to a file below `/.well-known/`, an app, or a store of apps.
    pub to_probes: Vec<usize>,
    /// A field asks for a password.
    pub asks_password: bool,
    /// A field or a script of its own asks for a passkey (WebAuthn).
    pub asks_passkey: bool,
    /// `img` elements in order.
    pub images: Vec<NodeId>,
    /// Address of the image whose size a fix needs, looked for when it is first asked for.
    pub(crate) image_to_measure: OnceLock<Option<Url>>,
    /// What its text says of its language, looked at when it is first asked for.
    pub(crate) sample: OnceLock<Option<Sample>>,
    /// What it says about itself, settled when it is first asked for.
    pub(crate) resolved: Memo,
    /// Rare texts that its source lacks.
    pub(super) marks: SourceMarks,
    /// `h1` to `h6` in order, with their level.
    pub headings: Vec<(u8, NodeId)>,
    /// `script` elements in order, data blocks too.
    pub scripts: Vec<NodeId>,
    /// `style` elements in order.
    pub styles: Vec<NodeId>,
    /// Comments in order.
    pub(crate) comments: Vec<NodeId>,
    /// `a` elements in order, those without `href` too.
    pub hyperlinks: Vec<NodeId>,
    /// `area`, `form`, and every element that asks for something by an address in an attribute of its own, but `link`, in
    /// order: what checks on addresses go through instead of the whole tree.
    pub addressed: Vec<NodeId>,
    /// `time` elements, in order.
    pub(crate) times: Vec<NodeId>,
    /// Elements by what checks look for in them.
    pub listed: Listed,
    /// What broke the head, when something did.
    pub lost_head: Option<LostHead>,
    /// Text that a person sees.
    pub text: Arc<VisibleText>,
    /// JSON-LD blocks.
    pub json_ld: JsonLd,
    /// JSON-LD `script` elements, in the order of the blocks.
    pub json_ld_scripts: Vec<NodeId>,
    /// Items of microdata and RDFa.
    pub(crate) items: Vec<Item>,
    /// Elements with `itemscope`, whatever their vocabulary, in order.
    pub(crate) scopes: Vec<NodeId>,
    /// Elements with `typeof`, in order.
    pub(crate) typed: Vec<NodeId>,
}

impl Html {
    /// Page text as its author meant it: undoes the misreading of undeclared UTF-8, for text that goes into a fix.
    pub fn as_meant(&self, text: &str) -> String {
        if !self.unlabelled_utf8 {
            return text.to_owned();
        }
        let (bytes, _, lossy) = self.charset.encoding.encode(text);
        match std::str::from_utf8(&bytes) {
            Ok(meant) if !lossy => meant.to_owned(),
            _ => text.to_owned(),
        }
    }

    /// Text as the document was read, of what it means: undoes [`Self::as_meant`], for a value that goes into a block which
    /// passes that as a whole.
    pub(crate) fn as_read(&self, meant: &str) -> String {
        if !self.unlabelled_utf8 {
            return meant.to_owned();
        }
        self.charset.encoding.decode_without_bom_handling(meant.as_bytes()).0.into_owned()
    }

    /// The same for text in which some was misread and some was not: each run of characters outside of ASCII by itself.
    pub(crate) fn as_meant_in_runs(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let ascii = rest.find(|c: char| !c.is_ascii()).unwrap_or(rest.len());
            let (plain, other) = rest.split_at(ascii);
            let (run, after) = other.split_at(other.find(|c: char| c.is_ascii()).unwrap_or(other.len()));
            out.push_str(plain);
            out.push_str(&self.as_meant(run));
            rest = after;
        }
        out
    }

    /// Whether there is an element with `itemscope` or `typeof`, whatever its vocabulary.
    pub fn has_items(&self) -> bool {
        !self.scopes.is_empty() || !self.typed.is_empty()
    }

    /// Whether a rare text is nowhere in the source.
    pub(crate) fn lacks(&self, mark: SourceMark) -> bool {
        self.marks.lacks(mark, self.document.source())
    }

    /// What of the prose came out wrong.
    pub(crate) fn garbled(&self) -> Option<&Garbled> {
        let garbled = &self.resolved.of_body.garbled;
        garbled.get_or_init(|| Garbled::of_prose(&self.document, &self.text.text)).as_ref()
    }

    /// How large the document is.
    pub(crate) fn size(&self) -> TreeSize {
        let of_body = |body| *self.resolved.of_body.size.get_or_init(|| TreeSize::below(body, 1));
        TreeSize::whole(&self.document, self.document.body().map(|body| (body, of_body(body))))
    }

    /// The element of an id of this document.
    pub fn element(&self, id: NodeId) -> Option<Element<'_>> {
        self.document.element(id)
    }

    /// The elements of some ids.
    pub fn elements<'p>(&'p self, ids: &'p [NodeId]) -> impl Iterator<Item = Element<'p>> {
        ids.iter().filter_map(|id| self.document.element(*id))
    }

    /// Whether an element of the metadata that the head lost satisfies `wanted`.
    pub fn has_lost(&self, wanted: impl Fn(Element<'_>) -> bool) -> bool {
        self.lost_head.iter().flat_map(|broken| self.elements(&broken.lost)).any(wanted)
    }

    /// What its text tells of its language; looked at once.
    pub(crate) fn language_sample(&self) -> Option<&Sample> {
        self.sample.get_or_init(|| Sample::of(&self.text.text, self.text.words)).as_ref()
    }

    /// Resolves an address as the document would.
    pub fn resolve(&self, href: &str) -> Option<Url> {
        self.charset.parse_url(&self.base, href)
    }

    /// The same against another base.
    pub fn resolve_against(&self, base: &Url, href: &str) -> Option<Url> {
        self.charset.parse_url(base, href)
    }

    /// `meta` elements of a name, in order.
    pub fn metas_named<'p>(&'p self, name: &'p str) -> impl Iterator<Item = &'p Meta> {
        self.metas.iter().filter(move |meta| meta.name.as_deref() == Some(name))
    }

    /// First non-empty content of a `meta` name.
    pub fn meta(&self, name: &str) -> Option<&str> {
        self.metas
            .iter()
            .filter(|meta| meta.name.as_deref() == Some(name))
            .find_map(|meta| filled(meta.content.as_deref()))
    }

    /// First non-empty content of a social key (one of `property`, else `name`).
    pub fn social(&self, key: &str) -> Option<&str> {
        let has_key = |meta: &&Meta| meta.social_keys().any(|one| one == key);
        self.metas.iter().filter(has_key).find_map(|meta| filled(meta.content.as_deref()))
    }

    /// Elements that say `value` in place of `content`, each with its key. What `lost_head` lost is not among them.
    pub fn misspelt_metas(&self) -> impl Iterator<Item = (&Meta, &str)> {
        let is_lost = |meta: &Meta| self.lost_head.as_ref().is_some_and(|broken| broken.lost.contains(&meta.node));
        self.metas.iter().filter(move |meta| meta.has_one_reader() && !is_lost(meta)).filter_map(|meta| {
            let is_filled = meta.misspelt_content.as_deref().is_some_and(|value| !value.is_empty());
            let key = meta.social_key().or(meta.http_equiv.as_deref()).filter(|key| is_filled && !key.is_empty())?;
            Some((meta, key))
        })
    }

    /// Whether the page has a key in no other way than misspelt.
    pub fn is_misspelt(&self, key: &str) -> bool {
        self.social(key).is_none() && self.misspelt_metas().any(|(_, known)| known == key)
    }

    /// Width and height that the social tags state of their image.
    pub fn social_image_size(&self) -> Option<(u32, u32)> {
        let side = |key| self.social(key).and_then(|value| value.trim().parse::<u32>().ok());
        side("og:image:width").zip(side("og:image:height"))
    }

    /// Text of the first HTML title, collapsed; empty when it is blank.
    pub fn title(&self) -> Option<String> {
        self.elements(&self.titles).next().map(Element::text)
    }

    /// `link` elements with a rel token, in order.
    pub fn links_rel<'p>(&'p self, rel: &'p str) -> impl Iterator<Item = &'p LinkElement> {
        self.links.iter().filter(move |link| link.is(rel))
    }
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}
