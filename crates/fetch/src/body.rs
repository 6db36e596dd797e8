//! Content decoding under one size limit, whatever the coding.

use std::io::Read;

use flate2::bufread::GzDecoder;
use model::capture::{Body, BodyBytes, BodyCut, Coding};

/// Content codings of one response at most.
const MOST_CODINGS: usize = 2;
/// Ratio limit: decoded bytes per received byte, once [`RATIO_FROM`] bytes are decoded.
const MOST_RATIO: usize = 100;
/// Decoded bytes below which the ratio limit does not apply.
const RATIO_FROM: usize = 256 * 1024;
/// Largest zstd window (RFC 9659).
const ZSTD_WINDOW: u64 = 8 * 1024 * 1024;

/// The first bytes of a gzip member.
const GZIP_MAGIC: [u8; 2] = [0x1F, 0x8B];
/// First seven bits of a brotli stream with a large window, an extension that the content coding does not include.
const LARGE_BROTLI_WINDOW: u8 = 0x11;

/// The decoded body of a response: `declared` is its `Content-Encoding`, `wire` the received bytes, `cut` how receiving
/// ended.
pub fn decoded(declared: Option<&str>, wire: Vec<u8>, cut: Option<BodyCut>, max_bytes: usize) -> Body {
    let value = declared.unwrap_or_default().trim().to_ascii_lowercase();
    let codings: Vec<&str> =
        value.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "identity").collect();
    if codings.is_empty() {
        return Body { bytes: wire.into(), cut, coding: Coding::Identity };
    }
    if codings.len() > MOST_CODINGS || codings.iter().any(|name| !is_known(name)) {
        return Body { bytes: BodyBytes::default(), cut: None, coding: Coding::Unknown(value) };
    }
    let mut bytes = wire;
    let mut cut = cut;
    // The coding named last was applied last (RFC 9110 §8.4).
    for name in codings.iter().rev() {
        match undo(name, &bytes, max_bytes) {
            Some((out, ended)) => {
                cut = ended.or(cut);
                bytes = out;
            }
            None => return Body { bytes: BodyBytes::default(), cut: None, coding: Coding::Broken(value) },
        }
    }
    Body { bytes: bytes.into(), cut, coding: Coding::Decoded(value) }
}

/// Upper bound of the decoded size of so many received bytes.
pub(crate) fn most_decoded(wire: usize, max_bytes: usize) -> usize {
    wire.saturating_mul(MOST_RATIO).max(RATIO_FROM).min(max_bytes)
}

fn is_known(name: &str) -> bool {
    matches!(name, "gzip" | "x-gzip" | "deflate" | "br" | "zstd")
}

/// Undoes one coding: the bytes and how decoding ended; `None` when the input is not in this coding.
fn undo(name: &str, wire: &[u8], max_bytes: usize) -> Option<(Vec<u8>, Option<BodyCut>)> {
    match name {
        "gzip" | "x-gzip" => read(Members { rest: wire, member: None, is_first: true }, wire.len(), max_bytes),
        // The name means zlib (RFC 9110 §8.4.1.2), but bare deflate is sent too.
        "deflate" => read(flate2::read::ZlibDecoder::new(wire), wire.len(), max_bytes)
            .or_else(|| read(flate2::read::DeflateDecoder::new(wire), wire.len(), max_bytes)),
        // The code that RFC 7932 §9.1 leaves out marks the windows of an extension, up to a gigabyte.
        "br" if wire.first().is_some_and(|first| first & 0x7F == LARGE_BROTLI_WINDOW) => None,
        "br" => read(brotli_decompressor::Decompressor::new(wire, 8_192), wire.len(), max_bytes),
        "zstd" => {
            if zstd_window(wire)? > ZSTD_WINDOW {
                return None;
            }
            read(ruzstd::decoding::StreamingDecoder::new(wire).ok()?, wire.len(), max_bytes)
        }
        _ => None,
    }
}

/// The members of a gzip file one after another (RFC 1952 §2.2). Trailing bytes that are no member are ignored, as
/// browsers do.
struct Members<'w> {
    rest: &'w [u8],
    member: Option<GzDecoder<&'w [u8]>>,
    is_first: bool,
}

impl Read for Members<'_> {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        loop {
            let member = match &mut self.member {
                Some(member) => member,
                None if self.is_first || self.rest.starts_with(&GZIP_MAGIC) => {
                    self.is_first = false;
                    self.member.insert(GzDecoder::new(self.rest))
                }
                None => return Ok(0),
            };
            let count = member.read(out)?;
            if count > 0 || out.is_empty() {
                return Ok(count);
            }
            self.rest = self.member.take().map_or(&[], GzDecoder::into_inner);
        }
    }
}

