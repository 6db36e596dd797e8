//! The page that is looked for in sitemaps: every address that names it.

use model::capture::Capture;
use model::time::{DAY_MS, Timestamp};
use url::Url;

use crate::facts::link_header;
use crate::facts::url_identity::identity;
use crate::facts::walk::Page;

/// Addresses of the audited page, in the form in which they are compared.
#[derive(Debug, Clone, Default)]
pub struct ListedPage {
    forms: Vec<String>,
    /// Not one page is looked for, but every one.
    is_every: bool,
    /// The page's host, where it answers https.
    secure_host: Option<String>,
    /// Dates behind this lie in the future; `None` where the time is not known.
    latest: Option<Timestamp>,
}

impl ListedPage {
    /// The page as sitemaps may list it: as asked for, as answered, and as each canonical says.
    pub fn of(capture: &Capture, page: &Page) -> Self {
        let exchange = capture.page.response();
        let header = exchange.map(link_header::read).unwrap_or_default();
        let of_header = header.iter().filter(|link| link.is("canonical")).filter_map(|link| link.url.as_ref());
        let links = page.html.iter().flat_map(|html| html.links_rel("canonical"));
        let of_page = links.filter_map(|link| link.url.as_ref());
        let requested = std::iter::once(capture.requested_url.as_str());
        let answered = exchange.map(|exchange| exchange.url.as_str());
        let url = exchange.and_then(|exchange| Url::parse(&exchange.url).ok()).filter(|url| url.scheme() == "https");
        Self {
            secure_host: url.and_then(|url| url.host_str().map(str::to_owned)),
            // A day of grace for clocks and zones.
            latest: Some(capture.started_at.plus_ms(DAY_MS)),
            ..Self::new(requested.chain(answered).chain(of_header.chain(of_page).map(Url::as_str)))
        }
    }

    /// The page under all of its addresses; what is no URL is passed over.
    pub fn new<'u>(urls: impl IntoIterator<Item = &'u str>) -> Self {
        let mut forms: Vec<String> =
            urls.into_iter().filter_map(|url| Url::parse(url).ok()).map(|url| identity(&url)).collect();
        forms.sort_unstable();
        forms.dedup();
        Self { forms, ..Self::default() }
    }

    /// Every page: of a file all entries are kept.
    pub fn every() -> Self {
        Self { is_every: true, ..Self::default() }
    }

    /// Whether every page is looked for.
    pub(super) fn is_every(&self) -> bool {
        self.is_every
    }

    /// Whether an address of a sitemap names the page.
    pub(super) fn is(&self, loc: &str) -> bool {
        if self.is_every {
            return true;
        }
        // Most addresses of a large file need no parsing to be told apart.
        plain_path(loc).is_none_or(|path| self.forms.iter().any(|form| form.ends_with(path))) && self.is_parsed(loc)
    }

    /// Whether an address is the page's host without the encryption that it has.
    pub(super) fn is_insecure(&self, loc: &str) -> bool {
        let host = self
            .secure_host
            .as_deref()
            .filter(|_| loc.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://")));
        let named = loc.get(7..).and_then(|rest| rest.split(['/', '?', '#']).next());
        host.zip(named).is_some_and(|(host, named)| named.eq_ignore_ascii_case(host))
    }

    /// Whether a date is no later than the audit.
    pub(super) fn is_past(&self, date: Timestamp) -> bool {
        self.latest.is_none_or(|latest| date <= latest)
    }

    fn is_parsed(&self, loc: &str) -> bool {
        Url::parse(loc).is_ok_and(|url| self.forms.contains(&identity(&url)))
    }
}

/// Path and query of an http(s) address in which no byte after the host is changed by parsing.
fn plain_path(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))?;
    let (host, path) = rest.split_at_checked(rest.find('/')?)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'~' | b'.' | b':');
    let plain_host = !host.is_empty() && host.bytes().all(is_plain);
    let plain_path = path.bytes().all(|byte| is_plain(byte) || matches!(byte, b'/' | b'?' | b'=' | b'&'));
    (plain_host && plain_path && !path.contains("/.")).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn any_spelling_of_an_address_is_the_page() {
        let target = ListedPage::new(["https://example.com/a?b=1", "not a url", "https://example.com/caf%c3%a9"]);
        for loc in [
            "https://example.com/a?b=1",
            "HTTPS://EXAMPLE.com:443/x/../a?b=1#c",
            "https://example.com/%61?b=1",
            "https://example.com/café",
        ] {
            assert!(target.is(loc), "{loc}");
        }
        for loc in ["https://example.com/a", "http://example.com/a?b=1", "/a?b=1", "https://example.com/A?b=1", ""] {
            assert!(!target.is(loc), "{loc}");
        }
    }

    proptest! {
        #[test]
        fn the_short_way_agrees_with_parsing(path in "/[a-c/.%?=&#é ]{0,8}", other in "[/?#\\\\]?[a-c/.%?=&#é ]{0,8}") {
            let (page, loc) = (format!("https://e.com{path}"), format!("https://E.com{other}"));
            let target = ListedPage::new([page.as_str()]);
            prop_assert_eq!(target.is(&loc), target.is_parsed(&loc));
        }
    }
}
