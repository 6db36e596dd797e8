//! Words of short texts, and the writing system of any: for comparing titles with what stands on the page.

use std::collections::BTreeMap;

use unicode_segmentation::UnicodeSegmentation;

use super::detected_language::is_function_word;

/// Characters between which the parts of a title stand, with white space around.
const SEPARATORS: [&str; 10] = ["-", "–", "—", "|", "·", "•", "»", "›", ":", "::"];
/// Words of a title that are looked at: no result shows more.
const MOST_WORDS: usize = 200;
/// Letters from which on a word counts when it comes again: shorter ones are particles.
const LEAST_LETTERS: usize = 4;
/// Times that one word may stand in a title.
pub const MOST_TIMES: usize = 2;

/// Words of a text with a letter or digit, in lower case; at most a number that suffices for a title.
pub fn words(text: &str) -> impl Iterator<Item = String> {
    text.unicode_words().take(MOST_WORDS).map(str::to_lowercase)
}

/// The parts of a title between its separators, each with the byte where it starts.
pub fn parts(title: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut take = |start: usize, end: usize| {
        let part = title.get(start..end).unwrap_or_default();
        let trimmed = part.trim_start();
        out.push((start + part.len() - trimmed.len(), trimmed.trim_end()));
    };
    for piece in title.split_inclusive(' ') {
        if SEPARATORS.contains(&piece.trim_end()) {
            take(start, at);
            start = at + piece.len();
        }
        for (place, sign) in unspaced_separators(piece) {
            take(start, at + place);
            start = at + place + sign.len();
        }
        at += piece.len();
    }
    take(start, title.len());
    out
}

/// Separators between letters or marks of Chinese and Japanese, which put no spaces around them: each with its byte.
fn unspaced_separators(piece: &str) -> impl Iterator<Item = (usize, &str)> {
    const UNSPACED: [char; 5] = ['_', '-', '|', '｜', '－'];
    let is_wide = |c: Option<char>| {
        c.is_some_and(|c| {
            Script::of(c) == Some(Script::HanOrKana) || matches!(c as u32, 0x3000..=0x303F | 0xFF00..=0xFF5E)
        })
    };
    piece.match_indices(UNSPACED).filter(move |(at, sign)| {
        let behind = piece.get(at + sign.len()..).unwrap_or_default();
        is_wide(piece.get(..*at).unwrap_or_default().chars().next_back()) && is_wide(behind.chars().next())
    })
}

/// A title without the separators that part nothing, at its start or its end: `Rye bread |` is `Rye bread`.
pub fn without_dangling_separators(title: &str) -> &str {
    /// Signs that close no quotation, so that they dangle without a space in front too.
    const ATTACHED: [char; 6] = ['|', '–', '—', '·', '•', ':'];
    let mut rest = title.trim();
    loop {
        let last = rest.rsplit(char::is_whitespace).next().filter(|word| SEPARATORS.contains(word));
        let first = rest.split(char::is_whitespace).next().filter(|word| SEPARATORS.contains(word));
        let shorter = last
            .and_then(|word| rest.strip_suffix(word))
            .or_else(|| rest.strip_suffix(ATTACHED))
            .or_else(|| rest.strip_prefix(first?));
        let Some(shorter) = shorter else { return rest };
        rest = shorter.trim();
    }
}

/// What a title says again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repetition {
    /// A whole part: the second place of it among the parts.
    Part(usize),
    /// A word, and how many times it stands there.
    Word(String, usize),
}

/// What a title says more often than a reader needs: the same part twice, or one word three times.
pub fn repetition(title: &str) -> Option<Repetition> {
    let parts = parts(title);
    let mut seen: Vec<String> = Vec::new();
    for (at, (_, part)) in parts.iter().enumerate().take(MOST_WORDS) {
        let folded = part.to_lowercase();
        if !folded.is_empty() && seen.contains(&folded) {
            return Some(Repetition::Part(at));
        }
        seen.push(folded);
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in words(title).filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() >= LEAST_LETTERS) {
        *counts.entry(word).or_default() += 1;
    }
    let (word, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (count > MOST_TIMES).then_some(Repetition::Word(word, count))
}

/// Letters from which on a word is compared by its start: shorter ones are mostly particles.
const LEAST_TOPIC_LETTERS: usize = 3;
/// Words that titles of any subject have.
const SMALL: [&str; 16] = [
    "how", "why", "who", "all", "new", "top", "get", "its", "best", "what", "when", "como", "wie", "was", "neu", "mais",
];
/// Letters at the start of two words that make them one: endings differ.
const TOPIC_LETTERS: usize = 5;

/// What a text is about, to be compared with another: the starts of its words that are no particles, and each character of
/// scripts that part no words.
pub fn stems(text: &str) -> impl Iterator<Item = String> {
    words(text).filter(|word| !is_function_word(word)).flat_map(|word| {
        let is_unparted = word.chars().any(|letter| Script::of(letter) == Some(Script::HanOrKana));
        let letters: Vec<char> = word.chars().collect();
        let is_topic = letters.len() >= LEAST_TOPIC_LETTERS && !SMALL.contains(&word.as_str());
        let stem: String = letters.iter().take(TOPIC_LETTERS).collect();
        let whole = (!is_unparted && is_topic).then_some(stem);
        let is_han = |letter: &char| matches!(*letter as u32, 0x3400..=0x9FFF | 0xF900..=0xFAFF);
        let single = letters.into_iter().filter(move |letter| is_unparted && is_han(letter)).map(String::from);
        whole.into_iter().chain(single).collect::<Vec<_>>()
    })
}

/// A writing system, as far as titles are compared by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are those of Unicode scripts")]
pub enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Devanagari,
    Thai,
    Hangul,
    /// Han and the syllables of Japanese, which are written together.
    HanOrKana,
}

