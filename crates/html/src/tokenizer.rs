//! Source to tokens (WHATWG HTML §13.2.5), handed to the tree builder as they are met.
//!
//! The standard's states are folded into functions that read one thing each: a run of text, a tag, a comment. Nothing is
//! decoded here; a token is spans and numbers.

mod attributes;
mod markup;
mod raw;
mod token;

use std::collections::HashMap;
use std::ops::Range;

use attributes::{Attributes, Read, ScannedAttribute, TagEnd};
pub use attributes::{WrittenAttribute, attributes_of};
use memchr::{memchr, memchr2};
pub(crate) use token::{Comment, Content, Doctype, ProcessingInstruction, TagToken, TextRun};

use crate::arena::{Arena, NONE, RawAttribute, SourceRun, narrow};
use crate::decode::{self, Mode, is_space};
use crate::names::{AttributeId, Mixed, TagId};

/// Attributes of one tag up to which a new name is compared with each earlier one; past that a map is used.
const COMPARED: usize = 12;

/// The receiver of the tokens.
pub(crate) trait Sink {
    /// Where names, values and attributes are kept.
    fn arena(&mut self) -> &mut Arena;
    fn doctype(&mut self, doctype: Doctype);
    /// Says how to read on.
    fn start_tag(&mut self, tag: &TagToken) -> Content;
    fn end_tag(&mut self, tag: &TagToken);
    fn text(&mut self, text: TextRun);
    fn comment(&mut self, comment: Comment);
    fn instruction(&mut self, instruction: ProcessingInstruction);
    fn end(&mut self);
    /// Whether `<![CDATA[` counts here: the adjusted current node is none of HTML.
    fn allows_cdata(&self) -> bool;
    /// Nothing more is wanted.
    fn is_stopped(&self) -> bool;
    /// A tag had more attributes than are kept.
    fn attributes_cut(&mut self);
}

/// Reads a source for a sink.
#[derive(Debug)]
pub(crate) struct Tokenizer<'s, S> {
    pub(crate) sink: S,
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    content: Content,
    /// Name of the last start tag: the end tag that ends raw text.
    last_start: TagId,
    /// The source has CR or NUL somewhere; most have none, and need not be searched again and again.
    is_rough: bool,
    attribute_limit: usize,
    /// Places of the attributes of one tag with many, by the hash of their names.
    seen: HashMap<u64, usize>,
}

impl<'s, S: Sink> Tokenizer<'s, S> {
    pub(crate) fn new(source: &'s str, sink: S, attribute_limit: u16) -> Self {
        let bytes = source.as_bytes();
        Self {
            sink,
            source,
            bytes,
            at: 0,
            content: Content::Data,
            last_start: TagId(NONE),
            is_rough: memchr2(b'\r', 0, bytes).is_some(),
            attribute_limit: usize::from(attribute_limit),
            seen: HashMap::new(),
        }
    }

    /// The same, amid raw text of an element.
    #[cfg(test)]
    pub(crate) fn inside(mut self, content: Content, element: Option<TagId>) -> Self {
        self.content = content;
        self.last_start = element.unwrap_or(self.last_start);
        self
    }

    /// Reads to the end, or until the sink has had enough.
    pub(crate) fn run(mut self) -> S {
        while self.at < self.bytes.len() && !self.sink.is_stopped() {
            match self.content {
                Content::Data => self.data(),
                Content::Plaintext => {
                    let end = self.bytes.len();
                    self.emit_text(self.at, end, Mode::PLAINTEXT);
                    self.at = end;
                }
                content => self.raw_text(content),
            }
        }
        if !self.sink.is_stopped() {
            self.sink.end();
        }
        self.sink
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }

    /// The place of a byte from `from` on, or the end.
    fn find(&self, byte: u8, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        memchr(byte, rest).map_or(self.bytes.len(), |found| from + found)
    }

    /// The first place from `from` on whose byte is wanted, or the end.
    fn until(&self, from: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        rest.iter().position(|byte| wanted(*byte)).map_or(self.bytes.len(), |found| from + found)
    }