/// Window of a zstd frame (RFC 8878 §3.1.1.1): how much memory its decoder needs.
fn zstd_window(wire: &[u8]) -> Option<u64> {
    let rest = wire.strip_prefix(&[0x28, 0xB5, 0x2F, 0xFD])?;
    let descriptor = *rest.first()?;
    let single_segment = descriptor & 0x20 != 0;
    if !single_segment {
        let window = *rest.get(1)?;
        let base = 1_u64 << (10 + u32::from(window >> 3));
        return Some(base + base / 8 * u64::from(window & 7));
    }
    // The window is then the content's size, which stands after the dictionary id.
    let dictionary = [0, 1, 2, 4].get(usize::from(descriptor & 3)).copied()?;
    let size_bytes = [1, 2, 4, 8].get(usize::from(descriptor >> 6)).copied()?;
    let field = rest.get(1 + dictionary..1 + dictionary + size_bytes)?;
    let size = field.iter().rev().fold(0_u64, |size, byte| size << 8 | u64::from(*byte));
    Some(if size_bytes == 2 { size + 256 } else { size })
}

/// Reads up to the size limit. Bytes decoded before an error are kept; an error before the first byte means another
/// coding.
fn read(mut decoder: impl Read, wire: usize, max_bytes: usize) -> Option<(Vec<u8>, Option<BodyCut>)> {
    let mut out = Vec::new();
    let mut piece = [0; 8_192];
    loop {
        match decoder.read(&mut piece) {
            Ok(0) => return Some((out, None)),
            Ok(count) => {
                let room = max_bytes.saturating_sub(out.len());
                out.extend_from_slice(piece.get(..count.min(room)).unwrap_or_default());
                let bomb = out.len() > RATIO_FROM && out.len() / MOST_RATIO > wire.max(1);
                if count > room || bomb {
                    return Some((out, Some(BodyCut::Size)));
                }
            }
            Err(_) if out.is_empty() && wire > 0 => return None,
            Err(_) => return Some((out, Some(BodyCut::Connection))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write as _;

    const CAP: usize = 2_097_152;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn z01_a_bomb_stops_at_its_ratio_or_cap() {
        let bomb = gzip(&vec![0; 50_000_000]);
        let body = decoded(Some("gzip"), bomb, None, CAP);
        assert_eq!(body.cut, Some(BodyCut::Size));
        assert!(body.bytes.len() <= CAP);
    }

    #[test]
    fn z03_a_cut_stream_keeps_what_was_decoded() {
        let text: String = (0..20_000).map(|n| format!("{n} ")).collect();
        let whole = gzip(text.as_bytes());
        let body = decoded(Some("gzip"), whole[..whole.len() / 2].to_vec(), None, CAP);
        assert_eq!(body.cut, Some(BodyCut::Connection));
        assert!(!body.bytes.is_empty() && text.as_bytes().starts_with(&body.bytes));
    }

    #[test]
    fn z04_z05_wrong_and_unknown_codings_give_no_bytes() {
        assert_eq!(decoded(Some("gzip"), b"<p>plain".to_vec(), None, CAP).coding, Coding::Broken("gzip".to_owned()));
        assert_eq!(decoded(Some("zstd"), b"<p>plain".to_vec(), None, CAP).coding, Coding::Broken("zstd".to_owned()));
        assert_eq!(decoded(Some("exi"), b"x".to_vec(), None, CAP).coding, Coding::Unknown("exi".to_owned()));
        assert_eq!(
            decoded(Some("gzip, gzip, gzip"), Vec::new(), None, CAP).coding,
            Coding::Unknown("gzip, gzip, gzip".to_owned())
        );
    }

    #[test]
    fn z06_z07_stacked_codings_and_several_members_are_undone() {
        assert_eq!(decoded(Some("gzip, gzip"), gzip(&gzip(b"twice")), None, CAP).bytes, b"twice");
        assert_eq!(decoded(Some("GZIP"), [gzip(b"one "), gzip(b"two")].concat(), None, CAP).bytes, b"one two");
    }

    #[test]
    fn z08_what_follows_the_stream_is_passed_over() {
        // Each holds one uncompressed part.
        let brotli = b"\x20\x00\x10abc\x03".to_vec();
        let zstd = b"\x28\xB5\x2F\xFD\x20\x03\x19\x00\x00abc".to_vec();
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(b"abc").unwrap();
        for (coding, stream) in [
            ("gzip", gzip(b"abc")),
            ("gzip", [gzip(b"a"), gzip(b"bc")].concat()),
            ("deflate", zlib.finish().unwrap()),
            ("br", brotli),
            ("zstd", zstd),
        ] {
            for garbage in [&b""[..], b"\0", b"garbage", &[0; 600]] {
                let body = decoded(Some(coding), [&stream[..], garbage].concat(), None, CAP);
                assert_eq!((body.bytes.as_slice(), body.cut), (&b"abc"[..], None), "{coding} and {garbage:?}");
            }
        }
        let half = gzip(b"second");
        let body = decoded(Some("gzip"), [gzip(b"first"), half[..half.len() - 9].to_vec()].concat(), None, CAP);
        assert_eq!((body.cut, body.bytes.starts_with(b"first")), (Some(BodyCut::Connection), true));
    }

    /// A reader of zeros stands for a decoder: what it read of the wire is told apart.
    #[test]
    fn more_than_a_hundred_bytes_from_one_are_a_bomb_past_256_kib() {
        let zeros = vec![0; CAP + 1];
        for (decoded, wire, max_bytes, cut) in [
            (262_144, 1, CAP, None),
            (262_145, 1, CAP, Some(BodyCut::Size)),
            (300_099, 3_000, CAP, None),
            (300_100, 3_000, CAP, Some(BodyCut::Size)),
            (10_000, 10_000, 10_000, None),
            (10_001, 10_000, 10_000, Some(BodyCut::Size)),
            (CAP, CAP, CAP, None),
            (CAP + 1, CAP, CAP, Some(BodyCut::Size)),
        ] {
            let (bytes, ended) = read(&zeros[..decoded], wire, max_bytes).unwrap();
            assert_eq!((bytes.len(), ended), (decoded.min(max_bytes), cut), "{decoded} of {wire}");
        }
        for (wire, most) in [(0, 262_144), (2_621, 262_144), (3_000, 300_000), (100_000, CAP)] {
            assert_eq!(most_decoded(wire, CAP), most, "{wire}");
        }
        let nothing = decoded(Some("gzip"), Vec::new(), None, CAP);
        assert_eq!((nothing.cut, nothing.coding), (Some(BodyCut::Connection), Coding::Decoded("gzip".to_owned())));
    }

    /// RFC 8878 §3.1.1.1.
    #[test]
    fn z02_a_zstd_window_is_read_and_8_mib_are_the_most() {
        let mib = 1024 * 1024;
        for (header, window) in [
            (&[0x00, 0][..], Some(1_024)),
            (&[0x00, 10 << 3 | 7], Some(mib + 7 * mib / 8)),
            (&[0x00, 13 << 3], Some(8 * mib)),
            (&[0x04, 13 << 3 | 1], Some(9 * mib)),
            (&[0x20, 3], Some(3)),
            (&[0x60, 0x02, 0x01], Some(0x0102 + 256)),
            (&[0xA0, 0, 0, 0x80, 0], Some(8 * mib)),
            (&[0xE0, 1, 0, 0, 0, 0, 0, 0, 1], Some((1 << 56) + 1)),
            (&[0x21, 9, 7], Some(7)),
            (&[0x22, 9, 9, 7], Some(7)),
            (&[0x23, 9, 9, 9, 9, 7], Some(7)),
            (&[0x60, 0x02], None),
            (&[0x00], None),
            (&[], None),
        ] {
            let frame = [&[0x28, 0xB5, 0x2F, 0xFD], header].concat();
            assert_eq!(zstd_window(&frame), window, "{header:x?}");
        }
        let body = |window: u8| {
            // One uncompressed part.
            let frame = [&[0x28, 0xB5, 0x2F, 0xFD, 0, window, 0x19, 0, 0][..], b"abc"].concat();
            decoded(Some("zstd"), frame, None, CAP)
        };
        assert_eq!(body(13 << 3).bytes, b"abc");
        assert_eq!(body(13 << 3 | 1).coding, Coding::Broken("zstd".to_owned()));
    }

    #[test]
    fn z02_a_brotli_window_that_the_coding_does_not_have_is_refused() {
        // The mark of large windows, 30 bits of window, one uncompressed part of three bytes, and the end.
        let mut bits = 0x11_u64;
        let mut at = 8;
        for (value, count) in [(30, 6), (0, 1), (0, 2), (2, 16), (1, 1)] {
            bits |= value << at;
            at += count;
        }
        let large = [&bits.to_le_bytes()[..5], b"abc", &[0b11]].concat();
        let body = decoded(Some("br"), large, None, CAP);
        assert_eq!((body.bytes.as_slice(), body.coding), (&b""[..], Coding::Broken("br".to_owned())));
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded_within_the_cap(bytes in proptest::collection::vec(any::<u8>(), 0..400), name in "gzip|deflate|br|zstd") {
            prop_assert!(decoded(Some(&name), bytes, None, 1_000).bytes.len() <= 1_000);
        }
    }
}
