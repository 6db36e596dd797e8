//! Headings as readers meet them.

use std::borrow::Cow;

use super::document::{Element, NodeId};
use super::names::{has_label, has_text};
use super::page::Html;
use super::text::is_seen;

/// The headings that are shown, in order, with their level.
pub(crate) fn outline(html: &Html) -> impl Iterator<Item = (u8, Element<'_>)> {
    let all = html.headings.iter().filter_map(|(level, id)| Some((*level, html.element(*id)?)));
    all.filter(|(_, heading)| !html.listed.is_unseen(*heading))
}

impl Html {
    /// Text of a heading as a reader sees it, white space collapsed. Several facts ask for all of them.
    pub(crate) fn heading_text(&self, heading: Element<'_>) -> Cow<'_, str> {
        let known = self.resolved.of_body.headings.get_or_init(|| texts(self));
        match known.binary_search_by_key(&heading.id(), |(id, _)| *id) {
            Ok(at) => known.get(at).map_or(Cow::Borrowed(""), |(_, text)| Cow::Borrowed(text)),
            Err(_) => Cow::Owned(heading.read_text(is_seen)),
        }
    }
}

/// Texts of the headings, by their nodes. Nested ones say the same text again: no more are kept than the source has bytes.
fn texts(html: &Html) -> Vec<(NodeId, String)> {
    let mut room = html.document.source().len();
    let mut texts: Vec<(NodeId, String)> = html
        .headings
        .iter()
        .filter_map(|(_, id)| Some((*id, html.element(*id)?.read_text(is_seen))))
        .map_while(|(id, text)| {
            room = room.checked_sub(text.len())?;
            Some((id, text))
        })
        .collect();
    texts.sort_unstable_by_key(|(id, _)| *id);
    texts
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
    fn nested_headings_are_read_however_much_they_say_together() {
        let nested = "<h1><div><h2><div>".repeat(20) + &"rye ".repeat(20);
        let html = html(&nested);
        let known = texts(&html);
        assert!(known.len() < html.headings.len(), "{}", known.len());
        let said = "rye ".repeat(20);
        let mut all = html.headings.iter().filter_map(|(_, id)| html.element(*id));
        assert!(all.all(|heading| html.heading_text(heading) == said.trim_end()));
    }
}
