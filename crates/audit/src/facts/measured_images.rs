//! Sides of images whose files were measured, in the terms of their tags.

use super::discovery::image_files::MeasuredImage;
use super::document::Element;
use super::image_room::{side, source};
use super::known::Facts;
use super::page::Html;

/// `width` and `height` of a tag.
pub(crate) type Sides = (u32, u32);

/// Address of the first image of at least 600 pixels in width and 200 in height, as its tag declares, else
/// as its file was measured. A height that nobody states is no reason against it.
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
