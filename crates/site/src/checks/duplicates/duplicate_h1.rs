//! Pages that share a H1.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "duplicate_h1",
    severity: Severity::Info,
    title: text("Duplicate H1 headings", "Títulos H1 duplicados"),
    why: text(
        "The H1 tells visitors which page they are on. The same one on several pages leaves them unsure.",
        "O H1 diz aos visitantes em que página estão. O mesmo em várias páginas os deixa em dúvida.",
    ),
    how: text("Give each page an H1 of its own.", "Dê a cada página um H1 próprio."),
    reference: "https://developers.google.com/search/docs/appearance/title-link",
    rule: text(
        "Fails when two or more pages in the same language have the same H1, with different content. These pages don't count: those with noindex or with a canonical to another page, those that look like error pages, and pages of a list after the first. Pages that also share the title are reported by `duplicate_title` instead.",
        "Falha quando duas ou mais páginas no mesmo idioma têm o mesmo H1, com conteúdos diferentes. Não contam páginas com noindex ou com canônica para outra página, páginas que parecem de erro e páginas de uma lista após a primeira. Páginas que têm também o mesmo título são relatadas por `duplicate_title`.",
    ),
    message: text(
        "{pages} pages share {cases} {cases|H1|H1s}.",
        "{pages} páginas compartilham {cases} {cases|H1|H1s}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages have “{text}”.", "{count} páginas têm “{text}”.");
    Ok(site.sharing(|document| document.h1, &[|document| document.title], NOTE))
}
