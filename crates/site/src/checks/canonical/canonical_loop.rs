//! Canonicals that name each other.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "canonical_loop",
    severity: Severity::Error,
    title: text("Canonical loops", "Ciclos de canônicas"),
    why: text(
        "Each page names another as its canonical, so search engines ignore all of these canonicals.",
        "Cada página indica outra como canônica, e os buscadores ignoram todas elas.",
    ),
    how: text(
        "Choose one page, and name it as the canonical of itself and of the others.",
        "Escolha uma página e indique-a como canônica dela mesma e das outras.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when the canonicals of the site, followed from a page, lead back to it.",
        "Falha quando as canônicas do site, seguidas a partir de uma página, levam de volta a ela.",
    ),
    message: text(
        "{cases} canonical {cases|loop|loops} of {pages} pages.",
        "{cases} {cases|ciclo|ciclos} de canônicas com {pages} páginas.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{way}", "{way}");
    let mut cases = Vec::new();
    for (id, page, _) in site.documents() {
        // Told once, from its first page.
        let Some(round) = site.canonical_loop(id).filter(|round| round.iter().min() == Some(&id)) else { continue };
        let way: Vec<String> = round.iter().chain([&id]).map(|id| site.url(*id)).collect();
        cases.push(case_of(site.text(page.url), NOTE, &[("way", way.join(" → ").into())], round.clone()));
    }
    Ok(cases)
}
