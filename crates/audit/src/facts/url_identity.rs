//! When two addresses are the same page.

use std::borrow::Cow;

use url::Url;

/// Query parameters that say where a visitor came from, with sources and date in the file.
const TRACKING: &str = include_str!("../data/tracking_parameters.txt");
/// Parameters that hold a visitor's session, with sources and date in the file.
const SESSION: &str = include_str!("../data/session_parameters.tsv");
/// Characters from which the value of a parameter with a common name is a session's.
const SESSION_VALUE: usize = 16;

/// An address without fragment, tracking and session parameters; the other parameters stay as written.
pub fn without_tracking(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    if let Some(query) = url.query() {
        let is_kept = |pair: &&str| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            !is_tracking(name) && !is_session(name, value)
        };
        let remaining = query.split('&').filter(is_kept).collect::<Vec<_>>().join("&");
        url.set_query(Some(remaining.as_str()).filter(|query| !query.is_empty()));
    }
    if let Some(path) = path_without_session(url.path()) {
        url.set_path(&path);
    }
    url
}

/// Whether the query holds a tracking parameter.
pub fn has_tracking(url: &Url) -> bool {
    url.query()
        .is_some_and(|query| query.split('&').any(|pair| is_tracking(pair.split('=').next().unwrap_or_default())))
}

/// The name of the first parameter of query or path that holds a session.
pub fn session_parameter(url: &Url) -> Option<&str> {
    let in_path = url.path().split('/').flat_map(|segment| segment.split(';').skip(1));
    let in_query = url.query().into_iter().flat_map(|query| query.split('&'));
    let pairs = in_path.chain(in_query).map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.filter(|(name, value)| is_session(name, value)).map(|(name, _)| name).next()
}

/// The path without sessions behind a `;` (RFC 3986 §3.3); `None` where it has none.
fn path_without_session(path: &str) -> Option<String> {
    let is_kept = |part: &&str| {
        let (name, value) = part.split_once('=').unwrap_or((part, ""));
        !is_session(name, value)
    };
    let segments = path.split('/').map(|segment| {
        let mut parts = segment.split(';');
        let name = parts.next().into_iter();
        name.chain(parts.filter(is_kept)).collect::<Vec<_>>().join(";")
    });
    let plain = path.contains(';').then(|| segments.collect::<Vec<_>>().join("/"));
    plain.filter(|plain| plain != path)
}

/// Whether a name is a pattern's: whole, or its start where the pattern ends with `*`.
fn is_named(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.get(..start.len()).is_some_and(|name| name.eq_ignore_ascii_case(start)),
        None => name.eq_ignore_ascii_case(pattern),
    }
}

fn is_tracking(name: &str) -> bool {
    TRACKING.lines().filter(|line| !line.starts_with('#')).any(|pattern| is_named(pattern, name))
}

fn is_session(name: &str, value: &str) -> bool {
    let is_token = || {
        value.len() >= SESSION_VALUE
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
            && value.bytes().any(|byte| byte.is_ascii_digit())
    };
    let rows = SESSION.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t'));
    rows.filter(|(pattern, _)| is_named(pattern, name)).any(|(_, values)| values == "any" || is_token())
}

/// Whether an address can name a page at all: http(s), and no fragment that a script would turn into another page.
pub fn names_page(url: &Url) -> bool {
    let routes = url.fragment().is_some_and(|fragment| fragment.starts_with('!') || fragment.starts_with('/'));
    matches!(url.scheme(), "http" | "https") && !routes
}

/// Whether two addresses name the same page: compared parsed, without fragment and default port, percent-encoding
/// normalised. A trailing slash counts.
pub fn same_page(a: &Url, b: &Url) -> bool {
    // Most differ as they are written, and nothing of them is encoded.
    let [whole_a, whole_b] = [a, b].map(|url| url.as_str().split('#').next().unwrap_or_default());
    let is_plain = |url: &Url, whole: &str| !url.cannot_be_a_base() && !whole.contains('%');
    if is_plain(a, whole_a) && is_plain(b, whole_b) { whole_a == whole_b } else { identity(a) == identity(b) }
}

/// Whether two addresses have one registrable domain, or one host where there is none.
pub fn same_site(a: &Url, b: &Url) -> bool {
    let domain = |url: &Url| url.host_str().map(|host| domains::registrable_domain(host).unwrap_or(host).to_owned());
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

    #[test]
    fn sessions_are_told_by_name_and_where_that_is_common_by_value() {
        let url = |text: &str| Url::parse(text).unwrap();
        for (with, name, without) in [
            ("https://e.com/a;jsessionid=1F/b?x=1", Some("jsessionid"), "https://e.com/a/b?x=1"),
            ("https://e.com/?PHPSESSID=1&x=1", Some("PHPSESSID"), "https://e.com/?x=1"),
            ("https://e.com/?ASPSESSIONIDQQ=1", Some("ASPSESSIONIDQQ"), "https://e.com/"),
            ("https://e.com/?sid=0123456789abcdef01", Some("sid"), "https://e.com/"),
            ("https://e.com/?sid=12", None, "https://e.com/?sid=12"),
            ("https://e.com/?sid=the-long-name-of-a-story", None, "https://e.com/?sid=the-long-name-of-a-story"),
            ("https://e.com/a;v=1", None, "https://e.com/a;v=1"),
        ] {
            assert_eq!(session_parameter(&url(with)), name, "{with}");
            assert_eq!(without_tracking(&url(with)).as_str(), without);
        }
        assert!(has_tracking(&url("https://e.com/?a=1&UTM_Source=x")) && !has_tracking(&url("https://e.com/?a=utm_x")));
    }
}
