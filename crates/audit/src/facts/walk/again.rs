//! Reading a page again after changes of its source: what was taken over of the tree says what it said before.

use std::sync::Arc;

use crate::facts::document::{Document, Element, Kept, NodeId};
use crate::facts::elements::{Anchor, LinkElement, Meta, asks_for_passkey, asks_passkey};
use crate::facts::evidence::OfBody;
use crate::facts::item::Item;
use crate::facts::names::has_name;
use crate::facts::page::Html;
use crate::facts::visibility::hides;

/// Attributes that decide nothing of other elements, and not to which lists their own belongs. What names a link is asked
/// again.
const LOCAL: [&str; 24] = [
    "action",
    "alt",
    "as",
    "async",
    "content",
    "crossorigin",
    "data",
    "decoding",
    "defer",
    "fetchpriority",
    "height",
    "href",
    "integrity",
    "itemprop",
    "loading",
    "media",
    "poster",
    "preload",
    "referrerpolicy",
    "rel",
    "sizes",
    "srcset",
    "title",
    "width",
];

/// Whether what is known of the page before is known of what was taken over: a fact that is not in a list by elements would
/// not be found again.
pub(super) fn can_be_taken_over(document: &Document, before: &Html, kept: &Kept) -> bool {
    let hides_all = |document: &Document| document.html().is_some_and(hides);
    let is_data = |(old, new): &(NodeId, NodeId)| {
        before.json_ld_scripts.contains(old)
            && document.element(*new).is_some_and(|script| !script.texts().any(asks_passkey))
    };
    kept.scripts().iter().all(is_data)
        && !hides_all(document)
        && !hides_all(&before.document)
        && kept.rewritten().iter().all(|(old, new)| {
            before.element(*old).zip(document.element(*new)).is_some_and(|(old, new)| is_local(old, new))
        })
}

/// Whether two start tags differ only in what is local.
fn is_local(old: Element<'_>, new: Element<'_>) -> bool {
    let may_differ = |name: &str| match (new.name(), name) {
        // A script without an address is looked through, and an anchor without one is no link.
        ("script", "src") | ("a", "href") => old.has(name) && new.has(name),
        _ => name == "src" || LOCAL.contains(&name),
    };
    let is_in =
        |other: Element<'_>, (name, value): (&str, &str)| other.attribute(name) == Some(value) || may_differ(name);
    !new.is("base") && old.attributes().all(|one| is_in(new, one)) && new.attributes().all(|one| is_in(old, one))
}

/// Tests read the page the long way too, and compare.
pub(super) fn compare(html: &Html, whole: &Html) {
    let tags = |document: &Document| -> Vec<_> {
        let written = document.elements().map(|one| (one.id(), one.start_tag(), one.end_tag()));
        written.collect()
    };
    assert_eq!(tags(&html.document), tags(&whole.document));
    let attributes = |element: Element<'_>| -> Vec<(String, String)> {
        element.attributes().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    };
    let same = html.document.elements().map(attributes).eq(whole.document.elements().map(attributes));
    assert!(same, "other attributes");
    macro_rules! compare {
        ($($field:ident)*) => { $(assert_eq!(html.$field, whole.$field, stringify!($field));)* };
    }
    compare! {
        base bases titles metas links anchors to_probes asks_password asks_passkey images headings scripts styles comments
        hyperlinks addressed times listed lost_head text json_ld json_ld_scripts items scopes typed
    }
}

