//! Metadata that a stray element pushed out of the head (WHATWG HTML §13.2.6.4.4: anything else ends `head`).
//!
//! Only what says something can be lost: an empty tag is missing wherever it is.

use std::ops::Range;

use super::document::{Document, Element, NodeId};

/// What ended the head, and the metadata found after it.
#[derive(Debug, PartialEq, Eq)]
pub struct LostHead {
    /// The element that closed it.
    pub offender: NodeId,
    /// Lost metadata elements in order.
    pub lost: Vec<NodeId>,
}

/// Finds metadata that stands in the body although the source closes its head only behind it.
///
/// Metadata that an author put behind the end of the head on purpose is not lost, it is misplaced.
pub fn read(document: &Document) -> Option<LostHead> {
    // An end tag that closed the head stands before the body.
    if document.head()?.end_tag().is_some() {
        return None;
    }
    let body = document.body()?;
    let mut written = body.descendants().filter_map(|element| Some((element, element.start_tag()?.start)));
    let (offender, start) = written.next()?;
    let end = source_end_of_head(document, start)?;
    let lost: Vec<NodeId> = std::iter::once((offender, start))
        .chain(written)
        .filter(|(element, at)| *at < end && is_page_metadata(*element) && says_something(*element))
        .map(|(element, _)| element.id())
        .collect();
    (!lost.is_empty()).then_some(LostHead { offender: offender.id(), lost })
}

/// Whether an element is metadata that [`read`] finds where it stands in the body.
pub(super) fn may_be_lost(element: Element<'_>) -> bool {
    is_page_metadata(element) && says_something(element) && !element.ancestors().any(|around| around.is("head"))
}

/// Elements whose content is text.
const TEXT_ONLY: [&str; 9] =
    ["title", "textarea", "style", "script", "noscript", "iframe", "xmp", "noembed", "noframes"];

/// Source behind the `<` of a comment, of a start tag, and of a text with its end tag: what looks like a tag there is none.
fn without_tags(document: &Document, id: NodeId) -> Option<Range<usize>> {
    let Some(element) = document.element(id) else { return document.span(id).map(|span| span.start + 1..span.end) };
    let tag = element.start_tag()?;
    let text = element.end_tag().filter(|_| TEXT_ONLY.iter().any(|name| element.is(name)));
    Some(tag.start + 1..text.map_or(tag.end, |end| end.end))
}

/// Offset of `</head>` in the source after `from`, else of `<body`; `None` when the source ends its head before.
fn source_end_of_head(document: &Document, from: usize) -> Option<usize> {
    let source = document.source();
    let mut texts: Vec<Range<usize>> = document.nodes().filter_map(|id| without_tags(document, id)).collect();
    texts.sort_by_key(|text| text.start);
    let find = |needle: &str, mut at: usize| {
        loop {
            at += source.get(at..)?.find('<')?;
            let tag = source.as_bytes().get(at..at + needle.len())?;
            if tag.eq_ignore_ascii_case(needle.as_bytes()) {
                let before = texts.partition_point(|text| text.start <= at);
                match before.checked_sub(1).and_then(|last| texts.get(last)).filter(|text| text.contains(&at)) {
                    Some(text) => at = text.end,
                    None => return Some(at),
                }
            } else {
                at += 1;
            }
        }
    };
    find("</head", 0).or_else(|| find("<body", 0)).filter(|at| *at >= from)
}

/// Title, description, robots, canonical, hreflang and viewport: what consumers read in the head alone.
pub fn is_page_metadata(element: Element<'_>) -> bool {
    let name_is = |names: &[&str]| {
        element.attribute("name").is_some_and(|name| names.iter().any(|known| name.trim().eq_ignore_ascii_case(known)))
    };
    element.is("title")
        || element.is("meta")
            && name_is(&["description", "robots", "googlebot", "viewport"])
            // In the head it would begin to declare the encoding.
            && !element.has("charset")
            && !element.has("http-equiv")
        || element.is("link")
            && (element.has_token("rel", "canonical")
                || element.has_token("rel", "alternate") && element.has("hreflang"))
}

/// Whether a metadata element has more than white space for its value.
pub fn says_something(element: Element<'_>) -> bool {
    let filled = |name| element.attribute(name).is_some_and(|value| !value.trim().is_empty());
    match element.name() {
        "title" => !element.text().is_empty(),
        "link" => filled("href"),
        _ => filled("content"),
    }
}
