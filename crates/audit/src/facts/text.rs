//! The text that a person sees, and its words (UAX #29).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use unicode_segmentation::UnicodeSegmentation;

use super::document::{Collapsed, Document, Element, Namespace, NodeId};
use super::words::{Script, scripts};

/// Whether the text of an element is shown.
pub(crate) fn is_seen(element: Element<'_>) -> bool {
    let is_data = element.namespace() == Namespace::Html
        && matches!(element.name().as_bytes(), b"script" | b"style" | b"template" | b"noscript");
    !is_data && !element.has("hidden")
}

/// Characters of a text that are read for its scripts.
const MOST_READ: usize = 20_000;

/// Visible text of a document.
#[derive(Debug, Clone, Default)]
pub struct VisibleText {
    /// Runs joined, white space collapsed.
    pub text: String,
    /// Words that hold a letter or digit.
    pub words: usize,
    /// Its letters of each script, counted when they are first asked for.
    scripts: OnceLock<BTreeMap<Script, usize>>,
    /// Whether a placeholder may be in it, found out when it is first asked for.
    pub(crate) may_hold_placeholder: OnceLock<bool>,
}

impl PartialEq for VisibleText {
    fn eq(&self, other: &Self) -> bool {
        (self.words, &self.text) == (other.words, &other.text)
    }
}

impl Eq for VisibleText {}

impl VisibleText {
    /// Letters of each script in its first 20,000 characters.
    pub fn scripts(&self) -> &BTreeMap<Script, usize> {
        self.scripts.get_or_init(|| scripts(&self.text, MOST_READ))
    }

    /// The visible text of a document that nothing else is wanted of.
    pub fn read(document: &Document) -> Arc<Self> {
        let mut passing = Passing::new(document);
        document.nodes().for_each(|id| passing.node(id, document.element(id)));
        passing.finish(None)
    }
}

/// Takes the visible text of `body` in passing, while a document is walked through: not what is in script, style, template,
/// noscript, or an element with `hidden`.
#[derive(Debug)]
pub(crate) struct Passing<'d> {
    document: &'d Document,
    body: Option<NodeId>,
    /// The first node behind the body.
    end: Option<NodeId>,
    /// Nothing is seen until this node comes; [`NEVER`] comes never.
    unseen_until: Option<NodeId>,
    collapsed: Collapsed,
}

/// No node below the document is the document.
const NEVER: NodeId = NodeId::DOCUMENT;

impl<'d> Passing<'d> {
    pub(crate) fn new(document: &'d Document) -> Self {
        let body = document.body().map(Element::id);
        let end = body.and_then(|body| document.after(body));
        Self { document, body, end, unseen_until: Some(NEVER), collapsed: Collapsed::default() }
    }

    /// The next node in document order, an element or another.
    pub(crate) fn node(&mut self, id: NodeId, element: Option<Element<'_>>) {
        if self.unseen_until == Some(id) || self.body == Some(id) {
            self.unseen_until = None;
        }
        if self.end == Some(id) {
            self.unseen_until = Some(NEVER);
        }
        if self.unseen_until.is_some() {
            return;
        }
        match element {
            Some(element) if self.body != Some(id) && !is_seen(element) => {
                self.unseen_until = Some(self.document.after(id).unwrap_or(NEVER));
            }
            Some(_) => {}
            None => {
                for run in self.document.texts(id) {
                    self.collapsed.add(run);
                    self.collapsed.part();
                }
            }
        }
    }

    /// What was seen; what another page shows, where that is the same.
    pub(crate) fn finish(self, other: Option<&Arc<VisibleText>>) -> Arc<VisibleText> {
        let mut text = self.collapsed.text;
        if let Some(other) = other.filter(|other| other.text == text) {
            return Arc::clone(other);
        }
        text.shrink_to_fit();
        Arc::new(VisibleText { words: count_words(&text), text, ..VisibleText::default() })
    }
}

