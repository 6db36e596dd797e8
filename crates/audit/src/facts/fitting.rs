//! Titles and descriptions as long as a result shows them.

use super::font_metrics::{columns, columns_of, title_px};
use super::sentences::{is_ended, last_end};

/// Characters of a text that is taken over whole: longer ones are no headline.
pub const LONGEST_HEADLINE: usize = 200;
/// Columns of a derived description at most: what a result shows of it. A full-width character takes two.
pub const LONGEST_DESCRIPTION: usize = 155;
/// Columns from which on a description says more than a title.
pub const SHORTEST_DESCRIPTION: usize = 50;
/// Columns from which on a text without a mark at its end was most likely cut there by its length.
const LONGEST_UNENDED: usize = 120;
/// Width in pixels after which a result on a desktop may cut a title (Arial 20 px; measured results of 2026-11).
pub const WIDEST_TITLE_PX: u32 = 600;
/// Signs that nothing ends in.
const DANGLING: [char; 8] = [' ', ',', ';', ':', '-', '|', '–', '—'];

/// A title cut at a word so that a desktop result shows it whole.
pub(crate) fn title(title: &str) -> String {
    // No result holds more letters than pixels; measuring all of a huge text again and again would take for ever.
    let most = title.char_indices().nth(WIDEST_TITLE_PX as usize).map_or(title.len(), |(at, _)| at);
    let mut shown = title.get(..most).unwrap_or_default();
    while title_px(shown) > WIDEST_TITLE_PX {
        shown = match shown.rfind(' ') {
            Some(at) => shown.get(..at).unwrap_or_default(),
            // One word wider than a result: characters go one by one.
            None => shown.char_indices().next_back().and_then(|(at, _)| shown.get(..at)).unwrap_or_default(),
        };
    }
    shown.trim_end_matches(DANGLING).to_owned()
}

/// A description that a result shows whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FittedDescription {
    /// Its text; `…` stands for what a sentence lacks.
    pub(crate) text: String,
    /// It ends where a sentence does, so that nothing is missing from it.
    pub(crate) is_whole: bool,
}

/// A description up to its last whole sentence that fits, else cut at a word.
pub(crate) fn description(text: &str) -> FittedDescription {
    let whole = |text: &str| FittedDescription { text: text.to_owned(), is_whole: true };
    let cut =
        |text: &str| FittedDescription { text: format!("{}…", text.trim_end_matches(DANGLING)), is_whole: false };
    let until = |text: &str, least: usize| last_end(text, least).and_then(|end| text.get(..end)).map(str::to_owned);
    // What the page itself cut loses the sentence, or at least the word, that is not whole.
    if let Some(start) = ["[...]", "[…]", "...", "…"].iter().find_map(|sign| text.strip_suffix(sign)) {
        let start = start.trim_end();
        return match until(start, SHORTEST_DESCRIPTION) {
            Some(sentences) => description(&sentences),
            None => cut(whole_words(start.rfind(' ').and_then(|at| start.get(..at)).unwrap_or(start))),
        };
    }
    if columns(text) <= LONGEST_DESCRIPTION {
        if is_ended(text) {
            return whole(text);
        }
        if let Some(sentences) = until(text, SHORTEST_DESCRIPTION) {
            return whole(&sentences);
        }
        let is_whole = columns(text) < LONGEST_UNENDED && !text.ends_with(['.', ':', ',', ';', '-', '–', '(']);
        return FittedDescription { text: text.to_owned(), is_whole };
    }
    match until(within(text), SHORTEST_DESCRIPTION) {
        Some(sentences) => whole(&sentences),
        None => cut(whole_words(text)),
    }
}

/// The start of a text that fits, without the word that does not. Scripts without spaces between words may be cut anywhere.
fn whole_words(text: &str) -> &str {
    let head = within(text);
    if head.len() == text.len() {
        return text;
    }
    let at = head.rfind(' ').filter(|at| *at > head.len() / 2).unwrap_or(head.len());
    head.get(..at).unwrap_or_default()
}

