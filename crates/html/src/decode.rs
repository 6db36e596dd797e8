//! Decoding of source to text: the one place where character references, line ends, NUL and letter case are resolved
//! (WHATWG HTML §13.2.3.5, §13.2.5 "character reference state" and following).

mod references;

pub(crate) use references::{Reference, reference};

/// How a run of source is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mode(u8);

impl Mode {
    const REFERENCES: u8 = 1;
    const ATTRIBUTE: u8 = 1 << 1;
    const DROPS_NUL: u8 = 1 << 2;
    const LOWER_CASE: u8 = 1 << 3;
    const KEEPS_NUL: u8 = 1 << 4;

    /// Text with character references; NUL becomes U+FFFD.
    pub(crate) const TEXT: Self = Self(Self::REFERENCES);
    /// Text without: scripts, styles, comments, CDATA.
    pub(crate) const RAW: Self = Self(0);
    /// The same after `plaintext`, where the tokenizer replaces NUL before the tree builder could leave it out.
    pub(crate) const PLAINTEXT: Self = Self(Self::KEEPS_NUL);
    /// The value of an attribute.
    pub(crate) const VALUE: Self = Self(Self::REFERENCES | Self::ATTRIBUTE);
    /// A name: lower case, no references.
    pub(crate) const NAME: Self = Self(Self::LOWER_CASE);

    /// The same, but NUL is left out, as the insertion modes do.
    pub(crate) const fn without_nul(self) -> Self {
        if self.has(Self::KEEPS_NUL) { self } else { Self(self.0 | Self::DROPS_NUL) }
    }

    /// Whether NUL is left out.
    pub(crate) const fn drops_nul(self) -> bool {
        self.has(Self::DROPS_NUL)
    }

    /// Whether `&` may start a character reference.
    pub(crate) const fn has_references(self) -> bool {
        self.0 & Self::REFERENCES != 0
    }

    const fn has(self, bit: u8) -> bool {
        self.0 & bit != 0
    }
}

/// Whether reading `source` in that mode gives anything but `source`.
pub(crate) fn changes(source: &[u8], mode: Mode) -> bool {
    memchr::memchr2(b'\r', 0, source).is_some()
        || (mode.has_references() && memchr::memchr(b'&', source).is_some())
        || (mode.has(Mode::LOWER_CASE) && source.iter().any(u8::is_ascii_uppercase))
}

/// The text that `source` stands for.
pub(crate) fn decode(source: &str, mode: Mode) -> String {
    let bytes = source.as_bytes();
    let mut out = String::with_capacity(source.len());
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr3(b'&', b'\r', 0, rest)) {
        out.push_str(source.get(at..at + found).unwrap_or_default());
        at += found;
        match bytes.get(at) {
            Some(b'\r') => {
                out.push('\n');
                at += if bytes.get(at + 1) == Some(&b'\n') { 2 } else { 1 };
            }
            Some(b'&') => at += and_reference(source, at, mode, &mut out),
            _ => {
                if !mode.drops_nul() {
                    out.push('\u{FFFD}');
                }
                at += 1;
            }
        }
    }
    out.push_str(source.get(at..).unwrap_or_default());
    if mode.has(Mode::LOWER_CASE) {
        out.make_ascii_lowercase();
    }
    out
}

/// Appends the text of the ampersand at `at`; how many bytes of source that took.
fn and_reference(source: &str, at: usize, mode: Mode, out: &mut String) -> usize {
    let rest = source.as_bytes().get(at + 1..).unwrap_or_default();
    let found = mode.has_references().then(|| reference(rest, mode.has(Mode::ATTRIBUTE))).flatten();
    match found {
        Some(Reference { text, length }) => {
            out.push_str(text.as_str());
            length + 1
        }
        None => {
            out.push('&');
            1
        }
    }
}

/// The white space of the tree builder: tab, LF, FF, CR and space (§13.2.6.4).
pub(crate) const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\r' | 0x0C)
}

/// How many bytes at the start of `source` stand for white space.
pub(crate) fn leading_space(source: &[u8], mode: Mode) -> usize {
    leading(source, mode, true)
}

/// How many bytes at the start of `source` stand for anything but white space.
pub(crate) fn leading_other(source: &[u8], mode: Mode) -> usize {
    leading(source, mode, false)
}

fn leading(source: &[u8], mode: Mode, space: bool) -> usize {
    let mut at = 0;
    while let Some(&byte) = source.get(at) {
        let (is, length) = match byte {
            b'&' if mode.has_references() => match reference(source.get(at + 1..).unwrap_or_default(), false) {
                Some(found) => (found.text.is_space(), found.length + 1),
                None => (false, 1),
            },
            byte => (is_space(byte), 1),
        };
        if is != space {
            return at;
        }
        at += length;
    }
    at
}

/// Whether `source` stands for white space and, where NUL is dropped, NUL alone.
pub(crate) fn is_blank(source: &[u8], mode: Mode) -> bool {
    let mut rest = source;
    loop {
        rest = rest.get(leading_space(rest, mode)..).unwrap_or_default();
        match rest {
            [] => return true,
            [0, tail @ ..] if mode.drops_nul() => rest = tail,
            _ => return false,
        }
    }
}

/// How many bytes the line feed takes with which `source` starts, if it does: it counts for nothing after some tags.
pub(crate) fn first_line_feed(source: &[u8], mode: Mode) -> usize {
    match source {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        [b'&', rest @ ..] if mode.has_references() => {
            reference(rest, false).filter(|found| found.text.as_str() == "\n").map_or(0, |found| found.length + 1)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_nul_and_references_are_resolved() {
        assert_eq!(decode("a\r\nb\rc\0d&amp;e", Mode::TEXT), "a\nb\nc\u{FFFD}d&e");
        assert_eq!(decode("a\0&amp;", Mode::RAW.without_nul()), "a&amp;");
        assert_eq!(decode("HREF\0É", Mode::NAME), "href\u{FFFD}É");
    }

    #[test]
    fn a_reference_without_semicolon_is_text_in_an_attribute_before_letters_and_equals() {
        assert_eq!(decode("?a=1&copy=2&copy;&copy", Mode::VALUE), "?a=1&copy=2©©");
        assert_eq!(decode("&notit;&notin;&not", Mode::TEXT), "¬it;∉¬");
    }

    #[test]
    fn white_space_may_be_written_as_references() {
        assert_eq!(leading_space(b" &#32;&Tab;\r\nx", Mode::TEXT), 13);
        assert_eq!(leading_space(b"&nbsp;", Mode::TEXT), 0);
        assert_eq!(leading_space(b"&#32;", Mode::RAW), 0);
        assert_eq!(leading_other(b"a&amp; b", Mode::TEXT), 6);
        assert!(is_blank(b" \0 ", Mode::TEXT.without_nul()));
        assert!(!is_blank(b" \0 ", Mode::TEXT));
    }

    #[test]
    fn the_first_line_feed_may_be_a_reference() {
        let lengths = [&b"\r\nx"[..], b"\rx", b"&#10;x", b"&NewLine;x", b"&#13;x", b"x"]
            .map(|source| first_line_feed(source, Mode::TEXT));
        assert_eq!(lengths, [2, 1, 5, 9, 0, 0]);
    }
}
