//! Raw text, in which tags are not markup: `title`, `style`, `script` and others.

use super::{Content, Sink, Tokenizer, ends_tag_name};
use crate::decode::Mode;
use crate::names::TagId;

/// Whether the text of a script is escaped by what looks like a comment (§13.2.5.15 to .31).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// Not at all.
    No,
    /// After `<!--`.
    Once,
    /// After `<!--` and `<script`: an end tag only ends that.
    Twice,
}

impl<S: Sink> Tokenizer<'_, S> {
    /// The text of an element up to its end tag, and that.
    pub(super) fn raw_text(&mut self, content: Content) {
        let start = self.at;
        let end = match content {
            Content::Script => self.script_end(start),
            _ => self.raw_end(start),
        };
        let mode = if content == Content::Rcdata { Mode::TEXT } else { Mode::RAW };
        self.emit_text(start, end, mode);
        self.at = end;
        if end < self.bytes.len() {
            self.end_tag();
        }
    }

    /// The place of the end tag that ends the text ("appropriate end tag token"), or the end of the source.
    fn raw_end(&mut self, from: usize) -> usize {
        let mut at = self.find(b'<', from);
        while at < self.bytes.len() && !self.is_appropriate_end(at) {
            at = self.find(b'<', at + 1);
        }
        at
    }

    fn is_appropriate_end(&mut self, at: usize) -> bool {
        if self.byte(at + 1) != Some(b'/') || !self.byte(at + 2).is_some_and(|byte| byte.is_ascii_alphabetic()) {
            return false;
        }
        // No name that starts raw text is longer than "plaintext" or "noframes".
        const LONGEST: usize = 16;
        let name = at + 2;
        let window = self.bytes.get(name..(name + LONGEST).min(self.bytes.len())).unwrap_or_default();
        let Some(length) = window.iter().position(|byte| ends_tag_name(*byte)) else { return false };
        let name = window.get(..length).unwrap_or_default();
        TagId::known(name) == Some(self.last_start)
    }

    fn script_end(&mut self, from: usize) -> usize {
        let mut escape = Escape::No;
        let mut at = from;
        loop {
            if escape == Escape::No {
                at = self.find(b'<', at);
            } else {
                at = self.until_dash_or_tag(at);
            }
            let Some(byte) = self.byte(at) else { return self.bytes.len() };
            if byte == b'-' {
                // "-->" ends the escape; of more dashes the last two count.
                if self.is_at(at, b"-->") {
                    escape = Escape::No;
                }
                at += 1;
            } else if escape == Escape::No && self.is_at(at, b"<!--") {
                escape = Escape::Once;
                // The dashes may be those of "-->".
                at += 2;
            } else if escape == Escape::Twice {
                if self.byte(at + 1) == Some(b'/') && self.is_script_name(at + 2) {
                    escape = Escape::Once;
                }
                at += 1;
            } else if self.is_appropriate_end(at) {
                return at;
            } else {
                if escape == Escape::Once && self.is_script_name(at + 1) {
                    escape = Escape::Twice;
                }
                at += 1;
            }
        }
    }

    fn until_dash_or_tag(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        memchr::memchr2(b'-', b'<', rest).map_or(self.bytes.len(), |found| from + found)
    }

    /// Whether "script" stands at `at` as a whole name.
    fn is_script_name(&self, at: usize) -> bool {
        self.is_at(at, b"script") && self.byte(at + 6).is_some_and(ends_tag_name)
    }
}
