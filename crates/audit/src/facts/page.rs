//! The page as markup: everything that one walk over the tree finds. Unjudged.

use std::borrow::Cow;
use std::sync::OnceLock;

use model::capture::{Capture, Exchange, Source};
use url::Url;

use super::charset::{self, Charset, CharsetSource};
use super::content_type;
use super::document::{Document, Element, NodeId};
use super::jsonld::JsonLd;
use super::listed::{Listed, Parts};
use super::lost_head::{self, LostHead};
use super::names::has_name;
use super::structured_data::Item;
use super::text::{Passing, VisibleText};
use super::{microdata, rdfa};

/// Whether an element is one of [`Html::addressed`].
fn is_addressed(name: &str) -> bool {
    matches!(
        name,
        "a" | "img"
            | "script"
            | "input"
            | "source"
            | "iframe"
            | "video"
            | "audio"
            | "form"
            | "area"
            | "embed"
            | "object"
            | "track"
            | "frame"
            | "button"
    )
}

/// What became of the page's bytes. Reading it is the costly part of an audit; do it off the async workers.
#[derive(Debug)]
pub struct Page {
    /// The document, when the response is one.
    pub html: Option<Html>,
}

/// A parsed HTML document with its facts.
#[derive(Debug)]
pub struct Html {
    /// The tree.
    pub document: Document,
    /// How the bytes were decoded.
    pub charset: Charset,
    /// The bytes are UTF-8 that nobody declared: a browser misreads them, and so does this document.
    pub unlabelled_utf8: bool,
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
    /// `h1` to `h6` in order, with their level.
    pub headings: Vec<(u8, NodeId)>,
    /// `script` elements in order, data blocks too.
    pub scripts: Vec<NodeId>,
    /// `style` elements in order.
    pub styles: Vec<NodeId>,
    /// `a`, `area`, `form`, and every element that asks for something by an address in an attribute of its own,
    /// but `link`, in order: what checks on addresses go through instead of the whole tree.
    pub addressed: Vec<NodeId>,
    /// Elements by what checks look for in them.
    pub listed: Listed,
    /// What broke the head, when something did.
    pub lost_head: Option<LostHead>,
    /// Text that a person sees.
    pub text: VisibleText,
    /// JSON-LD blocks.
    pub json_ld: JsonLd,
    /// JSON-LD `script` elements, in the order of the blocks.
    pub json_ld_scripts: Vec<NodeId>,
    /// Items of microdata and RDFa.
    pub(crate) items: Vec<Item>,
    /// There is an element with `itemscope` or `typeof`, whatever its vocabulary.
    pub has_items: bool,
}

/// A `meta` element.
#[derive(Debug)]
pub struct Meta {
    /// The element.
    pub node: NodeId,
    /// `name`, trimmed and in lower case.
    pub name: Option<String>,
    /// `property`, trimmed and in lower case.
    pub property: Option<String>,
    /// `http-equiv`, trimmed and in lower case.
    pub http_equiv: Option<String>,
    /// `content`, white space collapsed.
    pub content: Option<String>,
    /// Whether it is below `head`.
    pub in_head: bool,
}

impl Meta {
    /// `property`, else `name`: what social readers take.
    pub fn social_key(&self) -> Option<&str> {
        self.property.as_deref().or(self.name.as_deref())
    }

    /// Whether its content is for one reader only: one can be changed for no other.
    pub fn has_one_reader(&self) -> bool {
        [&self.name, &self.property, &self.http_equiv].into_iter().flatten().count() == 1
    }
}

/// A `link` element.
#[derive(Debug)]
pub struct LinkElement {
    /// The element.
    pub node: NodeId,
    /// `rel` tokens in lower case.
    pub rels: Vec<String>,
    /// `href` as written, without the spaces around it that a URL may have.
    pub href: Option<String>,
    /// `href` resolved.
    pub url: Option<Url>,
    /// Whether it is below `head`.
    pub in_head: bool,
}

impl LinkElement {
    /// Whether `rel` has the token.
    pub fn is(&self, rel: &str) -> bool {
        self.rels.iter().any(|token| token == rel)
    }
}

/// Where an `a[href]` leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// http(s) on the page's host.
    Internal,
    /// http(s) elsewhere.
    External,
    /// mailto, tel, javascript and the like, or not a URL.
    Other,
}

