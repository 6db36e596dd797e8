//! Breadcrumbs that name no page.

use std::collections::BTreeMap;

use crate::check::prelude::*;
use crate::facts::TextId;

/// The check.
pub(crate) const CHECK: SiteCheck = SiteCheck {
    code: "breadcrumb_not_path",
    severity: Severity::Info,
    title: text("Breadcrumbs to missing or moved pages", "Breadcrumbs para páginas inexistentes ou movidas"),
    why: text(
        "Search results show the breadcrumb as the path to the page. A step that leads to no page misleads visitors.",
        "Os resultados de busca mostram o breadcrumb como o caminho até a página. Um passo que não leva a uma página engana os visitantes.",
    ),
    how: text(
        "Use the final addresses of the pages in the breadcrumb, the same as in links to them.",
        "Use no breadcrumb os endereços finais das páginas, os mesmos dos links para elas.",
    ),
    reference: "https://developers.google.com/search/docs/appearance/structured-data/breadcrumb",
    rule: text(
        "Fails when a step of a page's BreadcrumbList is an address of the site that answers 4xx or redirects.",
        "Falha quando um passo do BreadcrumbList de uma página é um endereço do site que responde 4xx ou redireciona.",
    ),
    message: text(
        "{pages} {pages|page has|pages have} a breadcrumb to {cases} missing or moved {cases|page|pages}.",
        "{pages} {pages|página tem|páginas têm} um breadcrumb para {cases} {cases|página inexistente ou movida|páginas inexistentes ou movidas}.",
    ),
    run,
};

fn run(site: &SiteFacts) -> SiteVerdict {
    const GONE: Text = text("Answers {status}.", "Responde {status}.");
    const REDIRECTS: Text = text("Redirects to {target}.", "Redireciona para {target}.");
    let what_is_wrong = |step: TextId| {
        let answer = site.page_of(step).and_then(|id| site.page(id))?.answer;
        match answer {
            NodeAnswer::Error(status) if answer.is_gone() => Some((GONE, status, None)),
            NodeAnswer::Redirect(status, to) => Some((REDIRECTS, status, to)),
            _ => None,
        }
    };
    let mut is_absent = true;
    let mut steps: BTreeMap<TextId, Vec<PageId>> = BTreeMap::new();
    for (id, _, document) in site.documents() {
        for step in site.breadcrumb(&document) {
            is_absent = false;
            if what_is_wrong(step).is_some() {
                steps.entry(step).or_default().push(id);
            }
        }
    }
    if is_absent {
        return Err(Unmeasured::Absent);
    }
    let mut cases = Vec::new();
    for (step, mut pages) in steps {
        let Some((note, status, to)) = what_is_wrong(step) else { continue };
        pages.dedup();
        let to = to.map(|to| site.text(to)).unwrap_or_default();
        cases.push(case_of(site.text(step), note, &[("status", status.into()), ("target", to.into())], pages));
    }
    Ok(cases)
}
