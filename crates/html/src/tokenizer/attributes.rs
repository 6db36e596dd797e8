//! The attributes of a tag (WHATWG HTML §13.2.5.32 to .40).

use std::ops::Range;

use super::ends_tag_name;
use crate::decode::is_space;

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
    Attribute(WrittenAttribute),
    End(TagEnd),
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
        Read::Attribute(written) => Some(written),
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

    fn attribute(&mut self) -> WrittenAttribute {
        let start = self.at;
        // An equals sign may start a name.
        let name_end = self.until(start + 1, |byte| ends_tag_name(byte) || byte == b'=');
        let name = start..name_end;
        let equals = self.skip_space(name_end);
        if self.byte(equals) != Some(b'=') {
            self.at = equals;
            return WrittenAttribute { whole: name.clone(), name, value: None };
        }
        let value_start = self.skip_space(equals + 1);
        let value = match self.byte(value_start) {
            Some(quote @ (b'"' | b'\'')) => {
                let rest = self.bytes.get(value_start + 1..).unwrap_or_default();
                let end = memchr::memchr(quote, rest).map_or(self.bytes.len(), |found| value_start + 1 + found);
                self.at = (end + 1).min(self.bytes.len());
                value_start + 1..end
            }
            _ => {
                self.at = self.until(value_start, |byte| is_space(byte) || byte == b'>');
                value_start..self.at
            }
        };
        WrittenAttribute { name, value: Some(value), whole: start..self.at }
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
