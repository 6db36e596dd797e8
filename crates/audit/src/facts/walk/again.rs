//! Reading a page again after changes of its source: what was taken over of the tree says what it said before.

use std::sync::Arc;

use crate::facts::document::{Document, Element, Kept, NodeId};
use crate::facts::elements::{Anchor, LinkElement, Meta, asks_passkey};
use crate::facts::evidence::OfBody;
use crate::facts::item::Item;
use crate::facts::names::has_name;
use crate::facts::page::Html;
use crate::facts::visibility::hides;

/// Attributes that decide nothing of other elements, and not to which lists their own belongs. What names a link is asked
/// again.
const LOCAL: [&str; 20] = [
    "alt",
    "as",
    "async",
    "content",
    "crossorigin",
    "decoding",
    "defer",
    "fetchpriority",
    "height",
    "href",
    "integrity",
    "loading",
    "media",
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
    !before.asks_passkey
        && kept.scripts().iter().all(is_data)
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
        // They are found by what no attribute of `LOCAL` says; but the text of an element has that of scripts in it.
        let of_body = &before.resolved.of_body;
        self.resolved.of_body = match kept.scripts() {
            [] => of_body.renumbered(|id| kept.now(id)),
            _ => OfBody { garbled: of_body.garbled.clone(), size: of_body.size.clone(), ..OfBody::default() },
        };
        self.asks_password |= before.asks_password;
    }

    /// Items of microdata and RDFa in the document that took over this one, where nothing changed around them.
    pub(super) fn items_kept(&self, document: &Document, kept: &Kept) -> Option<Vec<Item>> {
        let is_kept = |ids: &[NodeId]| ids.iter().all(|id| kept.now(*id).is_some());
        let (root, root_now) = (self.document.html()?, document.html()?);
        let mut front = document.elements().take_while(|element| !kept.holds(element.id()));
        let is_plain = |element: Element<'_>| ["id", "itemscope", "typeof"].iter().all(|name| !element.has(name));
        let stands_alone = kept.rewritten().is_empty()
            && kept.scripts().is_empty()
            && is_kept(&self.listed.ids)
            && is_kept(&self.scopes)
            && is_kept(&self.typed)
            && root.attributes().eq(root_now.attributes())
            && front.all(is_plain);
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
        // What an image says may name a link, and be all that does. A script names none.
        let may_name = !kept.rewritten().is_empty();
        let anchors = before.anchors.iter().filter_map(|anchor| {
            let node = kept.now(anchor.node)?;
            let element = document.element(node).filter(|_| may_name);
            if kept.is_rewritten(anchor.node) {
                return Anchor::read(element?, &self.url, |href| self.resolve(href));
            }
            let named = element.map_or(anchor.named, has_name);
            Some(Anchor { node, named, ..anchor.clone() })
        });
        let anchors: Vec<Anchor> = anchors.collect();
        self.anchors.extend(anchors);
    }
}

#[cfg(test)]
mod tests {
    use model::capture::Fetched;

    use super::*;
    use crate::example::page;
    use crate::facts::document::TextSplice;
    use crate::facts::walk::Page;
    use crate::patch::spliced_text;

    const PAGE: &str = "<!doctype html><html lang=en><head><title>T</title></head><body>\
        <header><a href=/a id=x><img src=a.png></a></header><p itemscope itemtype=https://schema.org/Thing>b<i lang=pt>c</i>\
        <meta itemprop=name content=d><link itemprop=url href=/e></p><input type=password>\
        <script type=application/ld+json>{\"@type\":\"Thing\"}</script></body></html>";
    const TITLE: &str = "<title>T</title>";
    const IMAGE: &str = "<img src=a.png>";
    const ITEM: &str = "<p itemscope itemtype=https://schema.org/Thing>";

    /// Reads the page again after changes of texts found in it; each such reading compares itself with the long way.
    fn again(replaced: &[(&str, &str)]) -> (Html, Option<Kept>) {
        let (_, html, kept) = again_of(PAGE, replaced);
        (html, kept)
    }

