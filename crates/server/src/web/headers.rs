//! Headers of answers, and answers that are nothing but an error.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model::lang::Lang;

use crate::error::{ApiError, Code};
use crate::operation::Reply;

/// For documents that load nothing: JSON, and everything without a policy of its own.
const NOTHING_LOADS: &str = "default-src 'none'; frame-ancestors 'none'";
/// Request headers that a browser may send from any site.
const ALLOW_HEADERS: &str = "accept-language, authorization, content-type, idempotency-key, payment-signature, x-api-key, x-credito, x-guest-token, x-payment";
/// Answer headers that a script of any site may read.
const EXPOSE_HEADERS: &str = "content-language, idempotent-replay, payment-required, payment-response, ratelimit, ratelimit-policy, retry-after, x-payment-response, x-request-id";
/// Features of browsers that no page of ours uses.
const NO_FEATURES: &str = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()";

/// What all answers carry, unless they have something better.
pub(super) fn common(headers: &mut HeaderMap, is_https: bool) {
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

/// The answer of an operation.
pub(super) fn reply(reply: Reply, lang: Lang) -> Response {
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.media_type));
    headers.extend(reply.headers);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    cors(headers);
    if reply.speaks {
        speaks(headers, lang);
    }
    response
}

/// A refusal as JSON.
pub(crate) fn refusal(error: &ApiError, lang: Lang) -> Response {
    let body = serde_json::Value::Object(error.body(lang)).to_string();
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = error.code.status();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    of_error(headers, error);
    cors(headers);
    speaks(headers, lang);
    response
}

/// Headers that a refusal brings along, as JSON or as a page.
pub(crate) fn of_error(headers: &mut HeaderMap, error: &ApiError) {
    if let Some(seconds) = error.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if error.code.status() == StatusCode::UNAUTHORIZED {
        // RFC 9110 §11.6.1 asks for one on every 401.
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if error.code == Code::RequestTimeout || error.code == Code::BodyTooLarge {
        // What is left of the body is not read.
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    headers.extend(error.more.iter().flat_map(|more| more.headers.clone()));
}

/// The answer to a browser that asks whether it may call from another site: it may.
pub(super) fn preflight(methods: &[&str]) -> Response {
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

fn cors(headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSE_HEADERS));
}

/// Takes back what lets scripts of other sites read an answer.
pub(super) fn unshare(headers: &mut HeaderMap) {
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

/// The language of an answer, and that it depends on the asker's.
pub(crate) fn speaks(headers: &mut HeaderMap, lang: Lang) {
    headers.insert(header::CONTENT_LANGUAGE, HeaderValue::from_static(lang.tag()));
    headers.append(header::VARY, HeaderValue::from_static("Accept-Language"));
}
