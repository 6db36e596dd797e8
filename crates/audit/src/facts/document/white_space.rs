//! White space, collapsed: single spaces between words, none around.

/// Collapses white space (Unicode) to single spaces and trims.
pub fn collapse(text: &str) -> String {
    let mut collapsed = Collapsed::after(String::with_capacity(text.len()));
    collapsed.add(text);
    collapsed.text
}

/// The same for a text in pieces, added to `out`.
pub fn collapse_into<'t>(pieces: impl Iterator<Item = &'t str>, out: &mut String) {
    let mut collapsed = Collapsed::after(std::mem::take(out));
    pieces.for_each(|piece| collapsed.add(piece));
    *out = collapsed.text;
}

/// Takes text piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Collapsed {
    /// What came so far.
    pub(crate) text: String,
    /// White space came since the last word.
    space: bool,
}

impl Collapsed {
    /// Adds to a text.
    pub(crate) fn after(text: String) -> Self {
        Self { text, space: false }
    }

    /// A space, as between blocks.
    pub(crate) fn part(&mut self) {
        self.space = true;
    }

    /// More text.
    pub(crate) fn add(&mut self, piece: &str) {
        let mut rest = piece;
        loop {
            let skipped = leading_space(rest);
            self.space |= skipped > 0;
            rest = rest.get(skipped..).unwrap_or_default();
            if rest.is_empty() {
                return;
            }
            let (collapsed, tail) = rest.split_at(collapsed_start(rest));
            if self.space && !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(collapsed);
            self.space = false;
            rest = tail;
        }
    }
}

/// Length of the white space character at `at`, or nothing.
fn space_at(text: &str, at: usize) -> usize {
    match text.as_bytes().get(at) {
        Some(b'\t'..=b'\r' | b' ') => 1,
        // First bytes of all white space outside ASCII: U+0085, U+00A0, U+1680, U+2000 to U+205F, U+3000.
        Some(0xC2 | 0xE1 | 0xE2 | 0xE3) => {
            let character = text.get(at..).and_then(|rest| rest.chars().next());
            character.filter(|c| c.is_whitespace()).map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}

/// How much of the start of a text is white space.
fn leading_space(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        // Most is indentation.
        while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
            let not_space = !spaces_in(u64::from_le_bytes(*eight)) & each(0x80);
            at += not_space.trailing_zeros() as usize / u8::BITS as usize;
            if not_space != 0 {
                break;
            }
        }
        at += bytes.get(at..).unwrap_or_default().iter().take_while(|byte| kind(**byte) == ByteKind::Space).count();
        match space_at(text, at) {
            0 => return at,
            length => at += length,
        }
    }
}

/// A text without the white space around it, as [`str::trim`] has it: nearly all of it is indentation, which is passed over faster.
#[inline]
pub(crate) fn trimmed(text: &str) -> &str {
    // Most texts of a page that say anything have none.
    let is_bare = |end: Option<&u8>| end.is_some_and(u8::is_ascii_graphic);
    let bytes = text.as_bytes();
    if is_bare(bytes.first()) && is_bare(bytes.last()) { text } else { without_space_around(text) }
}

fn without_space_around(text: &str) -> &str {
    text.get(leading_space(text)..).unwrap_or_default().trim_ascii_end().trim_end()
}

/// Each byte of eight.
const fn each(byte: u8) -> u64 {
    u64::from_le_bytes([byte; EIGHT])
}

/// The highest bit of each byte that is white space of ASCII.
const fn spaces_in(eight: u64) -> u64 {
    // Without the highest bits, so that no sum reaches the next byte.
    let low = eight & each(0x7F);
    let is_space = !((low ^ each(b' ')) + each(0x7F));
    let is_control = (low + each(0x80 - b'\t')) & !(low + each(0x80 - (b'\r' + 1)));
    (is_space | is_control) & !eight & each(0x80)
}

