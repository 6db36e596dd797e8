//! Elements that several checks go through, listed in passing, so that none of them walks the tree again.

use super::document::{Document, Element, Kept, Namespace, NodeId};
use super::visibility::hides;

/// HTML elements by what checks look for in them, each list in document order.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Elements with an `id` that is not empty.
    pub ids: Vec<NodeId>,
    /// Elements with a `style` attribute.
    pub styled: Vec<NodeId>,
    /// Elements of any namespace that others name, by `aria-labelledby`.
    pub labelled: Vec<NodeId>,
    /// Elements of any namespace whose item has properties elsewhere, by `itemref`.
    pub referring: Vec<NodeId>,
    /// `input`, `select` and `textarea`.
    pub fields: Vec<NodeId>,
    /// `button`, and what has the role of one.
    pub buttons: Vec<NodeId>,
    /// `label`.
    pub labels: Vec<NodeId>,
    /// `noscript`; with scripting on its content is text.
    pub noscripts: Vec<NodeId>,
    /// `picture`.
    pub pictures: Vec<NodeId>,
    /// `article`.
    pub articles: Vec<NodeId>,
    /// `main`, and what has the role of it.
    pub mains: Vec<NodeId>,
    /// `header`, `nav` and `aside`, and what has the role of a banner.
    pub bars: Vec<NodeId>,
    /// `table`.
    pub tables: Vec<NodeId>,
    /// Elements that HTML calls obsolete, and those with an attribute of theirs that it calls so, of [`is_obsolete`].
    pub obsolete: Vec<NodeId>,
    /// By the number of its node, in which parts an element stands: [`UNSEEN`], [`AROUND`].
    stands_in: Vec<u8>,
}

/// A part that nobody is shown: `hidden`, `aria-hidden`, or an inline style that takes it away.
const UNSEEN: u8 = 1;
/// `header`, `nav`, `footer` or `aside`, parts that pages have in common.
const AROUND: u8 = 1 << 1;

/// Whether a name is that of a part that a page has in common with others.
pub fn is_around(name: &str) -> bool {
    matches!(name.as_bytes(), b"header" | b"nav" | b"footer" | b"aside")
}

/// Descendants of a `header` among which a menu is looked for.
const MOST_LOOKED_AT: usize = 300;

/// Whether an element is a part that a page has in common with others, by [`is_around`]. The `header` of an article, or of
/// the main content, is its own, unless it holds the menu or says to be the site's.
pub fn is_common_part(element: Element<'_>) -> bool {
    let name = element.name();
    is_around(name) && element.namespace() == Namespace::Html && !(name == "header" && is_header_of_content(element))
}

/// Whether a `header` stands in content, and is not the site's.
fn is_header_of_content(header: Element<'_>) -> bool {
    let is_of_site = || {
        let named = ["class", "id"].iter().filter_map(|name| header.attribute(name));
        named.into_iter().any(|name| name.contains("site-header") || name.contains("masthead"))
            || header.has_token("role", "banner")
            || header.descendants().take(MOST_LOOKED_AT).any(|below| below.is("nav"))
    };
    header.ancestors().any(|around| around.is("article") || around.is("main")) && !is_of_site()
}

/// In which parts of the page a walk is.
#[derive(Debug, Default)]
pub(super) struct Parts {
    /// The node at which the part ends that nobody is shown.
    unseen_until: Option<NodeId>,
    /// The node at which the part ends that pages have in common.
    around_until: Option<NodeId>,
}

/// The end of a part that goes on to the end of the document: no node below the document is the document.
const NEVER: NodeId = NodeId::DOCUMENT;

impl Parts {
    /// Whether the walk is in any.
    pub(super) fn is_in_one(&self) -> bool {
        self.unseen_until.is_some() || self.around_until.is_some()
    }

    /// The next node in document order.
    pub(super) fn enter(&mut self, document: &Document, id: NodeId, element: Option<Element<'_>>) {
        for until in [&mut self.unseen_until, &mut self.around_until] {
            if *until == Some(id) {
                *until = None;
            }
        }
        let Some(element) = element.filter(|element| element.namespace() == Namespace::Html) else { return };
        let end = || Some(document.after(id).unwrap_or(NEVER));
        if self.unseen_until.is_none() && hides(element) {
            self.unseen_until = end();
        }
        if self.around_until.is_none() && is_common_part(element) {
            self.around_until = end();
        }
    }
}

/// Whether it may be asked where an element stands: most are never asked about.
fn is_asked_about(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        b"a" | b"img"
            | b"iframe"
            | b"video"
            | b"audio"
            | b"embed"
            | b"object"
            | b"input"
            | b"select"
            | b"textarea"
            | b"button"
            | b"h1"
            | b"h2"
            | b"h3"
            | b"h4"
            | b"h5"
            | b"h6"
    )
}

