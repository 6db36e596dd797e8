//! Canonicals that no page links.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "canonical_unlinked",
    severity: Severity::Info,
    title: text("Canonical pages without internal links", "Páginas canônicas sem links internos"),
    why: text(
        "Internal links and canonicals point to different addresses, so search engines get contradictory signals.",
        "Os links internos e as canônicas apontam para endereços diferentes, e os buscadores recebem sinais contraditórios.",
    ),
    how: text(
        "Link to the canonical address instead of the copies.",
        "Use nos links o endereço canônico em vez das cópias.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when other pages name an indexable page of the site as their canonical and no page links to it. Not measured when the limits of the run left pages out.",
        "Falha quando outras páginas indicam uma página indexável do site como sua canônica e nenhuma página tem link para ela. Não é medido quando os limites da auditoria deixaram páginas de fora.",
    ),
    message: text(
        "{cases} canonical {cases|page has|pages have} no internal links.",
        "{cases} {cases|página canônica não tem|páginas canônicas não têm} links internos.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text(
        "{count} {count|page names|pages name} it as canonical. No page links to it.",
        "{count} {count|página a indica|páginas a indicam} como canônica. Nenhuma página tem link para ela.",
    );
    if !site.complete {
        return Err(Unmeasured::Incomplete);
    }
    let mut cases = Vec::new();
    for (target, pages) in site.canonical_targets() {
        let is_linked = site.start() == Some(target) || site.sources(target).iter().any(|source| *source != target);
        if !is_linked && site.is_indexable(target) {
            cases.push(case_of(site.url(target), NOTE, &[("count", pages.len().into())], pages));
        }
    }
    Ok(cases)
}
