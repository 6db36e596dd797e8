//! Links within the site to a page that is not there.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "broken_internal_link",
    severity: Severity::Error,
    title: text("Broken internal links", "Links internos quebrados"),
    why: text(
        "Visitors reach an error page, and the value that these links pass on is lost.",
        "Os visitantes chegam a uma página de erro, e o valor que esses links transferem se perde.",
    ),
    how: text(
        "Change each link to a page that exists, or remove it. If the page has moved, redirect its old URL too.",
        "Troque cada link por uma página que existe ou remova-o. Se a página mudou de endereço, redirecione também a URL antiga.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable",
    rule: text(
        "Fails when a page links to an address of the site that answers 4xx, or redirects to one that does. 401, 403, 408 and 429 don't count, since they may concern only us.",
        "Falha quando uma página tem um link para um endereço do site que responde 4xx, ou que redireciona para um que responde assim. 401, 403, 408 e 429 não contam, pois podem valer só para nós.",
    ),
    message: text(
        "{pages} {pages|page links|pages link} to {cases} {cases|address that doesn't|addresses that don't} exist.",
        "{pages} {pages|página tem|páginas têm} links para {cases} {cases|endereço que não existe|endereços que não existem}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const GONE: Text = text("Answers {status}.", "Responde {status}.");
    const LEADS: Text =
        text("Redirects to {target}, which answers {status}.", "Redireciona para {target}, que responde {status}.");
    let mut cases = Vec::new();
    for (id, page) in site.linked_pages() {
        let RedirectEnd::Page(end, hops) = site.ending(id) else { continue };
        let Some(NodeAnswer::Error(status)) = site.page(end).map(|end| end.answer).filter(|answer| answer.is_gone())
        else {
            continue;
        };
        let note = if hops.is_empty() { GONE } else { LEADS };
        let values = [("status", status.into()), ("target", site.url(end).into())];
        cases.push(case(site.text(page.url), note, &values, site.link_places(id)));
    }
    Ok(cases)
}
