//! Small bodies that unfold to 200 MB of zeros.

use std::io::Write as _;

/// Bytes that each unfolds to.
pub(crate) const UNFOLDED: usize = 200_000_000;
/// Zeros written at a time.
static PIECE: [u8; 65_536] = [0; 65_536];

fn fill(mut encoder: impl std::io::Write) {
    for _ in 0..UNFOLDED.div_ceil(PIECE.len()) {
        encoder.write_all(&PIECE).unwrap();
    }
}

pub(crate) fn gzip() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    fill(&mut encoder);
    encoder.finish().unwrap()
}

pub(crate) fn deflate() -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    fill(&mut encoder);
    encoder.finish().unwrap()
}

/// A gzip bomb within gzip: undone in two steps.
pub(crate) fn gzip_twice() -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(&gzip()).unwrap();
    encoder.finish().unwrap()
}

/// Bytes of the largest block of zstd (RFC 8878 §3.1.1.2.3).
const ZSTD_BLOCK: u32 = 128 * 1024;

/// A zstd frame with the largest window that is taken, 8 MiB, and blocks of one byte repeated.
pub(crate) fn zstd() -> Vec<u8> {
    let window = 13 << 3;
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, window];
    let blocks = UNFOLDED.div_ceil(ZSTD_BLOCK as usize);
    for block in 1..=blocks {
        let (last, repeated) = (u32::from(block == blocks), 1 << 1);
        frame.extend_from_slice(&(last | repeated | ZSTD_BLOCK << 3).to_le_bytes()[..3]);
        frame.push(0);
    }
    frame
}

/// Bits in the order in which brotli has them: the lowest first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: usize,
}

impl Bits {
    fn push(&mut self, value: u32, count: usize) {
        for at in 0..count {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            *self.bytes.last_mut().unwrap() |= u8::from(value >> at & 1 == 1) << (self.used % 8);
            self.used += 1;
        }
    }

    /// A prefix code of one symbol, which then takes no bits (RFC 7932 §3.4).
    fn only(&mut self, symbol: u32, width: usize) {
        self.push(1, 2);
        self.push(0, 2);
        self.push(symbol, width);
    }
}

/// A brotli stream (RFC 7932) with the largest window, 16 MiB: each part is one zero, and a copy of it 16 million times.
pub(crate) fn brotli() -> Vec<u8> {
    const COPIED: u32 = (1 << 24) - 1;
    // Insert code 1 with copy code 23 (§5).
    const ONE_AND_MANY: u32 = 384 + (1 << 3) + 7;
    let mut bits = Bits::default();
    // The window: 1, then 7 for 24 bits.
    bits.push(0b1111, 4);
    for _ in 0..UNFOLDED.div_ceil(1 << 24) {
        // Not the last part; six nibbles of length, less one.
        bits.push(0, 1);
        bits.push(2, 2);
        bits.push(COPIED, 24);
        bits.push(0, 1);
        // One block type each of literals, commands and distances; no postfix, no direct distances; literals by their
        // lowest bits; one tree each of literals and distances.
        bits.push(0, 3);
        bits.push(0, 6);
        bits.push(0, 2);
        bits.push(0, 2);
        // Literals: zero. Commands: one literal and a copy of 2,118 and more. Distances: the last one is not yet known,
        // so distance 1 by the first code with a number of its own.
        bits.only(0, 8);
        bits.only(ONE_AND_MANY, 10);
        bits.only(16, 6);
        // The copy's length beyond 2,118, in 24 bits; the distance's, in one.
        bits.push(COPIED - 2_118, 24);
        bits.push(0, 1);
    }
    // The last part, empty.
    bits.push(0b11, 2);
    bits.bytes
}
