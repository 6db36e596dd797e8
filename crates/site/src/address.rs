//! Addresses of a site: when two are one page, and in what two addresses of one page differ.

use audit::facts::url_identity::{identity, without_tracking};
use url::{Host, Url};

/// Size limit of an address in bytes; longer ones are left out of a run. The limit of sitemaps.org for one address.
pub(crate) const MOST_ADDRESS_BYTES: usize = 2_048;

/// The form under which a run knows an address: without fragment, tracking and session parameters, percent-encoding
/// normalised. `None` for what is no http(s) address, or too long.
pub fn key(url: &Url) -> Option<Url> {
    let plain = without_tracking(url);
    let normal = Url::parse(&identity(&plain)).ok()?;
    let fits = matches!(normal.scheme(), "http" | "https") && normal.as_str().len() <= MOST_ADDRESS_BYTES;
    fits.then_some(normal)
}

/// The other addresses of a home page that visitors type: the other scheme, with and without `www.`. None for an IP
/// address, and no other scheme where a port is written.
pub fn origin_variants(start: &Url) -> Vec<Url> {
    let Some(Host::Domain(host)) = start.host() else { return Vec::new() };
    if start.port().is_some() || !host.contains('.') {
        return Vec::new();
    }
    let other = other_host(host);
    let mut variants = Vec::new();
    for scheme in ["https", "http"] {
        for host in [host, other.as_str()] {
            let variant = Url::parse(&format!("{scheme}://{host}/")).ok();
            variants.extend(variant.filter(|url| url.origin() != start.origin()));
        }
    }
    variants
}

/// The host with `www.`, or without it where it has it.
pub(crate) fn other_host(host: &str) -> String {
    host.strip_prefix("www.").map_or_else(|| format!("www.{host}"), str::to_owned)
}

/// In what two addresses of one page differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Variance {
    /// `http` or `https`, `www.` or not.
    Origin,
    /// A slash at the end of the path.
    Slash,
    /// Upper and lower case of the path.
    Case,
    /// The query.
    Query,
}

impl Variance {
    /// Each, in the order in which duplicates are explained by it.
    pub(crate) const ALL: [Self; 4] = [Self::Origin, Self::Slash, Self::Case, Self::Query];

    /// The address without what may differ so: equal for addresses that differ in nothing else.
    pub(crate) fn reduced(self, url: &str) -> String {
        let Ok(mut parsed) = Url::parse(url) else { return url.to_owned() };
        match self {
            Self::Origin => {
                let host = parsed.host_str().map(|host| host.strip_prefix("www.").unwrap_or(host)).unwrap_or_default();
                let port = parsed.port().map(|port| format!(":{port}")).unwrap_or_default();
                let query = parsed.query().map(|query| format!("?{query}")).unwrap_or_default();
                return format!("//{host}{port}{}{query}", parsed.path());
            }
            Self::Slash => {
                let path = parsed.path().trim_end_matches('/').to_owned();
                parsed.set_path(&path);
            }
            Self::Case => {
                let path = parsed.path().to_lowercase();
                parsed.set_path(&path);
            }
            Self::Query => parsed.set_query(None),
        }
        parsed.into()
    }
}

/// The directories of an address's path, from the root: `/a/b/c.html` has `a` and `b`.
pub(crate) fn directories(url: &Url) -> Vec<&str> {
    let mut segments: Vec<&str> = url.path().split('/').skip(1).collect();
    segments.pop();
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn one_page_has_one_key() {
        for (found, known) in [
            ("https://Example.com:443/%7ea?utm_source=x&b=1#c", Some("https://example.com/~a?b=1")),
            ("https://example.com/a;jsessionid=1F", Some("https://example.com/a")),
            ("mailto:a@example.com", None),
        ] {
            assert_eq!(key(&url(found)).as_ref().map(Url::as_str), known, "{found}");
        }
        assert_eq!(key(&url(&format!("https://example.com/{}", "a".repeat(3_000)))), None);
    }

    #[test]
    fn a_home_page_has_four_names() {
        let of = |text: &str| origin_variants(&url(text)).into_iter().map(String::from).collect::<Vec<_>>();
        assert_eq!(
            of("https://example.com/"),
            ["https://www.example.com/", "http://example.com/", "http://www.example.com/"]
        );
        assert_eq!(
            of("https://www.example.com/"),
            ["https://example.com/", "http://www.example.com/", "http://example.com/"]
        );
        assert!(of("http://127.0.0.1:8080/").is_empty() && of("http://example.com:8080/").is_empty());
    }

    #[test]
    fn addresses_are_compared_without_what_may_differ() {
        use Variance::{Case, Origin, Query, Slash};
        let same = |variance: Variance, a: &str, b: &str| variance.reduced(a) == variance.reduced(b);
        assert!(same(Origin, "http://www.example.com/a", "https://example.com/a"));
        assert!(!same(Origin, "https://example.com/a", "https://example.com/b"));
        assert!(same(Slash, "https://example.com/a/", "https://example.com/a"));
        assert!(same(Case, "https://example.com/A", "https://example.com/a"));
        assert!(!same(Case, "https://example.com/?A", "https://example.com/?a"));
        assert!(same(Query, "https://example.com/a?b", "https://example.com/a"));
    }
}
