//! RDFa Lite 1.1, as far as it is written with the vocabulary of schema.org.

use std::collections::BTreeSet;

use super::document::{Element, NodeId};
use super::item::{Item, ItemReader, MOST_LEVELS, MOST_NAMES, Object, Syntax};
use super::jsonld::tree::ValueTree;

/// The items of a page. `typed`: its elements with `typeof`, in order.
pub(super) fn read(mut reader: ItemReader<'_>, typed: &[NodeId]) -> Vec<Item> {
    let mut rdfa = Rdfa { seen: BTreeSet::new() };
    let document = reader.document;
    let roots = typed.iter().filter_map(|id| document.element(*id));
    reader.items(Syntax::Rdfa, roots, |reader, root| {
        if rdfa.seen.contains(&root.id()) {
            return None;
        }
        let terms = Terms::around(root);
        terms.types(root).next().is_some().then(|| rdfa.item(reader, root, &terms, 0))
    })
}

/// Prefixes that a page may have for one vocabulary.
const MOST_PREFIXES: usize = 8;

/// How names are read at a place.
#[derive(Debug, Clone)]
struct Terms<'h> {
    /// Names without a prefix are those of schema.org.
    is_default: bool,
    /// Prefixes that stand for schema.org, besides `schema`, which every RDFa page has.
    prefixes: Vec<&'h str>,
}

impl<'h> Terms<'h> {
    fn around(element: Element<'h>) -> Self {
        let mut outermost_first: Vec<Element<'h>> = std::iter::once(element).chain(element.ancestors()).collect();
        outermost_first.reverse();
        let none = Self { is_default: false, prefixes: Vec::new() };
        outermost_first.into_iter().fold(none, |terms, element| terms.inside(element))
    }

    /// The same inside an element that may say otherwise.
    fn inside(mut self, element: Element<'h>) -> Self {
        if let Some(vocabulary) = element.attribute("vocab") {
            self.is_default = is_schema_org(vocabulary);
        }
        let mut words = element.attribute("prefix").unwrap_or_default().split_ascii_whitespace();
        while let Some((prefix, address)) = words.next().zip(words.next()) {
            let prefix = prefix.strip_suffix(':').filter(|_| is_schema_org(address));
            self.prefixes.extend(prefix.filter(|_| self.prefixes.len() < MOST_PREFIXES));
        }
        self
    }

    /// A name without its prefix, where it is one of schema.org.
    fn name(&self, word: &'h str) -> Option<&'h str> {
        match word.split_once(':') {
            None => self.is_default.then_some(word),
            Some((prefix, rest)) if prefix == "schema" || self.prefixes.contains(&prefix) => Some(rest),
            Some(("http" | "https", _)) => {
                Some(super::jsonld::graph::local(word)).filter(|name| name.len() < word.len())
            }
            Some(_) => None,
        }
    }

    fn types<'t>(&'t self, element: Element<'h>) -> impl Iterator<Item = &'h str> + use<'t, 'h> {
        let words = element.attribute("typeof").unwrap_or_default().split_ascii_whitespace();
        words.filter_map(|word| self.name(word))
    }
}

fn is_schema_org(address: &str) -> bool {
    let address = address.trim().trim_end_matches('/');
    matches!(address, "http://schema.org" | "https://schema.org" | "http://www.schema.org" | "https://www.schema.org")
}

struct Rdfa {
    /// Elements that are part of an item.
    seen: BTreeSet<NodeId>,
}

impl Rdfa {
    fn item<'h>(
        &mut self,
        reader: &mut ItemReader<'h>,
        element: Element<'h>,
        terms: &Terms<'h>,
        level: usize,
    ) -> ValueTree {
        self.seen.insert(element.id());
        let mut object = reader.object(element);
        if level == 0 {
            object.state("@context", "https://schema.org");
        }
        terms.types(element).for_each(|kind| object.state("@type", kind));
        // RDFa Core 1.1 §7.5: what the element is about, by the first of these.
        let id = ["resource", "href", "src"].iter().find_map(|name| element.attribute(name));
        if let Some(url) = id.and_then(|id| reader.resolve(id)) {
            object.state("@id", url.as_str());
        }
        self.properties(reader, element, terms, &mut object, level);
        object.finish()
    }

    fn properties<'h>(
        &mut self,
        reader: &mut ItemReader<'h>,
        around: Element<'h>,
        terms: &Terms<'h>,
        object: &mut Object,
        level: usize,
    ) {
        for element in around.children() {
            if level == MOST_LEVELS || !reader.may_visit() {
                return;
            }
            let inner;
            let terms = if element.has("vocab") || element.has("prefix") {
                inner = terms.clone().inside(element);
                &inner
            } else {
                terms
            };
            let is_item = element.has("typeof");
            let words = element.attribute("property").unwrap_or_default().split_ascii_whitespace();
            let names: Vec<&str> = words.filter_map(|word| terms.name(word)).take(MOST_NAMES).collect();
            if !names.is_empty() {
                let value = if is_item { self.item(reader, element, terms, level + 1) } else { value(reader, element) };
                reader.add(object, &names, value);
            }
            // An item that is no property is one of its own.
            if !is_item {
                self.properties(reader, element, terms, object, level);
            }
        }
    }
}

/// The value of a property (RDFa Core 1.1 §7.5, step 11).
fn value<'h>(reader: &mut ItemReader<'h>, element: Element<'h>) -> ValueTree {
    if element.has("content") {
        return reader.plain(element, "content");
    }
    match ["resource", "href", "src"].into_iter().find(|name| element.has(name)) {
        Some(name) => reader.address(element, name),
        None if element.has("datetime") => reader.plain(element, "datetime"),
        None => reader.text(element),
    }
}

#[cfg(test)]
mod tests {
    use super::super::structured_data::testing::items as read;

    #[test]
    fn items_are_read_with_their_values() {
        let source = "<body vocab=https://schema.org/><div typeof=Product resource=#p><b property=name>Rye <i>bread</i></b>\
            <a property='url og:url' href=b>x</a><i property=sku content=1>one</i><time property=releaseDate datetime=2026>x</time>\
            <p property=offers typeof=Offer><b property=schema:price>5</b></p><p typeof=Person><b property=name>Ann</b></p></div>";
        let product = "{@context: https://schema.org, @type: Product, @id: https://example.com/a/page#p, name: Rye bread, \
            url: https://example.com/a/b, sku: 1, releaseDate: 2026, offers: {@type: Offer, price: 5}}";
        assert_eq!(read(source), [product, "{@context: https://schema.org, @type: Person, name: Ann}"]);
    }

    #[test]
    fn names_count_by_their_vocabulary_and_prefix() {
        let one = |source: &str| read(source).first().cloned().unwrap_or_default();
        let thing = "{@context: https://schema.org, @type: Thing, name: x}";
        for source in [
            "<p typeof=schema:Thing><b property=schema:name>x</b><b property=name>y</b>",
            "<p prefix='s: http://schema.org/ o: https://o.test/' typeof='s:Thing o:Other'><b property='s:name o:name'>x</b>",
            "<p typeof=https://schema.org/Thing><b property=http://schema.org/name>x</b>",
            "<p vocab=http://schema.org typeof=Thing><b property=name>x</b><i vocab=https://o.test/><b property=name>y</b></i>",
        ] {
            assert_eq!(one(source).replace("@type: https://schema.org/Thing", "@type: Thing"), thing, "{source}");
        }
        for source in ["<p typeof=Thing>", "<p typeof=foaf:Person>", "<p vocab=https://o.test/ typeof=Thing>"] {
            assert_eq!(one(source), "", "{source}");
        }
    }
}
