//! Addresses of pages, with and without a language.

use audit::check::Family;
use http::{HeaderMap, HeaderName, header};
use model::lang::Lang;
use render::catalog;
use service::Services;
use url::Url;
use url::form_urlencoded::Serializer;

use crate::done::PARAMETER;

/// Addresses of an indexable page. The plain one is in the language that the browser prefers.
#[derive(Debug)]
pub(crate) struct Addresses {
    /// Absolute, as it was asked for: each language is a page of its own.
    pub(crate) canonical: String,
    /// Absolute, without a language.
    pub(crate) plain: String,
}

impl Addresses {
    /// Those of the page at a path, of which `query` asks for a language or not.
    pub(crate) fn new(services: &Services, path: &str, query: Option<&str>, lang: Lang) -> Self {
        Self { canonical: services.url(&with_lang(path, query, lang)), plain: services.url(path) }
    }
}

/// A path of ours in which a language that was asked for stays asked for.
pub(crate) fn with_lang(path: &str, query: Option<&str>, lang: Lang) -> String {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    let names_language = pairs.any(|(name, _)| name == "lang");
    if names_language { format!("{path}?lang={}", lang.tag()) } else { path.to_owned() }
}

/// Whether a text is a path of ours, with a query perhaps: no address of another host.
pub(crate) fn is_own_path(text: &str) -> bool {
    // Two slashes would name a host, and browsers read `\` as `/` (URL standard, "relative slash state").
    text.starts_with('/')
        && !text.starts_with("//")
        && !text.contains('\\')
        && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Path of the page that a reader came from, without its language and what was confirmed there; `None` where it is another host's,
/// the first page, or one of the account.
pub(crate) fn came_from(headers: &HeaderMap) -> Option<String> {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    let url = Url::parse(text(header::REFERER)?).ok()?;
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = url.path();
    let is_place = path != "/" && path != "/conta" && !path.starts_with("/conta/");
    if format!("{}{port}", url.host_str()?) != text(header::HOST)? || !is_place {
        return None;
    }
    let mut query = Serializer::new(String::new());
    query.extend_pairs(url.query_pairs().filter(|(name, _)| name != "lang" && name != PARAMETER));
    let query = query.finish();
    let mark = if query.is_empty() { "" } else { "?" };
    Some(format!("{path}{mark}{query}")).filter(|path| is_own_path(path))
}

/// What ends the path of a followed page whose alerts a guest asked for.
const WATCH: &str = "?watch=on";

/// Where an account begins that a guest asks for in order to get alerts about a followed page.
pub(crate) fn way_to_watch(tab: &str) -> String {
    format!("/workspace/{tab}{WATCH}")
}

/// The followed page of such a path.
pub(crate) fn tab_to_watch(path: &str) -> Option<&str> {
    path.strip_prefix("/workspace/")?.strip_suffix(WATCH).filter(|tab| !tab.is_empty() && !tab.contains(['/', '?']))
}

/// The tool that a query names: its findings come first in a report.
pub(crate) fn tool_of_query(query: Option<&str>) -> Option<&'static Family> {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.find(|(name, _)| name == "tool").and_then(|(_, slug)| catalog::family(&slug))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_the_path_of_a_followed_page_begins_a_watch() {
        assert_eq!(tab_to_watch(&way_to_watch("019c")), Some("019c"));
        for path in [
            "/workspace/019c",
            "/workspace?watch=on",
            "/workspace/?watch=on",
            "/workspace/019c/history?watch=on",
            "/conta?watch=on",
        ] {
            assert_eq!(tab_to_watch(path), None, "{path}");
        }
    }

    #[test]
    fn a_reader_came_from_a_page_of_ours_or_from_nowhere() {
        for (referer, path) in [
            ("http://a.example:81/reports/1?lang=en&tool=title&done=share#f-x", Some("/reports/1?tool=title")),
            ("http://a.example:81/checks", Some("/checks")),
            ("http://a.example/checks", None),
            ("https://evil.example/checks", None),
            ("http://a.example:81/", None),
            ("http://a.example:81/conta/out", None),
            ("http://a.example:81//evil.example", None),
            ("nonsense", None),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, HeaderValue::from_static("a.example:81"));
            headers.insert(header::REFERER, HeaderValue::from_static(referer));
            assert_eq!(came_from(&headers).as_deref(), path, "{referer}");
        }
    }
}
