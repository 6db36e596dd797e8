//! The canonical of a page as it should be: what its fixes write, and what every file made for the page names.

use url::Url;

use super::elements::LinkElement;
use super::hreflang::DeclaredAlternate;
use super::known::Facts;
use super::language_tag;
use super::link_header::HeaderLink;
use super::not_measured::NotMeasured;
use super::url_identity::{names_page, same_page, same_site, without_tracking};

/// Where a canonical is declared.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CanonicalOrigin<'f> {
    /// A `link` element of the head.
    Tag(&'f LinkElement),
    /// The `Link` header.
    Header(&'f HeaderLink),
}

/// A canonical that can name a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Canonical<'f> {
    /// Its address, resolved.
    pub(crate) url: &'f Url,
    /// Where it is declared.
    pub(crate) origin: CanonicalOrigin<'f>,
}

impl Canonical<'_> {
    /// Its address as written.
    pub(crate) fn written(&self) -> &str {
        match self.origin {
            CanonicalOrigin::Tag(link) => link.href.as_deref().unwrap_or_default(),
            CanonicalOrigin::Header(link) => &link.target,
        }
    }
}

impl Facts<'_> {
    /// The canonicals of the `Link` header, in order.
    pub(crate) fn header_canonicals(&self) -> impl Iterator<Item = &HeaderLink> {
        self.header_links().iter().filter(|link| link.is("canonical"))
    }

    /// The one usable canonical: of the head, or where the head has none, of the `Link` header. `Err(Absent)` where there
    /// is none, or where several differ.
    pub(crate) fn single_canonical(&self) -> Result<Canonical<'_>, NotMeasured> {
        let tags = self.canonical_links()?;
        let is_tagged = !tags.is_empty();
        let of_tags = tags
            .into_iter()
            .filter_map(|link| Some(Canonical { url: link.url.as_ref()?, origin: CanonicalOrigin::Tag(link) }));
        let of_header = self
            .header_canonicals()
            .filter(|_| !is_tagged)
            .filter_map(|link| Some(Canonical { url: link.url.as_ref()?, origin: CanonicalOrigin::Header(link) }));
        let mut usable = of_tags.chain(of_header).filter(|canonical| names_page(canonical.url));
        let first = usable.next().ok_or(NotMeasured::Absent)?;
        if usable.any(|other| other.url != first.url) { Err(NotMeasured::Absent) } else { Ok(first) }
    }

    /// The address of the one usable canonical. `Err(Absent)` where there is none, or where several differ.
    pub fn declared_canonical(&self) -> Result<&Url, NotMeasured> {
        Ok(self.single_canonical()?.url)
    }

    /// What the page says its own address is: its one valid canonical as its fixes leave it, unless that is known to lead
    /// to no page, else its final URL as a canonical should name it, without fragment, tracking and session parameters.
    pub fn own_url(&self) -> Result<Url, NotMeasured> {
        self.page()?;
        let single = self.single_canonical().ok().map(|canonical| canonical.url);
        let single = single.filter(|_| !matches!(self.canonical_target_fault(), Ok(Some(_))));
        let page = self.url()?;
        Ok(match single.filter(|canonical| !is_mistaken(self, page, canonical)) {
            Some(canonical) => mended(page, canonical),
            None => without_tracking(page),
        })
    }
}

/// An address as a canonical should write it: with the page's https on its own site, without tracking and session
/// parameters. Every fix of an address writes this, so that none undoes another.
pub fn mended(page: &Url, url: &Url) -> Url {
    let plain = without_tracking(url);
    let is_insecure = plain.scheme() == "http" && page.scheme() == "https" && same_site(&plain, page);
    let mut secure = plain.clone();
    if is_insecure && secure.set_scheme("https").is_ok() { secure } else { plain }
}

/// Whether a canonical takes a page out of search by mistake: it is named here as what it should be instead.
pub fn is_mistaken(facts: &Facts<'_>, page: &Url, canonical: &Url) -> bool {
    let own = without_tracking(page);
    names_home(page, canonical)
        || page_of_list(&own, canonical).is_some()
        || language_versions(facts, &own, canonical).is_some()
}

/// Whether a canonical is the bare home page of the page's host, and the page is not.
pub fn names_home(page: &Url, canonical: &Url) -> bool {
    let is_root = canonical.path() == "/" && canonical.query().is_none();
    canonical.host_str() == page.host_str() && is_root && !is_home(page.path())
}