/// An `a[href]` element.
#[derive(Debug)]
pub struct Anchor {
    /// The element.
    pub node: NodeId,
    /// `href` resolved; `None` when it is no URL.
    pub url: Option<Url>,
    /// Where it leads.
    pub reach: Reach,
    /// `rel` has `nofollow`.
    pub nofollow: bool,
    /// It has a name for those who can't see it.
    pub named: bool,
}

/// What can be read only when the whole tree was seen: addresses, since a `base` may come late, and JSON-LD.
#[derive(Default)]
struct Waiting {
    links: Vec<NodeId>,
    anchors: Vec<NodeId>,
    /// Text of each block, and where it begins in the source.
    blocks: Vec<(String, usize)>,
    /// Elements with `itemscope`.
    scopes: Vec<NodeId>,
    /// Elements with `typeof`.
    typed: Vec<NodeId>,
}

impl Page {
    /// Reads the page of a capture. Total on any bytes.
    pub fn read(capture: &Capture) -> Self {
        let exchange = capture.page.response().filter(|exchange| is_html(exchange, capture.source));
        Self { html: exchange.and_then(Html::read) }
    }

    /// Bytes of memory that it takes, about: what pages held at once are bounded by.
    pub fn memory(&self) -> usize {
        /// Of a link with its address, about.
        const LINK: usize = 256;
        self.html.as_ref().map_or(0, |html| {
            html.document.memory() + html.text.text.capacity() + (html.anchors.len() + html.links.len()) * LINK
        })
    }
}

/// Whether an address may be what a discovery probe looks for in a page.
fn concerns_probes(url: &Url) -> bool {
    match url.scheme() {
        "http" | "https" => {
            url.path().contains("/.well-known/")
                || matches!(url.host_str(), Some("play.google.com" | "apps.apple.com" | "itunes.apple.com"))
        }
        scheme => matches!(scheme, "android-app" | "market" | "ios-app" | "itms-apps"),
    }
}

/// Whether the response is an HTML document: by its media type, or by its bytes where none is declared.
pub fn is_html(exchange: &Exchange, source: Source) -> bool {
    match content_type::declared(exchange) {
        Some(declared) => content_type::extract(&declared).is_some_and(|kind| kind.is_html()),
        None => !source.has_headers() || looks_like_html(&exchange.body.bytes),
    }
}

/// The media type in a `type` attribute, without parameters, in lower case.
pub fn media_type(kind: &str) -> String {
    kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether bytes start as HTML does (WHATWG MIME Sniffing §7.1, table of patterns).
pub fn looks_like_html(bytes: &[u8]) -> bool {
    const STARTS: [&str; 17] = [
        "<!doctype html",
        "<html",
        "<head",
        "<script",
        "<iframe",
        "<h1",
        "<div",
        "<font",
        "<table",
        "<a",
        "<style",
        "<title",
        "<b",
        "<body",
        "<br",
        "<p",
        "<!--",
    ];
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
    let bytes = bytes.get(start..).unwrap_or_default();
    STARTS.iter().any(|pattern| {
        let (head, rest) = bytes.split_at_checked(pattern.len()).unwrap_or_default();
        let ended =
            *pattern == "<!--" || rest.first().is_none_or(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b'>' | b'/'));
        !head.is_empty() && head.eq_ignore_ascii_case(pattern.as_bytes()) && ended
    })
}

impl Html {
    /// Reads a response that is a document.
    pub(crate) fn read(exchange: &Exchange) -> Option<Self> {
        let url = Url::parse(&exchange.url).ok()?;
        let bytes = &exchange.body.bytes;
        let mut charset = charset::decide(bytes, content_type::declared(exchange).as_deref());
        let mut document = Document::parse(charset.decode(bytes));
        // "Change the encoding": a declaration past the first 1,024 bytes, met by the tree builder; once.
        if let Some(label) = charset.may_change().then(|| late_charset(&document)).flatten()
            && charset.change_to(&label)
        {
            document = Document::parse(charset.decode(bytes));
        }
        let cut = exchange.body.cut.is_some();
        let unlabelled_utf8 =
            charset.source == CharsetSource::Detected && !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
        let mut html = Self::walk(document, charset, cut, url);
        html.unlabelled_utf8 = unlabelled_utf8;
        Some(html)
    }

