//! The main text of a page, without boilerplate, for comparison with other pages.

use audit::facts::document::{Document, Element};
use audit::facts::words::Script;

use crate::page_facts::ContentFacts;
use crate::sketch::{SKETCH_KIND, joined, sketch};

/// Words of a run. Chosen: five, as in Broder's study of the web; shorter ones are common to pages on one subject.
const RUN: usize = 5;
/// Numbers of a content's sketch.
pub(crate) const NUMBERS: usize = 128;
/// Numbers of a band in which two contents have to agree to be compared: with 16 bands, a pair of a likeness of 0.9 is
/// missed once in 8,000.
pub(crate) const ROWS: usize = 8;
/// Words below which a text is too short to compare. Chosen: a notice or a form has fewer.
pub(crate) const FEWEST_WORDS: u32 = 30;
/// Words that are read.
const MOST_WORDS: usize = 20_000;
/// Blocks kept of the beginning of a text, and of its end: what pages repeat stands there. Chosen: a footer of many links has some
/// dozens.
const EDGE_BLOCKS: usize = 64;

/// Reads the main text: of `main` where there is one, else of the body; without navigation, header, footer, sidebar and forms. `None` where it has fewer than [`FEWEST_WORDS`] words.
pub fn read(document: &Document) -> Option<ContentFacts> {
    let body = document.body()?;
    let root = body.descendants().find(|element| element.is("main") || has_role(*element, "main")).unwrap_or(body);
    let mut words: Vec<u64> = Vec::new();
    let mut blocks: Vec<(u64, u16)> = Vec::new();
    let mut is_spaced = true;
    let keep = |element: Element<'_>| element.id() == root.id() || !is_boilerplate(element);
    root.read_blocks(keep, |text| {
        let begin = words.len();
        if text.is_ascii() {
            text.make_ascii_lowercase();
            words.extend(AsciiWords { rest: text.as_bytes() }.take(MOST_WORDS - begin));
        } else {
            is_spaced &= text.chars().filter(|c| !c.is_ascii()).all(has_spaces);
            let lower = text.to_lowercase();
            let of_block = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.extend(of_block.take(MOST_WORDS - begin).map(hash));
        }
        let of_block = words.get(begin..).unwrap_or_default();
        if !of_block.is_empty() {
            blocks.push((in_order(of_block), u16::try_from(of_block.len()).unwrap_or(u16::MAX)));
        }
    });
    if words.len() < FEWEST_WORDS as usize {
        return None;
    }
    let last = blocks.len().saturating_sub(EDGE_BLOCKS).max(EDGE_BLOCKS.min(blocks.len()));
    let between = blocks.get(EDGE_BLOCKS..last).unwrap_or_default();
    let edges = blocks.iter().take(EDGE_BLOCKS).chain(blocks.get(last..).unwrap_or_default());
    // Of hashes whose bits are mixed; the sketch mixes those of the run.
    let runs = words.windows(RUN).map(|run| run.iter().fold(0, |hash: u64, word| hash.rotate_left(13) ^ word));
    Some(ContentFacts {
        hash: in_order(&words),
        words: u32::try_from(words.len()).unwrap_or(u32::MAX),
        is_spaced,
        sketch: sketch(runs, NUMBERS),
        sketch_kind: SKETCH_KIND,
        blocks: edges.map(|(hash, words)| ((hash ^ (hash >> 32)) as u32, *words)).collect(),
        between: between.iter().fold(0, |hash, (block, _)| joined(hash, *block)),
    })
}

/// The hash of a word, of eight bytes at once. Words are stored by it: another one is another [`SKETCH_KIND`].
fn hash(word: &str) -> u64 {
    let (eights, rest) = word.as_bytes().as_chunks();
    let hash = eights.iter().fold(0, |hash, eight| joined(hash, u64::from_le_bytes(*eight)));
    joined(hash, little_endian(rest))
}

/// Up to eight bytes as a number.
fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| (number << u8::BITS) | u64::from(*byte))
}

/// Hashes of the words of a text of ASCII without capitals: its bytes tell them as characters do, eight in one step.
struct AsciiWords<'t> {
    rest: &'t [u8],
}

impl AsciiWords<'_> {
    /// The next eight bytes, and how many of them are letters and digits before any other.
    fn eight(&self) -> (u64, u32) {
        let eight =
            self.rest.first_chunk().map_or_else(|| little_endian(self.rest), |eight| u64::from_le_bytes(*eight));
        (eight, (!of_words(eight) & each(0x80)).trailing_zeros() / u8::BITS)
    }

    fn pass(&mut self, bytes: u32) {
        self.rest = self.rest.get(bytes as usize..).unwrap_or_default();
    }
}

