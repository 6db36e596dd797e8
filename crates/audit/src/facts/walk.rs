//! One walk over the tree of a page, which collects what checks ask for: how [`Html`] is made of a response.

mod addresses;
mod again;

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use model::capture::{Capture, Exchange};
use url::Url;

use super::charset::{self, Charset, CharsetSource};
use super::content_type::{self, is_html, media_type};
use super::document::{Document, Element, Kept, Namespace, NodeId, TextSplice, is_spliced};
use super::elements::{Anchor, LinkElement, Meta, asks_for_passkey};
use super::evidence::Memo;
use super::item::{Item, ItemReader};
use super::jsonld::JsonLd;
use super::listed::{Listed, Parts};
use super::page::Html;
use super::source_marks::SourceMarks;
use super::text::Passing;
use super::{lost_head, microdata, rdfa};
use addresses::LinkAddresses;

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
            // Few paths have a full stop, and this is asked of every link.
            let is_well_known = |path: &str| path.contains('.') && path.contains("/.well-known/");
            is_well_known(url.path())
                || matches!(url.host_str(), Some("play.google.com" | "apps.apple.com" | "itunes.apple.com"))
        }
        scheme => matches!(scheme, "android-app" | "market" | "ios-app" | "itms-apps"),
    }
}

impl Html {
    /// Reads a response that is a document.
    pub(crate) fn read(exchange: &Exchange) -> Option<Self> {
        Some(Self::read_with(exchange, None)?.0)
    }

