//! Profile picture processing: every upload is decoded and re-encoded as a small square, so that only pixels are kept,
//! no metadata or payload.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use image::imageops::{self, FilterType};
use image::{ColorType, DynamicImage, ImageBuffer, ImageDecoder, ImageFormat, ImageReader, Limits, RgbImage};
use tokio::sync::Semaphore;

use super::memory::returned_at_once;
use crate::blocking::off_worker;
use crate::error::{Code, ServiceError};

/// Pixels of an uploaded picture at most. Chosen: 12.5 megapixels, the usual photo of a phone (4,032 × 3,024), of which
/// all memory of a call together is 64 MiB.
const MOST_PIXELS: u64 = 12_500_000;
/// The same for pictures that take more memory for each pixel: progressive JPEG, whose decoder holds all coefficients
/// (up to 11 bytes), WebP (8 bytes), and PNG of 16 bits a channel (8 bytes).
const MOST_COSTLY_PIXELS: u64 = 5_000_000;
/// Pixels per row or column at most. Chosen: twice what cameras take.
const MOST_IN_A_ROW: u32 = 20_000;
/// Memory limit of the decoded pixels, in bytes: four for each.
const MOST_MEMORY: u64 = 4 * MOST_PIXELS;
/// Side from which a picture is scaled by averaging, which takes no memory beside the result; smaller ones are
/// interpolated. Chosen: twice the stored side.
const AVERAGED_FROM: u32 = 2 * SIDE;
/// Side of the stored picture, in pixels.
const SIDE: u32 = 256;
/// Size limit of the stored picture, in bytes. Chosen: 64 KiB, a small database row.
const KEPT_BYTES: usize = 65_536;
/// Bits per colour channel, tried in order until the picture fits. The encoder stores differences of neighbours, so
/// even noise at two bits may be slightly over the limit; at one bit it is about 36 KiB.
const BITS: [u32; 8] = [8, 7, 6, 5, 4, 3, 2, 1];
/// Timeout of the wait for the previous picture.
const PATIENCE: Duration = Duration::from_secs(5);

/// Picture processing, one at a time: each may take [`MOST_MEMORY`] and its upload.
#[derive(Debug)]
pub struct Easel(Arc<Semaphore>);

impl Default for Easel {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl Easel {
    /// The processed picture, WebP; [`Code::InvalidImage`] when the upload is not an accepted picture.
    pub(crate) async fn draw(&self, bytes: Vec<u8>) -> Result<Vec<u8>, ServiceError> {
        self.at(move || drawn(&bytes)).await?.ok_or_else(|| ServiceError::new(Code::InvalidImage))
    }

    /// Runs work of which only one may run at a time. It goes on when its caller leaves, and keeps its permit until it
    /// ends.
    async fn at<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, ServiceError> {
        let busy = || ServiceError::new(Code::Overloaded).retry_after(5);
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.0).acquire_owned()).await.map_err(|_| busy())?;
        let permit = permit.map_err(|_| busy())?;
        off_worker(move || {
            let _permit = permit;
            work()
        })
        .await
    }
}

/// The centred square of a picture as WebP of at most [`KEPT_BYTES`]; `None` when the format is not accepted or the
/// picture too large.
fn drawn(bytes: &[u8]) -> Option<Vec<u8>> {
    let square = square(bytes)?;
    BITS.into_iter().find_map(|bits| written(&square, bits).filter(|webp| webp.len() <= KEPT_BYTES))
}