impl Script {
    /// The script of a letter, by Unicode blocks; `None` for a letter of another, and for what is no letter.
    pub fn of(letter: char) -> Option<Self> {
        match letter as u32 {
            0x41..=0x5A | 0x61..=0x7A | 0xC0..=0x24F | 0x1E00..=0x1EFF => Some(Self::Latin),
            0x370..=0x3FF | 0x1F00..=0x1FFF => Some(Self::Greek),
            0x400..=0x52F => Some(Self::Cyrillic),
            0x590..=0x5FF => Some(Self::Hebrew),
            0x600..=0x6FF | 0x750..=0x77F | 0x8A0..=0x8FF | 0xFB50..=0xFDFF | 0xFE70..=0xFEFF => Some(Self::Arabic),
            0x900..=0x97F => Some(Self::Devanagari),
            0xE00..=0xE7F => Some(Self::Thai),
            0x1100..=0x11FF | 0x3130..=0x318F | 0xAC00..=0xD7AF => Some(Self::Hangul),
            0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xF900..=0xFAFF => Some(Self::HanOrKana),
            _ => None,
        }
    }
}

/// The first characters of a text, at most so many.
fn first_characters(text: &str, most: usize) -> &str {
    // Where all of them are ASCII, they need not be counted.
    match text.get(..most) {
        Some(start) if start.is_ascii() => start,
        None if text.len() <= most => text,
        _ => {
            let mut rest = text.chars();
            if let Some(last) = most.checked_sub(1) {
                rest.nth(last);
            }
            text.get(..text.len() - rest.as_str().len()).unwrap_or(text)
        }
    }
}

/// Letters of each script in the first `most` characters of a text.
pub fn scripts(text: &str, most: usize) -> BTreeMap<Script, usize> {
    let part = first_characters(text, most);
    let mut counts = BTreeMap::new();
    // Those of ASCII are counted many bytes at a time.
    let latin = part.bytes().filter(u8::is_ascii_alphabetic).count();
    if latin > 0 {
        counts.insert(Script::Latin, latin);
    }
    if part.is_ascii() {
        return counts;
    }
    // Letters of one script follow each other: each run of them is added at once.
    let mut run: Option<(Script, usize)> = None;
    for script in part.chars().filter(|letter| !letter.is_ascii()).filter_map(Script::of) {
        match &mut run {
            Some((known, length)) if *known == script => *length += 1,
            _ => {
                if let Some((before, length)) = run.replace((script, 1)) {
                    *counts.entry(before).or_default() += length;
                }
            }
        }
    }
    if let Some((script, length)) = run {
        *counts.entry(script).or_default() += length;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_at_the_ends_of_a_title_part_nothing() {
        for (title, expected) in [
            ("Rye bread |", "Rye bread"),
            ("Rye bread | ", "Rye bread"),
            ("Rye bread|", "Rye bread"),
            ("Rye bread - – ", "Rye bread"),
            ("Recipe:", "Recipe"),
            ("| Rye bread", "Rye bread"),
            ("|", ""),
            ("Rye - bread", "Rye - bread"),
            ("«Rye bread»", "«Rye bread»"),
            ("Half-", "Half-"),
            ("", ""),
        ] {
            assert_eq!(without_dangling_separators(title), expected, "{title}");
        }
    }

    #[test]
    fn what_a_title_says_again_is_found() {
        assert_eq!(parts("Rye - Mill | Berlin"), [(0, "Rye"), (6, "Mill"), (13, "Berlin")]);
        assert_eq!(parts("Rye-mill"), [(0, "Rye-mill")]);
        let named = |title| parts(title).into_iter().map(|(_, part)| part).collect::<Vec<_>>();
        assert_eq!(named("黑麦面包怎么做？_厨房_磨坊"), ["黑麦面包怎么做？", "厨房", "磨坊"]);
        assert_eq!(named("黑麦面包 - 磨坊-厨房"), ["黑麦面包", "磨坊", "厨房"]);
        assert_eq!(named("rye_bread パン-rye"), ["rye_bread パン-rye"]);
        assert_eq!(repetition("Rye | Mill | RYE"), Some(Repetition::Part(2)));
        assert_eq!(repetition("Bread, rye bread, Bread"), Some(Repetition::Word("bread".to_owned(), 3)));
        assert_eq!(repetition("New York, New York: the new one"), None);
        assert_eq!(repetition(""), None);
    }

    #[test]
    fn letters_are_told_by_their_script() {
        assert_eq!(scripts("Хлеб и rye", 99), BTreeMap::from([(Script::Latin, 3), (Script::Cyrillic, 5)]));
        assert_eq!(scripts("rye Хлеб", 5), BTreeMap::from([(Script::Latin, 3), (Script::Cyrillic, 1)]));
        assert_eq!(scripts("rye", 2), BTreeMap::from([(Script::Latin, 2)]));
        assert_eq!(scripts("パン屋 빵", 99), BTreeMap::from([(Script::Hangul, 1), (Script::HanOrKana, 3)]));
    }
}
