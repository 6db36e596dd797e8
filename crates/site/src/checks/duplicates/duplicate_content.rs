//! Pages with the same text at unrelated addresses.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "duplicate_content",
    severity: Severity::Warn,
    title: text("Duplicate content", "Conteúdo duplicado"),
    why: text(
        "Search engines choose which of these pages they show, and it may not be the one you want.",
        "Os buscadores escolhem qual dessas páginas mostram, e pode não ser a que você quer.",
    ),
    how: text(
        "Keep one page and redirect the others to it, or name it as their canonical.",
        "Mantenha uma página e redirecione as outras para ela, ou indique-a como a canônica delas.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when two or more indexable pages have the same main text of at least 30 words: without navigation, header, footer, sidebar, forms and text that the first page and 9 of 10 pages repeat. Addresses that differ only in host, slash, case or query string have checks of their own.",
        "Falha quando duas ou mais páginas indexáveis têm o mesmo texto principal de pelo menos 30 palavras: sem navegação, cabeçalho, rodapé, barra lateral, formulários e o texto que se repete na primeira página e em 9 de cada 10 páginas. Endereços que diferem só no host, na barra, em maiúsculas ou na query string têm verificações próprias.",
    ),
    message: text(
        "{pages} pages have the same text as another page.",
        "{pages} páginas têm o mesmo texto que outra página.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages have the same text.", "{count} páginas têm o mesmo texto.");
    Ok(site.groups(&site.duplicates().exact, NOTE))
}