/// Counts words with a letter or digit by Unicode segmentation.
pub fn count_words(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut count, mut in_word, mut at) = (0, false, 0);
    // Where the next eight bytes are not plain, they are looked at one by one, up to this place.
    let mut plain_from = 0;
    while let Some(byte) = bytes.get(at) {
        if at >= plain_from {
            match bytes.get(at..).and_then(|rest| rest.first_chunk()).and_then(|eight| plain_words(*eight, in_word)) {
                Some(plain) => {
                    count += plain.words;
                    in_word = plain.ends_in_word;
                    at += plain.length;
                    continue;
                }
                None => plain_from = at + EIGHT,
            }
        }
        let kind = kind(*byte);
        if matches!(kind, WordByte::Joins | WordByte::Unclear) {
            if kind == WordByte::Unclear && bytes.get(at + 1).is_some_and(|next| is_two_byte_letter(*byte, *next)) {
                count += usize::from(!in_word);
                in_word = true;
                at += 2;
                continue;
            }
            // A mark at the end of a word joins nothing.
            if kind == WordByte::Unclear || bytes.get(at + 1).is_some_and(|next| self::kind(*next) != WordByte::Space) {
                // A space ends a word in every script, so that only the part around this one takes the long way.
                let part = part_around(bytes, at);
                count -= words_between_marks(bytes.get(part.start..at).unwrap_or_default());
                count += count_in_part(text.get(part.clone()).unwrap_or_default());
                in_word = false;
                at = part.end;
                continue;
            }
        }
        // Without a jump: where words end can't be predicted.
        let is_letter = kind == WordByte::Letter;
        count += usize::from(is_letter & !in_word);
        in_word = is_letter;
        at += 1;
    }
    count
}

/// Bytes that are looked at in one step.
const EIGHT: usize = 8;

/// Words that begin in some bytes.
struct PlainWords {
    words: usize,
    /// How many bytes these are.
    length: usize,
    ends_in_word: bool,
}

/// The words that begin in eight bytes, or but for the last of them, where those are letters and digits of ASCII, spaces,
/// and other characters with a space behind, which join nothing. `in_word`: a letter stands before.
fn plain_words(eight: [u8; EIGHT], in_word: bool) -> Option<PlainWords> {
    const fn each(byte: u8) -> u64 {
        u64::from_le_bytes([byte; EIGHT])
    }
    /// The highest bit of each byte of ASCII from `first` to `last`.
    const fn between(bytes: u64, first: u8, last: u8) -> u64 {
        (bytes + each(0x80 - first)) & !(bytes + each(0x80 - (last + 1))) & each(0x80)
    }
    let bytes = u64::from_le_bytes(eight);
    if bytes & each(0x80) != 0 {
        return None;
    }
    let letters = between(bytes | each(0x20), b'a', b'z') | between(bytes, b'0', b'9');
    let spaces = between(bytes, b' ', b' ');
    let others = !(letters | spaces) & each(0x80);
    // Of the last byte the next is not known.
    let joining = others & !(spaces >> u8::BITS);
    const LAST: u64 = 0x80 << (u64::BITS - u8::BITS);
    if joining & !LAST != 0 {
        return None;
    }
    let begins = letters & !(letters << u8::BITS | if in_word { 0x80 } else { 0 });
    let (begins, length) = if joining == 0 { (begins, EIGHT) } else { (begins, EIGHT - 1) };
    let words = (begins >> (u8::BITS - 1)).wrapping_mul(each(1)) >> (u64::BITS - u8::BITS);
    let ends_in_word = letters << (u8::BITS as usize * (EIGHT - length)) & LAST != 0;
    Some(PlainWords { words: words as usize, length, ends_in_word })
}

/// What lies between the spaces around a byte.
fn part_around(bytes: &[u8], at: usize) -> Range<usize> {
    let is_space = |byte: &u8| kind(*byte) == WordByte::Space;
    let (before, after) = bytes.split_at_checked(at).unwrap_or_default();
    let start = before.iter().rposition(is_space).map_or(0, |space| space + 1);
    start..at + after.iter().position(is_space).unwrap_or(after.len())
}

/// Words of the start of a part as [`count_words`] counted them: runs of letters.
fn words_between_marks(bytes: &[u8]) -> usize {
    let is_letter = |byte: u8| kind(byte) == WordByte::Letter || byte >= 0x80;
    let begins = |pair: &[u8]| matches!(pair, [before, this] if !is_letter(*before) && is_letter(*this));
    let first = bytes.first().is_some_and(|byte| is_letter(*byte));
    usize::from(first) + bytes.windows(2).filter(|pair| begins(pair)).count()
}

