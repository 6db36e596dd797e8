//! An HTML parser that knows where everything stands.
//!
//! [`parse`] turns decoded source text into the tree that a browser builds (WHATWG HTML §13.2), before any script runs.
//! Nodes lie in one arena; text, attribute values and names are spans of the source, and character references, line
//! ends, NUL and letter case are resolved when something is read. So a tree costs little, and every element, attribute,
//! text and comment can say which bytes it came from.
//!
//! Total and linear: any text gives a tree, at most a fixed amount of work a byte is done ([`Limits`]), and nothing
//! recurses over the tree.

#![forbid(unsafe_code)]

mod arena;
mod builder;
mod decode;
mod lines;
mod names;
mod tokenizer;
mod tree;

pub use lines::Position;
pub use tokenizer::{WrittenAttribute, attributes_of};
pub use tree::{Attribute, AttributeName, Cut, Kind, Namespace, NodeId, Origin, Quirks, Tree};

/// How to parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The scripting flag: whether `noscript` is text (on) or markup (off).
    pub scripting: bool,
    /// Where parsing stops.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self { scripting: true, limits: Limits::default() }
    }
}

/// Bounds of a tree. The same source with the same limits gives the same tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Levels of open elements, `html` being 1. What stands deeper becomes a sibling of the deepest, as in Chromium.
    pub depth: u32,
    /// Attributes kept of an element.
    pub attributes: u16,
    /// Steps beyond the reading of tokens (clones, walks, moved nodes) that any source may take ...
    pub work: u64,
    /// ... and as many more for each of its bytes. Past that, parsing stops and the tree that exists is used.
    pub work_per_byte: u64,
    /// Nodes that any source may make, and one more for every two of its bytes; so they bound the memory. A tag takes three
    /// bytes and a text one, so that only copies and implied elements come near.
    pub nodes: u64,
}

impl Limits {
    /// Enough for any page that people made: of over a thousand none was deeper than 41, had more attributes than 70 or
    /// took 3,800 steps.
    pub const PAGE: Self = Self { depth: 513, attributes: 256, work: 200_000, work_per_byte: 4, nodes: 20_000 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::PAGE
    }
}

/// Parses a document. A source past 4 GiB is read up to there, since places are 32-bit.
///
/// The source is text after decoding: a byte order mark is no part of it.
pub fn parse(source: String, options: &Options) -> Tree {
    builder::parse(source, options)
}