impl Html {
    /// Adds what was taken over, but for addresses.
    pub(super) fn take_over(&mut self, document: &Document, before: &Self, kept: &Kept) {
        let lists = [
            (&mut self.bases, &before.bases),
            (&mut self.titles, &before.titles),
            (&mut self.images, &before.images),
            (&mut self.scripts, &before.scripts),
            (&mut self.styles, &before.styles),
            (&mut self.comments, &before.comments),
            (&mut self.hyperlinks, &before.hyperlinks),
            (&mut self.addressed, &before.addressed),
            (&mut self.times, &before.times),
            (&mut self.json_ld_scripts, &before.json_ld_scripts),
            (&mut self.scopes, &before.scopes),
            (&mut self.typed, &before.typed),
        ];
        for (list, before) in lists {
            list.extend(before.iter().filter_map(|id| kept.now(*id)));
        }
        self.headings.extend(before.headings.iter().filter_map(|(level, id)| Some((*level, kept.now(*id)?))));
        self.listed.take_over(&before.listed, kept);
        self.metas.extend(before.metas.iter().filter_map(|meta| {
            let node = kept.now(meta.node)?;
            match document.element(node).filter(|_| kept.is_rewritten(meta.node)) {
                Some(element) => Some(Meta::read(element)),
                None => Some(Meta { node, ..meta.clone() }),
            }
        }));
        self.text = Arc::clone(&before.text);
        // They are found by what no attribute of `LOCAL` says but the names of microdata; and the text of an element has that of
        // scripts in it.
        let property = |html: &Document, id: NodeId| {
            html.element(id).and_then(|element| Some(element.attribute("itemprop")?.to_owned()))
        };
        let is_same = |(old, new): &(NodeId, NodeId)| property(&before.document, *old) == property(document, *new);
        let of_body = &before.resolved.of_body;
        self.resolved.of_body = match kept.scripts().is_empty() && kept.rewritten().iter().all(is_same) {
            true => of_body.renumbered(|id| kept.now(id)),
            false => OfBody { garbled: of_body.garbled.clone(), size: of_body.size.clone(), ..OfBody::default() },
        };
        self.asks_password |= before.asks_password;
        // What asked for one may have gone with what stood before the body.
        let asks = |id: &NodeId| document.element(*id).is_some_and(asks_for_passkey);
        self.asks_passkey |= before.asks_passkey && self.scripts.iter().chain(&self.listed.fields).any(asks);
    }

    /// Items of microdata and RDFa in the document that took over this one, where nothing changed around them.
    pub(super) fn items_kept(&self, document: &Document, kept: &Kept) -> Option<Vec<Item>> {
        let is_kept = |ids: &[NodeId]| ids.iter().all(|id| kept.now(*id).is_some());
        let (root, root_now) = (self.document.html()?, document.html()?);
        let mut front = document.elements().take_while(|element| !kept.holds(element.id()));
        let refers = !self.listed.referring.is_empty();
        let is_of_one =
            |element: Element<'_>| element.has("itemscope") || element.has("typeof") || refers && element.has("id");
        let stands_alone = kept.rewritten().is_empty()
            && kept.scripts().is_empty()
            && (!refers || is_kept(&self.listed.ids))
            && is_kept(&self.scopes)
            && is_kept(&self.typed)
            && root.attributes().eq(root_now.attributes())
            && !front.any(is_of_one);
        if !stands_alone {
            return None;
        }
        let start = |document: &Document| Some(document.body()?.start_tag()?.start.cast_signed());
        let by = start(document)? - start(&self.document)?;
        self.items.iter().map(|item| item.moved(by, |id| kept.now(id))).collect()
    }

    /// Adds links that were taken over. The base of addresses is the same.
    pub(super) fn take_over_links(&mut self, document: &Document, before: &Self, kept: &Kept) {
        let links: Vec<LinkElement> = before
            .links
            .iter()
            .filter_map(|link| {
                let node = kept.now(link.node)?;
                match document.element(node).filter(|_| kept.is_rewritten(link.node)) {
                    Some(element) => Some(LinkElement::read(element, |href| self.resolve(href))),
                    None => Some(LinkElement { node, ..link.clone() }),
                }
            })
            .collect();
        self.links.extend(links);
        let has_rewritten = !kept.rewritten().is_empty();
        let named_anew = self.named_anew(document, kept);
        let anchors = before.anchors.iter().filter_map(|anchor| {
            let node = kept.now(anchor.node)?;
            if has_rewritten && kept.is_rewritten(anchor.node) {
                return Anchor::read(document.element(node)?, &self.url, |href| self.resolve(href).map(Arc::new));
            }
            let is_anew = named_anew.binary_search(&node).is_ok();
            let named = document.element(node).filter(|_| is_anew).map_or(anchor.named, has_name);
            Some(Anchor { node, named, ..anchor.clone() })
        });
        let anchors: Vec<Anchor> = anchors.collect();
        self.anchors.extend(anchors);
    }

    /// Links that may have a name now, or none, sorted: around what was rewritten, since what an image says may be all that
    /// names a link, and around what is named by other elements, wherever those are. A script names none.
    fn named_anew(&self, document: &Document, kept: &Kept) -> Vec<NodeId> {
        if kept.rewritten().is_empty() {
            return Vec::new();
        }
        let changed = kept.rewritten().iter().map(|(_, now)| now).chain(&self.listed.labelled);
        let around = changed
            .filter_map(|id| document.element(*id))
            .flat_map(|element| std::iter::once(element).chain(element.ancestors()));
        let mut links: Vec<NodeId> = around.filter(|element| element.is("a")).map(Element::id).collect();
        links.sort_unstable();
        links.dedup();
        links
    }
}

#[cfg(test)]
mod tests;
