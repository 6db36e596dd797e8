//! Images whose room the layout does not know until they have loaded, and which of them to read the size of.

use url::Url;

use super::document::Element;
use super::names::amp_image;
use super::page::Html;
use super::plain_address::is_data;

/// Images with a source that have neither both attributes nor an inline style that keeps their room, in order.
pub(crate) fn without_dimensions(html: &Html) -> impl Iterator<Item = Element<'_>> {
    html.elements(&html.images)
        .filter(|image| ["src", "srcset"].iter().any(|name| has_value(*image, name)))
        .filter(|image| !has_dimensions(*image) && !is_small_svg(*image) && !image.is_hidden())
}

/// Whether an attribute holds more than white space.
fn has_value(image: Element<'_>, name: &str) -> bool {
    image.attribute(name).is_some_and(|value| !value.trim().is_empty())
}

/// The address of an image's own file; a `srcset` beside it changes neither `width` nor `height` of the tag.
pub(crate) fn source(html: &Html, image: Element<'_>) -> Option<Url> {
    let src = image.attribute("src").filter(|src| !is_data(src))?;
    let mut url = html.resolve(src).filter(|url| matches!(url.scheme(), "http" | "https"))?;
    url.set_fragment(None);
    Some(url)
}

/// The file to measure: of the images without dimensions that `fits`, the one that says to be widest; where none says
/// it, the first of the content, since that is what a page opens with.
pub(crate) fn largest(html: &Html, fits: impl Fn(&Url) -> bool) -> Option<Url> {
    let mut best: Option<((bool, u32), Url)> = None;
    for image in without_dimensions(html) {
        let Some(url) = source(html, image).filter(|url| fits(url)) else { continue };
        let rank = (is_content(html, image), stated_width(image));
        if best.as_ref().is_none_or(|(known, _)| rank > *known) {
            best = Some((rank, url));
        }
    }
    best.map(|(_, url)| url)
}

/// Whether the layout knows the image's box: attributes, an inline style, or an element of AMP around it, whose layout is
/// computed before anything loads.
fn has_dimensions(image: Element<'_>) -> bool {
    if image.has("width") && image.has("height") || amp_image(image).is_some() {
        return true;
    }
    let Some(style) = image.attribute("style").map(str::to_ascii_lowercase) else { return false };
    style.contains("aspect-ratio")
        || style.contains("width") && style.contains("height")
        || style.contains("position:absolute")
        || style.contains("position: absolute")
        || style.contains("display:none")
        || style.contains("display: none")
}

/// SVG icons are small, and scale with the text around them when their box says so.
fn is_small_svg(image: Element<'_>) -> bool {
    /// Pixels up to which an SVG counts as an icon.
    const ICON: u32 = 64;
    let svg = image
        .attribute("src")
        .is_some_and(|src| src.split(['?', '#']).next().is_some_and(|path| path.ends_with(".svg")));
    svg && side(image, "width").or(side(image, "height")).is_some_and(|side| side <= ICON)
}

/// A side that an attribute states in pixels.
pub(crate) fn side(image: Element<'_>, name: &str) -> Option<u32> {
    image.attribute(name).and_then(|value| value.trim().parse().ok())
}

/// Whether an image belongs to what the page is about, as far as landmarks tell.
pub(crate) fn is_content(html: &Html, image: Element<'_>) -> bool {
    !html.listed.is_around(image)
}

/// The widest file that the tag offers, in pixels; 0 where it says nothing.
fn stated_width(image: Element<'_>) -> u32 {
    let of_set = image.attribute("srcset").unwrap_or_default().split(',').filter_map(|candidate| {
        candidate.trim_end().rsplit(|c: char| c.is_ascii_whitespace()).next()?.strip_suffix('w')?.parse().ok()
    });
    of_set.chain(side(image, "width")).max().unwrap_or_default()
}
