//! Accessible names of elements, and the kinds of scripts.

use super::document::Element;
use super::listed::Listed;

/// Whether an element has an accessible name: text, image alternative, `aria-label`, `aria-labelledby`, `title`, SVG title.
///
/// A shortened form of the accessible-name computation (W3C accname 1.2 §4.3): enough to tell named from nameless.
pub fn has_name(element: Element<'_>) -> bool {
    let filled =
        |element: Element<'_>, name: &str| element.attribute(name).is_some_and(|value| !value.trim().is_empty());
    // Text first: most that have a name have it from there.
    has_text(element)
        || filled(element, "aria-label")
        || filled(element, "aria-labelledby")
        || filled(element, "title")
        || element.descendants().any(|below| {
            filled(below, "aria-label")
                || (below.is("img") || below.is("area")) && filled(below, "alt")
                || filled(below, "title") && (below.is("img") || below.is("iframe"))
        })
}

/// Whether an image (`img`, `input type=image`, `area[href]`) lacks a text alternative that it needs:
/// it has an address, is shown, and has neither `alt` nor a label.
pub(crate) fn lacks_alternative(listed: &Listed, image: Element<'_>) -> bool {
    let labelled = ["alt", "aria-label", "aria-labelledby"].iter().any(|name| image.has(name));
    // One without an address is another finding.
    let filled = |name| image.attribute(name).is_some_and(|value| !value.trim().is_empty());
    let no_source = image.is("img") && !filled("src") && !filled("srcset");
    !labelled && !no_source && !is_decorative(image) && !listed.is_unseen(image)
}

/// Whether assistive technology is told to pass over an element.
pub(crate) fn is_decorative(element: Element<'_>) -> bool {
    element
        .attribute("role")
        .is_some_and(|role| matches!(role.trim().to_ascii_lowercase().as_str(), "presentation" | "none"))
        || element.is_aria_hidden()
}

/// Text runs of an element that are shown: not those of scripts, styles, or a stray `title`.
pub fn shown_texts(element: Element<'_>) -> impl Iterator<Item = &str> {
    element.texts_where(|below| !["script", "style", "title"].iter().any(|name| below.is(name)))
}

/// Whether an element has text that is shown.
pub fn has_text(element: Element<'_>) -> bool {
    shown_texts(element).any(|text| !text.trim().is_empty())
}

/// Whether a script runs as a classic script: no type, or a JavaScript media type (WHATWG HTML §4.12.1).
pub fn is_classic_script(script: Element<'_>) -> bool {
    let Some(kind) = script.attribute("type") else { return true };
    let kind = super::content_type::media_type(kind);
    matches!(
        kind.as_str(),
        "" | "text/javascript"
            | "application/javascript"
            | "application/ecmascript"
            | "application/x-ecmascript"
            | "application/x-javascript"
            | "text/ecmascript"
            | "text/javascript1.0"
            | "text/javascript1.1"
            | "text/javascript1.2"
            | "text/javascript1.3"
            | "text/javascript1.4"
            | "text/javascript1.5"
            | "text/jscript"
            | "text/livescript"
            | "text/x-ecmascript"
            | "text/x-javascript"
    )
}
