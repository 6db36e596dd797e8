//! Conditional requests (RFC 9110 §13): 304 for cached content.

use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use data_encoding::HEXLOWER;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use sha2::{Digest as _, Sha256};

/// Bytes of the digest in an `ETag`: enough that two contents never have the same by chance.
const NAME_BYTES: usize = 16;

/// The `ETag` of a content.
fn etag(content: &[u8]) -> Option<HeaderValue> {
    etag_of(&Sha256::digest(content))
}

/// The `ETag` of a digest. Weak, as the same content is also sent compressed (RFC 9110 §8.8.1).
pub fn etag_of(digest: &[u8]) -> Option<HeaderValue> {
    let hex = HEXLOWER.encode(digest.get(..NAME_BYTES)?);
    HeaderValue::from_str(&format!("W/\"{hex}\"")).ok()
}

/// `Cache-Control` and `ETag` of a response that stays the same while the service runs.
pub fn lasting(content: &[u8], cache: &'static str) -> impl Iterator<Item = (HeaderName, HeaderValue)> {
    lasting_of(&Sha256::digest(content), cache)
}

/// The same of a content whose SHA-256 is known.
pub fn lasting_of(digest: &[u8], cache: &'static str) -> impl Iterator<Item = (HeaderName, HeaderValue)> + use<> {
    let cache_control = (header::CACHE_CONTROL, HeaderValue::from_static(cache));
    std::iter::once(cache_control).chain(etag_of(digest).map(|etag| (header::ETAG, etag)))
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

/// What a caller has already: the lists of `If-None-Match`.
#[derive(Debug, Clone, Default)]
pub struct KnownContents(Vec<HeaderValue>);

impl KnownContents {
    /// Of a request.
    pub fn of(headers: &HeaderMap) -> Self {
        Self(headers.get_all(header::IF_NONE_MATCH).iter().cloned().collect())
    }

    /// Whether a content is among them by its `ETag`. `*` is not asked for here: whether there is any content shows when it is
    /// made.
    pub fn has_named(&self, etag: &HeaderValue) -> bool {
        self.0.iter().any(|list| !is_any(list) && names(list, etag))
    }

    fn has(&self, etag: &HeaderValue) -> bool {
        self.0.iter().any(|list| names(list, etag))
    }
}

/// Middleware that answers 304 where `If-None-Match` has the `ETag`.
pub async fn answer(request: Request, next: Next) -> Response {
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let known = KnownContents::of(request.headers());
    let response = next.run(request).await;
    let has_it = response.headers().get(header::ETAG).is_some_and(|etag| known.has(etag));
    if is_reading && has_it && response.status() == StatusCode::OK { unchanged(response) } else { response }
}

/// A response as a 304: without its content, and without what describes that.
pub fn unchanged(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    *response.body_mut() = Body::empty();
    for of_content in [header::CONTENT_TYPE, header::CONTENT_LENGTH] {
        response.headers_mut().remove(of_content);
    }
    response
}

fn is_any(list: &HeaderValue) -> bool {
    list.as_bytes().trim_ascii() == b"*"
}

/// Whether `If-None-Match` matches an `ETag`, or is `*`. Weak comparison (RFC 9110 §13.1.2).
fn names(list: &HeaderValue, etag: &HeaderValue) -> bool {
    let (Ok(known), Ok(etag)) = (list.to_str(), etag.to_str()) else { return false };
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    is_any(list) || known.split(',').any(|known| opaque(known) == opaque(etag))
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
    fn a_known_content_is_named_not_any() {
        let name = HeaderValue::from_static("W/\"a1\"");
        for (list, has, has_named) in [("\"b\", W/\"a1\"", true, true), (" * ", true, false), ("\"b\"", false, false)] {
            let headers = HeaderMap::from_iter([(header::IF_NONE_MATCH, HeaderValue::from_static(list))]);
            let known = KnownContents::of(&headers);
            assert_eq!((known.has(&name), known.has_named(&name)), (has, has_named), "{list}");
        }
        assert!(!KnownContents::default().has(&name));
    }

    #[test]
    fn a_content_has_one_name() {
        assert_eq!(etag(b"a"), etag(b"a"));
        assert_ne!(etag(b"a"), etag(b"b"));
    }
}
