//! Conditional requests (RFC 9110 §13): 304 for cached content.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use data_encoding::HEXLOWER;
use http::{HeaderName, HeaderValue, Method, StatusCode, header};
use sha2::{Digest as _, Sha256};

/// Bytes of the digest in an `ETag`: enough that two contents never have the same by chance.
const NAME_BYTES: usize = 16;

/// The `ETag` of a content. Weak, as the same content is also sent compressed (RFC 9110 §8.8.1).
fn etag(content: &[u8]) -> Option<HeaderValue> {
    let digest = Sha256::digest(content);
    let hex = HEXLOWER.encode(digest.get(..NAME_BYTES)?);
    HeaderValue::from_str(&format!("W/\"{hex}\"")).ok()
}

/// `Cache-Control` and `ETag` of a response that stays the same while the service runs.
pub fn lasting(content: &[u8], cache: &'static str) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    let cache_control = (header::CACHE_CONTROL, HeaderValue::from_static(cache));
    std::iter::once(cache_control).chain(name(content))
}

/// The `ETag` header of a content.
pub fn name(content: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    etag(content).map(|etag| (header::ETAG, etag))
}

/// A strong `ETag`: of a content that is only ever sent in these bytes.
pub fn exact(content: &[u8]) -> Option<(HeaderName, HeaderValue)> {
    let weak = etag(content)?;
    let strong = HeaderValue::from_bytes(weak.as_bytes().strip_prefix(b"W/")?).ok()?;
    Some((header::ETAG, strong))
}

/// Middleware that answers 304 where `If-None-Match` has the `ETag`.
pub async fn answer(request: Request, next: Next) -> Response {
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let known: Vec<HeaderValue> = request.headers().get_all(header::IF_NONE_MATCH).iter().cloned().collect();
    let mut response = next.run(request).await;
    let has_it = response.headers().get(header::ETAG).is_some_and(|etag| known.iter().any(|list| names(list, etag)));
    if is_reading && has_it && response.status() == StatusCode::OK {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        for of_content in [header::CONTENT_TYPE, header::CONTENT_LENGTH] {
            response.headers_mut().remove(of_content);
        }
    }
    response
}

/// Whether `If-None-Match` matches an `ETag`, or is `*`. Weak comparison (RFC 9110 §13.1.2).
fn names(list: &HeaderValue, etag: &HeaderValue) -> bool {
    let (Ok(list), Ok(etag)) = (list.to_str(), etag.to_str()) else { return false };
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    list.trim() == "*" || list.split(',').any(|known| opaque(known) == opaque(etag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_weakly_and_in_lists() {
        let name = HeaderValue::from_static("W/\"a1\"");
        for (list, has) in
            [("W/\"a1\"", true), ("\"a1\"", true), ("\"b\", \"a1\"", true), ("*", true), ("\"a\"", false), ("", false)]
        {
            assert_eq!(names(&HeaderValue::from_static(list), &name), has, "{list}");
        }
    }

    #[test]
    fn a_content_has_one_name() {
        assert_eq!(etag(b"a"), etag(b"a"));
        assert_ne!(etag(b"a"), etag(b"b"));
    }
}