impl Iterator for AsciiWords<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let (mut eight, mut length) = self.eight();
        while length == 0 {
            if self.rest.is_empty() {
                return None;
            }
            self.pass(of_words(eight).trailing_zeros() / u8::BITS);
            (eight, length) = self.eight();
        }
        let mut hash = 0;
        while length == EIGHT {
            hash = joined(hash, eight);
            self.pass(EIGHT);
            (eight, length) = self.eight();
        }
        self.pass(length + 1);
        Some(joined(hash, eight & !(u64::MAX << (length * u8::BITS))))
    }
}

/// Bytes that are looked at in one step.
const EIGHT: u32 = u64::BITS / u8::BITS;

/// Each byte of eight.
const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; EIGHT as usize])
}

/// The highest bit of each byte of eight that is a small letter or a digit, where all are ASCII.
const fn of_words(eight: u64) -> u64 {
    const fn between(eight: u64, first: u8, last: u8) -> u64 {
        (eight + each(0x80 - first)) & !(eight + each(0x80 - (last + 1))) & each(0x80)
    }
    between(eight, b'a', b'z') | between(eight, b'0', b'9')
}

/// Whether the script of a letter puts spaces between words.
fn has_spaces(letter: char) -> bool {
    !matches!(Script::of(letter), Some(Script::Thai | Script::HanOrKana))
}

/// The hash of hashes in their order.
fn in_order(hashes: &[u64]) -> u64 {
    hashes.iter().fold(0, |hash, next| joined(hash, *next))
}

/// Whether an element is boilerplate, by its name or role, or is not shown.
fn is_boilerplate(element: Element<'_>) -> bool {
    const ROLES: [&str; 6] = ["navigation", "banner", "contentinfo", "complementary", "search", "form"];
    matches!(
        element.name(),
        "nav"
            | "header"
            | "footer"
            | "aside"
            | "form"
            | "script"
            | "style"
            | "template"
            | "noscript"
            | "select"
            | "dialog"
    ) || element.has("hidden")
        || ROLES.iter().any(|role| has_role(element, role))
}

fn has_role(element: Element<'_>, role: &str) -> bool {
    element.attribute("role").is_some_and(|value| value.trim().eq_ignore_ascii_case(role))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::alike;

    fn of(body: &str) -> Option<ContentFacts> {
        read(&Document::parse(format!("<!doctype html><title>x</title><body>{body}")))
    }

    fn words(count: usize, salt: usize) -> String {
        (0..count).map(|at| format!("word{} ", at * 7 + salt)).collect()
    }

    #[test]
    fn the_template_around_a_text_does_not_count() {
        let text = words(60, 0);
        let plain = of(&format!("<p>{text}")).unwrap();
        for around in [
            format!("<nav>{}</nav><main><h2></h2><p>{text}</main><footer>{}</footer>", words(50, 1), words(50, 2)),
            format!("<div role=banner>{}</div><p>{text}<aside>more</aside><p hidden>x", words(9, 3)),
            format!("<P>{}</P>", text.to_uppercase()),
        ] {
            assert_eq!(of(&around), Some(plain.clone()), "{around}");
        }
        assert_eq!(of("<p>Too short to compare."), None);
    }

    #[test]
    fn words_are_those_between_what_is_no_letter_and_no_digit() {
        let text = words(60, 0);
        let plain = of(&format!("<p>{text}")).unwrap();
        // Of ASCII, and with other characters, of which each is set off as a block or stands between words.
        for other in [text.replace(' ', "-/"), text.replace(' ', " — "), format!("«{}»", text.to_uppercase())] {
            assert_eq!(of(&format!("<p>{other}")), Some(plain.clone()), "{other}");
        }
    }

    #[test]
    fn words_of_ascii_are_those_of_any_text() {
        // Of each length around a step, with each kind of end.
        let word = "abcdefghijklmnopqrstuvwxyz0189";
        for length in 1..word.len() {
            for (before, after) in
                [("", ""), (" ", " x9"), ("`@/:[{\u{7f}", "}"), ("a b-", "\n\u{0}"), ("         ", "         ")]
            {
                let text = format!("{before}{}{after}", &word[..length]);
                let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
                let found: Vec<u64> = AsciiWords { rest: text.as_bytes() }.collect();
                assert_eq!(found, words.map(hash).collect::<Vec<_>>(), "{text:?}");
            }
        }
        assert_eq!(AsciiWords { rest: b"" }.next(), None);
    }

    #[test]
    fn one_other_sentence_in_a_long_text_is_nearly_the_same() {
        let a = of(&format!("<p>{}</p><p>{}</p>", words(600, 0), words(10, 9_001))).unwrap();
        let b = of(&format!("<p>{}</p><p>{}</p>", words(600, 0), words(10, 19_002))).unwrap();
        assert_ne!(a.hash, b.hash);
        assert!(alike(&a.sketch, &b.sketch) >= 90);
        assert!(alike(&a.sketch, &of(&words(600, 3)).unwrap().sketch) < 50);
    }
}
