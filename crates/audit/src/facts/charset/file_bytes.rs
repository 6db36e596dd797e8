//! Decoded text and the bytes of its file: where an offset lies, and how new text is written in the file's encoding.

use std::borrow::Cow;

use encoding_rs::{Decoder, Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

/// The byte of the file at which each of some offsets of the decoded text lies. `wanted` is in ascending order.
///
/// `None` where no byte is that place: inside a sequence of bytes, or in an encoding with shift states (ISO-2022-JP),
/// where what is written there would be read by the state before it.
pub(crate) fn file_offsets(
    bytes: &[u8],
    encoding: &'static Encoding,
    decoded: &str,
    wanted: impl IntoIterator<Item = usize>,
) -> Vec<Option<usize>> {
    let mut wanted = wanted.into_iter().peekable();
    if wanted.peek().is_none() {
        return Vec::new();
    }
    let mark = match Encoding::for_bom(bytes) {
        Some((of, length)) if of == encoding => length,
        _ => 0,
    };
    let body = bytes.get(mark..).unwrap_or_default();
    if encoding == UTF_8 {
        // Comparing is quicker than decoding.
        if body == decoded.as_bytes() || std::str::from_utf8(body).is_ok() {
            return wanted.map(|at| (at <= body.len()).then_some(at + mark)).collect();
        }
        return in_utf8(body, wanted).into_iter().map(|place| place.map(|at| at + mark)).collect();
    }
    let places = if encoding == UTF_16LE || encoding == UTF_16BE {
        // A lone surrogate is one unit, and so is the U+FFFD that is read.
        by_length(body, decoded, wanted, |part| 2 * part.encode_utf16().count())
    } else if encoding.is_single_byte() {
        by_length(body, decoded, wanted, |part| part.chars().count())
    } else if encoding == ISO_2022_JP {
        wanted.map(|_| None).collect()
    } else {
        in_sequences(body, encoding, decoded, wanted)
    };
    places.into_iter().map(|place| place.filter(|at| *at <= body.len()).map(|at| at + mark)).collect()
}

/// Offsets in the file where each part of a text takes so many bytes there.
fn by_length(
    bytes: &[u8],
    text: &str,
    wanted: impl Iterator<Item = usize>,
    length: impl Fn(&str) -> usize,
) -> Vec<Option<usize>> {
    let (mut text_at, mut file_at) = (0, 0);
    let place = |at: usize| {
        file_at += length(text.get(text_at..at)?);
        text_at = at;
        // The last character may stand for a unit that the file's end has cut.
        Some(if at == text.len() { bytes.len() } else { file_at })
    };
    wanted.map(place).collect()
}

/// Offsets in bytes that are not all UTF-8. Each malformed sequence is one U+FFFD (Encoding §8.1.1), as the standard library
/// cuts them too; what lies between two of them is as it is in the text.
fn in_utf8(bytes: &[u8], wanted: impl Iterator<Item = usize>) -> Vec<Option<usize>> {
    let mut chunks = bytes.utf8_chunks();
    let mut chunk = chunks.next();
    // Where the chunk begins in the text, and in the file.
    let (mut text_at, mut file_at) = (0, 0);
    let place = |at: usize| loop {
        let Some(current) = &chunk else { break (at == text_at).then_some(file_at) };
        let (valid, invalid) = (current.valid().len(), current.invalid().len());
        if at <= text_at + valid {
            let within = at.checked_sub(text_at)?;
            break current.valid().is_char_boundary(within).then_some(file_at + within);
        }
        let replaced = if invalid == 0 { 0 } else { char::REPLACEMENT_CHARACTER.len_utf8() };
        if at < text_at + valid + replaced {
            break None;
        }
        text_at += valid + replaced;
        file_at += valid + invalid;
        chunk = chunks.next();
    };
    wanted.map(place).collect()
}

/// The same for an encoding of several bytes a character, which has ASCII as it is: a sequence ends where the decoder has given
/// out all that it took in.
fn in_sequences(
    bytes: &[u8],
    encoding: &'static Encoding,
    text: &str,
    wanted: impl Iterator<Item = usize>,
) -> Vec<Option<usize>> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let (mut text_at, mut file_at) = (0, 0);
    let place = |at: usize| {
        while text_at < at && file_at < bytes.len() {
            let ahead = bytes.iter().skip(file_at).take(at - text_at);
            let plain = ahead.take_while(|byte| byte.is_ascii()).count();
            (text_at, file_at) = (text_at + plain, file_at + plain);
            if plain == 0 {
                let (written, read) = sequence(&mut decoder, bytes.get(file_at..).unwrap_or_default());
                (text_at, file_at) = (text_at + written, file_at + read);
            }
        }
        // The last character may stand for a sequence that the file's end has cut.
        let place = if at == text.len() { bytes.len() } else { file_at };
        (text_at == at).then_some(place)
    };
    wanted.map(place).collect()
}

/// How much text the decoder gives out for the next sequence, and how many bytes that takes.
fn sequence(decoder: &mut Decoder, bytes: &[u8]) -> (usize, usize) {
    for read in 1..=bytes.len() {
        // Room for whatever one byte may complete: two characters, or a U+FFFD and one.
        let mut out = [0; 16];
        let byte = bytes.get(read - 1..read).unwrap_or_default();
        let (_, _, written, _) = decoder.decode_to_utf8(byte, &mut out, read == bytes.len());
        if written > 0 {
            return (written, read);
        }
    }
    (0, bytes.len())
}