/// Whether a path is the home page's under another name.
pub fn is_home(path: &str) -> bool {
    let is_alias = |segment: &str| {
        let stem = segment.split('.').next().unwrap_or_default().to_ascii_lowercase();
        matches!(stem.as_str(), "index" | "home" | "default" | "amp")
    };
    match path.split('/').filter(|segment| !segment.is_empty()).collect::<Vec<_>>().as_slice() {
        [] => true,
        [one] => is_alias(one) || is_language(one),
        [language, one] => is_language(language) && is_alias(one),
        _ => false,
    }
}

/// Whether a part of a path is a language: read strictly, `de`, `pt-br`, but no longer word that happens to be a code.
pub fn is_language(segment: &str) -> bool {
    let code = segment.split(['-', '_']).next().unwrap_or_default();
    code.len() == 2 && language_tag::corrected(segment).is_some()
}

/// The number of a page in a list whose first page the canonical names.
pub fn page_of_list(own: &Url, canonical: &Url) -> Option<u32> {
    let (number, list) = numbered(own);
    let (of_canonical, canonical_list) = numbered(canonical);
    let is_first = canonical_list == list && of_canonical.is_none_or(|number| number < 2);
    number.filter(|number| *number > 1 && is_first)
}

/// The number that an address has as a page of a list, and the address without it and without a slash at its end.
pub fn numbered(url: &Url) -> (Option<u32>, String) {
    let mut number = None;
    let mut plain = url.clone();
    plain.set_fragment(None);
    if let Some(query) = url.query() {
        let is_kept = |pair: &&str| {
            let found = pair.split_once('=').filter(|(name, _)| matches!(*name, "page" | "paged" | "pg"));
            let found = found.and_then(|(_, value)| value.parse().ok());
            number = number.or(found);
            found.is_none()
        };
        let remaining = query.split('&').filter(is_kept).collect::<Vec<_>>().join("&");
        plain.set_query(Some(remaining.as_str()).filter(|query| !query.is_empty()));
    }
    let path = url.path().trim_end_matches('/');
    let in_path = path.rsplit_once("/page/").and_then(|(before, last)| Some((before, last.parse().ok()?)));
    let (path, in_path) = in_path.map_or((path, None), |(before, found)| (before, Some(found)));
    plain.set_path(path);
    (number.or(in_path), plain.as_str().trim_end_matches('/').to_owned())
}

/// The entries of the page and of its canonical, where they are versions for different languages.
pub fn language_versions<'f>(
    facts: &'f Facts<'_>,
    own: &Url,
    canonical: &Url,
) -> Option<(&'f DeclaredAlternate, &'f DeclaredAlternate)> {
    let (page, other) = (version(facts, own)?, version(facts, canonical)?);
    (!same_page(canonical, own) && !page.lang.eq_ignore_ascii_case(&other.lang)).then_some((page, other))
}

/// The language alternate that an address is; the default of all languages is none.
pub fn version<'f>(facts: &'f Facts<'_>, wanted: &Url) -> Option<&'f DeclaredAlternate> {
    /// Alternates looked at: more than any site has languages and regions.
    const MOST: usize = 1_000;
    let alternates = facts.alternates().iter().take(MOST);
    let mut versions = alternates.filter(|found| !found.lang.trim().eq_ignore_ascii_case("x-default"));
    versions.find(|found| found.url.as_ref().is_some_and(|url| same_page(url, wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_names_of_the_home_page_are_told_from_pages() {
        for path in ["/", "/index.html", "/Home", "/default.aspx", "/amp/", "/en/", "/pt-BR", "/pt_br/index.php"] {
            assert!(is_home(path), "{path}");
        }
        for path in ["/bread", "/eng", "/en/bread", "/home/kitchen", "/english", "/xx"] {
            assert!(!is_home(path), "{path}");
        }
    }

    #[test]
    fn page_numbers_are_read_from_query_and_path() {
        let read = |text: &str| numbered(&Url::parse(text).unwrap());
        for (address, number, list) in [
            ("https://e.com/list?page=3", Some(3), "https://e.com/list"),
            ("https://e.com/list/?a=1&paged=2", Some(2), "https://e.com/list?a=1"),
            ("https://e.com/list/page/4/", Some(4), "https://e.com/list"),
            ("https://e.com/page/2", Some(2), "https://e.com"),
            ("https://e.com/list/?page=all", None, "https://e.com/list?page=all"),
            ("https://e.com/home/page/about", None, "https://e.com/home/page/about"),
        ] {
            assert_eq!(read(address), (number, list.to_owned()), "{address}");
        }
    }
}
