//! PNG of opaque pixels (W3C PNG, third edition): eight bits of red, green and blue each, one compressed chunk.

use std::io::{self, Write as _};

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};

/// Bytes of a pixel.
pub(super) const PIXEL: usize = 3;
/// The first eight bytes of every PNG (section 5.2).
const SIGNATURE: [u8; 8] = [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n'];
/// The filter that keeps the difference to the byte above (section 9.2): surfaces of one colour become zeros.
const UP: u8 = 2;

/// Writes rows of pixels, each of `width * PIXEL` bytes.
pub(super) fn written(width: u32, height: u32, pixels: &[u8]) -> io::Result<Vec<u8>> {
    let mut header = Vec::with_capacity(13);
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    // Eight bits a sample, truecolour; the only compression and filter method there are; not interlaced.
    header.extend([8, 2, 0, 0, 0]);

    let row_bytes = usize::try_from(width).map_err(io::Error::other)? * PIXEL;
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut above = vec![0; row_bytes];
    for row in pixels.chunks_exact(row_bytes) {
        packed.write_all(&[UP])?;
        let difference: Vec<u8> = row.iter().zip(&above).map(|(here, above)| here.wrapping_sub(*above)).collect();
        packed.write_all(&difference)?;
        above.copy_from_slice(row);
    }

    let mut out = SIGNATURE.to_vec();
    for (kind, data) in [(b"IHDR", header), (b"IDAT", packed.finish()?), (b"IEND", Vec::new())] {
        chunk(&mut out, kind, &data)?;
    }
    Ok(out)
}

/// Length, kind, data, and the check over kind and data (section 5.3).
fn chunk(out: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) -> io::Result<()> {
    out.extend(u32::try_from(data.len()).map_err(io::Error::other)?.to_be_bytes());
    let mut check = Crc::new();
    for part in [&kind[..], data] {
        out.extend_from_slice(part);
        check.update(part);
    }
    out.extend(check.sum().to_be_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_red_pixel() {
        let png = written(1, 1, &[255, 0, 0]).unwrap();
        assert_eq!(png.get(..8), Some(&SIGNATURE[..]));
        assert_eq!(png.get(12..16), Some(&b"IHDR"[..]));
        // The check of an end chunk is the same in every PNG.
        assert!(png.ends_with(&[0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82]));
    }
}
