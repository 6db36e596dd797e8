//! The same page with and without a slash at the end.

use crate::address::Variance;
use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "trailing_slash_duplicates",
    severity: Severity::Warn,
    title: text("Same pages with and without a trailing slash", "Páginas repetidas com e sem barra no final"),
    why: text(
        "To search engines these are two pages with the same content.",
        "Para os buscadores, são duas páginas com o mesmo conteúdo.",
    ),
    how: text(
        "Choose one form, redirect the other to it, and use it in every link.",
        "Escolha uma forma, redirecione a outra para ela e use-a em todos os links.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when indexable pages have the same content and their addresses differ in a slash at the end of the path.",
        "Falha quando páginas indexáveis têm o mesmo conteúdo e seus endereços diferem em uma barra no final do caminho.",
    ),
    message: text(
        "{cases} {cases|page answers|pages answer} with and without a slash at the end.",
        "{cases} {cases|página responde|páginas respondem} com e sem barra no final.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("The same page answers at {urls}.", "A mesma página responde em {urls}.");
    Ok(site.groups(site.variants(Variance::Slash), NOTE))
}
