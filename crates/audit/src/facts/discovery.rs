//! The discovery files of a site: which are asked for, and what each answer means.
//!
//! One file a probe: when it runs, where it asks, and how its answer is judged. What all of them share is in `site`
//! (what is known before asking), `answer` (statuses, masking, cuts) and `notes` (how a verdict is worded).

mod agent_card;
mod answer;
mod api_catalog;
mod apple_app;
mod assetlinks;
pub(super) mod change_password;
mod delivery;
pub(crate) mod favicon;
pub(crate) mod image_files;
mod json;
pub(crate) mod llms;
pub(crate) mod masked;
mod metadata;
pub(crate) mod named_pages;
mod not_found;
mod notes;
mod oauth_resource;
mod oauth_server;
mod openid_config;
pub(crate) mod security_txt;
mod site;
#[cfg(test)]
pub(super) mod testing;
mod webauthn;

use model::capture::{Capture, Extra, FailureKind, Fetched, Want, WantKind};
use model::discovery::Discovery;

pub(crate) use site::ProbedSite;
use site::Target;

/// Additional GETs of one audit, redirects counted. robots.txt and sitemaps are not among them.
pub const PROBE_GETS: usize = 15;

/// GETs of [`PROBE_GETS`] that are left after what the capture holds. The fetcher follows no more redirects
/// than this.
pub fn probe_gets_left(capture: &Capture) -> usize {
    let spent: usize = capture.extras.iter().filter(|extra| extra.want.kind.rules().probe).map(gets).sum();
    PROBE_GETS.saturating_sub(spent)
}

/// GETs that one answer took: one for each redirect, and one for what came last, if it was asked for at all.
fn gets(extra: &Extra) -> usize {
    match &extra.fetched {
        Fetched::Response(exchange) => exchange.hops.len() + 1,
        Fetched::Failed(failure) => match failure.kind {
            FailureKind::AddressNotAllowed
            | FailureKind::InvalidUrl
            | FailureKind::RedirectNotAllowed
            | FailureKind::OwnLimit => failure.hops.len(),
            FailureKind::Unreachable | FailureKind::Timeout | FailureKind::TargetBusy => failure.hops.len() + 1,
        },
    }
}

/// One probe as a request.
struct Probe {
    kind: WantKind,
    /// Whether markup or headers of the page decide if or where it asks.
    needs_page: bool,
    /// Where it asks; `None` when nothing calls for it.
    target: fn(&ProbedSite<'_>) -> Option<Target>,
}

const fn fixed(kind: WantKind, target: fn(&ProbedSite<'_>) -> Option<Target>) -> Probe {
    Probe { kind, needs_page: false, target }
}

const fn of_page(kind: WantKind, target: fn(&ProbedSite<'_>) -> Option<Target>) -> Probe {
    Probe { kind, needs_page: true, target }
}

/// Every probe in the order in which requests are given to them: the missing path first, since it masks the others;
/// the fixed ones; the conditional ones in the order of the contract; the second places of two files, never before the
/// page is read, so that the order does not hang on which answer came first; last what the page itself names, the
/// canonical first, and its address over http.
const PROBES: [Probe; 22] = [
    fixed(WantKind::NotFound, not_found::target),
    of_page(WantKind::Llms, llms::target),
    fixed(WantKind::SecurityTxt, security_txt::target),
    fixed(WantKind::ApiCatalog, api_catalog::target),
    of_page(WantKind::Favicon, favicon::target),
    of_page(WantKind::NotFoundWellKnown, not_found::well_known_target),
    of_page(WantKind::ChangePassword, change_password::target),
    of_page(WantKind::AssetLinks, assetlinks::target),
    of_page(WantKind::AppleApp, apple_app::target),
    of_page(WantKind::OauthResource, oauth_resource::target),
    of_page(WantKind::OauthServer, oauth_server::target),
    of_page(WantKind::OpenidConfig, openid_config::target),
    of_page(WantKind::AgentCard, agent_card::target),
    of_page(WantKind::Webauthn, webauthn::target),
    of_page(WantKind::SecurityTxtLegacy, security_txt::legacy_target),
    of_page(WantKind::AgentCardLegacy, agent_card::legacy_target),
    of_page(WantKind::CanonicalTarget, named_pages::canonical_target),
    of_page(WantKind::OgImage, image_files::social_target),
    of_page(WantKind::HreflangTarget, named_pages::first_alternate),
    of_page(WantKind::HreflangTarget, named_pages::second_alternate),
    of_page(WantKind::LargestImage, image_files::largest_target),
    of_page(WantKind::PlainHttp, named_pages::plain_http),
];

/// The probes that are still to be sent, most important first and within what is left of [`PROBE_GETS`].
///
/// `page_is_read`: whether `site` holds the page's markup, or knows that there is none.
pub(crate) fn wants(site: &ProbedSite<'_>, page_is_read: bool) -> Vec<Want> {
    all_wants(site, page_is_read).take(probe_gets_left(site.capture)).collect()
}

/// The same past the budget.
pub(crate) fn all_wants(site: &ProbedSite<'_>, page_is_read: bool) -> impl Iterator<Item = Want> {
    PROBES
        .iter()
        .filter(move |probe| page_is_read || !probe.needs_page)
        // Of one kind there are two, which only their addresses tell apart.
        .filter(|probe| probe.kind == WantKind::HreflangTarget || site.extra(probe.kind).is_none())
        .filter_map(|probe| match (probe.target)(site)? {
            Target::At(url) => Some(Want { kind: probe.kind, url: url.into() }),
            Target::Elsewhere => None,
        })
        .filter(|want| site.capture.extras.iter().all(|extra| extra.want != *want))
}

/// Judges every probe: the five fixed ones, and those that the page calls for.
pub(crate) fn read(site: &ProbedSite<'_>) -> Discovery {
    Discovery {
        llms: llms::check(site),
        security: security_txt::check(site),
        api_catalog: api_catalog::check(site),
        favicon: favicon::check(site),
        not_found: not_found::check(site),
        change_password: change_password::check(site),
        assetlinks: assetlinks::check(site),
        apple_app: apple_app::check(site),
        oauth_resource: oauth_resource::check(site),
        oauth_server: oauth_server::check(site),
        openid_config: openid_config::check(site),
        agent_card: agent_card::check(site),
        webauthn: webauthn::check(site),
    }
}
