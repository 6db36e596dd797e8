//! Image files of the page's origin whose size a fix needs: their head says it.

use model::capture::{Capture, Extra, WantKind};
use url::Url;

use super::site::{ProbedSite, Target};
use crate::facts::challenge;
use crate::facts::image_header::Image;
use crate::facts::image_room;

/// The largest content image without dimensions, for its tag.
pub(super) fn largest_target(site: &ProbedSite<'_>) -> Option<Target> {
    let html = site.html?;
    // Asked after each file that comes.
    let url = html.image_to_measure.get_or_init(|| image_room::largest(html, |url| site.is_own(url)));
    url.clone().map(Target::of)
}

/// The social image.
pub(in crate::facts) fn social_target(site: &ProbedSite<'_>) -> Option<Target> {
    let html = site.html?;
    let image = html.social("og:image").or_else(|| html.social("og:image:url"))?;
    html.resolve(image).filter(|url| site.is_own(url)).map(Target::of)
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

/// Each image file that was asked for, with the status of its answer; none where it was not the file's own: silence, a
/// refusal, a challenge.
pub(crate) fn answers(capture: &Capture) -> Vec<(Url, Option<u16>)> {
    let is_image = |kind| matches!(kind, WantKind::LargestImage | WantKind::OgImage);
    let extras = capture.extras.iter().filter(|extra| is_image(extra.want.kind));
    let status = |extra: &Extra| {
        let exchange = extra.fetched.response().filter(|_| challenge::blocked(&extra.fetched).is_none())?;
        Some(exchange.status).filter(|status| !matches!(status, 401 | 403 | 429 | 500..))
    };
    extras.filter_map(|extra| Some((Url::parse(&extra.want.url).ok()?, status(extra)))).collect()
}

/// The size that a file's head says. An image proves itself by its first bytes, whatever its type or end.
pub(crate) fn measured(capture: &Capture, kind: WantKind) -> Option<MeasuredImage> {
    let extra = capture.extras.iter().find(|extra| extra.want.kind == kind)?;
    let exchange = extra.fetched.response().filter(|exchange| exchange.is_success())?;
    let (width, height) = Image::read(&exchange.body.bytes)?.size?;
    Some(MeasuredImage { url: extra.want.url.clone(), width, height })
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    fn asked(source: &str) -> Option<String> {
        with_site(source, &[], Vec::new(), |site| largest_target(site)?.url().map(ToString::to_string))
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
    fn the_social_image_is_asked_for_where_it_is_a_file_of_the_origin() {
        let asked = |source: &str| {
            with_site(source, &[], Vec::new(), |site| social_target(site)?.url().map(ToString::to_string))
        };
        assert_eq!(asked("<meta property=og:image content=/a.png>").as_deref(), Some("https://example.com/a.png"));
        assert_eq!(asked("<meta name=og:image:url content=/b.png>").as_deref(), Some("https://example.com/b.png"));
        assert_eq!(asked("<meta property=og:image content=https://example.org/a.png>"), None);
        assert_eq!(asked("<p>x"), None);
    }

    #[test]
    fn only_an_image_that_came_is_measured() {
        let of = |status, body: &[u8]| {
            let mut capture = capture("<img src=/a.gif>", &[]);
            capture.extras = vec![extra(WantKind::LargestImage, "/a.gif", status, "text/html", body)];
            measured(&capture, WantKind::LargestImage).map(|image| (image.url, image.width, image.height))
        };
        assert_eq!(of(200, b"GIF89a\x80\x02\xE0\x01"), Some(("https://example.com/a.gif".to_owned(), 640, 480)));
        assert_eq!(of(404, b"GIF89a\x80\x02\xE0\x01"), None);
        assert_eq!(of(200, b"<p>app"), None);
        assert_eq!(of(200, b"GIF89a\0\0\xE0\x01"), None);
    }
}
