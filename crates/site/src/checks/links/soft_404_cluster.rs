//! Several error pages that say they are none.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "soft_404_cluster",
    severity: Severity::Warn,
    title: text("Error pages that answer 200", "Páginas de erro que respondem 200"),
    why: text(
        "Search engines keep fetching pages that don't exist, instead of those that do.",
        "Os buscadores continuam buscando páginas que não existem, em vez das que existem.",
    ),
    how: text(
        "Have the server answer 404 or 410 for pages that don't exist.",
        "Faça o servidor responder 404 ou 410 para páginas que não existem.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
    rule: text(
        "Fails when two or more pages answer 200 and their title or heading says that the page was not found, or they are the page that the server sends for a random missing address.",
        "Falha quando duas ou mais páginas respondem 200 e o título ou cabeçalho diz que a página não foi encontrada, ou elas são a página que o servidor envia para um endereço inexistente.",
    ),
    message: text(
        "{cases} pages look like error pages and answer 200.",
        "{cases} páginas parecem páginas de erro e respondem 200.",
    ),
    run,
};

/// Pages from which on it is a matter of the site; of one, the page's own report tells.
const FEWEST: usize = 2;

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Titled “{title}”.", "Com o título “{title}”.");
    let missing: Vec<_> = site.documents().filter(|(_, _, document)| document.looks_missing).collect();
    if missing.len() < FEWEST {
        return Ok(Vec::new());
    }
    let found = |(id, page, document): (PageId, PageNode, DocumentNode)| {
        let title = document.title.map(|title| site.text(title)).unwrap_or_default();
        case_of(site.text(page.url), NOTE, &[("title", title.into())], [id])
    };
    Ok(missing.into_iter().map(found).collect())
}
