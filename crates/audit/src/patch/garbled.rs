//! Changes that would write letters that were lost in reading.

use model::lang::text;

use super::Drafted;
use crate::facts::document::{Document, NodeId};
use crate::fix::{FixChange, FixDraft};

/// The sign that stands for bytes that are no letter of the encoding (Unicode §23.8).
const LOST: char = '\u{fffd}';

/// A fix that copies lost letters, or rewrites a tag that holds some, becomes an instruction: what the file says there is
/// not known, and would be overwritten.
pub(super) fn kept_out(mut item: Drafted, document: Option<&Document>) -> Drafted {
    const FIRST: model::lang::Text = text(
        "Letters of this are garbled in the HTML. Repair the page's encoding first; then audit it again, for a ready change.",
        "Há letras corrompidas nisto no HTML. Corrija primeiro a codificação da página; depois audite de novo, para ter uma mudança pronta.",
    );
    let draft = &item.draft;
    let is_lost = draft.snippet.as_ref().is_some_and(|snippet| snippet.contains(LOST))
        || draft.head_tags.iter().any(|tag| tag.tag.contains(LOST))
        || draft.edits.iter().any(|edit| is_touched(&edit.change, document));
    if is_lost {
        item.draft = FixDraft::instruction(item.draft.target, FIRST, &[]);
    }
    item
}

/// Whether a change writes U+FFFD, or rewrites a start tag that contains it.
fn is_touched(change: &FixChange, document: Option<&Document>) -> bool {
    let holds = |node: &NodeId| {
        let tag = document.and_then(|document| document.element(*node)?.start_tag_source());
        tag.is_some_and(|tag| tag.contains(LOST))
    };
    match change {
        FixChange::SetAttribute { node, value, .. } => value.contains(LOST) || holds(node),
        FixChange::RemoveAttribute { node, .. } => holds(node),
        FixChange::SetContent { content: text, .. }
        | FixChange::InsertBefore { html: text, .. }
        | FixChange::InsertInside { html: text, .. }
        | FixChange::Replace { text, .. } => text.contains(LOST),
        FixChange::Remove { .. } => false,
    }
}
