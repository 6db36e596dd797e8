//! Well-known files in whose place an app answers with its page.

use model::capture::WantKind;

use super::site::ProbedSite;
use crate::facts::challenge;
use crate::facts::content_type::looks_like_html;
use crate::facts::not_measured::NotMeasured;

/// Files that are never HTML.
const KINDS: [WantKind; 9] = [
    WantKind::SecurityTxt,
    WantKind::ApiCatalog,
    WantKind::AgentCard,
    WantKind::OauthResource,
    WantKind::OauthServer,
    WantKind::OpenidConfig,
    WantKind::AssetLinks,
    WantKind::AppleApp,
    WantKind::Webauthn,
];

/// Addresses of those that answer 2xx with HTML. `Err(Probe)` where it is not known that the site tells missing
/// addresses, or none was asked.
pub(crate) fn addresses(site: &ProbedSite<'_>) -> Result<Vec<String>, NotMeasured> {
    site.missing_path(WantKind::NotFound).filter(|exchange| !exchange.is_success()).ok_or(NotMeasured::Probe)?;
    let mut is_asked = false;
    let mut out = Vec::new();
    for extra in KINDS.into_iter().filter_map(|kind| site.extra(kind)) {
        let Some(exchange) = extra.fetched.response().filter(|_| challenge::blocked(&extra.fetched).is_none()) else {
            continue;
        };
        is_asked = true;
        if exchange.is_success() && looks_like_html(&exchange.body.bytes) {
            out.push(extra.want.url.clone());
        }
    }
    if is_asked { Ok(out) } else { Err(NotMeasured::Probe) }
}
