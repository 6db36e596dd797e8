//! The size of a text after gzip: counted as a fast compressor would write it, without writing anything.
//!
//! One candidate is tried at each place and the first match is taken, as compressors do at their fastest level; then the
//! cheapest kind of each block is counted bit by bit (DEFLATE, RFC 1951). So it is the size of a file that could be written, and the
//! same on every processor; other programs at that level come within a few percent of it (decision 58).

/// Header and trailer of gzip around what is compressed (RFC 1952 §2.3).
const GZIP_FRAME: usize = 18;
/// How far back a match may lie (RFC 1951 §2).
const WINDOW: usize = 32 * 1024;
/// Bytes that have to be the same for a match. Three would do, but seldom save anything.
const LEAST: usize = 4;
/// Bytes of the longest match (RFC 1951 §3.2.5).
const LONGEST: usize = 258;
/// Places that are remembered, by a hash of the bytes there.
const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 12;
/// Literals and matches of a block; the next block has Huffman codes of its own.
const OF_BLOCK: usize = 32 * 1024;
/// Symbols of the first alphabet: bytes, the end of a block, lengths (RFC 1951 §3.2.5).
const LITERALS: usize = 286;
/// The symbol of the end of a block.
const END: usize = 256;
/// Symbols of the second alphabet: distances.
const DISTANCES: usize = 30;
/// Symbols of the third alphabet, which describes the codes of the other two (§3.2.7).
const CODES: usize = 19;
/// Bits of the longest code of the first two alphabets, and of the third.
const MOST_BITS: usize = 15;
const MOST_CODE_BITS: usize = 7;
/// The order in which lengths of the third alphabet are written (§3.2.7).
const CODE_ORDER: [usize; CODES] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// Bytes of a text after gzip.
pub(crate) fn gzip_size(bytes: &[u8]) -> usize {
    let mut places = Places([0; PLACES]);
    let mut block = Block::default();
    let (mut bits, mut at) = (0, 0);
    while let Some(four) = four_at(bytes, at) {
        let before = places.note(four, at).filter(|before| at - before <= WINDOW);
        match before.filter(|before| four_at(bytes, *before) == Some(four)) {
            Some(before) => {
                let length = LEAST + same(bytes, before + LEAST, at + LEAST, LONGEST - LEAST);
                block.add_match(length, at - before);
                at += length;
                // The last places of a match are likelier than others to begin the next one.
                if let Some(four) = four_at(bytes, at - 2) {
                    places.note(four, at - 2);
                }
            }
            None => {
                block.add_literal(four[0]);
                at += 1;
            }
        }
        if block.symbols >= OF_BLOCK {
            bits += std::mem::take(&mut block).bits();
        }
    }
    bytes.get(at..).unwrap_or_default().iter().for_each(|byte| block.add_literal(*byte));
    bits += block.bits();
    GZIP_FRAME + bits.div_ceil(u8::BITS as usize)
}

fn four_at(bytes: &[u8], at: usize) -> Option<[u8; LEAST]> {
    bytes.get(at..)?.first_chunk().copied()
}

/// Where bytes were met last, by a multiplicative hash of them (Knuth). Kept as one more than it is: none is none.
struct Places([u32; PLACES]);

impl Places {
    /// Notes where four bytes are; gives where four of the same hash were.
    fn note(&mut self, four: [u8; LEAST], at: usize) -> Option<usize> {
        let hash = u32::from_le_bytes(four).wrapping_mul(0x9E37_79B1) >> (u32::BITS - PLACE_BITS);
        let before = std::mem::replace(self.0.get_mut(hash as usize)?, at as u32 + 1);
        (before as usize).checked_sub(1)
    }
}

/// How many bytes are the same from two places on.
fn same(bytes: &[u8], before: usize, at: usize, most: usize) -> usize {
    let (Some(before), Some(rest)) = (bytes.get(before..), bytes.get(at..)) else { return 0 };
    let rest = rest.get(..most).unwrap_or(rest);
    let eights = before.as_chunks::<8>().0.iter().zip(rest.as_chunks::<8>().0);
    let mut count = 0;
    for (a, b) in eights {
        let other = u64::from_le_bytes(*a) ^ u64::from_le_bytes(*b);
        if other != 0 {
            return count + (other.trailing_zeros() / u8::BITS) as usize;
        }
        count += 8;
    }
    let ends = before.iter().zip(rest).skip(count);
    count + ends.take_while(|(a, b)| a == b).count()
}

