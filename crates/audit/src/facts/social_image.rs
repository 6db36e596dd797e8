//! What is wrong with the social image, as the start of its file tells.

use model::capture::{BodyCut, Coding, Exchange, WantKind};

use super::challenge;
use super::content_type::{looks_like_html, media_type};
use super::discovery::image_files::social_target;
use super::image_header::Image;
use super::known::Facts;
use super::not_measured::NotMeasured;

/// What is wrong with an image file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ImageFault {
    /// It answers this status.
    Status(u16),
    /// What answers is no image.
    NotAnImage,
    /// It has so many bytes.
    Heavy(u64),
    /// It has so few pixels in width and height.
    Small(u32, u32),
}

/// Bytes of a social image at most: what X takes (X, "Summary Card with Large Image").
pub(crate) const MOST_SOCIAL_BYTES: u64 = 5 * 1024 * 1024;
/// Pixels of each side of a social image at least (Meta, "Images in Link Shares").
pub(crate) const LEAST_SOCIAL_SIDE: u32 = 200;

impl Facts<'_> {
    /// Address of the social image when it is a file of this origin, and what is wrong with it. `Err(Absent)` where
    /// there is none such.
    pub(crate) fn social_image_fault(&self) -> Result<Option<(String, ImageFault)>, NotMeasured> {
        social_target(&self.site()?).ok_or(NotMeasured::Absent)?;
        let extra = self.capture.extras.iter().find(|extra| extra.want.kind == WantKind::OgImage);
        let extra = extra.ok_or(NotMeasured::Probe)?;
        let exchange = extra.fetched.response().ok_or(NotMeasured::Probe)?;
        let is_read = matches!(exchange.body.coding, Coding::Identity | Coding::Decoded(_));
        if challenge::blocked(&extra.fetched).is_some() || !is_read {
            return Err(NotMeasured::Probe);
        }
        let fault = match exchange.status {
            200..=299 => content_fault(exchange)?,
            401 | 403 | 416 | 429 => return Err(NotMeasured::Probe),
            400..=499 => Some(ImageFault::Status(exchange.status)),
            _ => return Err(NotMeasured::Probe),
        };
        Ok(fault.map(|fault| (extra.want.url.clone(), fault)))
    }
}

/// What is wrong with the content of a 2xx answer.
fn content_fault(exchange: &Exchange) -> Result<Option<ImageFault>, NotMeasured> {
    let bytes = &exchange.body.bytes;
    let Some(image) = Image::read(bytes) else {
        let kind = exchange.header("content-type").map(media_type).unwrap_or_default();
        // Formats that are not known here are told by their type.
        let is_text = kind.starts_with("text/") || kind == "application/json" || looks_like_html(bytes);
        let is_cut = matches!(exchange.body.cut, Some(BodyCut::Time | BodyCut::Connection));
        return if is_text {
            Ok(Some(ImageFault::NotAnImage))
        } else if is_cut || bytes.is_empty() {
            Err(NotMeasured::Probe)
        } else {
            Ok(None)
        };
    };
    if let Some(size) = file_size(exchange).filter(|size| *size > MOST_SOCIAL_BYTES) {
        return Ok(Some(ImageFault::Heavy(size)));
    }
    let small = image.size.filter(|(width, height)| *width.min(height) < LEAST_SOCIAL_SIDE);
    Ok(small.map(|(width, height)| ImageFault::Small(width, height)))
}

/// Bytes of the whole file, as the headers of its start say.
fn file_size(exchange: &Exchange) -> Option<u64> {
    match exchange.status {
        // bytes 0-65535/1234567 (RFC 9110 §14.4)
        206 => exchange.header("content-range")?.rsplit('/').next()?.trim().parse().ok(),
        _ => exchange.header("content-length")?.trim().parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::discovery::testing::*;
    use crate::facts::site_files::SiteFiles;
    use crate::facts::walk::Page;

    #[test]
    fn a_social_image_must_be_there_be_one_and_be_neither_heavy_nor_small() {
        const SOURCE: &str = "<meta property=og:image content=/a.gif>";
        let fault = |file: Option<model::capture::Extra>| {
            let mut capture = capture(SOURCE, &[]);
            capture.extras.extend(file);
            let page = Page::read(&capture);
            let files = SiteFiles::read(&capture, &page);
            let fault = Facts::new(&capture, &page, &files).social_image_fault();
            fault.map(|found| found.map(|(_, fault)| fault))
        };
        let file = |status, kind: &str, body: &[u8]| extra(WantKind::OgImage, "/a.gif", status, kind, body);
        let gif = b"GIF89a\x80\x02\xE0\x01";
        assert_eq!(fault(Some(file(200, "image/gif", gif))), Ok(None));
        assert_eq!(fault(Some(file(200, "text/html", gif))), Ok(None), "an image proves itself by its bytes");
        assert_eq!(fault(Some(file(404, "text/html", b""))), Ok(Some(ImageFault::Status(404))));
        assert_eq!(fault(Some(file(200, "text/html", b"<p>app"))), Ok(Some(ImageFault::NotAnImage)));
        assert_eq!(fault(Some(file(200, "image/heic", b"abcdefgh"))), Ok(None));
        assert_eq!(fault(Some(file(200, "image/gif", b"GIF89a\x80\x02\xC7\0"))), Ok(Some(ImageFault::Small(640, 199))));
        let heavy = with_header(file(206, "image/gif", gif), "content-range", "bytes 0-65535/5242881");
        assert_eq!(fault(Some(heavy)), Ok(Some(ImageFault::Heavy(5_242_881))));
        let whole = with_header(file(200, "image/gif", gif), "content-length", "5242880");
        assert_eq!(fault(Some(whole)), Ok(None));
        for unknown in [401, 403, 416, 429, 500] {
            assert_eq!(fault(Some(file(unknown, "", b""))), Err(NotMeasured::Probe), "{unknown}");
        }
        assert_eq!(fault(Some(file(200, "image/gif", b""))), Err(NotMeasured::Probe));
        assert_eq!(fault(None), Err(NotMeasured::Probe));
    }
}
