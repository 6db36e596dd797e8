//! The same page under several queries.

use crate::address::Variance;
use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "parameter_duplicates",
    severity: Severity::Warn,
    title: text("Same pages under several parameters", "Mesmas páginas sob vários parâmetros"),
    why: text(
        "Crawlers spend their time on copies of a page that only a parameter tells apart.",
        "Rastreadores gastam seu tempo em cópias de uma página que só um parâmetro distingue.",
    ),
    how: text(
        "Name the address without parameters as the canonical, and link to it.",
        "Indique o endereço sem parâmetros como canônica e use-o nos links.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when indexable pages have the same content and their addresses differ in the query.",
        "Falha quando páginas indexáveis têm o mesmo conteúdo e seus endereços diferem na query.",
    ),
    message: text(
        "{cases} {cases|page answers|pages answer} under several queries.",
        "{cases} {cases|página responde|páginas respondem} sob várias queries.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("The same page answers at {urls}.", "A mesma página responde em {urls}.");
    Ok(site.groups(site.variants(Variance::Query), NOTE))
}
