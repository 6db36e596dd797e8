//! The edits of one fix as a person reads them: what is added, replaced, moved or deleted.

use model::fix::{FixEdit, SourcePlace, Verb};

use super::edits::Splice;
use super::source::PageSource;

/// Says of each change what it does. What is taken away in one place and put into another as it was is moved.
pub(super) fn edits(page: PageSource<'_>, splices: &[Splice<'_>]) -> Vec<FixEdit> {
    let source = page.document().source();
    let spans: Vec<_> = splices.iter().map(|splice| splice.span.clone()).collect();
    let in_file = page.file_spans(&spans);
    let place = |splice: &Splice<'_>, in_file: &Option<std::ops::Range<usize>>| SourcePlace {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(verb: Verb, before: &str, after: &str, offset: usize) -> FixEdit {
        let at = SourcePlace { line: 1, offset, byte_offset: None, byte_length: None };
        FixEdit { verb, before: before.to_owned(), after: after.to_owned(), at, to: None }
    }

    #[test]
    fn each_change_says_where_it_is_and_what_it_does() {
        let source = "<p>R\u{fd}e</p>\n<b>Oat</b>";
        let capture = crate::example::page("https://example.com/page", source);
        let html = crate::facts::walk::Page::read(&capture).html.unwrap();
        let splice = |at: usize, end: usize, text: &str| Splice {
            span: at..end,
            text: text.to_owned(),
            code: "a",
            also: Vec::new(),
            target: model::fix::FixTarget::Body,
        };
        let splices = [splice(3, 3, "x"), splice(3, 7, "Spelt"), splice(12, 22, " ")];
        let page = PageSource { html: &html, bytes: source.as_bytes() };
        let shown: Vec<_> = edits(page, &splices)
            .into_iter()
            .map(|edit| (edit.verb, edit.before, edit.after, edit.at.line, edit.at.byte_offset, edit.at.byte_length))
            .collect();
        let wanted = [
            (Verb::Add, "", "x", 1, Some(3), Some(0)),
            (Verb::Replace, "R\u{fd}e", "Spelt", 1, Some(3), Some(4)),
            (Verb::Delete, "<b>Oat</b>", " ", 2, Some(12), Some(10)),
        ];
        let wanted = wanted.map(|(verb, before, after, line, at, length)| {
            (verb, before.to_owned(), after.to_owned(), line, at, length)
        });
        assert_eq!(shown, wanted);
    }

    #[test]
    fn what_goes_here_and_comes_there_is_moved() {
        let check = |mut edits: Vec<FixEdit>, wanted: &[(Verb, &str, &str, Option<usize>)]| {
            join_moves(&mut edits);
            let shown: Vec<_> = edits
                .iter()
                .map(|edit| (edit.verb, edit.before.as_str(), edit.after.as_str(), edit.to.map(|to| to.offset)))
                .collect();
            assert_eq!(shown, wanted);
        };
        let (add, delete) =
            (|text: &str, at| edit(Verb::Add, "", text, at), |text: &str, at| edit(Verb::Delete, text, "", at));
        // Forwards and backwards; white space around it goes along.
        check(vec![add("\n<i>", 1), delete("<i>", 9)], &[(Verb::Move, "<i>", "\n<i>", Some(1))]);
        check(vec![delete("<i>", 1), add("<i>", 9)], &[(Verb::Move, "<i>", "<i>", Some(9))]);
        // What else is added stays an addition.
        check(
            vec![add("<b><i>", 1), delete("<i>", 9)],
            &[(Verb::Add, "", "<b>", None), (Verb::Move, "<i>", "<i>", Some(1))],
        );
        // Two of them, and one that is deleted for good.
        check(
            vec![add("<i>", 1), delete("<i>", 3), add("<b>", 5), delete("<b>", 7), delete("<u>", 9)],
            &[
                (Verb::Move, "<i>", "<i>", Some(1)),
                (Verb::Move, "<b>", "<b>", Some(5)),
                (Verb::Delete, "<u>", "", None),
            ],
        );
        // Both additions first.
        check(
            vec![add("<i>", 1), add("<b>", 3), delete("<i>", 5), delete("<b>", 7)],
            &[(Verb::Move, "<i>", "<i>", Some(1)), (Verb::Move, "<b>", "<b>", Some(3))],
        );
        // A space that must stay is a deletion all the same.
        let gap = edit(Verb::Delete, "<i>", " ", 9);
        check(vec![add("<i>", 1), gap], &[(Verb::Add, "", "<i>", None), (Verb::Delete, "<i>", " ", None)]);
        let replaced = edit(Verb::Replace, "<u>", "<i>", 1);
        check(
            vec![replaced, delete("<i>", 9)],
            &[(Verb::Replace, "<u>", "<i>", None), (Verb::Delete, "<i>", "", None)],
        );
    }
}
