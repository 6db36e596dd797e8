//! Pages with noindex that much of the site links.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "noindex_but_linked_much",
    severity: Severity::Info,
    title: text("Pages with noindex that many pages link to", "Páginas com noindex que recebem muitos links"),
    why: text(
        "Many internal links pass their value to pages that never appear in search results.",
        "Muitos links internos transferem valor a páginas que nunca aparecem nos resultados de busca.",
    ),
    how: text(
        "Remove the noindex if the page should be found. If not, link to it from fewer pages.",
        "Remova o noindex se a página deve ser encontrada. Se não, reduza os links para ela.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/block-indexing",
    rule: text(
        "Fails when a page has noindex and at least 10 pages and a fifth of all pages link to it without nofollow.",
        "Falha quando uma página tem noindex e pelo menos 10 páginas e um quinto de todas têm links para ela sem nofollow.",
    ),
    message: text(
        "{cases} {cases|page has|pages have} noindex and many internal links.",
        "{cases} {cases|página tem|páginas têm} noindex e muitos links internos.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages link to it.", "{count} páginas têm links para ela.");
    Ok(site.linked_much(NOTE, |id, _| site.document(id).is_some_and(|document| document.noindex)))
}
