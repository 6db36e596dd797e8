//! The edits of one fix as a person reads them: what is added, replaced, moved or deleted.

use model::fix::{FixEdit, SourcePlace, Verb};

use super::edits::Splice;
use super::source::PageSource;

/// Says of each change what it does. What is taken away in one place and put into another as it was is moved.
pub(super) fn edits(page: PageSource<'_>, splices: &[Splice]) -> Vec<FixEdit> {
    let source = page.document().source();
    let spans: Vec<_> = splices.iter().map(|splice| splice.span.clone()).collect();
    let in_file = page.file_spans(&spans);
    let place = |splice: &Splice, in_file: &Option<std::ops::Range<usize>>| SourcePlace {
        line: page.document().position(splice.span.start).line,
        offset: splice.span.start,
        byte_offset: in_file.as_ref().map(|span| span.start),
        byte_length: in_file.as_ref().map(|span| span.len()),
    };
    let mut edits: Vec<FixEdit> = splices
        .iter()
        .zip(&in_file)
        .map(|(splice, in_file)| FixEdit {
            verb: match (splice.span.is_empty(), splice.text.trim().is_empty()) {
                (true, _) => Verb::Add,
                (false, true) => Verb::Delete,
                (false, false) => Verb::Replace,
            },
            before: source.get(splice.span.clone()).unwrap_or_default().to_owned(),
            after: splice.text.clone(),
            at: place(splice, in_file),
            to: None,
        })
        .collect();
    join_moves(&mut edits);
    edits
}

/// Makes one move of a deletion and the addition that holds the same text.
fn join_moves(edits: &mut Vec<FixEdit>) {
    let mut at = 0;
    while let Some(edit) = edits.get(at) {
        at += 1;
        if edit.verb != Verb::Delete || !edit.after.is_empty() {
            continue;
        }
        let text = edit.before.clone();
        let holds = |edit: &FixEdit| edit.verb == Verb::Add && edit.after.contains(&text);
        let Some(added) = edits.iter().position(holds) else { continue };
        let Some(addition) = edits.get_mut(added) else { continue };
        let to = Some(addition.at);
        // What comes with it stays an addition.
        let rest = addition.after.replacen(&text, "", 1);
        let is_whole = rest.trim().is_empty();
        let after = if is_whole { std::mem::take(&mut addition.after) } else { text };
        addition.after = rest;
        if let Some(moved) = edits.get_mut(at - 1) {
            (moved.verb, moved.after, moved.to) = (Verb::Move, after, to);
        }
        if is_whole {
            edits.remove(added);
            at -= usize::from(added < at);
        }
    }
}
