//! The file of the largest content image without dimensions: the size in its head is what its tag lacks.

use model::capture::{Capture, WantKind};

use super::site::{Site, Target};
use crate::facts::image_header::Image;
use crate::facts::image_room;

/// Asked when such an image is of the page's origin.
pub(super) fn target(site: &Site<'_>) -> Option<Target> {
    image_room::largest(site.html?, |url| site.is_own(url)).map(Target::of)
}

/// A measured image file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasuredImage {
    /// The address that the page names.
    pub(crate) url: String,
    /// Pixels, as a browser shows it.
    pub(crate) width: u32,
    /// Pixels, as a browser shows it.
    pub(crate) height: u32,
}

/// The size that the file's head says. An image proves itself by its first bytes, whatever its type or end.
pub(crate) fn measured(capture: &Capture) -> Option<MeasuredImage> {
    let extra = capture.extras.iter().find(|extra| extra.want.kind == WantKind::LargestImage)?;
    let exchange = extra.fetched.response().filter(|exchange| exchange.is_success())?;
    let (width, height) = Image::read(&exchange.body.bytes)?.size?;
    Some(MeasuredImage { url: extra.want.url.clone(), width, height })
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn asked(source: &str) -> Option<String> {
        with_site(source, &[], Vec::new(), |site| target(site)?.url().map(ToString::to_string))
    }

    #[test]
    fn the_image_that_says_to_be_widest_is_asked_for_else_the_first_of_the_content() {
        assert_eq!(asked("<img src=a.png width=1 height=1><img src=data:image/gif,><img srcset='b.png 2x'>"), None);
        assert_eq!(asked("<img src=//example.org/a.png>"), None);
        let first = "<header><img src=/logo.png></header><img src=/a.png#x><img src=/b.png>";
        assert_eq!(asked(first).as_deref(), Some("https://example.com/a.png"));
        let widest = "<img src=/a.png><img src=/b.png srcset='/b.png 400w, /c.png 1600w'><img src=/d.png width=800>";
        assert_eq!(asked(widest).as_deref(), Some("https://example.com/b.png"));
        assert_eq!(asked("<nav><img src=/logo.png></nav>").as_deref(), Some("https://example.com/logo.png"));
    }

    #[test]
    fn only_an_image_that_came_is_measured() {
        let of = |status, body: &[u8]| {
            let mut capture = capture("<img src=/a.gif>", &[]);
            capture.extras = vec![extra(WantKind::LargestImage, "/a.gif", status, "text/html", body)];
            measured(&capture).map(|image| (image.url, image.width, image.height))
        };
        assert_eq!(of(200, b"GIF89a\x80\x02\xE0\x01"), Some(("https://example.com/a.gif".to_owned(), 640, 480)));
        assert_eq!(of(404, b"GIF89a\x80\x02\xE0\x01"), None);
        assert_eq!(of(200, b"<p>app"), None);
        assert_eq!(of(200, b"GIF89a\0\0\xE0\x01"), None);
    }
}