    /// A page, and how it is read again.
    fn again_of(source: &str, replaced: &[(&str, &str)]) -> (Html, Html, Option<Kept>) {
        let capture = page("https://example.com/page", source);
        let before = Page::read(&capture).html.unwrap();
        before.content();
        before.document.elements().for_each(|element| assert!(element.nearest_lang().is_none() || element.is("i")));
        before.document.by_id("x").unwrap();
        let changes: Vec<TextSplice<'_>> = replaced
            .iter()
            .map(|(old, new)| {
                let start = source.find(old).unwrap();
                (start..start + old.len(), *new)
            })
            .collect();
        let Fetched::Response(mut exchange) = capture.page else { panic!("no answer") };
        exchange.body.bytes = spliced_text(source, &changes).unwrap().into();
        let (html, kept) = Html::read_again(&exchange, &before, &changes).unwrap();
        (before, html, kept)
    }

    #[test]
    fn what_a_page_says_is_the_same_however_it_is_read() {
        for (replaced, is_kept) in [
            (&[(TITLE, "<title>Other</title><meta name=description content=d>")][..], true),
            (&[(TITLE, "<base href=/b/><title>T</title>")], true),
            (&[(TITLE, "<title id=x>T</title>")], true),
            (&[("<html lang=en>", "<html lang=en hidden>")], true),
            (&[(IMAGE, "<img src=a.png alt=a>")], true),
            (&[(IMAGE, "<img src=a.png alt=a class=b>")], true),
            (&[("<a href=/a id=x>", "<a href=/b rel=nofollow id=x>")], true),
            (&[("<a href=/a id=x>", "<a id=x>"), (IMAGE, "<img src=a.png alt=a>")], true),
            (&[("<header>", "<header><script src=/s.js></script>")], false),
            (&[(TITLE, "<link rel=icon href=/i>"), (IMAGE, "<img src=b.png loading=lazy>")], true),
            (&[("\"@type\"", "\"name\":\"b\",\"@type\"")], true),
            (&[("\"Thing\"", "\"navigator.credentials\"")], true),
            (&[("<p ", "<h1>H</h1><p ")], false),
            (&[(TITLE, "<p>")], false),
        ] {
            let (html, kept) = again(replaced);
            assert_eq!(kept.is_some(), is_kept, "{replaced:?}");
            let named = html.anchors.iter().map(|anchor| anchor.named).collect::<Vec<bool>>();
            let is_link = replaced.iter().all(|(_, new)| !new.starts_with("<a id"));
            let is_named = replaced.iter().any(|(_, new)| new.contains("alt=a"));
            assert_eq!(named, [is_named][..usize::from(is_link)], "{replaced:?}");
        }
    }

    #[test]
    fn what_stands_around_is_taken_over() {
        let (html, _) = again(&[("<title>T</title>", "<title>Other</title><meta name=a>")]);
        let italic = html.document.elements().find(|element| element.is("i")).unwrap();
        assert_eq!(italic.nearest_lang(), Some("pt"));
        assert!(html.document.head().unwrap().children().all(Element::is_in_head));
        assert_eq!(html.document.by_id("x").map(Element::name), Some("a"));
    }

