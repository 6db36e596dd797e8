//! Headers of all responses, and error responses.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model::lang::Lang;

use crate::cookies::CookieKind;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use render::shown::inert_json;
use serde_json::Value;
use service::error::{DayAllowance, PaymentReceipt, ServiceError};

/// Content-Security-Policy of documents that load nothing: JSON, and the default.
const NOTHING_LOADS: &str = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'";
/// Request headers that a browser may send from any site.
const ALLOW_HEADERS: &str = "accept-language, authorization, content-type, idempotency-key, payment-signature, x-api-key, x-credito, x-guest-token, x-payment";
/// Answer headers that a script of any site may read.
const EXPOSE_HEADERS: &str = "content-language, idempotent-replay, payment-required, payment-response, ratelimit, ratelimit-policy, retry-after, x-payment-response, x-request-id";
/// Features of browsers that no page of ours uses.
const NO_FEATURES: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()";

/// Marks a response that shows a page for people, so that it is counted as one.
#[derive(Debug, Clone, Copy)]
pub struct PageShown;

/// Marks a response whose body is sent in pieces, as they come: compression would hold them back.
#[derive(Debug, Clone, Copy)]
pub struct SentInPieces;

/// Headers of all responses, where they are not set yet.
pub fn common(headers: &mut HeaderMap, is_https: bool) {
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
        (header::CONTENT_SECURITY_POLICY, NOTHING_LOADS),
        (HeaderName::from_static("permissions-policy"), NO_FEATURES),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_https {
        // Over plain http it would be ignored, or lock a local installation out. It binds the hosts below the public one
        // too: the project's header table asks for it (ASVS 5.0 3.4.1, level 2).
        headers
            .insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=63072000; includeSubDomains"));
    }
}

/// Keeps the answer to a request whose address carries a credential out of every cache, and the address out of the `Referer`
/// of what it leads to.
pub(crate) fn withhold(headers: &mut HeaderMap) {
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
}

/// An error response in JSON.
pub fn refusal(error: &ServiceError, lang: Lang, is_https: bool) -> Response {
    let body = serde_json::Value::Object(error.body(lang)).to_string();
    let mut response = Response::new(inert_json(body.as_bytes()).map_or(Body::from(body), Body::from));
    *response.status_mut() = status(error);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    of_error(headers, error, is_https);
    cors(headers);
    speaks(headers, lang);
    response
}

/// Headers of an error, as JSON or as a page: retry, authentication, allowed methods, cookies. `is_https`: whether cookies are
/// `Secure`.
pub fn of_error(headers: &mut HeaderMap, error: &ServiceError, is_https: bool) {
    if let Some(seconds) = error.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if status(error) == StatusCode::UNAUTHORIZED {
        // RFC 9110 §11.6.1 asks for one on every 401.
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    let Some(more) = &error.more else { return };
    if let Some(offer) = more.offer.as_ref().and_then(encoded) {
        headers.append(HeaderName::from_static("payment-required"), offer);
    }
    headers.extend(more.receipt.as_ref().and_then(receipt));
    headers.extend(more.allowance.as_ref().map(allowance).into_iter().flatten());
    let pass = more.pass.as_ref().and_then(|pass| CookieKind::verified(is_https, pass));
    headers.extend(pass.map(|cookie| (header::SET_COOKIE, cookie)));
    if more.ends_session {
        headers.extend(CookieKind::Session.clear(is_https).map(|cookie| (header::SET_COOKIE, cookie)));
    }
}

/// The status of an error.
pub fn status(error: &ServiceError) -> StatusCode {
    StatusCode::from_u16(error.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The header with the receipt of a payment, in the payer's version of x402.
pub(crate) fn receipt(receipt: &PaymentReceipt) -> Option<(HeaderName, HeaderValue)> {
    let name = if receipt.version == 1 { "x-payment-response" } else { "payment-response" };
    Some((HeaderName::from_static(name), encoded(&receipt.content)?))
}

/// JSON in base64, which is always a header value.
fn encoded(content: &Value) -> Option<HeaderValue> {
    HeaderValue::from_str(&STANDARD.encode(content.to_string())).ok()
}

/// The remaining free audits of the day as headers (draft-ietf-httpapi-ratelimit-headers-10).
pub(crate) fn allowance(day: &DayAllowance) -> Vec<(HeaderName, HeaderValue)> {
    let policy = format!("\"day\";q={};w=86400", day.limit);
    let left = format!("\"day\";r={};t={}", day.remaining, day.resets_in);
    [("ratelimit-policy", policy), ("ratelimit", left)]
        .into_iter()
        .filter_map(|(name, value)| Some((HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?)))
        .collect()
}

/// The response to a CORS preflight (Fetch standard, "CORS-preflight fetch"): any origin is allowed.
pub(crate) fn preflight(methods: &[&str]) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    cors(headers);
    if let Ok(allow) = HeaderValue::from_str(&methods.join(", ")) {
        headers.insert(header::ALLOW, allow.clone());
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, allow);
    }
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOW_HEADERS));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    response
}

/// Adds the CORS headers, so that scripts of other sites can read the response.
pub(crate) fn cors(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSE_HEADERS));
}

/// Removes the CORS headers.
pub(crate) fn unshare(headers: &mut HeaderMap) {
    for name in [
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        header::ACCESS_CONTROL_ALLOW_METHODS,
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        header::ACCESS_CONTROL_MAX_AGE,
    ] {
        headers.remove(name);
    }
}

/// `Content-Language`, and `Vary` for the caller's.
pub fn speaks(headers: &mut HeaderMap, lang: Lang) {
    headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(lang.tag()));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Language"));
}
