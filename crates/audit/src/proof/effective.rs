//! What a page says of itself in effect: what a fix of one thing must leave as it is of all others.

use std::collections::BTreeMap;

use url::Url;

use super::subject::{self, FixSubject};
use crate::facts::Facts;
use crate::facts::hreflang::DeclaredAlternate;
use crate::facts::page::Html;

/// The effective values of a page, and how often it says what may be said once.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Effective {
    values: BTreeMap<FixSubject, Vec<String>>,
    /// Single-use tags by kind.
    tags: BTreeMap<String, usize>,
}

impl Effective {
    /// Of a page.
    pub(super) fn of(facts: &Facts<'_>, html: &Html) -> Self {
        let one = |value: Option<String>| value.into_iter().collect::<Vec<String>>();
        let meta = |name: &str| one(html.meta(name).map(str::to_owned));
        let canonical = html.links_rel("canonical").filter(|link| link.in_head);
        let directives = facts.directives().iter();
        let icon = html.links_rel("icon").find_map(|link| link.url.as_ref());
        let viewports = html.metas_named("viewport").filter_map(|meta| meta.content.clone());
        let lang = html.document.html().and_then(|root| root.attribute("lang"));
        let mut values = BTreeMap::from([
            (FixSubject::Title, one(html.title())),
            (FixSubject::Description, meta("description")),
            (
                FixSubject::Canonical,
                canonical.map(|link| link.url.as_ref().map(ToString::to_string).unwrap_or_default()).collect(),
            ),
            (FixSubject::Base, vec![html.base.to_string()]),
            (
                FixSubject::Robots,
                directives.map(|one| format!("{:?} {} {:?}", one.agent, one.name, one.value)).collect(),
            ),
            (FixSubject::Viewport, viewports.collect()),
            (FixSubject::Lang, one(lang.map(str::to_owned))),
            (FixSubject::Encoding, vec![html.charset.name().to_owned()]),
            (FixSubject::Hreflang, facts.alternates().iter().map(alternate).collect()),
            (FixSubject::Refresh, one(facts.refresh())),
            (FixSubject::Icons, one(icon.map(ToString::to_string))),
        ]);
        // The order and number of alternates is their form, what they are is the set.
        if let Some(alternates) = values.get_mut(&FixSubject::Hreflang) {
            alternates.sort();
            alternates.dedup();
        }
        let mut tags: BTreeMap<String, usize> = BTreeMap::new();
        let mut count = |name: &str| *tags.entry(name.to_owned()).or_default() += 1;
        html.titles.iter().for_each(|_| count("title"));
        html.links_rel("canonical").for_each(|_| count("canonical"));
        for meta in &html.metas {
            if let Some(key) = meta.social_key().filter(|key| is_single(key)) {
                count(key);
                if let Some(content) = &meta.content {
                    let stated = values.entry(subject::of_meta(key)).or_default();
                    if stated.is_empty() && !content.is_empty() {
                        stated.push(content.clone());
                    }
                }
            }
        }
        Self { values, tags }
    }

    /// What is said otherwise in `after`, of all but what `is_meant` takes.
    pub(super) fn moved<'a>(
        &'a self,
        after: &'a Self,
        is_meant: impl Fn(&FixSubject) -> bool,
        recoded: bool,
    ) -> Option<&'a FixSubject> {
        let none = Vec::new();
        let mut subjects = self.values.keys().chain(after.values.keys());
        subjects.find(|subject| {
            let [old, new] = [self, after].map(|page| page.values.get(subject).unwrap_or(&none));
            let is_same = if recoded { are_same_misread(old, new) } else { old == new };
            !is_same && !is_meant(subject)
        })
    }

    /// A tag that `after` has twice or more, and more often than this.
    pub(super) fn doubled<'a>(&self, after: &'a Self) -> Option<&'a str> {
        let before = |name: &str| self.tags.get(name).copied().unwrap_or_default();
        after.tags.iter().find(|(name, count)| **count > 1 && **count > before(name)).map(|(name, _)| name.as_str())
    }
}

/// An alternate, wherever on the page it stands.
fn alternate(one: &DeclaredAlternate) -> String {
    let address = one.url.as_ref().map_or(one.href.as_str(), Url::as_str);
    format!("{} {address} {:?}", one.lang, one.source)
}

/// Whether texts differ only in how their bytes were read. ASCII is the same in both, but for what a misread character has
/// swallowed: in GBK, Big5 and Shift_JIS its second byte may be one of ASCII (WHATWG Encoding §10.2.1).
fn are_same_misread(old: &[String], new: &[String]) -> bool {
    let is_same = |(old, new): (&String, &String)| holds_ascii_of(old, new) || holds_ascii_of(new, old);
    old.len() == new.len() && old.iter().zip(new).all(is_same)
}

/// Whether the ASCII characters of `part` are all in `whole`, in their order.
fn holds_ascii_of(whole: &str, part: &str) -> bool {
    let mut rest = whole.chars();
    part.chars().filter(char::is_ascii).all(|wanted| rest.any(|found| found == wanted))
}

