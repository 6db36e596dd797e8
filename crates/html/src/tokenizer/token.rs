//! What a tokenizer hands over.

use std::ops::Range;

use crate::arena::SourceRun;
use crate::decode::Mode;
use crate::names::TagId;

/// How the text after a start tag is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Content {
    /// Markup.
    Data,
    /// Text with character references, up to the end tag: `title`, `textarea`.
    Rcdata,
    /// Text as it is, up to the end tag: `style` and others.
    Rawtext,
    /// The same, with the standard's care for comments in scripts.
    Script,
    /// Everything to the end.
    Plaintext,
}

/// A start or end tag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TagToken {
    pub(crate) name: TagId,
    /// Bytes from `<` to after `>`.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Place of its attributes in the arena.
    pub(crate) attributes: u32,
    pub(crate) attribute_count: u16,
    /// As of a node.
    pub(crate) attribute_names: u16,
    pub(crate) is_self_closing: bool,
}

/// A run of characters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextRun {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) mode: Mode,
    /// It may stand for something else than itself.
    pub(crate) changed: bool,
}

impl TextRun {
    pub(crate) fn range(self) -> Range<usize> {
        self.start..self.end
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// The first bytes, and the rest.
    pub(crate) fn split(self, length: usize) -> (Self, Self) {
        let middle = self.start + length;
        (Self { end: middle, ..self }, Self { start: middle, ..self })
    }
}

/// A comment: its content, and the bytes of the whole.
#[derive(Debug, Clone)]
pub(crate) struct Comment {
    pub(crate) data: SourceRun,
    pub(crate) span: Range<usize>,
}

/// A processing instruction.
#[derive(Debug, Clone)]
pub(crate) struct ProcessingInstruction {
    pub(crate) target: Range<usize>,
    pub(crate) data: SourceRun,
    pub(crate) span: Range<usize>,
}

/// A doctype. What is missing is not the same as what is empty.
#[derive(Debug, Clone)]
pub(crate) struct Doctype {
    pub(crate) name: Option<SourceRun>,
    pub(crate) public: Option<SourceRun>,
    pub(crate) system: Option<SourceRun>,
    pub(crate) forces_quirks: bool,
    pub(crate) span: Range<usize>,
}
