//! Where sentences of a text end, so that a text is cut only between them.

use super::font_metrics::columns;

/// Words that end in a full stop within a sentence, by language.
const ABBREVIATIONS: &str = include_str!("../data/abbreviations.txt");

/// Marks that end a sentence in scripts with spaces, and in scripts without.
const SPACED: [char; 3] = ['.', '!', '?'];
const UNSPACED: [char; 3] = ['。', '！', '？'];
/// Marks that may follow the end of a sentence.
const CLOSING: [char; 8] = ['"', '\'', ')', ']', '”', '’', '»', '」'];

fn is_abbreviation(word: &str) -> bool {
    let word = word.trim_start_matches(['(', '"', '“', '„', '«', '\'']).to_lowercase();
    let bare = word.trim_end_matches('.');
    // Initials, and what has a stop inside as "z.B." and "a.m." do.
    bare.chars().count() < 2
        || bare.contains('.')
        // An ordinal, as in "am 3. Oktober".
        || bare.chars().all(|c| c.is_ascii_digit()) && bare.len() <= 2
        || ABBREVIATIONS.lines().filter(|line| !line.starts_with('#')).any(|line| line.split(' ').any(|one| one == bare))
}

/// Whether a text ends where a sentence does. A text that ends in an abbreviation was most likely cut there.
pub(crate) fn is_ended(text: &str) -> bool {
    let text = text.trim_end().trim_end_matches(CLOSING);
    let Some(last) = text.chars().next_back() else { return false };
    if UNSPACED.contains(&last) || matches!(last, '!' | '?' | '؟' | '।' | '۔') {
        return true;
    }
    let word = text.rsplit(' ').next().unwrap_or_default();
    // "etc." and the like do end sentences, and no text is cut behind them.
    let may_end = ["etc.", "usw.", "inc.", "ltd.", "a.m.", "p.m."].contains(&word.to_lowercase().as_str());
    last == '.' && !text.ends_with("..") && (may_end || !is_abbreviation(word))
}

/// Words that no sentence ends in, by language; the file says what its columns mean.
const UNFINISHED: &str = include_str!("../data/unfinished_endings.tsv");

/// Whether a text stops within a sentence: it ends in a sign that something follows, or in a word such as "in" or "the" with
/// no mark behind it. `language`: the primary subtag of the text's language; where it is unknown, words of every language
/// count.
pub(crate) fn is_cut_off(text: &str, language: Option<&str>) -> bool {
    let text = text.trim_end();
    if text.ends_with("...") || text.ends_with(['…', ',', ';', ':', '-', '–', '—', '(']) {
        return true;
    }
    let last = text.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    let rows = UNFINISHED.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    let mut words = rows
        .filter(|(code, _)| language.is_none_or(|language| language.eq_ignore_ascii_case(code)))
        .flat_map(|(_, words)| words.split(' '));
    words.any(|word| word == last)
}

/// Byte behind the last sentence of a text that is followed by more of it; `None` where fewer than `least` columns remain.
pub(crate) fn last_end(text: &str, least: usize) -> Option<usize> {
    let mut last = None;
    for (at, mark) in text.char_indices().filter(|(_, c)| SPACED.contains(c) || UNSPACED.contains(c)) {
        let mut end = at + mark.len_utf8();
        if SPACED.contains(&mark) {
            let rest = text.get(end..).unwrap_or_default();
            end += rest.len() - rest.trim_start_matches(CLOSING).len();
            let rest = text.get(end..).unwrap_or_default();
            let goes_on = rest.trim_start().chars().next().is_some_and(char::is_lowercase);
            let word = text.get(..=at).unwrap_or_default().rsplit(' ').next().unwrap_or_default();
            if !rest.starts_with(' ') || goes_on || mark == '.' && is_abbreviation(word) {
                continue;
            }
        }
        if end < text.len() {
            last = Some(end);
        }
    }
    last.filter(|end| text.get(..*end).is_some_and(|whole| columns(whole) >= least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_their_marks_and_not_at_abbreviations() {
        for (text, expected) in [
            ("Rye is sown in autumn. It ripens", Some("Rye is sown in autumn.")),
            ("Baked for ca. 50 minutes", None),
            ("Roggen, z. B. aus der Mark, und z.B. Weizen", None),
            ("By Dr. Roggen and Sr. Centeno of St. Gall", None),
            ("Flour, water, salt etc. Mix them", None),
            ("Baked, e.g. in clay, by J. R. Miller", None),
            ("Am 3. Oktober wird gebacken", None),
            ("He said \"Bake it.\" Then he left", Some("He said \"Bake it.\"")),
            ("Version 2.5 of the oven", None),
            ("Is it done? yes, it is", None),
            ("Done! Cool it", Some("Done!")),
            ("パンだ。焼けた", Some("パンだ。")),
        ] {
            assert_eq!(last_end(text, 0).and_then(|end| text.get(..end)), expected, "{text}");
        }
        assert_eq!(last_end("Done! Cool it", 20), None);
    }

    #[test]
    fn a_text_that_stops_within_a_sentence_is_told() {
        for (text, language, expected) in [
            ("It shows how rye was sown in", Some("en"), true),
            ("It shows how rye was sown in", None, true),
            ("It shows how rye was sow…", Some("en"), true),
            ("Rye, wheat,", Some("en"), true),
            ("Rye bread, and how it is baked", Some("en"), false),
            ("It is what we live on", Some("en"), false),
            ("Where rye comes in.", Some("en"), false),
            ("O pão de centeio e a", Some("pt"), true),
            ("A loaf of rye or die", Some("en"), false),
            ("", None, false),
        ] {
            assert_eq!(is_cut_off(text, language), expected, "{text}");
        }
    }

    #[test]
    fn a_whole_text_ends_with_a_sentence() {
        for text in ["It is done.", "Is it?", "He said “done.”", "Flour, salt etc.", "パンだ。", "It opens at 9 a.m."]
        {
            assert!(is_ended(text), "{text}");
        }
        for text in ["It is", "It is…", "It is...", "Baked for ca.", "By Dr.", "Flour:", "", "Written by J."] {
            assert!(!is_ended(text), "{text}");
        }
    }
}
