//! Character references (WHATWG HTML §13.2.5, "character reference state" and what follows it; names of §13.5).

use std::sync::LazyLock;

/// Name, code points, and whether it counts without its semicolon.
type Named = (&'static str, ReferenceText, bool);

/// The names in the order of their bytes.
static NAMED: LazyLock<Vec<Named>> =
    LazyLock::new(|| include_str!("../../data/entities.tsv").lines().filter_map(read).collect());

/// Longest name that counts without a semicolon; a test holds it true.
const LONGEST_BARE: usize = 6;
/// Longest name at all.
const LONGEST: usize = 31;

fn read(line: &'static str) -> Option<Named> {
    let mut columns = line.split('\t');
    let (name, points) = (columns.next()?, columns.next()?);
    let mut text = ReferenceText::default();
    for point in points.split(' ') {
        text.push(char::from_u32(u32::from_str_radix(point, 16).ok()?)?);
    }
    Some((name, text, columns.next() == Some("*")))
}

/// The one or two characters that a reference stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ReferenceText {
    bytes: [u8; 8],
    length: u8,
}

impl ReferenceText {
    fn of(character: char) -> Self {
        let mut text = Self::default();
        text.push(character);
        text
    }

    fn push(&mut self, character: char) {
        let start = usize::from(self.length);
        let end = start + character.len_utf8();
        if let Some(room) = self.bytes.get_mut(start..end) {
            character.encode_utf8(room);
            self.length += character.len_utf8() as u8;
        }
    }

    /// The characters.
    pub(crate) fn as_str(&self) -> &str {
        self.bytes.get(..usize::from(self.length)).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// Whether it is white space of the tree builder.
    pub(crate) fn is_space(&self) -> bool {
        matches!(self.as_str().as_bytes(), [byte] if super::is_space(*byte))
    }
}

/// A character reference that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reference {
    /// What it stands for.
    pub(crate) text: ReferenceText,
    /// Bytes after the ampersand.
    pub(crate) length: usize,
}

/// Reads the reference whose ampersand stands before `rest`.
pub(crate) fn reference(rest: &[u8], in_attribute: bool) -> Option<Reference> {
    match rest.first()? {
        b'#' => numeric(rest.get(1..)?)
            .map(|(character, length)| Reference { text: ReferenceText::of(character), length: length + 1 }),
        byte if byte.is_ascii_alphanumeric() => named(rest, in_attribute),
        _ => None,
    }
}

fn named(rest: &[u8], in_attribute: bool) -> Option<Reference> {
    // All but a few references of real pages.
    for (name, character) in [(&b"amp;"[..], '&'), (b"quot;", '"'), (b"lt;", '<'), (b"gt;", '>'), (b"nbsp;", '\u{A0}')]
    {
        if rest.starts_with(name) {
            return Some(Reference { text: ReferenceText::of(character), length: name.len() });
        }
    }
    let length = rest.iter().take(LONGEST + 1).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = rest.get(..length)?;
    if rest.get(length) == Some(&b';')
        && let Some((_, text, _)) = lookup(name)
    {
        return Some(Reference { text, length: length + 1 });
    }
    let bare = (2..=length.min(LONGEST_BARE)).rev().find_map(|length| {
        let (_, text, true) = lookup(name.get(..length)?)? else { return None };
        Some(Reference { text, length })
    })?;
    // "For historical reasons" an attribute keeps what looks like the next parameter of a query.
    let next = rest.get(bare.length);
    let is_kept = in_attribute && next.is_some_and(|byte| *byte == b'=' || byte.is_ascii_alphanumeric());
    (!is_kept).then_some(bare)
}

fn lookup(name: &[u8]) -> Option<Named> {
    let at = NAMED.binary_search_by(|(known, ..)| known.as_bytes().cmp(name)).ok()?;
    NAMED.get(at).copied()
}

/// The number after `&#`, and how many bytes it takes.
fn numeric(rest: &[u8]) -> Option<(char, usize)> {
    let (radix, skipped) = match rest.first()? {
        b'x' | b'X' => (16, 1),
        _ => (10, 0),
    };
    let digits = rest.get(skipped..)?;
    let count = digits.iter().take_while(|byte| char::from(**byte).is_digit(radix)).count();
    if count == 0 {
        return None;
    }
    let mut number: u32 = 0;
    for digit in digits.get(..count)? {
        number = number.saturating_mul(radix).saturating_add(char::from(*digit).to_digit(radix)?);
    }
    let semicolon = usize::from(digits.get(count) == Some(&b';'));
    Some((character(number), skipped + count + semicolon))
}

/// "Numeric character reference end state" (§13.2.5).
fn character(number: u32) -> char {
    const WINDOWS_1252: [u32; 32] = [
        0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D,
        0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D,
        0x17E, 0x178,
    ];
    let number = match number {
        0 => 0xFFFD,
        0x80..=0x9F => WINDOWS_1252.get(number as usize - 0x80).copied().unwrap_or(number),
        _ => number,
    };
    char::from_u32(number).unwrap_or('\u{FFFD}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_sorted_and_no_longer_than_is_looked_for() {
        assert_eq!(NAMED.len(), 2125);
        assert!(NAMED.is_sorted_by(|a, b| a.0.as_bytes() < b.0.as_bytes()));
        assert_eq!(NAMED.iter().map(|(name, ..)| name.len()).max(), Some(LONGEST));
        let bare = NAMED.iter().filter(|(.., bare)| *bare).map(|(name, ..)| name.len());
        assert_eq!(bare.max(), Some(LONGEST_BARE));
    }

    #[test]
    fn numbers_that_are_no_characters_are_replaced() {
        let read = |source: &str| reference(source.as_bytes(), false).map(|found| found.text.as_str().to_owned());
        assert_eq!(read("#0;").as_deref(), Some("\u{FFFD}"));
        assert_eq!(read("#x110000").as_deref(), Some("\u{FFFD}"));
        assert_eq!(read("#99999999999999999999;").as_deref(), Some("\u{FFFD}"));
        assert_eq!(read("#xD800;").as_deref(), Some("\u{FFFD}"));
        assert_eq!(read("#128;").as_deref(), Some("€"));
        assert_eq!(read("#x41").as_deref(), Some("A"));
        assert_eq!(read("#x;"), None);
        assert_eq!(read("#"), None);
    }
}
