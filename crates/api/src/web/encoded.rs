//! Compressed bodies that are kept: who asks for the same next gets the bytes, and nothing is compressed again.
//!
//! Only answers with a weak `ETag` are: here each is a digest of all that the body depends on, or of the body. It is looked at
//! after the answer is made, so who may not have an answer never gets as far.

use axum::body::{Body, HttpBody as _, to_bytes};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use service::Services;
use service::error::{Code, ServiceError};
use service::written_answers::{AnswerName, WrittenAnswer};

use crate::request::coding;
use crate::response::{self, conditional};
use crate::site::Site;

/// Bytes of a body up to which its compressed form is kept. Chosen: compressing it takes some milliseconds, for which other
/// calls wait, as it is done in one go; a longer body is compressed as it is sent.
const MOST_BYTES: u64 = 256 * 1024;
/// What the layer around this one compresses with, the preferred one last.
const CODINGS: [&str; 2] = ["gzip", "br"];

/// Marks an answer whose compressed body is to be kept, with its `ETag`.
#[derive(Debug, Clone)]
struct ToKeep(HeaderValue);

/// Middleware inside of the one that compresses: an answer that the caller knows is 304, and one whose compressed body is kept
/// has it.
pub(super) async fn at_hand(State(site): State<Site>, request: Request, next: Next) -> Response {
    let wanted = (*request.method() == Method::GET).then(|| preferred(request.headers())).flatten();
    let mut response = conditional::answer(request, next).await;
    let (Some(wanted), Some(etag)) = (wanted, named(&response)) else { return response };
    let Some(kept) = site.services().answers().get(&name(site.services(), &etag, wanted)) else {
        response.extensions_mut().insert(ToKeep(etag));
        return response;
    };
    *response.body_mut() = Body::from(kept.body);
    let headers = response.headers_mut();
    headers.remove(header::CONTENT_LENGTH);
    headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static(wanted));
    headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

/// An answer after it went through the layer that compresses: where it was to be kept and is compressed, it is.
pub(super) async fn kept(services: &Services, mut response: Response) -> Response {
    let Some(ToKeep(etag)) = response.extensions_mut().remove::<ToKeep>() else { return response };
    let coding = response.headers().get(header::CONTENT_ENCODING);
    let Some(coding) = CODINGS.into_iter().find(|known| coding.is_some_and(|coding| coding == known)) else {
        return response;
    };
    let (parts, body) = response.into_parts();
    // What a body in memory is compressed to is hardly longer than the body.
    let Ok(body) = to_bytes(body, 2 * usize::try_from(MOST_BYTES).unwrap_or(usize::MAX)).await else {
        tracing::error!("an answer could not be compressed; this is a defect");
        return response::refusal(&ServiceError::new(Code::Internal), model::lang::Lang::En, services.is_https());
    };
    services.answers().keep(name(services, &etag, coding), WrittenAnswer::new("", body.clone()));
    Response::from_parts(parts, Body::from(body))
}

/// The coding that a caller prefers, of those there are.
fn preferred(headers: &HeaderMap) -> Option<&'static str> {
    CODINGS.into_iter().max_by_key(|name| coding(headers, name)).filter(|name| coding(headers, name) > 0)
}

/// The weak `ETag` of a whole answer that is short enough and not compressed.
fn named(response: &Response) -> Option<HeaderValue> {
    let etag = response.headers().get(header::ETAG).filter(|etag| etag.as_bytes().starts_with(b"W/"))?;
    let is_short = response.body().size_hint().exact().is_some_and(|length| length <= MOST_BYTES);
    let is_plain = !response.headers().contains_key(header::CONTENT_ENCODING);
    (response.status() == StatusCode::OK && is_short && is_plain).then(|| etag.clone())
}

/// The name of a body with this `ETag` in a coding.
fn name(services: &Services, etag: &HeaderValue, coding: &str) -> AnswerName {
    services.answer_name(&[Some("encoded"), etag.to_str().ok(), Some(coding)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_coding_is_the_one_that_is_wanted_most() {
        for (accepted, wanted) in [
            ("gzip, deflate, br, zstd", Some("br")),
            ("gzip", Some("gzip")),
            ("gzip, br;q=0.5", Some("gzip")),
            ("br;q=0, gzip;q=0.1", Some("gzip")),
            ("gzip;q=0", None),
            ("identity", None),
            ("", None),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT_ENCODING, accepted.parse().unwrap())]);
            assert_eq!(preferred(&headers), wanted, "{accepted}");
        }
        assert_eq!(preferred(&HeaderMap::new()), None);
    }
}