/// Letters of Latin-1, Latin Extended-A (U+00C0 to U+017F but the signs of multiplication and division) and Cyrillic (U+0400
/// to U+047F), as UTF-8. They are words with their neighbours as letters of ASCII are.
fn is_two_byte_letter(lead: u8, next: u8) -> bool {
    match lead {
        0xC3 => !matches!(next, 0x97 | 0xB7),
        0xC4 | 0xC5 | 0xD0 | 0xD1 => true,
        _ => false,
    }
}

fn count_in_part(part: &str) -> usize {
    if part.is_ascii() { count_ascii_words(part.as_bytes()) } else { part.unicode_words().count() }
}

/// What a byte does to words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordByte {
    /// A letter or digit.
    Letter,
    /// White space.
    Space,
    /// Ends a word.
    Apart,
    /// May join what stands before and behind it.
    Joins,
    /// Not of ASCII.
    Unclear,
}

fn kind(byte: u8) -> WordByte {
    static KINDS: [WordByte; 256] = {
        let mut table = [WordByte::Unclear; 256];
        let mut byte = 0;
        while byte < table.len() {
            #[expect(clippy::indexing_slicing, reason = "evaluated while this is compiled")]
            {
                table[byte] = match byte as u8 {
                    b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => WordByte::Letter,
                    b' ' | b'\t' | b'\n' | 0x0C | b'\r' => WordByte::Space,
                    b'_' | b'\'' | b'.' | b':' | b',' | b';' => WordByte::Joins,
                    0x80.. => WordByte::Unclear,
                    _ => WordByte::Apart,
                };
            }
            byte += 1;
        }
        table
    };
    KINDS.get(usize::from(byte)).copied().unwrap_or(WordByte::Unclear)
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
        assert_eq!(seen(&document).text, "Two words");
        assert_eq!(seen(&document).words, 2);
    }

    fn seen(document: &Document) -> Arc<VisibleText> {
        VisibleText::read(document)
    }

    #[test]
    fn a_text_that_is_the_same_is_shared() {
        let shared = |source: &str, other: &Arc<VisibleText>| {
            let document = Document::parse(source.to_owned());
            let mut passing = Passing::new(&document);
            document.nodes().for_each(|id| passing.node(id, document.element(id)));
            Arc::ptr_eq(&passing.finish(Some(other)), other)
        };
        let text = seen(&Document::parse("<p>a b".to_owned()));
        assert!(shared("<i>a</i> <b>b</b>", &text) && !shared("<p>a c", &text));
    }

    #[test]
    fn only_the_body_is_seen_and_a_hidden_one_is_a_body_all_the_same() {
        for (source, text) in [
            ("<title>a</title><p>b<i hidden>c</i></p>d", "b d"),
            ("<body hidden>a<p>b", "a b"),
            ("<p>a<p hidden>b", "a"),
            ("a<p hidden>b</body><!--x--></html><!--y-->", "a"),
            ("<frameset><noframes>a</noframes>", "a"),
        ] {
            assert_eq!(seen(&Document::parse(source.to_owned())).text, text, "{source}");
        }
    }

    proptest! {
        #[test]
        fn ascii_counts_as_unicode_does(text in "[ a-c0-2_'.:,;!-]{0,40}") {
            prop_assert_eq!(count_ascii_words(text.as_bytes()), text.unicode_words().count());
        }

        #[test]
        fn letters_of_two_bytes_count_as_unicode_does(
            text in "[ a1'._\u{c0}-\u{24f}\u{400}-\u{52f}\u{301}]{0,30}",
        ) {
            prop_assert_eq!(count_words(&text), text.unicode_words().count());
        }

        #[test]
        fn parts_count_as_the_whole(text in "[ \ta1'.\u{301}\u{200d}\u{a0}é漢ไทยक्षअ🏽👩-]{0,30}") {
            prop_assert_eq!(count_words(&text), text.unicode_words().count());
        }
    }
}
