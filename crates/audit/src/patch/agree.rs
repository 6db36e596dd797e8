//! Fixes of one thing say one thing: of two values for a tag or an attribute, that of the first fix.

use std::collections::HashMap;

use model::fix::FixClass;

use super::Drafted;
use crate::facts::document::NodeId;
use crate::fix::{Change, FixDraft, HeadKey};

/// Lets later ready fixes take over what an earlier one writes into the same tag of the head, or the same attribute.
///
/// The most severe finding comes first. Where its value does not mend the later finding, the proof finds that out.
pub(super) fn settle(drafted: &mut [Drafted]) {
    let mut tags: HashMap<HeadKey, String> = HashMap::new();
    let mut values: HashMap<(NodeId, String), String> = HashMap::new();
    for item in drafted.iter_mut().filter(|item| item.draft.class == FixClass::Deterministic) {
        let FixDraft { head_tags, edits, snippet, .. } = &mut item.draft;
        for tag in head_tags {
            let first = tags.entry(tag.key.clone()).or_insert_with(|| tag.tag.clone());
            if *first != tag.tag {
                if let Some(snippet) = snippet {
                    *snippet = snippet.replace(&tag.tag, first);
                }
                tag.tag.clone_from(first);
            }
        }
        for edit in edits {
            let Change::SetAttribute { node, name, value } = &mut edit.change else { continue };
            let first = values.entry((*node, name.clone())).or_insert_with(|| value.clone());
            if first != value {
                if let Some(snippet) = snippet {
                    let [from, to] = [&*value, &*first].map(|value| crate::escape::attribute(value));
                    *snippet = snippet.replace(&from, &to);
                }
                value.clone_from(first);
            }
        }
    }
}
