//! Before and after of a change, with the part of each that differs.

use render::edits::EditStep;

/// Characters at which a changed part may begin and end: a whole word or value is easier to see than half of one.
const SEAMS: &[char] = &[' ', '\n', '\t', '"', '\'', '<', '>', '=', ',', ';', '/', '(', ')', '{', '}', '[', ']'];

/// Bytes of a changed part that is marked.
const MOST_MARKED: usize = 160;

/// A text in three: what both sides have, what differs, and what both have again.
pub(super) type DiffParts<'a> = [&'a str; 3];

/// A change of the page's source.
pub(super) struct DiffStep<'a> {
    /// What to do and where.
    pub(super) what: String,
    /// What goes; `None` where something is added.
    pub(super) before: Option<DiffParts<'a>>,
    /// What comes; `None` where something is deleted or moved as it is.
    pub(super) after: Option<DiffParts<'a>>,
    /// `before` stays as it is, in another place.
    pub(super) is_moved: bool,
}

/// Lines around a change that are shown where there is little room.
const LINES_AROUND: usize = 2;

impl DiffStep<'_> {
    /// What stands before a change in two: lines that can be left out where there is little room, and the last ones.
    pub(super) fn lead<'t>(&self, parts: &DiffParts<'t>, is_framed: &bool) -> [&'t str; 2] {
        let [head, ..] = parts;
        let start = head.rmatch_indices('\n').nth(LINES_AROUND).filter(|_| self.is_cut(is_framed));
        let (left_out, shown) = split(head, start.map_or(0, |(at, _)| at + 1));
        [left_out, shown]
    }

    /// What stands after a change in two: the first lines, and those that can be left out.
    pub(super) fn rest<'t>(&self, parts: &DiffParts<'t>, is_framed: &bool) -> [&'t str; 2] {
        let [.., tail] = parts;
        let end = tail.match_indices('\n').nth(LINES_AROUND).filter(|_| self.is_cut(is_framed));
        let (shown, left_out) = split(tail, end.map_or(tail.len(), |(at, _)| at));
        [shown, left_out]
    }

    /// Only around a part that is marked: where none is, all of the text may be the change.
    fn is_cut(&self, is_framed: &bool) -> bool {
        let is_marked = |parts: &DiffParts<'_>| !parts[1].is_empty();
        *is_framed && self.before.as_ref().zip(self.after.as_ref()).is_some_and(|(a, b)| is_marked(a) || is_marked(b))
    }
}

/// The change with its differing parts.
pub(super) fn step(step: EditStep<'_>) -> DiffStep<'_> {
    let EditStep { what, before, after, is_moved } = step;
    let (before, after) = match (before, after) {
        (Some(before), Some(after)) => {
            let parts = differing(before, after);
            // To mark nearly all of a long text says nothing.
            let is_short = |[_, changed, _]: &DiffParts<'_>| changed.len() <= MOST_MARKED;
            let (before, after) =
                if is_short(&parts.0) && is_short(&parts.1) { parts } else { (whole(before), whole(after)) };
            (Some(before), Some(after))
        }
        (before, after) => (before.map(whole), after.map(whole)),
    };
    DiffStep { what, before, after, is_moved }
}

/// A text of which no part is told apart.
fn whole(text: &str) -> DiffParts<'_> {
    [text, "", ""]
}

/// Both texts in three parts: the ends that they share, and what differs between them.
fn differing<'a>(before: &'a str, after: &'a str) -> (DiffParts<'a>, DiffParts<'a>) {
    let shared: usize =
        before.chars().zip(after.chars()).take_while(is_same).map(|(letter, _)| letter.len_utf8()).sum();
    // Back to the last seam.
    let start = split(before, shared).0.rfind(SEAMS).map_or(0, |at| at + 1);
    let ((head, before), (_, after)) = (split(before, start), split(after, start));
    let ends = before.chars().rev().zip(after.chars().rev()).take_while(is_same);
    let shared: usize = ends.map(|(letter, _)| letter.len_utf8()).sum();
    let tail = split(before, before.len() - shared).1;
    let tail = tail.find(SEAMS).map_or("", |at| split(tail, at).1);
    let middle = |text: &'a str| split(text, text.len() - tail.len()).0;
    ([head, middle(before), tail], [head, middle(after), tail])
}

fn is_same((one, other): &(char, char)) -> bool {
    one == other
}

/// A text before and after a byte, which is the first of a letter.
fn split(text: &str, at: usize) -> (&str, &str) {
    text.split_at_checked(at).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_a_whole_word() {
        let cases = [
            (
                r#"<meta name="robots" content="noindex, follow">"#,
                r#"<meta name="robots" content="index, follow">"#,
                ([r#"<meta name="robots" content=""#, "noindex", r#", follow">"#], "index"),
            ),
            ("<h1>é</h1>", "<h1>è</h1>", (["<h1>", "é", "</h1>"], "è")),
            ("<html>", r#"<html lang="en">"#, (["<", "html", ">"], r#"html lang="en""#)),
            ("a", "b", (["", "a", ""], "b")),
            ("same", "same", (["", "same", ""], "same")),
            ("aa bb aa", "aa", (["", "aa bb aa", ""], "aa")),
        ];
        for (before, after, (parts, changed)) in cases {
            let (one, other) = differing(before, after);
            assert_eq!((one, other[1]), (parts, changed), "{before} {after}");
            assert_eq!((one.concat(), other.concat()), (before.to_owned(), after.to_owned()));
        }
    }

    #[test]
    fn lines_far_from_a_change_can_be_left_out() {
        let before = "a\nb\nc\nd e,\nf\ng\nh\n";
        let after = before.replace(',', "");
        let made = step(EditStep { what: String::new(), before: Some(before), after: Some(&after), is_moved: false });
        for (parts, side) in [(made.before, before), (made.after, after.as_str())] {
            let parts = parts.unwrap();
            let made = DiffStep { what: String::new(), before: made.before, after: made.after, is_moved: false };
            let ([far, near], [close, end]) = (made.lead(&parts, &true), made.rest(&parts, &true));
            assert_eq!((far, near), ("a\n", "b\nc\nd "));
            assert_eq!((close, end), ("\nf\ng", "\nh\n"));
            assert_eq!([far, near, parts[1], close, end].concat(), side);
            assert_eq!((made.lead(&parts, &false)[0], made.rest(&parts, &false)[1]), ("", ""));
        }
        let whole = step(EditStep { what: String::new(), before: None, after: Some(before), is_moved: false });
        assert_eq!(whole.lead(&[before, "", ""], &true), ["", before]);
    }

    #[test]
    fn any_two_texts_keep_all_of_their_letters() {
        let texts = ["", " ", "é", "aé", "é a", "a a", "a a a", "=\"", "<é=é>", "日本 語", "a\u{301}b"];
        for before in texts {
            for after in texts {
                let (one, other) = differing(before, after);
                assert_eq!((one.concat(), other.concat()), (before.to_owned(), after.to_owned()));
                assert_eq!((one[0], one[2]), (other[0], other[2]));
            }
        }
    }
}
