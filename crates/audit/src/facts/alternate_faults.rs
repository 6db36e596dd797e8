//! What is wrong with the language alternates of the page's origin that were asked for.

use model::capture::Exchange;
use url::Url;

use super::content_type::is_html;
use super::discovery::named_pages::{MOST_DECLARED, is_another, is_version};
use super::hreflang::{self, DeclaredAlternate};
use super::known::Facts;
use super::named_page::{TargetFault, answer_of, answered};
use super::not_measured::NotMeasured;
use super::page::Html;
use super::sitemap_survey::Presence;
use super::url_identity::{names_page, same_page};
use super::{link_header, robots_directives};

impl Facts<'_> {
    /// What is wrong with those language alternates of this origin that were asked for. `Err(Absent)` where there are
    /// none, `Err(Probe)` where no answer tells.
    pub(crate) fn alternate_faults(&self) -> Result<Vec<(&DeclaredAlternate, TargetFault)>, NotMeasured> {
        let site = self.site()?;
        let own = self.own_url()?;
        let mut judged: Vec<Url> = Vec::new();
        let (mut found, mut is_known, mut is_absent) = (Vec::new(), false, true);
        for alternate in self.alternates().iter().take(MOST_DECLARED).filter(|alternate| is_version(alternate)) {
            let Some(url) = alternate.url.as_ref().filter(|url| names_page(url) && is_another(&site, url)) else {
                continue;
            };
            is_absent = false;
            if judged.iter().any(|known| same_page(known, url)) {
                continue;
            }
            let Some(fetched) = answer_of(self.capture, url) else { continue };
            judged.push(url.clone());
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
}

/// Whether the head was read to its end, so that what it lacks can be told.
fn has_whole_head(html: &Html) -> bool {
    let has_body = html.document.body().is_some_and(|body| body.start_tag().is_some());
    !html.cut || has_body || html.document.head().is_some_and(|head| head.end_tag().is_some())
}

#[cfg(test)]
mod tests {
    use model::capture::{BodyCut, Extra, Fetched, WantKind};

    use super::*;
    use crate::facts::discovery::testing::*;

    const PAIR: &str = "<link rel=alternate hreflang=en href=/docs/page><link rel=alternate hreflang=pt href=/pt>";
    /// What a language version has that names the page back.
    const BACK: &str = "<link rel=alternate hreflang=en href=/docs/page>";

    fn no_robots() -> Vec<Extra> {
        let mut out = vec![extra(WantKind::RobotsTxt, "/robots.txt", 404, "text/plain", "")];
        for path in ["/sitemap.xml", "/sitemap_index.xml", "/sitemap.txt"] {
            out.push(extra(WantKind::Sitemap, path, 404, "text/plain", ""));
        }
        out
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
        assert_eq!(faults(PAIR, vec![in_head]), Ok(Vec::new()), "a return link may come after the cut");
        let behind = cut(page(200, "<meta charset=utf-8></head><p>x"), BodyCut::Size);
        assert_eq!(faults(PAIR, vec![behind]), one(TargetFault::NoReturn));
    }

    #[test]
    fn a_version_that_declares_nothing_may_do_so_in_a_sitemap() {
        let mut extras = no_robots();
        if let Some(Fetched::Response(sitemap)) = extras.get_mut(1).map(|extra| &mut extra.fetched) {
            sitemap.status = 200;
            sitemap.body.bytes = "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'/>".into();
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
}
