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

mod again;
mod arena;
mod builder;
mod decode;
mod lines;
mod names;
mod namespace;
mod options;
mod tokenizer;
mod tree;

use std::sync::Arc;

pub use again::{Kept, TextSplice, is_spliced, parse_again};
pub use lines::Position;
pub use namespace::{AttributeName, Namespace};
pub use options::{Limits, Options};
pub use tokenizer::{WrittenAttribute, attributes_of};
pub use tree::node::{Kind, NodeId, Origin};
pub use tree::{Attribute, Quirks, Tree, TreeCut};

/// Parses a document. A source past 4 GiB is read up to there, since places are 32-bit.
///
/// The source is text after decoding: a byte order mark is no part of it. The tree keeps a reference to it.
pub fn parse(source: impl Into<Arc<String>>, options: &Options) -> Tree {
    builder::parse(source.into(), usize::MAX, options)
}