/// Whether HTML calls an element obsolete that is counted (WHATWG HTML §16.2).
pub fn is_obsolete(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        b"acronym"
            | b"applet"
            | b"basefont"
            | b"bgsound"
            | b"big"
            | b"blink"
            | b"center"
            | b"dir"
            | b"font"
            | b"frame"
            | b"frameset"
            | b"isindex"
            | b"keygen"
            | b"marquee"
            | b"nobr"
            | b"spacer"
            | b"strike"
            | b"tt"
            | b"xmp"
    )
}

impl Listed {
    /// Whether nobody is shown an element: of links, media, fields, buttons, headings, and what has a style.
    pub fn is_unseen(&self, element: Element<'_>) -> bool {
        self.stands_in(element, UNSEEN)
    }

    /// Whether an element, of the same, stands in a part that pages have in common.
    pub fn is_around(&self, element: Element<'_>) -> bool {
        self.stands_in(element, AROUND)
    }

    fn stands_in(&self, element: Element<'_>, part: u8) -> bool {
        self.stands_in.get(element.id().index()).is_some_and(|parts| parts & part != 0)
    }

    fn mark(&mut self, id: NodeId, part: u8) {
        if self.stands_in.len() <= id.index() {
            self.stands_in.resize(id.index() + 1, 0);
        }
        if let Some(parts) = self.stands_in.get_mut(id.index()) {
            *parts |= part;
        }
    }

    /// Adds what was taken over of a document that was read before.
    pub(super) fn take_over(&mut self, before: &Self, kept: &Kept) {
        let lists = [
            (&mut self.ids, &before.ids),
            (&mut self.styled, &before.styled),
            (&mut self.labelled, &before.labelled),
            (&mut self.referring, &before.referring),
            (&mut self.fields, &before.fields),
            (&mut self.buttons, &before.buttons),
            (&mut self.labels, &before.labels),
            (&mut self.noscripts, &before.noscripts),
            (&mut self.pictures, &before.pictures),
            (&mut self.articles, &before.articles),
            (&mut self.mains, &before.mains),
            (&mut self.bars, &before.bars),
            (&mut self.tables, &before.tables),
            (&mut self.obsolete, &before.obsolete),
        ];
        for (list, before) in lists {
            list.extend(before.iter().filter_map(|id| kept.now(*id)));
        }
        self.stands_in = kept.by_node(std::mem::take(&mut self.stands_in), &before.stands_in);
        // As far as a walk would have made it.
        let marked = self.stands_in.iter().rposition(|parts| *parts != 0).map_or(0, |last| last + 1);
        self.stands_in.truncate(marked);
    }

    /// Takes an element of any namespace.
    pub(super) fn take_any(&mut self, element: Element<'_>) {
        if element.has("aria-labelledby") {
            self.labelled.push(element.id());
        }
        if element.has("itemref") {
            self.referring.push(element.id());
        }
    }

    /// Takes an HTML element.
    pub(super) fn take(&mut self, element: Element<'_>, parts: &Parts) {
        let id = element.id();
        let (mut is_button, mut is_main, mut is_bar, mut has_obsolete) = (false, false, false, false);
        let mut is_asked = is_asked_about(element.name());
        for (name, value) in element.attributes() {
            match name {
                "id" if !value.is_empty() => self.ids.push(id),
                "style" => {
                    self.styled.push(id);
                    is_asked = true;
                }
                "role" => {
                    is_button |= value.trim().eq_ignore_ascii_case("button");
                    is_main |= element.has_token("role", "main");
                    is_bar |= element.has_token("role", "banner");
                }
                "align" | "bgcolor" => has_obsolete = true,
                _ => {}
            }
        }
        match element.name() {
            "input" | "select" | "textarea" => self.fields.push(id),
            "button" => is_button = true,
            "label" => self.labels.push(id),
            "noscript" => self.noscripts.push(id),
            "picture" => self.pictures.push(id),
            "article" => self.articles.push(id),
            "main" => is_main = true,
            "header" | "nav" | "aside" => is_bar = true,
            "table" => self.tables.push(id),
            name => has_obsolete |= is_obsolete(name),
        }
        if is_main {
            self.mains.push(id);
        }
        if is_bar {
            self.bars.push(id);
        }
        if has_obsolete {
            self.obsolete.push(id);
        }
        if is_button {
            self.buttons.push(id);
        }
        if parts.unseen_until.is_some() && (is_asked || is_button) {
            self.mark(id, UNSEEN);
        }
        if parts.around_until.is_some() && is_asked {
            self.mark(id, AROUND);
        }
    }
}