/// Text as source that an encoding can hold: what it lacks as character references, and inside of a script, where those
/// mean nothing, as the escapes of JSON strings. `in_script`: the text begins there.
pub(crate) fn holdable<'t>(text: &'t str, encoding: &'static Encoding, in_script: bool) -> Cow<'t, str> {
    if text.is_ascii() || holds(encoding, text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 2);
    let (mut in_script, mut rest) = (in_script, text);
    while let Some(c) = rest.chars().next() {
        in_script = match in_script {
            true => !begins(rest, "</script"),
            false => begins(rest, "<script"),
        };
        let mut buffer = [0; 4];
        if c.is_ascii() || holds(encoding, c.encode_utf8(&mut buffer)) {
            out.push(c);
        } else if in_script {
            out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push_str(&format!("&#{};", u32::from(c)));
        }
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
    }
    Cow::Owned(out)
}

fn begins(text: &str, with: &str) -> bool {
    text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with))
}

/// Whether an encoding has every character of a text.
fn holds(encoding: &'static Encoding, text: &str) -> bool {
    is_unicode(encoding) || !encoding.encode(text).2
}

fn is_unicode(encoding: &'static Encoding) -> bool {
    encoding == UTF_8 || encoding == UTF_16LE || encoding == UTF_16BE
}

/// The bytes of a text in an encoding, UTF-16 included, which the Encoding standard never writes.
pub(crate) fn encoded<'t>(text: &'t str, encoding: &'static Encoding) -> Cow<'t, [u8]> {
    if encoding == UTF_16LE {
        return text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    }
    if encoding == UTF_16BE {
        return text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    }
    encoding.encode(text).0
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_KR, GB18030, SHIFT_JIS, WINDOWS_1252};
    use proptest::prelude::*;

    use super::*;

    const ALL: [&Encoding; 9] =
        [UTF_8, UTF_16LE, UTF_16BE, WINDOWS_1252, SHIFT_JIS, BIG5, EUC_KR, GB18030, encoding_rs::EUC_JP];

    /// Every place that is told splits the file where it splits the text.
    fn check(bytes: &[u8], encoding: &'static Encoding) {
        let decoded = encoding.decode_with_bom_removal(bytes).0;
        let wanted: Vec<usize> = decoded.char_indices().map(|(at, _)| at).chain([decoded.len()]).collect();
        let found = file_offsets(bytes, encoding, &decoded, wanted.iter().copied());
        for (at, place) in wanted.iter().zip(&found) {
            let Some(place) = place else { continue };
            let (before, after) = bytes.split_at(*place);
            assert_eq!(encoding.decode_with_bom_removal(before).0, decoded[..*at], "{} {at}", encoding.name());
            assert_eq!(encoding.decode_without_bom_handling(after).0, decoded[*at..], "{} {at}", encoding.name());
        }
    }

    #[test]
    fn places_of_well_formed_text_are_all_told() {
        let text = "<p>São 日本 ½ 😀</p>";
        for encoding in ALL {
            let bytes = encoded(text, encoding);
            let decoded = encoding.decode_with_bom_removal(&bytes).0;
            let wanted = decoded.char_indices().map(|(at, _)| at);
            let found = file_offsets(&bytes, encoding, &decoded, wanted);
            assert!(found.iter().all(Option::is_some), "{}: {found:?}", encoding.name());
            check(&bytes, encoding);
        }
        let marked = [b"\xEF\xBB\xBF".as_slice(), text.as_bytes()].concat();
        assert_eq!(file_offsets(&marked, UTF_8, text, [0, 3]), [Some(3), Some(6)]);
        assert_eq!(file_offsets(b"\xFF\xFEa\0b\0", UTF_16LE, "ab", [1]), [Some(4)]);
        assert_eq!(file_offsets(b"a", ISO_2022_JP, "a", [0]), [None]);
    }

    #[test]
    fn what_an_encoding_lacks_is_written_as_a_reference() {
        for (text, in_script, wanted) in [
            ("é ж", false, "é &#1078;"),
            ("<b>😀</b>", false, "<b>&#128512;</b>"),
            ("\"😀\"", true, "\"\\ud83d\\ude00\""),
            (
                "<title>ж</title><SCRIPT type=a>\"ж\"</SCRIPT>ж",
                false,
                "<title>&#1078;</title><SCRIPT type=a>\"\\u0436\"</SCRIPT>&#1078;",
            ),
        ] {
            assert_eq!(holdable(text, WINDOWS_1252, in_script), wanted);
            assert_eq!(holdable(text, UTF_16LE, in_script), text);
        }
    }

    proptest! {
        #[test]
        fn a_place_that_is_told_is_one(bytes in proptest::collection::vec(any::<u8>(), 0..60), at in 0..ALL.len()) {
            check(&bytes, ALL[at]);
        }

        #[test]
        fn text_is_written_as_it_is_read(text in "\\PC{0,40}", at in 0..ALL.len()) {
            let encoding = ALL[at];
            let source = holdable(&text, encoding, false);
            prop_assert!(is_unicode(encoding) || !encoding.encode(&source).2);
        }
    }
}
