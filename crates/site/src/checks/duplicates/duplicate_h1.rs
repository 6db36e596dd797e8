//! Pages that share a H1.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "duplicate_h1",
    severity: Severity::Info,
    title: text("Duplicate H1 headings", "Títulos H1 duplicados"),
    why: text(
        "The heading tells visitors on which page they are; the same one on several leaves them unsure.",
        "O cabeçalho diz aos visitantes em que página estão; o mesmo em várias os deixa em dúvida.",
    ),
    how: text("Give each page a heading of its own.", "Dê a cada página um cabeçalho próprio."),
    reference: "https://developers.google.com/search/docs/appearance/title-link",
    rule: text(
        "Fails when two or more pages in the same language have the same H1, with different content. Pages with noindex, with a canonical elsewhere, that look like error pages, and pages of a list after the first don't count. Pages that share the title too are told with it.",
        "Falha quando duas ou mais páginas no mesmo idioma têm o mesmo H1, com conteúdos diferentes. Páginas com noindex, com canônica para outra, que parecem páginas de erro, e páginas de uma lista após a primeira não contam. Páginas que dividem também o título são informadas com ele.",
    ),
    message: text("{pages} pages share {cases} {cases|H1|H1s}.", "{pages} páginas dividem {cases} {cases|H1|H1s}."),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages have “{text}”.", "{count} páginas têm “{text}”.");
    Ok(site.sharing(|document| document.h1, &[|document| document.title], NOTE))
}