    fn walk(document: Document, charset: Charset, cut: bool, url: Url) -> Self {
        let mut html = Self {
            charset,
            unlabelled_utf8: false,
            cut,
            base: url.clone(),
            url,
            bases: Vec::new(),
            titles: Vec::new(),
            metas: Vec::new(),
            links: Vec::new(),
            anchors: Vec::new(),
            to_probes: Vec::new(),
            asks_password: false,
            asks_passkey: false,
            images: Vec::new(),
            image_to_measure: OnceLock::new(),
            headings: Vec::new(),
            scripts: Vec::new(),
            styles: Vec::new(),
            addressed: Vec::new(),
            listed: Listed::default(),
            lost_head: lost_head::read(&document),
            text: VisibleText::default(),
            json_ld: JsonLd::default(),
            json_ld_scripts: Vec::new(),
            items: Vec::new(),
            has_items: false,
            document: Document::parse(String::new()),
        };
        let mut waiting = Waiting::default();
        let mut text = Passing::new(&document);
        let mut parts = Parts::default();
        for id in document.nodes() {
            let element = document.element(id);
            text.node(id, element);
            parts.enter(&document, id, element);
            if let Some(element) = element {
                html.take(element, &parts, &mut waiting);
            }
        }
        html.text = text.finish();
        let elements = |ids: Vec<NodeId>| ids.into_iter().filter_map(|id| document.element(id));
        let base = elements(html.bases.clone()).next().and_then(|base| html.resolve(base.attribute("href")?));
        html.base =
            base.filter(|base| !matches!(base.scheme(), "data" | "javascript")).unwrap_or_else(|| html.url.clone());
        html.links = elements(waiting.links).map(|link| html.read_link(link)).collect();
        html.anchors = elements(waiting.anchors).filter_map(|anchor| html.read_anchor(anchor)).collect();
        let concerned =
            html.anchors.iter().enumerate().filter(|(_, one)| one.url.as_ref().is_some_and(concerns_probes));
        html.to_probes = concerned.map(|(at, _)| at).collect();
        html.json_ld = JsonLd::read(&waiting.blocks);
        html.document = document;
        html.has_items = !waiting.scopes.is_empty() || !waiting.typed.is_empty();
        html.items = microdata::read(&html, &waiting.scopes);
        html.items.extend(rdfa::read(&html, &waiting.typed));
        html
    }

    fn take(&mut self, element: Element<'_>, parts: &Parts, waiting: &mut Waiting) {
        let id = element.id();
        if element.namespace() != super::document::Namespace::Html {
            return;
        }
        if element.has("itemscope") {
            waiting.scopes.push(id);
        }
        if element.has("typeof") {
            waiting.typed.push(id);
        }
        self.listed.take(element, parts);
        if is_addressed(element.name()) {
            self.addressed.push(id);
        }
        match element.name() {
            "title" => self.titles.push(id),
            "meta" => self.metas.push(read_meta(element)),
            "base" if element.has("href") => self.bases.push(id),
            "link" => waiting.links.push(id),
            "a" => waiting.anchors.push(id),
            "img" => self.images.push(id),
            "style" => self.styles.push(id),
            "input" | "textarea" | "select" => {
                let kind = element.attribute("type").unwrap_or_default();
                self.asks_password |= element.is("input") && kind.trim().eq_ignore_ascii_case("password");
                self.asks_passkey |= element.has_token("autocomplete", "webauthn");
            }
            "script" => {
                self.asks_passkey |=
                    !element.has("src") && element.texts().any(|text| text.contains("navigator.credentials"));
                self.scripts.push(id);
                if element.attribute("type").is_some_and(|kind| media_type(kind) == "application/ld+json") {
                    self.json_ld_scripts.push(id);
                    let start = element.start_tag().map_or(0, |span| span.end);
                    waiting.blocks.push((as_written(element).unwrap_or_else(|| element.raw_text()), start));
                }
            }
            name => {
                if let [b'h', digit @ b'1'..=b'6'] = name.as_bytes() {
                    self.headings.push((digit - b'0', id));
                }
            }
        }
    }

