//! Addresses of pages, with and without a language.

use audit::check::Family;
use model::lang::Lang;
use render::catalog;
use service::Services;

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

/// The tool that a query names: its findings come first in a report.
pub(crate) fn tool_of_query(query: Option<&str>) -> Option<&'static Family> {
    let mut pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    pairs.find(|(name, _)| name == "tool").and_then(|(_, slug)| catalog::family(&slug))
}
