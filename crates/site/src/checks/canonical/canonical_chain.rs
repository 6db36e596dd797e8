//! Canonicals that name a page with another canonical.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "canonical_chain",
    severity: Severity::Warn,
    title: text("Chains of canonicals", "Cadeias de canônicas"),
    why: text(
        "Search engines may ignore a canonical that names a page which itself passes on its place.",
        "Os buscadores podem ignorar uma canônica que aponta para uma página que também cede o seu lugar.",
    ),
    how: text(
        "Name the last page of the chain as the canonical of every page.",
        "Indique a última página da cadeia como a canônica de todas as páginas.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when a page's canonical is another page of the site whose canonical is a third one.",
        "Falha quando a canônica de uma página é outra página do site, cuja canônica é uma terceira.",
    ),
    message: text(
        "{pages} {pages|page names|pages name} a canonical that has another canonical.",
        "{pages} {pages|página indica|páginas indicam} uma canônica que tem outra canônica.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Its own canonical is {next}.", "A canônica dela é {next}.");
    let mut cases = Vec::new();
    for (target, pages) in site.canonical_targets() {
        let Some(node) = site.page(target) else { continue };
        let next = node.document.as_ref().and_then(|document| document.canonical).filter(|next| *next != node.url);
        let Some(next) = next.filter(|_| site.canonical_loop(target).is_none()) else { continue };
        let values = [("next", site.text(next).into())];
        cases.push(case_of(site.text(node.url), NOTE, &values, pages));
    }
    Ok(cases)
}
