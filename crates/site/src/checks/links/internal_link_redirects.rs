//! Links within the site to an address that redirects.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "internal_link_redirects",
    severity: Severity::Info,
    title: text("Internal links to redirects", "Links internos para redirecionamentos"),
    why: text(
        "Each of these links costs visitors and crawlers one more request.",
        "Cada um desses links custa a visitantes e robôs uma requisição a mais.",
    ),
    how: text(
        "Change each link to the address that it redirects to.",
        "Troque cada link pelo endereço para o qual ele redireciona.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/301-redirects",
    rule: text(
        "Fails when a page links to an address of the site that redirects once, to a page that answers 2xx. Longer chains have a check of their own.",
        "Falha quando uma página tem um link para um endereço do site que redireciona uma vez, para uma página que responde 2xx. Cadeias mais longas têm verificação própria.",
    ),
    message: text(
        "{pages} {pages|page links|pages link} to {cases} {cases|address that redirects|addresses that redirect}.",
        "{pages} {pages|página tem|páginas têm} links para {cases} {cases|endereço que redireciona|endereços que redirecionam}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Redirects to {target}.", "Redireciona para {target}.");
    let mut cases = Vec::new();
    for (id, page) in site.linked_pages() {
        let RedirectEnd::Page(end, hops) = site.ending(id) else { continue };
        let is_found = site.page(end).is_some_and(|end| matches!(end.answer, NodeAnswer::Document | NodeAnswer::File));
        if hops.len() == 1 && is_found {
            cases.push(case(site.text(page.url), NOTE, &[("target", site.url(end).into())], site.link_places(id)));
        }
    }
    Ok(cases)
}