/// What a block holds: how often each symbol stands in it.
#[derive(Debug)]
struct Block {
    literals: [u32; LITERALS],
    distances: [u32; DISTANCES],
    /// Bits behind codes, which say what of the length or distance a code leaves open.
    extra: usize,
    symbols: usize,
    /// Bytes that the block stands for.
    bytes: usize,
}

impl Default for Block {
    fn default() -> Self {
        Self { literals: [0; LITERALS], distances: [0; DISTANCES], extra: 0, symbols: 0, bytes: 0 }
    }
}

impl Block {
    fn add_literal(&mut self, byte: u8) {
        count(&mut self.literals, usize::from(byte));
        self.symbols += 1;
        self.bytes += 1;
    }

    fn add_match(&mut self, length: usize, distance: usize) {
        // RFC 1951 §3.2.5: lengths from 3, four codes for each further bit; the longest has a code of its own.
        let (code, extra) = if length == LONGEST { (28, 0) } else { code(length - 3, 4) };
        count(&mut self.literals, END + 1 + code);
        let (code, more) = self::code(distance - 1, 2);
        count(&mut self.distances, code);
        self.extra += extra + more;
        self.symbols += 1;
        self.bytes += length;
    }

    /// Bits of the block, of the cheapest kind.
    fn bits(mut self) -> usize {
        count(&mut self.literals, END);
        let stored = (self.bytes + 5 * self.bytes.div_ceil(0xFFFF).max(1)) * u8::BITS as usize;
        let fixed = 3 + self.extra + fixed_bits(&self.literals, &self.distances);
        let (literals, distances) = (lengths(&self.literals, MOST_BITS), lengths(&self.distances, MOST_BITS));
        let coded = sum(&self.literals, &literals) + sum(&self.distances, &distances);
        let own = 3 + self.extra + coded + description(&literals, &distances);
        own.min(fixed).min(stored)
    }
}

fn count(counts: &mut [u32], symbol: usize) {
    if let Some(count) = counts.get_mut(symbol) {
        *count += 1;
    }
}

/// The code of a value and the bits behind it, where `of_bit` codes share each number of such bits.
fn code(value: usize, of_bit: usize) -> (usize, usize) {
    let extra = (value / (2 * of_bit)).checked_ilog2().map_or(0, |log| log as usize + 1);
    (extra * of_bit + (value >> extra), extra)
}

/// Bits of symbols with the codes of fixed lengths (§3.2.6).
fn fixed_bits(literals: &[u32; LITERALS], distances: &[u32; DISTANCES]) -> usize {
    let of_literal = |symbol: usize| match symbol {
        0..=143 | 280.. => 8,
        144..=255 => 9,
        _ => 7,
    };
    let of_literals: usize =
        literals.iter().enumerate().map(|(symbol, times)| *times as usize * of_literal(symbol)).sum();
    of_literals + 5 * distances.iter().map(|times| *times as usize).sum::<usize>()
}

/// Bits of symbols, by how often they come and how long their codes are.
fn sum(times: &[u32], lengths: &[u8]) -> usize {
    times.iter().zip(lengths).map(|(times, length)| *times as usize * usize::from(*length)).sum()
}

/// Bits of each symbol's code by Huffman's method, none longer than `most`: 0 for symbols that don't come.
fn lengths<const N: usize>(times: &[u32; N], most: usize) -> [u8; N] {
    let mut out = [0; N];
    let mut used: Vec<(u32, usize)> =
        times.iter().enumerate().filter(|(_, times)| **times > 0).map(|(s, t)| (*t, s)).collect();
    used.sort_unstable();
    let mut of_length = [0_usize; 64];
    for depth in depths(&used) {
        // Deeper than a table has room for is only what is too long anyway.
        if let Some(count) = of_length.get_mut(depth.min(63)) {
            *count += 1;
        }
    }
    limit(&mut of_length, most);
    // The rarest have the longest.
    let longest_first =
        of_length.iter().enumerate().rev().flat_map(|(length, count)| std::iter::repeat_n(length, *count));
    for ((_, symbol), length) in used.iter().zip(longest_first) {
        if let Some(slot) = out.get_mut(*symbol) {
            *slot = length as u8;
        }
    }
    out
}

