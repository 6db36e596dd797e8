//! The document tree: what a browser with scripting on builds from the source before any script runs.
//!
//! One function, [`Document::parse`], turns source text into this tree, and nothing else knows the parser. Each element
//! knows the span of its tags in the source, so that a finding can point at it and a patch can replace exactly it.

mod around;
mod element;
mod ids;
mod parsed;
mod read;
mod white_space;

pub use element::Element;
pub(crate) use element::{Part, insertion_point};
pub(crate) use html::{Kept, TextSplice, WrittenAttribute, attributes_of, is_spliced};
pub use html::{Limits, Namespace, NodeId, Position};
pub use parsed::{Complexity, Document};
pub(crate) use white_space::{Collapsed, trimmed};
pub use white_space::{collapse, collapse_into};

#[cfg(test)]
mod tests;
