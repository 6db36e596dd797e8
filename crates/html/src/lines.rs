//! Lines and columns of a source.

use std::ops::Range;

/// A place in a source as a person counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based. CR, LF and CRLF each end one line.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
}

/// Bytes after which lines and characters are counted anew, so that a place costs no walk over what stands before it.
const BLOCK: usize = 1024;

/// What stands before each block of a source. Of all lines and columns few are asked for, so that the lines are not listed.
#[derive(Debug)]
pub(crate) struct Lines(Vec<Before>);

/// What stands before a block.
#[derive(Debug, Clone, Copy, Default)]
struct Before {
    /// Line ends.
    ends: u32,
    /// Characters.
    characters: u32,
    /// Where the line starts in which the block begins.
    line_start: usize,
}

impl Lines {
    pub(crate) fn new(source: &str) -> Self {
        let mut before = Before::default();
        let mut blocks = Vec::with_capacity(source.len() / BLOCK + 1);
        blocks.push(before);
        let mut from = 0;
        // A block that is not full has none behind it.
        while from + BLOCK <= source.len() {
            let to = from + BLOCK;
            before = Before {
                ends: before.ends + ends(source, from, to),
                characters: before.characters + characters(source, from, to),
                line_start: last_start(source, from, to).unwrap_or(before.line_start),
            };
            blocks.push(before);
            from = to;
        }
        Self(blocks)
    }

    pub(crate) fn position(&self, source: &str, offset: usize) -> Position {
        let offset = offset.min(source.len());
        let (from, before) = self.before(offset);
        let start = last_start(source, from, offset).unwrap_or(before.line_start);
        let behind = before.characters + characters(source, from, offset);
        let (from_start, before_start) = self.before(start);
        let behind_start = before_start.characters + characters(source, from_start, start);
        Position { line: before.ends + ends(source, from, offset) + 1, column: behind - behind_start + 1 }
    }

    /// Of both ends of a part of a source. Most are tags, of which the end is told by what stands between.
    pub(crate) fn positions(&self, source: &str, span: Range<usize>) -> (Position, Position) {
        let start = self.position(source, span.start);
        if span.len() > BLOCK || span.end > source.len() || last_start(source, span.start, span.end).is_some() {
            return (start, self.position(source, span.end));
        }
        (start, Position { column: start.column + characters(source, span.start, span.end), ..start })
    }

    /// The block of an offset: where it begins, and what stands before it.
    fn before(&self, offset: usize) -> (usize, Before) {
        let block = offset / BLOCK;
        (block * BLOCK, self.0.get(block).copied().unwrap_or_default())
    }
}

/// How many lines end in a piece of a source.
fn ends(source: &str, from: usize, to: usize) -> u32 {
    let bytes = source.as_bytes();
    let piece = bytes.get(from..to).unwrap_or_default();
    // A CR before an LF ends no line of its own.
    let alone = memchr::memchr_iter(b'\r', piece).filter(|at| bytes.get(from + at + 1) != Some(&b'\n'));
    narrow(memchr::memchr_iter(b'\n', piece).count() + alone.count())
}

/// Where the last line starts that starts in a piece of a source, or right behind it.
fn last_start(source: &str, from: usize, to: usize) -> Option<usize> {
    let bytes = source.as_bytes();
    let piece = bytes.get(from..to)?;
    let mut ends = memchr::memrchr2_iter(b'\n', b'\r', piece).map(|at| from + at);
    let is_end = |at: &usize| bytes.get(*at) == Some(&b'\n') || bytes.get(at + 1) != Some(&b'\n');
    ends.find(is_end).map(|at| at + 1)
}

/// How many characters start in a piece of a source.
fn characters(source: &str, from: usize, to: usize) -> u32 {
    /// So many sums of ones fit into a byte, which makes the machine add many at once.
    const MOST_IN_A_BYTE: usize = 255;
    let starts = |byte: &u8| u8::from(byte & 0xC0 != 0x80);
    let of_part = |part: &[u8]| usize::from(part.iter().map(starts).sum::<u8>());
    let piece = source.as_bytes().get(from..to).unwrap_or_default();
    narrow(if piece.is_ascii() { piece.len() } else { piece.chunks(MOST_IN_A_BYTE).map(of_part).sum() })
}

fn narrow(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_end_counts_once_and_columns_are_characters() {
        let source = "a\nb\r\nç\rdé!";
        let lines = Lines::new(source);
        let at = |wanted: &str| {
            let found = lines.position(source, source.find(wanted).unwrap_or(source.len()));
            (found.line, found.column)
        };
        assert_eq!(
            [at("a"), at("b"), at("ç"), at("d"), at("!"), at("none")],
            [(1, 1), (2, 1), (3, 1), (4, 1), (4, 3), (4, 4)]
        );
    }

    #[test]
    fn places_are_those_that_a_person_counts() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for round in 0..60 {
            // Of the first rounds many short lines, of the last long ones.
            let rare = 3 + round * 40;
            let source: String = (0..3 * BLOCK)
                .map(|_| match random(rare) {
                    0 => '\n',
                    1 => '\r',
                    2 => 'é',
                    _ => 'a',
                })
                .collect();
            let lines = Lines::new(&source);
            let (mut line, mut column) = (1, 1);
            for (offset, c) in source.char_indices() {
                assert_eq!(lines.position(&source, offset), Position { line, column }, "{offset} of {source:?}");
                let end = (offset + random(2 * BLOCK as u64) as usize).min(source.len() + 1);
                let both = (lines.position(&source, offset), lines.position(&source, end));
                assert_eq!(lines.positions(&source, offset..end), both, "{offset} to {end} of {source:?}");
                let ends = c == '\n' || c == '\r' && source.as_bytes().get(offset + 1) != Some(&b'\n');
                (line, column) = if ends { (line + 1, 1) } else { (line, column + 1) };
            }
            assert_eq!(lines.position(&source, source.len() + 1), Position { line, column });
        }
    }

    #[test]
    fn columns_of_a_long_line_are_exact_at_the_edges_of_blocks() {
        for length in [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let source = "é".repeat(length);
            let lines = Lines::new(&source);
            for offset in [0, 2, BLOCK - 2, BLOCK, source.len()].into_iter().filter(|offset| *offset <= source.len()) {
                assert_eq!(lines.position(&source, offset).column as usize, offset / 2 + 1, "{length} {offset}");
            }
        }
    }
}
