//! Headings as readers meet them.

use std::borrow::Cow;

use model::capture::PAGE_BYTES;

use super::document::{Element, NodeId};
use super::names::{has_label, has_text};
use super::page::Html;
use super::text::is_seen;

/// The headings that are shown, in order, with their level.
pub(crate) fn outline(html: &Html) -> impl Iterator<Item = (u8, Element<'_>)> {
    let all = html.headings.iter().filter_map(|(level, id)| Some((*level, html.element(*id)?)));
    all.filter(|(_, heading)| !html.listed.is_unseen(*heading))
}

/// Bytes of text and nodes of one heading that are read: a longer one names nothing.
pub(crate) const MOST_READ: usize = 8 * 1024;
/// The same once all headings have said [`MOST_OF_ALL`]. Nested ones say the same text again and again.
const LEAST_READ: usize = 256;
/// Bytes that all headings of a page may say: as many as the longest page has. Not as many as this page has: a fix elsewhere would make
/// a heading longer.
const MOST_OF_ALL: usize = PAGE_BYTES;

impl Html {
    /// Text of a heading as a reader sees it, white space collapsed. Several facts ask for all of them.
    pub(crate) fn heading_text(&self, heading: Element<'_>) -> Cow<'_, str> {
        let seen = |heading: Element<'_>, most| heading.read_start(is_seen, most);
        let known = self.resolved.of_body.headings.get_or_init(|| {
            let mut all = texts(self, self.headings.iter().map(|(_, id)| *id), seen);
            all.sort_unstable_by_key(|(id, _)| *id);
            all
        });
        match known.binary_search_by_key(&heading.id(), |(id, _)| *id) {
            Ok(at) => known.get(at).map_or(Cow::Borrowed(""), |(_, text)| Cow::Borrowed(text)),
            Err(_) => Cow::Owned(seen(heading, MOST_READ)),
        }
    }

    /// Texts of every h1, hidden and empty ones too.
    pub fn h1_texts(&self) -> Vec<String> {
        let h1s = self.headings.iter().filter(|(level, _)| *level == 1).map(|(_, id)| *id);
        texts(self, h1s, Element::text_start).into_iter().map(|(_, text)| text).collect()
    }
}

/// Texts of headings, each as far as there is room.
fn texts<'h>(
    html: &'h Html,
    headings: impl Iterator<Item = NodeId>,
    read: impl Fn(Element<'h>, usize) -> String,
) -> Vec<(NodeId, String)> {
    let mut room = MOST_OF_ALL;
    let texts = headings.filter_map(|id| {
        let text = read(html.element(id)?, room.clamp(LEAST_READ, MOST_READ));
        room = room.saturating_sub(text.len());
        Some((id, text))
    });
    texts.collect()
}

/// Whether a heading says something: text that is shown, an image with an alternative, or a label.
pub(crate) fn says_something(heading: Element<'_>) -> bool {
    has_text(heading)
        || heading
            .descendants()
            .any(|below| below.is("img") && below.attribute("alt").is_some_and(|alt| !alt.trim().is_empty()))
        || has_label(heading)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::resolved::testing::html;

    #[test]
    fn nested_headings_say_no_more_than_the_longest_page() {
        let nested = "<h1><div><h2><div>".repeat(250) + &"rye ".repeat(10_000);
        let html = html(&nested);
        let lengths: Vec<usize> =
            html.headings.iter().filter_map(|(_, id)| Some(html.heading_text(html.element(*id)?).len())).collect();
        assert_eq!(lengths.len(), 500);
        assert!(lengths.iter().all(|length| *length <= MOST_READ), "{lengths:?}");
        assert!(lengths.iter().sum::<usize>() < MOST_OF_ALL + MOST_READ + 500 * LEAST_READ);
        assert!(lengths.last().is_some_and(|last| *last <= LEAST_READ), "{lengths:?}");
        assert!(html.h1_texts().iter().map(String::len).sum::<usize>() < MOST_OF_ALL + MOST_READ + 250 * LEAST_READ);
    }

    /// U+0000 has one byte in the source and three as U+FFFD.
    #[test]
    fn a_heading_says_the_same_however_long_the_page_is() {
        let heading = format!("<h1><title>a{}</title></h1>", "\0".repeat(200));
        let text = |source: &str| html(source).h1_texts();
        assert_eq!(text(&heading), [format!("a{}", "\u{FFFD}".repeat(200))]);
        assert_eq!(text(&heading), text(&(heading.clone() + &"<p>rye".repeat(500))));
    }
}
