//! Metadata that a stray element pushed out of the head (WHATWG HTML §13.2.6.4.4: anything else ends `head`).

use super::document::Element;
use super::page::Html;

/// What ended the head, and the metadata found after it.
#[derive(Debug)]
pub struct LostHead<'p> {
    /// The element or text that closed it.
    pub offender: Element<'p>,
    /// Lost metadata elements in order.
    pub lost: Vec<Element<'p>>,
}

/// Finds metadata in the body that stands before any end of the head in the source, or directly after what broke it.
///
/// Only when the source closes its head later than the parser did: metadata that an author put into the body on purpose
/// is not lost, it is misplaced.
pub fn read(html: &Html) -> Option<LostHead<'_>> {
    let document = &html.document;
    let body = document.body()?;
    // The source's own `</head>` (or `<body>`) stands after the offender, but the parser had left the head before it.
    let source_end = source_end_of_head(html)?;
    let offender = body.descendants().find(|element| element.start_tag().is_some())?;
    let offender_start = offender.start_tag()?.start;
    if offender_start >= source_end {
        return None;
    }
    let lost: Vec<Element<'_>> = body
        .descendants()
        .filter(|element| element.start_tag().is_some_and(|span| span.start < source_end))
        .filter(|element| is_page_metadata(*element))
        .collect();
    (!lost.is_empty()).then_some(LostHead { offender, lost })
}

/// Offset of `</head>` in the source; else of `<body`.
fn source_end_of_head(html: &Html) -> Option<usize> {
    let source = html.document.source();
    let find = |needle: &str| {
        source.as_bytes().windows(needle.len()).position(|window| window.eq_ignore_ascii_case(needle.as_bytes()))
    };
    find("</head").or_else(|| find("<body"))
}

/// Title, description, robots, canonical, hreflang and viewport: what consumers read in the head alone.
pub fn is_page_metadata(element: Element<'_>) -> bool {
    let name_is = |names: &[&str]| {
        element.attribute("name").is_some_and(|name| names.iter().any(|known| name.trim().eq_ignore_ascii_case(known)))
    };
    element.is("title")
        || element.is("meta") && name_is(&["description", "robots", "googlebot", "viewport"])
        || element.is("link")
            && (element.has_token("rel", "canonical")
                || element.has_token("rel", "alternate") && element.has("hreflang"))
}

/// Whether an element of the lost metadata satisfies `wanted`.
pub fn lost(html: &Html, wanted: impl Fn(Element<'_>) -> bool) -> bool {
    read(html).is_some_and(|broken| broken.lost.into_iter().any(wanted))
}
