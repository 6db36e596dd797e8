//! Pages with nearly the same text.

use crate::check::prelude::*;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "near_duplicate_content",
    severity: Severity::Info,
    title: text("Nearly duplicate content", "Conteúdo quase duplicado"),
    why: text(
        "Search engines tend to show only one of several pages that say nearly the same.",
        "Os buscadores tendem a mostrar só uma de várias páginas que dizem quase o mesmo.",
    ),
    how: text(
        "Merge the pages, or write on each what is special about it.",
        "Junte as páginas em uma só, ou escreva em cada uma o que ela tem de diferente.",
    ),
    reference: "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
    rule: text(
        "Fails when the main texts of two or more indexable pages are at least 90% alike, measured by the share of five-word sequences that both have and estimated by MinHash. Text that the first page and 9 of 10 pages repeat doesn't count. Language versions of each other and pages of one list are left out.",
        "Falha quando os textos principais de duas ou mais páginas indexáveis são pelo menos 90% iguais, pela proporção de sequências de cinco palavras em comum, estimada por MinHash. Não conta o texto que se repete na primeira página e em 9 de cada 10 páginas. Versões de idioma uma da outra e páginas de uma mesma lista ficam de fora.",
    ),
    message: text(
        "{pages} pages have nearly the same text as another.",
        "{pages} páginas têm quase o mesmo texto que outra.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("{count} pages have nearly the same text.", "{count} páginas têm quase o mesmo texto.");
    let cases = site.groups(&site.duplicates().near, NOTE);
    // Of pages that two versions of the program read, some pairs were not compared.
    if cases.is_empty() && !site.sketches_compare { Err(Unmeasured::Incomplete) } else { Ok(cases) }
}
