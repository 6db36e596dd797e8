//! The page as it lies in its file: what is read there, and how changes are written into it.

use std::borrow::Cow;
use std::ops::Range;

use encoding_rs::{Encoding, UTF_8};

use crate::facts::charset::file_bytes::{encoded, file_offsets, holdable};
use crate::facts::document::{Document, Element};
use crate::facts::page::Html;

/// A page with the bytes that it was read from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageSource<'s> {
    /// The page.
    pub(crate) html: &'s Html,
    /// Its file.
    pub(crate) bytes: &'s [u8],
}

impl<'s> PageSource<'s> {
    /// The tree that was read.
    pub(crate) fn document(self) -> &'s Document {
        &self.html.document
    }

    /// The encoding that changes are written in: that of the file, whatever it was taken for.
    fn encoding(self) -> &'static Encoding {
        if self.html.unlabelled_utf8 { UTF_8 } else { self.html.charset.encoding }
    }

    /// The whole file as text, where changes are written as they are.
    pub(crate) fn text(self) -> Option<&'s str> {
        let is_text = self.html.verbatim_from == Some(0) && self.encoding() == UTF_8;
        is_text.then(|| self.document().source())
    }

    /// New text as it goes into the file: what the encoding lacks as references, and what was misread as it is there.
    pub(super) fn written(self, text: String, in_script: bool) -> String {
        let text = if self.html.unlabelled_utf8 { self.html.as_meant_in_runs(&text) } else { text };
        match holdable(&text, self.encoding(), in_script) {
            Cow::Borrowed(_) => text,
            Cow::Owned(written) => written,
        }
    }

    /// Whether an offset lies in the text of a script.
    pub(super) fn is_in_script(self, offset: usize) -> bool {
        let holds = |script: Element<'_>| {
            let span = script.start_tag().zip(script.end_tag());
            span.is_some_and(|(start, end)| start.end <= offset && offset <= end.start)
        };
        self.html.elements(&self.html.scripts).any(holds)
    }

    /// Spans of the file for spans of the text, which are in order and apart. `None` where a place is none in the file.
    pub(crate) fn file_spans(self, spans: &[Range<usize>]) -> Vec<Option<Range<usize>>> {
        if let Some(from) = self.html.verbatim_from {
            let length = self.document().source().len();
            return spans
                .iter()
                .map(|span| (span.end <= length).then_some(span.start + from..span.end + from))
                .collect();
        }
        let ends = spans.iter().flat_map(|span| [span.start, span.end]);
        let source = self.document().source();
        let places = file_offsets(self.bytes, self.html.charset.encoding, source, ends);
        places
            .chunks_exact(2)
            .map(|ends| match ends {
                [Some(start), Some(end)] => Some(*start..*end),
                _ => None,
            })
            .collect()
    }

    /// The bytes of a text in the file's encoding.
    pub(crate) fn encoded(self, text: &str) -> Cow<'_, [u8]> {
        encoded(text, self.encoding())
    }
}
