//! Files that pages load, compiled in.

use api::response::conditional;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};

const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/app.css"));
const ICON: &str = include_str!("../assets/favicon.svg");
const CARD: &[u8] = include_bytes!("../assets/card.png");

/// Path of the style sheet: its name changes with its content, so it is cacheable for ever.
pub(super) const STYLE_PATH: &str = concat!("/assets/app.", env!("STYLE_HASH"), ".css");

/// `Cache-Control` of a file whose name changes with its content.
pub(super) const FOR_EVER: &str = "public, max-age=31536000, immutable";

pub(super) fn style() -> Response {
    // The widget uses it on other sites.
    for_any_site(asset(STYLE, "text/css; charset=utf-8", FOR_EVER))
}

const DISPLAY: &[u8] = include_bytes!("../assets/fonts/bricolage-grotesque-680.woff2");
const TEXT: &[u8] = include_bytes!("../assets/fonts/atkinson-hyperlegible-next.woff2");

/// Path of the typeface of headings.
pub(super) const DISPLAY_PATH: &str = concat!("/assets/display.", env!("DISPLAY_HASH"), ".woff2");
/// Path of the typeface of texts.
pub(super) const TEXT_PATH: &str = concat!("/assets/text.", env!("TEXT_HASH"), ".woff2");

pub(super) fn display() -> Response {
    asset(DISPLAY, "font/woff2", FOR_EVER)
}

pub(super) fn text() -> Response {
    asset(TEXT, "font/woff2", FOR_EVER)
}

const OLD_ICON: &[u8] = include_bytes!("../assets/favicon.ico");

/// The icon for what asks at its old place without reading a page: 32 × 32 pixels.
pub(super) async fn old_icon() -> Response {
    asset(OLD_ICON, "image/x-icon", "public, max-age=86400")
}

const TOUCH_ICON: &[u8] = include_bytes!("../assets/apple-touch-icon.png");

/// Path of the icon that phones put on their home screens: 180 × 180 pixels, without transparency. They ask for it there too
/// without reading a page.
pub(super) const TOUCH_ICON_PATH: &str = "/apple-touch-icon.png";

pub(super) async fn touch_icon() -> Response {
    asset(TOUCH_ICON, "image/png", "public, max-age=86400")
}

pub(super) async fn icon() -> Response {
    asset(ICON, "image/svg+xml; charset=utf-8", "public, max-age=86400")
}

const PASSKEYS: &str = include_str!(concat!(env!("OUT_DIR"), "/passkeys.js"));

/// Path of the WebAuthn script: its name changes with its content.
pub(super) const PASSKEYS_PATH: &str = concat!("/assets/passkeys.", env!("PASSKEYS_HASH"), ".js");

pub(super) fn passkeys() -> Response {
    asset(PASSKEYS, "text/javascript; charset=utf-8", FOR_EVER)
}

const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/page.js"));

/// Path of the script of all pages: its name changes with its content.
pub(super) const PAGE_PATH: &str = concat!("/assets/page.", env!("PAGE_HASH"), ".js");

pub(super) fn page() -> Response {
    asset(PAGE, "text/javascript; charset=utf-8", FOR_EVER)
}

const REPORT: &str = include_str!(concat!(env!("OUT_DIR"), "/report.js"));

/// Path of the script of reports: its name changes with its content.
pub(super) const REPORT_PATH: &str = concat!("/assets/report.", env!("REPORT_HASH"), ".js");

pub(super) fn report() -> Response {
    asset(REPORT, "text/javascript; charset=utf-8", FOR_EVER)
}

const DOCS: &str = include_str!(concat!(env!("OUT_DIR"), "/docs.js"));

/// Path of the script of the documentation: its name changes with its content.
pub(super) const DOCS_PATH: &str = concat!("/assets/docs.", env!("DOCS_HASH"), ".js");

pub(super) fn docs() -> Response {
    asset(DOCS, "text/javascript; charset=utf-8", FOR_EVER)
}

const VISIT: &str = include_str!(concat!(env!("OUT_DIR"), "/visit.js"));

/// Path of the script that reports a page view: its name changes with its content.
pub(super) const VISIT_PATH: &str = concat!("/assets/visit.", env!("VISIT_HASH"), ".js");

pub(super) fn visit() -> Response {
    asset(VISIT, "text/javascript; charset=utf-8", FOR_EVER)
}

/// Path of the preview picture of pages: 1,200 × 630 pixels.
pub(super) const CARD_PATH: &str = "/card.png";

/// The picture. Other sites show it as part of their own pages.
pub(super) async fn card() -> Response {
    for_any_site(asset(CARD, "image/png", "public, max-age=86400"))
}

pub(super) fn asset(body: impl Into<Body>, media_type: &'static str, cache: &'static str) -> Response {
    let mut response = Response::new(body.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}

/// A file that other sites embed, with an `ETag` for revalidation.
pub(super) fn lasting(content: Bytes, media_type: &'static str, cache: &'static str) -> Response {
    let mut response = Response::new(Body::from(content.clone()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.extend(conditional::lasting(&content, cache));
    for_any_site(response)
}

/// Allows other sites to embed a response (`Cross-Origin-Resource-Policy`).
pub(super) fn for_any_site(mut response: Response) -> Response {
    let policy = HeaderName::from_static("cross-origin-resource-policy");
    response.headers_mut().insert(policy, HeaderValue::from_static("cross-origin"));
    response
}
