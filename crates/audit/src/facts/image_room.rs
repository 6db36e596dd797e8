//! Images whose room the layout does not know until they have loaded, and which of them to read the size of.

use url::Url;

use super::Facts;
use super::discovery::image_files::MeasuredImage;
use super::document::Element;
use super::page::Html;

/// `width` and `height` of a tag.
pub(crate) type Sides = (u32, u32);

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
    let mut url = html.resolve(image.attribute("src")?).filter(|url| matches!(url.scheme(), "http" | "https"))?;
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

/// Address of the first image of at least 600 pixels in width and 200 in height, as its tag declares or, for want of that,
/// its file was measured. A height that nobody states is no reason against it.
pub(crate) fn large_image(facts: &Facts<'_>, html: &Html) -> Option<String> {
    /// Pixels from which networks show a large picture.
    const LARGE: u32 = 600;
    /// Pixels in height below which Facebook takes no picture (Sharing, "Image requirements"): a banner.
    const LEAST_HEIGHT: u32 = 200;
    let file = facts.largest_image();
    let measured = |image| measured_sides(html, image, file.as_ref()?);
    let width = |image| side(image, "width").or_else(|| Some(measured(image)?.0));
    let height = |image| side(image, "height").or_else(|| Some(measured(image)?.1));
    html.elements(&html.images)
        .filter(|image| width(*image).is_some_and(|px| px >= LARGE))
        .filter(|image| height(*image).is_none_or(|px| px >= LEAST_HEIGHT))
        .filter_map(|image| html.resolve(image.attribute("src")?))
        .find(|url| matches!(url.scheme(), "http" | "https"))
        .map(Into::into)
}

/// Whether the layout knows the image's box: attributes, or an inline style.
fn has_dimensions(image: Element<'_>) -> bool {
    if image.has("width") && image.has("height") {
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
    /// Pixels up to which an SVG counts as an icon (catalog).
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

/// The sides for a tag: those of the file, or where the tag states one of them in pixels, the other in proportion.
/// `None` for another file's tag, and where the layout alone knows a side.
pub(crate) fn measured_sides(html: &Html, image: Element<'_>, file: &MeasuredImage) -> Option<Sides> {
    source(html, image).filter(|url| url.as_str() == file.url)?;
    // Rounded, and at least one pixel; both sides of the file are above zero.
    let scaled = |side: u32, this: u32, other: u32| {
        let (side, this, other) = (u64::from(side), u64::from(this), u64::from(other));
        u32::try_from(((side * other + this / 2) / this).max(1)).ok()
    };
    let stated = |name| match (image.has(name), side(image, name)) {
        (false, _) => Some(None),
        (true, Some(side)) => Some(Some(side)),
        // A share of the room around it: the layout, not the file, knows the other side.
        (true, None) => None,
    };
    match (stated("width")?, stated("height")?) {
        (None, None) => Some((file.width, file.height)),
        (Some(width), None) => Some((width, scaled(width, file.width, file.height)?)),
        (None, Some(height)) => Some((scaled(height, file.height, file.width)?, height)),
        (Some(width), Some(height)) => Some((width, height)),
    }
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
