//! Whether a rule's pattern matches a path, in time linear in both.

/// The same for a path, which as part of a URL has no byte above 0x7F: only the digits of its escapes change case.
pub(super) fn normal_path(path: &str) -> String {
    if path.is_ascii() { normal(path) } else { path.to_owned() }
}

/// Percent-encoding as patterns are compared in: bytes above 0x7F encoded, digits in upper case (RFC 9309 §2.2.2).
pub(super) fn normal(pattern: &str) -> String {
    let bytes = pattern.as_bytes();
    let mut out = String::with_capacity(pattern.len());
    for (at, byte) in bytes.iter().enumerate() {
        let digit_of_escape = (1..=2).any(|back| {
            at.checked_sub(back).and_then(|at| bytes.get(at)) == Some(&b'%')
                && bytes
                    .get(at - back + 1..=at - back + 2)
                    .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
        });
        if byte.is_ascii() {
            out.push(char::from(if digit_of_escape { byte.to_ascii_uppercase() } else { *byte }));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Length of the rule's pattern when it matches: the measure of its precedence.
pub(super) fn matched_length(pattern: &str, allow: bool, path: &str) -> Option<usize> {
    if matches(pattern, path) {
        return Some(pattern.len());
    }
    // Google takes `/folder/index.html` for the folder too.
    let (folder, _) = pattern.rsplit_once('/').filter(|(_, file)| allow && file.starts_with("index.htm"))?;
    let folder = format!("{folder}/$");
    matches(&folder, path).then_some(folder.len())
}

/// `*` is any run, `$` at the end the end of the path; else the pattern is a prefix.
///
/// Pieces between stars are found leftmost, one after the other: each byte of the path is passed once.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, anchored) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let mut pieces = pieces.peekable();
    if pieces.peek().is_none() {
        return !anchored || rest.is_empty();
    }
    while let Some(piece) = pieces.next() {
        if anchored && pieces.peek().is_none() {
            return rest.ends_with(piece);
        }
        let Some(at) = rest.find(piece) else { return false };
        rest = rest.get(at + piece.len()..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The definition, without care for time.
    fn plain(pattern: &[u8], path: &[u8]) -> bool {
        match pattern {
            [] => true,
            [b'$'] => path.is_empty(),
            [b'*', rest @ ..] => (0..=path.len()).any(|at| plain(rest, &path[at..])),
            [first, rest @ ..] => path.first() == Some(first) && plain(rest, &path[1..]),
        }
    }

    #[test]
    fn escapes_are_compared_in_one_form() {
        assert_eq!(normal("/a%c3%b6ö%zz"), "/a%C3%B6%C3%B6%zz");
    }

    #[test]
    fn thousands_of_stars_are_passed_in_one_go() {
        assert!(!matches(&format!("/{}b", "*a".repeat(2_000)), &format!("/{}", "a".repeat(2_048))));
    }

    proptest! {
        #[test]
        fn patterns_match_as_defined(pattern in "/[ab*]{0,8}[$]?", path in "/[ab]{0,8}") {
            prop_assert_eq!(matches(&pattern, &path), plain(pattern.as_bytes(), path.as_bytes()));
        }
    }
}
