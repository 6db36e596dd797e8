//! Pages that the sitemaps leave out.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "sitemap_page_missing",
    severity: Severity::Info,
    title: text("Pages missing from the sitemap", "Páginas fora do sitemap"),
    why: text(
        "Search engines find new and changed pages later if no sitemap lists them.",
        "Os buscadores encontram páginas novas e alteradas mais tarde se nenhum sitemap as lista.",
    ),
    how: text(
        "Add these pages to the sitemap, preferably in the program that generates it.",
        "Acrescente essas páginas ao sitemap, de preferência no programa que o gera.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
    rule: text(
        "Fails when links lead to an indexable page that no sitemap lists. Pages of a list after the first don't count. Not measured when a sitemap could not be read to its end.",
        "Falha quando há links que levam a uma página indexável que nenhum sitemap lista. Páginas de uma lista após a primeira não contam. Não é medido quando um sitemap não pôde ser lido até o fim.",
    ),
    message: text(
        "{cases} indexable {cases|page is|pages are} in no sitemap.",
        "{cases} {cases|página indexável não está|páginas indexáveis não estão} em nenhum sitemap.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("No sitemap lists it.", "Nenhum sitemap a lista.");
    let listed = site.listed.as_ref().ok_or(Unmeasured::Absent)?;
    if !site.sitemaps_complete {
        return Err(Unmeasured::Sitemap);
    }
    let is_missing = |(id, page, document): &(PageId, PageNode, DocumentNode)| {
        let is_first = document.list_page.is_none_or(|(number, _)| number < 2);
        let is_page = site.depth(*id).is_some() && site.is_indexable(*id) && is_first && !document.looks_missing;
        is_page && site.duplicates().stands_for(*id) == *id && listed.binary_search(&page.url).is_err()
    };
    let missing = site.documents().filter(is_missing);
    Ok(missing.map(|(id, page, _)| case_of(site.text(page.url), NOTE, &[], [id])).collect())
}
