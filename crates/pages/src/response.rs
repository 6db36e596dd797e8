//! Responses that carry a page.

use api::response::{PageShown, SentInPieces, conditional, speaks};
use askama::Template;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use model::lang::Lang;
use render::shown::without_controls;
use service::error::Code;
use service::written_answers::WrittenAnswer;

/// Content-Security-Policy of pages: our own style, images and scripts, nothing else. What it blocks is reported to us, in
/// the old way too, as not every browser has the Reporting API.
pub(crate) const POLICY: &str = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'; report-uri /api/erro-cliente; report-to errors";

/// Where the policy's `report-to` leads (W3C Reporting API, section 3.2).
const REPORTING: &str = "errors=\"/api/erro-cliente\"";

/// The media type of pages.
const HTML: &str = "text/html; charset=utf-8";

/// A page as a response.
pub(crate) fn html(status: StatusCode, page: &impl Template, lang: Lang) -> Response {
    let (status, body) = rendered(status, page, lang);
    document(status, body.into(), lang)
}

fn rendered(status: StatusCode, page: &impl Template, lang: Lang) -> (StatusCode, String) {
    match page.render() {
        Ok(body) => (status, without_controls(body)),
        Err(error) => {
            tracing::error!(%error, "a page could not be made");
            (StatusCode::INTERNAL_SERVER_ERROR, Code::Internal.sentence().in_lang(lang).to_owned())
        }
    }
}

fn document(status: StatusCode, body: Bytes, lang: Lang) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    response.extensions_mut().insert(PageShown);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(HeaderName::from_static("reporting-endpoints"), HeaderValue::from_static(REPORTING));
    speaks(headers, lang);
    // The theme is in a cookie.
    headers.append(header::VARY, HeaderValue::from_static("Cookie"));
    response
}

/// A page that is sent in pieces: `body` makes them of the rendered page.
pub(crate) fn in_pieces(page: &impl Template, lang: Lang, body: impl FnOnce(String) -> Body) -> Response {
    let (status, text) = rendered(StatusCode::OK, page, lang);
    let mut response = document(status, Bytes::new(), lang);
    *response.body_mut() = body(text);
    response.extensions_mut().insert(SentInPieces);
    // Proxies of the nginx kind hold an answer back until it is whole, unless they are told.
    response.headers_mut().insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response
}

/// `Cache-Control` of a page that is the same for everybody. Short, as the page names a style sheet whose address changes
/// with the next build.
pub(crate) const SHARED_CACHE: &str = "public, max-age=300";

/// A page that stays the same while the service runs, cacheable as [`SHARED_CACHE`] says.
pub(crate) fn lasting(page: &impl Template, lang: Lang) -> Response {
    cacheable(page, lang, SHARED_CACHE)
}

/// A page with a `Cache-Control` of its own.
pub(crate) fn cacheable(page: &impl Template, lang: Lang, cache: &'static str) -> Response {
    cacheable_and(page, lang, cache, |_| ())
}

/// The same; `keep` is given the written page.
pub(crate) fn cacheable_and(
    page: &impl Template,
    lang: Lang,
    cache: &'static str,
    keep: impl FnOnce(&WrittenAnswer),
) -> Response {
    let (status, body) = rendered(StatusCode::OK, page, lang);
    if status != StatusCode::OK {
        return document(status, body.into(), lang);
    }
    let written = WrittenAnswer::new(HTML, body.into());
    keep(&written);
    of_written(&written, lang, cache)
}

/// The response with a written page.
pub(crate) fn of_written(written: &WrittenAnswer, lang: Lang, cache: &'static str) -> Response {
    let mut response = document(StatusCode::OK, written.body.clone(), lang);
    response.headers_mut().extend(conditional::lasting_of(&written.digest, cache));
    response
}

/// Redirects (303) to a path of ours.
pub(crate) fn see_other(path: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    // Paths of ours hold ids, which are digits and hyphens, and names of tools and languages.
    if let Ok(place) = HeaderValue::from_str(path) {
        response.headers_mut().insert(header::LOCATION, place);
    }
    response
}

/// Forbids storing a page (`Cache-Control: no-store`): its content is of this moment and this reader.
pub(crate) fn unstored(mut response: Response) -> Response {
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Marks a page as private to its reader: not stored, not indexed, varying by cookie.
pub(crate) fn private(response: Response) -> Response {
    let mut response = unstored(response);
    let headers = response.headers_mut();
    if !headers.get_all(header::VARY).iter().any(|names| names == "Cookie") {
        headers.append(header::VARY, HeaderValue::from_static("Cookie"));
    }
    headers.insert(HeaderName::from_static("x-robots-tag"), HeaderValue::from_static("noindex"));
    response
}