    fn read_link(&self, element: Element<'_>) -> LinkElement {
        let href = element.attribute("href").map(|href| href.trim_matches(|c| c <= ' ').to_owned());
        LinkElement {
            node: element.id(),
            rels: element
                .attribute("rel")
                .unwrap_or_default()
                .split_ascii_whitespace()
                .map(str::to_ascii_lowercase)
                .collect(),
            url: href.as_deref().filter(|href| !href.is_empty()).and_then(|href| self.resolve(href)),
            href,
            in_head: in_head(element),
        }
    }

    fn read_anchor(&self, element: Element<'_>) -> Option<Anchor> {
        let href = element.attribute("href")?;
        let url = self.resolve(href);
        let reach = match &url {
            Some(url) if matches!(url.scheme(), "http" | "https") => {
                if url.host_str() == self.url.host_str() {
                    Reach::Internal
                } else {
                    Reach::External
                }
            }
            _ => Reach::Other,
        };
        let (nofollow, named) = (element.has_token("rel", "nofollow"), has_name(element));
        Some(Anchor { node: element.id(), url, reach, nofollow, named })
    }

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

    /// The element of an id of this document.
    pub fn element(&self, id: NodeId) -> Option<Element<'_>> {
        self.document.element(id)
    }

    /// The elements of some ids.
    pub fn elements<'p>(&'p self, ids: &'p [NodeId]) -> impl Iterator<Item = Element<'p>> {
        ids.iter().filter_map(|id| self.document.element(*id))
    }

    /// Resolves an address as the document would.
    pub fn resolve(&self, href: &str) -> Option<Url> {
        join(&self.base, href, &self.charset)
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

    /// First non-empty content of a social key (`property`, else `name`).
    pub fn social(&self, key: &str) -> Option<&str> {
        self.metas.iter().filter(|meta| meta.social_key() == Some(key)).find_map(|meta| filled(meta.content.as_deref()))
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

    /// Texts of every h1, empty ones too.
    pub fn h1_texts(&self) -> Vec<String> {
        self.headings
            .iter()
            .filter(|(level, _)| *level == 1)
            .filter_map(|(_, id)| self.element(*id))
            .map(Element::text)
            .collect()
    }
}

/// An address against a base, its query in the document's encoding ("encoding-parse a URL", WHATWG HTML §2.4.2).
fn join(base: &Url, href: &str, charset: &Charset) -> Option<Url> {
    let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| charset.encode_query(query).into();
    let options = Url::options().base_url(Some(base));
    if href.is_ascii() { options.parse(href).ok() } else { options.encoding_override(Some(encode)).parse(href).ok() }
}

/// The source between an element's tags, where the tree holds the same but for its line ends: there places are right.
fn as_written(element: Element<'_>) -> Option<String> {
    let source = element.document().source().get(element.start_tag()?.end..element.end_tag()?.start)?;
    let is_same = source.replace("\r\n", "\n").replace('\r', "\n") == element.raw_text();
    is_same.then(|| source.to_owned())
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.is_empty())
}

fn read_meta(element: Element<'_>) -> Meta {
    let lower = |name| element.attribute(name).map(|value| value.trim().to_ascii_lowercase());
    Meta {
        node: element.id(),
        name: lower("name"),
        property: lower("property"),
        http_equiv: lower("http-equiv"),
        content: element.attribute("content").map(super::document::collapse),
        in_head: in_head(element),
    }
}

fn in_head(element: Element<'_>) -> bool {
    element.ancestors().any(|ancestor| ancestor.is("head"))
}

/// The label of the first declaration of a known encoding in the head of the parsed tree.
fn late_charset(document: &Document) -> Option<String> {
    document.head()?.descendants().filter(|element| element.is("meta")).find_map(|meta| {
        if let Some(label) = meta.attribute("charset").filter(|label| charset::is_known(label)) {
            return Some(label.to_owned());
        }
        let is_type = meta.attribute("http-equiv").is_some_and(|kind| kind.trim().eq_ignore_ascii_case("content-type"));
        is_type
            .then(|| meta.attribute("content"))
            .flatten()
            .and_then(charset::label_in_content)
            .filter(|label| charset::is_known(label))
    })
}