/// Keys of `meta` of which one counts. Open Graph images and locales are lists.
fn is_single(key: &str) -> bool {
    match key.strip_prefix("og:") {
        Some(rest) => matches!(rest, "url" | "title" | "type" | "description" | "site_name" | "locale"),
        None => key.starts_with("twitter:") || matches!(key, "description" | "viewport"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::example::page;
    use crate::facts::site_files::SiteFiles;
    use crate::facts::walk::Page;

    fn effective(source: &str) -> Effective {
        let capture = page("https://example.com/page", source);
        let page = Page::read(&capture);
        let files = SiteFiles::read(&capture, &page);
        Effective::of(&Facts::new(&capture, &page, &files), page.html.as_ref().unwrap())
    }

    /// A page with this in its head.
    fn with(head: &str) -> Effective {
        effective(&format!("<!doctype html><html lang=en><head>{head}</head><body><h1>B</h1></body></html>"))
    }

    #[test]
    fn what_a_page_says_of_itself_moves_with_its_tag() {
        let check = |before: &str, after: &str, wanted: Option<FixSubject>| {
            let (old, new) = (with(before), with(after));
            assert_eq!(old.moved(&new, |_| false, false), wanted.as_ref(), "{before} then {after}");
            if let Some(wanted) = wanted {
                assert_eq!(old.moved(&new, |subject| *subject == wanted, false), None, "{before} then {after}, meant");
            }
        };
        let title = "<title>Bread</title>";
        check(title, title, None);
        check(title, "<title>Butter</title>", Some(FixSubject::Title));
        check("", title, Some(FixSubject::Title));
        check("<meta name=description content=a>", "<meta name=description content=b>", Some(FixSubject::Description));
        check("<link rel=canonical href=/a>", "<link rel=canonical href=/b>", Some(FixSubject::Canonical));
        check("", "<meta name=robots content=noindex>", Some(FixSubject::Robots));
        check("", "<meta name=viewport content='width=device-width'>", Some(FixSubject::Viewport));
        check("", "<base href=/other/>", Some(FixSubject::Base));
        check("", "<link rel=icon href=/i.png>", Some(FixSubject::Icons));
        check("", "<meta http-equiv=refresh content='5; url=/b'>", Some(FixSubject::Refresh));
        check("", "<link rel=alternate hreflang=pt href=/pt>", Some(FixSubject::Hreflang));
        check("", "<meta property=og:title content=a>", Some(FixSubject::Social("og:title".to_owned())));
        // Without a value nothing is stated, and of two the first counts.
        check("", "<meta property=og:title content=''>", None);
        let first = "<meta property=og:title content=a>";
        check(first, "<meta property=og:title content=a><meta property=og:title content=b>", None);
        // Images are lists.
        check("", "<meta property=og:image content=/a.png>", None);
    }

    #[test]
    fn an_alternate_is_its_language_and_its_address() {
        let of = |alternate: &str| with(&format!("<link rel=alternate {alternate}>"));
        let old = of("hreflang=pt href=/pt");
        for other in ["hreflang=es href=/pt", "hreflang=pt href=/es"] {
            assert_eq!(old.moved(&of(other), |_| false, false), Some(&FixSubject::Hreflang), "{other}");
        }
        assert_eq!(old.moved(&of("hreflang=pt href=https://example.com/pt"), |_| false, false), None);
    }

    #[test]
    fn alternates_are_a_set() {
        let [a, b] = ["<link rel=alternate hreflang=pt href=/pt>", "<link rel=alternate hreflang=es href=/es>"];
        let (old, new) = (with(&format!("{a}{b}")), with(&format!("{b}{a}{b}")));
        assert_eq!(old.moved(&new, |_| false, false), None);
    }

    #[test]
    fn in_another_encoding_only_ascii_is_compared() {
        let (old, new) = (with("<title>Pao \u{c3}\u{a3}</title>"), with("<title>Pao \u{e3}</title>"));
        assert_eq!(old.moved(&new, |_| false, true), None);
        assert_eq!(old.moved(&new, |_| false, false), Some(&FixSubject::Title));
        let other = with("<title>Pan \u{e3}</title>");
        assert_eq!(old.moved(&other, |_| false, true), Some(&FixSubject::Title));
        // Read as GBK, the low line is the second byte of a character.
        let (old, new) = (with("<title>Pao \u{79b5}b</title>"), with("<title>Pao \u{9636}_b</title>"));
        assert_eq!(old.moved(&new, |_| false, true), None);
        assert_eq!(new.moved(&old, |_| false, true), None);
        assert_eq!(with("").moved(&new, |_| false, true), Some(&FixSubject::Title));
    }

    #[test]
    fn a_tag_of_which_one_counts_is_doubled_only_by_what_adds_one() {
        let check = |before: &str, after: &str, wanted: Option<&str>| {
            assert_eq!(with(before).doubled(&with(after)), wanted, "{before} then {after}");
        };
        let title = "<title>a</title>";
        check(title, "<title>a</title><title>b</title>", Some("title"));
        check("", title, None);
        check("<title>a</title><title>b</title>", "<title>b</title><title>a</title>", None);
        let canonical = "<link rel=canonical href=/a>";
        check(canonical, &canonical.repeat(2), Some("canonical"));
        for key in ["og:url", "og:title", "og:type", "og:description", "og:site_name", "og:locale", "twitter:card"] {
            let tag = format!("<meta property={key} content=a>");
            check(&tag, &tag.repeat(2), Some(key));
        }
        for name in ["description", "viewport"] {
            let tag = format!("<meta name={name} content=a>");
            check(&tag, &tag.repeat(2), Some(name));
        }
        for listed in ["<meta property=og:image content=/a>", "<meta name=keywords content=a>"] {
            check(listed, &listed.repeat(2), None);
        }
    }
}
