//! Image formats by their first bytes (WHATWG MIME Sniffing §6.1), and the size where the head says it.
//!
//! No picture is decoded, and no length that a file states is trusted: every reader takes what is there or nothing.

mod avif;
mod jpeg;
mod webp;

use crate::facts::content_type::looks_like_html;

/// Bytes at the start of a text in which the root of an SVG is looked for: past a declaration and a comment.
const SVG_HEAD: usize = 4 * 1024;
/// Entries of an icon's directory that are looked at.
const ICON_ENTRIES: usize = 64;

/// An image as far as its head tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) format: &'static str,
    /// Width and height in pixels as a browser shows it, of the largest picture inside; `None` where it scales or the
    /// head does not say.
    pub(crate) size: Option<(u32, u32)>,
}

impl Image {
    /// Reads the head of an image; `None` when the bytes are none of the formats that every browser shows.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (format, size) = match bytes {
            [0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, rest @ ..] => ("PNG", png_size(rest)),
            [0, 0, 1, 0, rest @ ..] => ("ICO", icon_size(rest)),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', rest @ ..] => ("GIF", gif_size(rest)),
            [0xFF, 0xD8, 0xFF, ..] => ("JPEG", bytes.get(2..).and_then(jpeg::size)),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', rest @ ..] => ("WebP", webp::size(rest)),
            [_, _, _, _, b'f', b't', b'y', b'p', b'a', b'v', b'i', b'f' | b's', ..] => ("AVIF", avif::size(bytes)),
            _ if is_svg(bytes) => ("SVG", None),
            _ => return None,
        };
        Some(Self { format, size: size.filter(|(width, height)| *width > 0 && *height > 0) })
    }
}

fn png_size(rest: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(*rest.get(at..)?.first_chunk()?));
    (rest.get(4..8) == Some(b"IHDR")).then_some((number(8)?, number(12)?))
}

fn gif_size(rest: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u16::from_le_bytes(*rest.get(at..)?.first_chunk()?).into());
    Some((number(0)?, number(2)?))
}

/// The widest entry of the directory: a zero stands for 256.
fn icon_size(rest: &[u8]) -> Option<(u32, u32)> {
    let (count, entries) = rest.split_first_chunk().map(|(count, rest)| (u16::from_le_bytes(*count), rest))?;
    let side = |byte: u8| if byte == 0 { 256 } else { u32::from(byte) };
    entries
        .chunks_exact(16)
        .take(usize::from(count).min(ICON_ENTRIES))
        .filter_map(|entry| Some((side(*entry.first()?), side(*entry.get(1)?))))
        .max_by_key(|(width, height)| (*width.min(height), *width))
}

fn is_svg(bytes: &[u8]) -> bool {
    let head = bytes.get(..SVG_HEAD).unwrap_or(bytes);
    let head = String::from_utf8_lossy(head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head));
    let head = head.trim_start();
    let root = head.split('<').find(|tag| !tag.trim().is_empty() && !tag.starts_with(['?', '!']));
    let is_root =
        |tag: &str| tag.strip_prefix("svg").is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
    // An HTML page with a drawing in it is none.
    let is_document = head.starts_with('<') && (head.starts_with("<!--") || !looks_like_html(head.as_bytes()));
    is_document && root.is_some_and(is_root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn formats_are_told_by_their_first_bytes() {
        let read = |bytes: &[u8]| Image::read(bytes).map(|image| (image.format, image.size));
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x30\0\0\x01\0rest";
        assert_eq!(read(png), Some(("PNG", Some((48, 256)))));
        assert_eq!(read(&png[..20]), Some(("PNG", None)));
        assert_eq!(read(b"GIF89a\x10\0\x20\0"), Some(("GIF", Some((16, 32)))));
        let entry = |side: u8| [&[side, side][..], &[0; 14]].concat();
        let icon = [&[0, 0, 1, 0, 2, 0][..], &entry(16), &entry(0)].concat();
        assert_eq!(read(&icon), Some(("ICO", Some((256, 256)))));
        assert_eq!(read(&icon[..22]), Some(("ICO", Some((16, 16)))));
        assert_eq!(read(&[0, 0, 1, 0]), Some(("ICO", None)));
        assert_eq!(read(b"\xFF\xD8\xFF\xE0"), Some(("JPEG", None)));
        assert_eq!(read(b"RIFF\0\0\0\0WEBPVP8 "), Some(("WebP", None)));
        assert_eq!(read(b"\0\0\0\x1cftypavif"), Some(("AVIF", None)));
        for svg in [
            "<svg xmlns='http://www.w3.org/2000/svg'/>",
            "\u{feff}\n<?xml version=\"1.0\"?><!DOCTYPE svg PUBLIC \"\" \"\"><!-- a --><svg>",
            "<!-- made by hand --><svg/>",
        ] {
            assert_eq!(read(svg.as_bytes()), Some(("SVG", None)), "{svg}");
        }
        for none in ["", "<p><svg></svg>", "<!doctype html><svg>", "svg", "<svgs>", "BM", "<html>"] {
            assert_eq!(read(none.as_bytes()), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..80), cut in 0usize..8) {
            let _image = Image::read(&bytes);
            for start in [
                &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..],
                b"\0\0\x01\0",
                b"GIF87a",
                b"<svg",
                b"\xFF\xD8\xFF",
                b"\xFF\xD8\xFF\xE1\0\x40Exif\0\0II*\0",
                b"RIFF\0\0\0\0WEBPVP8",
                b"\0\0\0\x10ftypavif\0\0\0\0\0\0\0\x40meta\0\0\0\0\0\0\0\x38iprp\0\0\0\x30ipco",
            ] {
                let _image = Image::read(&[start, &bytes].concat()[..start.len() + cut.min(bytes.len())]);
            }
        }
    }
}