/// The start of a text that fits, with room for a sign.
fn within(text: &str) -> &str {
    let mut taken = columns_of('…');
    let fits = |character: &char| {
        taken += columns_of(*character);
        taken <= LONGEST_DESCRIPTION
    };
    let end: usize = text.chars().take_while(fits).map(char::len_utf8).sum();
    text.get(..end).unwrap_or_default()
}

/// Cuts at the last sentence end past the middle, else at the last word, so that at most `characters` remain.
pub fn cut(text: &str, characters: usize) -> String {
    let Some((end, _)) = text.char_indices().nth(characters) else { return text.to_owned() };
    let head = text.get(..end).unwrap_or_default();
    let sentence = last_end(head, 0).filter(|at| *at > end / 2);
    let at = sentence.or_else(|| head.rfind(' ')).unwrap_or(end);
    head.get(..at).unwrap_or_default().trim_end_matches(DANGLING).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_a_sentence_or_a_word() {
        assert_eq!(cut("Rye two. Three four five", 12), "Rye two.");
        assert_eq!(cut("One two three", 9), "One two");
        assert_eq!(cut("short", 9), "short");
        assert_eq!(cut("パン。パンだ。パン屋", 8), "パン。パンだ。");
    }

    fn check(text: &str, expected: &str, is_whole: bool) {
        let fitted = description(text);
        assert_eq!((fitted.text.as_str(), fitted.is_whole), (expected, is_whole), "{text}");
        assert!(!is_whole || description(&fitted.text) == fitted, "a second time");
    }

    #[test]
    fn a_description_is_whole_sentences_where_it_can_be() {
        check(
            "I bake with rye flour and nothing else, as my mother did, who had it from hers. I have an oven that she built of clay and straw, and a mill on the river that grinds.",
            "I bake with rye flour and nothing else, as my mother did, who had it from hers.",
            true,
        );
        check(
            "A loaf of rye that has been baked in a wood-fired oven for three hours and then left to rest under a linen cloth until the crumb has set and the crust sings, which takes",
            "A loaf of rye that has been baked in a wood-fired oven for three hours and then left to rest under a linen cloth until the crumb has set and the crust…",
            false,
        );
        check("Short, and whole", "Short, and whole", true);
        check(
            "The crust is done when it sounds hollow on the underside. This expression",
            "The crust is done when it sounds hollow on the underside.",
            true,
        );
        assert!(columns(&description(&"パン".repeat(100)).text) <= LONGEST_DESCRIPTION);
    }

    #[test]
    fn what_was_cut_is_told_as_cut() {
        check(
            "Rye flour and water rest for a night. In the morn...",
            "Rye flour and water rest for a night. In the…",
            false,
        );
        check(
            "Rye flour and water rest for a night, and the dough is kneaded. In the morn […]",
            "Rye flour and water rest for a night, and the dough is kneaded.",
            true,
        );
        check("The loaf was baked for a time of ca.", "The loaf was baked for a time of ca.", false);
        check(
            "The dough of rye flour and water rests for a whole night in a cool room below the mill by the river, and in the morning it is kneaded once more, shaped by hand and left to...",
            "The dough of rye flour and water rests for a whole night in a cool room below the mill by the river, and in the morning it is kneaded once more, shaped…",
            false,
        );
        let cut_by_length = "The dough of rye flour and water rests for a whole night in a cool room, and in the morning it is kneaded again and left to";
        check(cut_by_length, cut_by_length, false);
    }

    #[test]
    fn a_huge_title_is_fitted_too() {
        assert!(title_px(&title(&"word ".repeat(100_000))) <= WIDEST_TITLE_PX);
        assert!(title_px(&title(&"w".repeat(100_000))) <= WIDEST_TITLE_PX);
        assert_eq!(title("short title -"), "short title");
    }
}
