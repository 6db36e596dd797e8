//! Pages of the site that the audited one vouches for: the target of its canonical, its language alternates, and
//! itself over http.

use std::borrow::Cow;

use model::capture::{Capture, Exchange, Fetched, WantKind};
use url::Url;

use super::change_password::refresh_target;
use super::site::{Site, Target};
use crate::check::NotMeasured;
use crate::facts::hreflang::{self, Alternate};
use crate::facts::page::{Html, is_html};
use crate::facts::sitemap::Presence;
use crate::facts::url_identity::{names_page, same_page, without_tracking};
use crate::facts::{Facts, challenge, link_header, robots_directives};

/// Declared addresses that are gone through for one to ask: a page names few, and they are looked at after each answer.
const MOST_DECLARED: usize = 100;
/// Language alternates that are asked for (`checks.md` §2.2).
const MOST_ALTERNATES: usize = 2;

/// The one canonical of head and header, when it is another page of this origin.
pub(super) fn canonical_target(site: &Site<'_>) -> Option<Target> {
    let elements =
        site.html.into_iter().flat_map(|html| html.links_rel("canonical")).filter_map(|link| link.url.as_ref());
    let headers = site.header_links.iter().filter(|link| link.is("canonical")).filter_map(|link| link.url.as_ref());
    let mut declared = elements.chain(headers).filter(|url| names_page(url)).take(MOST_DECLARED);
    let first = declared.next()?;
    let is_one = declared.all(|other| other == first);
    (is_one && is_another(site, first)).then(|| Target::of(first.clone()))
}

/// The first language alternate to ask for.
pub(super) fn first_alternate(site: &Site<'_>) -> Option<Target> {
    alternate_targets(site).next()
}

/// The second one.
pub(super) fn second_alternate(site: &Site<'_>) -> Option<Target> {
    alternate_targets(site).nth(1)
}

/// Alternates of this origin, each address once, without the canonical target, which is asked for anyway. Not
/// `x-default`: it may lead a visitor on by language.
fn alternate_targets(site: &Site<'_>) -> impl Iterator<Item = Target> {
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

fn is_version(alternate: &Alternate) -> bool {
    !alternate.lang.trim().eq_ignore_ascii_case("x-default")
}

/// Whether an address is of this origin and not the page's own; what tracks a visitor makes no other page.
fn is_another(site: &Site<'_>, url: &Url) -> bool {
    site.is_own(url) && !same_page(&without_tracking(url), &without_tracking(&site.url))
}

/// The page's address over http, when https was asked for: else the redirects to the page tell. A port of its own has
/// no counterpart.
pub(super) fn plain_http(site: &Site<'_>) -> Option<Target> {
    let asked_https = site.capture.requested_url.starts_with("https:");
    let mut url =
        Some(site.url.clone()).filter(|url| asked_https && url.scheme() == "https" && url.port().is_none())?;
    url.set_scheme("http").ok()?;
    Some(Target::of(url))
}

/// What an address that the page vouches for is instead of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TargetFault {
    /// It answers this status.
    Status(u16),
    /// It leads on with this status, finally to there.
    Redirect(u16, String),
    /// It asks Google not to index it.
    NoIndex,
    /// Its own alternates do not name the audited page.
    NoReturn,
}

/// What a request for a page came to. `Err` where it does not tell what others would get.
fn answered(fetched: &Fetched) -> Result<Result<&Exchange, TargetFault>, NotMeasured> {
    let exchange = match fetched {
        // Something leads on, whatever comes of it.
        Fetched::Failed(failure) => {
            let hop = failure.hops.first().ok_or(NotMeasured::Probe)?;
            return Ok(Err(TargetFault::Redirect(hop.status, failure.url.clone())));
        }
        Fetched::Response(exchange) => exchange,
    };
    if challenge::blocked(fetched).is_some() {
        return Err(NotMeasured::Probe);
    }
    if let Some(hop) = exchange.hops.first() {
        return Ok(Err(TargetFault::Redirect(hop.status, exchange.url.clone())));
    }
    match exchange.status {
        200..=299 => Ok(Ok(exchange)),
        401 | 403 | 429 => Err(NotMeasured::Probe),
        400..=499 => Ok(Err(TargetFault::Status(exchange.status))),
        _ => Err(NotMeasured::Probe),
    }
}

