//! Canonicals that name an address that redirects.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "canonical_to_redirect",
    severity: Severity::Warn,
    title: text("Canonicals to redirects", "Canônicas para redirecionamentos"),
    why: text(
        "A canonical should be the final address of the page. Search engines may ignore one that redirects.",
        "A canônica deve ser o endereço final da página. Os buscadores podem ignorar uma que redireciona.",
    ),
    how: text(
        "Name the address that the canonical redirects to.",
        "Indique o endereço para o qual a canônica redireciona.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when a page's canonical is an address of the site that redirects.",
        "Falha quando a canônica de uma página é um endereço do site que redireciona.",
    ),
    message: text(
        "{pages} {pages|page names|pages name} a canonical that redirects.",
        "{pages} {pages|página indica|páginas indicam} uma canônica que redireciona.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text =
        text("Answers {status} and redirects to {target}.", "Responde {status} e redireciona para {target}.");
    Ok(site.canonical_cases(|_, page| match page.answer {
        NodeAnswer::Redirect(status, to) => {
            let target = to.map_or("?".to_owned(), |to| site.text(to));
            Some((NOTE, vec![("status", status.into()), ("target", target.into())]))
        }
        _ => None,
    }))
}