/// How deep each of the symbols lies in Huffman's tree, the rarest first as they are given; in any order.
fn depths(used: &[(u32, usize)]) -> Vec<usize> {
    if used.len() < 2 {
        return vec![1; used.len()];
    }
    // Nodes in the order in which they are made have growing weights, so two queues tell the two lightest.
    let leaves = used.len();
    let mut weights: Vec<u32> = used.iter().map(|(times, _)| *times).collect();
    let mut parents = vec![0_usize; 2 * leaves - 1];
    let (mut leaf, mut inner) = (0, leaves);
    for node in leaves..2 * leaves - 1 {
        let mut sum = 0;
        for _ in 0..2 {
            let of_leaf = weights.get(leaf).filter(|_| leaf < leaves);
            let of_inner = weights.get(inner);
            let takes_leaf = of_leaf.is_some_and(|leaf| of_inner.is_none_or(|inner| leaf <= inner));
            let next = if takes_leaf { &mut leaf } else { &mut inner };
            sum += weights.get(*next).copied().unwrap_or_default();
            if let Some(parent) = parents.get_mut(*next) {
                *parent = node;
            }
            *next += 1;
        }
        weights.push(sum);
    }
    // From the root down: parents are made after their children.
    let mut depths = vec![0; 2 * leaves - 1];
    for node in (0..2 * leaves - 2).rev() {
        let above = parents.get(node).and_then(|parent| depths.get(*parent)).copied().unwrap_or_default();
        if let Some(depth) = depths.get_mut(node) {
            *depth = above + 1;
        }
    }
    depths.truncate(leaves);
    depths
}

/// Shortens codes that are too long, and makes others longer, until all fit into `most` bits (Kraft's inequality).
fn limit(of_length: &mut [usize; 64], most: usize) {
    let (fitting, longer) = of_length.split_at_mut(most + 1);
    let Some((longest, shorter)) = fitting.split_last_mut() else { return };
    *longest += longer.iter().sum::<usize>();
    longer.fill(0);
    let taken = |shorter: &[usize], longest: usize| {
        longest + shorter.iter().enumerate().map(|(length, count)| count << (most - length)).sum::<usize>()
    };
    let mut over = taken(shorter, *longest).saturating_sub(1 << most);
    while over > 0 {
        // One of the longest moves beside the longest of the shorter ones, which becomes one bit longer.
        let Some(at) = shorter.iter().rposition(|count| *count > 0) else { return };
        if let Some(count) = shorter.get_mut(at) {
            *count -= 1;
        }
        *longest -= 1;
        match shorter.get_mut(at + 1) {
            Some(next) => *next += 2,
            None => *longest += 2,
        }
        over -= 1;
    }
}

/// Bits of what describes the codes of a block: their lengths, those that come again told once, under a code of their own
/// (§3.2.7).
fn description(literals: &[u8; LITERALS], distances: &[u8; DISTANCES]) -> usize {
    let (literals, distances) = (told(literals, 257), told(distances, 1));
    let (mut times, mut extra) = ([0_u32; CODES], 0);
    let mut rest = literals.iter().chain(distances).copied().peekable();
    while let Some(length) = rest.next() {
        let mut more = 0;
        while rest.next_if_eq(&length).is_some() {
            more += 1;
        }
        if length > 0 {
            count(&mut times, usize::from(length));
        } else {
            more += 1;
        }
        while more > 0 {
            let (symbol, bits, most) = match (length, more) {
                (0, 11..) => (18, 7, 138),
                (0, 3..) => (17, 3, 10),
                (1.., 3..) => (16, 2, 6),
                (length, _) => (usize::from(length), 0, 1),
            };
            count(&mut times, symbol);
            extra += bits;
            more -= more.min(most);
        }
    }
    let lengths = lengths(&times, MOST_CODE_BITS);
    let is_told = |symbol: &usize| lengths.get(*symbol).is_some_and(|length| *length > 0);
    let told = CODE_ORDER.iter().rposition(is_told).map_or(4, |last| (last + 1).max(4));
    5 + 5 + 4 + 3 * told + sum(&times, &lengths) + extra
}