/// How much of a text that starts with a word is collapsed as it stands: words with one space between.
fn collapsed_start(text: &str) -> usize {
    let bytes = text.as_bytes();
    // Where the next eight bytes are not plain, they are looked at one by one, up to this place.
    let (mut at, mut plain_from) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        if at >= plain_from {
            at += plain_start(bytes.get(at..).unwrap_or_default());
            // Fewer than eight are left: they are looked at with some before them, which are plain.
            let last = bytes.last_chunk().filter(|_| bytes.len() - at < EIGHT);
            if let Some(spaces) = last.and_then(|last| plain_spaces(u64::from_le_bytes(*last))) {
                return bytes.len() - usize::from(ends_in_space(spaces));
            }
            plain_from = at + EIGHT;
            continue;
        }
        if kind(*byte) != ByteKind::Word && space_at(text, at) > 0 {
            let is_single = *byte == b' '
                && bytes.get(at + 1).is_some_and(|next| kind(*next) == ByteKind::Word || space_at(text, at + 1) == 0);
            if !is_single {
                return at;
            }
        }
        at += 1;
    }
    bytes.len()
}

/// Bytes that are looked at in one step.
const EIGHT: usize = 8;

/// The highest bit of each byte of eight that is a space, where all are words of ASCII with single spaces between.
const fn plain_spaces(eight: u64) -> Option<u64> {
    /// The highest bit of each byte that is 0, of bytes of ASCII.
    const fn zeros(eight: u64) -> u64 {
        !(eight + each(0x7F)) & each(0x80)
    }
    // All of white space but the space is below it, with what is no character at all.
    if eight & each(0x80) != 0 || zeros(eight & each(0x60)) != 0 {
        return None;
    }
    let spaces = zeros(eight ^ each(b' '));
    if spaces & (spaces << u8::BITS) == 0 { Some(spaces) } else { None }
}

/// Whether the last of eight bytes is one of the spaces.
const fn ends_in_space(spaces: u64) -> bool {
    spaces >> (u64::BITS - 1) != 0
}

/// How many bytes from the start are told in steps of eight to be words of ASCII with single spaces between. The byte behind
/// them is no white space behind white space.
fn plain_start(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk()) {
        let Some(spaces) = plain_spaces(u64::from_le_bytes(*eight)) else { break };
        // A trailing space begins the next eight bytes, to be compared with the byte behind it.
        at += if ends_in_space(spaces) { EIGHT - 1 } else { EIGHT };
    }
    at
}

/// What a byte of UTF-8 is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ByteKind {
    /// No white space.
    Word,
    /// White space of ASCII.
    Space,
    /// Perhaps other white space.
    Unclear,
}

fn kind(byte: u8) -> ByteKind {
    static KINDS: [ByteKind; 256] = {
        let mut table = [ByteKind::Word; 256];
        let mut byte = 0;
        while byte < table.len() {
            #[expect(clippy::indexing_slicing, reason = "evaluated while this is compiled")]
            {
                table[byte] = match byte as u8 {
                    b'\t'..=b'\r' | b' ' => ByteKind::Space,
                    0xC2 | 0xE1 | 0xE2 | 0xE3 => ByteKind::Unclear,
                    _ => ByteKind::Word,
                };
            }
            byte += 1;
        }
        table
    };
    KINDS.get(usize::from(byte)).copied().unwrap_or(ByteKind::Unclear)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{collapse, trimmed};

    proptest! {
        #[test]
        fn collapsed_text_has_the_words_with_one_space_between(text in "(\\PC| |  |[a-e \\x00\t\n]{1,20}|[ é\u{a0}字]){0,12}") {
            prop_assert_eq!(collapse(&text), text.split_whitespace().collect::<Vec<_>>().join(" "));
            prop_assert_eq!(trimmed(&text), text.trim());
        }
    }

    #[test]
    fn all_white_space_collapses_to_single_spaces() {
        for space in (0..=char::MAX as u32).filter_map(char::from_u32).filter(|c| c.is_whitespace()) {
            let text = format!("{space}é{space}{space}b c{space} d {space}e{space}");
            assert_eq!(collapse(&text), "é b c d e", "{space:?}");
            let text = format!("{}é{space}b{}", space.to_string().repeat(9), space.to_string().repeat(17));
            assert_eq!(trimmed(&text), text.trim(), "{space:?}");
        }
        for other in ['\u{a1}', '\u{1681}', '\u{200b}', '\u{3001}', '\u{1}'] {
            let text = format!("a{other}{other}b");
            assert_eq!(collapse(&text), text);
            assert_eq!(trimmed(&other.to_string().repeat(9)), other.to_string().repeat(9));
        }
    }
}
