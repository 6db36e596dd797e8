//! Pages of the site that the audited one vouches for: the target of its canonical, its language alternates, and
//! itself over http.

use url::Url;

use super::site::{ProbedSite, Target};
use crate::facts::hreflang::{self, DeclaredAlternate};
use crate::facts::url_identity::{names_page, same_page, without_tracking};

/// Declared addresses that are gone through for one to ask: a page names few, and they are looked at after each answer.
pub(in crate::facts) const MOST_DECLARED: usize = 100;
/// Language alternates that are asked for: each costs the site a request.
const MOST_ALTERNATES: usize = 2;

/// The one canonical of head and header, when it is another page of this origin.
pub(in crate::facts) fn canonical_target(site: &ProbedSite<'_>) -> Option<Target> {
    let elements =
        site.html.into_iter().flat_map(|html| html.links_rel("canonical")).filter_map(|link| link.url.as_ref());
    let headers = site.header_links.iter().filter(|link| link.is("canonical")).filter_map(|link| link.url.as_ref());
    let mut declared = elements.chain(headers).filter(|url| names_page(url)).take(MOST_DECLARED);
    let first = declared.next()?;
    let is_one = declared.all(|other| other == first);
    (is_one && is_another(site, first)).then(|| Target::of(first.clone()))
}

/// The first language alternate to ask for.
pub(super) fn first_alternate(site: &ProbedSite<'_>) -> Option<Target> {
    alternate_targets(site).next()
}

/// The second one.
pub(super) fn second_alternate(site: &ProbedSite<'_>) -> Option<Target> {
    alternate_targets(site).nth(1)
}

/// Alternates of this origin, each address once, without the canonical target, which is asked for anyway. Not
/// `x-default`: it may lead a visitor on by language.
fn alternate_targets(site: &ProbedSite<'_>) -> impl Iterator<Item = Target> {
    let known = canonical_target(site).and_then(|target| target.url().cloned());
    let mut seen: Vec<Url> = known.into_iter().collect();
    let declared = hreflang::declared(site.html, &site.header_links).take(MOST_DECLARED);
    let mut out = Vec::new();
    for url in declared.filter(is_version).filter_map(|alternate| alternate.url) {
        if out.len() == MOST_ALTERNATES {
            break;
        }
        if names_page(&url) && is_another(site, &url) && !seen.iter().any(|known| same_page(known, &url)) {
            seen.push(url.clone());
            out.push(Target::of(url));
        }
    }
    out.into_iter()
}

pub(in crate::facts) fn is_version(alternate: &DeclaredAlternate) -> bool {
    !alternate.lang.trim().eq_ignore_ascii_case("x-default")
}

/// Whether an address is of this origin and not the page's own; what tracks a visitor makes no other page.
pub(in crate::facts) fn is_another(site: &ProbedSite<'_>, url: &Url) -> bool {
    site.is_own(url) && !same_page(&without_tracking(url), &without_tracking(&site.url))
}

/// The page's address over http, when https was asked for: else the redirects to the page tell. A port of its own has
/// no counterpart.
pub(in crate::facts) fn plain_http(site: &ProbedSite<'_>) -> Option<Target> {
    let asked_https = site.capture.requested_url.starts_with("https:");
    let mut url =
        Some(site.url.clone()).filter(|url| asked_https && url.scheme() == "https" && url.port().is_none())?;
    url.set_scheme("http").ok()?;
    Some(Target::of(url))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    const CANONICAL: &str = "<link rel=canonical href=/other>";

    fn path(target: Option<Target>) -> Option<String> {
        target?.url().map(ToString::to_string)
    }

    #[test]
    fn a_canonical_is_asked_for_when_it_is_one_and_another_page_of_the_origin() {
        let asked =
            |source: &str, header: &str| path(with_site(source, &[("link", header)], Vec::new(), canonical_target));
        assert_eq!(asked(CANONICAL, "").as_deref(), Some("https://example.com/other"));
        assert_eq!(asked("", "</b#c>; rel=canonical").as_deref(), Some("https://example.com/b"));
        assert_eq!(asked(CANONICAL, "</other>; rel=canonical").as_deref(), Some("https://example.com/other"));
        assert_eq!(asked(CANONICAL, "</b>; rel=canonical"), None);
        for source in [
            "<link rel=canonical href=/docs/page>",
            "<link rel=canonical href='/docs/page?utm_source=a'>",
            "<link rel=canonical href=//example.org/other>",
            "<link rel=canonical href=http://example.com/other>",
            "<link rel=canonical href=mailto:a@example.com>",
            "<p>x",
        ] {
            assert_eq!(asked(source, ""), None, "{source}");
        }
    }

    #[test]
    fn two_alternates_of_the_origin_are_asked_for_each_page_once() {
        let alternate = |lang: &str, href: &str| format!("<link rel=alternate hreflang={lang} href={href}>");
        let all: String = [
            ("en", "/docs/page"),
            ("x-default", "/"),
            ("de", "https://example.org/de"),
            ("fr", "/other"),
            ("pt", "/pt"),
            ("pt-br", "/pt#a"),
            ("es", "/es"),
            ("it", "/it"),
        ]
        .into_iter()
        .map(|(lang, href)| alternate(lang, href))
        .collect();
        let asked = |source: &str| {
            with_site(source, &[], Vec::new(), |site| (path(first_alternate(site)), path(second_alternate(site))))
        };
        let url = |path: &str| Some(format!("https://example.com{path}"));
        assert_eq!(asked(&format!("{CANONICAL}{all}")), (url("/pt"), url("/es")));
        assert_eq!(asked(&all), (url("/other"), url("/pt")));
        assert_eq!(asked(&alternate("pt", "/pt")), (url("/pt"), None));
        assert_eq!(asked("<p>x"), (None, None));
    }

    #[test]
    fn the_http_form_is_asked_for_where_https_was() {
        let asked = |requested: &str| {
            let mut capture = capture("<p>x", &[]);
            capture.requested_url = requested.to_owned();
            path(plain_http(&ProbedSite::new(&capture, None, None).unwrap()))
        };
        assert_eq!(asked("https://example.com/").as_deref(), Some("http://example.com/docs/page"));
        assert_eq!(asked("http://example.com/"), None);
    }
}