/// Lengths up to the last that is not nothing, and at least so many.
fn told(lengths: &[u8], least: usize) -> &[u8] {
    let end = lengths.iter().rposition(|length| *length > 0).map_or(0, |last| last + 1);
    lengths.get(..end.max(least)).unwrap_or(lengths)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use proptest::prelude::*;

    use super::*;

    fn at_level(level: u32, bytes: &[u8]) -> usize {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap().len()
    }

    /// Prose with ever other words, and rows of a table.
    fn page(words: usize) -> String {
        let mut out = String::from("<!doctype html><title>Loaves</title>");
        for at in 0..words {
            let word = ["bread", "rye", "crumb", "oven", "salt", "water", "starter"][at * 7_919 % 1_009 % 7];
            out += &format!("<p class=row>{word}{} and {word}s of {}", at * 31 % 97, at * at % 1_013);
        }
        out
    }

    #[test]
    fn a_page_is_about_as_large_as_other_programs_make_it() {
        for words in [20, 200, 2_000, 20_000] {
            let text = page(words);
            let (counted, fast, small) =
                (gzip_size(text.as_bytes()), at_level(1, text.as_bytes()), at_level(9, text.as_bytes()));
            assert!(counted * 100 <= fast * 106, "{words} words: {counted}, {fast} at level 1, {small} at level 9");
            assert!(counted * 100 >= small * 95, "{words} words: {counted}, {fast} at level 1, {small} at level 9");
        }
    }

    #[test]
    fn the_ends_of_what_gzip_can_do() {
        // A stored or fixed block around nothing, one byte, and what has no pattern; the longest matches.
        assert_eq!(gzip_size(b""), at_level(9, b""));
        assert_eq!(gzip_size(b"x"), at_level(9, b"x"));
        let mut seed = 1_u32;
        let noise = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        });
        let noise: Vec<u8> = noise.take(100_000).collect();
        assert!((100_000..100_100).contains(&gzip_size(&noise)));
        assert!(gzip_size(&[b'x'; 1_000_000]) < 1_200);
    }

    #[test]
    fn codes_of_lengths_and_distances_are_those_of_the_standard() {
        // RFC 1951 §3.2.5: length 10 is 264, 11 and 12 are 265 with a bit, 257 is 284 with five; distances 4, 5, 32768.
        assert_eq!([10, 11, 12, 257].map(|length| code(length - 3, 4)), [(7, 0), (8, 1), (8, 1), (27, 5)]);
        assert_eq!([4, 5, 7, 32_768].map(|distance| code(distance - 1, 2)), [(3, 0), (4, 1), (5, 1), (29, 13)]);
    }

    proptest! {
        /// Codes exist: they leave nothing over, and none is too long (Kraft's inequality).
        #[test]
        fn codes_fit(times in prop::array::uniform19(0_u32..100_000), power in 0_u32..20) {
            let times = times.map(|times| times >> (times % (power + 1)));
            for most in [5, MOST_CODE_BITS, MOST_BITS] {
                let lengths = lengths(&times, most);
                let used = times.iter().filter(|times| **times > 0).count();
                prop_assert!(lengths.iter().zip(&times).all(|(length, times)| (*length > 0) == (*times > 0)));
                prop_assert!(lengths.iter().all(|length| usize::from(*length) <= most));
                let taken: usize = lengths.iter().filter(|length| **length > 0).map(|length| 1 << (most - usize::from(*length))).sum();
                prop_assert!(taken <= 1 << most && (used < 2 || most < MOST_BITS || taken == 1 << most));
            }
        }
    }
}
