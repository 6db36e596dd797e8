//! Positions in source text: lines, and the attributes of one start tag.

use std::ops::Range;

/// Line starts of a text. CR, LF and CRLF each end one line.
#[derive(Debug, Default)]
pub struct LineIndex {
    starts: Vec<usize>,
}

impl LineIndex {
    /// Indexes `text`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let in_crlf = bytes.get(at..at + 2) == Some(b"\r\n");
            if !in_crlf {
                starts.push(at + 1);
            }
        }
        Self { starts }
    }

    /// Byte offset at which a 1-based line starts; of the last line for one past it.
    pub fn start(&self, line: u32) -> usize {
        let at = usize::try_from(line).unwrap_or(usize::MAX).saturating_sub(1);
        self.starts.get(at).or(self.starts.last()).copied().unwrap_or_default()
    }

    /// 1-based line of a byte offset.
    pub fn line(&self, offset: usize) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }
}

/// Where one attribute stands inside its start tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributeSpan {
    /// Name as written.
    pub name: Range<usize>,
    /// Name, value and quotes.
    pub whole: Range<usize>,
    /// Value without quotes; `None` for an attribute without one.
    pub value: Option<Range<usize>>,
}

/// Reads the attributes of one start tag's source, `<name …>`, by the tokenizer's rules (WHATWG HTML §13.2.5.32 to .39).
pub fn attribute_spans(tag: &str) -> Vec<AttributeSpan> {
    let mut scan = Scan { bytes: tag.as_bytes(), at: 1 };
    scan.skip_while(|b| !is_space(b) && b != b'/' && b != b'>');
    let mut spans = Vec::new();
    loop {
        scan.skip_while(|b| is_space(b) || b == b'/');
        let start = scan.at;
        match scan.peek() {
            None | Some(b'>') => return spans,
            _ => scan.at += 1,
        }
        scan.skip_while(|b| !is_space(b) && b != b'/' && b != b'>' && b != b'=');
        let name = start..scan.at;
        let after_name = scan.at;
        scan.skip_while(is_space);
        if scan.peek() != Some(b'=') {
            scan.at = after_name;
            spans.push(AttributeSpan { whole: name.clone(), name, value: None });
            continue;
        }
        scan.at += 1;
        scan.skip_while(is_space);
        let value = scan.value();
        spans.push(AttributeSpan { whole: start..scan.at, name, value: Some(value) });
    }
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Range<usize> {
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                let start = self.at;
                self.skip_while(|b| b != quote);
                let end = self.at;
                self.at = (self.at + 1).min(self.bytes.len());
                start..end
            }
            _ => {
                let start = self.at;
                self.skip_while(|b| !is_space(b) && b != b'>');
                start..self.at
            }
        }
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts_once() {
        let index = LineIndex::new("a\nb\r\nc\rd");
        let lines: Vec<u32> = [0, 2, 4, 5, 7].into_iter().map(|at| index.line(at)).collect();
        assert_eq!(lines, [1, 2, 2, 3, 4]);
    }

    #[test]
    fn attributes_of_every_spelling_are_found() {
        let tag = r#"<a HREF = "x y" b='' c/d=e/f =g h>"#;
        let read: Vec<(&str, Option<&str>)> = attribute_spans(tag)
            .into_iter()
            .map(|span| (&tag[span.name], span.value.map(|value| &tag[value])))
            .collect();
        assert_eq!(
            read,
            [("HREF", Some("x y")), ("b", Some("")), ("c", None), ("d", Some("e/f")), ("=g", None), ("h", None)]
        );
    }
}
