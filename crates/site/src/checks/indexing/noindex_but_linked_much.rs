//! Pages with noindex that much of the site links.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "noindex_but_linked_much",
    severity: Severity::Info,
    title: text("Pages with noindex that many pages link to", "Páginas com noindex que recebem muitos links"),
    why: text(
        "Much of what the site's links pass on goes to pages that never stand in search results.",
        "Muito do que os links do site transmitem vai para páginas que nunca aparecem nos resultados de busca.",
    ),
    how: text(
        "Remove the noindex if the page should be found. If not, link to it from fewer pages.",
        "Remova o noindex se a página deve ser encontrada. Se não, reduza os links para ela.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/block-indexing",
    rule: text(
        "Fails when a page has noindex and at least 10 pages and a fifth of all pages link to it by links that are followed.",
        "Falha quando uma página tem noindex e pelo menos 10 páginas e um quinto de todas têm links para ela que são seguidos.",
    ),
    message: text(
        "{cases} {cases|page has|pages have} noindex and many internal links.",
        "{cases} {cases|página tem|páginas têm} noindex e muitos links internos.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages link to it.", "{count} páginas têm links para ela.");
    let bar = site.linked_much();
    let mut cases = Vec::new();
    for (id, page) in site.pages() {
        if !(page.document.as_ref().is_some_and(|document| document.noindex)) {
            continue;
        }
        let sources = site.followed_sources(id).count();
        if sources >= bar {
            cases.push(case_of(site.text(page.url), NOTE, &[("count", sources.into())], [id]));
        }
    }
    Ok(cases)
}