fn square(bytes: &[u8]) -> Option<RgbImage> {
    let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format().ok()?;
    let format = reader.format()?;
    if !matches!(format, ImageFormat::Jpeg | ImageFormat::Png | ImageFormat::WebP) {
        return None;
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(MOST_IN_A_ROW);
    limits.max_image_height = Some(MOST_IN_A_ROW);
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().ok()?;
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    let is_deep = decoder.color_type().bytes_per_pixel() > 4;
    let is_costly = format == ImageFormat::WebP || is_deep || is_progressive(bytes);
    let most_pixels = if is_costly { MOST_COSTLY_PIXELS } else { MOST_PIXELS };
    if pixels == 0 || pixels > most_pixels || decoder.total_bytes() > MOST_MEMORY {
        return None;
    }
    // Without an orientation tag it is upright.
    let orientation = decoder.orientation().unwrap_or(image::metadata::Orientation::NoTransforms);
    let whole = decoded(decoder)?;
    let side = width.min(height);
    // A view: a copy of the square would take as much memory as the picture.
    let middle = imageops::crop_imm(&whole, (width - side) / 2, (height - side) / 2, side, side);
    let small = if side >= AVERAGED_FROM {
        imageops::thumbnail(&*middle, SIDE, SIDE)
    } else {
        imageops::resize(&*middle, SIDE, SIDE, FilterType::Triangle)
    };
    let mut small = DynamicImage::ImageRgba8(small);
    small.apply_orientation(orientation);
    Some(on_white(&small))
}

/// Decodes a picture, the usual kinds into memory that is given back at once.
fn decoded(decoder: impl ImageDecoder) -> Option<DynamicImage> {
    let ((width, height), colours) = (decoder.dimensions(), decoder.color_type());
    if !matches!(colours, ColorType::L8 | ColorType::La8 | ColorType::Rgb8 | ColorType::Rgba8) {
        return DynamicImage::from_decoder(decoder).ok();
    }
    let mut pixels = returned_at_once(0, usize::try_from(decoder.total_bytes()).ok()?);
    decoder.read_image(&mut pixels).ok()?;
    match colours {
        ColorType::L8 => ImageBuffer::from_raw(width, height, pixels).map(DynamicImage::ImageLuma8),
        ColorType::La8 => ImageBuffer::from_raw(width, height, pixels).map(DynamicImage::ImageLumaA8),
        ColorType::Rgb8 => ImageBuffer::from_raw(width, height, pixels).map(DynamicImage::ImageRgb8),
        _ => ImageBuffer::from_raw(width, height, pixels).map(DynamicImage::ImageRgba8),
    }
}

/// Whether a JPEG is progressive: whether one of its segments before the picture is a frame header SOF2, SOF6, SOF10 or
/// SOF14 (ITU-T T.81, table B.1).
fn is_progressive(jpeg: &[u8]) -> bool {
    let mut rest = jpeg.strip_prefix(&[0xff, 0xd8]).unwrap_or_default();
    while let [0xff, marker, high, low, ..] = rest {
        match marker {
            0xc2 | 0xc6 | 0xca | 0xce => return true,
            // The picture begins.
            0xda => return false,
            // A fill byte.
            0xff => rest = rest.get(1..).unwrap_or_default(),
            _ => rest = rest.get(2 + usize::from(u16::from_be_bytes([*high, *low]))..).unwrap_or_default(),
        }
    }
    false
}

/// Flattens transparency onto white.
fn on_white(picture: &DynamicImage) -> RgbImage {
    let picture = picture.to_rgba8();
    let mut flat = RgbImage::new(picture.width(), picture.height());
    for (flattened, pixel) in flat.pixels_mut().zip(picture.pixels()) {
        let [r, g, b, alpha] = pixel.0.map(u32::from);
        let over = |colour: u32| u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX);
        flattened.0 = [over(r), over(g), over(b)];
    }
    flat
}

