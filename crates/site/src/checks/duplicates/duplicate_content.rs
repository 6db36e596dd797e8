//! Pages with the same text at unrelated addresses.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "duplicate_content",
    severity: Severity::Warn,
    title: text("Duplicate content", "Conteúdo duplicado"),
    why: text(
        "Search engines show one of these pages and choose it themselves; links to the others count for little.",
        "Os buscadores mostram uma dessas páginas e a escolhem por conta própria; links para as outras pouco valem.",
    ),
    how: text(
        "Keep one page and redirect the others to it, or name it as their canonical.",
        "Mantenha uma página e redirecione as outras para ela, ou indique-a como a canônica delas.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when two or more indexable pages have the same main text of at least 30 words: without navigation, header, footer, sidebar and forms. Addresses that differ only in host, slash, case or query are told apart.",
        "Falha quando duas ou mais páginas indexáveis têm o mesmo texto principal de pelo menos 30 palavras: sem navegação, cabeçalho, rodapé, barra lateral e formulários. Endereços que diferem só no host, na barra, em maiúsculas ou na query são informados à parte.",
    ),
    message: text("{pages} pages have the same text as another.", "{pages} páginas têm o mesmo texto que outra."),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages have the same text.", "{count} páginas têm o mesmo texto.");
    Ok(site.groups(&site.duplicates().exact, NOTE))
}
