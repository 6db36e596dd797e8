//! A surface of pixels: shapes by their distance from a pixel's middle, text by the outlines of one font.

use std::f32::consts::TAU;

use ab_glyph::{Font as _, FontRef, Glyph, PxScale, ScaleFont as _, point};

use super::png;

/// Red, green, blue.
pub(super) type Colour = [u8; 3];

/// The font, compiled in; origin and licence lie beside it.
const FONT: &[u8] = include_bytes!("../../assets/fonts/Inter_600SemiBold.ttf");

/// A rectangle, in pixels from the top left corner.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area {
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

/// A circle of a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring {
    /// The middle.
    pub(super) middle: (f32, f32),
    /// From the middle to the middle of the line.
    pub(super) radius: f32,
    /// Width of the line.
    pub(super) line: f32,
}

/// The type of the picture.
#[derive(Debug)]
pub(super) struct Type {
    font: FontRef<'static>,
}

impl Type {
    /// Reads the font; `None` can't be, as it is compiled in and tested.
    pub(super) fn load() -> Option<Self> {
        FontRef::try_from_slice(FONT).ok().map(|font| Self { font })
    }

    /// The scale at which an em is so many pixels.
    fn scale(&self, size: f32) -> PxScale {
        PxScale::from(size * self.font.height_unscaled() / self.font.units_per_em().unwrap_or(1000.0))
    }

    /// How wide a text is at a size, in pixels.
    pub(super) fn width(&self, text: &str, size: f32) -> f32 {
        let scaled = self.font.as_scaled(self.scale(size));
        text.chars().map(|character| scaled.h_advance(scaled.glyph_id(character))).sum()
    }

    /// The glyphs of a text whose baseline begins at a place. What the font has not is its box for that.
    fn glyphs(&self, text: &str, size: f32, (left, baseline): (f32, f32)) -> Vec<Glyph> {
        let scale = self.scale(size);
        let scaled = self.font.as_scaled(scale);
        let mut at = left;
        text.chars()
            .map(|character| {
                let id = scaled.glyph_id(character);
                let glyph = id.with_scale_and_position(scale, point(at, baseline));
                at += scaled.h_advance(id);
                glyph
            })
            .collect()
    }
}

/// The surface.
#[derive(Debug)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Canvas {
    /// A surface of one colour.
    pub(super) fn new(width: u16, height: u16, colour: Colour) -> Self {
        let (width, height) = (usize::from(width), usize::from(height));
        Self { width, height, pixels: colour.repeat(width * height) }
    }

    /// As a PNG.
    pub(super) fn png(&self) -> std::io::Result<Vec<u8>> {
        let side = |length: usize| u32::try_from(length).map_err(std::io::Error::other);
        png::written(side(self.width)?, side(self.height)?, &self.pixels)
    }

    /// Fills a rectangle with round corners.
    pub(super) fn rectangle(&mut self, area: Area, corner: f32, colour: Colour) {
        let (middle_x, middle_y) = (area.left + area.width / 2.0, area.top + area.height / 2.0);
        let (inner_x, inner_y) = (area.width / 2.0 - corner, area.height / 2.0 - corner);
        self.shape(area, colour, |x, y| {
            let (dx, dy) = ((x - middle_x).abs() - inner_x, (y - middle_y).abs() - inner_y);
            dx.max(0.0).hypot(dy.max(0.0)) + dx.max(dy).min(0.0) - corner
        });
    }

    /// Draws the part of a ring that begins at the top and goes clockwise, with round ends; 1 is all of it.
    pub(super) fn arc(&mut self, ring: Ring, part: f32, colour: Colour) {
        let Ring { middle: (middle_x, middle_y), radius, line } = ring;
        let reach = radius + line / 2.0;
        let area = Area { left: middle_x - reach, top: middle_y - reach, width: 2.0 * reach, height: 2.0 * reach };
        let end_of = |turn: f32| (middle_x + radius * (turn * TAU).sin(), middle_y - radius * (turn * TAU).cos());
        let ends = [end_of(0.0), end_of(part)];
        self.shape(area, colour, |x, y| {
            let (dx, dy) = (x - middle_x, y - middle_y);
            let turn = dx.atan2(-dy).rem_euclid(TAU) / TAU;
            let from_line = if turn <= part {
                (dx.hypot(dy) - radius).abs()
            } else {
                ends.iter().map(|(end_x, end_y)| (x - end_x).hypot(y - end_y)).fold(f32::INFINITY, f32::min)
            };
            from_line - line / 2.0
        });
    }

    /// Writes a text from a place on its baseline.
    pub(super) fn text(&mut self, letters: &Type, text: &str, size: f32, place: (f32, f32), colour: Colour) {
        for glyph in letters.glyphs(text, size, place) {
            let Some(outlined) = letters.font.outline_glyph(glyph) else { continue };
            let corner = outlined.px_bounds().min;
            outlined.draw(|x, y, cover| {
                // A glyph covers some thousand pixels at most, which are whole in this type.
                #[expect(clippy::cast_precision_loss, reason = "pixels of one glyph")]
                let (x, y) = (corner.x + x as f32, corner.y + y as f32);
                self.blend(x, y, cover, colour);
            });
        }
    }

    /// Fills where a distance is negative, pixel by pixel of an area and the pixels around it.
    fn shape(&mut self, area: Area, colour: Colour, distance: impl Fn(f32, f32) -> f32) {
        let mut y = area.top.floor() - 1.0;
        while y <= area.top + area.height + 1.0 {
            let mut x = area.left.floor() - 1.0;
            while x <= area.left + area.width + 1.0 {
                // Half a pixel within its edge a shape covers all of it, half a pixel beyond nothing.
                self.blend(x, y, 0.5 - distance(x + 0.5, y + 0.5), colour);
                x += 1.0;
            }
            y += 1.0;
        }
    }

    /// Mixes a colour into a pixel, which may lie beside the surface.
    fn blend(&mut self, x: f32, y: f32, cover: f32, colour: Colour) {
        if cover <= 0.0 || x < 0.0 || y < 0.0 {
            return;
        }
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "not negative; larger is beside")]
        let (x, y) = (x as usize, y as usize);
        if x >= self.width || y >= self.height {
            return;
        }
        let at = (y * self.width + x) * png::PIXEL;
        let Some(pixel) = self.pixels.get_mut(at..at + png::PIXEL) else { return };
        let cover = cover.min(1.0);
        for (under, over) in pixel.iter_mut().zip(colour) {
            let mixed = f32::from(*under) + (f32::from(over) - f32::from(*under)) * cover;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between two bytes")]
            let mixed = mixed.round() as u8;
            *under = mixed;
        }
    }
}