/// The answer to the request for an address, whatever it was asked for.
fn answer_of<'c>(capture: &'c Capture, url: &Url) -> Option<&'c Fetched> {
    let is_page = |kind| matches!(kind, WantKind::CanonicalTarget | WantKind::HreflangTarget);
    let mut pages = capture.extras.iter().filter(|extra| is_page(extra.want.kind));
    pages
        .find(|extra| Url::parse(&extra.want.url).is_ok_and(|asked| same_page(&asked, url)))
        .map(|extra| &extra.fetched)
}

impl Facts<'_> {
    /// What is wrong with the page that the canonical names, when it is another one of this origin. `Err(Absent)` where
    /// there is none such.
    pub(crate) fn canonical_target_fault(&self) -> Result<Option<(Url, TargetFault)>, NotMeasured> {
        let target = canonical_target(&self.site()?).ok_or(NotMeasured::Absent)?;
        let url = target.url().ok_or(NotMeasured::Probe)?;
        let fetched = answer_of(self.capture, url).ok_or(NotMeasured::Probe)?;
        Ok(answered(fetched)?.err().map(|fault| (url.clone(), fault)))
    }

    /// What is wrong with those language alternates of this origin that were asked for. `Err(Absent)` where there are
    /// none, `Err(Probe)` where no answer tells.
    pub(crate) fn alternate_faults(&self) -> Result<Vec<(&Alternate, TargetFault)>, NotMeasured> {
        let site = self.site()?;
        let own = self.own_url()?;
        let mut asked: Vec<Url> = Vec::new();
        let (mut found, mut is_known, mut is_absent) = (Vec::new(), false, true);
        for alternate in self.alternates().iter().take(MOST_DECLARED).filter(|alternate| is_version(alternate)) {
            let Some(url) = alternate.url.as_ref().filter(|url| names_page(url) && is_another(&site, url)) else {
                continue;
            };
            is_absent = false;
            if asked.iter().any(|known| same_page(known, url)) {
                continue;
            }
            let Some(fetched) = answer_of(self.capture, url) else { continue };
            asked.push(url.clone());
            let fault = match answered(fetched) {
                Err(_) => continue,
                Ok(Err(fault)) => Some(fault),
                Ok(Ok(exchange)) => self.version_fault(exchange, &own),
            };
            is_known = true;
            found.extend(fault.map(|fault| (alternate, fault)));
        }
        match (is_absent, is_known) {
            (true, _) => Err(NotMeasured::Absent),
            (false, false) => Err(NotMeasured::Probe),
            (false, true) => Ok(found),
        }
    }

    /// What keeps a language version that was read from being taken for one.
    fn version_fault(&self, exchange: &Exchange, own: &Url) -> Option<TargetFault> {
        let html = Some(exchange).filter(|exchange| is_html(exchange, self.capture.source)).and_then(Html::read);
        let directives = robots_directives::read(html.as_ref(), Some(exchange));
        let mut google = directives.iter().filter(|directive| robots_directives::for_google(directive));
        if google.any(|directive| matches!(directive.name.as_str(), "noindex" | "none")) {
            return Some(TargetFault::NoIndex);
        }
        let html = html.filter(has_whole_head)?;
        let back = hreflang::read(Some(&html), &link_header::read(exchange));
        let names_us = |url: &Url| same_page(url, own) || self.url().is_ok_and(|page| same_page(url, page));
        if back.iter().filter_map(|alternate| alternate.url.as_ref()).any(names_us) {
            return None;
        }
        // A version that declares nothing itself may do so in a sitemap.
        let elsewhere = back.is_empty() && !self.sitemaps().is_ok_and(|known| known.presence() == Presence::Missing);
        (!elsewhere).then_some(TargetFault::NoReturn)
    }

    /// Whether the page's address answers 2xx over http without leading to https; the address, if so.
    pub(crate) fn insecure_form(&self) -> Result<Option<String>, NotMeasured> {
        self.https()?;
        if !self.capture.requested_url.starts_with("https:") {
            // The way from http to here is the redirect.
            return Ok(None);
        }
        plain_http(&self.site()?).ok_or(NotMeasured::Absent)?;
        let extra = self.capture.extras.iter().find(|extra| extra.want.kind == WantKind::PlainHttp);
        let extra = extra.ok_or(NotMeasured::Probe)?;
        let exchange = extra.fetched.response().ok_or(NotMeasured::Probe)?;
        if challenge::blocked(&extra.fetched).is_some() {
            return Err(NotMeasured::Probe);
        }
        let location = match exchange.status {
            200..=299 => refresh_target(&exchange.body.bytes, exchange.header("refresh")).map(Cow::Owned),
            300..=399 => Some(Cow::Borrowed(exchange.header("location").ok_or(NotMeasured::Probe)?)),
            // Nothing is shown over http.
            _ => return Ok(None),
        };
        let Some(location) = location else { return Ok(Some(exchange.url.clone())) };
        let target =
            Url::parse(&exchange.url).ok().and_then(|url| url.join(&location).ok()).ok_or(NotMeasured::Probe)?;
        // One that stays on http may still lead to https at its next step.
        if target.scheme() == "https" { Ok(None) } else { Err(NotMeasured::Probe) }
    }
}

