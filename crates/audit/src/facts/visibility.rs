//! What is kept from sight: by attributes and inline styles, since style sheets are not read.

use std::borrow::Cow;

use super::document::Element;

/// Pixels past the edge from which on nothing of an element is on the screen.
const FAR_OFF: i64 = -999;

/// Whether an element keeps all that is in it from being shown: `hidden`, `aria-hidden`, or an inline style that takes it
/// away.
pub fn hides(element: Element<'_>) -> bool {
    element.has("hidden")
        || element.attribute("aria-hidden").is_some_and(|value| value.trim().eq_ignore_ascii_case("true"))
        || element.attribute("style").is_some_and(takes_away)
}

/// Whether an inline style takes its element off the page.
fn takes_away(style: &str) -> bool {
    // Most styles say neither, and are told so at once: few have the last letter of both.
    let ends_in = |before: &[u8], name: &str| {
        before
            .len()
            .checked_sub(name.len())
            .and_then(|at| before.get(at..))
            .is_some_and(|end| end.eq_ignore_ascii_case(name.as_bytes()))
    };
    let bytes = style.as_bytes();
    memchr::memchr2_iter(b'y', b'Y', bytes)
        .filter_map(|at| bytes.get(..at))
        .any(|before| ends_in(before, "displa") || ends_in(before, "visibilit"))
        && declarations(style).any(|(name, value)| {
            matches!((&*name, &*value), ("display", "none") | ("visibility", "hidden" | "collapse"))
        })
}

/// Declarations of an inline style, in lower case, without `!important`.
pub fn declarations(style: &str) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    const IMPORTANT: &str = "!important";
    style.split(';').filter_map(|one| {
        let (name, value) = one.split_once(':')?;
        let value = value.trim();
        let end = value
            .len()
            .checked_sub(IMPORTANT.len())
            .filter(|end| value.get(*end..).is_some_and(|mark| mark.eq_ignore_ascii_case(IMPORTANT)));
        let value = end.and_then(|end| value.get(..end)).map_or(value, str::trim_end);
        Some((lower(name.trim()), lower(value)))
    })
}

/// ASCII letters in lower case, without a copy where they are.
fn lower(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(text.to_ascii_lowercase()),
        false => Cow::Borrowed(text),
    }
}

/// How an inline style lets text be there for machines and not for eyes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Concealment {
    /// `font-size: 0`.
    NoSize,
    /// Moved far outside of the screen.
    OffScreen,
    /// In the colour of its own background.
    SameColour,
}

/// Whether an inline style conceals text; `display: none` does not count, since menus and tabs use it.
pub fn concealment(style: &str) -> Option<Concealment> {
    let (mut colour, mut background) = (None, None);
    let (mut has_no_size, mut is_indented, mut is_moved, mut is_out_of_flow) = (false, false, false, false);
    let is_far_off = |value: &str| number(value).is_some_and(|px| px <= FAR_OFF);
    for (name, value) in declarations(style) {
        match &*name {
            "font-size" => has_no_size = number(&value) == Some(0),
            "text-indent" => is_indented = is_far_off(&value),
            "left" | "top" | "right" => is_moved |= is_far_off(&value),
            "position" => is_out_of_flow = matches!(&*value, "absolute" | "fixed"),
            "color" => colour = Some(value),
            "background" | "background-color" => background = Some(value),
            _ => {}
        }
    }
    if has_no_size {
        return Some(Concealment::NoSize);
    }
    if is_indented || is_moved && is_out_of_flow {
        return Some(Concealment::OffScreen);
    }
    let is_same = colour.is_some() && colour == background && colour.as_deref() != Some("inherit");
    is_same.then_some(Concealment::SameColour)
}

/// The whole part of a length in pixels, or of a bare number.
fn number(value: &str) -> Option<i64> {
    let digits = value.strip_suffix("px").or_else(|| value.strip_suffix("em")).unwrap_or(value);
    let digits = digits.strip_suffix('r').unwrap_or(digits);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    part.bytes().all(|digit| digit == b'0').then(|| whole.trim().parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concealed_text_is_told_from_styled_text() {
        for (style, expected) in [
            ("font-size:0", Some(Concealment::NoSize)),
            ("FONT-SIZE: 0px !important", Some(Concealment::NoSize)),
            ("font-size:0.8em", None),
            ("text-indent:-9999px", Some(Concealment::OffScreen)),
            ("text-indent:-5px", None),
            ("position:absolute;left:-5000px", Some(Concealment::OffScreen)),
            ("left:-5000px", None),
            ("color:#fff;background:#fff", Some(Concealment::SameColour)),
            ("color:#fff;background:#000", None),
            ("display:none", None),
        ] {
            assert_eq!(concealment(style), expected, "{style}");
        }
    }
}
