//! Sides of images whose files were measured, in the terms of their tags.

use super::discovery::image_files::MeasuredImage;
use super::document::Element;
use super::image_room::{side, source};
use super::page::Html;

/// `width` and `height` of a tag.
pub(crate) type Sides = (u32, u32);

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
