//! The same page with and without www or https.

use crate::address::Variance;
use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "www_http_duplicates",
    severity: Severity::Error,
    title: text("Same pages with and without www or https", "Páginas repetidas com e sem www ou https"),
    why: text(
        "Search engines see two or more copies of the site, and the links to it are split among them.",
        "Os buscadores veem duas ou mais cópias do site, e os links para ele se dividem entre elas.",
    ),
    how: text(
        "Choose one scheme and host, and redirect every other address to it with 301.",
        "Escolha um esquema e um host e redirecione para eles, com 301, todos os outros endereços.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when indexable pages have the same content and their addresses differ only in http or https, or in www.",
        "Falha quando páginas indexáveis têm o mesmo conteúdo e seus endereços diferem só em http ou https, ou em www.",
    ),
    message: text(
        "{cases} {cases|page answers|pages answer} at more than one scheme or host.",
        "{cases} {cases|página responde|páginas respondem} em mais de um esquema ou host.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("The same page answers at {urls}.", "A mesma página responde em {urls}.");
    Ok(site.groups(site.variants(Variance::Origin), NOTE))
}
