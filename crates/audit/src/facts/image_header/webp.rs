//! WebP (RFC 9649): the canvas of the extended format, else the size of the one picture.

/// Width and height. `chunks` is what follows `WEBP`.
pub(super) fn size(chunks: &[u8]) -> Option<(u32, u32)> {
    let (name, payload) = (chunks.get(..4)?, chunks.get(8..)?);
    match name {
        // One less than each side, in 24 bits, behind flags and a reserve.
        b"VP8X" => {
            let [w1, w2, w3, h1, h2, h3] = *payload.get(4..)?.first_chunk()?;
            Some((u32::from_le_bytes([w1, w2, w3, 0]) + 1, u32::from_le_bytes([h1, h2, h3, 0]) + 1))
        }
        // 14 bits for each side, behind the frame tag and the start code (RFC 6386 §9.1).
        b"VP8 " => {
            let [w1, w2, h1, h2] = *payload.get(3..)?.strip_prefix(b"\x9D\x01\x2A")?.first_chunk()?;
            let side = |bytes| u32::from(u16::from_le_bytes(bytes) & 0x3FFF);
            Some((side([w1, w2]), side([h1, h2])))
        }
        // One less than each side, in 14 bits each, behind the signature.
        b"VP8L" => {
            let bits = u32::from_le_bytes(*payload.strip_prefix(&[0x2F])?.first_chunk()?);
            Some(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_the_three_formats_says_its_size() {
        assert_eq!(size(b"VP8X\x0A\0\0\0\0\0\0\0\x7F\x02\0\xDF\x01\0"), Some((640, 480)));
        assert_eq!(size(b"VP8 \0\0\0\0abc\x9D\x01\x2A\x80\x02\xE0\x41"), Some((640, 480)));
        // 639 and 479 packed from the lowest bit.
        let bits = (639u32 | (479 << 14)).to_le_bytes();
        assert_eq!(size(&[b"VP8L\0\0\0\0\x2F", &bits[..]].concat()), Some((640, 480)));
        for bytes in [&b""[..], b"VP8X\0\0\0\0", b"VP8 \0\0\0\0abcdefghij", b"VP8L\0\0\0\0\x2E0000", b"ALPH\0\0\0\0"] {
            assert_eq!(size(bytes), None, "{bytes:?}");
        }
    }
}
