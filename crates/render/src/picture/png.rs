//! PNG of opaque pixels (W3C PNG, third edition): eight bits of red, green and blue each, one compressed chunk.

use std::io;

use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};

/// Bytes of a pixel.
pub(super) const PIXEL: usize = 3;

/// Writes rows of pixels, each of `width * PIXEL` bytes.
pub(super) fn written(width: u32, height: u32, pixels: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    // The filter keeps the difference to the byte above: surfaces of one colour become zeros.
    PngEncoder::new_with_quality(&mut out, CompressionType::Best, FilterType::Up)
        .write_image(pixels, width, height, ExtendedColorType::Rgb8)
        .map_err(io::Error::other)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first eight bytes of every PNG (section 5.2).
    const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];

    #[test]
    fn one_red_pixel() {
        let png = written(1, 1, &[255, 0, 0]).unwrap();
        assert_eq!(png.get(..8), Some(&SIGNATURE[..]));
        assert_eq!(png.get(12..16), Some(&b"IHDR"[..]));
        // The check of an end chunk is the same in every PNG.
        assert!(png.ends_with(&[0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]));
    }
}
