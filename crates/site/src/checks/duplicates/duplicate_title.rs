//! Pages that share a title.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "duplicate_title",
    severity: Severity::Warn,
    title: text("Duplicate titles", "Títulos duplicados"),
    why: text(
        "Searchers can't tell these pages apart in results, and search engines may show only one.",
        "Quem pesquisa não distingue essas páginas nos resultados, e os buscadores podem mostrar só uma.",
    ),
    how: text(
        "Give each page a title that says what only it offers.",
        "Dê a cada página um título que diga o que só ela oferece.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/title-link",
    rule: text(
        "Fails when two or more pages in the same language have the same title, with different content. These pages don't count: those with noindex or with a canonical to another page, those that look like error pages, and pages of a list after the first.",
        "Falha quando duas ou mais páginas no mesmo idioma têm o mesmo título, com conteúdos diferentes. Não contam páginas com noindex ou com canônica para outra página, páginas que parecem de erro e páginas de uma lista após a primeira.",
    ),
    message: text(
        "{pages} pages share {cases} {cases|title|titles}.",
        "{pages} páginas compartilham {cases} {cases|título|títulos}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages have “{text}”.", "{count} páginas têm “{text}”.");
    Ok(site.sharing(|document| document.title, &[], NOTE))
}