    fn skip_space(&self, from: usize) -> usize {
        self.until(from, |byte| !is_space(byte))
    }

    /// Whether the bytes at `at` are these, letter case ignored.
    fn is_at(&self, at: usize, wanted: &[u8]) -> bool {
        self.bytes.get(at..at + wanted.len()).is_some_and(|bytes| bytes.eq_ignore_ascii_case(wanted))
    }

    /// A run, as `mode` reads it.
    fn keep(&mut self, span: Range<usize>, mode: Mode) -> SourceRun {
        let changed = decode::changes(self.bytes.get(span.clone()).unwrap_or_default(), mode);
        self.sink.arena().run(span, mode, changed)
    }

    fn emit_text(&mut self, start: usize, end: usize, mode: Mode) {
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        let changed = (self.is_rough && memchr2(b'\r', 0, bytes).is_some())
            || (mode.has_references() && memchr(b'&', bytes).is_some());
        self.emit(TextRun { start, end, mode, changed });
    }

    fn emit(&mut self, text: TextRun) {
        if !text.is_empty() {
            self.sink.text(text);
        }
    }

    /// A run of text and the markup that ends it.
    fn data(&mut self) {
        let start = self.at;
        let mut from = start;
        loop {
            let at = self.find(b'<', from);
            let is_markup = match self.byte(at + 1) {
                Some(b'!' | b'?') => true,
                Some(b'/') => self.byte(at + 2).is_some(),
                Some(byte) => byte.is_ascii_alphabetic(),
                None => false,
            };
            if is_markup || at >= self.bytes.len() {
                self.emit_text(start, at, Mode::TEXT);
                self.at = at;
                if is_markup && !self.sink.is_stopped() {
                    self.markup();
                }
                return;
            }
            from = at + 1;
        }
    }

    /// What starts with the `<` that is next.
    fn markup(&mut self) {
        let start = self.at;
        match self.byte(start + 1) {
            Some(b'/') => match self.byte(start + 2) {
                Some(byte) if byte.is_ascii_alphabetic() => self.end_tag(),
                // "</>" is nothing at all.
                Some(b'>') => self.at = start + 3,
                _ => self.bogus_comment(start, start + 2),
            },
            Some(b'!') => self.declaration(),
            Some(b'?') => self.instruction(),
            _ => self.start_tag(),
        }
    }

    fn start_tag(&mut self) {
        let start = self.at;
        let (name_end, mixed) = self.tag_name(start + 1);
        let first = self.sink.arena().attributes.len();
        let TagEnd::At { end, is_self_closing } = self.attributes(name_end, first) else {
            // The end of the source in a tag: the tag is dropped.
            self.sink.arena().attributes.truncate(first);
            self.at = self.bytes.len();
            return;
        };
        let name = self.sink.arena().tag(self.source, start + 1..name_end, mixed);
        let (source, arena) = (self.source, self.sink.arena());
        let attributes = arena.attributes.get(first..).unwrap_or_default();
        let (count, attribute_names) = (attributes.len(), arena.name_bits(source, attributes));
        let tag = TagToken {
            name,
            start: narrow(start),
            end: narrow(end),
            attributes: narrow(first),
            attribute_count: u16::try_from(count).unwrap_or(u16::MAX),
            attribute_names,
            is_self_closing,
        };
        self.at = end;
        self.last_start = name;
        self.content = self.sink.start_tag(&tag);
    }

