//! Pages that no link leads to.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "orphan_page",
    severity: Severity::Warn,
    title: text("Orphan pages", "Páginas órfãs"),
    why: text(
        "Visitors can't reach them from the site, and search engines consider them less important.",
        "Os visitantes não chegam a elas pelo site, e os buscadores as consideram menos importantes.",
    ),
    how: text(
        "Link to each of them from a page that visitors use, or remove it from the sitemap.",
        "Crie um link para cada uma em uma página que os visitantes usam, ou remova-a do sitemap.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/links-crawlable",
    rule: text(
        "Fails when an indexable page is in a sitemap and no path of links leads to it from the first page. Not measured when the limits of the run left pages out.",
        "Falha quando uma página indexável está em um sitemap e nenhum caminho de links leva a ela a partir da primeira página. Não é medido quando os limites da auditoria deixaram páginas de fora.",
    ),
    message: text("No link leads to {cases} {cases|page|pages}.", "Nenhum link leva a {cases} {cases|página|páginas}."),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Only the sitemap lists it.", "Só o sitemap a lista.");
    let listed = site.listed_pages().ok_or(Unmeasured::Absent)?;
    if !site.complete {
        return Err(Unmeasured::Incomplete);
    }
    let orphans = listed.filter(|(id, _)| site.depth(*id).is_none() && site.is_indexable(*id));
    Ok(orphans.map(|(id, page)| case_of(site.text(page.url), NOTE, &[], [id])).collect())
}
