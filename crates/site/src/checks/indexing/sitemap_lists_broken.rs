//! Sitemap entries that are not there.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "sitemap_lists_broken",
    severity: Severity::Error,
    title: text("Sitemap lists missing pages", "Sitemap lista páginas inexistentes"),
    why: text(
        "Search engines spend requests on pages that don't exist, and trust the sitemap less.",
        "Os buscadores gastam requisições em páginas que não existem e confiam menos no sitemap.",
    ),
    how: text(
        "Remove these addresses from the sitemap, or bring the pages back.",
        "Remova esses endereços do sitemap ou restaure as páginas.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
    rule: text(
        "Fails when a sitemap lists an address that answers 4xx. 401, 403, 408 and 429 don't count.",
        "Falha quando um sitemap lista um endereço que responde 4xx. 401, 403, 408 e 429 não contam.",
    ),
    message: text(
        "The sitemap lists {cases} {cases|address that doesn't|addresses that don't} exist.",
        "O sitemap lista {cases} {cases|endereço que não existe|endereços que não existem}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Answers {status}.", "Responde {status}.");
    let mut cases = Vec::new();
    for (id, page) in site.listed_pages().ok_or(Unmeasured::Absent)? {
        if let NodeAnswer::Error(status) = page.answer
            && page.answer.is_gone()
        {
            cases.push(case_of(site.text(page.url), NOTE, &[("status", status.into())], [id]));
        }
    }
    Ok(cases)
}