    /// The same of a page that comes of another by changes of its source, which are in its order and apart: what they can't
    /// touch is not read again. Also says what of the tree was taken over.
    pub(crate) fn read_again(
        exchange: &Exchange,
        before: &Self,
        changes: &[TextSplice<'_>],
    ) -> Option<(Self, Option<Kept>)> {
        let (mut html, kept) = Self::read_with(exchange, Some((before, changes)))?;
        if kept.is_some() || is_spliced(before.document.source(), changes, html.document.source()) {
            html.marks = before.marks.after(html.document.source(), changes);
        }
        if let Some(sample) = before.sample.get().filter(|_| Arc::ptr_eq(&before.text, &html.text)) {
            html.sample = OnceLock::from(sample.clone());
        }
        Some((html, kept))
    }

    fn read_with(exchange: &Exchange, before: Option<(&Self, &[TextSplice<'_>])>) -> Option<(Self, Option<Kept>)> {
        let url = Url::parse(&exchange.url).ok()?;
        let bytes = &exchange.body.bytes;
        let mut charset = charset::decide(bytes, content_type::declared(exchange).as_deref());
        let (source, mut verbatim_from) = charset.text_of(bytes);
        let (mut document, mut kept) = match before {
            Some((before, changes)) => Document::parse_again(&before.document, source, changes),
            None => (Document::parse(source), None),
        };
        // "Change the encoding": a declaration past the first 1,024 bytes, met by the tree builder; once.
        if let Some(label) = charset.may_change().then(|| late_charset(&document)).flatten()
            && charset.change_to(&label)
        {
            let source;
            (source, verbatim_from) = charset.text_of(bytes);
            (document, kept) = (Document::parse(source), None);
        }
        let cut = exchange.body.cut.is_some();
        let unlabelled_utf8 =
            charset.source == CharsetSource::Detected && !bytes.is_ascii() && std::str::from_utf8(bytes).is_ok();
        let before = before.map(|(before, _)| before);
        let taken = before.zip(kept.as_ref()).filter(|(before, kept)| {
            before.charset.encoding == charset.encoding && again::can_be_taken_over(&document, before, kept)
        });
        let mut html = Self::walk(document, charset, cut, url, before, taken.map(|(_, kept)| kept));
        html.unlabelled_utf8 = unlabelled_utf8;
        html.verbatim_from = verbatim_from;
        if cfg!(debug_assertions) && kept.is_some() {
            let document = Document::parse(html.document.source().to_owned());
            again::compare(&html, &Self::walk(document, html.charset.clone(), cut, html.url.clone(), None, None));
        }
        Some((html, kept))
    }

    /// A page of which nothing was read.
    fn empty(charset: Charset, cut: bool, url: Url) -> Self {
        Self {
            charset,
            unlabelled_utf8: false,
            verbatim_from: None,
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
            marks: SourceMarks::default(),
            headings: Vec::new(),
            scripts: Vec::new(),
            styles: Vec::new(),
            comments: Vec::new(),
            hyperlinks: Vec::new(),
            addressed: Vec::new(),
            times: Vec::new(),
            listed: Listed::default(),
            lost_head: None,
            text: Arc::default(),
            json_ld: JsonLd::default(),
            json_ld_scripts: Vec::new(),
            items: Vec::new(),
            scopes: Vec::new(),
            typed: Vec::new(),
            document: Document::parse(String::new()),
        }
    }

    /// Reads a document. `kept`: what of it is read as in the page `before`, which is known.
    fn walk(
        mut document: Document,
        charset: Charset,
        cut: bool,
        url: Url,
        before: Option<&Self>,
        kept: Option<&Kept>,
    ) -> Self {
        let taken = before.zip(kept);
        if let Some((before, kept)) = taken {
            document.take_over(&before.document, kept);
        }
        let mut html = Self::empty(charset, cut, url);
        // Addresses are read when the whole tree was seen, since a `base` may come late.
        let mut links = Vec::new();
        let mut text = Passing::new(&document);
        let mut parts = Parts::default();
        for id in document.nodes().take_while(|id| kept.is_none_or(|kept| !kept.holds(*id))) {
            let element = document.element(id);
            text.node(id, element);
            parts.enter(&document, id, element);
            match element {
                Some(element) => html.take(element, &parts, &mut links),
                None if document.is_comment(id) => html.comments.push(id),
                None => {}
            }
        }
        html.text = text.finish(before.map(|before| &before.text));
        let new_hyperlinks = html.hyperlinks.clone();
        if let Some((before, kept)) = taken {
            html.take_over(&document, before, kept);
        }
        let elements = |ids: Vec<NodeId>| ids.into_iter().filter_map(|id| document.element(id));
        let base = elements(html.bases.clone()).next().and_then(|base| html.resolve(base.attribute("href")?));
        html.base =
            base.filter(|base| !matches!(base.scheme(), "data" | "javascript")).unwrap_or_else(|| html.url.clone());
        if taken.is_some_and(|(before, _)| before.base != html.base || parts.is_in_one()) {
            // Every address is another one, or what stands in the body is in a part that begins before it.
            return Self::walk(document, html.charset, cut, html.url, before, None);
        }
        let mut addresses = LinkAddresses::of(&html, before);
        let links = elements(links).map(|link| LinkElement::read(link, |href| addresses.of_link(href))).collect();
        let anchors = html.read_anchors(&document, &new_hyperlinks, addresses);
        (html.links, html.anchors) = (links, anchors);
        if let Some((before, kept)) = taken {
            html.take_over_links(&document, before, kept);
        }
        let concerned = html.anchors.iter().enumerate().filter(|(_, one)| one.url().is_some_and(concerns_probes));
        html.to_probes = concerned.map(|(at, _)| at).collect();
        let blocks: Vec<_> = elements(html.json_ld_scripts.clone()).map(block).collect();
        html.json_ld = match before {
            Some(before) => before.json_ld_of(&blocks),
            None => JsonLd::read(&blocks),
        };
        html.lost_head = if html.may_have_lost(&document) { lost_head::read(&document) } else { None };
        let items = taken.and_then(|(before, kept)| before.items_kept(&document, kept));
        html.document = document;
        html.items = items.unwrap_or_else(|| html.read_items());
        html
    }

    /// Whether metadata stands outside of the head that may have been lost: most pages have none.
    fn may_have_lost(&self, document: &Document) -> bool {
        let titles = self.titles.iter().copied();
        let metas = self.metas.iter().filter(|meta| !meta.in_head).map(|meta| meta.node);
        let links = self.links.iter().filter(|link| !link.in_head).map(|link| link.node);
        titles.chain(metas).chain(links).filter_map(|id| document.element(id)).any(lost_head::may_be_lost)
    }

    fn read_items(&self) -> Vec<Item> {
        let reader = || ItemReader::new(&self.document, &self.base, &self.charset);
        let mut items = microdata::read(reader(), &self.scopes);
        items.extend(rdfa::read(reader(), &self.typed));
        items
    }

    fn read_anchors<'d>(
        &self,
        document: &'d Document,
        anchors: &[NodeId],
        mut addresses: LinkAddresses<'d, '_>,
    ) -> Vec<Anchor> {
        let mut read = Vec::with_capacity(anchors.len());
        let elements = anchors.iter().filter_map(|id| document.element(*id));
        read.extend(elements.filter_map(|one| Anchor::read(one, &self.url, |href| addresses.of_anchor(href))));
        read
    }

    /// JSON-LD blocks, which may be those of this page.
    fn json_ld_of(&self, blocks: &[(Cow<'_, str>, usize)]) -> JsonLd {
        let own: Vec<_> = self.elements(&self.json_ld_scripts).map(block).collect();
        if !own.iter().map(|(text, _)| text).eq(blocks.iter().map(|(text, _)| text)) {
            return JsonLd::read(blocks);
        }
        let starts = |blocks: &[(Cow<'_, str>, usize)]| blocks.iter().map(|(_, start)| *start).collect::<Vec<usize>>();
        self.json_ld.moved(&starts(&own), &starts(blocks))
    }

    fn take(&mut self, element: Element<'_>, parts: &Parts, links: &mut Vec<NodeId>) {
        let id = element.id();
        self.listed.take_any(element);
        if element.namespace() != Namespace::Html {
            return;
        }
        if element.has("itemscope") {
            self.scopes.push(id);
        }
        if element.has("typeof") {
            self.typed.push(id);
        }
        self.listed.take(element, parts);
        if is_addressed(element.name()) {
            self.addressed.push(id);
        }
        match element.name() {
            "title" => self.titles.push(id),
            "meta" => self.metas.push(Meta::read(element)),
            "base" if element.has("href") => self.bases.push(id),
            "link" => links.push(id),
            "a" => self.hyperlinks.push(id),
            "img" => self.images.push(id),
            "style" => self.styles.push(id),
            "time" => self.times.push(id),
            "input" | "textarea" | "select" => {
                let kind = element.attribute("type").unwrap_or_default();
                self.asks_password |= element.is("input") && kind.trim().eq_ignore_ascii_case("password");
                self.asks_passkey |= asks_for_passkey(element);
            }
            "script" => {
                self.asks_passkey |= asks_for_passkey(element);
                self.scripts.push(id);
                if element.attribute("type").is_some_and(|kind| media_type(kind) == "application/ld+json") {
                    self.json_ld_scripts.push(id);
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

/// Whether an element is one of [`Html::addressed`].
fn is_addressed(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        b"img"
            | b"script"
            | b"input"
            | b"source"
            | b"iframe"
            | b"video"
            | b"audio"
            | b"form"
            | b"area"
            | b"embed"
            | b"object"
            | b"track"
            | b"frame"
            | b"button"
    )
}

/// Text of a JSON-LD script, and where it begins in the source.
fn block(script: Element<'_>) -> (Cow<'_, str>, usize) {
    let start = script.start_tag().map_or(0, |span| span.end);
    (as_written(script).map_or_else(|| Cow::Owned(script.raw_text()), Cow::Borrowed), start)
}

/// The source between an element's tags, where the tree holds the same but for its line ends: there places are right.
fn as_written(element: Element<'_>) -> Option<&str> {
    let source = element.document().source().get(element.start_tag()?.end..element.end_tag()?.start)?;
    let is_same = match source.contains('\r') {
        true => source.replace("\r\n", "\n").replace('\r', "\n") == element.raw_text(),
        // Mostly one run.
        false => element.texts().try_fold(source, str::strip_prefix).is_some_and(str::is_empty),
    };
    is_same.then_some(source)
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
