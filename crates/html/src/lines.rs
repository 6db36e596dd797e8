//! Lines and columns of a source.

/// A place in a source as a person counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// 1-based. CR, LF and CRLF each end one line.
    pub line: u32,
    /// 1-based, in characters.
    pub column: u32,
}

/// Byte offsets at which lines start.
#[derive(Debug)]
pub(crate) struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    pub(crate) fn new(source: &str) -> Self {
        let bytes = source.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let in_crlf = bytes.get(at) == Some(&b'\r') && bytes.get(at + 1) == Some(&b'\n');
            if !in_crlf {
                starts.push(u32::try_from(at + 1).unwrap_or(u32::MAX));
            }
        }
        Self { starts }
    }

    pub(crate) fn position(&self, source: &str, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start as usize <= offset).max(1);
        let start = self.starts.get(line - 1).map_or(0, |start| *start as usize);
        let before = source.get(start..offset).unwrap_or_default();
        let narrow = |value| u32::try_from(value).unwrap_or(u32::MAX);
        Position { line: narrow(line), column: narrow(before.chars().count() + 1) }
    }
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
}
