//! The text that a person sees, and its words (UAX #29).

use unicode_segmentation::UnicodeSegmentation;

use super::document::{Document, Element, collapse_into};

/// Elements whose text is not shown (`decisions.md`, Parsing).
const UNSEEN: [&str; 4] = ["script", "style", "template", "noscript"];

/// Visible text of a document.
#[derive(Debug, Default)]
pub struct VisibleText {
    /// Runs joined, white space collapsed.
    pub text: String,
    /// Words that hold a letter or digit.
    pub words: usize,
}

impl VisibleText {
    /// Reads the text of `body`: not in script, style, template, noscript, or an element with `hidden`.
    pub fn read(document: &Document) -> Self {
        document.body().map(Self::of).unwrap_or_default()
    }

    /// The visible text below one element.
    pub fn of(root: Element<'_>) -> Self {
        let seen = |element: Element<'_>| !UNSEEN.iter().any(|name| element.is(name)) && !element.has("hidden");
        let mut text = String::new();
        collapse_into(root.texts_where(seen).flat_map(|run| [run, " "]), &mut text);
        Self { words: count_words(&text), text }
    }
}

/// Counts words with a letter or digit by Unicode segmentation.
pub fn count_words(text: &str) -> usize {
    // A space ends a word in every script, so that of a mixed text only the other parts take the long way.
    let bytes = text.as_bytes();
    let (mut count, mut start) = (0, 0);
    while start < bytes.len() {
        let rest = bytes.get(start..).unwrap_or_default();
        let letters = rest.iter().position(|byte| !is_plain(*byte)).unwrap_or(rest.len());
        let is_whole = rest.get(letters).is_none_or(u8::is_ascii_whitespace);
        if is_whole {
            count += usize::from(letters > 0);
            start += letters + 1;
            continue;
        }
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let part = text.get(start..start + length).unwrap_or_default();
        count += if part.is_ascii() { count_ascii_words(part.as_bytes()) } else { part.unicode_words().count() };
        start += length + 1;
    }
    count
}

/// ASCII letters and digits, looked up: most bytes of most texts.
fn is_plain(byte: u8) -> bool {
    static PLAIN: [bool; 256] = {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte <= u8::MAX as usize {
            #[expect(clippy::indexing_slicing, reason = "evaluated while this is compiled")]
            {
                table[byte] = (byte as u8).is_ascii_alphanumeric();
            }
            byte += 1;
        }
        table
    };
    PLAIN.get(usize::from(byte)).copied().unwrap_or_default()
}

/// The rules of UAX #29 as far as ASCII needs them: letters, digits and `_` join; `'` `.` `:` join two letters, `'` `.`
/// `,` `;` two digits.
fn count_ascii_words(bytes: &[u8]) -> usize {
    let mut count = 0;
    let mut at = 0;
    while at < bytes.len() {
        let mut has_alphanumeric = false;
        let start = at;
        while let Some(byte) = bytes.get(at) {
            let next = bytes.get(at + 1).copied().unwrap_or_default();
            let before = at.checked_sub(1).filter(|before| *before >= start).and_then(|b| bytes.get(b)).copied();
            let before = before.unwrap_or_default();
            let joins = match byte {
                b'\'' | b'.' => {
                    before.is_ascii_alphabetic() && next.is_ascii_alphabetic()
                        || before.is_ascii_digit() && next.is_ascii_digit()
                }
                b':' => before.is_ascii_alphabetic() && next.is_ascii_alphabetic(),
                b',' | b';' => before.is_ascii_digit() && next.is_ascii_digit(),
                byte => byte.is_ascii_alphanumeric() || *byte == b'_',
            };
            if !joins {
                break;
            }
            has_alphanumeric |= byte.is_ascii_alphanumeric();
            at += 1;
        }
        count += usize::from(has_alphanumeric);
        at = at.max(start + 1);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hidden_and_data_text_is_not_seen() {
        let document = Document::parse(
            "<p>Two words<script>x</script><style>y</style><p hidden>no<b>no</b></p><noscript>z</noscript>".to_owned(),
        );
        assert_eq!(VisibleText::read(&document).text, "Two words");
        assert_eq!(VisibleText::read(&document).words, 2);
    }

    proptest! {
        #[test]
        fn ascii_counts_as_unicode_does(text in "[ a-c0-2_'.:,;!-]{0,40}") {
            prop_assert_eq!(count_ascii_words(text.as_bytes()), text.unicode_words().count());
        }

        #[test]
        fn parts_count_as_the_whole(text in "[ \ta1'.\u{301}\u{200d}\u{a0}é漢ไทยक्षअ🏽👩-]{0,30}") {
            prop_assert_eq!(count_words(&text), text.unicode_words().count());
        }
    }
}
