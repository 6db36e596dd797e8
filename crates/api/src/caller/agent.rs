//! The user agent: the family of a browser or program, by which people recognise their own sessions, and crawlers of
//! Site Audit. Nothing else of it is stored.

use http::{HeaderMap, HeaderName, header};
use service::Services;
use service::counting::CountedReader;

/// Families by the token that identifies them, in the order of the search: browsers also name their ancestors.
const FAMILIES: [(&str, &str); 10] = [
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
];

/// The family in `User-Agent`.
pub(super) fn family(headers: &HeaderMap) -> &'static str {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    FAMILIES.iter().find(|(word, _)| agent.contains(word)).map_or("other", |(_, family)| family)
}

/// Whether a request carries the name of our own client, or of the client of any Site Audit: an audit must never start
/// another one.
pub fn is_crawler(services: &Services, headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let product = |text: &str| text.split(['/', ' ']).next().unwrap_or_default().to_ascii_lowercase();
    let sent = product(agent);
    !sent.is_empty() && (sent == "siteaudit" || sent == product(&services.config().user_agent(services.base_url())))
}

/// Who asks, as far as headers tell. `is_head`: whether only a head is asked for.
pub(crate) fn reader(headers: &HeaderMap, is_head: bool) -> CountedReader {
    let value = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let signature_agent = value(HeaderName::from_static("signature-agent"));
    CountedReader::of(value(header::USER_AGENT), signature_agent, value(header::ACCEPT_LANGUAGE), is_head)
}

/// Whether a request is a test of the operator's own.
pub(crate) fn is_smoke(headers: &HeaderMap) -> bool {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    service::counting::is_smoke(agent, headers.contains_key("x-mm-smoke"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_told_from_its_descendants() {
        for (agent, wanted) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0", "Firefox"),
            ("Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36", "Chrome"),
            ("Mozilla/5.0 AppleWebKit/537.36 Chrome/150.0.0.0 Safari/537.36 Edg/150.0", "Edge"),
            ("Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15", "Safari"),
            ("curl/8.5.0", "curl"),
            ("", "other"),
        ] {
            let headers = [(header::USER_AGENT, agent.parse().unwrap())].into_iter().collect();
            assert_eq!(family(&headers), wanted, "{agent}");
        }
    }
}
