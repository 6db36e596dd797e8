//! One walk over the tree of a page, which collects what checks ask for: how [`Html`] is made of a response.

use std::sync::OnceLock;

use model::capture::{Capture, Exchange};
use url::Url;

use super::charset::{self, Charset, CharsetSource};
use super::content_type::{self, is_html, media_type};
use super::document::{Document, Element, Namespace, NodeId};
use super::elements::{Anchor, LinkElement, Meta};
use super::evidence::Memo;
use super::item::ItemReader;
use super::jsonld::JsonLd;
use super::listed::{Listed, Parts};
use super::page::Html;
use super::text::{Passing, VisibleText};
use super::{lost_head, microdata, rdfa};

/// The page as read from its bytes. Reading it is the costly part of an audit; do it off the async workers.
#[derive(Debug)]
pub struct Page {
    /// The document, when the response is one.
    pub html: Option<Html>,
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

impl Html {
    /// Reads a response that is a document.
    pub(crate) fn read(exchange: &Exchange) -> Option<Self> {
        Self::read_after(exchange, None)
    }

    /// The same of a page that is like one that was read before: what is the same in both is not read again.
    pub(crate) fn read_after(exchange: &Exchange, before: Option<&Self>) -> Option<Self> {
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
        let mut html = Self::walk(document, charset, cut, url, before);
        if let Some(before) = before.filter(|before| before.text.text == html.text.text)
            && let Some(sample) = before.sample.get()
        {
            html.sample = OnceLock::from(sample.clone());
        }
        html.unlabelled_utf8 = unlabelled_utf8;
        Some(html)
    }

    /// A page of which nothing was read.
    fn empty(charset: Charset, cut: bool, url: Url) -> Self {
        Self {
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
            sample: OnceLock::new(),
            resolved: Memo::default(),
            headings: Vec::new(),
            scripts: Vec::new(),
            styles: Vec::new(),
            comments: Vec::new(),
            addressed: Vec::new(),
            listed: Listed::default(),
            lost_head: None,
            text: VisibleText::default(),
            json_ld: JsonLd::default(),
            json_ld_scripts: Vec::new(),
            items: Vec::new(),
            has_items: false,
            document: Document::parse(String::new()),
        }
    }

    fn walk(document: Document, charset: Charset, cut: bool, url: Url, before: Option<&Self>) -> Self {
        let mut html = Self { lost_head: lost_head::read(&document), ..Self::empty(charset, cut, url) };
        let mut waiting = Waiting::default();
        let mut text = Passing::new(&document);
        let mut parts = Parts::default();
        for id in document.nodes() {
            let element = document.element(id);
            text.node(id, element);
            parts.enter(&document, id, element);
            match element {
                Some(element) => html.take(element, &parts, &mut waiting),
                None if document.is_comment(id) => html.comments.push(id),
                None => {}
            }
        }
        html.text = text.finish();
        let elements = |ids: Vec<NodeId>| ids.into_iter().filter_map(|id| document.element(id));
        let base = elements(html.bases.clone()).next().and_then(|base| html.resolve(base.attribute("href")?));
        html.base =
            base.filter(|base| !matches!(base.scheme(), "data" | "javascript")).unwrap_or_else(|| html.url.clone());
        html.links = elements(waiting.links).map(|link| LinkElement::read(link, |href| html.resolve(href))).collect();
        let mut known = before.map(|before| KnownAddresses::of(before, &html));
        html.anchors = elements(waiting.anchors)
            .filter_map(|one| {
                let resolve = |href: &str| match known.as_mut().and_then(|known| known.resolved(href)) {
                    Some(url) => url.cloned(),
                    None => html.resolve(href),
                };
                Anchor::read(one, &html.url, resolve)
            })
            .collect();
        let concerned =
            html.anchors.iter().enumerate().filter(|(_, one)| one.url.as_ref().is_some_and(concerns_probes));
        html.to_probes = concerned.map(|(at, _)| at).collect();
        html.json_ld = JsonLd::read(&waiting.blocks);
        html.document = document;
        html.has_items = !waiting.scopes.is_empty() || !waiting.typed.is_empty();
        let reader = || ItemReader::new(&html.document, &html.base, &html.charset);
        let mut items = microdata::read(reader(), &waiting.scopes);
        items.extend(rdfa::read(reader(), &waiting.typed));
        html.items = items;
        html
    }

    fn take(&mut self, element: Element<'_>, parts: &Parts, waiting: &mut Waiting) {
        let id = element.id();
        if element.namespace() != Namespace::Html {
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
            "meta" => self.metas.push(Meta::read(element)),
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
}

/// Addresses of the links of a page that was read before, in the order of its links. Parsing an address takes longer than
/// finding that it is the same.
struct KnownAddresses<'h> {
    before: &'h Html,
    /// The place of the link that comes next; none where the pages read addresses differently.
    next: Option<usize>,
}

impl<'h> KnownAddresses<'h> {
    fn of(before: &'h Html, html: &Html) -> Self {
        let is_alike = before.base == html.base && before.charset.encoding == html.charset.encoding;
        Self { before, next: is_alike.then_some(0) }
    }

    /// What the next link's address came to; `None` where it is another one. A link that came or is gone moves those behind
    /// it by one, which is made up for.
    fn resolved(&mut self, href: &str) -> Option<Option<&'h Url>> {
        let next = self.next?;
        let known = [next, next + 1, next.saturating_sub(1)].into_iter().find_map(|at| {
            let anchor = self.before.anchors.get(at)?;
            let is_same = self.before.element(anchor.node)?.attribute("href") == Some(href);
            is_same.then_some((at, anchor))
        });
        self.next = Some(known.map_or(next, |(at, _)| at) + 1);
        known.map(|(_, anchor)| anchor.url.as_ref())
    }
}

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

/// The source between an element's tags, where the tree holds the same but for its line ends: there places are right.
fn as_written(element: Element<'_>) -> Option<String> {
    let source = element.document().source().get(element.start_tag()?.end..element.end_tag()?.start)?;
    let is_same = source.replace("\r\n", "\n").replace('\r', "\n") == element.raw_text();
    is_same.then(|| source.to_owned())
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
