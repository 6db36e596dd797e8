//! Pages that are made for something else than reading.

use super::document::Element;
use super::listed::is_common_part;
use super::page::Html;

/// Fields from which on a page is there to be filled in.
const FORM_FIELDS: usize = 3;
/// Pictures from which on they are the content.
const GALLERY: usize = 3;

/// Whether the content of a page is something else than text: a form, a video, a gallery.
pub fn is_other_than_text(html: &Html) -> bool {
    let is_content = |element: &Element<'_>| !element.ancestors().any(is_common_part);
    let is_typed_into = |field: &Element<'_>| {
        let kind = field.attribute("type").unwrap_or_default().trim().to_ascii_lowercase();
        !matches!(kind.as_str(), "hidden" | "submit" | "button" | "reset" | "image")
    };
    let fields = html.elements(&html.listed.fields).filter(is_content).filter(is_typed_into).take(FORM_FIELDS).count();
    let is_medium =
        |element: &Element<'_>| ["video", "audio", "iframe", "embed", "object"].iter().any(|m| element.is(m));
    html.asks_password
        || fields >= FORM_FIELDS
        || html.elements(&html.addressed).filter(is_medium).any(|medium| is_content(&medium))
        || html.elements(&html.images).filter(is_content).take(GALLERY).count() >= GALLERY
        || html.document.elements().any(|element| element.is("canvas"))
}
