//! What is known of a site when its probes are chosen and judged: address, markup, headers, and all that came.

use model::capture::{Capture, Exchange, Extra, Fetched, Source, WantKind};
use url::Url;

use super::answer::Answer;
use crate::facts::challenge;
use crate::facts::link_header::{self, HeaderLink};
use crate::facts::page::Html;
use crate::facts::robots_txt::{self, RobotsState};

/// Bytes of an address that is asked for: no longer one is fetched (`fetch::intake`), and it would swell the capture.
const LONGEST_URL: usize = 2_048;

/// Where a probe asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::facts) enum Target {
    /// Here.
    At(Url),
    /// The page names an address that is not fetched: another origin, another scheme, or too long.
    Elsewhere,
}

impl Target {
    /// An address of any host, when it can be fetched.
    pub(super) fn of(mut url: Url) -> Self {
        url.set_fragment(None);
        let fetched = matches!(url.scheme(), "http" | "https") && url.as_str().len() <= LONGEST_URL;
        if fetched { Self::At(url) } else { Self::Elsewhere }
    }

    /// The address, if it is asked for.
    pub(in crate::facts) fn url(&self) -> Option<&Url> {
        match self {
            Self::At(url) => Some(url),
            Self::Elsewhere => None,
        }
    }
}

/// The audited site as probes see it.
#[derive(Debug)]
pub(crate) struct ProbedSite<'c> {
    pub(super) capture: &'c Capture,
    /// The final URL of the page.
    pub(super) url: Url,
    pub(super) html: Option<&'c Html>,
    pub(super) header_links: Vec<HeaderLink>,
    pub(super) robots: Option<&'c RobotsState>,
}

impl<'c> ProbedSite<'c> {
    /// `None` for supplied bytes, and for a page that did not answer: there is no site to ask then.
    pub(crate) fn new(capture: &'c Capture, html: Option<&'c Html>, robots: Option<&'c RobotsState>) -> Option<Self> {
        let exchange = capture.page.response().filter(|_| capture.source == Source::Network)?;
        let url = match html {
            Some(html) => html.url.clone(),
            None => Url::parse(&exchange.url).ok()?,
        };
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        Some(Self { capture, url, html, header_links: link_header::read(exchange), robots })
    }

    /// The address of a path on the page's origin.
    pub(crate) fn address(&self, path: &str) -> Option<Url> {
        self.url.join(path).ok()
    }

    /// A file of the page's origin.
    pub(super) fn file(&self, path: &str) -> Option<Target> {
        self.address(path).map(Target::of)
    }

    /// Whether an address has the page's origin.
    pub(super) fn is_own(&self, url: &Url) -> bool {
        url.origin() == self.url.origin()
    }

    /// Addresses of `link` elements and of the `Link` header, in this order.
    pub(super) fn link_urls(&self) -> impl Iterator<Item = &Url> {
        let elements = self.html.into_iter().flat_map(|html| &html.links).filter_map(|link| link.url.as_ref());
        elements.chain(self.header_links.iter().filter_map(|link| link.url.as_ref()))
    }

    /// Addresses of those `a` elements that concern probes: asked for after every answer, so not all are gone through.
    pub(super) fn anchor_urls(&self) -> impl Iterator<Item = &Url> {
        let anchors = |html: &'c Html| html.to_probes.iter().filter_map(|at| html.anchors.get(*at)?.url());
        self.html.into_iter().flat_map(anchors)
    }

    /// Whether a `meta` has a name or property that `fits`.
    pub(super) fn has_meta(&self, fits: impl Fn(&str) -> bool) -> bool {
        let named = |name: &Option<String>| name.as_deref().is_some_and(&fits);
        self.html.is_some_and(|html| html.metas.iter().any(|meta| named(&meta.name) || named(&meta.property)))
    }

