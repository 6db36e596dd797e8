//! Canonicals that name a page with another canonical.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "canonical_chain",
    severity: Severity::Warn,
    title: text("Chains of canonicals", "Cadeias de canônicas"),
    why: text(
        "Search engines may ignore a canonical that points to a page with another canonical.",
        "Os buscadores podem ignorar uma canônica que aponta para uma página com outra canônica.",
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
    Ok(site.canonical_cases(|target, page| {
        let next = site.document(target)?.canonical.filter(|next| *next != page.url)?;
        site.canonical_loop(target).is_none().then(|| (NOTE, vec![("next", site.text(next).into())]))
    }))
}
