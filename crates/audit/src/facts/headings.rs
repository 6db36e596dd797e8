//! Headings as readers meet them.

use super::document::Element;
use super::names::{has_label, has_text};
use super::page::Html;

/// The headings that are shown, in order, with their level.
pub(crate) fn outline(html: &Html) -> impl Iterator<Item = (u8, Element<'_>)> {
    let all = html.headings.iter().filter_map(|(level, id)| Some((*level, html.element(*id)?)));
    all.filter(|(_, heading)| !html.listed.is_unseen(*heading))
}

/// Whether a heading says something: text that is shown, an image with an alternative, or a label.
pub(crate) fn says_something(heading: Element<'_>) -> bool {
    has_text(heading)
        || heading
            .descendants()
            .any(|below| below.is("img") && below.attribute("alt").is_some_and(|alt| !alt.trim().is_empty()))
        || has_label(heading)
}
