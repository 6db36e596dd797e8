//! Language alternates: `link` elements, `Link` header, sitemap entry.

use super::document::NodeId;
use super::link_header::HeaderLink;
use super::page::Html;

/// One declared alternate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternate {
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

/// Alternates of elements and header, in that order.
pub fn read(html: Option<&Html>, header: &[HeaderLink]) -> Vec<Alternate> {
    declared(html, header).collect()
}

/// The same, read one by one.
pub(crate) fn declared<'h>(html: Option<&'h Html>, header: &'h [HeaderLink]) -> impl Iterator<Item = Alternate> + 'h {
    let links = html.into_iter().flat_map(|html| {
        html.links_rel("alternate").filter_map(|link| {
            let lang = html.element(link.node)?.attribute("hreflang")?;
            Some(Alternate {
                lang: lang.to_owned(),
                href: link.href.clone().unwrap_or_default(),
                url: link.url.clone(),
                source: AlternateSource::Link,
                node: Some(link.node),
            })
        })
    });
    let headers = header.iter().filter(|link| link.is("alternate")).filter_map(|link| {
        Some(Alternate {
            lang: link.parameter("hreflang")?.to_owned(),
            href: link.target.clone(),
            url: link.url.clone(),
            source: AlternateSource::Header,
            node: None,
        })
    });
    links.chain(headers)
}
