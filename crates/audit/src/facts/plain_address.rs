//! What an address says so plainly that it need not be parsed: most do, and parsing one takes thousands of instructions.

use url::Url;

use super::page::Html;

/// Whether an address is a `data:` URL, which names no host and no file. One with a tab or a line end in its scheme is passed
/// over.
pub(crate) fn is_data(address: &str) -> bool {
    const SCHEME: &str = "data:";
    // Most begin otherwise.
    if !matches!(address.as_bytes().first(), Some(b'd' | b'D' | 0..=b' ')) {
        return false;
    }
    let start = address.trim_start_matches(|c| c <= ' ').get(..SCHEME.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(SCHEME))
}

/// Where an address leads, as far as it says that plainly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlainTarget<'a> {
    /// By https; else by http.
    pub(crate) is_https: bool,
    /// The host, as a parsed address has it: a domain, without a port.
    pub(crate) host: &'a str,
}

impl<'a> PlainTarget<'a> {
    /// `https://host/…`, `http://host/…` or `//host/…`, with a host of lower-case letters, digits, hyphens and full stops that
    /// can be no IP address (WHATWG URL §3.5, "ends in a number") and no Punycode, and without credentials or a port. `None`
    /// of any other address, whatever it comes to.
    pub(crate) fn of(address: &'a str, base: &Url) -> Option<Self> {
        let (is_https, behind) = match (address.strip_prefix("https://"), address.strip_prefix("http://")) {
            (Some(behind), _) => (true, behind),
            (None, Some(behind)) => (false, behind),
            (None, None) => {
                let is_https = match base.scheme() {
                    "https" => true,
                    "http" => false,
                    _ => return None,
                };
                (is_https, address.strip_prefix("//")?)
            }
        };
        let end = behind.bytes().position(|byte| matches!(byte, b'/' | b'?' | b'#')).unwrap_or(behind.len());
        let host = behind.get(..end)?;
        is_plain(host.as_bytes()).then_some(Self { is_https, host })
    }
}

/// Whether a host is labels of lower-case letters, digits and hyphens, none of them Punycode, the last with a letter first.
fn is_plain(host: &[u8]) -> bool {
    const PUNYCODE: &[u8] = b"xn--";
    let mut label = host;
    for (at, byte) in host.iter().enumerate() {
        match byte {
            b'.' if label.first() == Some(&b'.') || label.starts_with(PUNYCODE) => return false,
            b'.' => label = host.get(at + 1..).unwrap_or_default(),
            b'a'..=b'z' | b'0'..=b'9' | b'-' => {}
            _ => return false,
        }
    }
    label.first().is_some_and(u8::is_ascii_lowercase) && !label.starts_with(PUNYCODE)
}

impl Html {
    /// Where an address of this page leads, where it says so plainly.
    pub(crate) fn plain_target<'a>(&self, address: &'a str) -> Option<PlainTarget<'a>> {
        PlainTarget::of(address, &self.base)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn data_is_told_by_its_scheme() {
        for address in ["data:,a", "DATA:image/png;base64,AA", " \n\u{1}data:text/plain,a", "data:"] {
            assert!(is_data(address), "{address}");
        }
        for address in ["", "dat", "data", "/data:", "da\nta:,a", "\u{a0}data:,a", "datä:"] {
            assert!(!is_data(address), "{address}");
        }
    }

    #[test]
    fn only_what_is_plain_is_told() {
        let of = |address: &str, base: &str| {
            let base = Url::parse(base).unwrap();
            PlainTarget::of(address, &base).map(|target| (target.is_https, target.host.to_owned()))
        };
        let told = |is_https: bool, host: &str| Some((is_https, host.to_owned()));
        const BASE: &str = "http://mill.example/";
        assert_eq!(of("https://cdn.example/a", BASE), told(true, "cdn.example"));
        assert_eq!(of("http://localhost?a", BASE), told(false, "localhost"));
        assert_eq!(of("//a-1.example#b", BASE), told(false, "a-1.example"));
        assert_eq!(of("//a.example", "https://mill.example/"), told(true, "a.example"));
        assert_eq!(of("//a.example", "ftp://mill.example/"), None);
        for address in [
            "",
            "a",
            "/a",
            "https:a.example",
            "https:///a.example",
            "https://",
            "https://A.example/",
            "https://a.example:8080/",
            "https://me@a.example/",
            "https://a.example./",
            "https://a..example/",
            "https://xn--mnchen-3ya.example/",
            "https://münchen.example/",
            "https://10.0.0.1/",
            "https://a.0x7f/",
            "https://[::1]/",
            "https://a_b.example/",
            "https://a\\b.example/",
            "https://a%2eexample/",
            " https://a.example/",
            "HTTPS://a.example/",
            "ftp://a.example/",
            "data:,//a.example",
        ] {
            assert_eq!(of(address, BASE), None, "{address}");
        }
    }

    proptest! {
        #[test]
        fn a_parsed_address_says_the_same(
            scheme in prop::sample::select(&["https://", "http://", "//", "https:", "ftp://", "data:", ""][..]),
            host in "[a-zA-Z0-9.:@%_ü-]{0,12}(x|1|n--a)?", rest in "([/?#\\\\].{0,5})?",
            base in prop::sample::select(&["https://mill.example/a", "http://mill.example/", "ftp://mill.example/"][..]),
        ) {
            let (address, base) = (format!("{scheme}{host}{rest}"), Url::parse(base).unwrap());
            let parsed = base.join(&address);
            if let Some(target) = PlainTarget::of(&address, &base) {
                let parsed = parsed.clone().unwrap();
                prop_assert_eq!(parsed.host_str(), Some(target.host));
                prop_assert_eq!(parsed.scheme(), if target.is_https { "https" } else { "http" });
                prop_assert_eq!(parsed.port(), None);
            }
            if is_data(&address) {
                prop_assert_eq!(parsed.as_ref().map(Url::scheme), Ok("data"));
            }
        }
    }
}
