//! Canonicals that name a page with noindex.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "canonical_to_noindex",
    severity: Severity::Error,
    title: text("Canonicals to pages with noindex", "Canônicas para páginas com noindex"),
    why: text(
        "The page asks search engines to show another page instead, and that page has noindex, so they may show neither.",
        "A página pede aos buscadores que mostrem outra em seu lugar, e essa outra tem noindex: eles podem não mostrar nenhuma.",
    ),
    how: text(
        "Name a page without noindex as the canonical, or remove the noindex there.",
        "Indique como canônica uma página sem noindex, ou remova o noindex dela.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when a page's canonical is another page of the site that has noindex.",
        "Falha quando a canônica de uma página é outra página do site que tem noindex.",
    ),
    message: text(
        "{pages} {pages|page names|pages name} a canonical with noindex.",
        "{pages} {pages|página indica|páginas indicam} uma canônica com noindex.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Has noindex.", "Tem noindex.");
    let has_noindex = |id: PageId| site.document(id).is_some_and(|document| document.noindex);
    Ok(site.canonical_cases(|target, _| has_noindex(target).then_some((NOTE, Vec::new()))))
}
