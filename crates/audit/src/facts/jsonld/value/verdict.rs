//! What is judged, a node with its members by name, and the verdict on one value.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::facts::jsonld::graph::GraphNode;
use crate::facts::jsonld::tree::{Member, TreeKind, ValueTree};

/// A node with its members by name.
pub(super) struct NamedMembers<'g, 't> {
    pub(super) node: &'g GraphNode<'t>,
    pub(super) members: BTreeMap<&'t str, &'t Member>,
}

impl<'t> NamedMembers<'_, 't> {
    /// Whether one of its types is this one.
    pub(super) fn is_a(&self, kind: &str) -> bool {
        self.node.types.contains(&kind)
    }

    /// The value of a property, where it is plain and filled.
    pub(super) fn plain(&self, property: &str) -> Option<(&'t ValueTree, &'t str)> {
        let value = &self.members.get(property)?.value;
        plain(value).filter(|text| !text.trim().is_empty()).map(|text| (value, text))
    }
}

/// A verdict on one value: fine, or bad with the JSON that was meant.
pub(super) type ValueVerdict = Result<(), Option<Value>>;

/// The verdict on a text that fits or not; `meant` is what it was to be, where that is plain.
pub(super) fn judged(fits: bool, meant: impl FnOnce() -> Option<String>) -> ValueVerdict {
    if fits { Ok(()) } else { Err(meant().map(Value::from)) }
}

/// A text or number as it is written.
pub(crate) fn plain(value: &ValueTree) -> Option<&str> {
    match &value.kind {
        TreeKind::Text(text) | TreeKind::Number(text) => Some(text),
        _ => None,
    }
}
