//! Language alternates: `link` elements, `Link` header, sitemap entry.

use std::collections::HashSet;

use super::document::NodeId;
use super::link_header::HeaderLink;
use super::page::Html;

/// One declared alternate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredAlternate {
    /// `hreflang` as written.
    pub lang: String,
    /// `href` as written.
    pub href: String,
    /// Resolved absolute URL.
    pub url: Option<url::Url>,
    /// Where it is declared.
    pub source: AlternateSource,
    /// The element, when it is one.
    pub node: Option<NodeId>,
}

/// Where an alternate is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlternateSource {
    /// A `link` element in the head.
    Link,
    /// The `Link` response header.
    Header,
    /// The page's sitemap entry.
    Sitemap,
}

impl AlternateSource {
    /// The wire word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Header => "header",
            Self::Sitemap => "sitemap",
        }
    }
}

/// Alternates of elements and header, in that order. Elements count in the head only, where search engines read them, and
/// those that a stray element pushed out of it.
pub fn read(html: Option<&Html>, header: &[HeaderLink]) -> Vec<DeclaredAlternate> {
    declared(html, header).collect()
}

/// Alternates of elements that an author put into the body: search engines ignore them.
pub fn outside_head(html: &Html) -> impl Iterator<Item = DeclaredAlternate> + '_ {
    of_elements(html).filter(|(_, counts)| !counts).map(|(alternate, _)| alternate)
}

/// Alternates of elements, each with whether it counts.
fn of_elements(html: &Html) -> impl Iterator<Item = (DeclaredAlternate, bool)> + '_ {
    let lost: HashSet<NodeId> = html.lost_head.iter().flat_map(|broken| &broken.lost).copied().collect();
    html.links_rel("alternate").filter_map(move |link| {
        let lang = html.element(link.node)?.attribute("hreflang")?;
        let alternate = DeclaredAlternate {
            lang: lang.to_owned(),
            href: link.href.clone().unwrap_or_default(),
            url: link.url.clone(),
            source: AlternateSource::Link,
            node: Some(link.node),
        };
        Some((alternate, link.in_head || lost.contains(&link.node)))
    })
}

/// The same as [`read`], one by one.
pub(crate) fn declared<'h>(
    html: Option<&'h Html>,
    header: &'h [HeaderLink],
) -> impl Iterator<Item = DeclaredAlternate> + 'h {
    let links = html.into_iter().flat_map(of_elements).filter(|(_, counts)| *counts).map(|(alternate, _)| alternate);
    let headers = header.iter().filter(|link| link.is("alternate")).filter_map(|link| {
        Some(DeclaredAlternate {
            lang: link.parameter("hreflang")?.to_owned(),
            href: link.target.clone(),
            url: link.url.clone(),
            source: AlternateSource::Header,
            node: None,
        })
    });
    links.chain(headers)
}