/// Whether the head was read to its end, so that what it lacks can be told.
fn has_whole_head(html: &Html) -> bool {
    let has_body = html.document.body().is_some_and(|body| body.start_tag().is_some());
    !html.cut || has_body || html.document.head().is_some_and(|head| head.end_tag().is_some())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::facts::page::Page;
    use crate::facts::site_files::SiteFiles;
    use model::capture::{BodyCut, Extra, FailureKind, Hop};

    const CANONICAL: &str = "<link rel=canonical href=/other>";
    const PAIR: &str = "<link rel=alternate hreflang=en href=/docs/page><link rel=alternate hreflang=pt href=/pt>";
    /// What a language version has that names the page back.
    const BACK: &str = "<link rel=alternate hreflang=en href=/docs/page>";

    fn path(target: Option<Target>) -> Option<String> {
        target?.url().map(ToString::to_string)
    }

    /// Asks facts of a page and answers.
    fn with_facts<T>(source: &str, extras: Vec<Extra>, with: impl FnOnce(&Facts<'_>) -> T) -> T {
        let mut capture = capture(source, &[]);
        capture.extras = extras;
        let page = Page::read(&capture);
        let files = SiteFiles::read(&capture, &page);
        with(&Facts::new(&capture, &page, &files))
    }

    fn no_robots() -> Vec<Extra> {
        let mut out = vec![extra(WantKind::RobotsTxt, "/robots.txt", 404, "text/plain", "")];
        for path in ["/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt"] {
            out.push(extra(WantKind::Sitemap, path, 404, "text/plain", ""));
        }
        out
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
            path(plain_http(&Site::new(&capture, None, None).unwrap()))
        };
        assert_eq!(asked("https://example.com/").as_deref(), Some("http://example.com/docs/page"));
        assert_eq!(asked("http://example.com/"), None);
    }

    #[test]
    fn a_canonical_target_must_answer_itself() {
        const KIND: WantKind = WantKind::CanonicalTarget;
        let fault = |extras| with_facts(CANONICAL, extras, |facts| facts.canonical_target_fault());
        let page = |status| extra(KIND, "/other", status, "text/html", "<p>x");
        let known = |fault: Result<Option<(Url, TargetFault)>, NotMeasured>| fault.unwrap().map(|(_, fault)| fault);
        assert_eq!(known(fault(vec![page(200)])), None);
        assert_eq!(known(fault(vec![page(404)])), Some(TargetFault::Status(404)));
        assert_eq!(known(fault(vec![page(410)])), Some(TargetFault::Status(410)));
        for unknown in [401, 403, 429, 500, 503, 304] {
            assert_eq!(fault(vec![page(unknown)]), Err(NotMeasured::Probe), "{unknown}");
        }
        let led = after_redirect(page(200), "https://example.com/docs/page");
        assert_eq!(
            known(fault(vec![led])),
            Some(TargetFault::Redirect(302, "https://example.com/docs/page".to_owned()))
        );
        assert_eq!(fault(vec![failed(KIND, "/other", FailureKind::Timeout)]), Err(NotMeasured::Probe));
        let mut looping = failed(KIND, "/other", FailureKind::Unreachable);
        if let Fetched::Failed(failure) = &mut looping.fetched {
            failure.hops.push(Hop { url: failure.url.clone(), status: 301, location: "/other".to_owned() });
        }
        assert_eq!(
            known(fault(vec![looping])),
            Some(TargetFault::Redirect(301, "https://example.com/other".to_owned()))
        );
        assert_eq!(fault(Vec::new()), Err(NotMeasured::Probe));
        assert_eq!(with_facts("<p>x", Vec::new(), |facts| facts.canonical_target_fault()), Err(NotMeasured::Absent));
    }

    #[test]
    fn a_language_version_must_answer_be_indexed_and_name_the_page_back() {
        let faults = |source: &str, mut extras: Vec<Extra>| {
            extras.extend(no_robots());
            with_facts(source, extras, |facts| {
                let faults = facts.alternate_faults()?;
                Ok::<_, NotMeasured>(
                    faults.into_iter().map(|(one, fault)| (one.lang.clone(), fault)).collect::<Vec<_>>(),
                )
            })
        };
        let page = |status, body: &str| extra(WantKind::HreflangTarget, "/pt", status, "text/html", body);
        let one = |fault| Ok(vec![("pt".to_owned(), fault)]);
        assert_eq!(faults(PAIR, vec![page(200, BACK)]), Ok(Vec::new()));
        assert_eq!(faults(PAIR, vec![page(404, "")]), one(TargetFault::Status(404)));
        assert_eq!(faults(PAIR, vec![page(200, "<p>x")]), one(TargetFault::NoReturn));
        assert_eq!(
            faults(PAIR, vec![page(200, &format!("<meta name=robots content=noindex>{BACK}"))]),
            one(TargetFault::NoIndex)
        );
        let by_header = with_header(page(200, "<p>x"), "link", "</docs/page>; rel=alternate; hreflang=en");
        assert_eq!(faults(PAIR, vec![by_header]), Ok(Vec::new()));
        let led = after_redirect(page(200, BACK), "https://example.com/br");
        assert_eq!(faults(PAIR, vec![led]), one(TargetFault::Redirect(302, "https://example.com/br".to_owned())));
        assert_eq!(faults(PAIR, vec![page(503, "")]), Err(NotMeasured::Probe));
        assert_eq!(faults(PAIR, Vec::new()), Err(NotMeasured::Probe));
        assert_eq!(faults(BACK, Vec::new()), Err(NotMeasured::Absent));
        let in_head = cut(page(200, "<meta charset=utf-8><title>x"), BodyCut::Size);
        assert_eq!(faults(PAIR, vec![in_head]), Ok(Vec::new()), "a return link may stand behind the cut");
        let behind = cut(page(200, "<meta charset=utf-8></head><p>x"), BodyCut::Size);
        assert_eq!(faults(PAIR, vec![behind]), one(TargetFault::NoReturn));
    }

    #[test]
    fn a_version_that_declares_nothing_may_do_so_in_a_sitemap() {
        let mut extras = no_robots();
        if let Some(Fetched::Response(sitemap)) = extras.get_mut(1).map(|extra| &mut extra.fetched) {
            sitemap.status = 200;
            sitemap.body.bytes = b"<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>".to_vec();
        }
        extras.truncate(2);
        extras.push(extra(WantKind::HreflangTarget, "/pt", 200, "text/html", "<p>x"));
        let count = |extras: Vec<Extra>| with_facts(PAIR, extras, |facts| facts.alternate_faults().unwrap().len());
        assert_eq!(count(extras.clone()), 0);
        extras.pop();
        let other = "<link rel=alternate hreflang=fr href=/fr>";
        extras.push(extra(WantKind::HreflangTarget, "/pt", 200, "text/html", other));
        assert_eq!(count(extras), 1);
    }

    #[test]
    fn http_must_lead_to_https_or_show_nothing() {
        const KIND: WantKind = WantKind::PlainHttp;
        const FORM: &str = "http://example.com/docs/page";
        let form = |extras| with_facts("<p>x", extras, |facts| facts.insecure_form());
        let page = |status, body: &str| extra(KIND, FORM, status, "text/html", body);
        assert_eq!(form(vec![page(200, "<p>x")]), Ok(Some(FORM.to_owned())));
        assert_eq!(form(vec![redirecting(KIND, FORM, 301, "https://example.com/docs/page")]), Ok(None));
        assert_eq!(form(vec![page(200, "<meta http-equiv=refresh content='0;url=https://example.com/'>")]), Ok(None));
        assert_eq!(form(vec![page(404, "")]), Ok(None));
        for unknown in [
            redirecting(KIND, FORM, 301, "http://www.example.com/"),
            redirecting(KIND, FORM, 301, "https://["),
            page(304, ""),
            page(429, ""),
            failed(KIND, FORM, FailureKind::Unreachable),
        ] {
            assert_eq!(form(vec![unknown]), Err(NotMeasured::Probe));
        }
        assert_eq!(form(Vec::new()), Err(NotMeasured::Probe));
    }
}
