//! Microdata (WHATWG HTML §5), as far as it is written with the vocabulary of schema.org.

use std::collections::BTreeMap;

use super::document::{Document, Element, NodeId};
use super::item::{Item, ItemReader, MOST_LEVELS, MOST_NAMES, Object, Syntax};
use super::jsonld::tree::ValueTree;

/// The items of a page. `scopes`: its elements with `itemscope`, in order.
pub(super) fn read(mut reader: ItemReader<'_>, scopes: &[NodeId]) -> Vec<Item> {
    // An item that is a property belongs to the item around it.
    let document = reader.document;
    let roots = scopes.iter().filter_map(|id| document.element(*id)).filter(|element| !element.has("itemprop"));
    let mut microdata = Microdata { by_id: None };
    reader.items(Syntax::Microdata, roots, |reader, root| {
        let is_ours = root.attribute("itemtype").is_some_and(|types| types.split_ascii_whitespace().any(is_schema_org));
        is_ours.then(|| microdata.item(reader, root, 0))
    })
}

fn is_schema_org(kind: &str) -> bool {
    let rest = kind.strip_prefix("https://").or_else(|| kind.strip_prefix("http://")).unwrap_or_default();
    rest.trim_start_matches("www.").starts_with("schema.org/")
}

struct Microdata<'h> {
    /// Elements by their id, made when the first item refers to one.
    by_id: Option<BTreeMap<&'h str, Element<'h>>>,
}

impl<'h> Microdata<'h> {
    fn item(&mut self, reader: &mut ItemReader<'h>, element: Element<'h>, level: usize) -> ValueTree {
        let mut object = reader.object(element);
        if level == 0 {
            object.state("@context", "https://schema.org");
        }
        for kind in element.attribute("itemtype").unwrap_or_default().split_ascii_whitespace() {
            object.state("@type", &kind.replacen("://www.", "://", 1));
        }
        if let Some(id) = element.attribute("itemid").map(str::trim).filter(|id| !id.is_empty()) {
            object.state("@id", reader.resolve(id).as_ref().map_or(id, |url| url.as_str()));
        }
        self.properties(reader, element, &mut object, level);
        let others = element.attribute("itemref").unwrap_or_default().split_ascii_whitespace();
        let others: Vec<Element<'h>> = others.filter_map(|id| self.element(reader.document, id)).collect();
        for other in others {
            self.take(reader, other, &mut object, level);
        }
        object.finish()
    }

    fn element(&mut self, document: &'h Document, id: &str) -> Option<Element<'h>> {
        let by_id = self.by_id.get_or_insert_with(|| {
            let mut by_id = BTreeMap::new();
            for element in document.elements() {
                if let Some(id) = element.attribute("id") {
                    by_id.entry(id).or_insert(element);
                }
            }
            by_id
        });
        by_id.get(id).copied()
    }

    fn properties(&mut self, reader: &mut ItemReader<'h>, around: Element<'h>, object: &mut Object, level: usize) {
        for element in around.children() {
            self.take(reader, element, object, level);
        }
    }

    /// An element below an item: a property of it, or something that may hold more.
    fn take(&mut self, reader: &mut ItemReader<'h>, element: Element<'h>, object: &mut Object, level: usize) {
        if level == MOST_LEVELS || !reader.may_visit() {
            return;
        }
        let is_item = element.has("itemscope");
        if let Some(names) = element.attribute("itemprop") {
            let names: Vec<&str> = names.split_ascii_whitespace().take(MOST_NAMES).collect();
            if !names.is_empty() {
                let value = if is_item { self.item(reader, element, level + 1) } else { value(reader, element) };
                reader.add(object, &names, value);
            }
        }
        if !is_item {
            self.properties(reader, element, object, level);
        }
    }
}

/// The value of a property (§5.2.4). `content` counts on every element, as schema.org's own examples have it and as
/// Google reads it.
fn value<'h>(reader: &mut ItemReader<'h>, element: Element<'h>) -> ValueTree {
    match element.name() {
        "audio" | "embed" | "iframe" | "img" | "source" | "track" | "video" => reader.address(element, "src"),
        "a" | "area" | "link" if !element.has("content") => reader.address(element, "href"),
        "object" => reader.address(element, "data"),
        "data" | "meter" => reader.plain(element, "value"),
        "time" if element.has("datetime") => reader.plain(element, "datetime"),
        name if name == "meta" || element.has("content") => reader.plain(element, "content"),
        _ => reader.text(element),
    }
}

#[cfg(test)]
mod tests {
    use super::super::structured_data::testing::items as read;

    #[test]
    fn items_are_read_with_their_values_and_what_they_refer_to() {
        let source = "<div itemscope itemtype='http://schema.org/Product' itemid=/p itemref='more none'>\
            <b itemprop=name>Rye <i>bread</i></b><a itemprop='url sameAs' href=b>x</a><meta itemprop=sku content=1>\
            <time itemprop=releaseDate datetime=2026-01-01>New Year</time><img itemprop=image src=/c.png>\
            <p itemprop=offers itemscope itemtype=https://schema.org/Offer><data itemprop=price value=5>five</data></p>\
            <p itemscope><i itemprop=name>not of this item</i></p></div><p id=more><span itemprop=color>brown</span></p>";
        let expected = "{@context: https://schema.org, @type: http://schema.org/Product, @id: https://example.com/p, \
            name: Rye bread, sameAs: https://example.com/a/b, url: https://example.com/a/b, sku: 1, releaseDate: 2026-01-01, \
            image: https://example.com/c.png, offers: {@type: https://schema.org/Offer, price: 5}, color: brown}";
        assert_eq!(read(source), [expected]);
    }

    #[test]
    fn items_of_other_vocabularies_are_none_of_ours() {
        for kind in ["http://data-vocabulary.org/Product", "https://schema.org", "Product", ""] {
            assert_eq!(read(&format!("<p itemscope itemtype='{kind}'><b itemprop=name>x</b></p>")), [""; 0], "{kind}");
        }
    }

    #[test]
    fn items_that_refer_to_themselves_or_copy_themselves_have_an_end() {
        let item = "itemscope itemtype=https://schema.org/Thing";
        assert_eq!(read(&format!("<div {item} id=a itemref=a><b itemprop=name>x</b></div>")).len(), 1);
        let nested = format!("<div itemprop='a b c d e f g h' {item}>").repeat(100);
        assert_eq!(read(&format!("<div {item}>{nested}")).len(), 1);
        let long = format!("<div {item}>{}", format!("<b itemprop=a>{}", "x".repeat(4_000)).repeat(500));
        assert_eq!(read(&long).len(), 1);
        let shared = format!("<p {item} itemref=all></p>").repeat(2_000);
        assert_eq!(read(&format!("<div id=all>{}</div>{shared}", "<b itemprop=a>x</b>".repeat(2_000))).len(), 2_000);
    }
}
