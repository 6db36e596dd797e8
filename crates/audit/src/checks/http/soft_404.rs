//! Whether the site says of missing pages that they are missing.

use model::capture::{Fetched, WantKind};

use crate::check::prelude::*;

/// The family.
pub(crate) const FAMILY: Family =
    Family { slug: "soft-404", category: Category::Http, landing: Landing::TO_WRITE, checks: &[MISSING_PATH] };

const MISSING_PATH: Check = Check {
    code: "soft_404_missing_path",
    severity: Severity::Warn,
    title: text("Missing pages answer as if they existed", "Páginas inexistentes respondem como se existissem"),
    why: text(
        "Crawlers index addresses that lead nowhere, and spend on them the visits meant for real pages.",
        "Os robôs indexam endereços que não levam a nada, e gastam neles as visitas destinadas às páginas de verdade.",
    ),
    how: text(
        "Answer unknown addresses with status 404 or 410.",
        "Responda a endereços desconhecidos com o status 404 ou 410.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors#soft-404-errors",
    rule: text(
        "Fails when a path of 32 random digits ends in 2xx, whether at once or after redirects. 404, 410 and other client errors of their kind pass; 401, 403, 429, 5xx and silence tell nothing.",
        "",
    ),
    thresholds: &[],
    remedy: remedy(FixClass::Instruction, FixTarget::Page),
    since: FIRST,
    run: missing_path,
};

/// Fails when a path of 32 random digits ends in 2xx, whether at once or after redirects. 404, 410 and other client
/// errors of their kind pass; 401, 403, 429, 5xx and silence tell nothing.
fn missing_path(facts: &Facts<'_>) -> Verdict {
    if !facts.capture.source.has_network() {
        return Err(NotMeasured::Offline);
    }
    let probe = facts.capture.extras.iter().find(|extra| extra.want.kind == WantKind::NotFound);
    let Some(Fetched::Response(exchange)) = probe.map(|extra| &extra.fetched) else { return Err(NotMeasured::Probe) };
    match exchange.status {
        401 | 403 | 429 | 500.. => return Err(NotMeasured::Probe),
        200..=299 => {}
        _ => return PASS,
    }
    const FOUND: Text = text("{url} does not exist, but answers {status}.", "{url} não existe, mas responde {status}.");
    const REDIRECTED: Text = text(
        "{url} does not exist, but leads to {target}, which answers {status}.",
        "{url} não existe, mas leva a {target}, que responde {status}.",
    );
    const ANSWER: Text = text(
        "Answer addresses that don't exist with 404, also where an app or a front controller catches them.",
        "Responda com 404 aos endereços que não existem, também onde um aplicativo ou controlador os captura.",
    );
    let asked = probe.map_or("", |extra| extra.want.url.as_str());
    let message = if exchange.hops.is_empty() { FOUND } else { REDIRECTED };
    let values = [("url", asked.into()), ("target", exchange.url.as_str().into()), ("status", exchange.status.into())];
    let place = Place { url: Some(asked.to_owned()), ..Place::default() };
    Ok(Some(problem(message, &values, FixDraft::instruction(FixTarget::Page, ANSWER, &[])).at([place])))
}
