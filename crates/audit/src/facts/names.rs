//! Accessible names (W3C accname 1.2 §4.3), as far as it takes to tell named from nameless; and the kinds of scripts.

use super::document::{Element, Namespace, Part};
use super::listed::Listed;
use super::visibility::hides;

/// Ids of one `aria-labelledby` that are looked up: a name of more parts is no name.
const MOST_TARGETS: usize = 8;
/// Parts of the target of `aria-labelledby` that are looked at: one page may name a thousand elements by its whole body.
const MOST_TARGET_PARTS: usize = 100;

/// Whether an attribute holds more than white space.
fn is_filled(element: Element<'_>, name: &str) -> bool {
    element.attribute(name).is_some_and(|value| !value.trim().is_empty())
}

/// Whether an element has an accessible name: content that is shown, a label of its own, or `title`.
pub fn has_name(element: Element<'_>) -> bool {
    // Content first: most that have a name have it from there.
    has_content(element) || has_label(element) || is_filled(element, "title")
}

/// Whether an element's own attributes name it: `aria-label`, or `aria-labelledby` with a target that says something
/// (steps 2B and 2D). An id that no element has names nothing.
pub(crate) fn has_label(element: Element<'_>) -> bool {
    is_filled(element, "aria-label") || labels(element).any(says_something)
}

/// Elements that `aria-labelledby` names.
fn labels(element: Element<'_>) -> impl Iterator<Item = Element<'_>> {
    let ids = element.attribute("aria-labelledby").unwrap_or_default().split_ascii_whitespace().take(MOST_TARGETS);
    ids.filter_map(move |id| element.document().by_id(id))
}

/// Whether the target of `aria-labelledby` has anything to say. A hidden target names too, with all that is in it.
fn says_something(target: Element<'_>) -> bool {
    let is_hidden = hides(target) || target.is_hidden() || target.is_aria_hidden();
    let keep = |below: Element<'_>| !is_data(below) && (is_hidden || !hides(below));
    is_filled(target, "aria-label")
        || has_alternative(target)
        || target.parts_where(keep).take(MOST_TARGET_PARTS).any(names)
        || is_filled(target, "title")
}

/// Whether what stands in an element names it: text, image alternatives, labels and titles of elements within.
fn has_content(element: Element<'_>) -> bool {
    element
        .parts_where(is_read)
        .any(|part| names(part) || matches!(part, Part::Element(below) if labels(below).any(says_something)))
}

/// Whether a part of the content names by itself.
fn names(part: Part<'_>) -> bool {
    match part {
        Part::Text(text) => says(text),
        Part::Element(below) => {
            is_filled(below, "aria-label")
                || has_alternative(below)
                || below.namespace() == Namespace::Html && is_filled(below, "title")
        }
    }
}

/// Whether an element is an image with an alternative text. AMP's images carry theirs on an element of their own.
fn has_alternative(element: Element<'_>) -> bool {
    matches!(element.name(), "img" | "area" | "amp-img" | "amp-anim") && is_filled(element, "alt")
}

/// Whether an element is neither hidden nor data, so that its content is read.
fn is_read(element: Element<'_>) -> bool {
    !is_data(element) && !hides(element)
}

/// Whether what stands in an element is no text of the page: scripts, styles, a stray `title`, and of drawings all but
/// their title and lettering.
fn is_data(element: Element<'_>) -> bool {
    match element.namespace() {
        Namespace::Html if element.is("noscript") => !has_described_image(element),
        Namespace::Html => matches!(element.name(), "script" | "style" | "template" | "title"),
        Namespace::Svg => !matches!(
            element.name(),
            "svg" | "g" | "a" | "title" | "text" | "tspan" | "textPath" | "switch" | "foreignObject"
        ),
        Namespace::MathMl => false,
    }
}

/// Whether a `noscript`, whose content is text where scripts run, holds an image that a script puts in its place, with an
/// alternative.
fn has_described_image(noscript: Element<'_>) -> bool {
    let is_described = |text: &str| {
        text.match_indices("alt=").any(|(at, found)| {
            let value = text.get(at + found.len()..).unwrap_or_default();
            let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
            value.starts_with(|c: char| c.is_alphanumeric())
        })
    };
    noscript.texts().any(is_described)
}

/// Whether a text says anything: not white space, marks that nobody sees, or the private letters in which icon fonts keep
/// their pictures.
fn says(text: &str) -> bool {
    let is_silent = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..)
    };
    !text.chars().all(is_silent)
}

