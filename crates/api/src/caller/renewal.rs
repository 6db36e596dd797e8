//! The session's cookie that is to be set anew, on its way from where a session was looked up to the answer of a page.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::header::SET_COOKIE;

/// Where it is left, among the extensions of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Renewal(Arc<OnceLock<HeaderValue>>);

impl Renewal {
    /// Leaves the cookie. Several looks at one session leave the same.
    pub(super) fn leave(&self, cookie: HeaderValue) {
        self.0.get_or_init(|| cookie);
    }
}

/// Lets the answer of a page carry the cookie that was left.
pub async fn renew(mut request: Request, next: Next) -> Response {
    let renewal = Renewal::default();
    request.extensions_mut().insert(renewal.clone());
    let mut response = next.run(request).await;
    if let Some(cookie) = renewal.0.get() {
        let headers = response.headers_mut();
        // Before what the page set: its cookie, if it has one, is the newer.
        let newer: Vec<HeaderValue> = headers.get_all(SET_COOKIE).iter().cloned().collect();
        headers.insert(SET_COOKIE, cookie.clone());
        for cookie in newer {
            headers.append(SET_COOKIE, cookie);
        }
    }
    response
}
