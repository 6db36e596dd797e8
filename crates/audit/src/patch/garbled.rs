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
        "Letters are garbled in this part of the HTML. Correct the page's encoding first, then audit the page again to get a ready change.",
        "Há letras corrompidas nesta parte do HTML. Corrija primeiro a codificação da página; depois, audite a página de novo para receber uma mudança pronta.",
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

#[cfg(test)]
mod tests {
    use model::fix::{FixClass, FixTarget};

    use super::*;
    use crate::fix::HeadKey;

    #[test]
    fn what_holds_lost_letters_is_an_instruction() {
        let document = Document::parse("<p title=\"R\u{fffd}e\">a</p><b title=\"Rye\">a</b>".to_owned());
        let [lost, kept] = ["p", "b"].map(|name| document.elements().find(|element| element.is(name)).unwrap());
        let check = |draft: FixDraft, is_ready: bool| {
            assert_eq!(draft.class, FixClass::Deterministic);
            let shown = format!("{draft:?}");
            let check = crate::checks::find("title_missing").unwrap();
            let item = Drafted { check, severity: check.severity, draft };
            let class = kept_out(item, Some(&document)).draft.class;
            assert_eq!(class == FixClass::Deterministic, is_ready, "{shown}");
        };
        let edit = |snippet: &str| FixDraft::edit(FixTarget::Body, snippet);
        check(edit("Rye"), true);
        check(edit("R\u{fffd}e"), false);
        check(edit("").with_head(HeadKey::Title, "<title>R\u{fffd}e</title>"), false);
        check(edit("").with_head(HeadKey::Title, "<title>Rye</title>"), true);
        check(edit("").set(kept, "title", "Oat"), true);
        check(edit("").set(kept, "title", "\u{fffd}"), false);
        check(edit("").set(lost, "title", "Oat"), false);
        check(edit("").unset(lost, "title"), false);
        check(edit("").unset(kept, "title"), true);
        check(edit("").content(kept, "\u{fffd}"), false);
        check(edit("").content(kept, "b"), true);
        check(edit("").before(kept, "\u{fffd}"), false);
        check(edit("").inside(kept, "\u{fffd}"), false);
        check(edit("").replace(0..0, "\u{fffd}"), false);
    }
}
