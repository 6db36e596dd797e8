//! Lines and columns of a source.

/// A place in a source as a person counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based. CR, LF and CRLF each end one line.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
}

/// Bytes after which characters are counted anew, so that a column on a long line costs no walk over the line.
const BLOCK: usize = 4096;

/// Where lines start, and how many characters stand before each block.
#[derive(Debug)]
pub(crate) struct Lines {
    starts: Vec<u32>,
    characters: Vec<u32>,
}

impl Lines {
    pub(crate) fn new(source: &str) -> Self {
        let bytes = source.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let in_crlf = bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) == Some(&b'\n');
            if !in_crlf {
                starts.push(narrow(at + 1));
            }
        }
        let mut before = 0;
        let mut characters = Vec::with_capacity(bytes.len() / BLOCK + 1);
        for block in bytes.chunks(BLOCK) {
            characters.push(before);
            before += count(block);
        }
        Self { starts, characters }
    }

    pub(crate) fn position(&self, source: &str, offset: usize) -> Position {
        let offset = offset.min(source.len());
        let line = self.starts.partition_point(|start| *start as usize <= offset).max(1);
        let start = self.starts.get(line - 1).map_or(0, |start| *start as usize);
        let before = match source.as_bytes().get(start..offset) {
            Some(short) if short.len() < BLOCK => count(short),
            _ => self.characters_before(source, offset) - self.characters_before(source, start),
        };
        let column = before + 1;
        Position { line: narrow(line), column }
    }

    fn characters_before(&self, source: &str, offset: usize) -> u32 {
        // Right behind a full last block there is no other.
        let block = (offset / BLOCK).min(self.characters.len().saturating_sub(1));
        let rest = source.as_bytes().get(block * BLOCK..offset).unwrap_or_default();
        self.characters.get(block).map_or(0, |before| before + count(rest))
    }
}

/// How many characters start in a piece of UTF-8.
fn count(bytes: &[u8]) -> u32 {
    /// So many sums of ones fit into a byte, which makes the machine add many at once.
    const MOST_IN_A_BYTE: usize = 255;
    let starts = |byte: &u8| u8::from(byte & 0xC0 != 0x80);
    let of_part = |part: &[u8]| usize::from(part.iter().map(starts).sum::<u8>());
    narrow(bytes.chunks(MOST_IN_A_BYTE).map(of_part).sum())
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
