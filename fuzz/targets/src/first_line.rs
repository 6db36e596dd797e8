//! Inputs of two parts.

/// The first line of an input, and the bytes after its line feed; all of it is the line where there is none.
pub(crate) fn first_line(data: &[u8]) -> (&[u8], &[u8]) {
    let end = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let (line, rest) = data.split_at_checked(end).unwrap_or((data, &[]));
    (line, rest.get(1..).unwrap_or_default())
}