    fn end_tag(&mut self) {
        let start = self.at;
        let (name_end, mixed) = self.tag_name(start + 2);
        let (end, is_self_closing) = match self.byte(name_end) {
            Some(b'>') => (name_end + 1, false),
            _ => {
                // Attributes of end tags count for nothing.
                let mut reader = Attributes { bytes: self.bytes, at: name_end };
                let read = loop {
                    if let Read::End(end) = reader.next() {
                        break end;
                    }
                };
                let TagEnd::At { end, is_self_closing } = read else {
                    self.at = self.bytes.len();
                    return;
                };
                (end, is_self_closing)
            }
        };
        let name = self.sink.arena().tag(self.source, start + 2..name_end, mixed);
        self.at = end;
        self.content = Content::Data;
        let (start, end) = (narrow(start), narrow(end));
        let (attributes, attribute_count, attribute_names) = (0, 0, 0);
        self.sink.end_tag(&TagToken {
            name,
            start,
            end,
            attributes,
            attribute_count,
            attribute_names,
            is_self_closing,
        });
    }

    /// Where a tag's name ends, and the hash of its letters.
    fn tag_name(&self, start: usize) -> (usize, Mixed) {
        let (mut end, mut mixed) = (start, Mixed::START);
        for byte in self.bytes.get(start..).unwrap_or_default() {
            if ends_tag_name(*byte) {
                break;
            }
            mixed = mixed.with(*byte);
            end += 1;
        }
        (end, mixed)
    }

    /// The attributes of a tag whose name ends at `from`.
    fn attributes(&mut self, from: usize, first: usize) -> TagEnd {
        let mut reader = Attributes { bytes: self.bytes, at: from };
        let mut seen = 0;
        loop {
            match reader.next() {
                Read::Attribute(scanned) => self.attribute(scanned, first, &mut seen),
                Read::End(end) => return end,
            }
        }
    }

    /// Keeps an attribute, unless its name is there already.
    fn attribute(&mut self, scanned: ScannedAttribute, first: usize, seen: &mut usize) {
        let ScannedAttribute { name, mixed, value, has_reference } = scanned;
        let written = self.bytes.get(name.clone()).unwrap_or_default();
        let known = AttributeId::known_mixed(written, mixed);
        let run = match known {
            Some(_) => SourceRun { start: narrow(name.start), end: narrow(name.end) },
            None => self.keep(name, Mode::NAME),
        };
        let id = known.unwrap_or(AttributeId::UNKNOWN);
        let mut attribute = RawAttribute { name: run, value: SourceRun { start: NONE, end: NONE }, id };
        if self.is_repeated(&attribute, first, seen) {
            return;
        }
        if self.sink.arena().attributes.len() - first >= self.attribute_limit {
            self.sink.attributes_cut();
            return;
        }
        if let Some(value) = value {
            let bytes = self.bytes.get(value.clone()).unwrap_or_default();
            let changed = has_reference || (self.is_rough && memchr2(b'\r', 0, bytes).is_some());
            attribute.value = self.sink.arena().run(value, Mode::VALUE, changed);
        }
        self.sink.arena().attributes.push(attribute);
    }

    /// Whether a name stands among the attributes from `first` on; `seen` says how many of them the map knows.
    fn is_repeated(&mut self, attribute: &RawAttribute, first: usize, seen: &mut usize) -> bool {
        let source = self.source;
        let arena = self.sink.arena();
        let before = arena.attributes.get(first..).unwrap_or_default();
        if before.len() <= COMPARED {
            return match attribute.id {
                AttributeId::UNKNOWN => {
                    let name = arena.text(source, attribute.name);
                    before
                        .iter()
                        .any(|other| other.id == AttributeId::UNKNOWN && arena.text(source, other.name) == name)
                }
                id => before.iter().any(|other| other.id == id),
            };
        }
        if *seen == 0 {
            self.seen.clear();
        }
        for (at, other) in before.iter().enumerate().skip(*seen) {
            self.seen.insert(arena.keyed_hash(arena.attribute_name(source, other)), at);
        }
        *seen = before.len();
        let name = arena.attribute_name(source, attribute);
        let found = self.seen.get(&arena.keyed_hash(name)).and_then(|at| before.get(*at));
        found.is_some_and(|other| arena.attribute_name(source, other) == name)
    }
}

fn ends_tag_name(byte: u8) -> bool {
    is_space(byte) || byte == b'/' || byte == b'>'
}

#[cfg(test)]
mod tests;