    #[test]
    fn facts_are_taken_over_where_only_local_attributes_changed() {
        let check = |source: &str, replaced: &[(&str, &str)], wanted: bool| {
            let (before, html, kept) = again_of(source, replaced);
            let kept = kept.unwrap_or_else(|| panic!("{replaced:?} leaves nothing"));
            assert_eq!(can_be_taken_over(&html.document, &before, &kept), wanted, "{replaced:?}");
        };
        check(PAGE, &[(TITLE, "<title>Other</title>")], true);
        check(PAGE, &[(IMAGE, "<img src=b.png alt=a>")], true);
        check(PAGE, &[(IMAGE, "<img alt=a>")], true);
        check(PAGE, &[("\"Thing\"", "\"Person\"")], true);
        check(PAGE, &[("\"Thing\"", "\"navigator.credentials\"")], false);
        check(&PAGE.replace("</body>", "<script>first()</script></body>"), &[("first()", "second()")], false);
        // What is no list of elements would be lost.
        let with_passkey = PAGE.replace("type=password", "autocomplete=webauthn");
        check(&with_passkey, &[(TITLE, "<title>Other</title>")], false);
        // All is hidden now, or was.
        const HIDDEN: &str = "<html lang=en hidden>";
        check(PAGE, &[("<html lang=en>", HIDDEN)], false);
        const UNSEEN: &str = "<html lang=en style='display: none'>";
        let unseen = PAGE.replace("<html lang=en>", UNSEEN);
        check(&unseen, &[(UNSEEN, "<html lang=en style='color: red'>")], false);
        // An attribute that came, went or changed, of which others know.
        check(PAGE, &[(IMAGE, "<img src=a.png class=b>")], false);
        check(
            PAGE,
            &[(IMAGE, "<img src=a.png alt=a>"), (ITEM, "<p class=b itemscope itemtype=https://schema.org/Thing>")],
            false,
        );
        check(&PAGE.replace("src=a.png", "id=i src=a.png"), &[("<img id=i src=a.png>", IMAGE)], false);
        check(&PAGE.replace("src=a.png", "id=i src=a.png"), &[("<img id=i src=a.png>", "<img id=j src=a.png>")], false);
        let script = PAGE.replace("</header>", "<script src=/s.js></script></header>");
        check(&script, &[("<script src=/s.js>", "<script src=/s.js async>")], true);
        check(&script, &[("<script src=/s.js>", "<script src=/t.js>")], true);
        // One without an address is looked through.
        check(&script, &[("<script src=/s.js>", "<script>")], false);
        check(&script, &[("<a href=/a id=x>", "<a href=/b rel=nofollow id=x>")], true);
        check(&script, &[("<a href=/a id=x>", "<a id=x>")], false);
        check(&PAGE.replace("href=/a ", ""), &[("<a id=x>", "<a href=/a id=x>")], false);
        let base = PAGE.replace("</header>", "<base href=/b></header>");
        check(&base, &[("<base href=/b>", "<base href=/c>")], false);
    }

    #[test]
    fn items_are_taken_over_where_nothing_changed_around_them() {
        let check = |source: &str, replaced: &[(&str, &str)], wanted: bool| {
            let (before, html, kept) = again_of(source, replaced);
            let items = before.items_kept(&html.document, &kept.unwrap());
            assert_eq!(items.is_some(), wanted, "{replaced:?}");
            if let Some(items) = items {
                assert_eq!(items, html.items);
                assert_eq!(items.len(), 1);
            }
        };
        check(PAGE, &[(TITLE, "<title>Other</title><meta name=a>")], true);
        check(PAGE, &[(IMAGE, "<img src=a.png alt=a>")], false);
        check(PAGE, &[("<html lang=en>", "<html lang=pt>")], false);
        for front in ["<meta id=x name=a>", "<meta itemscope>", "<meta typeof=a>"] {
            check(PAGE, &[(TITLE, front)], false);
        }
        // An item of the front, and one whose part stands there.
        for (front, now) in [("<meta itemscope name=a>", "<meta name=a>"), ("<meta typeof=a>", "<meta name=a>")] {
            check(&PAGE.replace(TITLE, front), &[(front, now)], false);
        }
        let listed = PAGE.replace(TITLE, "<meta name=a id=r itemprop=b content=c>").replace("<p ", "<p itemref=r ");
        check(&listed, &[("<meta name=a id=r itemprop=b content=c>", "<meta name=a>")], false);
    }

    #[test]
    fn a_reading_that_differs_is_noticed() {
        let read = |source: &str| Page::read(&page("https://example.com/page", source)).html.unwrap();
        let whole = read(PAGE);
        let is_same =
            |other: Html| std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| compare(&other, &whole))).is_ok();
        assert!(is_same(read(PAGE)));
        assert!(!is_same(read(&PAGE.replace("src=a.png", "src=b.png"))));
        let mut without = read(PAGE);
        without.images.clear();
        assert!(!is_same(without));
    }
}