/// Whether an image (`img`, `input type=image`, `area[href]`) lacks a text alternative that it needs:
/// it has an address, is shown, and has neither `alt` nor a label.
pub(crate) fn lacks_alternative(listed: &Listed, image: Element<'_>) -> bool {
    // One without an address is another finding.
    let no_source = image.is("img") && !is_filled(image, "src") && !is_filled(image, "srcset");
    let is_of_amp = || image.is("img") && amp_image(image).is_some_and(|around| around.has("alt") || has_label(around));
    !image.has("alt")
        && !has_label(image)
        && !no_source
        && !is_of_amp()
        && !is_decorative(image)
        && !listed.is_unseen(image)
}

/// The element of AMP that an image was put into by its cache or server, which has the attributes that its author wrote.
pub(crate) fn amp_image(image: Element<'_>) -> Option<Element<'_>> {
    let is_amp = |name: &str| name.starts_with("amp-") || name.starts_with("i-amphtml-");
    /// Elements that AMP puts between its own and the image.
    const BETWEEN: usize = 3;
    image
        .ancestors()
        .take(BETWEEN)
        .take_while(|around| is_amp(around.name()))
        .find(|around| around.name().starts_with("amp-"))
}

/// Whether assistive technology is told to pass over an element.
pub(crate) fn is_decorative(element: Element<'_>) -> bool {
    element
        .attribute("role")
        .is_some_and(|role| matches!(role.trim().to_ascii_lowercase().as_str(), "presentation" | "none"))
        || element.is_aria_hidden()
}

/// Text runs of an element that are shown: not those of scripts, styles, or a stray `title`, nor hidden ones.
pub fn shown_texts(element: Element<'_>) -> impl Iterator<Item = &str> {
    element.texts_where(is_read)
}

/// Whether an element has text that is shown.
pub fn has_text(element: Element<'_>) -> bool {
    shown_texts(element).any(says)
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

#[cfg(test)]
mod tests {
    use super::super::document::Document;
    use super::*;

    #[test]
    fn names_come_from_what_is_read_aloud() {
        let check = |source: &str, expected: bool| {
            let document =
                Document::parse(format!("<p id=empty> </p><p id=full hidden>Rye <b hidden>x</b></p>{source}"));
            let element = document.elements().find(|element| element.has("href")).unwrap();
            assert_eq!(has_name(element), expected, "{source}");
        };
        for named in [
            "<a href=a>Rye",
            "<a href=a><img alt=Rye></a>",
            "<a href=a title=Rye></a>",
            "<a href=a aria-label=Rye></a>",
            "<a href=a><i title=Rye></i></a>",
            "<a href=a><svg><title>Rye</title><path d=''/></svg></a>",
            "<a href=a><svg><text>Rye</text></svg></a>",
            "<a href=a><amp-img alt=Rye></amp-img></a>",
            "<a href=a aria-labelledby='nowhere full'></a>",
            "<a href=a><span aria-labelledby=full></span></a>",
            "<a href=a><noscript><img src=a alt=Rye></noscript></a>",
        ] {
            check(named, true);
        }
        for nameless in [
            "<a href=a> &nbsp; </a>",
            "<a href=a aria-labelledby=nowhere></a>",
            "<a href=a aria-labelledby=empty></a>",
            "<a href=a aria-label=' '></a>",
            "<a href=a><span hidden>Rye</span></a>",
            "<a href=a><i aria-hidden=true>Rye</i></a>",
            "<a href=a><i>\u{f09a}</i></a>",
            "<a href=a><svg><style>a{}</style><symbol><title>Rye</title></symbol><use href=#x /></svg></a>",
            "<a href=a><noscript><img src=a></noscript></a>",
            "<a href=a><img alt=''></a>",
        ] {
            check(nameless, false);
        }
    }

    #[test]
    fn a_target_names_the_first_element_of_its_id_of_any_namespace() {
        let document = Document::parse("<svg><g id=a></g></svg><b id=a>x</b><i id=B>y</i>".to_owned());
        assert_eq!(document.by_id("a").map(Element::name), Some("g"));
        assert_eq!(document.by_id("B").map(Element::name), Some("i"));
        assert!(document.by_id("b").is_none() && document.by_id("").is_none());
    }
}
