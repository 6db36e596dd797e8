//! Links within a site that ask not to be followed.

use std::collections::HashSet;
use std::sync::LazyLock;

use url::Url;

use super::by_design::{is_comment_link, is_partner_link};
use super::elements::{Anchor, Reach};
use super::page::Html;

/// Words of paths that owners keep crawlers from with good reason. Source and date in the file.
static PRIVATE: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| include_str!("../data/private_paths.txt").lines().filter(|line| !line.starts_with('#')).collect());

/// Whether an address is of a kind that crawlers have no business with.
pub(crate) fn is_private(url: &Url) -> bool {
    let path = url.path().to_ascii_lowercase();
    url.query().is_some()
        || path.split('/').any(|part| PRIVATE.contains(part))
        || path.split(['/', '-', '_', '.']).any(|word| PRIVATE.contains(word))
}

/// Whether a link keeps crawlers from a page of its own site that nobody would keep from them: not one that readers
/// wrote, was paid for, leads to this page itself, to a redirect of an affiliate, or to a form, a cart or the like.
pub(crate) fn is_needless(html: &Html, anchor: &Anchor) -> bool {
    let page = html.url.as_str().split('#').next();
    let (Some(link), Some(url)) = (html.element(anchor.node), anchor.url()) else { return false };
    anchor.nofollow
        && anchor.reach == Reach::Internal
        && url.as_str().split('#').next() != page
        && !is_private(url)
        && !is_partner_link(link, url)
        && !is_comment_link(link)
}
