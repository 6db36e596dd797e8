//! Files that pages load, compiled in.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderValue, header};

const STYLE: &str = include_str!("../../assets/app.css");
const ICON: &str = include_str!("../../assets/favicon.svg");
/// Reports are their owners' own, and asking for the API costs something.
const ROBOTS: &str = "User-agent: *\nDisallow: /api/\nDisallow: /reports/\n";

/// Where the style sheet is: its name changes with its content, so it can be kept for ever.
pub(super) const STYLE_PATH: &str = concat!("/assets/app.", env!("STYLE_HASH"), ".css");

pub(super) async fn style() -> Response {
    asset(STYLE, "text/css; charset=utf-8", "public, max-age=31536000, immutable")
}

pub(super) async fn icon() -> Response {
    asset(ICON, "image/svg+xml", "public, max-age=86400")
}

pub(super) async fn robots() -> Response {
    asset(ROBOTS, "text/plain; charset=utf-8", "public, max-age=3600")
}

fn asset(body: &'static str, media_type: &'static str, cache: &'static str) -> Response {
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    response
}
