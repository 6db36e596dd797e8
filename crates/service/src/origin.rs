//! Origins: our own, and loopback.

use url::{Host, Url};

/// Whether an origin is our public one, or loopback when ours is loopback too.
pub fn is_own(base: &Url, origin: &Url) -> bool {
    base.origin() == origin.origin()
        || is_loopback(base)
            && is_loopback(origin)
            && base.scheme() == origin.scheme()
            && base.port_or_known_default() == origin.port_or_known_default()
}

/// Whether a URL's host is loopback.
pub fn is_loopback(url: &Url) -> bool {
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
}
