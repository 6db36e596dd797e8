//! JPEG (ITU-T T.81, annex B): the size in the first frame header, turned as Exif (CIPA DC-008 §4.6.4) says.

/// Entries of an Exif directory that are looked at.
const DIRECTORY_ENTRIES: usize = 64;
/// The Exif field that says how a picture is turned.
const ORIENTATION: u16 = 0x0112;

/// Width and height as shown. `segments` is what follows the start of the image.
pub(super) fn size(segments: &[u8]) -> Option<(u32, u32)> {
    let mut rest = segments;
    let mut on_its_side = None;
    // Each turn takes at least the marker, so this ends with the bytes.
    loop {
        let (marker, after) = next_marker(rest)?;
        // Restart markers and the like stand alone (B.1.1.3).
        if matches!(marker, 0x01 | 0xD0..=0xD8) {
            rest = after;
            continue;
        }
        let length = usize::from(u16::from_be_bytes(*after.first_chunk()?));
        let payload = after.get(2..length);
        match marker {
            // Scan data and the end: a frame header would have come before.
            0xD9 | 0xDA => return None,
            // C4, C8 and CC are tables and a reserve between the frame headers.
            0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                let [_precision, h1, h2, w1, w2] = *after.get(2..)?.first_chunk()?;
                let (width, height) = (u16::from_be_bytes([w1, w2]).into(), u16::from_be_bytes([h1, h2]).into());
                return Some(if on_its_side == Some(true) { (height, width) } else { (width, height) });
            }
            // The first Exif segment counts.
            0xE1 if on_its_side.is_none() => on_its_side = payload.and_then(is_on_its_side),
            _ => {}
        }
        payload?;
        rest = after.get(length..)?;
    }
}

/// The marker that comes next, past the fill bytes before it, and what follows it.
fn next_marker(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let rest = bytes.strip_prefix(&[0xFF])?;
    let at = rest.iter().position(|byte| *byte != 0xFF)?;
    rest.get(at..)?.split_first().map(|(marker, rest)| (*marker, rest))
}

/// Whether Exif turns the picture by a quarter; `None` for a segment that does not say.
fn is_on_its_side(payload: &[u8]) -> Option<bool> {
    let tiff = payload.strip_prefix(b"Exif\0\0")?;
    let little = match tiff.first_chunk()? {
        b"II" => true,
        b"MM" => false,
        _ => return None,
    };
    let number = |bytes: [u8; 2]| if little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) };
    let short = |at: usize| Some(number(*tiff.get(at..)?.first_chunk()?));
    let offset = *tiff.get(4..)?.first_chunk()?;
    let directory = if little { u32::from_le_bytes(offset) } else { u32::from_be_bytes(offset) };
    let directory = usize::try_from(directory).ok()?;
    let (count, entries) = tiff.get(directory..)?.split_first_chunk()?;
    let count = usize::from(number(*count)).min(DIRECTORY_ENTRIES);
    let first = directory + 2;
    let entry = entries
        .chunks_exact(12)
        .take(count)
        .position(|entry| entry.first_chunk().is_some_and(|tag| number(*tag) == ORIENTATION))?;
    short(first + entry * 12 + 8).map(|orientation| matches!(orientation, 5..=8))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A baseline frame header of 640 by 480.
    const FRAME: &[u8] = b"\xFF\xC0\0\x11\x08\x01\xE0\x02\x80\x03\0\0\0\0\0\0\0\0\0";

    fn exif(body: &[u8]) -> Vec<u8> {
        let length = u16::try_from(body.len() + 8).unwrap().to_be_bytes();
        [b"\xFF\xE1", &length[..], b"Exif\0\0", body].concat()
    }

    #[test]
    fn the_frame_header_is_found_behind_other_segments() {
        assert_eq!(size(FRAME), Some((640, 480)));
        let jfif = b"\xFF\xE0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0";
        let table = b"\xFF\xC4\0\x04ab\xFF\xFF\xFF\xFE\0\x03a";
        assert_eq!(size(&[&jfif[..], table, FRAME].concat()), Some((640, 480)));
        let progressive = [b"\xFF\xC2", &FRAME[2..]].concat();
        assert_eq!(size(&progressive), Some((640, 480)));
    }

    #[test]
    fn a_picture_on_its_side_is_shown_upright() {
        let big =
            |value: u8| exif(&[b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", &[value][..], b"\0\0"].concat());
        let little = exif(b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0");
        assert_eq!(size(&[&big(6)[..], FRAME].concat()), Some((480, 640)));
        assert_eq!(size(&[&big(3)[..], FRAME].concat()), Some((640, 480)));
        assert_eq!(size(&[&little[..], FRAME].concat()), Some((480, 640)));
        assert_eq!(size(&[&exif(b"XX")[..], FRAME].concat()), Some((640, 480)));
    }

    #[test]
    fn a_head_that_ends_early_or_lies_has_no_size() {
        for bytes in [&b""[..], b"\xFF", b"\xFF\xDA\0\x02", b"\xFF\xE0\0\x01", b"\xFF\xE0\xFF\xFF", b"\0\xFF\xC0"] {
            assert_eq!(size(bytes), None, "{bytes:?}");
        }
        assert_eq!(size(&FRAME[..8]), None);
    }
}
