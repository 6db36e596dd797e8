//! Pages that share a meta description.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "duplicate_description",
    severity: Severity::Info,
    title: text("Duplicate meta descriptions", "Meta descriptions duplicadas"),
    why: text(
        "Search engines ignore descriptions that say nothing about the page, and write their own.",
        "Os buscadores ignoram descrições que nada dizem sobre a página e geram outra.",
    ),
    how: text(
        "Write a description for each page, or leave it out where a template can only repeat one.",
        "Escreva uma descrição para cada página, ou omita-a onde o template só repetiria a mesma.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/snippet",
    rule: text(
        "Fails when two or more pages in the same language have the same meta description, with different content. These pages don't count: those with noindex or with a canonical to another page, those that look like error pages, and pages of a list after the first. Pages that also share the title are reported by `duplicate_title` instead.",
        "Falha quando duas ou mais páginas no mesmo idioma têm a mesma meta description, com conteúdos diferentes. Não contam páginas com noindex ou com canônica para outra página, páginas que parecem de erro e páginas de uma lista após a primeira. Páginas que têm também o mesmo título são relatadas por `duplicate_title`.",
    ),
    message: text(
        "{pages} pages share {cases} {cases|meta description|meta descriptions}.",
        "{pages} páginas compartilham {cases} {cases|meta description|meta descriptions}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages have “{text}”.", "{count} páginas têm “{text}”.");
    Ok(site.sharing(|document| document.description, &[|document| document.title], NOTE))
}
