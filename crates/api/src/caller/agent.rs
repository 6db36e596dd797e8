//! The family of a browser or program, for people to recognise their own sessions by. Nothing else is kept of it.

use http::{HeaderMap, header};

/// Families by the word that tells them, in the order in which they are looked for: browsers name those that they
/// descend from too.
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

/// The family that `User-Agent` tells.
pub(super) fn family(headers: &HeaderMap) -> &'static str {
    let agent = headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    FAMILIES.iter().find(|(word, _)| agent.contains(word)).map_or("other", |(_, family)| family)
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
