//! Whether a call comes from a page of our own.

use http::{HeaderMap, header};
use url::{Host, Url};

use crate::app::App;
use crate::error::{ApiError, Code};

/// Refuses what another site sends in the name of who is signed in here: `Origin` must be sent and be ours, and
/// `Sec-Fetch-Site`, where a browser sends it, say so too (Fetch Metadata, W3C).
pub(super) fn require_own(app: &App, headers: &HeaderMap) -> Result<(), ApiError> {
    let origin = headers.get(header::ORIGIN).and_then(|value| value.to_str().ok());
    let origin = origin.and_then(|text| Url::parse(text).ok());
    let is_ours = match (Url::parse(app.base_url()), origin) {
        (Ok(base), Some(origin)) => is_own(&base, &origin),
        _ => false,
    };
    if is_ours { same_site(headers) } else { Err(ApiError::new(Code::InvalidOrigin)) }
}

/// Refuses a call that a browser says another site made. A call without the header passes.
pub(crate) fn same_site(headers: &HeaderMap) -> Result<(), ApiError> {
    match headers.get("sec-fetch-site") {
        Some(site) if site != "same-origin" => Err(ApiError::new(Code::InvalidOrigin)),
        _ => Ok(()),
    }
}

/// Whether an origin is the address, not the name, that a request was sent to: an installation without a public origin
/// is reached by any address of its machine. A name proves nothing, as anybody's may be pointed here (DNS rebinding).
pub(crate) fn is_address_of(host: &str, origin: &Url) -> bool {
    let is_name = matches!(origin.host(), Some(Host::Domain(_)) | None);
    !is_name && Url::parse(&format!("{}://{host}", origin.scheme())).is_ok_and(|own| own.origin() == origin.origin())
}

/// The public origin, or another name of this very machine for an installation on it.
pub(crate) fn is_own(base: &Url, origin: &Url) -> bool {
    base.origin() == origin.origin()
        || is_loopback(base)
            && is_loopback(origin)
            && base.scheme() == origin.scheme()
            && base.port_or_known_default() == origin.port_or_known_default()
}

/// Whether a URL names this very machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_own_by_the_public_one_or_as_loopback() {
        for (base, origin, own) in [
            ("https://audit.example.com", "https://audit.example.com", true),
            ("https://Audit.Example.com:443", "https://audit.example.com", true),
            ("https://audit.example.com", "http://audit.example.com", false),
            ("https://audit.example.com", "https://audit.example.com:8443", false),
            ("https://audit.example.com", "https://localhost", false),
            ("http://127.0.0.1:8080", "http://localhost:8080", true),
            ("http://localhost:8080", "http://[::1]:8080", true),
            ("http://127.0.0.1:8080", "http://localhost:8081", false),
            ("http://127.0.0.1:8080", "http://evil.example:8080", false),
            ("http://127.0.0.1:8080", "http://localhost.evil.example:8080", false),
        ] {
            let parse = |text| Url::parse(text).unwrap();
            assert_eq!(is_own(&parse(base), &parse(origin)), own, "{base} {origin}");
        }
    }

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
