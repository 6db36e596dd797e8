//! What to fetch next beside the page: a pure function of what has come in.

use model::capture::{Capture, Want, WantKind};

use crate::facts::discovery::{self, ProbedSite};
use crate::facts::page::Html;
use crate::facts::site_files::SiteFiles;
use crate::facts::sitemap_survey;
use crate::facts::walk::Page;

/// Files that need nothing but the final address, most important first, so that they can be fetched while the page is
/// parsed. Never names what the capture has.
pub fn wanted_first(capture: &Capture) -> Vec<Want> {
    let Some(site) = ProbedSite::new(capture, None, None) else { return Vec::new() };
    let mut wants = robots_txt(capture, &site);
    wants.extend(discovery::wants(&site, false));
    wants
}

/// All files still to fetch, most important first; empty when there is nothing more. Never names what the capture has.
///
/// The probes among them are never more than [`discovery::probe_gets_left`].
pub fn wanted(capture: &Capture, page: &Page, files: &SiteFiles) -> Vec<Want> {
    let Some(site) = ProbedSite::new(capture, page.html.as_ref(), None) else { return Vec::new() };
    let mut wants = robots_txt(capture, &site);
    wants.extend(sitemap_survey::wanted(capture, files));
    wants.extend(discovery::wants(&site, true));
    wants
}

/// Why something that was wanted was not asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// Its time was up.
    Time,
    /// The probes had spent their requests.
    Budget,
}

/// What is wanted still of an audit that has ended, past the budget of the probes too.
pub(crate) fn unsent(capture: &Capture, html: Option<&Html>, files: &SiteFiles) -> Vec<(Want, Why)> {
    let Some(site) = ProbedSite::new(capture, html, None) else { return Vec::new() };
    let files = robots_txt(capture, &site).into_iter().chain(sitemap_survey::wanted(capture, files));
    let left = discovery::probe_gets_left(capture);
    let probes = discovery::all_wants(&site, true).enumerate();
    let probes = probes.map(|(place, want)| (want, if place < left { Why::Time } else { Why::Budget }));
    files.map(|file| (file, Why::Time)).chain(probes).collect()
}

