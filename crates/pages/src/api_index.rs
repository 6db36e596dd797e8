//! `/api`, which is no address of the API: a browser that is sent there by hand is led to the documentation. The index, `/api/`,
//! is the same for everybody.

use api::request::language;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

/// Where the documentation for people begins.
pub(crate) const DOCS_PATH: &str = "/docs";

/// Redirects a browser to the documentation; programs get what they got.
pub(crate) async fn lead_people(request: Request, next: Next) -> Response {
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    if !is_reading || request.uri().path() != "/api" {
        return next.run(request).await;
    }
    let mut response = if is_browser(request.headers()) { to_documentation(&request) } else { next.run(request).await };
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
    response
}

/// Whether a browser asks for a page to be shown: it names HTML first, which programs that read JSON don't.
fn is_browser(headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accept.starts_with("text/html") && !accept.contains("json")
}

fn to_documentation(request: &Request) -> Response {
    let lang = language(request.headers(), request.uri().query()).unwrap_or_default();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(header::VARY, HeaderValue::from_static("Accept-Language"));
    if let Ok(place) = HeaderValue::from_str(&format!("{DOCS_PATH}?lang={}", lang.tag())) {
        headers.insert(header::LOCATION, place);
    }
    response
}
