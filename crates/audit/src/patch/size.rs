//! How much of a report a fix takes.

use crate::facts::document::Document;
use crate::fix::{FileChange, FixChange, FixDraft, OwnFiles};

/// Upper bound of the bytes of JSON that a draft takes: in the list of fixes, and again in the patch.
pub(super) fn of(draft: &FixDraft, document: Option<&Document>, own_files: OwnFiles<'_>) -> usize {
    let snippet = draft.snippet.as_deref().map_or(0, json);
    let file = draft.file.as_ref().map_or(0, |file| json(&file.content));
    let head: usize = draft.head_tags.iter().map(|tag| json(&tag.tag)).sum();
    let edits: usize =
        draft.edits.iter().map(|edit| document.map_or(0, |document| change(&edit.change, document))).sum();
    let files: usize = draft
        .file_edits
        .iter()
        .map(|edit| {
            let own = own_files.iter().find(|(path, _)| *path == edit.path).map_or(0, |(_, text)| json(text));
            own + match &edit.change {
                FileChange::Whole(text) | FileChange::Line(_, text) | FileChange::Append(text) => json(text),
            }
        })
        .sum();
    // The fix shows its edits, and the patch has them again.
    2 * snippet + 2 * file + 2 * head + 2 * edits + files
}

/// What a change replaces, and what by.
fn change(change: &FixChange, document: &Document) -> usize {
    let source =
        |span: Option<std::ops::Range<usize>>| span.and_then(|span| document.source().get(span)).map_or(0, json);
    match change {
        // The start tag is quoted, and written again.
        FixChange::SetAttribute { node, value, .. } => {
            2 * source(document.element(*node).and_then(|element| element.start_tag())) + json(value)
        }
        FixChange::RemoveAttribute { node, .. } => {
            2 * source(document.element(*node).and_then(|element| element.start_tag()))
        }
        FixChange::Remove { node } => source(document.element(*node).and_then(|element| element.source_span())),
        FixChange::SetContent { node, content } => {
            source(document.element(*node).and_then(|element| element.source_span())) + json(content)
        }
        FixChange::InsertBefore { html, .. } | FixChange::InsertInside { html, .. } => json(html),
        FixChange::Replace { span, text } => source(Some(span.clone())) + json(text),
    }
}

/// Bytes of a text as JSON.
fn json(text: &str) -> usize {
    /// The sum of so many fits into a byte, which makes the machine add many at once.
    const MOST_IN_A_BYTE: usize = 51;
    let escape = |byte: &u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x8 | 0xC => 1,
        0..=0x1F => 5,
        _ => 0,
    };
    let escapes = |part: &[u8]| usize::from(part.iter().map(escape).sum::<u8>());
    text.len() + text.as_bytes().chunks(MOST_IN_A_BYTE).map(escapes).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use model::fix::FixTarget;
    use model::lang::text;
    use proptest::prelude::*;

    use super::*;
    use crate::fix::HeadKey;

    #[test]
    fn each_part_of_a_draft_has_its_size() {
        let document = Document::parse("<p class=a>text</p>".to_owned());
        let p = document.elements().find(|element| element.is("p")).unwrap();
        let own = [("/robots.txt", "abc".to_owned())];
        let size = |draft: FixDraft| of(&draft, Some(&document), &own);
        let empty = || FixDraft::instruction(FixTarget::Body, text("a", "b"), &[]);
        assert_eq!(size(empty()), 0);
        assert_eq!(size(FixDraft::template(FixTarget::Body, "abc")), 2 * 3);
        assert_eq!(size(FixDraft::file_template("/a.txt", "abc")), 2 * 3);
        assert_eq!(size(empty().with_head(HeadKey::Title, "abcd").with_head(HeadKey::Base, "e")), 2 * 5);
        // `<p class=a>` has 11 bytes, the element 19.
        assert_eq!(size(empty().set(p, "class", "xyz")), 2 * (2 * 11 + 3));
        assert_eq!(size(empty().unset(p, "class")), 2 * 2 * 11);
        assert_eq!(size(empty().remove(p)), 2 * 19);
        assert_eq!(size(empty().content(p, "xyz")), 2 * (19 + 3));
        assert_eq!(size(empty().before(p, "xyz")), 2 * 3);
        assert_eq!(size(empty().inside(p, "xyz")), 2 * 3);
        assert_eq!(size(empty().replace(0..2, "xyz")), 2 * (2 + 3));
        assert_eq!(size(empty().replace(0..2, "xyz").remove(p)), 2 * (2 + 3 + 19));
        // The site's own file counts with the change, if it has one.
        let append = || FileChange::Append("de".to_owned());
        assert_eq!(size(empty().with_file_change("/robots.txt", append())), 3 + 2);
        assert_eq!(size(empty().with_file_change("/other.txt", append())), 2);
        assert_eq!(of(&empty().remove(p), None, &own), 0);
    }

    #[test]
    fn controls_are_written_as_numbers() {
        assert_eq!(json("a\u{1}\n\"é"), "a\\u0001\\n\\\"é".len());
    }

    proptest! {
        #[test]
        fn the_size_of_a_text_is_that_of_its_json(text in any::<String>()) {
            prop_assert_eq!(json(&text) + 2, serde_json::to_vec(&text).unwrap().len());
        }
    }
}