/// Outside the budget of the probes.
fn robots_txt(capture: &Capture, site: &ProbedSite<'_>) -> Vec<Want> {
    let is_asked = capture.extras.iter().any(|extra| extra.want.kind == WantKind::RobotsTxt);
    let url = site.address("/robots.txt").filter(|_| !is_asked);
    url.map(|url| Want { kind: WantKind::RobotsTxt, url: url.into() }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::discovery::{PROBE_GETS, probe_gets_left};
    use model::capture::{Body, Exchange, Extra, FailureKind, FetchFailure, Fetched, Hop, Source, Timing, WantKind::*};
    use model::time::Timestamp;

    /// Calls for every conditional probe.
    const ALL: &str = "<input type=password autocomplete=webauthn><meta name=google-play-app content=x>
        <meta name=apple-itunes-app content=x><a href=/.well-known/oauth-protected-resource>a</a>
        <a href=/.well-known/oauth-authorization-server>b</a><a href=/.well-known/openid-configuration>c</a>
        <a href=/.well-known/agent-card.json>d</a>";

    fn response(url: &str, status: u16, hops: usize, body: &str) -> Fetched {
        let hop = Hop { url: url.to_owned(), status: 302, location: "/".to_owned() };
        Fetched::Response(Exchange {
            hops: vec![hop; hops],
            url: url.to_owned(),
            status,
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            body: Body { bytes: body.into(), ..Body::default() },
            timing: Timing::default(),
            ambiguous_length: false,
            certificate: None,
        })
    }

    fn capture(source: &str) -> Capture {
        Capture {
            requested_url: "https://example.com/".to_owned(),
            started_at: Timestamp(0),
            nonce: "0f".repeat(16),
            source: Source::Network,
            page: response("https://example.com/a/b?c#d", 200, 0, source),
            extras: Vec::new(),
            field_data: None,
        }
    }

    fn all_wanted(capture: &Capture, page: &Page) -> Vec<Want> {
        wanted(capture, page, &SiteFiles::read(capture, page))
    }

    fn kinds(wants: &[Want]) -> Vec<WantKind> {
        wants.iter().map(|want| want.kind).collect()
    }

    /// Asks as the engine does, `at_once` at a time, and answers each with `status` after `hops` redirects.
    fn asked(source: &str, at_once: usize, status: u16, hops: usize) -> (Vec<WantKind>, Capture) {
        let mut capture = capture(source);
        let page = Page::read(&capture);
        let mut order = Vec::new();
        for is_read in [false, true] {
            loop {
                let wants = if is_read { all_wanted(&capture, &page) } else { wanted_first(&capture) };
                if wants.is_empty() {
                    break;
                }
                for want in wants.into_iter().take(at_once) {
                    order.push(want.kind);
                    let fetched = response(&want.url, status, hops, "");
                    capture.extras.push(Extra { want, fetched });
                }
            }
        }
        (order, capture)
    }

    #[test]
    fn what_needs_only_the_address_is_wanted_before_the_page_is_read() {
        let capture = capture(ALL);
        let wants = wanted_first(&capture);
        let urls: Vec<&str> = wants.iter().map(|want| want.url.as_str()).collect();
        assert_eq!(
            urls,
            [
                "https://example.com/robots.txt",
                "https://example.com/0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f",
                "https://example.com/.well-known/security.txt",
                "https://example.com/.well-known/api-catalog",
            ]
        );
        let page = Page::read(&capture);
        assert_eq!(
            kinds(&all_wanted(&capture, &page)),
            [
                RobotsTxt,
                NotFound,
                Llms,
                SecurityTxt,
                ApiCatalog,
                Favicon,
                NotFoundWellKnown,
                ChangePassword,
                AssetLinks,
                AppleApp,
                OauthResource,
                OauthServer,
                OpenidConfig,
                AgentCard,
                Webauthn,
                PlainHttp,
            ]
        );
    }

    #[test]
    fn a_plain_page_is_asked_the_fixed_files_once_each() {
        for status in [200, 403, 500] {
            let (mut order, _) = asked("<p>x", 1, status, 0);
            order.retain(|kind| *kind != Sitemap);
            assert_eq!(order, [RobotsTxt, NotFound, SecurityTxt, ApiCatalog, Llms, Favicon, PlainHttp], "{status}");
        }
        let (mut order, _) = asked("<p>x", 9, 404, 0);
        order.retain(|kind| *kind != Sitemap);
        let fixed = [RobotsTxt, NotFound, SecurityTxt, ApiCatalog, Llms, Favicon, SecurityTxtLegacy, PlainHttp];
        assert_eq!(order, fixed);
    }

    #[test]
    fn a_second_place_is_asked_only_where_the_first_is_gone() {
        let second = |status| asked(ALL, 2, status, 0).0.contains(&SecurityTxtLegacy);
        assert!(second(404) && second(410));
        assert!(!second(400) && !second(401) && !second(200) && !second(503));
    }

    #[test]
    fn requests_end_with_the_budget_and_redirects_count() {
        let (mut order, capture) = asked(ALL, 2, 404, 0);
        order.retain(|kind| !matches!(kind, RobotsTxt | Sitemap));
        assert_eq!(order.len(), PROBE_GETS, "robots.txt and sitemaps are beside the budget");
        assert_eq!(order.last(), Some(&SecurityTxtLegacy));
        assert_eq!(probe_gets_left(&capture), 0);
        for hops in 1..=5 {
            let (mut order, capture) = asked(ALL, 1, 200, hops);
            order.retain(|kind| !matches!(kind, RobotsTxt | Sitemap));
            assert_eq!(probe_gets_left(&capture), 0);
            assert_eq!(order.len(), PROBE_GETS.div_ceil(hops + 1), "{hops}");
        }
    }

    #[test]
    fn a_failure_costs_what_was_sent() {
        let mut capture = capture("");
        let hop = Hop { url: String::new(), status: 302, location: String::new() };
        for (kind, hops, gets) in [
            (FailureKind::Timeout, 0, 1),
            (FailureKind::Unreachable, 2, 3),
            (FailureKind::AddressNotAllowed, 0, 0),
            (FailureKind::RedirectNotAllowed, 1, 1),
        ] {
            let failure =
                FetchFailure { kind, reason: String::new(), hops: vec![hop.clone(); hops], url: String::new() };
            let want = Want { kind: Favicon, url: "https://example.com/i".to_owned() };
            capture.extras = vec![Extra { want, fetched: Fetched::Failed(failure) }];
            assert_eq!(PROBE_GETS - probe_gets_left(&capture), gets, "{kind:?}");
        }
        if let Some(extra) = capture.extras.first_mut() {
            extra.want.kind = Sitemap;
        }
        assert_eq!(probe_gets_left(&capture), PROBE_GETS);
    }

    #[test]
    fn nothing_is_wanted_of_supplied_bytes_or_of_a_page_that_never_came() {
        let mut capture = capture(ALL);
        let page = Page::read(&capture);
        capture.source = Source::Supplied;
        assert_eq!(all_wanted(&capture, &page), []);
        capture.source = Source::Network;
        capture.page = Fetched::Failed(FetchFailure {
            kind: FailureKind::Timeout,
            reason: "connect".to_owned(),
            hops: Vec::new(),
            url: "https://example.com/".to_owned(),
        });
        assert_eq!(all_wanted(&capture, &page), []);
    }

    #[test]
    fn addresses_are_of_the_pages_origin_but_for_a_declared_icon_and_http() {
        let source = format!(
            "{}<link rel=icon href=http://icons.example.org/i.png><link rel=describedby href=//example.org/llms.txt>
             <link rel=x href=https://example.org/.well-known/webauthn>",
            ALL.replace("href=/", "href=https://example.org/").replace("<a ", "<link rel=x ").replace("</a>", "")
        );
        let capture = capture(&source);
        let wants = all_wanted(&capture, &Page::read(&capture));
        let elsewhere: Vec<&str> =
            wants.iter().map(|want| want.url.as_str()).filter(|url| !url.starts_with("https://example.com/")).collect();
        assert_eq!(elsewhere, ["http://icons.example.org/i.png", "http://example.com/a/b?c"]);
        assert!(![OauthResource, OauthServer, OpenidConfig, AgentCard].iter().any(|kind| kinds(&wants).contains(kind)));
    }
}
