//! The attributes of a tag (WHATWG HTML §13.2.5.32 to .40).

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::ends_tag_name;
use crate::decode::is_space;
use crate::names::Mixed;

/// An attribute as it is written, with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenAttribute {
    /// The name.
    pub name: Range<usize>,
    /// The value without quotes; `None` where no equals sign stands.
    pub value: Option<Range<usize>>,
    /// Name, value and quotes.
    pub whole: Range<usize>,
}

/// Where a tag ended: behind its `>`, or nowhere.
pub(super) enum TagEnd {
    At { end: usize, is_self_closing: bool },
    Missing,
}

/// What comes next in a tag.
pub(super) enum Read {
    Attribute(ScannedAttribute),
    End(TagEnd),
}

/// An attribute, and what was noticed in passing.
pub(super) struct ScannedAttribute {
    pub(super) name: Range<usize>,
    pub(super) mixed: Mixed,
    pub(super) value: Option<Range<usize>>,
    /// The value has an ampersand.
    pub(super) has_reference: bool,
}

/// Reads attribute after attribute.
pub(super) struct Attributes<'s> {
    pub(super) bytes: &'s [u8],
    pub(super) at: usize,
}

/// Every attribute of a tag's text, `<name …>`, repeated ones too, of which only the first of each name counts.
pub fn attributes_of(tag: &str) -> Vec<WrittenAttribute> {
    let bytes = tag.as_bytes();
    let mut reader = Attributes { bytes, at: 1 };
    reader.at = reader.until(1, ends_tag_name);
    std::iter::from_fn(|| match reader.next() {
        Read::Attribute(ScannedAttribute { name, value, .. }) => {
            let quote = value.as_ref().is_some_and(|value| matches!(bytes.get(value.start - 1), Some(b'"' | b'\'')));
            let end = value.as_ref().map_or(name.end, |value| (value.end + usize::from(quote)).min(bytes.len()));
            Some(WrittenAttribute { whole: name.start..end, name, value })
        }
        Read::End(_) => None,
    })
    .collect()
}

impl Attributes<'_> {
    pub(super) fn next(&mut self) -> Read {
        loop {
            self.at = self.skip_space(self.at);
            match self.byte(self.at) {
                None => return Read::End(TagEnd::Missing),
                Some(b'>') => return Read::End(TagEnd::At { end: self.at + 1, is_self_closing: false }),
                Some(b'/') => {
                    if self.byte(self.at + 1) == Some(b'>') {
                        return Read::End(TagEnd::At { end: self.at + 2, is_self_closing: true });
                    }
                    self.at += 1;
                }
                Some(_) => return Read::Attribute(self.attribute()),
            }
        }
    }

    fn attribute(&mut self) -> ScannedAttribute {
        let start = self.at;
        // An equals sign may start a name.
        let (mut end, mut mixed) = (start, Mixed::START);
        for byte in self.bytes.get(start..).unwrap_or_default() {
            if end > start && (ends_tag_name(*byte) || *byte == b'=') {
                break;
            }
            mixed = mixed.with(*byte);
            end += 1;
        }
        let name = start..end;
        let equals = self.skip_space(end);
        if self.byte(equals) != Some(b'=') {
            self.at = equals;
            return ScannedAttribute { name, mixed, value: None, has_reference: false };
        }
        let start = self.skip_space(equals + 1);
        let (value, has_reference) = match self.byte(start) {
            Some(quote @ (b'"' | b'\'')) => {
                let (end, has_reference) = self.quoted(start + 1, quote);
                self.at = (end + 1).min(self.bytes.len());
                (start + 1..end, has_reference)
            }
            _ => {
                self.at = self.until(start, |byte| is_space(byte) || byte == b'>');
                let value = start..self.at;
                let bytes = self.bytes.get(value.clone()).unwrap_or_default();
                (value, memchr(b'&', bytes).is_some())
            }
        };
        ScannedAttribute { name, mixed, value: Some(value), has_reference }
    }

    /// Where the quote is that ends a value, or the end; and whether an ampersand stands before.
    fn quoted(&self, start: usize, quote: u8) -> (usize, bool) {
        let find = |from: usize, found: Option<usize>| found.map_or(self.bytes.len(), |found| from + found);
        let rest = self.bytes.get(start..).unwrap_or_default();
        let at = find(start, memchr2(quote, b'&', rest));
        if self.byte(at) != Some(b'&') {
            return (at, false);
        }
        let rest = self.bytes.get(at..).unwrap_or_default();
        (find(at, memchr(quote, rest)), true)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    fn until(&self, from: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        rest.iter().position(|byte| wanted(*byte)).map_or(self.bytes.len(), |found| from + found)
    }

    fn skip_space(&self, from: usize) -> usize {
        self.until(from, |byte| !is_space(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_of_every_spelling_are_found() {
        let tag = r#"<a HREF = "x y" b='' c/d=e/f =g h href=2>"#;
        let read: Vec<(&str, Option<&str>, &str)> = attributes_of(tag)
            .into_iter()
            .map(|written| (&tag[written.name], written.value.map(|value| &tag[value]), &tag[written.whole]))
            .collect();
        assert_eq!(
            read,
            [
                ("HREF", Some("x y"), "HREF = \"x y\""),
                ("b", Some(""), "b=''"),
                ("c", None, "c"),
                ("d", Some("e/f"), "d=e/f"),
                ("=g", None, "=g"),
                ("h", None, "h"),
                ("href", Some("2"), "href=2"),
            ]
        );
    }
}
