//! Addresses of links, each read once: parsing one takes longer than finding that it was parsed.

use std::sync::Arc;

use url::Url;

use crate::facts::page::Html;

/// Places before and behind the one that is looked at first at which a `link` of the page before is looked for.
const NEAR: usize = 8;

/// Addresses of links that are kept at once, which take turns in these many places: a power of two.
const KEPT: usize = 256;

/// An address as it is written, and what it comes to.
type Known<'d> = Option<(&'d str, Option<Arc<Url>>)>;

/// Addresses of the links of a page, some of which a page had that was read before.
pub(super) struct LinkAddresses<'d, 'h> {
    /// The page, whose base is known.
    html: &'h Html,
    /// The page before, and the place among its links of the one that comes next; none where the pages read addresses
    /// differently.
    before: Option<(&'h Html, usize)>,
    /// Those that were read, each at the place that its first and last bytes say, or one that came later. One teaser is linked
    /// from its picture, its heading and its text.
    read: Vec<Known<'d>>,
}

impl<'d, 'h> LinkAddresses<'d, 'h> {
    /// Of a page that comes of another by changes of its source.
    pub(super) fn of(html: &'h Html, before: Option<&'h Html>) -> Self {
        let is_alike = |before: &&Html| before.base == html.base && before.charset.encoding == html.charset.encoding;
        Self { html, before: before.filter(is_alike).map(|before| (before, 0)), read: Vec::new() }
    }

    /// What the `href` of the next `a` comes to. One that came or is gone moves those behind it by one, which is made up for.
    pub(super) fn of_anchor(&mut self, href: &'d str) -> Option<Arc<Url>> {
        if let Some((before, next)) = &mut self.before {
            let known = [*next, *next + 1, next.saturating_sub(1)].into_iter().find_map(|at| {
                let anchor = before.anchors.get(at)?;
                let is_same = before.element(anchor.node)?.attribute("href") == Some(href);
                is_same.then_some((at, anchor))
            });
            *next = known.map_or(*next, |(at, _)| at) + 1;
            if let Some((_, anchor)) = known {
                return anchor.url.clone();
            }
        }
        if self.read.is_empty() {
            self.read.resize(KEPT, None);
        }
        let html = self.html;
        let Some(kept) = self.read.get_mut(place_of(href)) else { return html.resolve(href).map(Arc::new) };
        match kept {
            Some((known, url)) if *known == href => url.clone(),
            _ => {
                let url = html.resolve(href).map(Arc::new);
                *kept = Some((href, url.clone()));
                url
            }
        }
    }

    /// What the `href` of the next `link` comes to, without the white space around it.
    pub(super) fn of_link(&mut self, href: &str) -> Option<Url> {
        if let Some((before, next)) = &mut self.before {
            let first = next.saturating_sub(NEAR);
            let near = before.links.iter().enumerate().skip(first).take(2 * NEAR);
            let known = near.into_iter().find(|(_, link)| link.href.as_deref() == Some(href));
            if let Some((at, link)) = known {
                *next = at + 1;
                return link.url.clone();
            }
        }
        self.html.resolve(href)
    }
}

/// The place at which an address is kept.
fn place_of(href: &str) -> usize {
    /// Odd and without pattern, so that each bit of what it multiplies reaches the highest.
    const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
    let bytes = href.as_bytes();
    let end = bytes.last_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
    let start = bytes.first_chunk().map_or(0, |four| u64::from(u32::from_le_bytes(*four)));
    let mixed = (end ^ start.rotate_left(u32::BITS) ^ bytes.len() as u64).wrapping_mul(SPREAD);
    (mixed >> (u64::BITS - KEPT.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::page;
    use crate::facts::walk::Page;

    #[test]
    fn each_link_leads_where_it_says_however_many_there_are() {
        let links: String =
            (0..3 * KEPT).map(|at| format!("<a href=/{}/page>a</a><a href='b?{}'>b</a>", at % 300, at / 2)).collect();
        let html = Page::read(&page("https://example.com/page", format!("<base href=/c/>{links}"))).html.unwrap();
        assert_eq!(html.anchors.len(), 6 * KEPT);
        for anchor in &html.anchors {
            let href = html.element(anchor.node).unwrap().attribute("href").unwrap();
            assert_eq!(anchor.url(), html.resolve(href).as_ref(), "{href}");
        }
        let shared = |anchor: &crate::facts::elements::Anchor| anchor.url.as_ref().map_or(0, Arc::strong_count);
        assert!(html.anchors.iter().any(|anchor| shared(anchor) > 1));
    }

    #[test]
    fn a_place_is_one_of_those_that_there_are() {
        for href in ["", "a", "/a", "/abcdefg", "https://example.com/a?b#c"] {
            assert!(place_of(href) < KEPT, "{href}");
        }
    }
}
