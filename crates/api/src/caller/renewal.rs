//! Renewal of the session cookie, handed from the session look-up to the response of a page.

use std::sync::{Arc, OnceLock};

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::header::SET_COOKIE;

/// The slot of the renewed cookie, in the extensions of a request.
#[derive(Debug, Clone, Default)]
pub(super) struct Renewal(Arc<OnceLock<HeaderValue>>);

impl Renewal {
    /// Stores the cookie. Several look-ups of one session store the same.
    pub(super) fn leave(&self, cookie: HeaderValue) {
        self.0.get_or_init(|| cookie);
    }
}

/// Middleware that adds the renewed cookie to the response of a page.
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
