//! The same page under several queries.

use crate::address::Variance;
use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "parameter_duplicates",
    severity: Severity::Warn,
    title: text("Same pages with different parameters", "Páginas repetidas com parâmetros diferentes"),
    why: text(
        "Crawlers spend their time on copies of one page that differ only in a parameter.",
        "Os robôs gastam tempo com cópias de uma página que diferem só em um parâmetro.",
    ),
    how: text(
        "Name the address without parameters as the canonical, and link to it.",
        "Indique o endereço sem parâmetros como canônica e use-o nos links.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when indexable pages have the same content and their addresses differ in the query string.",
        "Falha quando páginas indexáveis têm o mesmo conteúdo e seus endereços diferem na query string.",
    ),
    message: text(
        "{cases} {cases|page answers|pages answer} with different query strings.",
        "{cases} {cases|página responde|páginas respondem} com query strings diferentes.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("The same page answers at {urls}.", "A mesma página responde em {urls}.");
    Ok(site.groups(site.variants(Variance::Query), NOTE))
}
