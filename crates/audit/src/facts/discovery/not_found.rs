//! Probe 0: whether the site says of missing addresses that they are missing.

use model::capture::WantKind;
use model::discovery::DiscoveryCheck;
use model::lang::{Text, text};
use url::Url;

use super::notes::{ProbeOutcome, info, pass, quoted, warn};
use super::site::{ProbedSite, Target};

/// The fixed missing path of the W3C's change-password draft: where it is found, password managers trust nothing there.
pub(super) const WELL_KNOWN: &str = "/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200";
const REFERENCE: &str = "https://developers.google.com/search/docs/crawling-indexing/http-network-errors";

/// Always asked: a path of random digits.
pub(super) fn target(site: &ProbedSite<'_>) -> Option<Target> {
    site.file(&format!("/{}", site.capture.nonce))
}

/// Asked when the change-password address is, which it tells how to read.
pub(super) fn well_known_target(site: &ProbedSite<'_>) -> Option<Target> {
    super::change_password::target(site)?;
    site.file(WELL_KNOWN)
}

/// 404 or 410 passes, on both paths where both were asked.
pub(super) fn check(site: &ProbedSite<'_>) -> DiscoveryCheck {
    let target = target(site).unwrap_or(Target::Elsewhere);
    let answer = site.answer(WantKind::NotFound, target, REFERENCE);
    let judge = || -> ProbeOutcome {
        const MISSING: Text = text(
            "{file} does not exist, and answers {status} as it should.",
            "{file} não existe, e responde {status} como deve.",
        );
        const OTHER: Text = text(
            "{file} does not exist, and answers {status}: 404 or 410 would say so more clearly.",
            "{file} não existe, e responde {status}: 404 ou 410 diriam isso com mais clareza.",
        );
        const FOUND: Text = text(
            "{file} does not exist, but answers {status}: a soft 404.",
            "{file} não existe, mas responde {status}: um soft 404.",
        );
        const REDIRECTED: Text = text(
            "{file} does not exist, but leads to {url}, which answers {status}: a soft 404 by redirect.",
            "{file} não existe, mas leva a {url}, que responde {status}: um soft 404 por redirecionamento.",
        );
        const WELL_KNOWN_FOUND: Text = text(
            "{file} does not exist, and answers {missing} as it should, but a missing path below /.well-known/ answers {status}.",
            "{file} não existe, e responde {missing} como deve, mas um caminho inexistente em /.well-known/ responde {status}.",
        );
        let file = ("file", answer.name());
        if let Some(status) = answer.absent_status() {
            let values = [file.clone(), ("status", status.into())];
            if !matches!(status, 404 | 410) {
                return Ok(info(OTHER, &values));
            }
            let well_known = site.missing_path(WantKind::NotFoundWellKnown).filter(|exchange| exchange.is_success());
            return Ok(match well_known {
                Some(found) => {
                    warn(WELL_KNOWN_FOUND, &[file, ("missing", status.into()), ("status", found.status.into())])
                }
                None => pass(MISSING, &values),
            });
        }
        // 2xx, whatever the body: that is the defect. What the body is matters to the probes that it may mask.
        let exchange = answer.response(OTHER)?;
        let requested = answer.requested.as_ref().map_or("", Url::as_str);
        let text = if exchange.hops.is_empty() && exchange.url == requested { FOUND } else { REDIRECTED };
        Ok(warn(text, &[file, ("status", exchange.status.into()), ("url", quoted(&exchange.url))]))
    };
    answer.check(judge())
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use model::capture::{BodyCut, Extra, FailureKind};
    use model::discovery::DiscoveryStatus::{self, Info, Pass, Unverified, Warn};

    fn check_of(extras: Vec<Extra>, status: DiscoveryStatus, words: &str) {
        expect(&with_site("", &[], extras, check), status, words);
    }

    #[test]
    fn missing_paths_are_judged_by_status() {
        check_of(vec![missing(404, "")], Pass, "answers 404");
        check_of(vec![missing(410, "")], Pass, "answers 410");
        check_of(vec![missing(404, ""), missing_well_known(404)], Pass, "404");
        check_of(vec![missing(404, ""), missing_well_known(200)], Warn, "/.well-known/ answers 200");
        check_of(vec![missing(200, "<p>app")], Warn, "soft 404");
        check_of(vec![cut(missing(200, "<p>app"), BodyCut::Size)], Warn, "soft 404");
        check_of(
            vec![after_redirect(missing(200, "x"), "https://example.com/")],
            Warn,
            "leads to https://example.com/",
        );
        check_of(vec![missing(400, "")], Info, "answers 400");
        check_of(vec![missing(403, "")], Info, "restricted");
        for status in [301, 429, 500, 503] {
            check_of(vec![missing(status, "")], Unverified, &status.to_string());
        }
        check_of(vec![missing(403, "<title>Just a moment...</title>")], Unverified, "Cloudflare");
        check_of(vec![failed(WantKind::NotFound, "/0f", FailureKind::Timeout)], Unverified, "can't be reached");
        check_of(Vec::new(), Unverified, "not requested");
    }
}