    /// The file that the page links to: the first one of its own origin, else that there is one elsewhere.
    ///
    /// A plain link to a file of another origin declares nothing of this site (an article on a standard has such
    /// links), so those of `a` elements count only within the origin.
    pub(super) fn linked_file(&self, is_file: impl Fn(&Url) -> bool) -> Option<Target> {
        let own = self.link_urls().chain(self.anchor_urls()).find(|url| is_file(url) && self.is_own(url));
        match own {
            Some(url) => Some(Target::of(url.clone())),
            None => self.link_urls().any(is_file).then_some(Target::Elsewhere),
        }
    }

    /// What came of a kind of request, if it was sent.
    pub(super) fn extra(&self, kind: WantKind) -> Option<&'c Extra> {
        self.capture.extras.iter().find(|extra| extra.want.kind == kind)
    }

    /// Whether a request was answered 404 or 410: the file is not there, so its second place may be asked.
    pub(super) fn is_gone(&self, kind: WantKind) -> bool {
        let exchange = self.extra(kind).and_then(|extra| extra.fetched.response());
        exchange.is_some_and(|exchange| matches!(exchange.status, 404 | 410))
    }

    /// The answer to a probe, with what is needed to judge it.
    pub(super) fn answer(&self, kind: WantKind, target: Target, reference: &'static str) -> Answer<'c> {
        let extra = self.extra(kind);
        let requested = extra.and_then(|extra| Url::parse(&extra.want.url).ok()).or_else(|| target.url().cloned());
        let mask =
            requested.as_ref().filter(|requested| self.is_own(requested)).and_then(|requested| self.mask(requested));
        Answer { requested, fetched: extra.map(|extra| &extra.fetched), reference, mask }
    }

    /// The page that missing addresses get, where they are answered 2xx: what looks like it may not exist either.
    ///
    /// Many sites route `/.well-known/` differently, so its own missing path decides there, when it was asked.
    fn mask(&self, requested: &Url) -> Option<&'c Exchange> {
        let well_known = self.missing_path(WantKind::NotFoundWellKnown).filter(|_| is_well_known(requested));
        well_known.or_else(|| self.missing_path(WantKind::NotFound)).filter(|exchange| exchange.is_success())
    }

    /// The answer to a missing path, when it tells how the site treats such paths.
    pub(super) fn missing_path(&self, kind: WantKind) -> Option<&'c Exchange> {
        let extra = self.extra(kind)?;
        let Fetched::Response(exchange) = &extra.fetched else { return None };
        let telling = !matches!(exchange.status, 401 | 403 | 429 | 500..);
        (telling && challenge::blocked(&extra.fetched).is_none()).then_some(exchange)
    }

    /// Whether missing paths below `/.well-known/` are told from existing ones; `None` when that is not known.
    pub(super) fn tells_missing_well_known(&self) -> Option<bool> {
        let extra = self.extra(WantKind::NotFoundWellKnown)?;
        // A firewall that refuses an unknown path does not answer it 2xx either: enough for password managers.
        let refused = matches!(&extra.fetched, Fetched::Response(exchange) if matches!(exchange.status, 401 | 403));
        let tells = self.missing_path(WantKind::NotFoundWellKnown).map(|exchange| !exchange.is_success());
        tells.or_else(|| refused.then_some(true))
    }

    /// The rule of robots.txt that forbids an address to one of Google's crawlers, and its 1-based line.
    ///
    /// `Googlebot-Image` obeys the group of Googlebot where it has none of its own.
    pub(super) fn forbidden(&self, url: &Url, crawlers: &[&str]) -> Option<(String, u32)> {
        let Some(RobotsState::Found(file)) = self.robots.filter(|_| self.is_own(url)) else { return None };
        let rules = file.for_path(&robots_txt::path(url));
        crawlers.iter().find_map(|crawler| {
            let own = rules.verdict(crawler);
            let has_group = own.agent.as_deref().is_some_and(|agent| agent.eq_ignore_ascii_case(crawler));
            let verdict = if has_group { own } else { rules.verdict("Googlebot") };
            verdict.rule.filter(|_| !verdict.allowed)
        })
    }
}

fn is_well_known(url: &Url) -> bool {
    url.path().starts_with("/.well-known/")
}
