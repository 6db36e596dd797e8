//! Pieces that several pages have: texts with code in them, and the ring of a score.

/// A piece of a text in which backticks mark code.
#[derive(Debug)]
pub(super) struct CodePiece<'a> {
    pub(super) is_code: bool,
    pub(super) text: &'a str,
}

/// The pieces of a text of ours. A lone backtick stays what it is.
pub(super) fn pieces(text: &str) -> Vec<CodePiece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, code, after)) = code_span(rest).or_else(|| tag(rest)) {
        pieces.push(CodePiece { is_code: false, text: before });
        pieces.push(CodePiece { is_code: true, text: code });
        rest = after;
    }
    pieces.push(CodePiece { is_code: false, text: rest });
    pieces
}

/// The text before, between and after the next two backticks.
fn code_span(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('`')?;
    let (code, after) = rest.split_once('`')?;
    Some((before, code, after))
}

/// The text before, of and after a tag with attributes, which is code without backticks too.
fn tag(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find('<')?;
    let end = start + text.get(start..)?.find('>')? + 1;
    let tag = text.get(start..end)?;
    tag.contains("=\"").then_some((text.get(..start)?, tag, text.get(end..)?))
}

/// The text without its backticks, for where there is no code: descriptions.
pub(super) fn plain(text: &str) -> String {
    pieces(text).iter().map(|piece| piece.text).collect()
}

/// Length of the ring's circle of radius 54.
const RING: f64 = 339.29;
/// The rounded ends of the arc reach so much further.
const RING_CAP: f64 = 4.0;

/// Length of the arc that a ring has for a score of 0 to 100, as SVG writes it. Its rounded ends make a dot of nothing, so that 0
/// is not the empty ring of a page without a score.
pub(super) fn arc(score: u32) -> String {
    let length = f64::from(score) / 100.0 * RING - if score >= 100 { 0.0 } else { RING_CAP };
    format!("{:.2}", length.max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arc_is_a_dot_at_0_and_the_whole_ring_at_100() {
        assert_eq!([0, 1, 50, 100].map(arc), ["0.00", "0.00", "165.65", "339.29"]);
    }

    #[test]
    fn backticks_mark_code() {
        let read = |text| pieces(text).iter().map(|p| (p.is_code, p.text.to_owned())).collect::<Vec<_>>();
        let of = |is_code: bool, text: &str| (is_code, text.to_owned());
        assert_eq!(read("a `b` c"), [of(false, "a "), of(true, "b"), of(false, " c")]);
        assert_eq!(read("a ` b"), [of(false, "a ` b")]);
        assert_eq!(
            read("add <a b=\"{{c}}\"> here"),
            [of(false, "add "), of(true, "<a b=\"{{c}}\">"), of(false, " here")]
        );
        assert_eq!(read("a < b > c"), [of(false, "a < b > c")]);
    }

    #[test]
    fn plain_text_has_no_backticks() {
        assert_eq!(plain("a `b` c ` d"), "a b c ` d");
    }
}
