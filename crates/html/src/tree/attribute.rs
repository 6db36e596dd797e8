//! An attribute, as it is read.

use std::ops::Range;

use super::Tree;
use crate::arena::{NONE, RawAttribute};
use crate::namespace::{AttributeName, Namespace};

/// An attribute of an element.
#[derive(Debug, Clone, Copy)]
pub struct Attribute<'t> {
    pub(super) tree: &'t Tree,
    pub(super) raw: &'t RawAttribute,
    pub(super) namespace: Namespace,
}

impl<'t> Attribute<'t> {
    /// Its name as its element has it.
    #[inline]
    pub fn name(&self) -> AttributeName<'t> {
        let local = || self.tree.arena.text(&self.tree.source, self.raw.name);
        self.raw.id.on(self.namespace).unwrap_or_else(|| AttributeName { prefix: None, local: local() })
    }

    /// Its name in lower case, a prefix before a colon: the text to ask [`Tree::attribute`] for.
    #[inline]
    pub fn lower_name(&self) -> &'t str {
        self.tree.arena.attribute_name(&self.tree.source, self.raw)
    }

    /// Its value, character references resolved; empty where none is written.
    #[inline]
    pub fn value(&self) -> &'t str {
        if self.raw.value.start == NONE { "" } else { self.tree.arena.text(&self.tree.source, self.raw.value) }
    }

    /// Bytes of the name.
    pub fn name_span(&self) -> Range<usize> {
        self.tree.arena.span(self.raw.name)
    }

    /// Bytes of the value without quotes; `None` where no equals sign stands.
    pub fn value_span(&self) -> Option<Range<usize>> {
        (self.raw.value.start != NONE).then(|| self.tree.arena.span(self.raw.value))
    }

    /// Bytes of name, value and quotes.
    pub fn span(&self) -> Range<usize> {
        let start = self.name_span().start;
        let Some(value) = self.value_span() else { return self.name_span() };
        let bytes = self.tree.source.as_bytes();
        // An unquoted value stands behind white space or the equals sign, and does not start with a quote.
        let quote = value.start.checked_sub(1).and_then(|at| bytes.get(at)).filter(|byte| matches!(byte, b'"' | b'\''));
        let is_closed = quote.is_some() && bytes.get(value.end) == quote;
        start..value.end + usize::from(is_closed)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Options, parse};

    #[test]
    fn an_attribute_is_found_by_its_name_and_by_no_other() {
        // Merged ones, copies of formatting elements, names in other letters, with U+0000, or repeated.
        const SOURCE: &str = "<html LANG=a><html hidden lang=b x-\0y=c><body ID=d><body class=e id=f style=g>\
            <p><b aria-Hidden=h é=i><i title=j Title=k></b>x</i><svg viewBox=l xlink:HREF=m>\
            <path D=n></svg><img src=o alt data-\0=p data-É=q Src=r>";
        let tree = parse(SOURCE.to_owned(), &Options::default());
        let all = || tree.descendants(crate::NodeId::DOCUMENT);
        let named: Vec<&str> = all().flat_map(|id| tree.attributes(id)).map(|one| one.lower_name()).collect();
        assert!(named.len() > 15, "{named:?}");
        for id in all() {
            for name in named.iter().copied().chain(["hidden", "href", "type", "itemprop", "heddon", ""]) {
                let wanted = tree.attributes(id).find(|one| one.lower_name() == name).map(|one| one.value());
                assert_eq!(tree.attribute(id, name).map(|one| one.value()), wanted, "{name} of {id:?}");
            }
        }
    }
}
