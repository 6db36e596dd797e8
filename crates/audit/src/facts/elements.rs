//! Elements that many checks ask for, read once: `meta`, `link` and `a`.

use std::sync::Arc;

use url::Url;

use super::document::{Element, NodeId, collapse};
use super::names::has_name;

/// A `meta` element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Meta {
    /// The element.
    pub node: NodeId,
    /// `name`, trimmed and in lower case.
    pub name: Option<String>,
    /// `property`, trimmed and in lower case.
    pub property: Option<String>,
    /// `http-equiv`, trimmed and in lower case.
    pub http_equiv: Option<String>,
    /// `content`, white space collapsed.
    pub content: Option<String>,
    /// `value` of an element without `content`, white space collapsed: a slip that leaves it without effect.
    pub misspelt_content: Option<String>,
    /// Whether it is below `head`.
    pub in_head: bool,
}

impl Meta {
    /// Reads a `meta`.
    pub(super) fn read(element: Element<'_>) -> Self {
        let lower = |name| element.attribute(name).map(|value| value.trim().to_ascii_lowercase());
        Self {
            node: element.id(),
            name: lower("name"),
            property: lower("property"),
            http_equiv: lower("http-equiv"),
            content: element.attribute("content").map(collapse),
            misspelt_content: element.attribute("value").filter(|_| !element.has("content")).map(collapse),
            in_head: in_head(element),
        }
    }

    /// `property`, else `name`: what social readers take.
    pub fn social_key(&self) -> Option<&str> {
        self.property.as_deref().or(self.name.as_deref())
    }

    /// The keys under which social readers may take its content: `property` is a list (RDFa Core 1.1, 5), `name` is not.
    pub fn social_keys(&self) -> impl Iterator<Item = &str> {
        let name = self.name.as_deref().filter(|_| self.property.is_none());
        self.property.as_deref().unwrap_or_default().split_ascii_whitespace().chain(name)
    }

    /// Whether its content is for one reader only: one can be changed for no other.
    pub fn has_one_reader(&self) -> bool {
        let properties = self.property.as_deref().map_or(0, |list| list.split_ascii_whitespace().count().max(1));
        [&self.name, &self.http_equiv].into_iter().flatten().count() + properties == 1
    }
}

/// The properties of `article` that ogp.me and Meta's documentation define. No consumer reads any other.
const OF_ARTICLES: [&str; 9] = [
    "published_time",
    "modified_time",
    "expiration_time",
    "author",
    "section",
    "tag",
    "publisher",
    "content_tier",
    "opinion",
];

/// Whether a key belongs in `property`: one of Open Graph, of Facebook, or a property of `article`.
pub(crate) fn is_property(key: &str) -> bool {
    ["og:", "fb:"].iter().any(|start| key.starts_with(start))
        || key.strip_prefix("article:").is_some_and(|name| OF_ARTICLES.contains(&name))
}

/// A `link` element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkElement {
    /// The element.
    pub node: NodeId,
    /// `rel` tokens in lower case.
    pub rels: Vec<String>,
    /// `href` as written, without the spaces around it that a URL may have.
    pub href: Option<String>,
    /// `href` resolved.
    pub url: Option<Url>,
    /// Whether it is below `head`.
    pub in_head: bool,
}

impl LinkElement {
    /// Reads a `link`; `resolve` makes an address absolute.
    pub(super) fn read(element: Element<'_>, resolve: impl FnOnce(&str) -> Option<Url>) -> Self {
        let href = element.attribute("href").map(|href| href.trim_matches(|c| c <= ' ').to_owned());
        Self {
            node: element.id(),
            rels: element
                .attribute("rel")
                .unwrap_or_default()
                .split_ascii_whitespace()
                .map(str::to_ascii_lowercase)
                .collect(),
            url: href.as_deref().filter(|href| !href.is_empty()).and_then(resolve),
            href,
            in_head: in_head(element),
        }
    }

    /// Whether `rel` has the token.
    pub fn is(&self, rel: &str) -> bool {
        self.rels.iter().any(|token| token == rel)
    }
}

/// Where an `a[href]` leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// http(s) on the page's host.
    Internal,
    /// http(s) elsewhere.
    External,
    /// mailto, tel, javascript and the like, or not a URL.
    Other,
}

/// An `a[href]` element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    /// The element.
    pub node: NodeId,
    /// `href` resolved; `None` when it is no URL. Of a changed page it is the same as before.
    pub(super) url: Option<Arc<Url>>,
    /// Where it leads.
    pub reach: Reach,
    /// `rel` has `nofollow`.
    pub nofollow: bool,
    /// It has an accessible name.
    pub named: bool,
}

impl Anchor {
    /// Reads an `a` of a page at `page`; `None` for one without `href`.
    pub(super) fn read<'d>(
        element: Element<'d>,
        page: &Url,
        resolve: impl FnOnce(&'d str) -> Option<Arc<Url>>,
    ) -> Option<Self> {
        let href = element.attribute("href")?;
        let url = resolve(href);
        let reach = match &url {
            Some(url) if matches!(url.scheme(), "http" | "https") => {
                if url.host_str() == page.host_str() {
                    Reach::Internal
                } else {
                    Reach::External
                }
            }
            _ => Reach::Other,
        };
        let (nofollow, named) = (has_rel(element, "nofollow"), has_name(element));
        Some(Self { node: element.id(), url, reach, nofollow, named })
    }

    /// Where it leads, resolved; `None` when that is no URL.
    pub fn url(&self) -> Option<&Url> {
        self.url.as_deref()
    }
}

/// The values of a link's `rel`. Search engines read a list with commas too (Google, "Qualify your outbound links").
pub(crate) fn rel_values<'d>(link: Element<'d>) -> impl Iterator<Item = &'d str> {
    let rel = link.attribute("rel").unwrap_or_default();
    rel.split(|c: char| c == ',' || c.is_ascii_whitespace()).filter(|value| !value.is_empty())
}

/// Whether one of a link's `rel` values is this one, as search engines read them.
pub(crate) fn has_rel(link: Element<'_>, value: &str) -> bool {
    rel_values(link).any(|found| found.eq_ignore_ascii_case(value))
}

/// Whether a script of its own or a field asks for a passkey.
pub(super) fn asks_for_passkey(element: Element<'_>) -> bool {
    match element.is("script") {
        true => !element.has("src") && element.texts().any(asks_passkey),
        false => element.has_token("autocomplete", "webauthn"),
    }
}

/// Whether the text of a script asks for a passkey (WebAuthn).
pub(super) fn asks_passkey(script: &str) -> bool {
    script.contains("navigator.credentials")
}

fn in_head(element: Element<'_>) -> bool {
    element.ancestors().any(|ancestor| ancestor.is("head"))
}
