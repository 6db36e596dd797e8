//! Whether a call comes from a page of our own.

use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use url::{Host, Url};

use service::Services;
use service::error::{Code, ServiceError};
use service::origin::is_own;

/// Refuses cross-site requests of a session (CSRF): `Origin` must be sent and be ours, and `Sec-Fetch-Site`, where a
/// browser sends it, must be `same-origin` (Fetch Metadata, W3C).
pub(super) fn require_own(services: &Services, headers: &HeaderMap) -> Result<(), ServiceError> {
    let origin = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok());
    let origin = origin.and_then(|text| Url::parse(text).ok());
    let is_ours = match (Url::parse(services.base_url()), origin) {
        (Ok(base), Some(origin)) => is_own(&base, &origin),
        _ => false,
    };
    if is_ours { same_site(headers) } else { Err(ServiceError::new(Code::InvalidOrigin)) }
}

/// Refuses a form of another site's page. A page that sends no referrer sends its forms with `Origin: null` (Fetch
/// standard, "append a request Origin header"); then `Sec-Fetch-Site` has to say that it is ours. Accounts exist where the
/// public origin is https or loopback, and there browsers send it.
pub(super) fn require_own_page(services: &Services, headers: &HeaderMap) -> Result<(), ServiceError> {
    let is = |name, value| headers.get(name).is_some_and(|sent: &HeaderValue| sent == value);
    if is(header::ORIGIN, "null") && is(HeaderName::from_static("sec-fetch-site"), "same-origin") {
        return Ok(());
    }
    require_own(services, headers)
}

/// Refuses a call that a browser says another site made. A call without the header passes.
pub fn same_site(headers: &HeaderMap) -> Result<(), ServiceError> {
    match headers.get("sec-fetch-site") {
        Some(site) if site != "same-origin" => Err(ServiceError::new(Code::InvalidOrigin)),
        _ => Ok(()),
    }
}

/// Whether an origin is the address, not the name, that a request was sent to: an installation without a public origin
/// is reached by any address of its machine. A name proves nothing, as anybody's may be pointed here (DNS rebinding).
pub fn is_address_of(host: &str, origin: &Url) -> bool {
    let is_name = matches!(origin.host(), Some(Host::Domain(_)) | None);
    !is_name && Url::parse(&format!("{}://{host}", origin.scheme())).is_ok_and(|own| own.origin() == origin.origin())
}

/// Refuses a form that another site sent: it would spend this network's allowance.
pub fn same_origin(services: &Services, parts: &Parts) -> Result<(), ServiceError> {
    let Some(origin) = parts.headers.get(header::ORIGIN) else { return Ok(()) };
    let (base, origin) = (Url::parse(services.base_url()), origin.to_str().ok().and_then(|text| Url::parse(text).ok()));
    let host = parts.headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let has_public_origin = services.config().base_url.is_some();
    match (base, origin) {
        (Ok(base), Some(origin)) if is_own(&base, &origin) => Ok(()),
        (_, Some(origin)) if !has_public_origin && is_address_of(host, &origin) => Ok(()),
        _ => Err(ServiceError::new(Code::InvalidOrigin)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_public_origin_an_address_is_own_and_a_name_is_not() {
        for (host, origin, own) in [
            ("192.168.1.5:8080", "http://192.168.1.5:8080", true),
            ("[fd00::5]:8080", "http://[fd00::5]:8080", true),
            ("192.168.1.5:8080", "http://192.168.1.6:8080", false),
            ("192.168.1.5:8080", "http://192.168.1.5", false),
            ("evil.example:8080", "http://evil.example:8080", false),
            ("", "http://192.168.1.5", false),
        ] {
            assert_eq!(is_address_of(host, &Url::parse(origin).unwrap()), own, "{host} {origin}");
        }
    }
}
