//! Lists in which a page is missing.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::facts::TextId;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "pagination_gap",
    severity: Severity::Warn,
    title: text("Gaps in lists of several pages", "Lacunas em listas de várias páginas"),
    why: text(
        "Search engines don't find what only the missing page lists.",
        "Os buscadores não encontram o que só a página ausente lista.",
    ),
    how: text(
        "Link to every page of the list, and correct those that don't answer.",
        "Crie links para todas as páginas da lista e corrija as que não respondem.",
    ),
    reference: "https://developers.google.com/search/docs/specialty/ecommerce/pagination-and-incremental-page-loading",
    rule: text(
        "Fails when a page number of a list, from 2 on, is missing although a higher one exists. Not measured when the limits of the run left pages out.",
        "Falha quando falta um número de página de uma lista, a partir do 2, embora exista um maior. Não é medido quando os limites da auditoria deixaram páginas de fora.",
    ),
    message: text(
        "{cases} {cases|list has|lists have} missing pages.",
        "{cases} {cases|lista tem|listas têm} páginas faltando.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const NOTE: Text = text("Missing: {numbers}.", "Faltam: {numbers}.");
    /// Numbers that a note names.
    const MOST_SHOWN: usize = 10;
    if !site.complete {
        return Err(Unmeasured::Incomplete);
    }
    let mut lists: BTreeMap<TextId, BTreeMap<u32, PageId>> = BTreeMap::new();
    for (id, _, document) in site.documents() {
        if let Some((number, list)) = document.list_page {
            lists.entry(list).or_default().entry(number).or_insert(id);
        }
    }
    if lists.is_empty() {
        return Err(Unmeasured::Absent);
    }
    let mut cases = Vec::new();
    for (list, pages) in lists {
        let Some((last, _)) = pages.last_key_value() else { continue };
        // Numbers that are offsets leave most out: then they count something else.
        if (*last as usize) > pages.len() * 2 + 2 {
            continue;
        }
        let missing: Vec<String> =
            (2..*last).filter(|number| !pages.contains_key(number)).map(|number| number.to_string()).collect();
        if !missing.is_empty() {
            let shown = missing.iter().take(MOST_SHOWN).cloned().collect::<Vec<_>>().join(", ");
            cases.push(case_of(site.text(list), NOTE, &[("numbers", shown.into())], pages.into_values()));
        }
    }
    Ok(cases)
}
