//! Letters that came out wrong: UTF-8 that was read as windows-1252, and bytes that no encoding explains.

use super::document::{Document, collapse};

/// Sequences from which on it is no coincidence: one may be quoted on purpose.
pub(crate) const MOST_QUOTED: usize = 1;
/// Characters shown around the first one.
const SHOWN: usize = 12;

/// Elements whose text is source code, not prose.
const CODE: [&str; 7] = ["script", "style", "template", "noscript", "pre", "code", "textarea"];

/// What of a text came out wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Garbled {
    /// Replacement characters and garbled sequences.
    pub(crate) count: usize,
    /// The first of them, with what stands around it.
    pub(crate) sample: String,
}

impl Garbled {
    /// What of the prose of a document whose visible text is `text`. `None` where nothing did, or so little that it may be a
    /// quotation.
    pub(super) fn of_prose(document: &Document, text: &str) -> Option<Self> {
        // All of the prose and more: where no mark is in it, none is in the prose.
        has_mark(text).then(|| Self::of(&prose(document))).flatten()
    }

    fn of(text: &str) -> Option<Self> {
        let (first, replacements, sequences) = garbled(text);
        let first = first.filter(|_| replacements > 0 || sequences > MOST_QUOTED)?;
        let before = text.get(..first).unwrap_or_default().char_indices().rev();
        let start = before.take(SHOWN).last().map_or(first, |(at, _)| at);
        let sample = collapse(&text.get(start..).unwrap_or_default().chars().take(2 * SHOWN).collect::<String>());
        Some(Self { count: replacements + sequences, sample })
    }
}

/// Whether a text has garbled letters: no fix copies it to where readers see it.
pub(crate) fn is_garbled(text: &str) -> bool {
    garbled(text).0.is_some()
}

/// Byte offset of the first garbled place of a text, its replacement characters, and its garbled sequences.
fn garbled(text: &str) -> (Option<usize>, usize, usize) {
    // Most text is plain, and told so at once.
    if text.is_ascii() {
        return (None, 0, 0);
    }
    let mut first = None;
    let (mut replacements, mut sequences) = (0, 0);
    for (start, mark) in marks(text) {
        if mark == '\u{fffd}' {
            replacements += 1;
            first.get_or_insert(start);
            continue;
        }
        // UTF-8 read as windows-1252: a lead byte's letter, then one that only a continuation byte gives.
        let next = text.get(start + mark.len_utf8()..).and_then(|rest| rest.chars().next());
        if let Some(character) = next
            && matches!(
                character,
                '\u{80}'
                    ..='\u{bf}'
                        | '€'
                        | '‚'
                        | 'ƒ'
                        | '„'
                        | '…'
                        | '†'
                        | '‡'
                        | 'ˆ'
                        | '‰'
                        | 'Š'
                        | '‹'
                        | 'Œ'
                        | '‘'
                        | '’'
                        | '“'
                        | '”'
                        | '•'
                        | '–'
                        | '—'
                        | '˜'
                        | '™'
                        | 'š'
                        | '›'
                        | 'œ'
            )
            && !(character == '\u{a0}' && text.get(..start).is_none_or(|head| head.ends_with(char::is_whitespace)))
        {
            sequences += 1;
            first.get_or_insert(start);
        }
    }
    (first, replacements, sequences)
}

/// The replacement characters of a text, and the letters that UTF-8 begins with where it is read as windows-1252.
fn marks(text: &str) -> impl Iterator<Item = (usize, char)> {
    // First bytes of `Ã`, `Â` and `â`, and of U+FFFD.
    memchr::memchr2_iter(0xC3, 0xEF, text.as_bytes()).filter_map(|at| {
        let mark = text.get(at..)?.chars().next()?;
        matches!(mark, 'Ã' | 'Â' | 'â' | '\u{fffd}').then_some((at, mark))
    })
}

/// Whether a text has any of them.
fn has_mark(text: &str) -> bool {
    marks(text).next().is_some()
}

/// The text of a document that is no source code.
fn prose(document: &Document) -> String {
    let Some(body) = document.body() else { return String::new() };
    let mut text = String::new();
    for run in body.texts_where(|element| !element.has("hidden") && !CODE.iter().any(|name| element.is(name))) {
        text.push_str(run);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn garbled_letters_are_told_from_ordinary_ones() {
        let count = |text: &str| {
            let (_, replacements, sequences) = garbled(text);
            (replacements, sequences)
        };
        assert_eq!(count("PÃ£o de queijo quentÃ\u{ad}ssimo, â€œbomâ€\u{9d}"), (0, 4));
        assert_eq!(count("a\u{fffd}b"), (1, 0));
        assert_eq!(count("Âncora, Ã vontade, SÃO PAULO, château, l’âge d’or"), (0, 0));
        assert!(is_garbled("PÃ£o de queijo") && !is_garbled("Pão de queijo"));
    }
}