/// Lossless WebP, after quantizing colours to `bits` per channel.
fn written(picture: &RgbImage, bits: u32) -> Option<Vec<u8>> {
    let mut coarse = picture.clone();
    for value in coarse.iter_mut() {
        // Rounded down, then spread over the whole range, so that white stays white.
        let (level, most) = (u32::from(*value) >> (8 - bits), (1_u32 << bits) - 1);
        *value = u8::try_from(level * 255 / most).unwrap_or(u8::MAX);
    }
    let mut webp = Cursor::new(Vec::new());
    coarse.write_to(&mut webp, ImageFormat::WebP).ok()?;
    Some(webp.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, Rgba, RgbaImage};

    fn encoded(picture: impl Into<DynamicImage>, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        picture.into().write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    fn read(webp: &[u8]) -> RgbImage {
        assert_eq!(image::guess_format(webp).unwrap(), ImageFormat::WebP);
        image::load_from_memory(webp).unwrap().to_rgb8()
    }

    #[tokio::test]
    async fn a_picture_whose_sender_left_keeps_its_place_until_it_is_drawn() {
        let easel = Easel::default();
        let (go_on, wait) = std::sync::mpsc::channel();
        {
            let drawing = easel.at(move || wait.recv());
            tokio::select! {
                biased;
                _ = drawing => panic!("nobody let it go on"),
                () = std::future::ready(()) => {}
            }
        }
        assert_eq!(easel.0.available_permits(), 0);
        go_on.send(()).unwrap();
        assert!(easel.at(|| true).await.unwrap());
    }

    #[test]
    fn every_kind_becomes_a_square_of_256() {
        for format in [ImageFormat::Jpeg, ImageFormat::Png, ImageFormat::WebP] {
            // Red with blue ends, of which the middle square shows nothing.
            let wide =
                RgbImage::from_fn(
                    900,
                    300,
                    |x, _| if (300..600).contains(&x) { Rgb([255, 0, 0]) } else { Rgb([0, 0, 255]) },
                );
            let small = read(&drawn(&encoded(wide, format)).unwrap());
            assert_eq!(small.dimensions(), (SIDE, SIDE));
            let Rgb([r, _, b]) = *small.get_pixel(128, 128);
            assert!(r > 240 && b < 15, "{format:?} {r} {b}");
        }
    }

    #[test]
    fn what_shows_through_is_white() {
        let clear = RgbaImage::from_pixel(10, 10, Rgba([0, 0, 0, 0]));
        let small = read(&drawn(&encoded(clear, ImageFormat::Png)).unwrap());
        assert_eq!(*small.get_pixel(5, 5), Rgb([255, 255, 255]));
    }

    #[test]
    fn noise_fits_too() {
        let mut state = 1_u32;
        let noise = RgbImage::from_fn(256, 256, |_, _| {
            let mut next = || {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                u8::try_from(state >> 24).unwrap()
            };
            Rgb([next(), next(), next()])
        });
        let webp = drawn(&encoded(noise, ImageFormat::Png)).unwrap();
        assert!(webp.len() <= 65_536, "{}", webp.len());
    }

    #[test]
    fn nothing_but_pixels_is_left() {
        let mut picture = encoded(RgbImage::from_pixel(64, 64, Rgb([1, 2, 3])), ImageFormat::Jpeg);
        // A comment after the first marker, where cameras say where they were.
        let comment = b"\xff\xfe\x00\x0dcanary 12345"[..15].to_vec();
        picture.splice(2..2, comment);
        let webp = drawn(&picture).unwrap();
        assert!(!webp.windows(6).any(|window| window == b"canary"));
    }

    #[test]
    fn a_progressive_jpeg_is_told_by_its_frame() {
        assert!(!is_progressive(&encoded(RgbImage::new(8, 8), ImageFormat::Jpeg)));
        // The same bytes as the content of another segment say nothing.
        let comment = [0xff, 0xd8, 0xff, 0xfe, 0, 4, 0xff, 0xc2];
        let frame = [0xff, 0xff, 0xc2, 0, 11];
        for (jpeg, wanted) in [
            (comment.to_vec(), false),
            ([&comment[..], &frame].concat(), true),
            ([&comment[..], &[0xff, 0xda, 0, 2], &frame].concat(), false),
            (frame.to_vec(), false),
            (vec![0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff], false),
        ] {
            assert_eq!(is_progressive(&jpeg), wanted, "{jpeg:?}");
        }
    }

    #[test]
    fn what_is_no_picture_or_too_large_is_refused() {
        let mut huge = encoded(RgbImage::new(1, 1), ImageFormat::Png);
        // The width in the head of a PNG, with its checksum left wrong: judged before any of it is decoded.
        huge.splice(16..20, 60_000_u32.to_be_bytes());
        let wide = encoded(RgbImage::new(MOST_IN_A_ROW + 1, 1), ImageFormat::Png);
        // A few KB of 6,300 × 6,300 pixels take 119 MB once decoded.
        let black = encoded(image::GrayImage::new(4_000, 3_126), ImageFormat::Png);
        for bytes in [
            &b""[..],
            b"GIF89a",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b"\x89PNG\r\n\x1a\n",
            &huge,
            &wide,
            &black,
        ] {
            assert!(drawn(bytes).is_none(), "{:?}", bytes.get(..8));
        }
        let whole = encoded(RgbImage::new(16, 16), ImageFormat::Png);
        assert!(drawn(&whole[..whole.len() / 2]).is_none());
    }
}
