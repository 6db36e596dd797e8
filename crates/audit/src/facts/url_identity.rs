//! When two addresses are the same page.

use std::borrow::Cow;

use url::Url;

/// Query parameters that say where a visitor came from, not what is shown. A trailing `*` stands for any ending.
const TRACKING: [&str; 14] = [
    "utm_*", "gclid", "gbraid", "wbraid", "dclid", "fbclid", "msclkid", "yclid", "twclid", "ttclid", "igshid",
    "mc_cid", "mc_eid", "_ga",
];

/// An address without fragment and tracking parameters; the other parameters stay as written.
pub fn without_tracking(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    let Some(query) = url.query() else { return url };
    let kept: Vec<&str> =
        query.split('&').filter(|pair| !is_tracking(pair.split('=').next().unwrap_or_default())).collect();
    let kept = kept.join("&");
    url.set_query(Some(kept.as_str()).filter(|query| !query.is_empty()));
    url
}

fn is_tracking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TRACKING.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *known,
    })
}

/// Whether an address can name a page at all: http(s), and no fragment that a script would turn into another page.
pub fn names_page(url: &Url) -> bool {
    let routes = url.fragment().is_some_and(|fragment| fragment.starts_with('!') || fragment.starts_with('/'));
    matches!(url.scheme(), "http" | "https") && !routes
}

/// Whether two addresses name the same page: compared parsed, without fragment and default port, percent-encoding
/// normalised. A trailing slash counts.
pub fn same_page(a: &Url, b: &Url) -> bool {
    identity(a) == identity(b)
}

/// Whether two addresses have one registrable domain, or one host where there is none.
pub fn same_site(a: &Url, b: &Url) -> bool {
    let domain = |url: &Url| url.host_str().map(|host| psl::domain_str(host).unwrap_or(host).to_owned());
    a.host_str() == b.host_str() || domain(a) == domain(b)
}

/// The form in which addresses are compared.
pub fn identity(url: &Url) -> String {
    let mut url = url.clone();
    url.set_fragment(None);
    normal_percent(url.as_str())
}

/// A text with its percent-encoding undone, what is then no UTF-8 replaced.
pub fn percent_decoded(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return text.into();
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let digits = text.get(at + 1..at + 3).filter(|digits| *byte == b'%' && digits.is_ascii());
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                out.push(decoded);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned().into()
}

/// Percent-encoding with upper-case digits, unreserved characters unencoded (RFC 3986 §6.2.2).
pub fn normal_percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        let (before, encoded) = rest.split_at(at);
        out.push_str(before);
        let byte = encoded.get(1..3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') => {
                out.push(char::from(byte));
            }
            Some(byte) => out.push_str(&format!("%{byte:02X}")),
            None => {
                out.push('%');
                rest = encoded.get(1..).unwrap_or_default();
                continue;
            }
        }
        rest = encoded.get(3..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_encoding_is_undone_where_it_is_one() {
        for (text, decoded) in [("a%20b", "a b"), ("%C3%A9", "é"), ("100%", "100%"), ("%zz%4", "%zz%4"), ("é%41", "éA")]
        {
            assert_eq!(percent_decoded(text), decoded);
        }
    }

    #[test]
    fn one_site_is_one_registrable_domain() {
        let same = |a: &str, b: &str| same_site(&Url::parse(a).unwrap(), &Url::parse(b).unwrap());
        assert!(same("https://www.example.co.uk/", "http://cdn.example.co.uk:8080/x"));
        assert!(same("http://203.0.113.1/", "http://203.0.113.1/a") && same("http://localhost/", "http://localhost/"));
        assert!(!same("https://a.co.uk/", "https://b.co.uk/") && !same("http://203.0.113.1/", "http://203.0.113.2/"));
    }

    #[test]
    fn spelling_of_one_address_does_not_matter() {
        let url = |text: &str| Url::parse(text).unwrap();
        assert!(same_page(&url("HTTPS://Example.com:443/%7Ea%2fb#x"), &url("https://example.com/~a%2Fb")));
        assert!(!same_page(&url("https://example.com/a"), &url("https://example.com/a/")));
        assert_eq!(
            without_tracking(&url("https://e.com/?utm_source=x&id=1&gclid=2#t")).as_str(),
            "https://e.com/?id=1"
        );
        assert_eq!(without_tracking(&url("https://e.com/?fbclid=2")).as_str(), "https://e.com/");
        assert_eq!(normal_percent("%zz%4"), "%zz%4");
    }
}
