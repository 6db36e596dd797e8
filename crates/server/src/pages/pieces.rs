//! Texts of ours on a page.

/// A piece of a text in which backticks mark code.
#[derive(Debug)]
pub(super) struct Piece<'a> {
    pub(super) is_code: bool,
    pub(super) text: &'a str,
}

/// The pieces of a text of ours. A lone backtick stays what it is.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, code, after)) = code_span(rest) {
        pieces.push(Piece { is_code: false, text: before });
        pieces.push(Piece { is_code: true, text: code });
        rest = after;
    }
    pieces.push(Piece { is_code: false, text: rest });
    pieces
}

/// What stands before, between and after the next two backticks.
fn code_span(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    Some((before, code, after))
}

/// The text without its backticks, for where there is no code: descriptions.
pub(super) fn plain(text: &str) -> String {
    pieces(text).iter().map(|piece| piece.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_mark_code() {
        let read = |text| pieces(text).iter().map(|p| (p.is_code, p.text.to_owned())).collect::<Vec<_>>();
        let of = |is_code: bool, text: &str| (is_code, text.to_owned());
        assert_eq!(read("a `b` c"), [of(false, "a "), of(true, "b"), of(false, " c")]);
        assert_eq!(read("a ` b"), [of(false, "a ` b")]);
    }

    #[test]
    fn plain_text_has_no_backticks() {
        assert_eq!(plain("a `b` c ` d"), "a b c ` d");
    }
}
